// SPDX-License-Identifier: Apache-2.0
#include "modelling/multibody/rows/turn_count.h"

#include "modelling/multibody/frames.h"
#include "modelling/multibody/kinematics.h"

#include <math.h>

// Cosine and sine of the angle, and its rate where B spins against A: with c = u_0.w_0 and
// s = u_1.w_1 (or -u_1.w_1), where (u.w)' = spin.(w x u),
//
//     tan phi = s/c,   phi' = (c s' - s c')/(c^2 + s^2)
static double rate_of_angle(const trmi_set_state *x, const trmi_row_type *type, trmi_v3 spin,
                            double value[2])
{
    double change[2];
    for (int i = 0; i < 2; i++) {
        trmi_v3 u = x->view.u[type->dot[i].u], w = x->view.w[type->dot[i].w];
        double sign = i == 1 && type->dot[i].coefficient < 0 ? -1 : 1;
        value[i] = sign * trmi_v3_dot(u, w);
        change[i] = sign * trmi_v3_dot(spin, trmi_v3_cross(w, u));
    }
    return (value[0] * change[1] - value[1] * change[0]) /
           (value[0] * value[0] + value[1] * value[1]);
}

// In the plane angles are coordinates, which count turns by themselves: psi, by which they have
// turned B against A, with the sign of the row. In space there is none: a chart, and so a step,
// turns by less than a full turn.
static double turned(const trmi_set_state *x, const trmi_row_type *type)
{
    const trmi_tree *tree = x->k->tree;
    if (tree->plane == TRMI_SPATIAL)
        return NAN;
    double value[2];
    double sign = rate_of_angle(x, type, trmi_plane_normal(tree->plane), value);
    return sign * (trmi_plane_turn_of(tree, x->state, x->set->pair.B) -
                   trmi_plane_turn_of(tree, x->state, x->set->pair.A));
}

// phi_0 + psi - psi_0, which is off by what beams bend only, or in space
// phi_0 + (t - t_0) (phi_0' + phi')/2, off by less than half a turn as long as a step does not turn
// by several
double trmi_expected_angle(const trmi_set_state *x, const trmi_row_type *type, const double *held)
{
    double value[2], before = held[TRMI_HELD_RATE];
    double known = turned(x, type) - held[TRMI_HELD_TURNED];
    if (!isnan(known))
        return held[TRMI_HELD_ANGLE] + known;
    double rate = rate_of_angle(x, type, x->xi.w, value);
    return held[TRMI_HELD_ANGLE] +
           (x->state->t - held[TRMI_HELD_TIME]) * (isnan(before) ? rate : 0.5 * (before + rate));
}

void trmi_count_turns(const trmi_set_state *x, const trmi_row_type *type, double *held)
{
    double value[2], rate = rate_of_angle(x, type, x->xi.w, value);
    double expected = trmi_expected_angle(x, type, held);
    held[TRMI_HELD_ANGLE] = trmi_nearest_turn(atan2(value[1], value[0]), expected);
    held[TRMI_HELD_TIME] = x->state->t;
    held[TRMI_HELD_RATE] = rate;
    held[TRMI_HELD_TURNED] = turned(x, type);
}

void trmi_seed_turns(double t, double angle, double *held)
{
    held[TRMI_HELD_ANGLE] = angle;
    held[TRMI_HELD_TIME] = t;
    held[TRMI_HELD_RATE] = held[TRMI_HELD_TURNED] = NAN;
}
