// SPDX-License-Identifier: Apache-2.0
// The tree of a mechanism and its motion, column by column.
//
// Every coordinate is one column s (a motion, world axes) with a parent column; a joint is a short
// list of columns. v = v_parent + s q', a = a_parent + s q'' + sdot q'. Motions and wrenches refer
// to a point O of each tree (the present position of its root body), a constant while
// differentiating. Ground has v = 0 and a = (0; -gravity), so that gravity needs no force.
#ifndef TRMI_MODELLING_MULTIBODY_TREE_H
#define TRMI_MODELLING_MULTIBODY_TREE_H

#include "base/memory.h"
#include "modelling/multibody/inertia.h"
#include "modelling/multibody/mechanism.h"
#include "trammel/system.h"

typedef enum trmi_column_kind {
    TRMI_COLUMN_TURN,  // about an axis
    TRMI_COLUMN_SLIDE, // along it
    TRMI_COLUMN_SCREW, // both, with a pitch
    TRMI_COLUMN_CHART  // one of three of a rotation chart, theta = 4 tan(phi/4) n
} trmi_column_kind;

// Where a column lies in the frame before it; the bodies of the star share theirs.
typedef struct trmi_line {
    trmi_v3 axis;   // in the axes of that frame
    trmi_v3 before; // from its origin (the point of the column before, or the global origin) to the
                    // joint point, in its axes
    double pitch;
} trmi_line;

typedef struct trmi_column {
    signed char kind;    // trmi_column_kind
    signed char measure; // which measure of its joint; free bodies: x y z ..; nodes: TRMI_NODE_*
    signed char sign;    // of the user's measure against the column's coordinate: 1, since reversed
                         // edges turn the axis; -1 for charts of reversed edges
    int parent;          // column, or TRMI_NOTHING: ground
    int joint; // of the mechanism; TRMI_NOTHING: free body of the star or one nothing holds, or
               // node of a beam
    int body;  // it leads to
    int coordinate; // number in q, or TRMI_NOTHING: driven by
    int drive;      // this input
    int chart;      // CHART: first column of the three; otherwise TRMI_NOTHING
    int held;       // CHART: first of the four held values, the unit quaternion of its centre A
    int line;       // of the tree
} trmi_column;

// How a body hangs on its last column.
typedef struct trmi_tree_body {
    int column; // the last one on the way to it, or TRMI_NOTHING: fixed to the ground
    int first;  // the first one of its joint; TRMI_NOTHING: none, a fixed joint
    int root;   // number of its tree, 0 .. roots-1; TRMI_NOTHING for ground
    int line;   // the star: where its first column lies
} trmi_tree_body;

// Immutable. Borrows the bodies of the mechanism. In the star all bodies have the same columns:
// those of the first one are kept, trmi_column_of gives those of the others.
typedef struct trmi_tree {
    int bodies, columns, roots;
    int n_q, n_held, n_u;
    bool star;   // every body on its own free columns
    bool opened; // bodies hang on free columns though a joint leads to them, which is cut
    trmi_plane plane;
    trmi_v3 gravity;
    const trmi_body *described; // masses and inertias
    const trmi_column *column;  // parents before children
    const trmi_line *line;
    const trmi_tree_body *body;
    const bool *in_tree; // per joint of the mechanism: an edge of the tree
    // not in the star
    const trmi_v3 *after; // per body: from the joint point of its last column to the centre of mass
    const int *edge;      // joint of the mechanism a body hangs on, TRMI_NOTHING: free columns
    const int *parent;    // the body before it; ground: TRMI_NOTHING
    const int *order;     // bodies, ground first, parents before children
    const int *root;      // per tree: its first body
    const double *held;   // in the reference configuration
} trmi_tree;

// columns of a free body: x y z and a chart; in the plane x y and an angle
static inline int trmi_free_columns(trmi_plane plane)
{
    return plane == TRMI_SPATIAL ? 6 : 3;
}

// Column j, in the star too.
static inline trmi_column trmi_column_of(const trmi_tree *tree, int j)
{
    if (!tree->star)
        return tree->column[j];
    int before = tree->plane == TRMI_SPATIAL ? j / 6 : j / 3; // bodies
    int first = trmi_free_columns(tree->plane) * before;
    trmi_column c = tree->column[j - first];
    c.body += before;
    c.coordinate += first;
    c.parent += j == first ? 0 : first;
    if (c.chart != TRMI_NOTHING) {
        c.chart += first;
        c.held += 4 * before;
    }
    c.line = j == first ? tree->body[c.body].line : c.line;
    return c;
}

// The first column of the chart that column j belongs to, or TRMI_NOTHING.
static inline int trmi_chart_of(const trmi_tree *tree, int j)
{
    if (!tree->star)
        return tree->column[j].chart;
    int i = j % 6;
    return tree->plane == TRMI_SPATIAL && i >= 3 ? j - i + 3 : TRMI_NOTHING;
}

static inline bool trmi_column_slides(const trmi_tree *tree, int j)
{
    if (!tree->star)
        return tree->column[j].kind == TRMI_COLUMN_SLIDE;
    return tree->plane == TRMI_SPATIAL ? j % 6 < 3 : j % 3 < 2;
}

// Where column j lies.
static inline const trmi_line *trmi_line_of(const trmi_tree *tree, int j)
{
    return &tree->line[trmi_column_of(tree, j).line];
}

// Unknown coordinates of a joint in the tree: columns that are not driven.
int trmi_joint_freedoms(const trmi_joint *joint, trmi_plane plane);

// The tree that the joints of a mechanism offer: the fewest unknown coordinates, then the smallest
// depth, then the order of the file. Bodies nothing holds get free columns. NULL: error has the
// reason.
const trmi_tree *trmi_tree_create(trmi_memory *memory, const trmi_mechanism *mechanism,
                                  trm_error *error);
// The same with the joints that are cut as edges where nothing else leads to a body: what an open
// chain starts by. Bodies that hang on the same joint in both trees have the same columns there.
const trmi_tree *trmi_tree_create_for_start(trmi_memory *memory, const trmi_mechanism *mechanism,
                                            trm_error *error);
// The star: every body on free columns of its own, x y z of its centre of mass and a chart. Nodes
// of beams move against their frames there too; then it is a tree like others (`star` is false).
const trmi_tree *trmi_star_create(trmi_memory *memory, const trmi_mechanism *mechanism,
                                  trm_error *error);
// Coordinates of the reference configuration: 0, and the centre of mass for free columns.
void trmi_tree_reference(const trmi_tree *tree, const trmi_mechanism *mechanism, double *q);
// Held values of the reference configuration.
void trmi_tree_held(const trmi_tree *tree, double *held);

// Where a body is. R turns body axes (global axes of the reference configuration) into world axes.
typedef struct trmi_pose {
    trmi_m3 R;
    trmi_v3 r; // centre of mass
} trmi_pose;

// A body of a star in space.
typedef struct trmi_star_body {
    int body;
    trmi_pose pose;
    trmi_m3 E; // W T of its chart
} trmi_star_body;

// The motion at one state; arrays of a workspace.
typedef struct trmi_kinematics {
    const trmi_tree *tree;
    trmi_v3 *origin;                  // O, per tree; the star: trmi_origin_of
    trmi_motion *s, *sdot, *sddot;    // per column; total time derivatives along the motion
    trmi_v3 *point;                   // per column: joint point; not in the star
    trmi_m3 *chart_axes;              // per chart, number held/4: W = R_p A; not in the star
    trmi_motion *column_v, *column_a; // per column, at O
    trmi_pose *pose;                  // per body; not in a star without columns: trmi_pose_of
    trmi_motion *v, *a;               // per body, at O; ground: 0, (0; -gravity). NULL without
                                      // columns: trmi_velocity_of, trmi_acceleration_of (star.h)
    const double *q, *rate, *second;  // of the state, q'' as given to accelerate
    trmi_m3 *frame;                   // per column: axes after it
    trmi_v3 *place;                   // per column: point - O, without the loss of far-away models
    trmi_v3 *c;                       // per body: centre of mass - O; the star: trmi_arm_of
    trmi_s3 *J;                       // per body: inertia about its centre of mass, world axes;
                                      // the star: trmi_turned_inertia
    trmi_star_body *placed;           // of a star in space body b at b & mask: all bodies, or those
    int mask;                         // placed last
    const double *held;               // of the state, in the star
    trmi_v2 *turn;                    // per body of a plane star: cosine and sine of its angle
    struct trmi_relation_work **formula_row; // of rows by formula (rows/formula_row.h), NULL: none
    void **memo; // per joint: what its rows share at one position, NULL: nothing; NULL: no joint
} trmi_kinematics;

#endif
