// SPDX-License-Identifier: Apache-2.0
// Newton's method for a system at rest. Every iteration first takes z and the multipliers that come
// closest to balance, M a + G^T lambda = f with G a = 0, so that the forces M a that are left act
// along the constraints; then, with K + (G^T lambda)_q shifted by the mass where small motions are
// not driven back (saddle.h),
//
//     (dq, dx, dz, dlambda) = [..]^-1 (M a, c, -b, -g)        |dq| limited
//
// The shift turns the sign of the least stiffness, or lifts it to LEAST: from afar the steps go
// downhill, and as far as if the hill were a valley.
#include "formulation/statics.h"

#include "base/error.h"
#include "formulation/checked.h"
#include "formulation/linearise.h"
#include "formulation/redundancy.h"

#include <math.h>
#include <string.h>

enum {
    MOST_COORDINATES = 1500,
    MOST_ITERATIONS = 300,
    MOST_HALVINGS = 8,
    MULTIPLIERS = 30,
    MOST_ROUNDS = 6
};
static const double LEAST = 1e-3;      // 1/s^2
static const double LIMIT = 0.3;       // of a step: radians, or parts of the size of a coordinate
static const double ENOUGH = 1e-11;    // correction at which the iteration has arrived,
static const double NOISE = 1e-7;      // and below which it may stand still for roundoff
static const double UNBALANCED = 1e-6; // of the forces, what may be left

// ---- balance ----

// excitations keep their values and stand still
static bool stop_excitations(trm_equilibrium *q)
{
    trmi_evaluator *e = &q->e;
    if (!TRMI_TAKE(&q->memory, q->standstill, 3 * e->n_u))
        return false;
    for (int i = e->n_u; i < 3 * e->n_u; i++)
        q->standstill[i] = -e->input[i];
    e->input_shift = q->standstill;
    e->input_time = NAN;
    return true;
}

// z, lambda and q->force = M a at the point; then v = a = 0
static trm_status find_forces(trm_equilibrium *q, trm_error *error)
{
    trmi_evaluator *e = &q->e;
    trmi_point *p = &q->point;
    const uint64_t want = TRMI_POSITION_QUANTITIES | TRM_BIT(TRM_FORCE) | TRM_BIT(TRM_FORCE_Z) |
                          TRM_BIT(TRM_FORCE_LAMBDA) | TRM_BIT(TRM_ALGEBRAIC) |
                          TRM_BIT(TRM_ALGEBRAIC_Z) | TRM_BIT(TRM_ALGEBRAIC_LAMBDA);
    bool linear = !e->force_uses_lambda && e->n_z == 0, settled = false;
    double change = HUGE_VAL;
    memset(p->v, 0, (size_t)e->n_q * sizeof *p->v);
    memset(p->a, 0, (size_t)e->n_q * sizeof *p->a);
    for (int i = 0; i < MULTIPLIERS && !settled; i++) {
        trm_status status = trmi_evaluate_checked(e, p, want, error);
        if (status == TRM_OK)
            status = trmi_factor_start_checked(&q->saddle, error);
        if (status != TRM_OK)
            return status;
        memset(e->block[TRM_GAMMA].value, 0, (size_t)e->n_r * sizeof(double)); // at rest
        double before = change;
        change = trmi_acceleration_step(&q->saddle, p, q->work);
        settled = linear || trmi_acceleration_settled(change, before);
    }
    trmi_mass_product(e, p->a, q->force);
    q->report.acceleration = 0;
    for (int i = 0; i < e->n_q; i++)
        if (fabs(p->a[i]) > q->report.acceleration) {
            q->report.acceleration = fabs(p->a[i]);
            q->report.most_accelerated = i;
        }
    memset(p->a, 0, (size_t)e->n_q * sizeof *p->a);
    return settled ? TRM_OK
                   : trmi_error_set(error, TRM_ERR_NEWTON,
                                    "the multipliers at rest did not converge (last change %.3g)",
                                    change);
}

// Held values between iterations, as between steps; true: the coordinates mean something else now.
static bool settle(trm_equilibrium *q, trm_status *status, trm_error *error)
{
    trmi_evaluator *e = &q->e;
    const trm_system *u = &e->user;
    const trmi_point *p = &q->point;
    *status = TRM_OK;
    if (!u->settle)
        return false;
    trmi_expand_rows(e, p->lambda, q->lambda);
    const trm_state s = {p->t, p->q, p->v, p->a, p->x, p->z, q->lambda, e->input, e->held};
    memcpy(q->held, e->held, (size_t)u->n_held * sizeof *q->held);
    int changed = u->settle(&s, q->held, u->user);
    bool moved = changed == 2;
    if (changed < 0 || (moved && (!u->reexpress ||
                                  u->reexpress(e->held, q->held, p->q, p->v, NULL, u->user) != 0)))
        *status = trmi_error_set(error, TRM_ERR_CALLBACK, "the coordinates cannot be re-expressed");
    else if (changed > 0)
        memcpy(e->held, q->held, (size_t)u->n_held * sizeof *q->held);
    return moved;
}

// ---- steps ----

static double size_of(const double *scale, const double *size, const double *value, int i)
{
    return size && size[i] > 0 ? size[i] : fmax(fabs(value[i]), scale ? scale[i] : 1);
}

// the largest part of a step, relative to the sizes; positions only, or all
static double measure(const trm_equilibrium *q, bool positions)
{
    const trmi_evaluator *e = &q->e;
    const trm_system *u = &e->user;
    const double *dx = q->step + e->n_q, *dz = dx + e->n_x;
    double largest = 0;
    for (int i = 0; i < e->n_q; i++)
        largest = fmax(largest, fabs(q->step[i]) / size_of(u->q_scale, u->q_size, q->point.q, i));
    for (int i = 0; i < e->n_x && !positions; i++)
        largest = fmax(largest, fabs(dx[i]) / size_of(u->x_scale, NULL, q->point.x, i));
    for (int i = 0; i < e->n_z && !positions; i++)
        largest = fmax(largest, fabs(dz[i]) / size_of(u->z_scale, NULL, q->point.z, i));
    return largest;
}

// (q, x, z, lambda) of the point to a list, or (with a step) the sum of both back
static void keep_point(trm_equilibrium *q)
{
    const trmi_evaluator *e = &q->e;
    const trmi_point *p = &q->point;
    double *to = q->before;
    memcpy(to, p->q, (size_t)e->n_q * sizeof *to);
    memcpy(to += e->n_q, p->x, (size_t)e->n_x * sizeof *to);
    memcpy(to += e->n_x, p->z, (size_t)e->n_z * sizeof *to);
    memcpy(to + e->n_z, p->lambda, (size_t)e->n_r * sizeof *to);
}

static void move_point(trm_equilibrium *q, double part)
{
    const trmi_evaluator *e = &q->e;
    double *const value[] = {q->point.q, q->point.x, q->point.z, q->point.lambda};
    const int n[] = {e->n_q, e->n_x, e->n_z, e->n_r};
    for (int k = 0, first = 0; k < 4; first += n[k++])
        for (int i = 0; i < n[k]; i++)
            value[k][i] = q->before[first + i] + part * q->step[first + i];
}

// what the forces do along the step
static double power(const trm_equilibrium *q)
{
    double sum = 0;
    for (int i = 0; i < q->e.n_q; i++)
        sum += q->force[i] * q->step[i];
    return sum;
}

// q->step from the forces and matrices at the point
static trm_status find_step(trm_equilibrium *q, trm_error *error)
{
    trmi_evaluator *e = &q->e;
    const uint64_t want = trmi_saddle_derivatives(&q->saddle) | TRMI_POSITION_QUANTITIES |
                          TRM_BIT(TRM_RATE) | TRM_BIT(TRM_ALGEBRAIC);
    trm_status status = trmi_evaluate_checked(e, &q->point, want, error);
    if (status == TRM_OK)
        status = trmi_reduced_stiffness(&q->reduced, &q->saddle, error);
    if (status != TRM_OK)
        return status;
    double lowest = HUGE_VAL;
    for (int i = 0; i < q->reduced.split.p; i++)
        lowest = fmin(lowest, q->reduced.eigen.real[i]);
    double shift = lowest < LEAST ? LEAST + fmax(-lowest, 0) - lowest : 0;
    q->report.shifted += shift > 0;
    if (trmi_saddle_factor_rest(&q->saddle, shift) != TRMI_FACTOR_OK)
        return trmi_error_set(error, TRM_ERR_SINGULAR,
                              "states or algebraic variables have no value at rest: the matrix of "
                              "the equilibrium is singular");
    double *x = q->step + e->n_q, *z = x + e->n_x, *rows = z + e->n_z;
    memcpy(q->step, q->force, (size_t)e->n_q * sizeof *q->step);
    for (int i = 0; i < e->n_x; i++)
        x[i] = e->block[TRM_RATE].value[i] / TRMI_REST_RATE;
    for (int i = 0; i < e->n_z; i++)
        z[i] = -e->block[TRM_ALGEBRAIC].value[i];
    for (int i = 0; i < e->n_r; i++)
        rows[i] = i < e->n_g ? -trmi_position_level(e)[i] : 0;
    trmi_saddle_solve(&q->saddle, q->step, 1);
    return TRM_OK;
}

// to a part of the step, back onto the constraints, also those that were dropped, and the forces
// there
static trm_status try_step(trm_equilibrium *q, double part, trm_error *error)
{
    trmi_approach approach = {0};
    trm_status status = TRM_OK;
    move_point(q, part);
    if (q->e.n_g > 0)
        status = trmi_evaluate_checked(&q->e, &q->point, TRMI_POSITION_QUANTITIES, error);
    if (q->e.n_g > 0 && status == TRM_OK)
        status = trmi_approach_positions(&q->projection, &q->point, &approach, error);
    if (status == TRM_OK)
        status = trmi_check_dropped_rows(&q->e, &q->point, error);
    return status == TRM_OK ? find_forces(q, error) : status;
}

// Goes along the step; halves it where it leads nowhere, or too far: where the forces at its end
// drive back harder than half of what they drove on with.
static trm_status take_step(trm_equilibrium *q, trm_error *error)
{
    double on = power(q), part = fmin(1, LIMIT / fmax(measure(q, true), 1e-300));
    trm_status status = TRM_ERR_NEWTON;
    trm_error last = *error;
    bool far = true;
    keep_point(q);
    for (int halving = 0; halving <= MOST_HALVINGS && far; halving++, part *= 0.5) {
        last = *error;
        status = try_step(q, part, &last);
        far = status != TRM_OK || (power(q) < -0.5 * fabs(on) && q->report.correction > NOISE);
    }
    if (status != TRM_OK) {
        *error = last;
        return status;
    }
    if (settle(q, &status, error))
        return status == TRM_OK ? find_forces(q, error) : status;
    return status;
}

static trm_status not_found(const trm_equilibrium *q, trm_error *error)
{
    const trm_equilibrium_report *r = &q->report;
    const trmi_evaluator *e = &q->e;
    char name[48];
    double rate = trmi_max_abs(e->block[TRM_RATE].value, e->n_x);
    int i = r->most_accelerated;
    if (e->n_x > 0 && rate > r->acceleration)
        for (i = e->n_q; fabs(e->block[TRM_RATE].value[i - e->n_q]) < rate; i++)
            ;
    const char *what = i < e->n_q ? trmi_name_q(e, i, name, sizeof name)
                                  : trmi_name_unknown(e, i, name, sizeof name);
    trmi_error_item(error, "%s", what);
    trmi_error_advise(error, "%s",
                      r->shifted == r->iterations && i < e->n_q
                          ? "nothing holds it: add a spring, a stop or a joint"
                          : "begin nearer to an equilibrium");
    return trmi_error_set(error, TRM_ERR_NEWTON,
                          "no equilibrium was found in %d iterations: %s %s %.3g", r->iterations,
                          what, i < e->n_q ? "is still accelerated by" : "changes at the rate",
                          i < e->n_q ? r->acceleration : rate);
}

// M a is small against what it is the sum of, f and G^T lambda: a correction may also be small
// because the stiffness grows without bounds, as where a body tips over
static bool balanced(trm_equilibrium *q)
{
    trmi_evaluator *e = &q->e;
    double parts = trmi_max_abs(e->block[TRM_FORCE].value, e->n_q);
    memset(q->work, 0, (size_t)e->n_q * sizeof *q->work);
    trmi_add_constraint_force(e, q->point.lambda, 1, q->work);
    parts = fmax(parts, trmi_max_abs(q->work, e->n_q));
    return trmi_max_abs(q->force, e->n_q) <= UNBALANCED * parts || q->report.acceleration < ENOUGH;
}

static trm_status iterate(trm_equilibrium *q, trm_error *error)
{
    trm_equilibrium_report *r = &q->report;
    double before = HUGE_VAL;
    trm_status status = find_forces(q, error);
    while (status == TRM_OK && r->iterations < MOST_ITERATIONS) {
        status = find_step(q, error);
        if (status != TRM_OK)
            return status;
        r->iterations++;
        r->correction = measure(q, false);
        status = take_step(q, error);
        bool stalled = r->correction < NOISE && r->correction > 0.5 * before;
        if (status == TRM_OK && (r->correction <= ENOUGH || stalled))
            return balanced(q) ? TRM_OK : not_found(q, error);
        before = r->correction;
        if (!isfinite(before))
            break;
    }
    return status == TRM_OK ? not_found(q, error) : status;
}

// ---- all of it ----

static trm_status prepare(trm_equilibrium *q, const trm_system *system, const trm_initial *at,
                          trm_error *error)
{
    trmi_evaluator *e = &q->e;
    trm_initial rest = *at;
    rest.v = NULL;
    q->options.start = TRM_START_PROJECT;
    if (system->n_q > MOST_COORDINATES)
        return trmi_error_set(error, TRM_ERR_OPTION,
                              "%d coordinates are too many for an equilibrium, whose stiffness is "
                              "a dense matrix (%d)",
                              system->n_q, MOST_COORDINATES);
    trm_status status = trmi_evaluator_create(e, &q->memory, system, trmi_linearise_quantities(),
                                              &rest, &q->statistics, error);
    if (status != TRM_OK)
        return status;
    int n = e->n_q + e->n_x + e->n_z + e->n_r + 1;
    if (!trmi_point_create(&q->point, &q->memory, e) || !TRMI_TAKE(&q->memory, q->work, 2 * n) ||
        !TRMI_TAKE(&q->memory, q->force, n) || !TRMI_TAKE(&q->memory, q->step, n) ||
        !TRMI_TAKE(&q->memory, q->before, n) ||
        !TRMI_TAKE(&q->memory, q->lambda, e->n_r_full + 1) ||
        !TRMI_TAKE(&q->memory, q->held, e->user.n_held) ||
        !trmi_projection_create(&q->projection, &q->memory, e, &q->options))
        return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the equilibrium");
    trmi_point_set(&q->point, e, &rest);
    q->saddle.e = e;
    q->projection.saddle = &q->saddle;
    status = trmi_start(&q->projection, &q->memory, true, &q->point, q->work, &q->start, error);
    if (status != TRM_OK)
        return status;
    if (!stop_excitations(q) || !trmi_reduced_create(&q->reduced, e, &q->memory))
        return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the equilibrium");
    return TRM_OK;
}

// the report, the directions and the state where the iteration ended
static trm_status conclude(trm_equilibrium *q, trm_error *error)
{
    trmi_evaluator *e = &q->e;
    const trmi_point *p = &q->point;
    int shifted = q->report.shifted;
    trm_status status = find_step(q, error); // for the stiffness there
    q->report.shifted = shifted;
    if (status != TRM_OK)
        return status;
    q->report.redundant = q->start.redundant;
    q->report.constraint = trmi_max_abs(e->block[TRM_CONSTRAINT].value, e->n_g);
    q->report.rate = trmi_max_abs(e->block[TRM_RATE].value, e->n_x);
    trmi_full_multipliers(e, &q->memory, p, q->lambda);
    q->state = (trm_state){
        p->t, p->q, p->v, p->a, p->x, p->z, q->lambda, e->n_u ? e->input : NULL, e->held};
    return trmi_describe_directions(q, error);
}

// Looks from one start; *out is there after failures too, for the point where they happened, unless
// there was no memory for it.
static trm_status search_from(trm_equilibrium **out, const trm_system *system,
                              const trm_options *options, const trm_initial *at, trm_error *error)
{
    trmi_memory memory;
    trmi_memory_init(&memory, &options->allocator);
    trm_equilibrium *q;
    *out = NULL;
    if (!TRMI_TAKE(&memory, q, 1))
        return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the equilibrium");
    q->memory = memory;
    q->options = *options;
    *out = q;
    trm_status status = prepare(q, system, at, error);
    if (status != TRM_OK)
        return status;
    status = iterate(q, error);
    return status == TRM_OK ? conclude(q, error) : status;
}

// A copy of where a search ended, in `memory`: the start of the next.
static bool continue_from(const trm_equilibrium *q, trmi_memory *memory, trm_system *system,
                          trm_initial *at)
{
    const trmi_evaluator *e = &q->e;
    const trmi_point *p = &q->point;
    double *x[] = {p->q, p->x, p->z, e->held};
    const int n[] = {e->n_q, e->n_x, e->n_z, e->user.n_held};
    double *copy[4];
    for (int k = 0; k < 4; k++) {
        if (!TRMI_TAKE(memory, copy[k], n[k]))
            return false;
        memcpy(copy[k], x[k], (size_t)n[k] * sizeof *copy[k]);
    }
    *at = (trm_initial){.t = p->t, .q = copy[0], .x = copy[1], .z = copy[2]};
    system->held = copy[3];
    return true;
}

// Rows that follow from others where the search begins may do so less well where it ends: it is
// repeated from there, with others dropped.
static trm_status search(trm_equilibrium **out, const trm_system *given, const trm_options *options,
                         const trm_initial *start, trm_error *error)
{
    trm_system system = *given;
    trm_initial at = *start;
    trmi_memory memory;
    trmi_memory_init(&memory, &options->allocator);
    int iterations = 0, shifted = 0;
    trm_status status = TRM_OK;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        trmi_error_clear(error);
        status = search_from(out, &system, options, &at, error);
        if (!*out)
            break;
        iterations = (*out)->report.iterations += iterations;
        shifted = (*out)->report.shifted += shifted;
        bool again = (*out)->start.redundant > 0 && round + 1 < MOST_ROUNDS &&
                     (round == 0 || status != TRM_OK || (*out)->report.correction > ENOUGH);
        if (!again || !continue_from(*out, &memory, &system, &at))
            break;
        trm_equilibrium_destroy(*out);
    }
    trmi_memory_release_all(&memory);
    return status;
}

trm_status trm_equilibrium_create(trm_equilibrium **out, const trm_system *system,
                                  const trm_options *options, const trm_initial *at,
                                  trm_error *error)
{
    *out = NULL;
    trm_error local;
    error = error ? error : &local;
    const trm_initial origin = {0};
    at = at ? at : &origin;
    trm_status status = trmi_check_given(system, options, at, error);
    if (status == TRM_OK)
        status = search(out, system, options, at, error);
    if (status != TRM_OK) {
        trm_equilibrium_destroy(*out);
        *out = NULL;
    }
    return status;
}

void trm_equilibrium_destroy(trm_equilibrium *q)
{
    if (!q)
        return;
    trmi_saddle_destroy(&q->saddle);
    trmi_reduced_destroy(&q->reduced);
    trmi_memory memory = q->memory; // q itself lives in it
    trmi_memory_release_all(&memory);
}

const trm_state *trm_equilibrium_state(const trm_equilibrium *q)
{
    return &q->state;
}

const trm_equilibrium_report *trm_equilibrium_about(const trm_equilibrium *q)
{
    return &q->report;
}

const trm_static_direction *trm_equilibrium_direction(const trm_equilibrium *q, int index)
{
    return index >= 0 && index < q->report.mobility ? &q->direction[index] : NULL;
}
