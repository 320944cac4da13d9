// SPDX-License-Identifier: Apache-2.0
// A road: its height above a plane as a formula r(x, y) of the place in that plane.
#ifndef TRMI_MODELLING_MULTIBODY_FORCES_ROAD_H
#define TRMI_MODELLING_MULTIBODY_FORCES_ROAD_H

#include "modelling/expression/tape.h"

// Groups of outputs of the tape.
enum {
    TRMI_ROAD_SECOND,    // r, r_x, r_y, r_xx, r_xy, r_yy
    TRMI_ROAD_THIRD,     // r_xxx, r_xxy, r_xyy, r_yyy
    TRMI_ROAD_CONDITIONS // of each: s, s_x, s_y, s_xx, s_xy, s_yy
};

typedef struct trmi_road {
    const trmi_tape *tape;
    int place, parameter; // inputs of the tape: x and y, and the first of the parameters
    const double *value;  // of the parameters at the start
    int line, column;     // of the formula in its file
    int conditions, lock; // where it goes over to another branch (kinks.h); its first lock
} trmi_road;

// The height with its slopes and curvatures at a place.
typedef struct trmi_road_point {
    double r, x, y, xx, xy, yy;
    double xxx, xxy, xyy, yyy; // where they are wanted
} trmi_road_point;

// Sets the parameters (NULL: as at the start) in the registers of a road.
void trmi_road_prepare(const trmi_road *road, double *reg, const double *parameters, int count);
// lock: per condition two, NULL: all 0.
trmi_road_point trmi_road_at(const trmi_road *road, double *reg, double x, double y,
                             const double *lock, bool third);

// s, s', s'' of all conditions along a motion in the plane, 3 of each; at the last place.
void trmi_road_conditions(const trmi_road *road, double *reg, const double v[2], const double a[2],
                          double *out);

// The height above the tangent plane, (z - r)/w with w^2 = 1 + r_x^2 + r_y^2, and its first and
// second time derivative along a motion with the place (x, y, z), velocity and acceleration.
void trmi_road_height(const trmi_road_point *road, const double place[3], const double velocity[3],
                      const double acceleration[3], double out[3]);

#endif
