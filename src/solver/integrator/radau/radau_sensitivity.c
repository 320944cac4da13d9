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
#include "solver/integrator/radau/radau_sensitivity.h"

#include "solver/integrator/simulation.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MAX_ITERATIONS = 50, MAX_REPEATS = 3 };
// Differences between neighbours at states predicted to this part are those at the states
// themselves but for its square.
static const double PREDICTED = 0.01;

bool trmi_radau_sensitivities_create(trm_simulation *s)
{
    trmi_sensitivities *z = s->sensitivity;
    trmi_memory *m = &s->memory;
    const trmi_evaluator *e = &s->e;
    const int stages = trmi_radau_of(s)->family[trmi_radau_of(s)->order.max].s, n = e->n_q;
    trmi_radau_sensitivity *r;
    bool good = TRMI_TAKE(m, r, 1) && TRMI_TAKE(m, r->rows, e->n_r_full + 1) &&
                TRMI_TAKE(m, r->work, trmi_rhs_size(e));
    z->state = good ? r : NULL;
    for (int i = 0; i <= stages && good; i++)
        good = TRMI_TAKE(m, r->node[i], z->count * z->size) &&
               TRMI_TAKE(m, r->next[i], z->count * z->size);
    for (int i = 0; i < stages && good; i++) {
        trmi_sensitive_stage *g = &r->stage[i];
        good = trmi_values_create(&g->values, m, &s->e, trmi_sensitivities_quantities(s),
                                  &z->uncounted) &&
               trmi_parameter_terms_create(&g->terms, m, e) && TRMI_TAKE(m, g->q, z->size) &&
               TRMI_TAKE(m, g->way, n) && TRMI_TAKE(m, g->slope, n) && TRMI_TAKE(m, g->a, n) &&
               TRMI_TAKE(m, g->rate, e->n_x) && TRMI_TAKE(m, g->y, n) &&
               TRMI_TAKE(m, g->lambda, e->n_r_full + 1) &&
               TRMI_TAKE(m, g->step, trmi_rhs_size(e)) &&
               TRMI_TAKE(m, g->step_before, trmi_rhs_size(e)) &&
               TRMI_TAKE(m, g->change, trmi_rhs_size(e));
        if (good) {
            g->v = g->q + n;
            g->x = g->v + n;
            g->z = g->x + e->n_x;
        }
    }
    return good;
}

// ---- one parameter ----

// How well the polynomial of the last step predicts: its nodes are known to what iterations leave,
// which the weights multiply, in a step eight times as long by 1e10.
static bool reaches(const trm_simulation *s)
{
    const trmi_radau_sensitivity *r = trmi_radau_sensitivity_of(s);
    const trmi_radau *of = trmi_radau_of(s);
    double sum = 0;
    if (!of->extrapolated || r->node_of != of->past.tableau)
        return false;
    for (int l = 0; l <= r->node_of->s; l++)
        sum += fabs(of->stage[of->tableau->s - 1].ahead[l]);
    return sum * trmi_sensitivities_limit(s) <= PREDICTED;
}

// rate = derivatives at the end of the last step, by its polynomial; 0: there is none, or forces
// remember something, whose terms depend on the prediction (memory.c)
static void find_rates(const trm_simulation *s, double *const *node, bool known, double *rate)
{
    const trmi_radau_sensitivity *r = trmi_radau_sensitivity_of(s);
    const int size = s->sensitivity->size;
    double weight[TRMI_MAX_STAGES + 1] = {0};
    memset(rate, 0, (size_t)size * sizeof *rate);
    if (!known)
        return;
    const trmi_radau_tableau *t = r->node_of;
    for (int j = 0; j < t->s; j++) {
        weight[j + 1] = t->gamma[t->s - 1][j] / r->node_h;
        weight[0] -= weight[j + 1];
    }
    trmi_combine(t->s + 1, weight, node, size, rate);
}

// S_i = s_n + h sum_j A_ij U_j: the polynomial of the velocities knows those of the beginning as
// well, and has one degree more than the slopes of the positions. Their own, beyond its end, is
// mostly off by several times as much.
static void integrate(trm_simulation *s, double h, const double *y)
{
    trmi_radau_sensitivity *r = trmi_radau_sensitivity_of(s);
    const trmi_radau_tableau *t = trmi_radau_of(s)->tableau;
    for (int i = 0; i < t->s; i++)
        for (int k = 0; k < s->e.n_q; k++) {
            double sum = 0;
            for (int j = 0; j < t->s; j++)
                sum += t->integral[i][j] * r->stage[j].v[k];
            r->stage[i].way[k] = h * sum;
            r->stage[i].q[k] = y[k] + r->stage[i].way[k];
        }
}

// start values: velocities from the polynomial of the last step beyond its end, with the weights
// that the stages were predicted with, and positions from these, or both from y and its rates
static void predict(trm_simulation *s, int k, double h, const double *y)
{
    trmi_radau_sensitivity *r = trmi_radau_sensitivity_of(s);
    const trmi_sensitivities *z = s->sensitivity;
    const trmi_radau *of = trmi_radau_of(s);
    const int n = s->e.n_q;
    const bool known =
        r->node_of && s->e.user.n_memories == 0 && r->node_t + r->node_h == s->history.t[0];
    const bool extrapolates = known && reaches(s);
    double *node[TRMI_MAX_STAGES + 1] = {0}, *rate = z->difference[0];
    for (int l = 0; known && l <= r->node_of->s; l++)
        node[l] = r->node[l] + (size_t)k * (size_t)z->size + (extrapolates ? n : 0);
    if (!extrapolates)
        find_rates(s, node, known, rate);
    for (int i = 0; i < of->tableau->s; i++) {
        trmi_sensitive_stage *g = &r->stage[i];
        const double d = of->tableau->node[i + 1] * h;
        memset(g->lambda, 0, (size_t)s->e.n_r * sizeof *g->lambda);
        memset(g->y, 0, (size_t)n * sizeof *g->y);
        if (extrapolates) {
            trmi_combine(r->node_of->s + 1, of->stage[i].ahead, node, z->size - n, g->v);
            continue;
        }
        for (int j = 0; j < n; j++) {
            g->way[j] = d * (y[n + j] + 0.5 * d * rate[n + j]);
            g->q[j] = y[j] + g->way[j];
        }
        for (int j = n; j < z->size; j++)
            g->q[j] = y[j] + d * rate[j];
    }
    if (extrapolates)
        integrate(s, h, y);
}

// The terms of a parameter at all stages, with the present values as a prediction, which is kept.
static bool find_terms(trm_simulation *s, int k)
{
    trmi_radau_sensitivity *r = trmi_radau_sensitivity_of(s);
    trmi_radau *of = trmi_radau_of(s);
    const size_t size = (size_t)s->sensitivity->size;
    for (int i = 0; i < of->tableau->s; i++) {
        trmi_sensitive_stage *g = &r->stage[i];
        memcpy(r->next[i + 1] + (size_t)k * size, g->q, size * sizeof *g->q);
        if (!trmi_sensitivities_terms(s, k, &of->stage[i].point, false, &g->values, g->q,
                                      &g->terms))
            return false;
    }
    return true;
}

// Whether the terms are differences along a prediction that was far from what has come of it.
static bool predicted_badly(const trm_simulation *s, int k, double largest)
{
    const trmi_radau_sensitivity *r = trmi_radau_sensitivity_of(s);
    const size_t at = (size_t)k * (size_t)s->sensitivity->size;
    double change = 0;
    if (trmi_sensitivities_predict_nothing(s, k))
        return false;
    for (int i = 0; i < trmi_radau_of(s)->tableau->s; i++)
        for (int j = 0; j < s->e.n_q; j++)
            change = fmax(change, fabs(r->stage[i].q[j] - r->next[i + 1][at + (size_t)j]));
    return change > PREDICTED * largest;
}

static bool solve_parameter(trm_simulation *s, int k, double h, const double *y)
{
    const trmi_radau *of = trmi_radau_of(s);
    const double negligible = trmi_sensitivities_negligible(s, k);
    double before = HUGE_VAL;
    int repeats = 0;
    predict(s, k, h, y);
    if (!find_terms(s, k))
        return false;
    trmi_radau_place_sensitivities(s, y);
    for (int m = 0; m < MAX_ITERATIONS; m++) {
        const bool first = before == HUGE_VAL;
        trmi_sensitive_size size = trmi_radau_iterate_sensitivities(s, h, y, first);
        if (!isfinite(size.correction))
            return false;
        // what the next iterations would add, by the rate of the last two, or that of the step,
        // which had the same matrix: good enough, or as good as roundoff allows
        double known = of->newton.rate > 0 ? of->newton.rate : 1;
        double rate = first ? known : size.correction < before ? size.correction / before : 1;
        double left = rate < 0.5 ? size.left * rate / (1 - rate) : size.left;
        bool noise =
            size.correction >= before && size.correction <= trmi_sensitivities_roundoff(s, k);
        before = size.left;
        // a parameter without influence has sensitivities that are errors, to be iterated no
        // further
        if (left > fmax(trmi_sensitivities_limit(s) * size.value, negligible) && !noise)
            continue;
        trmi_radau_place_sensitivities(s, y);
        trmi_radau_move_sensitivities(s, h);
        if (repeats++ == MAX_REPEATS || !predicted_badly(s, k, size.value))
            return true;
        before = HUGE_VAL;
        if (!find_terms(s, k))
            return false;
    }
    return false;
}

// ---- steps ----

// The nodes of the step become those of dense output.
static void keep(trm_simulation *s, const trmi_step_trial *trial)
{
    trmi_radau_sensitivity *r = trmi_radau_sensitivity_of(s);
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
    trmi_radau_sensitivity *r = trmi_radau_sensitivity_of(s);
    trmi_sensitivities *z = s->sensitivity;
    trmi_radau *of = trmi_radau_of(s);
    const size_t size = (size_t)z->size;
    const double *from = z->past.count > 0 ? z->past.y[0] : z->begin;
    memcpy(r->next[0], from, (size_t)z->count * size * sizeof *from);
    trmi_sensitivities_take_gaps(s, &of->stage[of->tableau->s - 1].point);
    // the last residual had those before the last correction, and 1/h of it is much in short steps
    trmi_radau_find_accelerations(s, trial->h);
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
    const trmi_radau_sensitivity *r = trmi_radau_sensitivity_of(s);
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
    trmi_radau_sensitivity *r = z->state;
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
