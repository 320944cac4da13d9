// SPDX-License-Identifier: Apache-2.0
// The scratch memory of a simulation, sized for the arrays that are in use at once.
#include "solver/integrator/scratch.h"

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

// What is taken at once: the offsets of an attempt and rows of another level, or what a projection
// of the step needs; error estimates and reports, two right-hand sides and a vector of n_q; values
// to hold and a point, with the accelerations of a new start; positions, velocities and rates of an
// explicit step.
static size_t scratch_size(const trm_simulation *s, int predicted)
{
    const trmi_evaluator *e = &s->e;
    size_t n = trmi_scratch_size(e->n_q), side = trmi_scratch_size(trmi_rhs_size(e));
    size_t start = trmi_start_scratch(e, &s->options);
    int offset = predicted > s->history.size ? predicted : s->history.size;
    bool projected = s->corrector.policy->after == TRMI_AFTER_PROJECTION;
    size_t attempt = trmi_scratch_size(offset) + (projected ? start : larger(n, side - n));
    size_t held = trmi_scratch_size(e->user.n_held) + trmi_scratch_size(2 * e->n_q) + side;
    return larger(larger(start, attempt), larger(2 * side + n, held));
}

bool trmi_create_scratch(trm_simulation *s)
{
    const trmi_evaluator *e = &s->e;
    bool corrects = s->method->corrects;
    int predicted = corrects ? predicted_size(s) : 0, side = trmi_rhs_size(e);
    s->corrector.scratch = &s->scratch;
    s->manifold = (trmi_manifold){.options = &s->options, .scratch = &s->scratch};
    return trmi_scratch_create(&s->scratch, &s->memory, scratch_size(s, predicted)) &&
           (!corrects || (TRMI_TAKE(&s->memory, s->predicted, predicted) &&
                          TRMI_TAKE(&s->memory, s->corrector.rhs,
                                    s->method->unknown_velocities ? 2 * side : side)));
}
