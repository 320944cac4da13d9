// SPDX-License-Identifier: Apache-2.0
// Steady motion: velocities are given, or found, and nothing accelerates along the constraints.
// With the equations of motion on these, y' = F(y) (linearisation.h), Newton's method solves
//
//     v'_i = 0,  x' = 0          for the independent positions, x, and the velocities to be found
//
//     S F_y dy = -S (v', x')     S: rows over their largest entry; dy the shortest solution
//
// Positions that nothing depends on, such as the distance travelled, stay what they are: their
// columns vanish.
#include "solver/analysis/statics.h"

#include "base/error.h"
#include "base/lapack.h"
#include "base/quantities.h"
#include "solver/analysis/linear_terms.h"
#include "solver/analysis/linearisation.h"
#include "solver/formulation/checked_evaluation.h"

#include <math.h>
#include <string.h>

enum { MAX_ITERATIONS = 60, MAX_HALVINGS = 10 };
static const double VANISHES = 1e-9; // part of a row that is roundoff

// One linearised system; all of it lives in `memory`.
typedef struct tangent_system {
    trmi_linearisation at;
    int rows, columns;
    int *unknown;     // columns: index in y
    double *row_size; // rows: largest entry
    double *residual; // rows: (v', x') over the row size, then the solution
    double *matrix;   // rows x columns
    trmi_memory memory;
} tangent_system;

// ---- evaluation ----

// positions onto the constraints, velocities as given, accelerations
static trm_status evaluate_at_speed(trm_equilibrium *q, trm_error *error)
{
    trmi_point *p = &q->point;
    trm_start_report ignored = q->start;
    memcpy(p->v, q->cruise, (size_t)q->e.n_q * sizeof *p->v);
    trm_status status = trmi_start_again(&q->manifold, p, &ignored, error);
    if (status == TRM_OK)
        status = trmi_evaluate_checked(&q->e, p, TRM_BIT(RATE) | TRM_BIT(FORCE), &q->values, error);
    q->report.acceleration = trmi_largest_entry(p->a, q->e.n_q, &q->report.most_accelerated);
    return status;
}

// |S (v', x')|, sum of squares
static double find_residual(const trm_equilibrium *q, const tangent_system *s, double *residual)
{
    double sum = 0;
    for (int i = 0; i < s->rows; i++) {
        double value = i < s->at.velocities ? q->point.a[s->at.velocity[i]]
                                            : q->values.of[TRM_QUANTITY_RATE][i - s->at.velocities];
        value /= s->row_size[i];
        sum += value * value;
        if (residual)
            residual[i] = value;
    }
    return sum;
}

// ---- the linear system ----

// the velocity that is to be found, among the independent ones
static trm_status find_rate(const trm_equilibrium *q, const trmi_linearisation *l, int coordinate,
                            int *place, trm_error *error)
{
    for (*place = 0; *place < l->velocities; ++*place)
        if (l->velocity[*place] == coordinate)
            return TRM_OK;
    char name[48];
    trmi_error_item(error, "%s", trmi_name_q(&q->e, coordinate, name, sizeof name));
    trmi_error_advise(error, "name the rate of another coordinate of that loop, or use coordinates "
                             "of joints");
    return trmi_error_set(error, TRM_ERR_OPTION,
                          "the rate of %s cannot be found: constraints express it by others", name);
}

// what a step of unknown k is measured with
static double unit_of(const trm_equilibrium *q, const tangent_system *s, int k)
{
    const trm_system *u = &q->e.user;
    int y = s->unknown[k], v = y - s->at.positions, x = v - s->at.velocities;
    if (x >= 0)
        return trmi_unknown_unit(u->x_scale, x, q->point.x[x]);
    if (v >= 0)
        return trmi_unknown_unit(u->v_scale, s->at.velocity[v], q->point.v[s->at.velocity[v]]);
    return trmi_q_unit(u, s->at.position[y], q->point.q[s->at.position[y]]);
}

// Whether v' stays 0 while the positions go on with their velocities; the row where it does not.
static int changing_row(const trm_equilibrium *q, const tangent_system *s)
{
    double speed = trmi_max_abs(q->point.v, q->e.n_q);
    size_t n = (size_t)s->at.n;
    for (int i = 0; i < s->at.velocities; i++) {
        double sum = 0;
        for (int j = 0; j < s->at.positions; j++)
            sum += s->at.matrix[n * (size_t)j + (size_t)(s->at.positions + i)] *
                   q->point.v[s->at.position[j]];
        if (fabs(sum) > TRMI_STATIC_UNBALANCED * speed * s->row_size[i])
            return i;
    }
    return -1;
}

static trm_status linearise(trm_equilibrium *q, tangent_system *s, trm_error *error)
{
    trm_status status = trmi_linearise(&s->at, &s->memory, &q->saddle, &q->point, error);
    if (status != TRM_OK)
        return status;
    int p = s->at.positions, count = 0;
    s->rows = s->at.n - p;
    s->columns = p + q->rates + q->e.n_x;
    size_t n = (size_t)s->at.n, rows = (size_t)s->rows;
    int larger = s->rows > s->columns ? s->rows : s->columns;
    if (!TRMI_TAKE(&s->memory, s->unknown, s->columns) ||
        !TRMI_TAKE(&s->memory, s->row_size, s->rows) ||
        !TRMI_TAKE(&s->memory, s->residual, larger) ||
        !TRMI_TAKE(&s->memory, s->matrix, rows * (size_t)s->columns))
        return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the steady motion");
    for (int i = 0; i < p; i++)
        s->unknown[count++] = i;
    for (int k = 0; k < q->rates && status == TRM_OK; k++) {
        int place;
        status = find_rate(q, &s->at, q->rate[k], &place, error);
        s->unknown[count++] = p + place;
    }
    for (int i = 0; i < q->e.n_x; i++)
        s->unknown[count++] = p + s->at.velocities + i;
    for (int i = 0; i < s->rows && status == TRM_OK; i++) {
        double largest = 0;
        for (int k = 0; k < s->columns; k++) {
            double entry =
                s->at.matrix[n * (size_t)s->unknown[k] + (size_t)(p + i)] * unit_of(q, s, k);
            s->matrix[rows * (size_t)k + (size_t)i] = entry;
            largest = fmax(largest, fabs(entry));
        }
        s->row_size[i] = largest > 0 ? largest : 1;
        for (int k = 0; k < s->columns; k++)
            s->matrix[rows * (size_t)k + (size_t)i] /= s->row_size[i];
    }
    return status;
}

// s->residual = the shortest dy / size
static trm_status solve(tangent_system *s, trm_error *error)
{
    int m = s->rows, n = s->columns, one = 1, rank, info = 0, length = -1, *pivot;
    int larger = m > n ? m : n;
    double best, *work;
    if (m == 0 || n == 0)
        return TRM_OK;
    bool memory = TRMI_TAKE(&s->memory, pivot, n);
    if (memory) {
        dgelsy_(&m, &n, &one, s->matrix, &m, s->residual, &larger, pivot, &VANISHES, &rank, &best,
                &length, &info);
        length = (int)best;
        memory = TRMI_TAKE(&s->memory, work, length);
    }
    if (!memory)
        return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the steady motion");
    for (int i = 0; i < m; i++)
        s->residual[i] = -s->residual[i];
    dgelsy_(&m, &n, &one, s->matrix, &m, s->residual, &larger, pivot, &VANISHES, &rank, work,
            &length, &info);
    return TRM_OK;
}

// ---- steps ----

// the state = q->before + part of the step; dq = N xi
static void move(trm_equilibrium *q, const tangent_system *s, const double *from_v, double part)
{
    const trmi_evaluator *e = &q->e;
    trmi_point *p = &q->point;
    memcpy(p->q, q->before, (size_t)e->n_q * sizeof *p->q);
    memcpy(p->x, q->before + e->n_q, (size_t)e->n_x * sizeof *p->x);
    memcpy(q->cruise, from_v, (size_t)e->n_q * sizeof *q->cruise);
    for (int k = 0; k < s->columns; k++) {
        int y = s->unknown[k], v = y - s->at.positions, x = v - s->at.velocities;
        double d = part * q->step[k];
        if (x >= 0)
            p->x[x] += d;
        else if (v >= 0)
            q->cruise[s->at.velocity[v]] += d;
        else
            for (int i = 0; i < e->n_q; i++)
                p->q[i] += d * s->at.q[(size_t)e->n_q * (size_t)y + (size_t)i];
    }
}

// Goes along the step, a part of it where the accelerations do not fall.
static trm_status take_step(trm_equilibrium *q, tangent_system *s, trm_error *error)
{
    const trmi_evaluator *e = &q->e;
    double before = find_residual(q, s, s->residual);
    trm_status status = solve(s, error);
    if (status != TRM_OK)
        return status;
    double *speed = q->before + e->n_q + e->n_x;
    memcpy(q->before, q->point.q, (size_t)e->n_q * sizeof *q->before);
    memcpy(q->before + e->n_q, q->point.x, (size_t)e->n_x * sizeof *q->before);
    memcpy(speed, q->cruise, (size_t)e->n_q * sizeof *speed);
    q->report.correction = trmi_max_abs(s->residual, s->columns);
    for (int k = 0; k < s->columns; k++)
        q->step[k] = s->residual[k] * unit_of(q, s, k);
    double part = fmin(1, TRMI_STATIC_LIMIT / fmax(q->report.correction, 1e-300));
    trm_error failed = *error;
    for (int halving = 0; halving <= MAX_HALVINGS; halving++, part *= 0.5) {
        failed = *error;
        move(q, s, speed, part);
        status = evaluate_at_speed(q, &failed);
        if (status == TRM_OK &&
            (q->report.correction < TRMI_STATIC_NOISE || find_residual(q, s, NULL) < before))
            return TRM_OK;
    }
    if (status != TRM_OK)
        *error = failed;
    return status; // the last point is as good as any
}

static trm_status not_steady(const trm_equilibrium *q, int coordinate, double left,
                             const char *what, trm_error *error)
{
    char name[48];
    trmi_error_item(error, "%s", trmi_name_q(&q->e, coordinate, name, sizeof name));
    trmi_error_advise(error, "hold that coordinate, find its rate, or a parameter that balances "
                             "it; or begin nearer");
    return trmi_error_set(error, TRM_ERR_NEWTON,
                          "no steady motion was found in %d iterations: %s %s %.3g",
                          q->report.iterations, name, what, left);
}

// M a is small against its terms, as for an equilibrium
static bool balanced(trm_equilibrium *q)
{
    trmi_evaluator *e = &q->e;
    double *work = trmi_scratch_take(&q->scratch, e->n_q);
    trmi_mass_product(&q->values, q->point.a, work);
    double sum = trmi_max_abs(work, e->n_q);
    double parts = trmi_force_size(&q->values, q->point.lambda, work);
    trmi_scratch_release(&q->scratch, work);
    return sum <= TRMI_STATIC_UNBALANCED * parts || q->report.acceleration <= 1e-9;
}

static trm_status judge(trm_equilibrium *q, const tangent_system *s, trm_error *error)
{
    const trm_equilibrium_report *r = &q->report;
    if (!balanced(q))
        return not_steady(q, r->most_accelerated, r->acceleration, "is still accelerated by",
                          error);
    int row = changing_row(q, s);
    if (row < 0)
        return TRM_OK;
    return not_steady(q, s->at.velocity[row], q->point.v[s->at.velocity[row]],
                      "does not keep its acceleration of 0 as the motion goes on, at the rate",
                      error);
}

trm_status trmi_steady_iterate(trm_equilibrium *q, trm_error *error)
{
    trm_equilibrium_report *r = &q->report;
    double before = HUGE_VAL;
    trm_status status = evaluate_at_speed(q, error);
    bool done = false;
    while (status == TRM_OK && !done && r->iterations < MAX_ITERATIONS) {
        tangent_system s = {.rows = 0};
        trmi_memory_init(&s.memory, &q->memory.allocator);
        status = linearise(q, &s, error);
        if (status == TRM_OK)
            status = take_step(q, &s, error);
        r->iterations++;
        done = r->correction <= TRMI_STATIC_ENOUGH ||
               (r->correction < TRMI_STATIC_NOISE && r->correction > 0.5 * before);
        before = r->correction;
        if (status == TRM_OK && done)
            status = judge(q, &s, error);
        trmi_memory_release_all(&s.memory);
    }
    if (status != TRM_OK || done)
        return status;
    return not_steady(q, r->most_accelerated, r->acceleration, "is still accelerated by", error);
}
