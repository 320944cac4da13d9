// SPDX-License-Identifier: Apache-2.0
// When the nested corrector can get no better. q is known to eps |q|, and so is g, which moves q by
// eps |q| / sigma, sigma the smallest singular value of G. Where G is about to lose rank that is
// more than v* = cv q + bq may be off, with shorter steps all the more. It does no harm: the
// projection gives velocities that satisfy G v = 0 to roundoff, those along the lost row included.
// So such a point is as good as any, as long as q itself is known to the tolerance.
#include "solver/integrator/corrector/corrector.h"

#include <float.h>
#include <math.h>
#include <string.h>

// roundoff of sums of a few terms, with a margin
static const double ROUNDOFF = 100 * DBL_EPSILON;
// what it may amount to in q, in tolerances
static const double HARMLESS = 1;

// Coordinates of joints begin at 0, constraints have the roundoff of whole lengths: a coordinate is
// not smaller than its typical size.
static double size_of(const trmi_corrector *c, int i)
{
    const double *typical = c->e->user.q_scale;
    return fmax(fabs(c->point.q[i]), typical ? typical[i] : 1);
}

// Multipliers follow from q: they get no better then.
double trmi_correction_roundoff(const trmi_corrector *c, trmi_leading lead)
{
    const trmi_evaluator *e = c->e;
    double sum = 0;
    for (int i = 0; i < e->n_q; i++) {
        double wq = c->weight_q[i], wv = lead.cv * c->weight_v[i], q = size_of(c, i);
        sum += 0.5 * q * q * (wq * wq + wv * wv);
    }
    return ROUNDOFF * sqrt(sum / (e->n_q + e->n_x + e->n_z));
}

double trmi_algebraic_roundoff(const trmi_corrector *c)
{
    int n = c->e->n_z;
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double z = c->point.z[i] * c->weight_z[i];
        sum += z * z;
    }
    return n > 0 ? ROUNDOFF * sqrt(sum / n) : 0;
}

// Where v* is not projected, or states depend on it, it must be as good as q.
bool trmi_roundoff_harmless(const trmi_corrector *c, const double *d)
{
    const trmi_evaluator *e = c->e;
    double sum = 0;
    if (e->n_r == 0 || e->n_x + e->n_z > 0 || c->policy->level != TRMI_LEVEL_POSITION ||
        c->policy->after != TRMI_AFTER_VELOCITY)
        return false;
    for (int i = 0; i < e->n_q; i++)
        sum += d[i] * d[i] * c->weight_q[i] * c->weight_q[i];
    return sqrt(sum / e->n_q) <= HARMLESS;
}

// size += |block| |q|, without the dummy row
static void add_sizes(const trmi_corrector *c, int quantity, int rows, double *size)
{
    const trmi_matrix block = trmi_matrix_of(c->values, quantity);
    for (trmi_cursor at = trmi_pattern_begin(&block.pattern); at.k < block.count && block.value;
         trmi_pattern_next(&at))
        if (at.row < rows)
            size[at.row] += fabs(block.value[at.k]) * size_of(c, at.column);
}

static bool all_below(const double *x, const double *size, int n)
{
    for (int i = 0; i < n; i++)
        if (!(fabs(x[i]) <= ROUNDOFF * size[i]))
            return false;
    return true;
}

// A constraint g_r is known to eps sum_j |G_rj| |q_j|; the shortest way back onto it moves q_i by
// |G_ri| / sum_j G_rj^2 times that. So a coordinate that is 0 has the roundoff of one that is large
// where a constraint holds both.
void trmi_position_sizes(const trmi_corrector *c, const double *q, double *size)
{
    const trmi_evaluator *e = c->e;
    const trmi_matrix total = trmi_matrix_of(c->values, TRMI_TOTAL);
    double *row = trmi_scratch_take(c->scratch, 2 * (e->n_r + 1)), *square = row + e->n_r + 1;
    memset(row, 0, (size_t)(2 * (e->n_r + 1)) * sizeof *row);
    for (int i = 0; i < e->n_q; i++)
        size[i] = fabs(q[i]);
    int count = e->n_r > 0 && total.value ? total.count : 0;
    for (trmi_cursor at = trmi_pattern_begin(&total.pattern); at.k < count;
         trmi_pattern_next(&at)) {
        double g = total.value[at.k];
        row[at.row] += fabs(g * q[at.column]);
        square[at.row] += g * g;
    }
    for (trmi_cursor at = trmi_pattern_begin(&total.pattern); at.k < count;
         trmi_pattern_next(&at)) {
        if (!(at.row < e->n_r && square[at.row] > 0))
            continue;
        double part = fabs(total.value[at.k]) * row[at.row] / square[at.row];
        if (part > size[at.column]) // not fmax: a call per entry
            size[at.column] = part;
    }
    trmi_scratch_release(c->scratch, row);
}

// Row by row: (M a - f + G^T lambda) / (cv ca) against |M| |q|, for a has the roundoff of cv ca q,
// and g against |G| |q|. What stiff forces add is not counted: there the corrections decide. The
// accelerations, which follow from q, are scratch; no more rows are independent than coordinates.
bool trmi_residual_is_roundoff(const trmi_corrector *c, const double *rhs)
{
    const trmi_evaluator *e = c->e;
    double *size = c->point.a;
    memset(size, 0, (size_t)e->n_q * sizeof *size);
    add_sizes(c, TRM_QUANTITY_MASS, e->n_q, size);
    if (!all_below(rhs, size, e->n_q))
        return false;
    memset(size, 0, (size_t)e->n_r * sizeof *size);
    add_sizes(c, TRMI_TOTAL, e->n_r, size);
    add_sizes(c, TRM_QUANTITY_ROLLING, e->n_r, size);
    return all_below(rhs + e->n_q, size, e->n_r);
}
