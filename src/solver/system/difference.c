// SPDX-License-Identifier: Apache-2.0
// Derivatives by differences. Columns of one group are moved at once (src/solver/system/groups.h);
// derivatives by the same variable that share their groups share their evaluations. The evaluations
// at moved points go to a value set of their own.
#include "solver/system/difference.h"

#include "base/quantities.h"

#include <math.h>
#include <string.h>

static double scale_of(const double *scale, int i)
{
    return scale ? scale[i] : 1;
}

// The scratch of the difference that is being formed.
static trmi_difference_work *work_of(trmi_evaluator *e)
{
    return &e->work[e->depth - 1];
}

static const double ONE_SIDED = 1.4901161193847656e-8, TWO_SIDED = 6.0554544523933429e-6;
static const double PAPER_FLOOR = 1.220703125e-4; // eps^(1/4)

// those inside a difference keep their usual steps
static bool has_own_step(const trmi_evaluator *e)
{
    return e->step > 0 && e->depth == 1;
}

// relative increment: one-sided sqrt(eps), two-sided cbrt(eps); coarser where the base itself
// holds differences of g (noise about 1e-11)
static double increment(const trmi_evaluator *e, trm_quantity quantity, bool central)
{
    if (has_own_step(e))
        return e->step;
    bool nested = (quantity == TRM_QUANTITY_GEOMETRIC || quantity == TRM_QUANTITY_VELOCITY_Q) &&
                  !trmi_gradient_supplied(e);
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

// the variable in a copy of the point becomes an array of its own
static void select_variable(trmi_evaluator *e, trmi_point *p, trmi_variable by)
{
    double *moved = work_of(e)->moved;
    double **arrays[] = {NULL, &p->q, &p->v, &p->x, &p->z, &p->lambda};
    const int lengths[] = {0, e->n_q, e->n_q, e->n_x, e->n_z, e->n_r + 1};
    memcpy(moved, *arrays[by], (size_t)lengths[by] * sizeof *moved);
    *arrays[by] = moved;
}

// One sweep over all groups of columns.
typedef struct sweep {
    trmi_evaluator *e;
    trmi_point point; // with the moved variable
    uint64_t quantities, needs;
    const trmi_column_groups *groups;
    const double *scale;
    double step;
    bool central;
} sweep;

// the bases of all quantities at the point
static int evaluate_bases(const sweep *s, double *out)
{
    trmi_evaluator *e = s->e;
    trmi_values *values = &work_of(e)->values;
    int result = trmi_evaluate(e, &s->point, s->needs, values);
    for (int k = 0; k < TRM_QUANTITY_COUNT && result == 0; k++)
        if (s->quantities & TRM_BIT_OF(k)) {
            double *first = out + trmi_difference_first_row(e, (trm_quantity)k);
            trmi_differentiated_find((trm_quantity)k, values, &s->point, first);
            if (trmi_differentiated_of((trm_quantity)k)->needs == TRM_BIT(CONSTRAINT) ||
                k == TRM_QUANTITY_VELOCITY_Q)
                first[e->n_r] = 0; // the row that represents all dropped ones
        }
    return result;
}

// the columns of group g by their increments: width = high - low, or high - middle
static void move_group(const sweep *s, int g, double sign)
{
    const trmi_difference_work *w = work_of(s->e);
    for (int i = s->groups->start[g]; i < s->groups->start[g + 1]; i++) {
        int j = s->groups->column[i];
        double middle = w->middle[j], scale = scale_of(s->scale, j);
        double delta = move(middle, scale, s->step, s->central);
        if (s->e->paper_increments && !s->central)
            delta = ONE_SIDED * fmax(fabs(middle), PAPER_FLOOR);
        w->moved[j] = middle + sign * delta;
        if (sign < 0)
            w->width[j] -= w->moved[j];
        else
            w->width[j] = s->central ? w->moved[j] : w->moved[j] - middle;
    }
}

static void move_back(const sweep *s, int g)
{
    const trmi_difference_work *w = work_of(s->e);
    for (int i = s->groups->start[g]; i < s->groups->start[g + 1]; i++)
        w->moved[s->groups->column[i]] = w->middle[s->groups->column[i]];
}

// the entries of group g in all quantities
static void store_group(const sweep *s, int g, double *const out[TRM_QUANTITY_COUNT])
{
    const trmi_difference_work *w = work_of(s->e);
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++) {
        if (!(s->quantities & TRM_BIT_OF(k)))
            continue;
        const trmi_quantity *b = &s->e->block[k];
        int first = trmi_difference_first_row(s->e, (trm_quantity)k);
        const double *plus = w->plus + first, *minus = w->minus + first;
        for (int i = b->group_start[g]; i < b->group_start[g + 1]; i++) {
            int entry = b->group_entry[i], row = b->pattern.row[entry];
            out[k][entry] = (plus[row] - minus[row]) / w->width[b->pattern.column[entry]];
        }
    }
}

static int difference_columns(trmi_evaluator *e, const trmi_point *p, uint64_t quantities,
                              bool central, double *const out[TRM_QUANTITY_COUNT])
{
    trm_quantity first = (trm_quantity)__builtin_ctzll(quantities);
    const trmi_difference_work *w = work_of(e);
    sweep s = {.e = e, .point = *p, .quantities = quantities, .groups = e->block[first].groups};
    s.step = increment(e, first, central);
    s.central = central || s.step > 1e-6;
    s.scale = trmi_difference_scales(e, first);
    select_variable(e, &s.point, trmi_differentiated_of(first)->by);
    memcpy(w->middle, w->moved, (size_t)trmi_difference_columns(e, first) * sizeof *w->middle);
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++)
        if (quantities & TRM_BIT_OF(k)) {
            const trmi_quantity *b = &e->block[k];
            s.needs |= trmi_differentiated_needs(e, (trm_quantity)k);
            if (b->group_start[b->groups->count] < b->count) // entries that belong to no group
                memset(out[k], 0, (size_t)b->count * sizeof *out[k]);
        }
    int result = s.central ? 0 : evaluate_bases(&s, w->minus);
    for (int g = 0; g < s.groups->count && result == 0; g++) {
        move_group(&s, g, 1);
        result = evaluate_bases(&s, w->plus);
        if (s.central && result == 0) {
            move_group(&s, g, -1);
            result = evaluate_bases(&s, w->minus);
        }
        move_back(&s, g);
        store_group(&s, g, out);
    }
    return result;
}

static double time_scale(const trmi_evaluator *e)
{
    return e->user.t_scale > 0 ? e->user.t_scale : 1;
}

// g_t and b_t: always two-sided, they belong to the levels of the constraints
static int difference_time(trmi_evaluator *e, const trmi_point *p, trm_quantity quantity,
                           double *out)
{
    uint64_t needs = trmi_differentiated_of(quantity)->needs;
    trmi_difference_work *w = work_of(e);
    double delta = move(p->t, time_scale(e), increment(e, quantity, true), true);
    double *sides[] = {w->plus, w->minus}, t[2];
    trmi_point moved = *p;
    int result = 0;
    for (int side = 0; side < 2 && result == 0; side++) {
        moved.t = t[side] = side ? p->t - delta : p->t + delta;
        result = trmi_evaluate(e, &moved, needs, &w->values);
        if (result == 0)
            trmi_differentiated_find(quantity, &w->values, &moved, sides[side]);
    }
    w->middle[0] = p->t;
    w->width[0] = t[0] - t[1];
    for (int i = 0; i < e->block[quantity].rows && result == 0; i++)
        out[i] = (w->plus[i] - w->minus[i]) / w->width[0];
    if (result == 0 && quantity == TRM_QUANTITY_CONSTRAINT_T && e->n_r < e->n_r_full)
        out[e->n_r] = 0;
    return result;
}

// ---- the acceleration level, along the flow (q + s v, t + s) ----

// out (n_r) = a level of the constraints at the point
typedef int level_function(trmi_evaluator *e, const trmi_point *p, double *out);

static int position_level(trmi_evaluator *e, const trmi_point *p, double *out)
{
    const trmi_values *values = &work_of(e)->values;
    int result = trmi_evaluate(e, p, TRM_BIT(CONSTRAINT), &work_of(e)->values);
    if (result == 0)
        memcpy(out, values->of[TRM_QUANTITY_CONSTRAINT],
               (size_t)e->block[TRM_QUANTITY_CONSTRAINT].rows * sizeof *out);
    return result;
}

static int velocity_level(trmi_evaluator *e, const trmi_point *p, double *out)
{
    trmi_values *values = &work_of(e)->values;
    int result = trmi_evaluate(e, p, trmi_velocity_quantities(e), values);
    if (result == 0)
        trmi_velocity_level(values, p->v, out);
    return result;
}

// a point moved along the flow by s: q + s v, t + s, z settled; velocities held
static int move_along_flow(trmi_evaluator *e, const trmi_point *p, double s, trmi_point *moved)
{
    *moved = *p;
    moved->t = p->t + s;
    moved->q = work_of(e)->moved;
    for (int i = 0; i < e->n_q; i++)
        moved->q[i] = p->q[i] + s * p->v[i];
    if (!e->constraint_uses_z)
        return 0;
    moved->z = work_of(e)->z;
    memcpy(moved->z, p->z, (size_t)e->n_z * sizeof *moved->z);
    return trmi_settle_z(e, moved, &work_of(e)->values);
}

// the largest time over which no coordinate moves by more than `usual` of its size
static double flow_step(const trmi_evaluator *e, const trmi_point *p, double usual)
{
    bool own = has_own_step(e);
    double fraction = own ? e->step : usual;
    double s = own ? move(p->t, time_scale(e), fraction, true) : fraction * time_scale(e);
    for (int i = 0; i < e->n_q; i++) {
        double size = trmi_unknown_unit(e->user.q_scale, i, p->q[i]);
        if (fabs(p->v[i]) * s > fraction * size)
            s = fraction * size / fabs(p->v[i]);
    }
    return s;
}

// gamma = d/ds (G v + g_t) along (q + s v, t + s), likewise for A. Where G itself would come from
// differences, the holonomic rows are a second difference of g
static int difference_levels(trmi_evaluator *e, const trmi_point *p, double *out)
{
    bool second = !trmi_gradient_supplied(e) && e->n_g > 0;
    level_function *level = second ? position_level : velocity_level;
    double s = flow_step(e, p, second ? 1e-4 : 1e-6);
    double t_high = p->t + s, t_low = p->t - s;
    s = 0.5 * (t_high - t_low);
    const trmi_difference_work *w = work_of(e);
    trmi_point moved;
    int result = move_along_flow(e, p, s, &moved);
    if (result == 0)
        result = level(e, &moved, w->plus);
    if (result == 0)
        result = move_along_flow(e, p, -s, &moved);
    if (result == 0)
        result = level(e, &moved, w->minus);
    if (result == 0 && second)
        result = move_along_flow(e, p, 0, &moved); // settles z
    if (result == 0 && second)
        result = level(e, &moved, w->base);
    w->middle[0] = p->t;
    w->width[0] = second ? s * s : 2 * s;
    for (int i = 0; i < e->n_r && result == 0; i++)
        out[i] = (second ? w->plus[i] - 2 * w->base[i] + w->minus[i] : w->plus[i] - w->minus[i]) /
                 w->width[0];
    return result;
}

// the rolling rows of gamma when the holonomic ones came from second differences
static int difference_rolling(trmi_evaluator *e, const trmi_point *p, double *out)
{
    const trmi_difference_work *w = work_of(e);
    double s = flow_step(e, p, 1e-6), *sides[] = {w->plus, w->minus};
    int result = 0;
    for (int side = 0; side < 2 && result == 0; side++) {
        trmi_point moved;
        result = move_along_flow(e, p, side ? -s : s, &moved);
        if (result == 0)
            result = velocity_level(e, &moved, sides[side]);
    }
    for (int i = e->n_g; i < e->n_r && result == 0; i++)
        out[i] = (w->plus[i] - w->minus[i]) / (2 * s);
    return result;
}

static int difference_gamma(trmi_evaluator *e, const trmi_point *p, double *out)
{
    int result = difference_levels(e, p, out);
    if (result == 0 && e->n_a > 0 && e->n_g > 0 && !trmi_gradient_supplied(e))
        result = difference_rolling(e, p, out);
    return result;
}

int trmi_difference(trmi_evaluator *e, const trmi_point *p, uint64_t quantities, bool central,
                    const trmi_values *from, double *const out[TRM_QUANTITY_COUNT])
{
    int result;
    trm_quantity first = (trm_quantity)__builtin_ctzll(quantities);
    trmi_values *values = &e->work[e->depth++].values;
    values->statistics = from->statistics;
    values->input_shift = from->input_shift;
    trmi_values_forget_inputs(values);
    if (first == TRM_QUANTITY_GAMMA)
        result = difference_gamma(e, p, out[first]);
    else if (trmi_differentiated_of(first)->by == TRMI_BY_T)
        result = difference_time(e, p, first, out[first]);
    else
        result = difference_columns(e, p, quantities, central, out);
    e->depth--;
    return result;
}
