// SPDX-License-Identifier: Apache-2.0
// What a simulation shows: the state, accelerations, reports.
#include "solver/integrator/simulation.h"

#include "base/error.h"
#include "solver/formulation/redundancy.h"

#include <math.h>
#include <string.h>

const double *trmi_all_multipliers(trm_simulation *s, const double *lambda)
{
    if (s->e.n_r == s->e.n_r_full)
        return lambda;
    trmi_expand_rows(&s->e, lambda, s->lambda_full);
    return s->lambda_full;
}

// what trm_simulation_state shows; dropped rows have no multiplier of their own
void trmi_update_view(trm_simulation *s)
{
    const trmi_evaluator *e = &s->e;
    const double *lambda = trmi_all_multipliers(s, s->now.lambda);
    if (e->n_u > 0)
        trmi_evaluate(&s->e, &s->now, 0, &s->values); // the excitations belong to the present time
    s->view = (trm_state){s->now.t, s->now.q, s->now.v,        s->now.a, s->now.x,
                          s->now.z, lambda,   s->values.input, e->held};
}

const trm_state *trm_simulation_state(const trm_simulation *s)
{
    return &s->view;
}

trm_status trm_simulation_accelerations(trm_simulation *s, double *a, double *lambda)
{
    trmi_evaluator *e = &s->e;
    trmi_point p = s->corrector.point; // scratch between steps
    trmi_copy_point(e, &s->now, &p);
    trm_error error;
    trmi_error_clear(&error);
    trm_status status = trmi_accelerations(&s->saddle, &p, s->work, &error);
    if (status == TRM_OK && lambda)
        trmi_full_multipliers(&s->values, &s->memory, &p, lambda);
    if (status != TRM_OK) {
        s->error = error;
        s->error.t = s->now.t;
        return status;
    }
    if (a)
        memcpy(a, p.a, (size_t)e->n_q * sizeof *a);
    return TRM_OK;
}

double trm_simulation_energy(trm_simulation *s)
{
    if (s->e.absent & TRM_BIT(TRM_ENERGY) ||
        trmi_evaluate(&s->e, &s->now, TRM_BIT(TRM_ENERGY), &s->values))
        return NAN;
    return s->values.of[TRM_ENERGY][0];
}

const trm_statistics *trm_simulation_statistics(const trm_simulation *s)
{
    return &s->statistics;
}

const trm_start_report *trm_simulation_start(const trm_simulation *s)
{
    return &s->start;
}

int trm_simulation_row_redundant(const trm_simulation *s, int row)
{
    return row >= 0 && row < s->e.n_r_full && trmi_active_row(&s->e, row) == s->e.n_r;
}

int trm_simulation_row_follows(const trm_simulation *s, int row)
{
    int from = trm_simulation_row_redundant(s, row) ? s->e.follows[row] : row;
    return from != row ? from : -1; // a row without gradient follows from none
}

int trm_simulation_row_unique(const trm_simulation *s, int row)
{
    return row >= 0 && row < s->e.n_r_full && !(s->e.shared && s->e.shared[row]);
}

double trm_simulation_next_step(const trm_simulation *s)
{
    return s->control.started ? s->control.h : 0;
}

const trm_error *trm_simulation_error(const trm_simulation *s)
{
    return &s->error;
}
