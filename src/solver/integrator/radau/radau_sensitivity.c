// SPDX-License-Identifier: Apache-2.0
// Sensitivities over a step of Radau: the stages of the step (radau.h), differentiated by p. With
// the derivatives K, D, .. at each stage, and w = C v + c_t,
//
//     G_i S_i = -g_p,   S'_i = (1/h) sum_j Gamma_ij (S_j - s_n)
//     U_i = S'_i + y,   C_i U_i + w_q S_i + w_p = 0,      U'_i = (1/h) sum_j Gamma_ij (U_j - u_n)
//     M_i U'_i + D_i U_i + (K_i + N_i) S_i - f_x X_i - f_z Z_i + r_p + C_i^T lambda_i = 0
//
// are linear, and are solved by iterations like those of the step itself (stages.c), with the
// matrix of the step and the splits of its stages, until the corrections are a hundredth of rtol.
#include "solver/integrator/sensitivity/sensitivity.h"

#include "solver/integrator/radau/radau.h"
#include "solver/integrator/simulation.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MAX_ITERATIONS = 50, MULTIPLIER_SWEEPS = 1 };

// One parameter in one stage.
typedef struct sensitive_stage {
    trmi_values values;         // derivatives by the state
    trmi_parameter_terms terms; // by the parameter
    double *q, *v, *x, *z;      // S, U, X, Z, one after the other
    double *slope, *a, *rate;   // S', U', X'
    double *y;                  // n_q: U - S'
    double *lambda;             // n_r + 1
} sensitive_stage;

typedef struct radau_sensitivity {
    sensitive_stage stage[TRMI_MAX_STAGES];
    double *node[TRMI_MAX_STAGES + 1]; // count * size: at the nodes of the last step
    const trmi_radau_tableau *node_of; // NULL: there is none yet
    double node_t, node_h;             // its beginning and length
    double *next[TRMI_MAX_STAGES + 1]; // the same of the present step
    double *rows, *work;               // n_r + 1, a right-hand side
} radau_sensitivity;

static radau_sensitivity *sensitivity_of(const trm_simulation *s)
{
    return s->sensitivity->state;
}

bool trmi_radau_sensitivities_create(trm_simulation *s)
{
    trmi_sensitivities *z = s->sensitivity;
    trmi_memory *m = &s->memory;
    const trmi_evaluator *e = &s->e;
    const int stages = trmi_radau_of(s)->family[trmi_radau_of(s)->order.max].s, n = e->n_q;
    radau_sensitivity *r;
    bool good = TRMI_TAKE(m, r, 1) && TRMI_TAKE(m, r->rows, e->n_r_full + 1) &&
                TRMI_TAKE(m, r->work, trmi_rhs_size(e));
    z->state = good ? r : NULL;
    for (int i = 0; i <= stages && good; i++)
        good = TRMI_TAKE(m, r->node[i], z->count * z->size) &&
               TRMI_TAKE(m, r->next[i], z->count * z->size);
    for (int i = 0; i < stages && good; i++) {
        sensitive_stage *g = &r->stage[i];
        good = trmi_values_create(&g->values, m, &s->e, trmi_sensitivities_quantities(s),
                                  &z->uncounted) &&
               trmi_parameter_terms_create(&g->terms, m, e) && TRMI_TAKE(m, g->q, z->size) &&
               TRMI_TAKE(m, g->slope, n) && TRMI_TAKE(m, g->a, n) &&
               TRMI_TAKE(m, g->rate, e->n_x) && TRMI_TAKE(m, g->y, n) &&
               TRMI_TAKE(m, g->lambda, e->n_r_full + 1);
        if (good) {
            g->v = g->q + n;
            g->x = g->v + n;
            g->z = g->x + e->n_x;
        }
    }
    return good;
}

// ---- one parameter ----

// start values: the polynomial of the last step beyond its end, or constant velocities; these where
// forces remember something, whose terms depend on the prediction (memory.c)
static void predict(trm_simulation *s, int k, double h, const double *y)
{
    radau_sensitivity *r = sensitivity_of(s);
    const trmi_sensitivities *z = s->sensitivity;
    const trmi_radau_tableau *now = trmi_radau_of(s)->tableau;
    const size_t at = (size_t)k * (size_t)z->size;
    bool known =
        r->node_of && s->e.user.n_memories == 0 && r->node_t + r->node_h == s->history.t[0];
    for (int i = 0; i < now->s; i++) {
        sensitive_stage *g = &r->stage[i];
        double weight[TRMI_MAX_STAGES + 1], ahead = now->node[i + 1] * h;
        memset(g->lambda, 0, (size_t)s->e.n_r * sizeof *g->lambda);
        memset(g->y, 0, (size_t)s->e.n_q * sizeof *g->y);
        memcpy(g->q, y, (size_t)z->size * sizeof *y);
        if (!known) {
            for (int j = 0; j < s->e.n_q; j++)
                g->q[j] += ahead * y[s->e.n_q + j];
            continue;
        }
        memset(g->q, 0, (size_t)z->size * sizeof *y);
        trmi_radau_weights(r->node_of, 1 + ahead / r->node_h, weight);
        for (int l = 0; l <= r->node_of->s; l++)
            for (int j = 0; j < z->size; j++)
                g->q[j] += weight[l] * r->node[l][at + (size_t)j];
    }
}

// S_i onto G S + g_p = 0
static void correct_positions(trm_simulation *s, int i)
{
    radau_sensitivity *r = sensitivity_of(s);
    sensitive_stage *g = &r->stage[i];
    const trmi_evaluator *e = &s->e;
    if (e->n_r == 0)
        return;
    const trmi_manifold m = trmi_radau_manifold(s, &trmi_radau_of(s)->stage[i].tangent);
    trmi_constraint_product(&g->values, g->q, r->rows);
    for (int j = 0; j < e->n_r; j++)
        r->rows[j] += g->terms.constraint[j];
    trmi_manifold_correct(&m, r->rows, e->n_g, NULL, g->q);
}

// U_i = S'_i + y onto its constraints
static void correct_velocities(trm_simulation *s, int i)
{
    radau_sensitivity *r = sensitivity_of(s);
    sensitive_stage *g = &r->stage[i];
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

// (1/h) Gamma times what `part` gives of the stages, less its value at the beginning
static void differentiate(trm_simulation *s, double h, int first, int n, const double *from,
                          double *const *out)
{
    radau_sensitivity *r = sensitivity_of(s);
    const trmi_radau_tableau *t = trmi_radau_of(s)->tableau;
    double *in[TRMI_MAX_STAGES] = {0};
    for (int i = 0; i < t->s; i++)
        in[i] = r->stage[i].q + first;
    trmi_combine_all(t->s, t->gamma, 1 / h, in, (double *)from + first, n, out);
}

// positions and velocities of all stages on the constraints, accelerations and rates
static void place_stages(trm_simulation *s, double h, const double *y)
{
    radau_sensitivity *r = sensitivity_of(s);
    const trmi_evaluator *e = &s->e;
    const int stages = trmi_radau_of(s)->tableau->s;
    double *slope[TRMI_MAX_STAGES] = {0}, *a[TRMI_MAX_STAGES] = {0}, *rate[TRMI_MAX_STAGES] = {0};
    for (int i = 0; i < stages; i++) {
        slope[i] = r->stage[i].slope;
        a[i] = r->stage[i].a;
        rate[i] = r->stage[i].rate;
        correct_positions(s, i);
    }
    differentiate(s, h, 0, e->n_q, y, slope);
    for (int i = 0; i < stages; i++)
        correct_velocities(s, i);
    differentiate(s, h, e->n_q, e->n_q, y, a);
    if (e->n_x > 0)
        differentiate(s, h, 2 * e->n_q, e->n_x, y, rate);
}

// multipliers that make rhs as small as possible, and what is left of it
static void find_multipliers(trm_simulation *s, int i, double *rhs)
{
    radau_sensitivity *r = sensitivity_of(s);
    const trmi_evaluator *e = &s->e;
    trmi_tangent *tangent = &trmi_radau_of(s)->stage[i].tangent;
    double *x = r->work, *rows = x + tangent->saddle->n - e->n_r;
    for (int sweep = 0; sweep < MULTIPLIER_SWEEPS && e->n_r > 0; sweep++) {
        trmi_tangent_balance(tangent, rhs, x);
        memset(x + e->n_q, 0, (size_t)(e->n_x + e->n_z + e->n_r) * sizeof *x);
        trmi_tangent_solve_rows(tangent, x);
        for (int j = 0; j < e->n_r; j++)
            r->stage[i].lambda[j] += rows[j];
        trmi_add_constraint_force(&r->stage[i].values, rows, -1, rhs);
    }
}

// the right-hand side of a stage, in the place where the step has its own
static void find_rhs(trm_simulation *s, int i)
{
    radau_sensitivity *r = sensitivity_of(s);
    const trmi_evaluator *e = &s->e;
    const sensitive_stage *g = &r->stage[i];
    const trmi_values *d = &g->values;
    double *rhs = trmi_radau_of(s)->stage[i].rhs, *x = rhs + e->n_q, *at_z = x + e->n_x;
    trmi_mass_product(d, g->a, rhs);
    trmi_sensitivities_add(d, TRM_QUANTITY_DAMPING, 1, g->v, rhs);
    trmi_sensitivities_add(d, TRM_QUANTITY_STIFFNESS, 1, g->q, rhs);
    trmi_sensitivities_add(d, TRM_QUANTITY_GEOMETRIC, 1, g->q, rhs);
    trmi_sensitivities_add(d, TRM_QUANTITY_FORCE_X, -1, g->x, rhs);
    trmi_sensitivities_add(d, TRM_QUANTITY_FORCE_Z, -1, g->z, rhs);
    trmi_sensitivities_add(d, TRM_QUANTITY_FORCE_LAMBDA, -1, g->lambda, rhs);
    for (int j = 0; j < e->n_q; j++)
        rhs[j] = -(rhs[j] + g->terms.residual[j]);
    trmi_add_constraint_force(d, g->lambda, -1, rhs);
    for (int j = 0; j < e->n_x; j++)
        x[j] = g->terms.rate[j] - g->rate[j];
    trmi_sensitivities_add(d, TRM_QUANTITY_RATE_Q, 1, g->q, x);
    trmi_sensitivities_add(d, TRM_QUANTITY_RATE_V, 1, g->v, x);
    trmi_sensitivities_add(d, TRM_QUANTITY_RATE_X, 1, g->x, x);
    trmi_sensitivities_add(d, TRM_QUANTITY_RATE_Z, 1, g->z, x);
    trmi_sensitivities_add(d, TRM_QUANTITY_RATE_LAMBDA, 1, g->lambda, x);
    for (int j = 0; j < e->n_z; j++)
        at_z[j] = -g->terms.algebraic[j];
    trmi_sensitivities_add(d, TRM_QUANTITY_ALGEBRAIC_Q, -1, g->q, at_z);
    trmi_sensitivities_add(d, TRM_QUANTITY_ALGEBRAIC_V, -1, g->v, at_z);
    trmi_sensitivities_add(d, TRM_QUANTITY_ALGEBRAIC_X, -1, g->x, at_z);
    trmi_sensitivities_add(d, TRM_QUANTITY_ALGEBRAIC_Z, -1, g->z, at_z);
    trmi_sensitivities_add(d, TRM_QUANTITY_ALGEBRAIC_LAMBDA, -1, g->lambda, at_z);
    memset(at_z + e->n_z, 0, (size_t)e->n_r * sizeof *rhs);
    if (!e->lambda_enters)
        find_multipliers(s, i, rhs);
}

// The correction of a stage, along its constraints; *moved: the largest of it so far, *largest: of
// the values themselves.
static void move_stage(trm_simulation *s, int i, double *moved, double *largest)
{
    radau_sensitivity *r = sensitivity_of(s);
    const trmi_evaluator *e = &s->e;
    sensitive_stage *g = &r->stage[i];
    trmi_tangent *tangent = &trmi_radau_of(s)->stage[i].tangent;
    const int n = e->n_q;
    double *rhs = trmi_radau_of(s)->stage[i].rhs, *d = rhs, size = 0, change = 0;
    if (e->n_r > 0) {
        d = r->work;
        trmi_tangent_metric(tangent, rhs, d);
        memset(d + n, 0, (size_t)(e->n_x + e->n_z + e->n_r) * sizeof *d);
        trmi_tangent_solve(tangent, d, 1);
    }
    for (int j = 0; j < n; j++) {
        g->q[j] += d[j];
        change = fmax(change, fabs(d[j]));
        size = fmax(size, fabs(g->q[j]));
    }
    for (int j = 0; j < e->n_x + e->n_z; j++) { // x and z
        g->x[j] += rhs[n + j];
        change = fmax(change, fabs(rhs[n + j]));
        size = fmax(size, fabs(g->x[j]));
    }
    for (int j = 0; j < e->n_r && e->lambda_enters; j++)
        g->lambda[j] += rhs[n + e->n_x + e->n_z + j];
    *moved = fmax(*moved, change);
    *largest = fmax(*largest, size);
}

static bool solve_parameter(trm_simulation *s, int k, double h, const double *y)
{
    radau_sensitivity *r = sensitivity_of(s);
    trmi_radau *of = trmi_radau_of(s);
    const int stages = of->tableau->s;
    predict(s, k, h, y);
    for (int i = 0; i < stages; i++)
        if (!trmi_sensitivities_terms(s, k, &of->stage[i].point, false, &r->stage[i].values,
                                      r->stage[i].q, &r->stage[i].terms))
            return false;
    double before = HUGE_VAL;
    for (int m = 0; m < MAX_ITERATIONS; m++) {
        double moved = 0, largest = 0;
        place_stages(s, h, y);
        for (int i = 0; i < stages; i++)
            find_rhs(s, i);
        if (of->order.stacked)
            trmi_radau_solve_coupled(s, h);
        else
            trmi_radau_solve(s, h);
        for (int i = 0; i < stages; i++)
            move_stage(s, i, &moved, &largest);
        if (!isfinite(moved))
            return false;
        // what the next iterations would add, by the rate of the last two, or that of the step, which
        // had the same matrix: good enough, or as good as roundoff allows
        double known = of->newton.rate > 0 ? of->newton.rate : 1;
        double rate = m == 0 ? known : moved < before ? moved / before : 1;
        double left = rate < 0.5 ? moved * rate / (1 - rate) : moved;
        if (left <= trmi_sensitivities_limit(s) * largest || (moved >= before && moved <= trmi_sensitivities_roundoff(s, k))) {
            place_stages(s, h, y);
            return true;
        }
        before = moved;
    }
    return false;
}

// ---- steps ----

// The nodes of the step become those of dense output.
static void keep(trm_simulation *s, const trmi_step_trial *trial)
{
    radau_sensitivity *r = sensitivity_of(s);
    trmi_sensitivities *z = s->sensitivity;
    const size_t all = (size_t)(z->count * z->size);
    r->node_of = trmi_radau_of(s)->tableau;
    r->node_t = s->history.t[0];
    r->node_h = trial->t - r->node_t;
    for (int i = 0; i <= r->node_of->s; i++) {
        double *other = r->node[i];
        r->node[i] = r->next[i];
        r->next[i] = other;
    }
    memcpy(trmi_history_push(&z->past, trial->t), r->node[r->node_of->s], all * sizeof(double));
}

trm_status trmi_radau_sensitivities(trm_simulation *s, const trmi_step_trial *trial)
{
    radau_sensitivity *r = sensitivity_of(s);
    trmi_sensitivities *z = s->sensitivity;
    trmi_radau *of = trmi_radau_of(s);
    const size_t size = (size_t)z->size;
    const double *from = z->past.count > 0 ? z->past.y[0] : z->begin;
    memcpy(r->next[0], from, (size_t)z->count * size * sizeof *from);
    for (int i = 0; i < of->tableau->s; i++)
        if (trmi_evaluate(&s->e, &of->stage[i].point, trmi_sensitivities_quantities(s),
                          &r->stage[i].values) != 0)
            return trmi_sensitivities_fail(s, "the derivatives cannot be evaluated here");
    for (int k = 0; k < z->count; k++) {
        const size_t at = (size_t)k * size;
        if (!solve_parameter(s, k, trial->h, r->next[0] + at))
            return trmi_sensitivities_diverge(s, k, trial->h);
        for (int i = 0; i < of->tableau->s; i++)
            memcpy(r->next[i + 1] + at, r->stage[i].q, size * sizeof *from);
    }
    keep(s, trial);
    return TRM_OK;
}

void trmi_radau_sensitivities_at(trm_simulation *s, double t, double *out)
{
    const radau_sensitivity *r = sensitivity_of(s);
    const trmi_sensitivities *z = s->sensitivity;
    const size_t all = (size_t)(z->count * z->size);
    memcpy(out, z->past.y[0], all * sizeof *out);
    if (t >= z->past.t[0] || !r->node_of || r->node_t + r->node_h != z->past.t[0])
        return;
    double weight[TRMI_MAX_STAGES + 1];
    trmi_radau_weights(r->node_of, (t - r->node_t) / r->node_h, weight);
    memset(out, 0, all * sizeof *out);
    for (int l = 0; l <= r->node_of->s; l++)
        for (size_t j = 0; j < all; j++)
            out[j] += weight[l] * r->node[l][j];
}

void trmi_radau_sensitivities_archive(trm_simulation *s, trmi_archive *a)
{
    trmi_sensitivities *z = s->sensitivity;
    const trmi_radau *of = trmi_radau_of(s);
    if (!z)
        return;
    radau_sensitivity *r = z->state;
    int stages = r->node_of ? r->node_of->s : 0;
    trmi_archive_int(a, &stages, 0, of->family[of->order.max].s);
    trmi_archive_doubles(a, &r->node_t, 1);
    trmi_archive_doubles(a, &r->node_h, 1);
    for (int i = 0; i <= of->family[of->order.max].s; i++)
        trmi_archive_doubles(a, r->node[i], z->count * z->size);
    r->node_of = NULL;
    for (int i = 0; i < TRMI_RADAU_FAMILIES; i++)
        if (of->family[i].s == stages)
            r->node_of = &of->family[i];
}
