// SPDX-License-Identifier: Apache-2.0
// One array for everything that is needed for a moment only. An attempt of the corrector has
//
//     [ predicted | offset | rhs | residual ]
//
// in it; once it is over, all but the predictor, which the error test looks at, is `work`:
//
//     [ predicted | right-hand side | another one ]     accelerations, energies, reports
//     [           | right-hand side | level       ]     explicit steps
//     [           | projection                    ]     of the start and of output
//     [           | q | v | held values           ]     other coordinates between steps
//
// The alpha methods, whose error is the solution of two right-hand sides, have their `work` behind
// the arrays of the corrector: when the error test fails these are reported.
#include "solver/integrator/scratch.h"

#include "solver/integrator/simulation.h"

static int larger(int a, int b)
{
    return a > b ? a : b;
}

// [q | v | x | z] and, where multipliers are predicted, those; v is not for the nested corrector
static int predicted_size(const trm_simulation *s)
{
    const trmi_evaluator *e = &s->e;
    const trmi_history *history = &s->history;
    bool multipliers = s->corrector.policy->start == TRMI_MULTIPLIERS_EXTRAPOLATED;
    if (s->options.control == TRM_CONTROL_CLASSIC || multipliers)
        return history->size + history->multipliers;
    return e->n_x + e->n_z > 0 ? history->size : e->n_q;
}

// a right-hand side with its dummy row
static int side_size(const trmi_evaluator *e)
{
    return e->n_q + e->n_x + e->n_z + e->n_r_full + 1;
}

static int work_size(const trm_simulation *s)
{
    const trmi_evaluator *e = &s->e;
    int side = side_size(e), most = larger(2 * side, side + 2 * e->n_q);
    most = larger(most, 2 * e->n_q + e->user.n_held);
    return larger(most, trmi_projection_size(e, &s->options));
}

// Rows of other levels than g = 0 are formed aside, and control classic has twice the unknowns.
static int residual_size(const trm_simulation *s)
{
    const trmi_evaluator *e = &s->e;
    bool classic = s->options.control == TRM_CONTROL_CLASSIC;
    bool levels = s->corrector.policy->level != TRMI_LEVEL_POSITION || e->n_a > 0;
    return classic || levels ? larger(e->n_q, e->n_r_full + 1) : 0;
}

// explicit methods have scratch for a point in place of an attempt
bool trmi_scratch_create(trm_simulation *s)
{
    const trmi_evaluator *e = &s->e;
    bool corrects = s->method->corrects;
    bool classic = s->options.control == TRM_CONTROL_CLASSIC;
    int side = side_size(e), predicted = corrects ? predicted_size(s) : 0;
    int offset = larger(predicted, s->history.size);
    int rhs = !corrects ? 0 : classic ? 2 * side : side;
    int attempt = offset + rhs + (corrects ? residual_size(s) : 0), work = work_size(s);
    bool behind = corrects && !s->method->multistep;
    int size = behind ? attempt + work + e->n_q : larger(attempt, work);
    if (!TRMI_TAKE(&s->memory, s->predicted, predicted + size))
        return false;
    s->offset = s->predicted + predicted;
    s->work = behind ? s->offset + attempt : s->offset;
    s->level = s->work + side;
    s->corrector.rhs = corrects ? s->offset + offset : NULL;
    s->corrector.residual = corrects ? s->corrector.rhs + rhs : NULL;
    trmi_projection_use(&s->projection, e, &s->options, s->work);
    return true;
}
