// SPDX-License-Identifier: Apache-2.0
// How derivatives depend on the excitations U = (u, u', u''):
//
//     D_i = (dF/dy(U + eps_i e_i) - dF/dy(U)) / eps_i,    eps_i = 0.2 max_t |U_i(t)|
//
// The increment is large because dF/dy may itself come from differences, with a noise of 1e-8.
#include "base/quantities.h"
#include "solver/integrator/corrector/derivatives.h"
#include "solver/system/perturb.h"

#include <math.h>
#include <string.h>

// eps_i in units of the largest |U_i|, which is looked for at so many times
static const double INCREMENT = 0.2;
enum { TIMES = 200 };
// entries of D_i whose effect stays below this share of the largest derivative of their kind are
// noise
static const double NOISE = 1e-6;

// what depends on U where its derivatives do
static const uint64_t EQUATIONS = TRM_BIT(TRM_MASS) | TRM_BIT(TRM_FORCE) | TRM_BIT(TRM_RATE) |
                                  TRM_BIT(TRM_ALGEBRAIC) | TRM_BIT(TRM_CONSTRAINT);

// evaluations with U_i moved by `by`; 0: where it is
static int evaluate_moved(trmi_evaluator *e, const trmi_point *p, uint64_t want, double *shift,
                          int i, double by)
{
    shift[i] = by;
    e->input_shift = shift;
    e->input_time = NAN;
    int result = trmi_evaluate(e, p, want);
    shift[i] = 0;
    e->input_shift = NULL;
    e->input_time = NAN;
    return result;
}

// the values of quantities, one after the other; returns their number
static int copy_values(const trmi_evaluator *e, uint64_t quantities, double *out)
{
    int count = 0;
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++)
        if (trmi_has(quantities, (trm_quantity)k) && e->block[k].value) {
            const trmi_values *b = &e->block[k];
            if (out)
                memcpy(out + count, b->value, (size_t)b->count * sizeof *out);
            count += b->count;
        }
    return count;
}

// What was evaluated here leaves no trace, and belongs to the derivatives.
static void settle(trmi_evaluator *e, const trmi_point *p, long evaluations_before)
{
    trm_statistics *st = e->statistics;
    st->residual_evaluations_for_jacobian += st->residual_evaluations - evaluations_before;
    st->residual_evaluations = evaluations_before;
    trmi_evaluate(e, p, 0); // the excitations
}

typedef struct probe {
    trmi_point point;
    double *shift, *before, *after;
    bool *used;
} probe;

// marks the excitations that change anything at the point of the probe
static void mark_used(trmi_evaluator *e, probe *p)
{
    if (evaluate_moved(e, &p->point, EQUATIONS, p->shift, 0, 0) != 0)
        return;
    int count = copy_values(e, EQUATIONS, p->before);
    for (int i = 0; i < 3 * e->n_u; i++) {
        double by = 0.1 * (1 + fabs(e->input[i]));
        if (p->used[i])
            continue;
        int result = evaluate_moved(e, &p->point, EQUATIONS, p->shift, i, by);
        copy_values(e, EQUATIONS, p->after);
        p->used[i] =
            result != 0 || memcmp(p->before, p->after, (size_t)count * sizeof(double)) != 0;
    }
}

static bool take_used(trmi_derivatives *d, trmi_memory *memory, const bool *used)
{
    int inputs = 3 * d->e->n_u;
    if (!TRMI_TAKE(memory, d->input, inputs))
        return false;
    for (int i = 0; i < inputs; i++)
        if (used[i])
            d->input[d->count++] = i;
    size_t n = (size_t)d->count;
    return TRMI_TAKE(memory, d->slope, n * (size_t)d->size) && TRMI_TAKE(memory, d->at, n) &&
           TRMI_TAKE(memory, d->at_matrix, n) && TRMI_TAKE(memory, d->largest, n) &&
           TRMI_TAKE(memory, d->shift, inputs);
}

bool trmi_derivatives_probe(trmi_derivatives *d, trmi_memory *memory, const trmi_point *point)
{
    trmi_evaluator *e = d->e;
    if ((d->rule != TRM_JACOBIAN_UPDATE_EXTENDED && d->rule != TRM_JACOBIAN_UPDATE_SECANT) ||
        d->size == 0)
        return true;
    trmi_memory scratch;
    trmi_memory_init(&scratch, &memory->allocator);
    long evaluations = e->statistics->residual_evaluations;
    probe p = {0};
    uint64_t seed = 1;
    int count = copy_values(e, EQUATIONS, NULL);
    bool good = trmi_point_create(&p.point, &scratch, e) &&
                TRMI_TAKE(&scratch, p.shift, 3 * e->n_u) && TRMI_TAKE(&scratch, p.before, count) &&
                TRMI_TAKE(&scratch, p.after, count) && TRMI_TAKE(&scratch, p.used, 3 * e->n_u);
    for (int state = 0; state < TRMI_PERTURBED_STATES && good; state++) {
        trmi_perturb_point(e, point, &p.point, &seed);
        mark_used(e, &p);
    }
    good = good && take_used(d, memory, p.used);
    settle(e, point, evaluations);
    trmi_memory_release_all(&scratch);
    return good;
}

// the largest |U_i| between the point and t_end
static void find_sizes(trmi_derivatives *d, const trmi_point *point, double t_end)
{
    trmi_evaluator *e = d->e;
    trmi_point p = *point;
    for (int k = 0; k <= TIMES; k++) {
        p.t = point->t + (t_end - point->t) * k / TIMES;
        if (trmi_evaluate(e, &p, 0) != 0)
            continue;
        for (int i = 0; i < d->count; i++)
            d->largest[i] = fmax(d->largest[i], fabs(e->input[d->input[i]]));
    }
}

// D_i from the derivatives at U (base) and at U + eps_i (the present values), without noise
static void form_slope(const trmi_derivatives *d, int i, double eps, double *slope)
{
    for (int k = 0, first = 0; k < TRM_QUANTITY_COUNT; k++) {
        const trmi_values *b = &d->e->block[k];
        if (!trmi_has(d->quantities, (trm_quantity)k))
            continue;
        double least = NOISE * trmi_max_abs(d->base + first, b->count) / d->largest[i];
        for (int j = 0; j < b->count; j++) {
            double slope_j = (b->value[j] - d->base[first + j]) / eps;
            slope[first + j] = fabs(slope_j) > least ? slope_j : 0;
        }
        first += b->count;
    }
}

int trmi_derivatives_extend(trmi_derivatives *d, const trmi_point *point, double t_end)
{
    trmi_evaluator *e = d->e;
    int failed = 0;
    if (d->rule != TRM_JACOBIAN_UPDATE_EXTENDED || d->known || d->count == 0)
        return 0;
    long evaluations = e->statistics->residual_evaluations;
    find_sizes(d, point, t_end);
    bool good = evaluate_moved(e, point, d->quantities, d->shift, 0, 0) == 0;
    copy_values(e, d->quantities, d->base);
    for (int i = 0; i < d->count; i++) {
        double eps = INCREMENT * d->largest[i];
        if (eps == 0)
            continue;
        bool moved =
            good && evaluate_moved(e, point, d->quantities, d->shift, d->input[i], eps) == 0;
        if (moved)
            form_slope(d, i, eps, d->slope + (size_t)i * (size_t)d->size);
        failed += !moved;
    }
    d->known = true;
    settle(e, point, evaluations);
    return failed;
}
