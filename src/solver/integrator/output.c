// SPDX-License-Identifier: Apache-2.0
// What a simulation shows: the state, accelerations, reports.
#include "solver/integrator/output.h"

#include "base/error.h"
#include "solver/formulation/redundancy.h"
#include "solver/integrator/simulation.h"

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
    return s ? &s->view : NULL;
}

trm_status trm_simulation_accelerations(trm_simulation *s, double *a, double *lambda)
{
    TRMI_REQUIRE(NULL, s, "simulation");
    trmi_evaluator *e = &s->e;
    trmi_point p = s->corrector.point; // scratch between steps
    trmi_copy_point(e, &s->now, &p);
    trm_error error;
    trmi_error_clear(&error);
    trm_status status = trmi_accelerations(&s->manifold, &p, &error);
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
    if (!s)
        return NAN;
    if (s->e.absent & TRM_BIT(ENERGY) || trmi_evaluate(&s->e, &s->now, TRM_BIT(ENERGY), &s->values))
        return NAN;
    return s->values.of[TRM_QUANTITY_ENERGY][0];
}

const trm_statistics *trm_simulation_statistics(const trm_simulation *s)
{
    return s ? &s->statistics : NULL;
}

const trm_start_report *trm_simulation_start(const trm_simulation *s)
{
    return s ? &s->start : NULL;
}

int trm_simulation_row_redundant(const trm_simulation *s, int row)
{
    return s && row >= 0 && row < s->e.n_r_full && trmi_active_row(&s->e, row) == s->e.n_r;
}

int trm_simulation_row_follows(const trm_simulation *s, int row)
{
    int from = trm_simulation_row_redundant(s, row) ? s->e.follows[row] : row;
    return from != row ? from : -1; // a row without gradient follows from none
}

int trm_simulation_row_unique(const trm_simulation *s, int row)
{
    return s && row >= 0 && row < s->e.n_r_full && !(s->e.shared && s->e.shared[row]);
}

double trm_simulation_next_step(const trm_simulation *s)
{
    return s && s->control.started ? s->control.h : 0;
}

const trm_error *trm_simulation_error(const trm_simulation *s)
{
    static const trm_error none = {.status = TRM_ERR_ARGUMENT,
                                   .t = NAN,
                                   .h = NAN,
                                   .item = "simulation",
                                   .text = "the argument 'simulation' is NULL",
                                   .matrix_fresh = -1,
                                   .pivot = NAN};
    return s ? &s->error : &none;
}

// the last point of the history before the present time
static double earliest(const trm_simulation *s)
{
    const trmi_history *history = &s->history;
    if (!s->control.started)
        return s->now.t;
    long steps = trmi_steps_since_start(s);
    bool at_once = s->rule->start && s->method->multistep; // the first points came
    if (at_once && steps <= s->control.k)
        return s->history.t[steps];
    int j = steps > 0 ? 1 : 0;
    while (j + 1 < history->count && history->t[j] >= s->now.t)
        j++;
    return fmin(history->t[j], s->now.t);
}

trm_status trmi_check_inside(trm_simulation *s, double t, bool *present)
{
    double slack = 1e-12 * fmax(fabs(s->now.t), s->statistics.h_last), from = earliest(s);
    *present = t == s->now.t || from == s->now.t;
    if (t >= from - slack && t <= s->now.t + slack)
        return TRM_OK;
    trmi_error_clear(&s->error);
    return trmi_error_set(&s->error, TRM_ERR_RANGE,
                          "t = %.9g is outside the last step [%.9g, %.9g]", t, from, s->now.t);
}

trm_status trm_simulation_interpolate(trm_simulation *s, double t, double *q, double *v, double *x,
                                      double *z, double *lambda)
{
    TRMI_REQUIRE(NULL, s, "simulation");
    const trmi_evaluator *e = &s->e;
    bool present; // the state itself, also right after a glide or at an event
    trm_status status = trmi_check_inside(s, t, &present);
    if (status != TRM_OK)
        return status;
    trmi_point p = present ? s->now : s->corrector.point; // scratch between steps
    if (!present)
        s->method->dense(s, t, &p);
    const double *from[] = {p.q, p.v, p.x, p.z};
    double *out[] = {q, v, x, z};
    const int n[] = {e->n_q, e->n_q, e->n_x, e->n_z};
    for (int part = 0; part < 4; part++)
        if (out[part])
            memcpy(out[part], from[part], (size_t)n[part] * sizeof *q);
    if (lambda)
        trmi_expand_rows(e, p.lambda, lambda);
    return TRM_OK;
}

int trm_simulation_method(const trm_simulation *s, int index, trm_method_share *share)
{
    if (!s || !share || index < 0)
        return 0;
    if (s->method->share)
        return s->method->share(s, index, share);
    *share = (trm_method_share){s->method->name, s->statistics.steps, s->now.t - s->points.t_first};
    return index == 0;
}
