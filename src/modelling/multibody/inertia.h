// SPDX-License-Identifier: Apache-2.0
// Inertia of bodies and of sums of bodies about a common point O, world axes: ten numbers.
//
//     I = [J_O, m[c]; -m[c], m 1],   J_O = J - m [c][c],   c = centre of mass - O
#ifndef TRMI_MODELLING_MULTIBODY_INERTIA_H
#define TRMI_MODELLING_MULTIBODY_INERTIA_H

#include "base/space.h"

// A symmetric 3 x 3 matrix.
typedef struct trmi_s3 {
    double xx, yy, zz, yz, zx, xy;
} trmi_s3;

typedef struct trmi_inertia {
    double m;
    trmi_v3 mc;
    trmi_s3 J; // about O
} trmi_inertia;

static inline trmi_v3 trmi_s3_times(trmi_s3 a, trmi_v3 v)
{
    return (trmi_v3){a.xx * v.x + a.xy * v.y + a.zx * v.z, a.xy * v.x + a.yy * v.y + a.yz * v.z,
                     a.zx * v.x + a.yz * v.y + a.zz * v.z};
}

static inline trmi_m3 trmi_s3_matrix(trmi_s3 a)
{
    return (trmi_m3){{{a.xx, a.xy, a.zx}, {a.xy, a.yy, a.yz}, {a.zx, a.yz, a.zz}}};
}

static inline trmi_s3 trmi_s3_add(trmi_s3 a, trmi_s3 b)
{
    return (trmi_s3){a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.yz + b.yz, a.zx + b.zx, a.xy + b.xy};
}

// of a matrix that is symmetric
static inline trmi_s3 trmi_s3_of(trmi_m3 a)
{
    return (trmi_s3){a.row[0].x, a.row[1].y, a.row[2].z, a.row[1].z, a.row[2].x, a.row[0].y};
}

// R J R^T
static inline trmi_s3 trmi_s3_turned(trmi_m3 R, trmi_s3 J)
{
    trmi_m3 t = {
        {trmi_s3_times(J, R.row[0]), trmi_s3_times(J, R.row[1]), trmi_s3_times(J, R.row[2])}};
    return (trmi_s3){trmi_v3_dot(t.row[0], R.row[0]), trmi_v3_dot(t.row[1], R.row[1]),
                     trmi_v3_dot(t.row[2], R.row[2]), trmi_v3_dot(t.row[1], R.row[2]),
                     trmi_v3_dot(t.row[2], R.row[0]), trmi_v3_dot(t.row[0], R.row[1])};
}

// tr(J)/2 1 - J
static inline trmi_m3 trmi_s3_sigma(trmi_s3 a)
{
    double h = 0.5 * (a.xx + a.yy + a.zz);
    return (trmi_m3){
        {{h - a.xx, -a.xy, -a.zx}, {-a.xy, h - a.yy, -a.yz}, {-a.zx, -a.yz, h - a.zz}}};
}

// mass m with centre c and inertia J about it
static inline trmi_inertia trmi_inertia_of(double m, trmi_v3 c, trmi_s3 J)
{
    return (trmi_inertia){m,
                          trmi_v3_scale(m, c),
                          {J.xx + m * (c.y * c.y + c.z * c.z), J.yy + m * (c.z * c.z + c.x * c.x),
                           J.zz + m * (c.x * c.x + c.y * c.y), J.yz - m * c.y * c.z,
                           J.zx - m * c.z * c.x, J.xy - m * c.x * c.y}};
}

static inline trmi_inertia trmi_inertia_add(trmi_inertia a, trmi_inertia b)
{
    return (trmi_inertia){a.m + b.m, trmi_v3_add(a.mc, b.mc), trmi_s3_add(a.J, b.J)};
}

// I m
static inline trmi_wrench trmi_inertia_times(const trmi_inertia *I, trmi_motion m)
{
    return (trmi_wrench){trmi_v3_add(trmi_s3_times(I->J, m.w), trmi_v3_cross(I->mc, m.v)),
                         trmi_v3_axpy(trmi_v3_scale(I->m, m.v), -1, trmi_v3_cross(I->mc, m.w))};
}

#endif
