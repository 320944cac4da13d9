// SPDX-License-Identifier: Apache-2.0
// One iteration over the equations of the stages of a step, differentiated (radau_sensitivity.c).
#include "solver/integrator/radau/radau_sensitivity.h"

#include "solver/integrator/simulation.h"

#include <math.h>
#include <string.h>

enum { FEW = 16 };

// rows = G S_i + g_p
static void find_positions(const trm_simulation *s, int i, double *rows)
{
    const trmi_sensitive_stage *g = &trmi_radau_sensitivity_of(s)->stage[i];
    trmi_constraint_product(&g->values, g->q, rows);
    for (int j = 0; j < s->e.n_r; j++)
        rows[j] += g->terms.constraint[j];
}

// S_i onto G S + g_p = 0
static void correct_positions(trm_simulation *s, int i, const double *y)
{
    trmi_radau_sensitivity *r = trmi_radau_sensitivity_of(s);
    trmi_sensitive_stage *g = &r->stage[i];
    const trmi_manifold m = trmi_radau_manifold(s, &trmi_radau_of(s)->stage[i].tangent);
    if (s->e.n_r == 0)
        return;
    find_positions(s, i, r->rows);
    trmi_manifold_correct(&m, r->rows, s->e.n_g, NULL, g->way);
    for (int j = 0; j < s->e.n_q; j++)
        g->q[j] = y[j] + g->way[j];
}

// U_i = S'_i + y onto its constraints
static void correct_velocities(trm_simulation *s, int i)
{
    trmi_radau_sensitivity *r = trmi_radau_sensitivity_of(s);
    trmi_sensitive_stage *g = &r->stage[i];
    const trmi_evaluator *e = &s->e;
    for (int j = 0; j < e->n_q; j++)
        g->v[j] = g->slope[j] + g->y[j];
    if (e->n_r == 0)
        return;
    const trmi_manifold m = trmi_radau_manifold(s, &trmi_radau_of(s)->stage[i].tangent);
    trmi_constraint_product(&g->values, g->v, r->rows);
    trmi_sensitivities_add(&g->values, TRM_QUANTITY_VELOCITY_Q, 1, g->q, r->rows);
    for (int j = 0; j < e->n_r; j++)
        r->rows[j] += g->terms.velocity[j];
    trmi_manifold_correct(&m, r->rows, e->n_r, NULL, g->v);
    for (int j = 0; j < e->n_q; j++)
        g->y[j] = g->v[j] - g->slope[j];
}

// out_i = (1/h) sum_j Gamma_ij (in_j - from), entry by entry: of few entries the weights that
// trmi_combine_all forms would cost more than what they multiply.
static void differentiate_few(const trmi_radau_tableau *t, double h, double *const *in,
                              const double *from, int n, double *const *out)
{
    double d[TRMI_MAX_STAGES] = {0};
    for (int k = 0; k < n; k++) {
        for (int j = 0; j < t->s; j++)
            d[j] = (from ? in[j][k] - from[k] : in[j][k]) / h;
        for (int i = 0; i < t->s; i++) {
            double sum = 0;
            for (int j = 0; j < t->s; j++)
                sum += t->gamma[i][j] * d[j];
            out[i][k] = sum;
        }
    }
}

// (1/h) Gamma times n numbers of the stages, less those at the beginning (NULL: 0)
static void differentiate(const trmi_radau_tableau *t, double h, double *const *in,
                          const double *from, int n, double *const *out)
{
    if (n <= FEW)
        differentiate_few(t, h, in, from, n, out);
    else
        trmi_combine_all(t->s, t->gamma, 1 / h, in, (double *)from, n, out);
}

void trmi_radau_place_sensitivities(trm_simulation *s, const double *y)
{
    for (int i = 0; i < trmi_radau_of(s)->tableau->s; i++)
        correct_positions(s, i, y);
}

void trmi_radau_move_sensitivities(trm_simulation *s, double h)
{
    trmi_radau_sensitivity *r = trmi_radau_sensitivity_of(s);
    const trmi_radau_tableau *t = trmi_radau_of(s)->tableau;
    double *way[TRMI_MAX_STAGES] = {0}, *slope[TRMI_MAX_STAGES] = {0};
    for (int i = 0; i < t->s; i++) {
        way[i] = r->stage[i].way;
        slope[i] = r->stage[i].slope;
    }
    differentiate(t, h, way, NULL, s->e.n_q, slope);
    for (int i = 0; i < t->s; i++)
        correct_velocities(s, i);
}

// U'_i and X'_i of all stages
static void find_rates(trm_simulation *s, double h, const double *y)
{
    trmi_radau_sensitivity *r = trmi_radau_sensitivity_of(s);
    const trmi_radau_tableau *t = trmi_radau_of(s)->tableau;
    const int n = s->e.n_q;
    double *v[TRMI_MAX_STAGES] = {0}, *a[TRMI_MAX_STAGES] = {0};
    double *x[TRMI_MAX_STAGES] = {0}, *rate[TRMI_MAX_STAGES] = {0};
    for (int i = 0; i < t->s; i++) {
        v[i] = r->stage[i].v;
        x[i] = r->stage[i].x;
        a[i] = r->stage[i].a;
        rate[i] = r->stage[i].rate;
    }
    differentiate(t, h, v, y + n, n, a);
    if (s->e.n_x > 0)
        differentiate(t, h, x, y + 2 * n, s->e.n_x, rate);
}

// multipliers that make rhs as small as possible, and what is left of it
static void find_multipliers(trm_simulation *s, int i, double *rhs)
{
    trmi_radau_sensitivity *r = trmi_radau_sensitivity_of(s);
    const trmi_evaluator *e = &s->e;
    trmi_tangent *tangent = &trmi_radau_of(s)->stage[i].tangent;
    double *x = r->work, *rows = x + tangent->saddle->n - e->n_r;
    if (e->n_r == 0)
        return;
    trmi_tangent_balance(tangent, rhs, x);
    memset(x + e->n_q, 0, (size_t)(e->n_x + e->n_z + e->n_r) * sizeof *x);
    trmi_tangent_solve_rows(tangent, x);
    for (int j = 0; j < e->n_r; j++)
        r->stage[i].lambda[j] += rows[j];
    trmi_add_constraint_force(&r->stage[i].values, rows, -1, rhs);
}

// the right-hand side of a stage, in the place where the step has its own
static void find_rhs(trm_simulation *s, int i)
{
    trmi_radau_sensitivity *r = trmi_radau_sensitivity_of(s);
    const trmi_evaluator *e = &s->e;
    const trmi_sensitive_stage *g = &r->stage[i];
    const trmi_values *d = &g->values;
    const trmi_along along = {g->q, g->v, NULL, g->x, g->z, g->lambda};
    double *rhs = trmi_radau_of(s)->stage[i].rhs, *x = rhs + e->n_q, *at_z = x + e->n_x;
    trmi_mass_product(d, g->a, rhs);
    trmi_sensitivities_add_residual(d, 1, &along, rhs);
    for (int j = 0; j < e->n_q; j++)
        rhs[j] = -(rhs[j] + g->terms.residual[j]);
    if (trmi_max_abs(g->lambda, e->n_r) > 0) // in the first iteration it is 0
        trmi_add_constraint_force(d, g->lambda, -1, rhs);
    for (int j = 0; j < e->n_x; j++)
        x[j] = g->terms.rate[j] - g->rate[j];
    trmi_sensitivities_add_equation(d, TRM_QUANTITY_RATE, 1, &along, x);
    for (int j = 0; j < e->n_z; j++)
        at_z[j] = -g->terms.algebraic[j];
    trmi_sensitivities_add_equation(d, TRM_QUANTITY_ALGEBRAIC, -1, &along, at_z);
    memset(at_z + e->n_z, 0, (size_t)e->n_r * sizeof *rhs);
    if (!e->lambda_enters)
        find_multipliers(s, i, rhs);
}

// The correction of a stage, along its constraints and back onto them.
static void find_step(trm_simulation *s, int i)
{
    trmi_radau_sensitivity *r = trmi_radau_sensitivity_of(s);
    const trmi_evaluator *e = &s->e;
    trmi_tangent *tangent = &trmi_radau_of(s)->stage[i].tangent;
    const int n = e->n_q, others = e->n_x + e->n_z + e->n_r;
    const double *rhs = trmi_radau_of(s)->stage[i].rhs, *along = rhs;
    double *d = r->stage[i].step;
    if (e->n_r > 0) {
        trmi_tangent_metric(tangent, rhs, r->work);
        memset(r->work + n, 0, (size_t)(others - e->n_r) * sizeof *d);
        find_positions(s, i, r->rows);
        for (int j = 0; j < e->n_r; j++)
            r->work[n + others - e->n_r + j] = -r->rows[j];
        trmi_tangent_solve(tangent, r->work, 1);
        along = r->work;
    }
    memcpy(d, along, (size_t)n * sizeof *d);
    memcpy(d + n, rhs + n, (size_t)others * sizeof *d);
}

// How many unknowns of a stage are iterated: (S, X, Z), and lambda where it is not found by
// find_multipliers.
static int iterated(const trmi_evaluator *e)
{
    return e->n_q + e->n_x + e->n_z + (e->lambda_enters ? e->n_r : 0);
}

// The iteration is affine: with s = s_m, its correction d_m and c_m what it adds,
//
//     d_(m+1) = d_m - (1 - A) c_m,    c_m = d_m - gamma (c_(m-1) + d_m - d_(m-1))
//
// where gamma makes l = d_m - gamma (d_m - d_(m-1)) as small as possible. Then d_(m+1) = A l: one
// direction of A is left out (GMRES of two vectors). Returns gamma.
static double find_share(const trm_simulation *s)
{
    const trmi_radau_sensitivity *r = trmi_radau_sensitivity_of(s);
    const int n = iterated(&s->e);
    double product = 0, square = 0;
    for (int i = 0; i < trmi_radau_of(s)->tableau->s; i++) {
        const trmi_sensitive_stage *g = &r->stage[i];
        for (int j = 0; j < n; j++) {
            const double fall = g->step[j] - g->step_before[j];
            product += g->step[j] * fall;
            square += fall * fall;
        }
    }
    return square > 0 ? product / square : 0;
}

// Adds c_m to a stage, and measures.
static void move_stage(trm_simulation *s, int i, const double *from, bool first, double share,
                       trmi_sensitive_size *size)
{
    const trmi_evaluator *e = &s->e;
    trmi_sensitive_stage *g = &trmi_radau_sensitivity_of(s)->stage[i];
    const int n = e->n_q, measured = n + e->n_x + e->n_z, all = iterated(e);
    for (int j = 0; j < all; j++) {
        const double d = g->step[j], fall = first ? 0 : d - g->step_before[j];
        const double left = d - share * fall, c = left - (first ? 0 : share * g->change[j]);
        double *y = j < n ? &g->q[j] : j < measured ? &g->x[j - n] : &g->lambda[j - measured];
        *y = j < n ? from[j] + (g->way[j] += c) : *y + c;
        g->change[j] = c;
        if (j >= measured)
            continue;
        size->correction = fmax(size->correction, fabs(d));
        size->left = fmax(size->left, fabs(left));
        size->value = fmax(size->value, fabs(*y));
    }
    double *other = g->step_before;
    g->step_before = g->step;
    g->step = other;
}

trmi_sensitive_size trmi_radau_iterate_sensitivities(trm_simulation *s, double h, const double *y,
                                                     bool first)
{
    const trmi_radau *of = trmi_radau_of(s);
    trmi_sensitive_size size = {0};
    trmi_radau_move_sensitivities(s, h);
    find_rates(s, h, y);
    for (int i = 0; i < of->tableau->s; i++)
        find_rhs(s, i);
    if (of->order.stacked)
        trmi_radau_solve_coupled(s, h);
    else
        trmi_radau_solve(s, h);
    for (int i = 0; i < of->tableau->s; i++)
        find_step(s, i);
    const double share = first ? 0 : find_share(s);
    for (int i = 0; i < of->tableau->s; i++)
        move_stage(s, i, y, first, share, &size);
    return size;
}
