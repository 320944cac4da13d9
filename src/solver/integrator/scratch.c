// SPDX-License-Identifier: Apache-2.0
// The scratch memory of a simulation, sized for the arrays that are in use at once.
#include "solver/integrator/scratch.h"

#include "solver/integrator/breaks.h"
#include "solver/integrator/simulation.h"

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

// [q | v | x | z] and, where multipliers are predicted, those; v is not for the nested corrector
static int predicted_size(const trm_simulation *s)
{
    const trmi_evaluator *e = &s->e;
    const trmi_history *history = &s->history;
    bool multipliers = s->corrector.policy->start == TRMI_MULTIPLIERS_EXTRAPOLATED;
    if (s->method->unknown_velocities || multipliers)
        return history->size + history->multipliers;
    return e->n_x + e->n_z > 0 ? history->size : e->n_q;
}

// The largest of what is in use at once:
//
//     attempt       offsets, a right-hand side (classic: two), rows of another level
//     error test    of the alpha methods, two right-hand sides and a vector of n_q; of BDF a vector
//                   of n_q and two of n_r
//     watch, report one right-hand side and two vectors
//     projection    of the start, of output and, after the corrector, of the step
//     held values   and a point in other coordinates, or the accelerations of a new start
//     break of time the excitations on both sides, and accelerations
//     invariants    a point beside the present one, and their values there
//     violations    of constraints by velocities: three vectors of n_r
static size_t scratch_size(const trm_simulation *s, int predicted)
{
    const trmi_evaluator *e = &s->e;
    bool corrects = s->method->corrects, doubled = s->method->unknown_velocities;
    bool levels = s->corrector.policy->level != TRMI_LEVEL_POSITION || e->n_a > 0;
    size_t n = trmi_scratch_size(e->n_q), rows = trmi_scratch_size(e->n_r_full + 1);
    size_t side = trmi_scratch_size(trmi_rhs_size(e)), two = trmi_scratch_size(2 * e->n_q);
    size_t projection = trmi_manifold_scratch(e, &s->options);
    size_t attempt = (doubled ? 2 * side : side) + (doubled || levels ? larger(n, rows) : 0);
    if (s->corrector.policy->after == TRMI_AFTER_PROJECTION)
        attempt = larger(attempt, projection);
    attempt += trmi_scratch_size(predicted > s->history.size ? predicted : s->history.size);
    attempt = larger(attempt, n + trmi_scratch_size(2 * (e->n_r_full + 1)));
    bool alpha = corrects && !s->method->multistep;
    size_t other = larger(side + (alpha ? side + n : larger(two + trmi_scratch_size(e->n_x), rows)),
                          trmi_scratch_size(e->user.n_held) + larger(two, side));
    size_t breaks = trmi_scratch_size(trmi_break_scratch(e)) + side + n;
    size_t invariants = trmi_scratch_size(2 * e->n_q + 2 * e->user.n_i);
    size_t violations = trmi_scratch_size(3 * (e->n_r_full + 1));
    return larger(corrects ? attempt : 0, larger(larger(projection, larger(invariants, violations)),
                                                 larger(breaks, other)));
}

bool trmi_create_scratch(trm_simulation *s)
{
    int predicted = s->method->corrects ? predicted_size(s) : 0;
    s->corrector.scratch = &s->scratch;
    s->manifold = (trmi_manifold){.options = &s->options, .scratch = &s->scratch};
    return TRMI_TAKE(&s->memory, s->prediction.y, predicted) &&
           trmi_scratch_create(&s->scratch, &s->memory, scratch_size(s, predicted));
}
