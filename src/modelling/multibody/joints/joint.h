// SPDX-License-Identifier: Apache-2.0
// Types of joints. A type is one struct: its rows as a cut, its measures, which are its coordinates
// as an edge of the tree, its parameters in the model file. A new joint is a file here, with that
// struct, and a line in joints.h.
//
// The frame has its axis along z; A is the first body of `between`. A joint is an edge of the tree
// by its columns or a cut by its rows; both give the same motion and reactions. Its measures
// are the coordinates of its columns, in their order:
//
//     travel along an axis   a slide      angle about an axis   a turn (screw: with the pitch)
//     three rotations        a chart
#ifndef TRMI_MODELLING_MULTIBODY_JOINTS_JOINT_H
#define TRMI_MODELLING_MULTIBODY_JOINTS_JOINT_H

#include "modelling/multibody/parameter.h"
#include "modelling/multibody/rows/row_library.h"
#include "modelling/multibody/tree.h"

enum { TRMI_MAX_ROWS = 10 };

typedef struct trmi_force_maker trmi_force_maker; // forces/force.h

// ---- measures --------------------------------------------------------------------------------

// Measures are scalars of the position of a joint, one for each freedom it has as an edge of the
// tree. They are 0 in the reference configuration. Start values, prescribed motions, stops,
// actuators and formulas refer to them by name.
typedef enum trmi_measure_kind {
    TRMI_MEASURE_TRAVEL,  // of the second body, along an axis of the joint on the first one
    TRMI_MEASURE_ANGLE,   // about an axis; full turns count
    TRMI_MEASURE_ROTATION // a component of the rotation vector, in the axes of the joint
} trmi_measure_kind;

typedef struct trmi_measure {
    const char *name; // "angle", "travel", "x", "rotation_z"
    trmi_measure_kind kind;
    int axis;                 // 0 1 2: x, y, z of the joint
    const trmi_row_type *row; // that measures it; NULL: the row of its kind and axis
} trmi_measure;

#define TRMI_TRAVEL(name, axis)                                                                    \
    {                                                                                              \
        name, TRMI_MEASURE_TRAVEL, axis, NULL                                                      \
    }
#define TRMI_ANGLE(name, axis)                                                                     \
    {                                                                                              \
        name, TRMI_MEASURE_ANGLE, axis, NULL                                                       \
    }
#define TRMI_ROTATIONS                                                                             \
    {"rotation_x", TRMI_MEASURE_ROTATION, 0, NULL},                                                \
        {"rotation_y", TRMI_MEASURE_ROTATION, 1, NULL},                                            \
    {                                                                                              \
        "rotation_z", TRMI_MEASURE_ROTATION, 2, NULL                                               \
    }

// ---- types -----------------------------------------------------------------------------------

// What the parameters of a joint are read into; a type with parameters of its own has a struct that
// begins with this one.
typedef struct trmi_joint_input {
    int body[2];
    trmi_v3 at, axis, second_axis;
    trmi_m3 frame; // `finish` leaves the axes of the joint here
    double size;   // the number that its rows use
} trmi_joint_input;

typedef enum trmi_joint_friction {
    TRMI_FRICTION_NONE,
    TRMI_FRICTION_TRAVEL, // along its axis
    TRMI_FRICTION_PIN     // about its axis, on the radius of a pin
} trmi_joint_friction;

// The axes of a joint in a mirror image, right-handed: which measures keep their values.
typedef enum trmi_joint_mirror {
    TRMI_MIRROR_AS_BUILT, // it has no measures, and its axes follow from directions
    TRMI_MIRROR_FRAME,    // its axes are mirrored as those of a body
    TRMI_MIRROR_TRAVEL,   // the travel along z
    TRMI_MIRROR_ANGLE,    // travels along x and y, and the angle about z
    TRMI_MIRROR_ANGLES,   // all angles
    TRMI_MIRROR_CROSS     // those about x and y, which are given; z = x x y
} trmi_joint_mirror;

struct trmi_joint_type {
    const char *name, *help;
    const char *const *synonyms; // words of other programs, ended by NULL; NULL: none
    bool edge;                   // may be an edge of the tree
    bool in_plane;               // exists in plane models
    bool line;                   // plane models: z lies along a line of the plane, y is the normal
    bool screw;          // its angle comes with a travel: the pitch, `size`, times the angle
    bool near_rows_only; // assembly does not replace its rows by their far rows
    trmi_joint_friction friction;
    trmi_joint_mirror mirror;
    const char *sum; // name of its row, a sum of measures of other joints; NULL: it has two bodies
    const trmi_row_type *row[TRMI_MAX_ROWS + 1], *plane_row[TRMI_MAX_ROWS + 1]; // NULL at the end
    trmi_measure measure[TRMI_MAX_MEASURES];
    const trmi_measure *plane_measure[3]; // of planes xy, yz, zx, at most three; NULL: as in space
    trmi_parameter_list parameter;
    const trmi_shown *channel; // numbers of its own, no name at the end; NULL: none
    size_t memo;               // of what its rows share at one position, zeros at first; 0: nothing
    size_t input_size;         // of the struct its parameters are read into; 0: a trmi_joint_input
    // From the parameters to the joint: at, frame (of the input), extra. False after an error.
    bool (*finish)(trmi_finish *finish, void *input, trmi_joint *joint);
    // Makes the force that comes with the joint, one element; NULL: there is none. False without
    // memory.
    bool (*make)(trmi_force_maker *m, int joint);
};

// The rows of a cut, NULL where they end.
const trmi_row_type *const *trmi_joint_rows(const trmi_joint_type *type, trmi_plane plane);
// Whether this joint may be an edge of the tree. Friction and formulas that use its reaction need
// the multipliers of a cut.
bool trmi_joint_may_be_edge(const trmi_joint *joint);

// How many measures a joint has, at most TRMI_MAX_MEASURES; 0 for joints without a tree form.
int trmi_measure_count(const trmi_joint_type *type, trmi_plane plane);
trmi_measure trmi_measure_of(const trmi_joint_type *type, trmi_plane plane, int index);
// The first of those that are known together: of the three components of a rotation, or itself.
int trmi_measure_first(const trmi_joint_type *type, trmi_plane plane, int index);
// The measure of a name, or TRMI_NOTHING: "angle", or (rate) "angle_rate", and "rate" where there
// is only one.
int trmi_measure_find(const trmi_joint_type *type, trmi_plane plane, const char *name, bool *rate);
// The row that measures it.
const trmi_row_type *trmi_measure_row(trmi_measure measure);

// One column of a joint in the tree: that of a measure.
typedef struct trmi_joint_column {
    trmi_column_kind kind;
    int axis; // 0 1 2: x y z of the frame; charts: which of the three parameters
} trmi_joint_column;

trmi_joint_column trmi_joint_column_of(const trmi_joint_type *type, trmi_plane plane, int index);

// ---- for the files of the types --------------------------------------------------------------

// Parameters that several types have, read into trmi_joint_input.
extern const trmi_parameter trmi_joint_between;
extern const trmi_parameter trmi_joint_at;
extern const trmi_parameter trmi_joint_axis;      // plane models: along the normal
extern const trmi_parameter trmi_joint_line_axis; // plane models: in the plane
extern const trmi_parameter trmi_joint_second_axis;
extern const trmi_parameter trmi_joint_frame;
extern const trmi_parameter trmi_joint_radius;

// Rows of a point on the second body, of two axes that agree, of all axes that agree.
#define TRMI_POINT_ROWS &trmi_slide[0], &trmi_slide[1], &trmi_slide[2]
#define TRMI_LINE_ROWS &trmi_slide[0], &trmi_slide[1]
#define TRMI_AXIS_ROWS &trmi_axis_x, &trmi_axis_y
#define TRMI_ORIENTATION_ROWS &trmi_skew[0], &trmi_skew[1], &trmi_skew[2]

// Finishes a joint with a point and an axis.
bool trmi_finish_axis(trmi_finish *finish, void *input, trmi_joint *joint);

// Finishes a joint with a point and a frame.
bool trmi_finish_point(trmi_finish *finish, void *input, trmi_joint *joint);

// Finishes a joint with a frame; without `at` the point is that of the second body.
bool trmi_finish_frame(trmi_finish *finish, void *input, trmi_joint *joint);
// A marker on the second body that is another one, at first the same; false without memory.
bool trmi_take_second_marker(trmi_finish *finish, const trmi_joint_input *in, trmi_joint *joint);

#endif
