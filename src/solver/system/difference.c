// SPDX-License-Identifier: Apache-2.0
// Derivatives by differences: one table says what each derivative is the derivative of. Columns of
// one group are moved at once (src/solver/system/groups.h); derivatives by the same variable that
// share their groups share their evaluations.
#include "solver/system/difference.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef enum variable { BY_T, BY_Q, BY_V, BY_X, BY_Z, BY_LAMBDA } variable;

// out = what is differenced, from the values of the last evaluation
typedef void base_function(const trmi_evaluator *e, const trmi_point *p, double *out);

static void copy_of(const trmi_evaluator *e, trm_quantity quantity, double scale, double *out)
{
    const trmi_values *b = &e->block[quantity];
    for (int i = 0; i < b->rows; i++)
        out[i] = scale * b->value[i];
}

static void base_constraint(const trmi_evaluator *e, const trmi_point *p, double *out)
{
    (void)p;
    copy_of(e, TRM_CONSTRAINT, 1, out);
}

static void base_force(const trmi_evaluator *e, const trmi_point *p, double *out)
{
    (void)p;
    copy_of(e, TRM_FORCE, 1, out);
}

static void base_minus_force(const trmi_evaluator *e, const trmi_point *p, double *out)
{
    (void)p;
    copy_of(e, TRM_FORCE, -1, out);
}

static void base_rate(const trmi_evaluator *e, const trmi_point *p, double *out)
{
    (void)p;
    copy_of(e, TRM_RATE, 1, out);
}

static void base_algebraic(const trmi_evaluator *e, const trmi_point *p, double *out)
{
    (void)p;
    copy_of(e, TRM_ALGEBRAIC, 1, out);
}

static void base_invariant(const trmi_evaluator *e, const trmi_point *p, double *out)
{
    (void)p;
    copy_of(e, TRM_INVARIANT, 1, out);
}

// M a - f
static void base_inertia(const trmi_evaluator *e, const trmi_point *p, double *out)
{
    trmi_mass_product(e, p->a, out);
    for (int i = 0; i < e->n_q; i++)
        out[i] -= e->block[TRM_FORCE].value[i];
}

// G^T lambda + A^T lambda_a
static void base_constraint_force(const trmi_evaluator *e, const trmi_point *p, double *out)
{
    memset(out, 0, (size_t)e->n_q * sizeof *out);
    trmi_add_constraint_force(e, p->lambda, 1, out);
}

// G v + g_t, A v + a
static void base_velocity(const trmi_evaluator *e, const trmi_point *p, double *out)
{
    trmi_velocity_level(e, p->v, out);
}

typedef struct derivative {
    base_function *base;
    uint64_t needs; // quantities the base is made of
    variable by;
    bool shares; // evaluations with others by this variable
} derivative;

#define FORCES TRM_BIT(TRM_FORCE)
#define RATES TRM_BIT(TRM_RATE)
#define ALGEBRAICS TRM_BIT(TRM_ALGEBRAIC)
#define CONSTRAINTS TRM_BIT(TRM_CONSTRAINT)
#define GRADIENTS (TRM_BIT(TRM_CONSTRAINT_Q) | TRM_BIT(TRM_ROLLING))
#define VELOCITIES (GRADIENTS | TRM_BIT(TRM_CONSTRAINT_T) | TRM_BIT(TRM_ROLLING_OFFSET))

static const derivative derivatives[TRM_QUANTITY_COUNT] = {
    [TRM_CONSTRAINT_Q] = {base_constraint, CONSTRAINTS, BY_Q, false},
    [TRM_CONSTRAINT_T] = {base_constraint, CONSTRAINTS, BY_T, false},
    [TRM_CONSTRAINT_Z] = {base_constraint, CONSTRAINTS, BY_Z, false},
    [TRM_VELOCITY_Q] = {base_velocity, VELOCITIES, BY_Q, false},
    [TRM_STIFFNESS] = {base_inertia, FORCES | TRM_BIT(TRM_MASS), BY_Q, true},
    [TRM_GEOMETRIC] = {base_constraint_force, GRADIENTS, BY_Q, false},
    [TRM_DAMPING] = {base_minus_force, FORCES, BY_V, true},
    [TRM_FORCE_X] = {base_force, FORCES, BY_X, true},
    [TRM_FORCE_Z] = {base_force, FORCES, BY_Z, true},
    [TRM_FORCE_LAMBDA] = {base_force, FORCES, BY_LAMBDA, true},
    [TRM_RATE_Q] = {base_rate, RATES, BY_Q, true},
    [TRM_RATE_V] = {base_rate, RATES, BY_V, true},
    [TRM_RATE_X] = {base_rate, RATES, BY_X, true},
    [TRM_RATE_Z] = {base_rate, RATES, BY_Z, true},
    [TRM_RATE_LAMBDA] = {base_rate, RATES, BY_LAMBDA, true},
    [TRM_ALGEBRAIC_Q] = {base_algebraic, ALGEBRAICS, BY_Q, true},
    [TRM_ALGEBRAIC_V] = {base_algebraic, ALGEBRAICS, BY_V, true},
    [TRM_ALGEBRAIC_X] = {base_algebraic, ALGEBRAICS, BY_X, true},
    [TRM_ALGEBRAIC_Z] = {base_algebraic, ALGEBRAICS, BY_Z, true},
    [TRM_ALGEBRAIC_LAMBDA] = {base_algebraic, ALGEBRAICS, BY_LAMBDA, true},
    [TRM_ALGEBRAIC_T] = {base_algebraic, ALGEBRAICS, BY_T, false},
    [TRM_INVARIANT_Q] = {base_invariant, TRM_BIT(TRM_INVARIANT), BY_Q, false},
    [TRM_INVARIANT_V] = {base_invariant, TRM_BIT(TRM_INVARIANT), BY_V, false},
};

bool trmi_difference_central(const trmi_evaluator *e, trm_quantity quantity)
{
    return quantity == TRM_CONSTRAINT_Q || quantity == TRM_CONSTRAINT_T ||
           quantity == TRM_CONSTRAINT_Z || quantity == TRM_GAMMA ||
           (e->constraint_uses_z && (quantity == TRM_ALGEBRAIC_Z || quantity == TRM_ALGEBRAIC_Q ||
                                     quantity == TRM_ALGEBRAIC_T));
}

static bool shares(const trmi_evaluator *e, trm_quantity quantity)
{
    return derivatives[quantity].shares && !trmi_difference_central(e, quantity);
}

uint64_t trmi_difference_companions(const trmi_evaluator *e, trm_quantity quantity)
{
    uint64_t mask = TRM_BIT(quantity);
    for (int k = 0; k < TRM_QUANTITY_COUNT && shares(e, quantity); k++)
        if (shares(e, (trm_quantity)k) && derivatives[k].by == derivatives[quantity].by)
            mask |= TRM_BIT(k);
    return mask & ~(e->supplied | e->absent);
}

int trmi_difference_columns(const trmi_evaluator *e, trm_quantity quantity)
{
    const int lengths[] = {1, e->n_q, e->n_q, e->n_x, e->n_z, e->n_r};
    return lengths[derivatives[quantity].by];
}

const double *trmi_difference_scales(const trmi_evaluator *e, trm_quantity quantity)
{
    const double *scales[] = {
        NULL, e->user.q_scale, e->user.v_scale, e->user.x_scale, e->user.z_scale, NULL};
    return scales[derivatives[quantity].by];
}

// the values of all bases lie one after the other: forces or constraints, rates, algebraic
int trmi_difference_first_row(const trmi_evaluator *e, trm_quantity quantity)
{
    uint64_t needs = derivatives[quantity].needs;
    return needs == RATES ? e->n_q : needs == ALGEBRAICS ? e->n_q + e->n_x : 0;
}

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

bool trmi_gradient_supplied(const trmi_evaluator *e)
{
    uint64_t parts = TRM_BIT(TRM_CONSTRAINT_Q);
    if (e->constraint_uses_z)
        parts |= TRM_BIT(TRM_CONSTRAINT_Z) | TRM_BIT(TRM_ALGEBRAIC_Z) | TRM_BIT(TRM_ALGEBRAIC_Q) |
                 TRM_BIT(TRM_ALGEBRAIC_T) | TRM_BIT(TRM_CONSTRAINT_T);
    return (parts & ~(e->supplied | e->absent)) == 0;
}

static const double ONE_SIDED = 1.4901161193847656e-8, TWO_SIDED = 6.0554544523933429e-6;
static const double PAPER_FLOOR = 1.220703125e-4; // eps^(1/4)

// relative increment: one-sided sqrt(eps), two-sided cbrt(eps); coarser where the base itself
// holds differences of g (noise about 1e-11)
static double increment(const trmi_evaluator *e, trm_quantity quantity, bool central)
{
    bool nested =
        (quantity == TRM_GEOMETRIC || quantity == TRM_VELOCITY_Q) && !trmi_gradient_supplied(e);
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
static void select_variable(trmi_evaluator *e, trmi_point *p, variable by)
{
    double *moved = e->work[e->depth - 1].moved;
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
    int result = trmi_evaluate(e, &s->point, s->needs);
    for (int k = 0; k < TRM_QUANTITY_COUNT && result == 0; k++)
        if (s->quantities & TRM_BIT(k)) {
            double *first = out + trmi_difference_first_row(e, (trm_quantity)k);
            derivatives[k].base(e, &s->point, first);
            if (derivatives[k].needs == CONSTRAINTS || k == TRM_VELOCITY_Q)
                first[e->n_r] = 0; // the row that stands for all dropped ones
        }
    return result;
}

// the columns of group g by their increments: width = high - low, or high - middle
static void move_group(const sweep *s, int g, double sign)
{
    const trmi_difference_work *w = &s->e->work[s->e->depth - 1];
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
    const trmi_difference_work *w = &s->e->work[s->e->depth - 1];
    for (int i = s->groups->start[g]; i < s->groups->start[g + 1]; i++)
        w->moved[s->groups->column[i]] = w->middle[s->groups->column[i]];
}

// the entries of group g in all quantities
static void store_group(const sweep *s, int g, double *const out[TRM_QUANTITY_COUNT])
{
    const trmi_difference_work *w = &s->e->work[s->e->depth - 1];
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++) {
        if (!(s->quantities & TRM_BIT(k)))
            continue;
        const trmi_values *b = &s->e->block[k];
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
    const trmi_difference_work *w = &e->work[e->depth - 1];
    sweep s = {.e = e, .point = *p, .quantities = quantities, .groups = e->block[first].groups};
    s.step = increment(e, first, central);
    s.central = central || s.step > 1e-6;
    s.scale = trmi_difference_scales(e, first);
    select_variable(e, &s.point, derivatives[first].by);
    memcpy(w->middle, w->moved, (size_t)trmi_difference_columns(e, first) * sizeof *w->middle);
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++)
        if (quantities & TRM_BIT(k))
            s.needs |= derivatives[k].needs;
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

// g_t and b_t: always two-sided, they belong to the levels of the constraints
static int difference_time(trmi_evaluator *e, const trmi_point *p, trm_quantity quantity,
                           double *out)
{
    const trmi_difference_work *w = &e->work[e->depth - 1];
    const trmi_values *b = &e->block[quantity];
    double delta = move(p->t, 1, TWO_SIDED, true), *sides[] = {w->plus, w->minus}, t[2];
    trmi_point moved = *p;
    int result = 0;
    for (int side = 0; side < 2 && result == 0; side++) {
        moved.t = t[side] = side ? p->t - delta : p->t + delta;
        result = trmi_evaluate(e, &moved, derivatives[quantity].needs);
        if (result == 0)
            derivatives[quantity].base(e, &moved, sides[side]);
    }
    for (int i = 0; i < b->rows && result == 0; i++)
        out[i] = (w->plus[i] - w->minus[i]) / (t[0] - t[1]);
    if (result == 0 && quantity == TRM_CONSTRAINT_T && e->n_r < e->n_r_full)
        out[e->n_r] = 0;
    return result;
}

int trmi_difference(trmi_evaluator *e, const trmi_point *p, uint64_t quantities, bool central,
                    double *const out[TRM_QUANTITY_COUNT])
{
    int depth = e->depth++, result;
    trm_quantity first = (trm_quantity)__builtin_ctzll(quantities);
    swap_values(e, depth);
    if (first == TRM_GAMMA)
        result = trmi_difference_gamma(e, p, out[first]);
    else if (derivatives[first].by == BY_T)
        result = difference_time(e, p, first, out[first]);
    else
        result = difference_columns(e, p, quantities, central, out);
    swap_values(e, depth);
    e->depth = depth;
    return result;
}
