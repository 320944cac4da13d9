// SPDX-License-Identifier: Apache-2.0
// Derivatives by differences: one table says what each derivative is the derivative of.
#include "system/evaluator.h"
#include "system/levels.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef enum variable { BY_T, BY_Q, BY_V, BY_X, BY_Z, BY_LAMBDA } variable;

// out = what is differenced, at the point
typedef int base_function(trmi_evaluator *e, const trmi_point *p, double *out);

static int copy_of(trmi_evaluator *e, const trmi_point *p, trm_quantity quantity, double scale,
                   double *out)
{
    int result = trmi_evaluate(e, p, TRM_BIT(quantity));
    const trmi_values *b = &e->block[quantity];
    for (int i = 0; i < b->rows && result == 0; i++)
        out[i] = scale * b->value[i];
    return result;
}

static int base_constraint(trmi_evaluator *e, const trmi_point *p, double *out)
{
    return copy_of(e, p, TRM_CONSTRAINT, 1, out);
}

static int base_force(trmi_evaluator *e, const trmi_point *p, double *out)
{
    return copy_of(e, p, TRM_FORCE, 1, out);
}

static int base_minus_force(trmi_evaluator *e, const trmi_point *p, double *out)
{
    return copy_of(e, p, TRM_FORCE, -1, out);
}

static int base_rate(trmi_evaluator *e, const trmi_point *p, double *out)
{
    return copy_of(e, p, TRM_RATE, 1, out);
}

static int base_algebraic(trmi_evaluator *e, const trmi_point *p, double *out)
{
    return copy_of(e, p, TRM_ALGEBRAIC, 1, out);
}

static int base_invariant(trmi_evaluator *e, const trmi_point *p, double *out)
{
    return copy_of(e, p, TRM_INVARIANT, 1, out);
}

// M a - f
static int base_inertia(trmi_evaluator *e, const trmi_point *p, double *out)
{
    int result = trmi_evaluate(e, p, TRM_BIT(TRM_MASS) | TRM_BIT(TRM_FORCE));
    if (result == 0)
        trmi_mass_product(e, p->a, out);
    for (int i = 0; i < e->n_q && result == 0; i++)
        out[i] -= e->block[TRM_FORCE].value[i];
    return result;
}

// G^T lambda + A^T lambda_a
static int base_constraint_force(trmi_evaluator *e, const trmi_point *p, double *out)
{
    int result = trmi_evaluate(e, p, TRM_BIT(TRM_CONSTRAINT_Q) | TRM_BIT(TRM_ROLLING));
    memset(out, 0, (size_t)e->n_q * sizeof *out);
    if (result == 0)
        trmi_add_constraint_force(e, p->lambda, 1, out);
    return result;
}

// G v + g_t, A v + a
static int base_velocity(trmi_evaluator *e, const trmi_point *p, double *out)
{
    int result = trmi_evaluate(e, p, trmi_velocity_quantities(e));
    if (result == 0)
        trmi_velocity_level(e, p->v, out);
    return result;
}

typedef struct derivative {
    base_function *base;
    variable by;
} derivative;

static const derivative derivatives[TRM_QUANTITY_COUNT] = {
    [TRM_CONSTRAINT_Q] = {base_constraint, BY_Q},
    [TRM_CONSTRAINT_T] = {base_constraint, BY_T},
    [TRM_CONSTRAINT_Z] = {base_constraint, BY_Z},
    [TRM_VELOCITY_Q] = {base_velocity, BY_Q},
    [TRM_STIFFNESS] = {base_inertia, BY_Q},
    [TRM_GEOMETRIC] = {base_constraint_force, BY_Q},
    [TRM_DAMPING] = {base_minus_force, BY_V},
    [TRM_FORCE_X] = {base_force, BY_X},
    [TRM_FORCE_Z] = {base_force, BY_Z},
    [TRM_FORCE_LAMBDA] = {base_force, BY_LAMBDA},
    [TRM_RATE_Q] = {base_rate, BY_Q},
    [TRM_RATE_V] = {base_rate, BY_V},
    [TRM_RATE_X] = {base_rate, BY_X},
    [TRM_RATE_Z] = {base_rate, BY_Z},
    [TRM_RATE_LAMBDA] = {base_rate, BY_LAMBDA},
    [TRM_ALGEBRAIC_Q] = {base_algebraic, BY_Q},
    [TRM_ALGEBRAIC_V] = {base_algebraic, BY_V},
    [TRM_ALGEBRAIC_X] = {base_algebraic, BY_X},
    [TRM_ALGEBRAIC_Z] = {base_algebraic, BY_Z},
    [TRM_ALGEBRAIC_LAMBDA] = {base_algebraic, BY_LAMBDA},
    [TRM_ALGEBRAIC_T] = {base_algebraic, BY_T},
    [TRM_INVARIANT_Q] = {base_invariant, BY_Q},
    [TRM_INVARIANT_V] = {base_invariant, BY_V},
};

static void swap(double **x, double **y)
{
    double *t = *x;
    *x = *y;
    *y = t;
}

enum { ASIDE = 2 };

// While differences are formed, evaluations write into spare values, so that the values at the
// point itself survive. Constants are not evaluated again and stay where they are.
static void swap_values(trmi_evaluator *e, int depth)
{
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++)
        if (!(e->user.constant & e->constant_done & TRM_BIT(k)))
            swap(&e->block[k].value, &e->block[k].spare[depth]);
    if (e->constraint_uses_z)
        swap(&e->total.value, &e->total.spare[depth]);
    else
        e->total.value = e->block[TRM_CONSTRAINT_Q].value;
    if (depth != ASIDE)
        swap(&e->input, &e->work[depth].input);
    e->input_time = NAN;
}

void trmi_evaluator_set_aside(trmi_evaluator *e)
{
    if (e->has_spares)
        swap_values(e, ASIDE);
}

void trmi_evaluator_bring_back(trmi_evaluator *e)
{
    if (e->has_spares)
        swap_values(e, ASIDE);
}

static double scale_of(const double *scale, int i)
{
    return scale ? scale[i] : 1;
}

// whether G is known without differences
static bool gradient_supplied(const trmi_evaluator *e)
{
    uint64_t parts = TRM_BIT(TRM_CONSTRAINT_Q);
    if (e->constraint_uses_z)
        parts |= TRM_BIT(TRM_CONSTRAINT_Z) | TRM_BIT(TRM_ALGEBRAIC_Z) | TRM_BIT(TRM_ALGEBRAIC_Q) |
                 TRM_BIT(TRM_ALGEBRAIC_T) | TRM_BIT(TRM_CONSTRAINT_T);
    return (parts & ~(e->supplied | e->absent)) == 0;
}

static const double ONE_SIDED = 1.4901161193847656e-8, TWO_SIDED = 6.0554544523933429e-6;

// relative increment: one-sided sqrt(eps), two-sided cbrt(eps); coarser where the base itself
// holds differences of g (noise about 1e-11)
static double increment(const trmi_evaluator *e, trm_quantity quantity, bool central)
{
    bool nested =
        (quantity == TRM_GEOMETRIC || quantity == TRM_VELOCITY_Q) && !gradient_supplied(e);
    if (nested)
        return 1e-4;
    return central ? TWO_SIDED : ONE_SIDED;
}

// An increment of `step` times the scale. Where the variable is much larger than its scale (an
// angle after many turns) its roundoff grows, not its scale: the balance with the truncation error
// then asks for step (|w|/scale)^(1/3), two-sided, or ^(1/2)
static double move(double w, double scale, double step, bool central)
{
    double ratio = fmax(1, fabs(w) / scale);
    return step * scale * (central ? cbrt(ratio) : sqrt(ratio));
}

double trmi_increment_q(const trmi_evaluator *e, double q, int i)
{
    return move(q, scale_of(e->user.q_scale, i), TWO_SIDED, true);
}

// the array of the variable in a copy of the point, its length and its scales
static int select_variable(trmi_evaluator *e, trmi_point *p, variable by, const double **scale)
{
    double *moved = e->work[e->depth - 1].moved;
    double **arrays[] = {NULL, &p->q, &p->v, &p->x, &p->z, &p->lambda};
    const int lengths[] = {1, e->n_q, e->n_q, e->n_x, e->n_z, e->n_r};
    const double *scales[] = {
        NULL, e->user.q_scale, e->user.v_scale, e->user.x_scale, e->user.z_scale, NULL};
    *scale = scales[by];
    if (by != BY_T) {
        int length = by == BY_LAMBDA ? e->n_r + 1 : lengths[by];
        memcpy(moved, *arrays[by], (size_t)length * sizeof *moved);
        *arrays[by] = moved;
    }
    return lengths[by];
}

// the entries of column j: contiguous in a dense pattern, searched otherwise
static void store_column(const trmi_values *b, int j, bool dense, const double *column, double *out)
{
    int begin = dense ? j * b->rows : 0, end = dense ? begin + b->rows : b->count;
    for (int k = begin; k < end; k++)
        if (b->column[k] == j)
            out[k] = column[b->row[k]];
}

// the row that stands for all dropped constraint rows has no derivative
static bool rows_are_dropped(const trmi_evaluator *e, trm_quantity quantity)
{
    return e->n_r < e->n_r_full && (quantity == TRM_CONSTRAINT_Q || quantity == TRM_CONSTRAINT_T ||
                                    quantity == TRM_CONSTRAINT_Z || quantity == TRM_VELOCITY_Q);
}

static int difference_columns(trmi_evaluator *e, trmi_point p, trm_quantity quantity, bool central,
                              double *out)
{
    const derivative *d = &derivatives[quantity];
    const trmi_difference_work *w = &e->work[e->depth - 1];
    const trmi_values *b = &e->block[quantity];
    const double *scale;
    int n = select_variable(e, &p, d->by, &scale);
    bool dense = e->user.pattern[quantity].count == TRM_PATTERN_DENSE && e->n_r == e->n_r_full;
    double step = increment(e, quantity, central);
    central = central || step > 1e-6;
    int result = central ? 0 : d->base(e, &p, w->minus);
    for (int j = 0; j < n && result == 0; j++) {
        double *entry = d->by == BY_T ? &p.t : &w->moved[j], middle = *entry;
        double delta = move(middle, scale_of(scale, j), step, central);
        *entry = middle + delta;
        double high = *entry;
        result = d->base(e, &p, w->plus);
        *entry = middle - delta;
        double low = central ? *entry : middle;
        if (central && result == 0)
            result = d->base(e, &p, w->minus);
        *entry = middle;
        for (int i = 0; i < b->rows; i++)
            w->base[i] = (w->plus[i] - w->minus[i]) / (high - low);
        if (rows_are_dropped(e, quantity))
            w->base[e->n_r] = 0;
        if (b->row)
            store_column(b, j, dense, w->base, out);
        else
            memcpy(out, w->base, (size_t)b->rows * sizeof *out);
    }
    return result;
}

// a point moved along the flow by s: q + s v, t + s, z settled; velocities held
static int move_along_flow(trmi_evaluator *e, const trmi_point *p, double s, trmi_point *moved)
{
    *moved = *p;
    moved->t = p->t + s;
    moved->q = e->work[e->depth - 1].moved;
    for (int i = 0; i < e->n_q; i++)
        moved->q[i] = p->q[i] + s * p->v[i];
    if (!e->constraint_uses_z)
        return 0;
    moved->z = e->work[e->depth - 1].z;
    memcpy(moved->z, p->z, (size_t)e->n_z * sizeof *moved->z);
    return trmi_settle_z(e, moved);
}

// the largest time over which no coordinate moves by more than `fraction` of its size
static double flow_step(const trmi_evaluator *e, const trmi_point *p, double fraction)
{
    double s = fraction;
    for (int i = 0; i < e->n_q; i++) {
        double size = fmax(fabs(p->q[i]), scale_of(e->user.q_scale, i));
        if (fabs(p->v[i]) * s > fraction * size)
            s = fraction * size / fabs(p->v[i]);
    }
    return s;
}

// gamma = d/ds (G v + g_t) along (q + s v, t + s), likewise for A. Where G itself would come from
// differences, the holonomic rows are a second difference of g
static int difference_gamma(trmi_evaluator *e, const trmi_point *p, double *out)
{
    bool second = !gradient_supplied(e) && e->n_g > 0;
    base_function *base = second ? base_constraint : base_velocity;
    double s = flow_step(e, p, second ? 1e-4 : 1e-6);
    double t_high = p->t + s, t_low = p->t - s;
    s = 0.5 * (t_high - t_low);
    const trmi_difference_work *w = &e->work[e->depth - 1];
    trmi_point moved;
    int result = move_along_flow(e, p, s, &moved);
    if (result == 0)
        result = base(e, &moved, w->plus);
    if (result == 0)
        result = move_along_flow(e, p, -s, &moved);
    if (result == 0)
        result = base(e, &moved, w->minus);
    if (result == 0 && second)
        result = move_along_flow(e, p, 0, &moved); // settles z
    if (result == 0 && second)
        result = base(e, &moved, w->base);
    for (int i = 0; i < e->n_r && result == 0; i++)
        out[i] = second ? (w->plus[i] - 2 * w->base[i] + w->minus[i]) / (s * s)
                        : (w->plus[i] - w->minus[i]) / (2 * s);
    return result;
}

// the rolling rows of gamma when the holonomic ones came from second differences
static int difference_gamma_rolling(trmi_evaluator *e, const trmi_point *p, double *out)
{
    const trmi_difference_work *w = &e->work[e->depth - 1];
    double s = flow_step(e, p, 1e-6), *sides[] = {w->plus, w->minus};
    int result = 0;
    for (int side = 0; side < 2 && result == 0; side++) {
        trmi_point moved;
        result = move_along_flow(e, p, side ? -s : s, &moved);
        if (result == 0)
            result = base_velocity(e, &moved, sides[side]);
    }
    for (int i = e->n_g; i < e->n_r && result == 0; i++)
        out[i] = (w->plus[i] - w->minus[i]) / (2 * s);
    return result;
}

int trmi_difference(trmi_evaluator *e, const trmi_point *p, trm_quantity quantity, bool central,
                    double *out)
{
    int depth = e->depth++;
    swap_values(e, depth);
    int result = quantity == TRM_GAMMA ? difference_gamma(e, p, out)
                                       : difference_columns(e, *p, quantity, central, out);
    if (result == 0 && quantity == TRM_GAMMA && e->n_a > 0 && e->n_g > 0 && !gradient_supplied(e))
        result = difference_gamma_rolling(e, p, out);
    swap_values(e, depth);
    e->depth = depth;
    return result;
}
