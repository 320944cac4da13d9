// SPDX-License-Identifier: Apache-2.0
// A mechanism as it is described: bodies, joints and forces in the reference configuration, global
// axes, SI units. Plain data that the reader of model files (or a test) fills in; machine.h turns
// it into a system. Body 0 is the ground.
#ifndef TRMI_MODELLING_MULTIBODY_MECHANISM_H
#define TRMI_MODELLING_MULTIBODY_MECHANISM_H

#include "base/space.h"
#include "modelling/expression/breaks.h"
#include "modelling/expression/kinks.h"
#include "modelling/multibody/beams/beam.h"
#include "modelling/multibody/inertia.h"
#include "trammel/force.h"

#include <stdbool.h>
#include <stdint.h>

enum { TRMI_GROUND = 0, TRMI_NOTHING = -1 };

// ---- formulas
// -------------------------------------------------------------------------------------

// A scalar of the motion that formulas may use by name, with its rate: a measure of a joint
// ("pivot_angle", "pivot_rate"), or a coordinate of the centre of mass or the angle of a body.
typedef enum trmi_signal_kind {
    TRMI_SIGNAL_MEASURE,  // measure `part` of joint `index`, see measure.h
    TRMI_SIGNAL_CENTER,   // component `part` (0 1 2) of the position of body `index`
    TRMI_SIGNAL_ANGLE,    // plane models: angle of body `index`
    TRMI_SIGNAL_LENGTH,   // length of force element `index` (spring-damper)
    TRMI_SIGNAL_PLACE,    // of point `index`: coordinate `part` in the axes of what it is seen from
    TRMI_SIGNAL_TURN,     // of point `index`, plane models: angle against that
    TRMI_SIGNAL_DISTANCE, // of point `index` from that
    TRMI_SIGNAL_ENTRY,    // of point `index`: entry `part` (row by row) of its rotation matrix
    TRMI_SIGNAL_EULER,    // of point `index`: angle part % 3 of sequence part / 3 (row_euler.h)
    TRMI_SIGNAL_SPIN      // of point `index`: component `part` of its angular velocity; a rate only
} trmi_signal_kind;

// A point of a body with axes, as signals see it: from another one, or from the ground with global
// axes. Both in the reference configuration.
typedef struct trmi_body_point {
    const char *name;
    int body[2]; // what it is seen from, its own
    trmi_v3 at[2];
    trmi_m3 axes[2];
} trmi_body_point;

// What a force or a joint does, for outputs and events.
typedef enum trmi_effect_kind {
    TRMI_EFFECT_WRENCH,  // of force `index` on its second body at its point there: component `part`
                         // of force and moment, global axes
    TRMI_EFFECT_FORCE,   // of force `index`, which has one row
    TRMI_EFFECT_POWER,   // that force `index` puts into the bodies
    TRMI_EFFECT_TOUCH,   // 1 while one-sided force `index` acts, else 0
    TRMI_EFFECT_CHANNEL, // of force `index`: number `part` of its own channels
    TRMI_EFFECT_FRICTION, // along the measure of joint `index`
    TRMI_EFFECT_STOP,     // of the stops of joint `index`, along its measure
    TRMI_EFFECT_JOINT,    // of joint `index`: number `part` of its own channels
    TRMI_EFFECT_REACTION, // of joint `index` on its second body: component `part`, global axes
    TRMI_EFFECT_DRIVE,    // of the prescribed motion of joint `index`: along its measure `part`
    TRMI_EFFECT_SUM,      // of joint `index`, a sum or formula of others: what pushes it to larger
                          // values, minus its multiplier
    TRMI_EFFECT_LENGTH,   // of force `index`, which has one row: the distance of its points
    TRMI_EFFECT_RATE      // likewise its rate
} trmi_effect_kind;

typedef struct trmi_effect {
    trmi_effect_kind kind;
    int index, part;
} trmi_effect;

typedef struct trmi_signal {
    trmi_signal_kind kind;
    int index, part;
} trmi_signal;

// Groups of outputs of the tape of a mechanism.
enum {
    TRMI_TAPE_DRIVES, // u of all drives, then u', then u'': what TRM_QUANTITY_INPUT wants
    TRMI_TAPE_VALUES, // F of every formula
    TRMI_TAPE_SLOPES, // of every formula dF/dp of each signal it uses, then dF/dp' of each, then
                      // those by states and algebraic variables, then by effects
    TRMI_TAPE_RATES,  // of the equation of every algebraic variable: its partial derivative by t
    TRMI_TAPE_KINKS,  // of every condition by state s, s', s''
    TRMI_TAPE_BENDS   // NaN, s'' of each, NaN: bounds are not wanted; empty: of none
};

// A formula of t, inputs, signals, states, algebraic variables and effects. value < 0: there is no
// formula, and the value is `constant`.
typedef struct trmi_formula {
    double constant;
    int value; // index of F in TRMI_TAPE_VALUES, or TRMI_NOTHING
    int slope; // index of its first derivative in TRMI_TAPE_SLOPES
    int uses;
    const int *signal; // which of the mechanism's signals
    int others;
    const int *other; // which of its states, and after them of its algebraic variables
    int effects;
    const int *effect; // which of its effects
} trmi_formula;

// Where the inputs of the tape of a mechanism begin; t is the first one. u: those of the drives
// that are inputs of the file, then all u', then all u''. lock: of the conditions by state.
typedef struct trmi_tape_layout {
    int other, u, signal, signal_rate, signal_second, effect, parameter, lock;
} trmi_tape_layout;

// ---- bodies
// ---------------------------------------------------------------------------------------

// The shape of a body, for pictures and contacts: points of the reference configuration, global
// axes.
typedef enum trmi_shape_kind {
    TRMI_SHAPE_NONE,
    TRMI_SHAPE_BAR,      // from, to; size: width
    TRMI_SHAPE_BOX,      // two corners
    TRMI_SHAPE_CYLINDER, // from, to; size: radius
    TRMI_SHAPE_SPHERE,   // centre; size: radius
    TRMI_SHAPE_POLYLINE, // points; size: width
    TRMI_SHAPE_CAPSULE,  // from, to; size: radius
    TRMI_SHAPE_MESH      // where the origin of its file is
} trmi_shape_kind;

// Triangles of a file, in the coordinates of the file, or of a cam.
typedef struct trmi_mesh {
    const char *path; // NULL: no file
    int number;       // from 0 on, in the order of the list
    int points, triangles;
    const trmi_v3 *point;
    const int *corner; // three points for each triangle
    trmi_v3 low, high; // the box around them
    struct trmi_mesh *next;
} trmi_mesh;

typedef struct trmi_shape {
    trmi_shape_kind kind;
    int points;
    const trmi_v3 *point;
    double size;  // 0: not given
    trmi_m3 axes; // box: its edges; mesh: its axes, with scale, in a mirror image left-handed
    const trmi_mesh *mesh; // NULL: none
} trmi_shape;

// What the columns of a node measure.
enum { TRMI_NODE_DEFLECTION, TRMI_NODE_SLOPE, TRMI_NODE_SHIFT, TRMI_NODE_PARTS };

// How a node of a beam moves against its frame.
typedef struct trmi_beam_node {
    bool shifts, deflects; // it has a shift, along `along`, and a deflection w, along `across`,
    trmi_v3 along, across; // before its slope
    double start[TRMI_NODE_PARTS], start_rate[TRMI_NODE_PARTS]; // at the start
} trmi_beam_node;

typedef struct trmi_body {
    const char *name;
    double mass;
    trmi_v3 center;          // of mass, in the reference configuration
    trmi_s3 inertia;         // about it, global axes of the reference configuration
    const trmi_shape *shape; // NULL: none
    int nodes, first_node;   // of a beam: this body is its frame, those are its nodes
    int carrier;             // a node: the frame it moves against; TRMI_GROUND: no node
    trmi_beam_node *node;    // NULL: no node
    int beam; // the first node of the beam in space that this body is a node of, or 0
} trmi_body;

// An elastic body of a plane model (beam.h): the frame is a body with the mass and inertia of the
// undeformed beam, and every node is a massless body that slides (along the beam and across it) and
// turns (w') against it. Where axial force acts on bending, neighbouring nodes are linked by joints
// that keep the length between them (joints/inextensible.c).
typedef struct trmi_flexible {
    int body;            // the frame
    trmi_v3 from, along; // left end and direction
    trmi_beam_data data;
} trmi_flexible;

// ---- joints
// ---------------------------------------------------------------------------------------

// What is common to the joints of one type: rows, measures, parameters (joints/joint.h).
typedef struct trmi_joint_type trmi_joint_type;

enum { TRMI_MAX_MEASURES = 6 };

// A start value of one measure (measure.h). Three rotations: the rotation vector in the axes of the
// joint, and the angular velocity relative to the first body, in the axes of the joint on the
// second one.
typedef struct trmi_start_value {
    bool given, rate_given;
    bool keep; // assembly does not move it; otherwise it is a guess
    double value, rate;
} trmi_start_value;

// One term of a coupling: coefficient times a measure of a joint.
typedef struct trmi_term {
    int joint, measure;
    double coefficient;
} trmi_term;

// Friction of revolute and prismatic joints, and stops of a measure.
typedef struct trmi_friction {
    double mu_static, mu_dynamic, v_slip, v_stribeck, radius, preload;
    double stick; // how far a joint that sticks gives way, m; 0: it does not stick, and creeps
} trmi_friction;

typedef struct trmi_stop {
    bool given;
    double low, high, stiffness, damping, exponent;
} trmi_stop;

// Where a joint is attached to a body.
typedef struct trmi_marker {
    trmi_v3 at;
    trmi_m3 frame; // columns x, y, z; the axis is z. Plane models: z is the normal of the plane,
                   // but prismatic, point-on-line: y is, and z lies in it. Knife-edge: z is the
                   // direction in which the point does not move
} trmi_marker;

typedef struct trmi_relation trmi_relation;

// What few joints have; zeros and NULL otherwise.
typedef struct trmi_joint_extra {
    double size; // screw: pitch, metres per radian; rolling, rack-pinion: radius; rod: length
    int terms;   // coupling, rack-pinion: sum = offset
    const trmi_term *term;
    double offset;
    const trmi_relation *relation; // relation: its formula (rows/relation.h)
    trmi_marker *second; // marker on the second body where it is another one: rods; constant-
                         // velocity; rolling, where the first is a point of the plane and its
                         // normal, this one the centre of the disc and its axle
    int *drive;          // prescribed motion: index of a drive, or TRMI_NOTHING
    trmi_start_value *start;
    const trmi_friction *friction;
    const trmi_stop *stop;
    const void *data; // what the rows of its type need besides
} trmi_joint_extra;

typedef struct trmi_joint {
    const char *name;
    const trmi_joint_type *type;
    bool cut;                // never an edge of the tree
    bool observed;           // a formula uses its reaction: it has rows with multipliers of its own
    int body[2];             // between first and second; coupling, rack-pinion: unused
    trmi_v3 at;              // the marker on the first body, and mostly on the second
    const trmi_m3 *frame;    // joints with the same axes share them
    trmi_joint_extra *extra; // NULL: nothing
} trmi_joint;

static inline trmi_joint_extra trmi_extra_of(const trmi_joint *joint)
{
    return joint->extra ? *joint->extra : (trmi_joint_extra){0};
}

static inline trmi_marker trmi_second_marker(const trmi_joint *joint)
{
    const trmi_marker *second = trmi_extra_of(joint).second;
    return second ? *second : (trmi_marker){joint->at, *joint->frame};
}

static inline const trmi_m3 *trmi_second_frame(const trmi_joint *joint)
{
    const trmi_marker *second = trmi_extra_of(joint).second;
    return second ? &second->frame : joint->frame;
}

// The drive of a measure, or TRMI_NOTHING.
static inline int trmi_drive_of(const trmi_joint *joint, int measure)
{
    const int *drive = trmi_extra_of(joint).drive;
    return drive ? drive[measure] : TRMI_NOTHING;
}

// The start value of a measure, zeros where none is given.
static inline trmi_start_value trmi_start_of(const trmi_joint *joint, int measure)
{
    const trmi_start_value *start = trmi_extra_of(joint).start;
    return start ? start[measure] : (trmi_start_value){0};
}

// ---- forces
// ---------------------------------------------------------------------------------------

// What is common to the forces of one type: rows, law, parameters (forces/force.h).
typedef struct trmi_force_type trmi_force_type;

// What all forces have. The struct of a type begins with this one and has its numbers after it.
typedef struct trmi_force {
    const char *name;
    const trmi_force_type *type;
    int body[2]; // between first and second: acts on the second, the opposite on the first
    trmi_v3 at, at_second;   // points on either body
    trmi_m3 frame;           // axes of its rows
    double size;             // the number its rows use: radius of the sphere of a contact
    bool on_plane;           // z of the frame is the normal of a plane of the first body
    int states, first_state; // unknowns of its own, among the states of the mechanism
    uint64_t follows; // bits of the parameters that vary from which numbers of its law follow
} trmi_force;

// ---- the mechanism
// ----------------------------------------------------------------------------------

typedef enum trmi_plane { TRMI_SPATIAL, TRMI_PLANE_XY, TRMI_PLANE_YZ, TRMI_PLANE_ZX } trmi_plane;

typedef struct trmi_mechanism {
    trmi_v3 gravity;
    trmi_plane plane;
    bool absolute; // coordinates
    bool explicit; // formalism
    int bodies, joints, forces, signals, drives;
    int links;             // how many of the joints, the last ones, link nodes of beams
    const trmi_body *body; // body[0] is the ground, without mass
    const trmi_mesh *mesh; // the first of a list of all files of shapes, NULL: none
    const trmi_joint *joint;
    const trmi_force *const *force; // each with the size of its type
    int flexibles;                  // elastic bodies, in the order of their frames
    const trmi_flexible *flexible;
    const trmi_signal *signal; // those that formulas of forces use,
    int watched;               // and up to here those of outputs and events only
    int points;                // that signals may use
    const trmi_body_point *point;
    int feedbacks; // effects that formulas of forces, rates and equations use,
    int effects;   // and up to here those of outputs and events only
    const trmi_effect *effect;
    int force_channels; // effects that are written
    const trmi_effect *force_channel;
    const trmi_tape *tape;   // NULL without formulas
    trmi_tape_layout at;     // of its inputs
    int parameters;          // those that events set
    int inputs;              // of the drives the last ones: inputs of the file, which no joint has
    int states, algebraics;  // unknowns beside the bodies,
    const trmi_formula *law; // their rates, then the equations of the algebraic ones,
    const char *const *state_name, *const *algebraic_name;
    const char *const *state_unit; // "": none, or not known
    const trmi_breaks *breaks;     // of its formulas of t, NULL: none
    int kinks;                     // conditions by state in its formulas
    double length;                 // typical: largest distance of a marker from its centre of mass
} trmi_mechanism;

#endif
