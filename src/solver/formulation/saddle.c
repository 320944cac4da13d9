// SPDX-License-Identifier: Apache-2.0
// The numbers of the saddle matrix: coefficients of a step, factors, solutions.
#include "solver/formulation/saddle_terms.h"

#include "solver/linear/nullspace.h"

#include <limits.h>
#include <math.h>
#include <string.h>

// relative pivot below which the constraints are about to lose rank
static const double SINGULAR_PIVOT = 1e-3;

static void add_terms(const trmi_saddle *s, double *restrict value, const trmi_scatter *list,
                      int begin, int end)
{
    for (int k = begin; k < end; k++) {
        double c = list[k].sign * s->coefficient[list[k].coefficient];
        const double *from = s->values->of[list[k].quantity];
        if (c != 0 && from)
            trmi_scatter_add(&list[k], from, 0, INT_MAX, c, value);
    }
}

static int constraint_scatters(const trmi_saddle *s)
{
    int k = 0;
    while (k < s->scatter_count &&
           (s->scatter[k].quantity == TRMI_TOTAL || s->scatter[k].quantity == TRM_QUANTITY_ROLLING))
        k++;
    return k;
}

bool trmi_saddle_prepare(trmi_saddle *s)
{
    if (!trmi_is_nullspace(s->solver))
        return true;
    trmi_solver_clear(s->solver);
    s->coefficient[ONE] = 1;
    add_terms(s, s->solver->value, s->scatter, 0, constraint_scatters(s));
    return trmi_nullspace_split(s->solver);
}

const trmi_split *trmi_saddle_split(const trmi_saddle *s)
{
    return trmi_is_nullspace(s->solver) ? trmi_nullspace_get_split(s->solver) : NULL;
}

void trmi_saddle_multipliers(const trmi_saddle *s, const double *r, double *lambda)
{
    const trmi_split *split = trmi_saddle_split(s);
    for (int j = 0; j < split->m; j++)
        lambda[j] = -r[split->dependent[j]];
    trmi_split_solve_transposed(split, lambda);
}

static void add_diagonal(const trmi_solver *solver, double *value, int i, double number)
{
    value[solver->type->position(solver, i, i)] += number;
}

static void fill(trmi_saddle *s, trmi_solver *solver, const trmi_scatter *list, int count)
{
    const trmi_evaluator *e = s->e;
    trmi_solver_clear(solver);
    add_terms(s, solver->value, list, 0, count);
    int ones = e->n_x + (s->z_apart ? e->n_z : 0); // rows of x, and of z where b_z is left out
    for (int i = 0; i < ones; i++)
        add_diagonal(solver, solver->value, e->n_q + i, 1);
    for (int i = 0; i < e->n_q && s->diagonal; i++)
        add_diagonal(solver, solver->value, i, s->diagonal[i]);
    for (int i = 0; i < e->n_r && s->constraint_diagonal; i++)
        add_diagonal(solver, solver->value, s->n - e->n_r + i, -s->constraint_diagonal[i]);
}

// the terms while the matrix is filled part by part
typedef struct filling {
    const trmi_saddle *s;
    const trmi_scatter *list;
    double *value;
    int count, next[TRMI_SADDLE_TERMS]; // runs
} filling;

static void fill_part(void *user, int begin, int end)
{
    filling *f = user;
    memset(f->value + begin, 0, (size_t)(end - begin) * sizeof *f->value);
    for (int k = 0; k < f->count; k++) {
        double c = f->list[k].sign * f->s->coefficient[f->list[k].coefficient];
        const double *from = f->s->values->of[f->list[k].quantity];
        if (c != 0 && from)
            f->next[k] = trmi_scatter_add(&f->list[k], from, f->next[k], end, c, f->value);
    }
}

// x: the right-hand side that comes next, or NULL
static trmi_factor_status factor_with(trmi_saddle *s, trmi_solver *solver, const trmi_scatter *list,
                                      int count, double *x)
{
    s->factored = solver;
    s->started_rhs = NULL;
    if (!solver->type->factor_filled || s->e->n_x + s->e->n_z > 0 || s->diagonal) {
        fill(s, solver, list, count);
        return solver->type->factor(solver);
    }
    filling f = {.s = s, .list = list, .value = solver->value, .count = count};
    trmi_factor_status status = solver->type->factor_filled(solver, fill_part, &f, x);
    s->started_rhs = status == TRMI_FACTOR_OK ? x : NULL;
    return status;
}

// Takes memory in a step, once: the sparse factors of a large machine are several times as large as
// those of the block solver, and most runs never need them.
static bool create_reserve(trmi_saddle *s)
{
    if (s->reserve || trmi_saddle_create_solver(s, TRM_SOLVER_SPARSE, &s->reserve,
                                                s->reserve_scatter, &s->reserve_count))
        return true;
    trmi_solver_destroy(s->reserve);
    s->reserve = NULL;
    return false;
}

// The block solver checks signs. A wrong one can come from large compressive multipliers at a large
// step, or from lost rank: KLU, which pivots, decides which.
static trmi_factor_status factor_for(trmi_saddle *s, double *x)
{
    bool block = trmi_is_block(s->solver);
    if (!block || !s->unsymmetric) {
        trmi_factor_status status = factor_with(s, s->solver, s->scatter, s->scatter_count, x);
        if (status == TRMI_FACTOR_OK || !block)
            return status;
    }
    if (!create_reserve(s))
        return TRMI_FACTOR_MEMORY;
    return factor_with(s, s->reserve, s->reserve_scatter, s->reserve_count, NULL);
}

static trmi_factor_status factor(trmi_saddle *s)
{
    return factor_for(s, NULL);
}

static void choose_step(trmi_saddle *s, trmi_leading lead)
{
    double *c = s->coefficient, cv = lead.cv, ca = lead.ca;
    c[METRIC_C] = 0;
    s->z_apart = false;
    s->diagonal = NULL;
    c[ONE] = c[MASS_C] = c[ALG_C] = c[ALG_Z_C] = c[FORCE_L_C] = 1;
    c[DAMPING_C] = c[RATE_C] = 1 / ca;
    c[RATE_V_C] = cv / ca;
    c[STIFFNESS_C] = c[FORCE_C] = 1 / (cv * ca);
    c[RATE_L_C] = c[ALG_V_C] = cv;
    c[ALG_L_C] = cv * ca;
}

trmi_factor_status trmi_saddle_factor(trmi_saddle *s, trmi_leading lead)
{
    choose_step(s, lead);
    return factor(s);
}

trmi_factor_status trmi_saddle_factor_for(trmi_saddle *s, trmi_leading lead, double *x,
                                          bool *intact)
{
    choose_step(s, lead);
    trmi_factor_status status = factor_for(s, x);
    *intact = s->started_rhs || s->unsymmetric || !trmi_is_block(s->solver);
    return status;
}

static void choose_start(trmi_saddle *s)
{
    memset(s->coefficient, 0, sizeof s->coefficient);
    double *c = s->coefficient;
    s->z_apart = false;
    s->diagonal = NULL;
    c[ONE] = c[MASS_C] = c[FORCE_C] = c[ALG_L_C] = c[ALG_Z_C] = c[FORCE_L_C] = 1;
}

trmi_factor_status trmi_saddle_factor_start(trmi_saddle *s)
{
    choose_start(s);
    return factor(s);
}

trmi_factor_status trmi_saddle_try_start(trmi_saddle *s)
{
    choose_start(s);
    return factor_with(s, s->solver, s->scatter, s->scatter_count, NULL);
}

// of the norm of projections
static int metric_coefficient(const trmi_saddle *s)
{
    return trmi_has_metric(s->e) ? METRIC_C : MASS_C;
}

trmi_factor_status trmi_saddle_factor_projection(trmi_saddle *s, const double *diagonal)
{
    memset(s->coefficient, 0, sizeof s->coefficient);
    s->coefficient[ONE] = 1;
    s->coefficient[metric_coefficient(s)] = diagonal ? 0 : 1;
    s->z_apart = true;
    s->diagonal = diagonal;
    return factor(s);
}

static void choose_rest(trmi_saddle *s, double shift)
{
    memset(s->coefficient, 0, sizeof s->coefficient);
    double *c = s->coefficient;
    s->z_apart = false;
    s->diagonal = NULL;
    c[ONE] = c[STIFFNESS_C] = c[FORCE_C] = c[FORCE_L_C] = 1;
    c[ALG_C] = c[ALG_L_C] = c[ALG_Z_C] = 1;
    c[MASS_C] = shift;
    c[RATE_C] = c[RATE_L_C] = 1 / TRMI_REST_RATE;
}

trmi_factor_status trmi_saddle_factor_rest(trmi_saddle *s, double shift)
{
    choose_rest(s, shift);
    return factor(s);
}

trmi_factor_status trmi_saddle_try_rest(trmi_saddle *s, double shift)
{
    choose_rest(s, shift);
    return factor_with(s, s->solver, s->scatter, s->scatter_count, NULL);
}

bool trmi_saddle_has_part(const trmi_saddle *s, int power)
{
    bool present = power == 0;
    for (int k = 0; k < s->scatter_count; k++)
        present = present || trmi_saddle_power(s->scatter[k].coefficient) == power;
    return present;
}

bool trmi_saddle_part(trmi_saddle *s, int power, double *value)
{
    const trmi_evaluator *e = s->e;
    memset(s->coefficient, 0, sizeof s->coefficient);
    for (int k = 0; k < COEFFICIENTS; k++)
        s->coefficient[k] = trmi_saddle_power(k) == power;
    memset(value, 0, (size_t)s->solver->value_count * sizeof *value);
    add_terms(s, value, s->scatter, 0, s->scatter_count);
    for (int i = 0; i < e->n_x && power == 0; i++)
        add_diagonal(s->solver, value, e->n_q + i, 1);
    return trmi_saddle_has_part(s, power);
}

// scratch = (P - P^T)/2 where a place serves two entries
static void add_halves(const trmi_solver *solver, const trmi_matrix *b, double *restrict scratch)
{
    for (trmi_cursor at = trmi_pattern_begin(&b->pattern); at.k < b->count; trmi_pattern_next(&at))
        if (at.row != at.column)
            scratch[solver->type->position(solver, at.row, at.column)] +=
                (at.row > at.column ? 0.5 : -0.5) * b->value[at.k];
}

// the largest of them, which then are 0 again
static double largest_half(const trmi_solver *solver, const trmi_matrix *b, const double *mass,
                           double *restrict scratch)
{
    double largest = 0;
    for (trmi_cursor at = trmi_pattern_begin(&b->pattern); at.k < b->count;
         trmi_pattern_next(&at)) {
        int place = solver->type->position(solver, at.row, at.column);
        double inertia = sqrt(mass[at.row] * mass[at.column]);
        if (at.row == at.column || scratch[place] == 0)
            continue;
        largest = fmax(largest, fabs(scratch[place]) / inertia);
        scratch[place] = 0;
    }
    return largest;
}

double trmi_saddle_asymmetry(const trmi_saddle *s, int power, const double *mass, double *scratch)
{
    double largest = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < s->scatter_count; k++) {
            const trmi_scatter *t = &s->scatter[k];
            if (t->coefficient == ONE || trmi_saddle_power(t->coefficient) != power)
                continue; // G is entered once
            const trmi_matrix b = trmi_matrix_of(s->values, t->quantity);
            if (pass == 0)
                add_halves(s->solver, &b, scratch);
            else
                largest = fmax(largest, largest_half(s->solver, &b, mass, scratch));
        }
    return largest;
}

// the terms, and the diagonal of the constraint rows
typedef struct tangent_filling {
    filling terms;
    const trmi_diagonal *diagonal;
    double regularization;
    int next; // of its places
} tangent_filling;

static void fill_tangent(void *user, int begin, int end)
{
    tangent_filling *f = user;
    const trmi_diagonal *d = f->diagonal;
    fill_part(&f->terms, begin, end);
    for (; f->next < d->count && d->place[f->next] < end; f->next++)
        f->terms.value[d->place[f->next]] -= f->regularization;
}

trmi_factor_status trmi_saddle_factor_tangent(trmi_saddle *s, trmi_solver *solver,
                                              const trmi_diagonal *diagonal, double regularization)
{
    const trmi_evaluator *e = s->e;
    tangent_filling f = {.terms = {.s = s, .list = s->scatter, .value = solver->value},
                         .diagonal = diagonal,
                         .regularization = regularization};
    f.terms.count = s->scatter_count;
    memset(s->coefficient, 0, sizeof s->coefficient);
    s->coefficient[ONE] = s->coefficient[metric_coefficient(s)] = 1;
    if (solver->type->factor_filled && e->n_x + e->n_z == 0)
        return solver->type->factor_filled(solver, fill_tangent, &f, NULL);
    fill_tangent(&f, 0, solver->value_count);
    for (int i = 0; i < e->n_x + e->n_z; i++)
        add_diagonal(solver, solver->value, e->n_q + i, 1);
    return solver->type->factor(solver);
}

void trmi_saddle_solve(trmi_saddle *s, double *x, int count)
{
    if (s->started_rhs && s->started_rhs == x && count == 1)
        s->factored->type->finish(s->factored, x);
    else
        s->factored->type->solve(s->factored, x, count);
    s->started_rhs = NULL;
    s->values->statistics->solves += count;
}

bool trmi_saddle_mass_definite(trmi_saddle *s)
{
    if (!trmi_is_nullspace(s->solver))
        return true;
    return trmi_nullspace_definite(s->solver, 0);
}

bool trmi_saddle_mass_semidefinite(trmi_saddle *s)
{
    return !trmi_is_nullspace(s->solver) ||
           trmi_nullspace_definite(s->solver, trmi_nullspace_roundoff(s->solver));
}

trmi_pivot trmi_saddle_rank(const trmi_saddle *s)
{
    const trmi_pivot *pivot = &s->factored->pivot;
    bool known = trmi_is_nullspace(s->factored) || trmi_is_block(s->factored);
    bool constraint = pivot->row >= s->n - s->e->n_r; // a small pivot of S is none of G
    return known && constraint ? *pivot : (trmi_pivot){1, s->n - 1};
}

bool trmi_saddle_nearly_singular(const trmi_saddle *s)
{
    return trmi_saddle_rank(s).smallest < SINGULAR_PIVOT;
}

void trmi_saddle_forget(trmi_saddle *s)
{
    trmi_solver_forget(s->solver);
    trmi_solver_forget(s->reserve);
}

void trmi_saddle_archive(trmi_saddle *s, trmi_archive *a)
{
    bool reserve = s->reserve != NULL, in_reserve = reserve && s->factored == s->reserve;
    trmi_solver_archive(s->solver, a);
    trmi_archive_doubles(a, s->coefficient, (int)(sizeof s->coefficient / sizeof *s->coefficient));
    trmi_archive_bool(a, &reserve);
    trmi_archive_bool(a, &in_reserve);
    if (a->loading && a->status == TRM_OK && !reserve) {
        trmi_solver_destroy(s->reserve);
        s->reserve = NULL;
    }
    if (reserve && !create_reserve(s))
        a->status = TRM_ERR_MEMORY;
    else if (reserve)
        trmi_solver_archive(s->reserve, a);
    s->factored = in_reserve && s->reserve ? s->reserve : s->solver;
}

void trmi_saddle_destroy(trmi_saddle *s)
{
    trmi_solver_destroy(s->solver);
    trmi_solver_destroy(s->reserve);
}
