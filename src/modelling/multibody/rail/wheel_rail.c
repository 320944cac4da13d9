// SPDX-License-Identifier: Apache-2.0
// A wheel on a rail: its points and the pieces of the rail, and the row of the contact.
#include "modelling/multibody/rail/wheel_rail.h"

#include <string.h>

enum { Y = TRMI_RAIL_Y, Z = TRMI_RAIL_Z, LX = TRMI_RAIL_L, LY, LZ, N = TRMI_RAIL_VARIABLES };

// ---- creation --------------------------------------------------------------------------------

// D as cubics in tau - from; before the first and after the last point it is straight.
static bool create_pieces(trmi_wheel_rail *pair, trmi_memory *memory)
{
    const trmi_interpolant *D = pair->rail;
    trmi_rail_piece *piece;
    pair->pieces = D->count + 1;
    if (!TRMI_TAKE(memory, piece, pair->pieces))
        return false;
    for (int i = 0; i < pair->pieces; i++) {
        double from = D->x[i == 0 ? 0 : i - 1], d[4];
        bool inside = i > 0 && i < D->count;
        trmi_interpolant_orders(D, from, 3, d);
        piece[i] = (trmi_rail_piece){from, {d[0]}};
        piece[i].d[1] = inside ? d[1] : trmi_interpolant_at(D, 1, i == 0 ? from - 1 : from + 1);
        piece[i].d[2] = inside ? d[2] / 2 : 0;
        piece[i].d[3] = inside ? d[3] / 6 : 0;
    }
    pair->piece = piece;
    return true;
}

bool trmi_wheel_rail_create(trmi_wheel_rail *pair, trmi_memory *memory, int points)
{
    trmi_wheel_points *at = &pair->points;
    const trmi_interpolant *F = pair->wheel;
    double first = F->x[0], length = F->x[F->count - 1] - first;
    if (!TRMI_TAKE(memory, at->xi, points) || !TRMI_TAKE(memory, at->R, points) ||
        !TRMI_TAKE(memory, at->slope, points))
        return false;
    for (int j = 0; j < points; j++) {
        double xi = first + length * j / (points - 1), f[2];
        trmi_interpolant_orders(F, xi, 1, f);
        at->xi[j] = xi;
        at->R[j] = pair->radius + f[0];
        at->slope[j] = -f[1];
    }
    at->count = points;
    return create_pieces(pair, memory);
}

// ---- rows ------------------------------------------------------------------------------------

trmi_rail_memo *trmi_wheel_rail_contact(const trmi_view *view, const double x[N],
                                        trmi_rail_memo *local)
{
    trmi_rail_memo *memo = view->memo ? view->memo : local;
    bool known = view->memo && memcmp(memo->x, x, sizeof memo->x) == 0;
    if (!known || (!memo->second && !view->straight)) {
        trmi_wheel_rail_touch(view->data, x, !view->straight, &memo->contact);
        memcpy(memo->x, x, sizeof memo->x);
        memo->second = !view->straight;
        memo->velocities = known && memo->velocities;
    }
    return memo;
}

void trmi_wheel_rail_variables(const trmi_view *view, double x[N], trmi_row_value row[N])
{
    const trmi_v3 axle = view->w[1];
    row[Y] = trmi_row_slide(view, view->u[1]);
    row[Z] = trmi_row_slide(view, view->u[2]);
    for (int k = 0; k < 3; k++)
        row[LX + k] = trmi_row_dot(view->u[k], axle);
    for (int i = 0; i < N; i++)
        x[i] = row[i].p;
}

trmi_row_value trmi_wheel_rail_row(const trmi_view *view)
{
    double x[N];
    trmi_row_value row[N];
    trmi_composition f;
    trmi_wheel_rail_variables(view, x, row);
    trmi_rail_memo local;
    const trmi_rail_contact contact = trmi_wheel_rail_contact(view, x, &local)->contact;
    if (view->straight) {
        trmi_row_value sum = {.p = -contact.gap};
        for (int i = 0; i < N; i++)
            sum.gamma = trmi_wrench_axpy(sum.gamma, -contact.gap_i[i], row[i].gamma);
        return sum;
    }
    f.f = -contact.gap;
    for (int i = 0; i < N; i++) {
        f.f_i[i] = -contact.gap_i[i];
        for (int j = 0; j < N; j++)
            f.f_ij[i][j] = -contact.gap_ij[i][j];
    }
    return trmi_row_composite(N, row, &f);
}
