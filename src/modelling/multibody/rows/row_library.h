// SPDX-License-Identifier: Apache-2.0
// The kinds of rows that joints, measures and forces are made of, each with its name.
#ifndef TRMI_MODELLING_MULTIBODY_ROWS_ROW_LIBRARY_H
#define TRMI_MODELLING_MULTIBODY_ROWS_ROW_LIBRARY_H

#include "modelling/multibody/rows/row.h"

typedef struct trmi_row_type trmi_row_type;

// coefficient times u_i . w_j: axis i of the marker on A with axis j of that on B
typedef struct trmi_dot {
    double coefficient;
    int u, w;
} trmi_dot;

// What is known of a row before it is evaluated; fast assembly and patterns use it. Each is a
// special case of those below it, but for the slide, which has a force and no moment.
typedef enum trmi_row_shape {
    TRMI_ROW_DOTS,    // a sum of dots
    TRMI_ROW_ANGULAR, // gamma = (n; 0), H_aa only
    TRMI_ROW_SLIDE,   // along `axis` of A: gamma = (0; u)
    TRMI_ROW_GENERAL
} trmi_row_shape;

enum { TRMI_MAX_HELD = 7 };

struct trmi_row_type {
    const char *name; // of the constraint: "x", "ax"
    trmi_row_shape shape;
    bool velocity; // restricts velocities only
    bool absolute; // of a force: its rate is gamma . v_B, whatever A does, and A gets nothing
    int axis;      // 0 1 2: x y z of the markers
    int dots;      // sum of dots; angles: cosine, then sine
    trmi_dot dot[2];
    trmi_row_value (*evaluate)(const trmi_row_type *type, const trmi_view *view);
    // The first row of a set: all rows of it at once. NULL: one by one.
    void (*evaluate_all)(const trmi_view *view, trmi_row_value *row);
    // The row has the angle whose cosine and sine are its dots, full turns included. What it holds
    // is known to turn_count.h.
    bool counts_turns;
    // Values held between steps: how many, and what they are at an accepted point, unless it counts
    // turns.
    int held;
    void (*hold)(const trmi_row_type *type, const trmi_view *view, double *held);
    // What they are at the start, time t; NULL: measures know.
    void (*seed)(double t, double *held);
    // Whether the markers are on the right one of two roots; NULL: there is only one.
    bool (*is_right_root)(const trmi_view *view);
    // The row that leads to that root from far, with the same name, value and gradient near it;
    // NULL: this one does.
    const trmi_row_type *far_row;
    // The distance in metres that a value of the row means, with the number of the joint; NULL: the
    // value itself.
    double (*distance)(double p, double size);
};

// ---- rows of several joints
// ----------------------------------------------------------------------

extern const trmi_row_type trmi_slide[3];   // x y z: point of B along the axes of A
extern const trmi_row_type trmi_axis_x;     // ax = -y_A.z_B: about x, when z_A and z_B are to agree
extern const trmi_row_type trmi_axis_y;     // ay = x_A.z_B
extern const trmi_row_type trmi_skew[3];    // rx ry rz: sine of the angle about an axis
extern const trmi_row_type trmi_cross;      // x_A.y_B
extern const trmi_row_type trmi_plane_turn; // rz = y_A.x_B: the angle, in plane models
extern const trmi_row_type trmi_plane_axis; // ry = x_A.z_B: the same where y is the normal

// ---- rows of cut joints that are assembled from far: an angle in place of its sine -----------

extern const trmi_row_type trmi_tilt[2];     // ax ay: angle between z_A and z_B, about x, about y
extern const trmi_row_type trmi_shortest[3]; // rx ry rz: components of the rotation vector
extern const trmi_row_type trmi_plane_angle; // rz: the angle, in plane models
extern const trmi_row_type trmi_plane_lean;  // ry: the same where y is the normal

// ---- measures --------------------------------------------------------------------------------

extern const trmi_row_type trmi_turn[3];         // angle about x, y, z; full turns count
extern const trmi_row_type trmi_second_turn;     // universal joint: angle about y of B
extern const trmi_row_type trmi_rotation[3];     // components of the rotation vector
extern const trmi_row_type trmi_plain_length;    // distance of the markers
extern const trmi_row_type trmi_mean_slide[3];   // along the mean of the axes of A and B
extern const trmi_row_type trmi_sphere_slip[2];  // sphere on a plane: velocity along x, along y
extern const trmi_row_type trmi_force_along[3];  // axes of B: direction of a following force
extern const trmi_row_type trmi_torque_along[3]; // axes of B: direction of a following torque
extern const trmi_row_type trmi_world_torque[3]; // axes of A: angular velocity of B against A; of A
                                                 // = ground: direction of a torque
extern const trmi_row_type trmi_entry[9];        // u_i . w_j, row by row

// ---- for rows that contain an angle: its dots are cosine and sine ----------------------------

// Members of the type of such a row, which counts full turns.
#define TRMI_COUNTS_TURNS .counts_turns = true, .held = 4

// The angle on the branch nearest to view->held.
trmi_row_value trmi_evaluate_angle(const trmi_row_type *type, const trmi_view *view);

#endif
