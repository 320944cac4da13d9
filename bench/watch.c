// SPDX-License-Identifier: Apache-2.0
// Each phase has the time between its beginning and its end, without that of phases inside; all
// that happens inside differences belongs to the Jacobian.
#include "watch.h"

#include "base/clock.h"
#include "solver/formulation/saddle.h"
#include "solver/integrator/corrector/derivatives.h"

#include <string.h>

// the functions that are watched take no pointer of ours: one clock for the program
static struct {
    bool on;
    watch_phase now;
    double since, spent[WATCH_PHASES];
} watch;

static watch_phase enter(watch_phase phase)
{
    watch_phase before = watch.now;
    if (!watch.on || before == phase || before == WATCH_JACOBIAN)
        return before;
    double time = trmi_clock_seconds();
    watch.spent[before] += time - watch.since;
    watch.since = time;
    watch.now = phase;
    return before;
}

static void leave(watch_phase before)
{
    if (!watch.on || before == watch.now)
        return;
    double time = trmi_clock_seconds();
    watch.spent[watch.now] += time - watch.since;
    watch.since = time;
    watch.now = before;
}

void watch_begin(void)
{
    memset(&watch, 0, sizeof watch);
    watch.on = true;
    watch.since = trmi_clock_seconds();
}

void watch_end(double seconds[WATCH_PHASES])
{
    watch.spent[watch.now] += trmi_clock_seconds() - watch.since;
    watch.on = false;
    memcpy(seconds, watch.spent, sizeof watch.spent);
}

// ---- callbacks ----

// the derivatives that the matrix is made of; all else is in the residual
static const uint64_t derivatives =
    TRM_BIT(STIFFNESS) | TRM_BIT(GEOMETRIC) | TRM_BIT(DAMPING) | TRM_BIT(FORCE_X) |
    TRM_BIT(FORCE_Z) | TRM_BIT(FORCE_LAMBDA) | TRM_BIT(RATE_Q) | TRM_BIT(RATE_V) | TRM_BIT(RATE_X) |
    TRM_BIT(RATE_Z) | TRM_BIT(RATE_LAMBDA) | TRM_BIT(ALGEBRAIC_Q) | TRM_BIT(ALGEBRAIC_V) |
    TRM_BIT(ALGEBRAIC_X) | TRM_BIT(ALGEBRAIC_Z) | TRM_BIT(ALGEBRAIC_LAMBDA);

// What is wanted of one kind. Two calls for one: fair where the callback shares nothing between
// them, as that of the pendulum chain.
static int call(const trm_state *state, double *const want[TRM_QUANTITY_COUNT],
                const trm_system *inner, uint64_t kind, watch_phase phase)
{
    double *part[TRM_QUANTITY_COUNT] = {NULL};
    bool any = false;
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++)
        if (want[k] && (kind & TRM_BIT_OF(k))) {
            part[k] = want[k];
            any = true;
        }
    watch_phase before = enter(phase);
    int result = any ? inner->evaluate(state, part, inner->user) : 0;
    leave(before);
    return result;
}

static int evaluate(const trm_state *state, double *const want[TRM_QUANTITY_COUNT], void *user)
{
    const watched_system *watched = user;
    int result = call(state, want, watched->inner, ~derivatives, WATCH_RESIDUAL);
    return result ? result : call(state, want, watched->inner, derivatives, WATCH_JACOBIAN);
}

void watch_system(watched_system *watched, const trm_system *inner)
{
    watched->inner = inner;
    watched->system = *inner;
    watched->system.evaluate = evaluate;
    watched->system.user = watched;
}

// ---- functions of the library: f called by another file is __wrap_f, and f itself __real_f ----

// clang-format off
int __real_trmi_difference(trmi_evaluator *e, const trmi_point *p, uint64_t quantities,
                           bool central, const trmi_values *from, double *const out[TRM_QUANTITY_COUNT]);
int __wrap_trmi_difference(trmi_evaluator *e, const trmi_point *p, uint64_t quantities,
                           bool central, const trmi_values *from, double *const out[TRM_QUANTITY_COUNT]);
void __real_trmi_derivatives_take(trmi_derivatives *d);
void __wrap_trmi_derivatives_take(trmi_derivatives *d);
void __real_trmi_derivatives_apply(trmi_derivatives *d);
void __wrap_trmi_derivatives_apply(trmi_derivatives *d);
void __real_trmi_mass_product(const trmi_values *values, const double *x, double *restrict out);
void __wrap_trmi_mass_product(const trmi_values *values, const double *x, double *restrict out);
void __real_trmi_add_constraint_force(const trmi_values *values, const double *lambda, double scale,
                                      double *restrict out);
void __wrap_trmi_add_constraint_force(const trmi_values *values, const double *lambda, double scale,
                                      double *restrict out);
trmi_factor_status __real_trmi_saddle_factor(trmi_saddle *s, trmi_leading of);
trmi_factor_status __wrap_trmi_saddle_factor(trmi_saddle *s, trmi_leading of);
void __real_trmi_saddle_solve(trmi_saddle *s, double *x, int count);
void __wrap_trmi_saddle_solve(trmi_saddle *s, double *x, int count);
// clang-format on

int __wrap_trmi_difference(trmi_evaluator *e, const trmi_point *p, uint64_t quantities,
                           bool central, const trmi_values *from,
                           double *const out[TRM_QUANTITY_COUNT])
{
    watch_phase before = enter(WATCH_JACOBIAN);
    int result = __real_trmi_difference(e, p, quantities, central, from, out);
    leave(before);
    return result;
}

void __wrap_trmi_derivatives_take(trmi_derivatives *d)
{
    watch_phase before = enter(WATCH_JACOBIAN);
    __real_trmi_derivatives_take(d);
    leave(before);
}

void __wrap_trmi_derivatives_apply(trmi_derivatives *d)
{
    watch_phase before = enter(WATCH_JACOBIAN);
    __real_trmi_derivatives_apply(d);
    leave(before);
}

void __wrap_trmi_mass_product(const trmi_values *values, const double *x, double *restrict out)
{
    watch_phase before = enter(WATCH_RESIDUAL);
    __real_trmi_mass_product(values, x, out);
    leave(before);
}

void __wrap_trmi_add_constraint_force(const trmi_values *values, const double *lambda, double scale,
                                      double *restrict out)
{
    watch_phase before = enter(WATCH_RESIDUAL);
    __real_trmi_add_constraint_force(values, lambda, scale, out);
    leave(before);
}

trmi_factor_status __wrap_trmi_saddle_factor(trmi_saddle *s, trmi_leading of)
{
    watch_phase before = enter(WATCH_FACTOR);
    trmi_factor_status status = __real_trmi_saddle_factor(s, of);
    leave(before);
    return status;
}

void __wrap_trmi_saddle_solve(trmi_saddle *s, double *x, int count)
{
    watch_phase before = enter(WATCH_SOLVE);
    __real_trmi_saddle_solve(s, x, count);
    leave(before);
}
