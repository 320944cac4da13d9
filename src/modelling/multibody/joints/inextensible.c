// SPDX-License-Identifier: Apache-2.0
// An element of a beam that bends and does not stretch, between the markers of its ends. Against
// the left one the right one is at (X, Y) and turned by theta; the cubic between them, of length L,
// is shorter than X by int w'^2/2 (beam.h), so that
//
//     p = X - L + 3 Y^2/(5 L) - Y theta/10 + L theta^2/15
//
// is its stretching to second order. The multiplier is the axial force, positive when it pulls.
#include "modelling/multibody/joints/inextensible.h"

enum { X, Y };

static trmi_row_value stretching(const trmi_row_type *type, const trmi_view *view)
{
    (void)type;
    const trmi_v3 *u = view->u, *w = view->w;
    trmi_row_value cosine = trmi_row_dot(u[X], w[X]), sine = trmi_row_dot(u[Y], w[X]);
    trmi_row_value row[3] = {trmi_row_slide(view, u[X]), trmi_row_slide(view, u[Y]),
                             trmi_row_angle(&cosine, &sine, 0)};
    double L = view->size, y = row[1].p, theta = row[2].p;
    trmi_composition f = {.f = row[0].p - L + 0.6 * y * y / L - 0.1 * y * theta +
                               L * theta * theta / 15,
                          .f_i = {1, 1.2 * y / L - 0.1 * theta, 2 * L * theta / 15 - 0.1 * y}};
    f.f_ij[1][1] = 1.2 / L;
    f.f_ij[1][2] = -0.1;
    f.f_ij[2][2] = 2 * L / 15;
    return trmi_row_composite(3, row, &f);
}

static const trmi_row_type axial = {
    .name = "axial", .shape = TRMI_ROW_GENERAL, .evaluate = stretching};

const trmi_joint_type trmi_joint_inextensible = {
    .name = "inextensible",
    .help = "an element of a beam keeps its length",
    .in_plane = true,
    .row = {&axial},
    .plane_row = {&axial},
};
