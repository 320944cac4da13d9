// SPDX-License-Identifier: Apache-2.0
// With W = diag(M) times the weight of a guess, p the rows and z = (G W^-1 G^T + mu)^-1 (..):
//
//     far     dq = -W^-1 G^T z of p, limited; mu grows while |p| does not fall
//     near     q = q0 - W^-1 G^T z of (p + G (q0 - q)): the nearest position
//     rates    v -= W^-1 G^T z of (G v + g_t)
//
// What is kept has W^-1 = 0. The smallest mu is there for redundant rows: where they do not
// contradict, it changes nothing. z comes with the step from a sparse saddle,
//
//     [ I           W^-1/2 G^T ] [ W^1/2 dq ]   [  0 ]
//     [ G W^-1/2    -mu        ] [ z        ] = [ -p ]
#include "modelling/multibody/assembly.h"
#include "modelling/multibody/rows/relation.h"

#include "base/error.h"
#include "modelling/multibody/recursion.h"
#include "solver/linear/solver.h" // sparse factors of the saddle: see check_includes.sh

#include <limits.h>
#include <math.h>
#include <string.h>

enum { MAX_ITERATIONS = 100 };
// rows in parts of the size of the mechanism: small enough for the nearest position, and closed
static const double NEAR = 1e-3, CLOSED = 1e-10;
// a step from far is at most so many radians, or parts of that size
static const double STEP = 0.5;
// changes of the nearest position below this may be roundoff
static const double ROUNDOFF = 1e-9;
// weights: of guesses against other coordinates, of nodes of beams against the largest of diag(M)
static const double GUESS = 100, STIFF = 1e6;
// the smallest mu, in parts of the mean of diag(G W^-1 G^T)
static const double SMALLEST = 1e-12;

typedef struct closing {
    const trmi_mechanism *mechanism;
    const trmi_tree *tree;
    const trmi_constraints *constraints;
    trmi_kinematics k;
    trmi_recursion recursion;
    trmi_row_workspace workspace;
    trm_state state;
    double length;                     // of the mechanism, 1 where it has none
    int n, m;                          // coordinates; holonomic rows, then velocity rows
    double *inverse[2];                // W^-1 of positions and of velocities
    double *value[TRM_QUANTITY_COUNT]; // where quantities are evaluated
    double *rows;                      // m
    double *from, *there, *step;       // n
    trmi_solver *saddle;
    double *unknown; // n + m
    bool overfull;   // there was no memory for its factors
} closing;

static const trm_quantity used[] = {TRM_QUANTITY_CONSTRAINT, TRM_QUANTITY_CONSTRAINT_Q,
                                    TRM_QUANTITY_CONSTRAINT_T, TRM_QUANTITY_ROLLING,
                                    TRM_QUANTITY_ROLLING_OFFSET};
enum { USED = sizeof used / sizeof *used };

// G, then A: their entries and their rows among all rows
typedef struct part {
    const trm_pattern *pattern;
    const double *value;
    int first;
} part;

static void list_parts(const closing *c, part out[2])
{
    const trmi_constraints *r = c->constraints;
    out[0] = (part){&r->G.pattern, c->value[TRM_QUANTITY_CONSTRAINT_Q], 0};
    out[1] = (part){&r->A.pattern, c->value[TRM_QUANTITY_ROLLING], r->n_g};
}

// the diagonal, G and A with their transposes
static bool create_saddle(closing *c, trmi_memory *memory)
{
    part parts[2];
    list_parts(c, parts);
    trmi_memory scratch;
    trmi_memory_init(&scratch, NULL);
    int order = c->n + c->m, count = order, *row = NULL, *col = NULL;
    size_t most = (size_t)order;
    for (int k = 0; k < 2; k++)
        most += 2 * (size_t)(parts[k].pattern->count > 0 ? parts[k].pattern->count : 0);
    bool good = most < INT_MAX && TRMI_TAKE(&scratch, row, most) && TRMI_TAKE(&scratch, col, most);
    for (int i = 0; good && i < order; i++)
        row[i] = col[i] = i;
    for (int k = 0; good && k < 2; k++)
        for (trmi_cursor at = trmi_pattern_begin(parts[k].pattern); at.k < parts[k].pattern->count;
             trmi_pattern_next(&at), count += 2) {
            row[count] = col[count + 1] = c->n + parts[k].first + at.row;
            col[count] = row[count + 1] = at.column;
        }
    if (good) {
        const trmi_structure structure = {
            .n = order, .count = count, .row = row, .col = col, .constraints = c->m};
        c->saddle = trmi_klu_create(memory, &structure);
    }
    trmi_memory_release_all(&scratch);
    return c->saddle != NULL;
}

static bool create(closing *c, trmi_memory *memory)
{
    const trmi_constraints *r = c->constraints;
    size_t n = (size_t)c->n, m = (size_t)c->m;
    const int counts[USED] = {r->n_g, r->G.pattern.count, r->n_g, r->A.pattern.count, r->n_a};
    for (int i = 0; i < USED; i++)
        if (!TRMI_TAKE(memory, c->value[used[i]], counts[i] > 0 ? counts[i] : 0))
            return false;
    return trmi_kinematics_create(&c->k, memory, c->tree, true) &&
           trmi_recursion_create(&c->recursion, memory, &c->k) &&
           trmi_row_workspace_create(&c->workspace, memory, r->max_columns) &&
           trmi_relation_work_create(&c->workspace.relation, memory, c->mechanism,
                                     r->max_columns) &&
           TRMI_TAKE(memory, c->inverse[0], n) && TRMI_TAKE(memory, c->inverse[1], n) &&
           TRMI_TAKE(memory, c->rows, m) && TRMI_TAKE(memory, c->unknown, n + m) &&
           TRMI_TAKE(memory, c->from, n) && TRMI_TAKE(memory, c->there, n) &&
           TRMI_TAKE(memory, c->step, n) && create_saddle(c, memory);
}

// ---- evaluation ----

// rows at q, and with G all that velocities need
static double evaluate(closing *c, const double *q, bool gradients)
{
    double *want[TRM_QUANTITY_COUNT] = {0};
    for (int i = 0; i < (gradients ? USED : 1); i++)
        want[used[i]] = c->value[used[i]];
    c->state.q = q;
    trmi_kinematics_move(&c->k, &c->state);
    trmi_constraints_evaluate(c->constraints, &c->workspace, &c->k, &c->state, want);
    return trmi_max_abs(c->value[TRM_QUANTITY_CONSTRAINT], c->constraints->n_g);
}

// rows += (G; A) x over the first m rows
static void add_product(const closing *c, int m, const double *x)
{
    part parts[2];
    list_parts(c, parts);
    for (int k = 0; k < 2 && parts[k].first < m; k++)
        for (trmi_cursor at = trmi_pattern_begin(parts[k].pattern); at.k < parts[k].pattern->count;
             trmi_pattern_next(&at))
            c->rows[parts[k].first + at.row] += parts[k].value[at.k] * x[at.column];
}

// 1 / (M_kk weight), 0 for what is kept; what has no mass moves most easily, beams hardly bend
static void weigh(closing *c)
{
    const trmi_tree *t = c->tree;
    double most = 0;
    trmi_recursion_composites(&c->recursion);
    for (int k = 0; k < t->columns; k++)
        most = fmax(
            most, trmi_power(c->k.s[k], trmi_inertia_times(&c->recursion.composite[k], c->k.s[k])));
    for (int k = 0; k < t->columns; k++) {
        const trmi_column *column = &t->column[k];
        if (column->coordinate == TRMI_NOTHING)
            continue;
        double M = trmi_power(c->k.s[k], trmi_inertia_times(&c->recursion.composite[k], c->k.s[k]));
        double inverse = 1 / fmax(M, 1e-6 * most);
        if (c->mechanism->body[column->body].carrier != TRMI_GROUND)
            inverse = 1 / (STIFF * most);
        trmi_start_value start = {0};
        if (column->joint != TRMI_NOTHING)
            start = trmi_start_of(&c->mechanism->joint[column->joint], column->measure);
        const bool given[2] = {start.given, start.rate_given};
        for (int i = 0; i < 2; i++)
            c->inverse[i][column->coordinate] = !given[i]    ? inverse
                                                : start.keep ? 0
                                                             : inverse / GUESS;
    }
}

// ---- solution ----

static double *entry(const closing *c, int row, int col)
{
    return &c->saddle->value[c->saddle->type->position(c->saddle, row, col)];
}

// the saddle of the first m rows, the others apart; returns the mean of diag(G W^-1 G^T)
static double fill(closing *c, int m, const double *inverse, double mu)
{
    part parts[2];
    double mean = 0;
    list_parts(c, parts);
    trmi_solver_clear(c->saddle);
    for (int k = 0; k < c->n; k++)
        *entry(c, k, k) = 1;
    for (int k = 0; k < 2 && parts[k].first < m; k++)
        for (trmi_cursor at = trmi_pattern_begin(parts[k].pattern); at.k < parts[k].pattern->count;
             trmi_pattern_next(&at)) {
            int row = c->n + parts[k].first + at.row;
            double G = parts[k].value[at.k] * sqrt(inverse[at.column]);
            *entry(c, row, at.column) = *entry(c, at.column, row) = G;
            mean += G * G / m;
        }
    for (int r = 0; r < c->m; r++)
        *entry(c, c->n + r, c->n + r) = r < m ? -fmax(mu, SMALLEST) * mean : -1;
    return mean;
}

// step = -W^-1 G^T (G W^-1 G^T + mu mean)^-1 rows over the first m rows; false: nothing can move
static bool solve(closing *c, int m, const double *inverse, double mu)
{
    if (!(fill(c, m, inverse, mu) > 0))
        return false;
    trmi_factor_status found = c->saddle->type->factor(c->saddle);
    c->overfull = found == TRMI_FACTOR_MEMORY;
    if (found != TRMI_FACTOR_OK)
        return false;
    for (int k = 0; k < c->n + c->m; k++)
        c->unknown[k] = k < c->n || k >= c->n + m ? 0 : -c->rows[k - c->n];
    c->saddle->type->solve(c->saddle, c->unknown, 1);
    for (int k = 0; k < c->n; k++)
        c->step[k] = sqrt(inverse[k]) * c->unknown[k];
    return true;
}

// at most half a radian, or half the size of the mechanism
static double limit(const closing *c)
{
    double most = 0;
    for (int k = 0; k < c->tree->columns; k++) {
        const trmi_column *column = &c->tree->column[k];
        double size = column->kind == TRMI_COLUMN_SLIDE ? c->length : 1;
        if (column->coordinate != TRMI_NOTHING)
            most = fmax(most, fabs(c->step[column->coordinate]) / (STEP * size));
    }
    return most > 1 ? 1 / most : 1;
}

// from far until |p| < enough, or until nothing helps
static double approach(closing *c, double *q, double size, double enough, int *iterations)
{
    double mu = 0;
    int m = c->constraints->n_g;
    while (size > enough && *iterations < MAX_ITERATIONS && mu < 1e6) {
        ++*iterations;
        evaluate(c, q, true);
        memcpy(c->rows, c->value[TRM_QUANTITY_CONSTRAINT], (size_t)m * sizeof *c->rows);
        if (!solve(c, m, c->inverse[0], mu))
            break;
        double part = limit(c);
        for (int k = 0; k < c->n; k++)
            c->there[k] = q[k] + part * c->step[k];
        double next = evaluate(c, c->there, false);
        if (next < size) {
            memcpy(q, c->there, (size_t)c->n * sizeof *q);
            size = next;
            mu *= 0.1;
        } else if (size < CLOSED * c->length) {
            break; // roundoff
        } else
            mu = fmax(10 * mu, 1e-3);
    }
    return size;
}

// to the nearest position, seen from the start; q stays as it is where that does not converge
static void come_near(closing *c, double *q, double size, int *iterations)
{
    int m = c->constraints->n_g;
    double *best = c->there, change = 1, before = HUGE_VAL;
    memcpy(best, q, (size_t)c->n * sizeof *best);
    for (int i = 0; i < MAX_ITERATIONS / 2 && change > 1e-13; i++) {
        if (change < ROUNDOFF && change > 0.5 * before)
            break; // it no longer falls
        before = change;
        ++*iterations;
        double now = evaluate(c, best, true);
        if (!(now <= 10 * size + NEAR * c->length))
            return;
        memcpy(c->rows, c->value[TRM_QUANTITY_CONSTRAINT], (size_t)m * sizeof *c->rows);
        for (int k = 0; k < c->n; k++)
            c->step[k] = c->from[k] - best[k];
        add_product(c, m, c->step);
        if (!solve(c, m, c->inverse[0], 0))
            return;
        change = 0;
        for (int k = 0; k < c->n; k++) {
            double next = c->from[k] + c->step[k];
            change = fmax(change, fabs(next - best[k]));
            best[k] = next;
        }
    }
    if (evaluate(c, best, false) <= size)
        memcpy(q, best, (size_t)c->n * sizeof *q);
}

// G v + g_t, A v + a
static double evaluate_rates(closing *c, const double *v)
{
    int n_g = c->constraints->n_g;
    for (int r = 0; r < c->m; r++)
        c->rows[r] = r < n_g ? c->value[TRM_QUANTITY_CONSTRAINT_T][r]
                             : c->value[TRM_QUANTITY_ROLLING_OFFSET][r - n_g];
    add_product(c, c->m, v);
    return trmi_max_abs(c->rows, c->m);
}

static void assemble_rates(closing *c, const double *q, double *v, trmi_assembly *report)
{
    evaluate(c, q, true);
    report->rate_before = evaluate_rates(c, v);
    double now = report->rate_before, before = now > CLOSED * c->length ? HUGE_VAL : now;
    // the second pass removes the roundoff of the first
    for (int i = 0; i < 3 && now < before; i++) {
        if (!solve(c, c->m, c->inverse[1], 0))
            return;
        for (int k = 0; k < c->n; k++)
            v[k] += c->step[k];
        before = now;
        now = evaluate_rates(c, v);
    }
}

static trm_status assemble(closing *c, double *q, double *v, trmi_assembly *report,
                           trm_error *error)
{
    double length = c->length;
    memcpy(c->from, q, (size_t)c->n * sizeof *q);
    report->before = report->after = evaluate(c, q, true);
    weigh(c);
    if (report->before > CLOSED * length) {
        double size = approach(c, q, report->before, NEAR * length, &report->iterations);
        if (size <= NEAR * length)
            come_near(c, q, size, &report->iterations);
        approach(c, q, evaluate(c, q, false), 0, &report->iterations);
        report->after = evaluate(c, q, false);
        if (c->overfull)
            return TRM_OK;
        if (!(report->after <= 100 * CLOSED * length))
            return trmi_assembly_not_closed(c->mechanism, c->constraints,
                                            c->value[TRM_QUANTITY_CONSTRAINT], report, error);
    }
    int joint = trmi_constraints_overturned(c->constraints, &c->k, &c->state);
    if (joint != TRMI_NOTHING)
        return trmi_assembly_overturned(c->mechanism, joint, error);
    assemble_rates(c, q, v, report);
    return TRM_OK;
}

trm_status trmi_close_loops(const trmi_mechanism *mechanism, const trmi_tree *tree,
                            const trmi_constraints *constraints, trm_state state, double *q,
                            double *v, trmi_assembly *report, trm_error *error)
{
    closing c = {.mechanism = mechanism,
                 .tree = tree,
                 .constraints = constraints,
                 .state = state,
                 .length = mechanism->length > 0 ? mechanism->length : 1,
                 .n = tree->n_q,
                 .m = constraints->n_g + constraints->n_a};
    *report = (trmi_assembly){0};
    if (c.m == 0)
        return TRM_OK;
    trmi_memory scratch;
    trmi_memory_init(&scratch, NULL);
    c.state.v = v;
    trm_status status = create(&c, &scratch)
                            ? assemble(&c, q, v, report, error)
                            : trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the assembly");
    report->skipped = c.overfull;
    if (c.overfull)
        memcpy(q, c.from, (size_t)c.n * sizeof *q);
    trmi_solver_destroy(c.saddle);
    trmi_memory_release_all(&scratch);
    return status;
}
