// SPDX-License-Identifier: Apache-2.0
// Newton's method for a system at rest. Every iteration first takes z and the multipliers that come
// closest to balance, M a + G^T lambda = f with G a = 0, so that the forces M a that are left act
// along the constraints; then, with K + (G^T lambda)_q shifted by the mass where small motions are
// not driven back (saddle.h),
//
//     (dq, dx, dz, dlambda) = [..]^-1 (M a, c, -b, -g)        |dq| limited
//
// The shift turns the sign of the lowest stiffness, or raises it to TRMI_MIN_STATIC: far from an
// equilibrium the steps go downhill, as far as if the potential curved upwards. Where there is a
// potential (springs.c) it grows until |dq| is near its limit. A step that is shortened
// afterwards would not do: away from equilibrium the stiffness couples directions that no force
// turns, such as the spin of a rod about its own axis, with the others; with nothing but the shift
// to hold them the step along them may be any number of turns, and shortened to the limit it leaves
// nothing of the others.
//
// The mass matrix is the metric of all this, and any other one leads to the same equilibria. Where
// bodies are thin, roundoff and what is left of g turn them about their axes at accelerations that
// mean nothing. A search that fails is repeated with M + D, D_i the largest inertia of the body, as
// if it carried a ball; what is found is judged and reported with M.
#include "solver/analysis/statics.h"

#include "base/error.h"
#include "base/quantities.h"
#include "solver/analysis/linear_terms.h"
#include "solver/formulation/checked_evaluation.h"
#include "solver/formulation/redundancy.h"

#include <math.h>
#include <string.h>

enum { MAX_ITERATIONS = 300, MAX_HALVINGS = 8, MULTIPLIERS = 30 };
static const double SINGULAR = 1e-5;    // the same where the constraints lose rank
static const double STILL_DRIVEN = 0.8; // part of the power above which a step is too short
static const double BRIEF = 0.01;       // of a step: one that may be lengthened

// ---- balance ----

trm_status trmi_static_forces(trm_equilibrium *q, trm_error *error)
{
    trmi_evaluator *e = &q->e;
    trmi_point *p = &q->point;
    const uint64_t want = TRMI_POSITION_QUANTITIES | TRM_BIT(FORCE) | TRM_BIT(FORCE_Z) |
                          TRM_BIT(FORCE_LAMBDA) | TRM_BIT(ALGEBRAIC) | TRM_BIT(ALGEBRAIC_Z) |
                          TRM_BIT(ALGEBRAIC_LAMBDA);
    const bool springs = q->springs.used;
    trmi_saddle *saddle = springs ? trmi_springs_saddle(q) : &q->saddle;
    const trmi_manifold m = {.saddle = saddle, .scratch = &q->scratch};
    bool linear = !e->force_uses_lambda && e->n_z == 0, settled = false;
    double change = HUGE_VAL;
    memset(p->v, 0, (size_t)e->n_q * sizeof *p->v);
    memset(p->a, 0, (size_t)e->n_q * sizeof *p->a);
    if (springs)
        memcpy(q->springs.estimate, p->lambda, (size_t)e->n_r * sizeof *p->lambda);
    for (int i = 0; i < MULTIPLIERS && !settled; i++) {
        trm_status status = trmi_evaluate_checked(e, p, want, &q->values, error);
        if (status == TRM_OK)
            status = springs ? trmi_springs_factor_start(q, error)
                             : trmi_factor_start_checked(saddle, error);
        if (status != TRM_OK)
            return status;
        memset(q->values.of[TRM_QUANTITY_GAMMA], 0, (size_t)e->n_r * sizeof(double)); // at rest
        double before = change;
        change = trmi_acceleration_step(&m, p);
        // a second step takes back what relief did to the first
        settled = (linear && i >= springs) || trmi_acceleration_settled(change, before);
    }
    trmi_mass_product(&q->values, p->a, q->force);
    q->report.acceleration = trmi_largest_entry(p->a, e->n_q, &q->report.most_accelerated);
    if (springs)
        trmi_springs_balance(q);
    memset(p->a, 0, (size_t)e->n_q * sizeof *p->a);
    return settled ? TRM_OK
                   : trmi_error_set(error, TRM_ERR_NEWTON,
                                    "the multipliers at rest did not converge (last change %.3g)",
                                    change);
}

// Updates held values between iterations, as between steps; true: the meaning of the coordinates
// changed.
static bool settle(trm_equilibrium *q, trm_status *status, trm_error *error)
{
    trmi_evaluator *e = &q->e;
    const trm_system *u = &e->user;
    const trmi_point *p = &q->point;
    *status = TRM_OK;
    if (!u->settle)
        return false;
    trmi_expand_rows(e, p->lambda, q->lambda);
    const trm_state s = {p->t, p->q, p->v, p->a, p->x, p->z, q->lambda, q->values.input, e->held};
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

// q->before = (q, x, z, lambda) of the point
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

// the point = q->before + part q->step
static void move_point(trm_equilibrium *q, double part)
{
    const trmi_evaluator *e = &q->e;
    double *const value[] = {q->point.q, q->point.x, q->point.z, q->point.lambda};
    const int n[] = {e->n_q, e->n_x, e->n_z, e->n_r};
    for (int k = 0, first = 0; k < 4; first += n[k++])
        for (int i = 0; i < n[k]; i++)
            value[k][i] = q->before[first + i] + part * q->step[first + i];
}

// Moves by a part of the step, projects onto the constraints, also those that were dropped, and
// evaluates the forces there. With sparse matrices and no dropped rows, or with springs, the
// projection costs more than it gains and g is left to the next steps.
static trm_status try_step(trm_equilibrium *q, double part, trm_error *error)
{
    trmi_approach approach = {0};
    trm_status status = TRM_OK;
    bool back = q->e.n_g > 0 && !q->springs.used && (!q->sparse || q->e.n_r < q->e.n_r_full);
    move_point(q, part);
    if (back)
        status =
            trmi_evaluate_checked(&q->e, &q->point, TRMI_POSITION_QUANTITIES, &q->values, error);
    if (back && status == TRM_OK)
        status = trmi_approach_positions(&q->manifold, &q->point, &approach, error);
    if (back && status == TRM_OK)
        status = trmi_check_dropped_rows(&q->values, &q->point, error);
    return status == TRM_OK ? trmi_static_forces(q, error) : status;
}

// the search cannot go on: the error names the coordinate that accelerates most, and the reason
static trm_status search_ends(const trm_equilibrium *q, const trm_error *why, trm_error *error)
{
    char name[48];
    const char *what = trmi_name_q(&q->e, q->fastest_before, name, sizeof name);
    trmi_error_item(error, "%s", what);
    trmi_error_advise(error, "begin nearer to an equilibrium, or hold what tips over");
    return trmi_error_set(error, why->status == TRM_ERR_MEMORY ? TRM_ERR_MEMORY : TRM_ERR_NEWTON,
                          "the way downhill ends after %d iterations with %s accelerated by %.3g, "
                          "where %.120s",
                          q->report.iterations, what, q->max_before, why->text);
}

// A large shift, for one light body that tips over, makes the steps of all others short: as long as
// the forces at the end drive on nearly as hard as at the beginning, the step is doubled. part:
// that of the present point, whose status is returned.
static trm_status lengthen_step(trm_equilibrium *q, double part, double on, trm_error *error)
{
    const double max_part = TRMI_STATIC_LIMIT / fmax(trmi_static_measure(q, true), 1e-300);
    double size;
    trm_status status = TRM_OK;
    bool driven = on > 0 && trmi_static_power(q, &size) > STILL_DRIVEN * on;
    while (driven && 2 * part <= max_part) {
        trm_error ignored = *error;
        driven = try_step(q, 2 * part, &ignored) == TRM_OK &&
                 trmi_static_power(q, &size) > STILL_DRIVEN * on;
        if (driven)
            part *= 2;
        else
            status = try_step(q, part, error);
    }
    return status;
}

// Moves along the step; halves it where it fails or is too long: where the power of the forces at
// its end is opposite and more than half of that at its beginning.
static trm_status take_step(trm_equilibrium *q, trm_error *error)
{
    double size, on = trmi_static_power(q, &size), way = trmi_static_measure(q, true),
                 part = fmin(1, TRMI_STATIC_LIMIT / fmax(way, 1e-300));
    trm_status status = TRM_ERR_NEWTON;
    trm_error last = *error;
    // a step is not lengthened where rows were dropped, which must hold too, or g is left to later
    // steps
    bool exact = !q->sparse && !q->springs.used && q->e.n_r == q->e.n_r_full;
    // close to lost rank, where springs are used, powers are not reliable
    const double close = q->springs.used ? TRMI_STATIC_CLOSE : TRMI_STATIC_NOISE;
    bool far = true, brief = exact && way < BRIEF;
    keep_point(q);
    q->fastest_before = q->report.most_accelerated;
    q->max_before = q->report.acceleration;
    for (int halving = 0; halving <= MAX_HALVINGS && far; halving++, part *= 0.5) {
        last = *error;
        status = try_step(q, part, &last);
        far = status != TRM_OK || (trmi_static_power(q, &size) < -0.5 * fabs(on) && way > close);
    }
    if (status == TRM_OK && brief && way > TRMI_STATIC_NOISE)
        status = lengthen_step(q, 2 * part, on, &last); // part was halved once more
    if (status != TRM_OK)
        return search_ends(q, &last, error);
    if (settle(q, &status, error))
        return status == TRM_OK ? trmi_static_forces(q, error) : status;
    return status;
}

// the state whose rate is largest, if that exceeds the accelerations; -1: none
static int changing_state(const trm_equilibrium *q, double *rate)
{
    int state;
    *rate = trmi_largest_entry(q->values.of[TRM_QUANTITY_RATE], q->e.n_x, &state);
    return q->e.n_x > 0 && *rate > q->report.acceleration ? state : -1;
}

// What drifts on is what nothing holds, whatever else is accelerated meanwhile: steps were shifted
// all the way. Otherwise the way is too far, or leads nowhere.
static trm_status not_found(const trm_equilibrium *q, trm_error *error)
{
    const trm_equilibrium_report *r = &q->report;
    const trmi_evaluator *e = &q->e;
    char name[48], other[48];
    double rate;
    int state = changing_state(q, &rate), drift = trmi_static_farthest(q);
    const char *most = trmi_name_q(e, r->most_accelerated, other, sizeof other);
    if (state >= 0) {
        const char *what = trmi_name_unknown(e, e->n_q + state, name, sizeof name);
        trmi_error_item(error, "%s", what);
        trmi_error_advise(error, "at rest it must become 0; for a motion that goes on, "
                                 "equilibrium.speeds: start; or begin nearer to an equilibrium");
        return trmi_error_set(error, TRM_ERR_NEWTON,
                              "no equilibrium was found in %d iterations: the %s is still %.3g",
                              r->iterations, what, rate);
    }
    if (r->shifted < r->iterations) {
        trmi_error_item(error, "%s", most);
        trmi_error_advise(error, "begin nearer to an equilibrium; for a mechanism of bodies, try "
                                 "other coordinates (absolute, joint)");
        return trmi_error_set(error, TRM_ERR_NEWTON,
                              "no equilibrium was found in %d iterations: %s is still accelerated "
                              "by %.3g",
                              r->iterations, most, r->acceleration);
    }
    const char *what = trmi_name_q(e, drift, name, sizeof name);
    trmi_error_item(error, "%s", what);
    trmi_error_advise(error, "nothing holds it: add a spring, a stop or a joint, or hold it "
                             "(equilibrium.hold); or the way is too far: begin nearer");
    return trmi_error_set(error, TRM_ERR_NEWTON,
                          "no equilibrium was found in %d iterations: %s has moved by %.3g, and "
                          "goes on; the largest acceleration is %.3g, of %s",
                          r->iterations, what, q->point.q[drift] - q->origin[drift],
                          r->acceleration, most);
}

// Whether M a is small against its terms f and G^T lambda, or against its largest value so far: a
// correction may also be small because the stiffness grows without bounds, where a body tips over.
static bool balanced(trm_equilibrium *q, double most)
{
    trmi_evaluator *e = &q->e;
    double *work = trmi_scratch_take(&q->scratch, e->n_q);
    double parts = trmi_force_size(&q->values, q->point.lambda, work);
    trmi_scratch_release(&q->scratch, work);
    return trmi_max_abs(q->force, e->n_q) <= TRMI_STATIC_UNBALANCED * parts ||
           q->report.acceleration <= TRMI_STATIC_UNBALANCED * most;
}

// The matrices are singular: an equilibrium in a singular position, or an error with what was
// reached.
static trm_status end_singular(trm_equilibrium *q, double most, trm_error *error)
{
    trm_equilibrium_report *r = &q->report;
    char name[48];
    if (r->iterations > 0 && r->correction < SINGULAR && balanced(q, most)) {
        trmi_error_clear(error);
        r->undecided = "the constraints lose rank there";
        return TRM_OK;
    }
    if (r->iterations == 0)
        return TRM_ERR_SINGULAR;
    const trm_error why = *error;
    const char *what = trmi_name_q(&q->e, r->most_accelerated, name, sizeof name);
    trmi_error_item(error, "%s", what);
    trmi_error_advise(error, "begin nearer to an equilibrium; for a mechanism of bodies, try other "
                             "coordinates (absolute, joint)");
    return trmi_error_set(error, TRM_ERR_SINGULAR,
                          "%.150s; reached after %d iterations: last correction %.2g, %s is still "
                          "accelerated by %.3g",
                          why.text, r->iterations, r->correction, what, r->acceleration);
}

trm_status trmi_static_iterate(trm_equilibrium *q, trm_error *error)
{
    trm_equilibrium_report *r = &q->report;
    double before = HUGE_VAL, most = 0;
    memcpy(q->origin, q->point.q, (size_t)q->e.n_q * sizeof *q->origin);
    trm_status status = trmi_static_forces(q, error);
    while (status == TRM_OK && r->iterations < MAX_ITERATIONS) {
        most = fmax(most, r->acceleration);
        status = trmi_static_step(q, error);
        if (status != TRM_OK)
            return status == TRM_ERR_SINGULAR ? end_singular(q, most, error) : status;
        r->iterations++;
        r->correction = trmi_static_measure(q, false);
        q->max_correction = fmax(q->max_correction, r->correction);
        status = take_step(q, error);
        // against stiff forces what is left of the way matters still, as long as it becomes less;
        // a search that begins where it rests ends there
        bool falls = r->correction <= 0.5 * before, rests = r->iterations == 1;
        bool still = r->acceleration <= TRMI_AT_REST || rests || !falls;
        if (status != TRM_OK || (r->correction <= TRMI_STATIC_ENOUGH && still))
            return status;
        if (r->correction < TRMI_STATIC_NOISE && !falls)
            return balanced(q, most) ? TRM_OK : not_found(q, error);
        before = r->correction;
        if (!isfinite(before))
            break;
    }
    bool found = r->correction <= TRMI_STATIC_ENOUGH;
    return status == TRM_OK && !found ? not_found(q, error) : status;
}
