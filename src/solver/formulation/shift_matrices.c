// SPDX-License-Identifier: Apache-2.0
#include "solver/formulation/shift_matrices.h"

#include "base/error.h"

#include <string.h>

static const trm_quantity kept_quantity[TRMI_KEPT_COUNT] = {
    [TRMI_KEPT_MASS] = TRM_QUANTITY_MASS,       [TRMI_KEPT_DAMPING] = TRM_QUANTITY_DAMPING,
    [TRMI_KEPT_RATE_V] = TRM_QUANTITY_RATE_V,   [TRMI_KEPT_ALGEBRAIC_V] = TRM_QUANTITY_ALGEBRAIC_V,
    [TRMI_KEPT_ROLLING] = TRM_QUANTITY_ROLLING,
};

// the part of S, in units of M, that block LDL^T may leave out: a good contraction of Newton
static const double MAX_ASYMMETRY = 1e-3;

static bool block_present(const trmi_evaluator *e, int which)
{
    trm_quantity quantity = kept_quantity[which];
    return (e->prepared & ~e->absent & TRM_BIT_OF(quantity)) != 0;
}

static bool take_kept(trmi_shifted *s)
{
    bool good = true;
    for (int k = 0; k < TRMI_KEPT_COUNT && good; k++)
        if (block_present(s->e, k))
            good = TRMI_TAKE(s->memory, s->kept[k], s->e->block[kept_quantity[k]].count);
    return good;
}

// once its saddle is there
static bool complete_form(trmi_shifted *s, trmi_shifted_form *form)
{
    const trmi_solver *solver = form->saddle.solver;
    bool good = true;
    for (int k = 0; k < TRMI_SHIFT_PARTS && good; k++)
        if (trmi_saddle_has_part(&form->saddle, k - 2))
            good = TRMI_TAKE(s->memory, form->part[k], solver->value_count);
    for (int k = 0; k < s->pairs && good; k++)
        good = (form->pair[k] = trmi_complex_create(s->memory, solver)) != NULL;
    s->form = form;
    return good;
}

static bool create_blocks(trmi_shifted *s)
{
    return trmi_saddle_create_blocks(&s->block.saddle, s->memory, s->values, s->choice, false) &&
           TRMI_TAKE(s->memory, s->scratch, s->block.saddle.solver->value_count) &&
           complete_form(s, &s->block);
}

static trm_status create_whole(trmi_shifted *s, trm_error *error)
{
    trm_status status =
        trmi_saddle_create_lu(&s->whole.saddle, s->memory, s->values, s->choice, true, error);
    if (status == TRM_OK && !complete_form(s, &s->whole))
        status = TRM_ERR_MEMORY;
    return status;
}

static bool create_small(trmi_shifted *s, trmi_memory *memory)
{
    trmi_shifted_small *small = &s->small;
    trmi_motions *motions = &small->motions;
    if (!trmi_motions_create(motions, memory, &s->whole.saddle))
        return false;
    const trmi_structure structure = {.n = motions->n};
    small->exists = true;
    small->real = trmi_dense_create(memory, &structure);
    bool good = small->real && TRMI_TAKE(memory, small->left, motions->n * motions->n_w) &&
                TRMI_TAKE(memory, small->w, 2 * motions->n_w) &&
                TRMI_TAKE(memory, small->omega, 2 * motions->n) &&
                TRMI_TAKE(memory, small->omega_pair, motions->n);
    for (int k = 0; k < TRMI_SHIFT_PARTS && good; k++)
        good = TRMI_TAKE(memory, small->part[k], small->real->value_count);
    for (int k = 0; k < s->pairs && good; k++)
        good = (small->pair[k] = trmi_complex_create(memory, small->real)) != NULL;
    return good;
}

trm_status trmi_shifted_create(trmi_shifted *s, trmi_memory *memory, trmi_values *values,
                               trm_solver choice, int pairs, bool reducible, bool blocks,
                               trm_error *error)
{
    const trmi_evaluator *e = values->e;
    *s = (trmi_shifted){
        .e = e, .values = values, .memory = memory, .choice = choice, .pairs = pairs};
    s->n = e->n_q + e->n_x + e->n_z + e->n_r;
    bool small = reducible && trmi_motions_suits(e);
    trm_status status = TRM_OK;
    if (!blocks || small || !create_blocks(s))
        status = create_whole(s, error);
    if (status == TRM_OK && (!take_kept(s) || (small && !create_small(s, memory))))
        status = TRM_ERR_MEMORY;
    if (status == TRM_ERR_MEMORY)
        trmi_error_set(error, status, "no memory for %d matrices of order %d", pairs + 1, s->n);
    return status;
}

bool trmi_shifted_in_blocks(const trmi_shifted *s)
{
    return s->form == &s->block;
}

// as KLU behind the block solver (saddle.h): made when it is first needed
bool trmi_shifted_leave_blocks(trmi_shifted *s)
{
    if (!s->whole.saddle.solver && create_whole(s, NULL) != TRM_OK) {
        s->form = &s->block;
        return false;
    }
    s->form = &s->whole;
    return true;
}

// ---- the set ----

static void reduce_parts(trmi_shifted *s)
{
    trmi_shifted_small *small = &s->small;
    for (int k = 0; k < TRMI_SHIFT_PARTS; k++) {
        if (!s->form->part[k])
            continue;
        memset(small->part[k], 0, (size_t)small->real->value_count * sizeof *small->part[k]);
        trmi_motions_left(&small->motions, s->form->part[k], small->left);
        trmi_motions_right(&small->motions, small->left, small->motions.n, small->part[k]);
    }
}

// of D and K, each with its power of alpha
static void find_asymmetry(trmi_shifted *s)
{
    const trmi_solver *solver = s->block.saddle.solver;
    double *mass = (double *)s->block.pair[0]->value; // free until the next factors
    for (int i = 0; i < s->e->n_q; i++)
        mass[i] = s->block.part[2][solver->type->position(solver, i, i)];
    for (int k = 0; k < 2; k++)
        s->asymmetry[k] = trmi_saddle_asymmetry(&s->block.saddle, k - 2, mass, s->scratch);
}

void trmi_shifted_take(trmi_shifted *s, double regularization)
{
    trmi_shifted_form *form = s->form;
    s->regularization = regularization;
    for (int k = 0; k < TRMI_SHIFT_PARTS; k++)
        if (form->part[k])
            trmi_saddle_part(&form->saddle, k - 2, form->part[k]);
    if (trmi_shifted_in_blocks(s))
        find_asymmetry(s);
    for (int k = 0; k < TRMI_KEPT_COUNT; k++)
        if (s->kept[k]) {
            size_t count = (size_t)s->e->block[kept_quantity[k]].count;
            memcpy(s->kept[k], s->values->of[kept_quantity[k]], count * sizeof *s->kept[k]);
        }
    s->small.serves = s->small.exists && trmi_motions_split(&s->small.motions, form->part[2]);
    if (s->small.serves)
        reduce_parts(s);
}

// ---- factors ----

// value = sum_k alpha^k part_k, a little of it at a time
enum { AT_A_TIME = 512 };

static void add_real(double *const *part, double alpha, trmi_solver *solver)
{
    const double power[] = {1 / (alpha * alpha), 1 / alpha, 1, alpha, alpha * alpha};
    for (int first = 0; first < solver->value_count; first += AT_A_TIME) {
        int count = solver->value_count - first;
        count = count < AT_A_TIME ? count : AT_A_TIME;
        double *restrict value = solver->value + first;
        memset(value, 0, (size_t)count * sizeof *value);
        for (int k = 0; k < TRMI_SHIFT_PARTS; k++)
            for (int i = 0; i < count && part[k]; i++)
                value[i] += power[k] * part[k][first + i];
    }
}

static void add_complex(double *const *part, double complex alpha, trmi_complex_solver *solver)
{
    const double complex power[] = {1 / (alpha * alpha), 1 / alpha, 1, alpha, alpha * alpha};
    for (int first = 0; first < solver->value_count; first += AT_A_TIME) {
        int count = solver->value_count - first;
        count = count < AT_A_TIME ? count : AT_A_TIME;
        double complex *restrict value = solver->value + first;
        memset(value, 0, (size_t)count * sizeof *value);
        for (int k = 0; k < TRMI_SHIFT_PARTS; k++)
            for (int i = 0; i < count && part[k]; i++)
                value[i] += power[k] * part[k][first + i];
    }
}

static trmi_factor_status factor_real(trmi_shifted *s, double alpha)
{
    trmi_solver *solver = s->small.serves ? s->small.real : s->form->saddle.solver;
    add_real(s->small.serves ? s->small.part : s->form->part, alpha, solver);
    for (int i = s->n - s->e->n_r; i < s->n && !s->small.serves; i++)
        solver->value[solver->type->position(solver, i, i)] -= s->regularization;
    return solver->type->factor(solver);
}

static trmi_factor_status factor_pair(trmi_shifted *s, int k, double complex alpha)
{
    const trmi_solver *real = s->form->saddle.solver;
    trmi_complex_solver *pair = s->small.serves ? s->small.pair[k] : s->form->pair[k];
    add_complex(s->small.serves ? s->small.part : s->form->part, alpha, pair);
    for (int i = s->n - s->e->n_r; i < s->n && !s->small.serves; i++)
        pair->value[real->type->position(real, i, i)] -= s->regularization;
    pair->turn = alpha / cabs(alpha);
    return pair->type->factor(pair);
}

// Newton contracts no better than by what is missing in its matrix
static bool too_asymmetric(const trmi_shifted *s, double alpha)
{
    return trmi_shifted_in_blocks(s) &&
           s->asymmetry[0] / (alpha * alpha) + s->asymmetry[1] / alpha > MAX_ASYMMETRY;
}

trmi_factor_status trmi_shifted_factor(trmi_shifted *s, double real, const double complex *shift,
                                       int count)
{
    if (too_asymmetric(s, real))
        return TRMI_FACTOR_WRONG_SIGN;
    trmi_factor_status status = factor_real(s, real);
    for (int k = 0; k < count && status == TRMI_FACTOR_OK; k++)
        status = factor_pair(s, k, shift[k]);
    s->values->statistics->factorizations += 1 + count;
    return status;
}

// ---- solutions ----

// multipliers: not found
static void solve_small(trmi_shifted *s, double *x)
{
    trmi_shifted_small *small = &s->small;
    int n_w = small->motions.n_w;
    trmi_motions_restrict(&small->motions, x, small->omega);
    small->real->type->solve(small->real, small->omega, 1);
    trmi_motions_expand(&small->motions, small->omega, x);
    memset(x + n_w, 0, (size_t)(s->n - n_w) * sizeof *x);
}

static void solve_small_pair(trmi_shifted *s, int k, double complex *x)
{
    trmi_shifted_small *small = &s->small;
    const trmi_motions *motions = &small->motions;
    int n = motions->n, n_w = motions->n_w;
    double *re = small->w, *im = re + n_w, *omega_re = small->omega, *omega_im = omega_re + n;
    for (int i = 0; i < n_w; i++) {
        re[i] = creal(x[i]);
        im[i] = cimag(x[i]);
    }
    trmi_motions_restrict(motions, re, omega_re);
    trmi_motions_restrict(motions, im, omega_im);
    for (int i = 0; i < n; i++)
        small->omega_pair[i] = omega_re[i] + omega_im[i] * I;
    small->pair[k]->type->solve(small->pair[k], small->omega_pair);
    for (int i = 0; i < n; i++) {
        omega_re[i] = creal(small->omega_pair[i]);
        omega_im[i] = cimag(small->omega_pair[i]);
    }
    trmi_motions_expand(motions, omega_re, re);
    trmi_motions_expand(motions, omega_im, im);
    for (int i = 0; i < s->n; i++)
        x[i] = i < n_w ? re[i] + im[i] * I : 0;
}

void trmi_shifted_solve(trmi_shifted *s, double *x)
{
    if (s->small.serves)
        solve_small(s, x);
    else
        s->form->saddle.solver->type->solve(s->form->saddle.solver, x, 1);
    s->values->statistics->solves++;
}

void trmi_shifted_solve_pair(trmi_shifted *s, int k, double complex *x)
{
    if (s->small.serves)
        solve_small_pair(s, k, x);
    else
        s->form->pair[k]->type->solve(s->form->pair[k], x);
    s->values->statistics->solves++;
}

void trmi_shifted_multiply(const trmi_shifted *s, trmi_kept which, const double *x, double *y)
{
    if (!s->kept[which])
        return;
    const trmi_matrix b = trmi_matrix_with(&s->e->block[kept_quantity[which]], s->kept[which]);
    trmi_matrix_multiply(&b, x, y);
}

static void archive_small(trmi_shifted *s, trmi_archive *a)
{
    trmi_shifted_small *small = &s->small;
    trmi_archive_bool(a, &small->serves);
    trmi_motions_archive(&small->motions, a);
    trmi_solver_archive(small->real, a);
    for (int k = 0; k < s->pairs; k++)
        trmi_complex_archive(small->pair[k], a);
    if (a->loading && a->status == TRM_OK && small->serves)
        reduce_parts(s);
}

double trmi_shifted_stiffness(const trmi_shifted *s, double alpha)
{
    const trmi_quantity *mass = &s->e->block[TRM_QUANTITY_MASS];
    int count = s->form->part[0] ? s->form->saddle.solver->value_count : 0;
    double stiffness = trmi_max_abs(s->form->part[0], count) / (alpha * alpha);
    double inertia =
        trmi_max_abs(s->kept[TRMI_KEPT_MASS], s->kept[TRMI_KEPT_MASS] ? mass->count : 0);
    return inertia > 0 ? stiffness / inertia : 0;
}

// which form is in use; factors of blocks are kept as they are, KLU keeps pivots
static bool archive_form(trmi_shifted *s, trmi_archive *a)
{
    bool blocks = trmi_shifted_in_blocks(s);
    trmi_archive_bool(a, &blocks);
    if (a->status == TRM_OK && blocks && !s->block.saddle.solver)
        a->status = TRM_ERR_RANGE;
    if (a->status == TRM_OK && !blocks && !trmi_shifted_leave_blocks(s))
        a->status = TRM_ERR_MEMORY;
    if (a->status != TRM_OK)
        return false;
    s->form = blocks ? &s->block : &s->whole;
    const trmi_solver *solver = s->form->saddle.solver;
    trmi_archive_doubles(a, solver->value, blocks ? solver->value_count : 0);
    return true;
}

void trmi_shifted_archive(trmi_shifted *s, trmi_archive *a)
{
    if (!archive_form(s, a))
        return;
    const trmi_shifted_form *form = s->form;
    for (int k = 0; k < TRMI_SHIFT_PARTS; k++)
        if (form->part[k])
            trmi_archive_doubles(a, form->part[k], form->saddle.solver->value_count);
    trmi_archive_doubles(a, s->asymmetry, 2);
    for (int k = 0; k < TRMI_KEPT_COUNT; k++)
        if (s->kept[k])
            trmi_archive_doubles(a, s->kept[k], s->e->block[kept_quantity[k]].count);
    trmi_archive_doubles(a, &s->regularization, 1);
    trmi_solver_archive(form->saddle.solver, a);
    for (int k = 0; k < s->pairs; k++)
        trmi_complex_archive(form->pair[k], a);
    if (s->small.exists)
        archive_small(s, a);
}

void trmi_shifted_destroy(trmi_shifted *s)
{
    trmi_shifted_form *form[] = {&s->block, &s->whole};
    for (int f = 0; f < 2; f++) {
        for (int k = 0; k < s->pairs; k++)
            trmi_complex_destroy(form[f]->pair[k]);
        trmi_saddle_destroy(&form[f]->saddle);
    }
}
