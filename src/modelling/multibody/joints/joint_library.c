// SPDX-License-Identifier: Apache-2.0
#include "modelling/multibody/joints/joint_library.h"

enum { X, Y, Z };

#define POINT &trmi_slide[X], &trmi_slide[Y], &trmi_slide[Z]
#define LINE &trmi_slide[X], &trmi_slide[Y]
#define AXIS &trmi_axis_x, &trmi_axis_y
#define ORIENTATION &trmi_skew[X], &trmi_skew[Y], &trmi_skew[Z]

typedef const trmi_row_type *row_list[TRMI_MAX_ROWS + 1];

static const row_list spatial_rows[TRMI_JOINT_KINDS] = {
    [TRMI_JOINT_FIXED] = {POINT, ORIENTATION},
    [TRMI_JOINT_REVOLUTE] = {POINT, AXIS},
    [TRMI_JOINT_PRISMATIC] = {LINE, ORIENTATION},
    [TRMI_JOINT_CYLINDRICAL] = {LINE, AXIS},
    [TRMI_JOINT_SCREW] = {LINE, AXIS, &trmi_screw},
    [TRMI_JOINT_UNIVERSAL] = {POINT, &trmi_cross},
    [TRMI_JOINT_SPHERICAL] = {POINT},
    [TRMI_JOINT_PLANAR] = {&trmi_slide[Z], AXIS},
    [TRMI_JOINT_POINT_ON_LINE] = {LINE},
    [TRMI_JOINT_POINT_ON_PLANE] = {&trmi_slide[Z]},
    [TRMI_JOINT_ROD] = {&trmi_rod},
    [TRMI_JOINT_CONSTANT_VELOCITY] = {POINT, &trmi_skew[Z]},
    [TRMI_JOINT_ROLLING] = {&trmi_contact, &trmi_roll[X], &trmi_roll[Y]},
    [TRMI_JOINT_KNIFE_EDGE] = {&trmi_edge},
};

// In plane models z is the normal; for lines y is, and z lies along them.
static const row_list plane_rows[TRMI_JOINT_KINDS] = {
    [TRMI_JOINT_FIXED] = {LINE, &trmi_plane_turn},
    [TRMI_JOINT_REVOLUTE] = {LINE},
    [TRMI_JOINT_PRISMATIC] = {&trmi_slide[X], &trmi_plane_axis},
    [TRMI_JOINT_POINT_ON_LINE] = {&trmi_slide[X]},
    [TRMI_JOINT_ROD] = {&trmi_rod},
};

const trmi_row_type *const *trmi_joint_rows(trmi_joint_kind kind, trmi_plane plane)
{
    return plane == TRMI_SPATIAL ? spatial_rows[kind] : plane_rows[kind];
}

int trmi_joint_columns(trmi_joint_kind kind, trmi_plane plane)
{
    return trmi_measure_count(kind, plane);
}

trmi_joint_column trmi_joint_column_of(trmi_joint_kind kind, trmi_plane plane, int index)
{
    static const trmi_column_kind column_of[] = {
        [TRMI_MEASURE_TRAVEL] = TRMI_COLUMN_SLIDE,
        [TRMI_MEASURE_ANGLE] = TRMI_COLUMN_TURN,
        [TRMI_MEASURE_ROTATION] = TRMI_COLUMN_CHART,
    };
    trmi_measure measure = trmi_measure_of(kind, plane, index);
    bool screw = kind == TRMI_JOINT_SCREW;
    return (trmi_joint_column){screw ? TRMI_COLUMN_SCREW : column_of[measure.kind], measure.axis};
}

bool trmi_joint_may_be_edge(const trmi_joint *joint)
{
    static const int freedoms[] = {
#define FREEDOMS(name, text, freedoms, rows, help) freedoms,
        TRMI_JOINT_LIST(FREEDOMS)
#undef FREEDOMS
    };
    return freedoms[joint->kind] >= 0 && !joint->cut && !trmi_more_of(joint).friction;
}
