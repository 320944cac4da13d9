// SPDX-License-Identifier: Apache-2.0
// Geometry of a wheel on a rail: a surface of revolution on a cylinder along x.
//
// Axes of the pair: x along the rail, z up, y from the track to the outside of this wheel. The
// position is described by five variables: y and z of the centre of the nominal rolling circle
// against the origin of the rail, and the direction l of the axle, towards the outside.
//
// The wheel has the radius R(xi) = r_0 + F(xi) at the distance xi from the nominal rolling circle,
// towards the flange, a = -xi along the axle. The points of this surface whose tangent contains x,
// which alone can touch the rail, are (R' = dR/da, c = sqrt(1 - l_x^2))
//
//     P(xi) = centre + a l + R rho,   rho = alpha (e_x - l_x l)/c + beta (l x e_x)/c,
//     alpha = R' l_x/c,   beta = sqrt(1 - alpha^2)
//
// The rail has the profile D(tau), the drop below its crown at the distance tau towards the gauge,
// and is inclined to the inside by the angle delta. With P against its origin
//
//     tau = -cos P_y - sin P_z,  nu = cos P_z - sin P_y,    d(xi) = (nu + D)/sqrt(1 + D'^2)
//
// is the distance of P from the rail. Contact is quasi-elastic: a soft minimum over points xi_j of
// the profile, whose weighted mean is the point of contact,
//
//     gap = -eps ln sum_j exp(-d_j/eps) - gap_0,   xi_c = sum_j w_j xi_j,  w_j ~ exp(-d_j/eps)
//
// With eps = 0 it is rigid: the smallest distance over all xi.
#ifndef TRMI_MODELLING_MULTIBODY_RAIL_WHEEL_RAIL_H
#define TRMI_MODELLING_MULTIBODY_RAIL_WHEEL_RAIL_H

#include "base/memory.h"
#include "modelling/expression/interpolant.h"
#include "modelling/multibody/forces/dual.h"
#include "modelling/multibody/rows/row.h"

enum { TRMI_MAX_WHEEL_POINTS = 512 };
enum { TRMI_RAIL_Y, TRMI_RAIL_Z, TRMI_RAIL_L, TRMI_RAIL_VARIABLES = 5 };

// Points of the wheel's profile: xi, R there, R' = dR/da.
typedef struct trmi_wheel_points {
    int count;
    double *xi, *R, *slope;
} trmi_wheel_points;

// D = d[0] + e (d[1] + e (d[2] + e d[3])), e = tau - from, up to where the next piece begins.
typedef struct trmi_rail_piece {
    double from, d[4];
} trmi_rail_piece;

// The numbers of a pair. Immutable.
typedef struct trmi_wheel_rail {
    const trmi_interpolant *wheel, *rail; // F(xi), D(tau)
    double radius;                        // r_0
    double cosine, sine;                  // of the inclination of the rail
    double softness, gap_0;               // eps
    bool wheel_axes;                      // creepages are along the rolling direction of the wheel
    trmi_wheel_points points;
    int pieces;
    const trmi_rail_piece *piece; // of D, over all tau
} trmi_wheel_rail;

// The contact at one position; derivatives by the variables.
typedef struct trmi_rail_contact {
    double gap, gap_i[TRMI_RAIL_VARIABLES], gap_ij[TRMI_RAIL_VARIABLES][TRMI_RAIL_VARIABLES];
    double xi, xi_i[TRMI_RAIL_VARIABLES];
} trmi_rail_contact;

// A wrench in the axes of the rail: moment, force; derivatives by l_x, l_y, l_z and xi.
typedef struct trmi_rail_wrench {
    trmi_dual n[3], f[3];
} trmi_rail_wrench;

// Velocities of the wheel at the point of contact, rows of absolute velocities: along e, along the
// tangent t = n x e, the spin about the normal n (upwards), and the speed that creepages refer to.
// In the axes of the rail e = e_x, and the speed is that of the centre of the wheel along e. In
// those of the wheel e = l x n/|l x n|, the direction in which it rolls, and the speed is the mean
// of that of its centre, v, and of its circumference: e.(v - V/2), V at the point of contact.
enum { TRMI_CREEP_X, TRMI_CREEP_Y, TRMI_CREEP_SPIN, TRMI_CREEP_SPEED, TRMI_CREEP_ROWS };

// What was found at the position that was asked for last: the contact, whether it has second
// derivatives, and the gradients of the velocities there, if they are.
typedef struct trmi_rail_memo {
    double x[TRMI_RAIL_VARIABLES];
    bool second, velocities;
    trmi_rail_contact contact;
    trmi_rail_wrench gradient[TRMI_CREEP_ROWS];
} trmi_rail_memo;

// Completes a pair of which everything but points, pieces and gap_0 is given: so many points over
// the table of the wheel. gap_0 is 0 then. False: no memory.
bool trmi_wheel_rail_create(trmi_wheel_rail *pair, trmi_memory *memory, int points);

// The smallest distance of a point of the profile, without softness.
double trmi_wheel_rail_distance(const trmi_wheel_rail *pair, const double x[TRMI_RAIL_VARIABLES]);

// The number of the point of the profile at the smallest distance.
int trmi_wheel_rail_nearest(const trmi_wheel_rail *pair, const double x[TRMI_RAIL_VARIABLES]);

// second: with gap_ij and xi_i, which are 0 otherwise.
void trmi_wheel_rail_touch(const trmi_wheel_rail *pair, const double x[TRMI_RAIL_VARIABLES],
                           bool second, trmi_rail_contact *contact);
// The same without softness.
void trmi_wheel_rail_touch_rigid(const trmi_wheel_rail *pair, const double x[TRMI_RAIL_VARIABLES],
                                 bool second, trmi_rail_contact *contact);

// The contact of a view at its variables, in the memo of the joint for its other rows, or without
// one in `local`.
trmi_rail_memo *trmi_wheel_rail_contact(const trmi_view *view, const double x[TRMI_RAIL_VARIABLES],
                                        trmi_rail_memo *local);

// The variables at a view whose markers are the origin of the rail and the centre of the wheel with
// y along the axle, and the rows that have them as values.
void trmi_wheel_rail_variables(const trmi_view *view, double x[TRMI_RAIL_VARIABLES],
                               trmi_row_value row[TRMI_RAIL_VARIABLES]);

// The row p = -gap.
trmi_row_value trmi_wheel_rail_row(const trmi_view *view);

// The rows of the velocities.
void trmi_wheel_rail_creep(const trmi_view *view, trmi_row_value row[TRMI_CREEP_ROWS]);

// The sum of all curvatures of both bodies in the contact as a row, without its second derivatives.
// Profiles that do not curve away from each other count as flat.
trmi_row_value trmi_wheel_rail_curvature(const trmi_view *view);
// The same at variables x with the contact there, and its derivatives by x.
double trmi_contact_curvature(const trmi_wheel_rail *pair, const double x[TRMI_RAIL_VARIABLES],
                              const trmi_rail_contact *contact, double by_x[TRMI_RAIL_VARIABLES]);

#endif
