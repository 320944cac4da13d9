// SPDX-License-Identifier: Apache-2.0
// How derivatives depend on the excitations U = (u, u', u''):
//
//     D_i = (dF/dy(U + eps_i e_i) - dF/dy(U)) / eps_i,    eps_i = 0.2 max_t |U_i(t)|
//
// The increment is large because dF/dy may itself come from differences, with a noise of 1e-8.
#include "base/quantities.h"
#include "solver/integrator/corrector/derivatives.h"
#include "solver/system/patterns.h"

#include <math.h>
#include <string.h>

// eps_i in units of the largest |U_i|, found from so many times
static const double INCREMENT = 0.2;
enum { TIMES = 200 };
// entries of D_i whose effect stays below this share of the largest derivative of their kind are
// noise
static const double NOISE = 1e-6;

// what depends on U where its derivatives do
static const uint64_t EQUATIONS =
    TRM_BIT(MASS) | TRM_BIT(FORCE) | TRM_BIT(RATE) | TRM_BIT(ALGEBRAIC) | TRM_BIT(CONSTRAINT);

// Evaluations with U_i moved by `by`; 0: where it is. The shift of the values is zero otherwise.
static int evaluate_moved(trmi_values *values, const trmi_point *p, uint64_t want, double *shift,
                          int i, double by)
{
    shift[i] = by;
    values->input_shift = shift;
    trmi_values_forget_inputs(values);
    int result = trmi_evaluate(values->e, p, want, values);
    shift[i] = 0;
    return result;
}

// the values of quantities, one after the other; returns their number
static int copy_values(const trmi_values *values, uint64_t quantities, double *out)
{
    int count = 0;
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++)
        if (trmi_has(quantities, (trm_quantity)k) && values->of[k]) {
            int entries = values->e->block[k].count;
            if (out)
                memcpy(out + count, values->of[k], (size_t)entries * sizeof *out);
            count += entries;
        }
    return count;
}

// all evaluations for the dependence on excitations belong to the derivatives
static void count_evaluations(const trmi_derivatives *d, const trm_statistics *probed)
{
    d->values->statistics->residual_evaluations_for_jacobian +=
        probed->residual_evaluations + probed->residual_evaluations_for_jacobian;
}

typedef struct probe {
    trmi_point point;
    trmi_values values;
    double *shift, *before, *after;
    bool *used;
} probe;

// marks the excitations that change anything at the point of the probe
static void mark_used(probe *p)
{
    trmi_values *values = &p->values;
    if (evaluate_moved(values, &p->point, EQUATIONS, p->shift, 0, 0) != 0)
        return;
    int count = copy_values(values, EQUATIONS, p->before);
    for (int i = 0; i < 3 * values->e->n_u; i++) {
        double by = 0.1 * (1 + fabs(values->input[i]));
        if (p->used[i])
            continue;
        int result = evaluate_moved(values, &p->point, EQUATIONS, p->shift, i, by);
        copy_values(values, EQUATIONS, p->after);
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
    return TRMI_TAKE(memory, d->slope, n * (size_t)d->size) &&
           TRMI_TAKE(memory, d->worse, d->size) && TRMI_TAKE(memory, d->at, n) &&
           TRMI_TAKE(memory, d->at_matrix, n) && TRMI_TAKE(memory, d->largest, n) &&
           TRMI_TAKE(memory, d->shift, inputs) &&
           (d->rule != TRM_JACOBIAN_UPDATE_EXTENDED ||
            trmi_values_create(&d->probe, memory, d->e, d->quantities, NULL));
}

bool trmi_derivatives_probe(trmi_derivatives *d, trmi_memory *memory, const trmi_point *point)
{
    trmi_evaluator *e = d->e;
    if ((d->rule != TRM_JACOBIAN_UPDATE_EXTENDED && d->rule != TRM_JACOBIAN_UPDATE_SECANT) ||
        d->size == 0)
        return true;
    trmi_memory scratch;
    trmi_memory_init(&scratch, &memory->allocator);
    trm_statistics probed = {0};
    probe p = {0};
    uint64_t seed = 1;
    bool good = trmi_values_create(&p.values, &scratch, e, EQUATIONS, &probed);
    int count = copy_values(&p.values, EQUATIONS, NULL);
    good = good && trmi_point_create(&p.point, &scratch, e) &&
           TRMI_TAKE(&scratch, p.shift, 3 * e->n_u) && TRMI_TAKE(&scratch, p.before, count) &&
           TRMI_TAKE(&scratch, p.after, count) && TRMI_TAKE(&scratch, p.used, 3 * e->n_u);
    for (int state = 0; state < TRMI_PERTURBED_STATES && good; state++) {
        trmi_perturb_point(e, point, &p.point, &seed);
        mark_used(&p);
    }
    good = good && take_used(d, memory, p.used);
    count_evaluations(d, &probed);
    trmi_memory_release_all(&scratch);
    return good;
}

// the largest |U_i| between the point and t_end
static void find_sizes(trmi_derivatives *d, const trmi_point *point, double t_end)
{
    trmi_point p = *point;
    for (int k = 0; k <= TIMES; k++) {
        p.t = point->t + (t_end - point->t) * k / TIMES;
        if (trmi_evaluate(d->e, &p, 0, &d->probe) != 0)
            continue;
        for (int i = 0; i < d->count; i++)
            d->largest[i] = fmax(d->largest[i], fabs(d->probe.input[d->input[i]]));
    }
}

// D_i from the derivatives at U (base) and at U + eps_i (the values of the probe), without noise
static void form_slope(const trmi_derivatives *d, int i, double eps, double *slope)
{
    for (int k = 0, first = 0; k < TRM_QUANTITY_COUNT; k++) {
        int count = d->e->block[k].count;
        if (!trmi_has(d->quantities, (trm_quantity)k))
            continue;
        double noise = NOISE * trmi_max_abs(d->base + first, count) / d->largest[i];
        for (int j = 0; j < count; j++) {
            double slope_j = (d->probe.of[k][j] - d->base[first + j]) / eps;
            slope[first + j] = fabs(slope_j) > noise ? slope_j : 0;
        }
        first += count;
    }
}

int trmi_derivatives_extend(trmi_derivatives *d, const trmi_point *point, double t_end)
{
    trm_statistics probed = {0};
    int failed = 0;
    if (d->rule != TRM_JACOBIAN_UPDATE_EXTENDED || d->known || d->count == 0)
        return 0;
    d->probe.statistics = &probed;
    d->probe.input_shift = NULL;
    find_sizes(d, point, t_end);
    bool good = evaluate_moved(&d->probe, point, d->quantities, d->shift, 0, 0) == 0;
    copy_values(&d->probe, d->quantities, d->base);
    for (int i = 0; i < d->count; i++) {
        double eps = INCREMENT * d->largest[i];
        if (eps == 0)
            continue;
        bool moved = good && evaluate_moved(&d->probe, point, d->quantities, d->shift, d->input[i],
                                            eps) == 0;
        if (moved)
            form_slope(d, i, eps, d->slope + (size_t)i * (size_t)d->size);
        failed += !moved;
    }
    d->known = true;
    count_evaluations(d, &probed);
    return failed;
}
