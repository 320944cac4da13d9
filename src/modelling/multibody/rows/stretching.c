// SPDX-License-Identifier: Apache-2.0
#include "modelling/multibody/rows/stretching.h"

enum { X, Y };

static trmi_row_value evaluate(const trmi_row_type *type, const trmi_view *view)
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

const trmi_row_type trmi_stretching = {
    .name = "axial", .shape = TRMI_ROW_GENERAL, .evaluate = evaluate};
