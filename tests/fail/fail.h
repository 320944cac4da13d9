// SPDX-License-Identifier: Apache-2.0
// Common to the failure tests: a pendulum whose callbacks can be made to fail, a watched run that
// remembers the last good state, and assertions that print the whole error.
#ifndef FAIL_H
#define FAIL_H

#include "framework.h"

#include "trammel/trammel.h"

#include <math.h>
#include <stdbool.h>

// What one callback does wrong while from <= t <= until, at most `times` times (0: always).
typedef struct fault {
    trm_quantity quantity;
    double from, until;
    double value; // written into the last entry, unless result says more
    int result;   // returned instead of 0
    int times, done;
} fault;

static inline int faulty_result(fault *f, trm_quantity quantity, double t, double *last)
{
    if (!f || f->quantity != quantity || t < f->from || t > f->until)
        return 0;
    if (f->times > 0 && f->done++ >= f->times)
        return 0;
    if (f->result == 0)
        *last = f->value;
    return f->result;
}

// Unit mass on a unit circle, gravity 9.81 and a spring k to the centre with damping d:
//     f = (-k x - d x', -9.81 - k y - d y'),  g = (x^2 + y^2 - 1)/2
// The spring is normal to the circle and does not change the motion.
enum { PENDULUM_K = 4 };
static const double pendulum_d = 0.1;

static inline int pendulum_mass(const trm_state *s, double *out, void *user)
{
    out[0] = out[1] = 1;
    return faulty_result(user, TRM_QUANTITY_MASS, s->t, &out[1]);
}

static inline int pendulum_force(const trm_state *s, double *out, void *user)
{
    out[0] = -PENDULUM_K * s->q[0] - pendulum_d * s->v[0];
    out[1] = -9.81 - PENDULUM_K * s->q[1] - pendulum_d * s->v[1];
    return faulty_result(user, TRM_QUANTITY_FORCE, s->t, &out[1]);
}

static inline int pendulum_constraint(const trm_state *s, double *out, void *user)
{
    out[0] = 0.5 * (s->q[0] * s->q[0] + s->q[1] * s->q[1] - 1);
    return faulty_result(user, TRM_QUANTITY_CONSTRAINT, s->t, &out[0]);
}

static inline int pendulum_constraint_q(const trm_state *s, double *out, void *user)
{
    out[0] = s->q[0];
    out[1] = s->q[1];
    return faulty_result(user, TRM_QUANTITY_CONSTRAINT_Q, s->t, &out[1]);
}

static inline int pendulum_constraint_t(const trm_state *s, double *out, void *user)
{
    out[0] = 0;
    return faulty_result(user, TRM_QUANTITY_CONSTRAINT_T, s->t, &out[0]);
}

static inline int pendulum_gamma(const trm_state *s, double *out, void *user)
{
    out[0] = s->v[0] * s->v[0] + s->v[1] * s->v[1];
    return faulty_result(user, TRM_QUANTITY_GAMMA, s->t, &out[0]);
}

static inline int pendulum_stiffness(const trm_state *s, double *out, void *user)
{
    out[0] = out[1] = PENDULUM_K;
    return faulty_result(user, TRM_QUANTITY_STIFFNESS, s->t, &out[1]);
}

static inline int pendulum_damping(const trm_state *s, double *out, void *user)
{
    out[0] = out[1] = pendulum_d;
    return faulty_result(user, TRM_QUANTITY_DAMPING, s->t, &out[1]);
}

static inline int pendulum_geometric(const trm_state *s, double *out, void *user)
{
    out[0] = out[1] = s->lambda[0];
    return faulty_result(user, TRM_QUANTITY_GEOMETRIC, s->t, &out[1]);
}

// The pendulum; f may be NULL. Borrows f.
static inline trm_system pendulum(fault *f)
{
    static const char *const q_names[] = {"x", "y"}, *const g_names[] = {"circle"};
    trm_system s = {.name = "pendulum",
                    .n_q = 2,
                    .n_g = 1,
                    .function = {[TRM_QUANTITY_MASS] = pendulum_mass,
                                 [TRM_QUANTITY_FORCE] = pendulum_force,
                                 [TRM_QUANTITY_CONSTRAINT] = pendulum_constraint,
                                 [TRM_QUANTITY_CONSTRAINT_Q] = pendulum_constraint_q,
                                 [TRM_QUANTITY_CONSTRAINT_T] = pendulum_constraint_t,
                                 [TRM_QUANTITY_GAMMA] = pendulum_gamma,
                                 [TRM_QUANTITY_STIFFNESS] = pendulum_stiffness,
                                 [TRM_QUANTITY_DAMPING] = pendulum_damping,
                                 [TRM_QUANTITY_GEOMETRIC] = pendulum_geometric},
                    .q_names = q_names,
                    .g_names = g_names,
                    .user = f};
    const trm_quantity diagonal[] = {TRM_QUANTITY_MASS, TRM_QUANTITY_STIFFNESS,
                                     TRM_QUANTITY_DAMPING, TRM_QUANTITY_GEOMETRIC};
    for (int k = 0; k < 4; k++)
        s.pattern[diagonal[k]].count = TRM_PATTERN_DIAGONAL;
    return s;
}

static const double pendulum_q[] = {0.8, -0.6}, pendulum_v[] = {0.6, 0.8};
static const trm_initial pendulum_start = {.q = pendulum_q, .v = pendulum_v};

static inline void assert_status(trm_status is, trm_status should, const trm_error *error)
{
    char text[2000] = "";
    if (is == should)
        return;
    if (error)
        trm_error_format(error, text, sizeof text);
    fail_msg("%s instead of %s\n%s", trm_status_name(is), trm_status_name(should), text);
}

// Creates a simulation that must work.
static inline trm_simulation *create(const trm_system *system, const trm_options *options,
                                     const trm_initial *initial)
{
    const trm_options preset = trm_options_default();
    trm_simulation *s = NULL;
    trm_error error;
    trm_status status =
        trm_simulation_create(&s, system, options ? options : &preset, initial, &error);
    assert_status(status, TRM_OK, &error);
    assert_non_null(s);
    return s;
}

// Creates a simulation that must be refused with this status; its text must contain `part`.
static inline void assert_refused(const trm_system *system, const trm_options *options,
                                  const trm_initial *initial, trm_status should, const char *part)
{
    const trm_options preset = trm_options_default();
    trm_simulation *s = (trm_simulation *)&preset; // anything but NULL
    trm_error error;
    options = options ? options : &preset;
    trm_status status = trm_simulation_create(&s, system, options, initial, &error);
    if (status == TRM_OK)
        trm_simulation_destroy(s);
    assert_status(status, should, &error);
    assert_null(s);
    assert_int_equal(error.status, should);
    assert_contains(error.text, part);
    // and without an error to fill in
    s = (trm_simulation *)&preset;
    assert_int_equal(trm_simulation_create(&s, system, options, initial, NULL), should);
    assert_null(s);
}

// The last state that a step reached.
enum { KEPT_SIZE = 16 };
typedef struct kept {
    int n_q;
    double t, q[KEPT_SIZE], v[KEPT_SIZE];
} kept;

static inline void keep(const trm_simulation *s, kept *k)
{
    const trm_state *state = trm_simulation_state(s);
    k->t = state->t;
    memcpy(k->q, state->q, (size_t)k->n_q * sizeof *k->q);
    memcpy(k->v, state->v, (size_t)k->n_q * sizeof *k->v);
}

// Steps to t_end or to a failure; *last is the state after the last good step.
static inline trm_status run_watched(trm_simulation *s, double t_end, kept *last)
{
    trm_status status = TRM_OK;
    keep(s, last);
    while (last->t < t_end) {
        status = trm_simulation_step(s, t_end, NULL);
        if (status != TRM_OK)
            break;
        keep(s, last);
    }
    return status;
}

// After a failure the state is the last good one, finite and readable.
static inline void assert_last_good(trm_simulation *s, const kept *last)
{
    const trm_state *state = trm_simulation_state(s);
    assert_true(state->t == last->t);
    assert_memory_equal(state->q, last->q, (size_t)last->n_q * sizeof *last->q);
    assert_memory_equal(state->v, last->v, (size_t)last->n_q * sizeof *last->v);
    for (int i = 0; i < last->n_q; i++)
        assert_true(isfinite(state->q[i]) && isfinite(state->v[i]));
    const trm_error *error = trm_simulation_error(s);
    assert_true(error->t == last->t);
}

// Steps to a failure with this status; its text must contain `part`.
static inline void assert_run_fails(trm_simulation *s, int n_q, double t_end, trm_status should,
                                    const char *part)
{
    kept last = {.n_q = n_q};
    trm_status status = run_watched(s, t_end, &last);
    assert_status(status, should, trm_simulation_error(s));
    assert_int_equal(trm_simulation_error(s)->status, should);
    assert_contains(trm_simulation_error(s)->text, part);
    assert_last_good(s, &last);
}

#endif
