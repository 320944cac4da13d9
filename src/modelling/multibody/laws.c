// SPDX-License-Identifier: Apache-2.0
#include "modelling/multibody/laws.h"

// quantities of states, of algebraic variables, of forces
static const trm_quantity value_of[2] = {TRM_QUANTITY_RATE, TRM_QUANTITY_ALGEBRAIC};
enum { MATRICES = 5 };
static const trm_quantity matrix_of[2][MATRICES] = {
    {TRM_QUANTITY_RATE_Q, TRM_QUANTITY_RATE_V, TRM_QUANTITY_RATE_X, TRM_QUANTITY_RATE_Z,
     TRM_QUANTITY_RATE_LAMBDA},
    {TRM_QUANTITY_ALGEBRAIC_Q, TRM_QUANTITY_ALGEBRAIC_V, TRM_QUANTITY_ALGEBRAIC_X,
     TRM_QUANTITY_ALGEBRAIC_Z, TRM_QUANTITY_ALGEBRAIC_LAMBDA}};

// the first law of a part, and how many there are
static const trmi_formula *laws_of(const trmi_mechanism *m, int part, int *count)
{
    *count = part == 0 ? m->states : m->algebraics;
    return m->law + (part == 0 ? 0 : m->states);
}

static const trmi_feedback_row *row_of(const trmi_laws *l, const trmi_formula *formula, int i)
{
    return &l->forces->feedback.row[formula->effect[i]];
}

// ---- positions ----

// other k is a state or an algebraic variable: its place among those
static trmi_slots *place_other(const trmi_mechanism *m, int k, trmi_slots *X, trmi_slots *Z,
                               int *column)
{
    *column = k < m->states ? k : k - m->states;
    return k < m->states ? X : Z;
}

static int coordinate_of(const trmi_forces *f, const trmi_row_set *set, int j)
{
    return trmi_column_of(f->tree, set->column[j]).coordinate;
}

static void announce_others(const trmi_laws *l, trmi_slots *X, trmi_slots *Z, int row,
                            const int *other, int count)
{
    for (int i = 0; i < count; i++) {
        int column;
        trmi_slots *slots = place_other(l->forces->mechanism, other[i], X, Z, &column);
        trmi_slots_add(slots, row, column);
    }
}

static void announce_law(trmi_laws *l, trmi_law_slots *s, const trmi_formula *formula, int row)
{
    const trmi_forces *f = l->forces;
    for (int i = 0; i < formula->uses; i++) {
        const trmi_row_set *signal = &f->signals->set[formula->signal[i]];
        for (int j = 0; j < signal->columns; j++) {
            trmi_slots_add(&s->Q, row, coordinate_of(f, signal, j));
            trmi_slots_add(&s->V, row, coordinate_of(f, signal, j));
        }
    }
    announce_others(l, &s->X, &s->Z, row, formula->other, formula->others);
    for (int i = 0; i < formula->effects; i++) {
        const trmi_feedback_row *e = row_of(l, formula, i);
        for (int j = 0; j < e->Q.count; j++) {
            trmi_slots_add(&s->Q, row, e->Q.index[j]);
            trmi_slots_add(&s->V, row, e->Q.index[j]);
        }
        for (int j = 0; j < e->L.count; j++)
            trmi_slots_add(&s->L, row, e->L.index[j]);
        announce_others(l, &s->X, &s->Z, row, e->Y.index, e->Y.count);
    }
}

// all of a formula for one coordinate, then for the next
static void announce_element(trmi_laws *l, const trmi_element *e)
{
    for (int r = 0; r < e->formulas; r++)
        for (int j = 0; j < e->set.columns; j++) {
            const trmi_formula *formula = &e->formula[r];
            int row = coordinate_of(l->forces, &e->set, j);
            announce_others(l, &l->force_X, &l->force_Z, row, formula->other, formula->others);
            for (int i = 0; i < formula->effects; i++) {
                const trmi_feedback_part *by = &row_of(l, formula, i)->Y;
                announce_others(l, &l->force_X, &l->force_Z, row, by->index, by->count);
            }
        }
}

// rates and forces by the states of the element itself
static void announce_own(trmi_laws *l, const trmi_element *e)
{
    trmi_law_slots *s = &l->part[0];
    for (int k = 0; k < e->states; k++) {
        for (int j = 0; j < e->set.columns; j++) {
            trmi_slots_add(&s->Q, e->first_state + k, coordinate_of(l->forces, &e->set, j));
            trmi_slots_add(&s->V, e->first_state + k, coordinate_of(l->forces, &e->set, j));
        }
        for (int i = 0; i < e->states; i++)
            trmi_slots_add(&s->X, e->first_state + k, e->first_state + i);
        for (int j = 0; j < e->set.columns; j++)
            trmi_slots_add(&l->force_X, coordinate_of(l->forces, &e->set, j), e->first_state + k);
    }
}

bool trmi_laws_create(trmi_laws *l, trmi_memory *memory, const trmi_forces *forces)
{
    const trmi_mechanism *m = forces->mechanism;
    *l = (trmi_laws){.count = m->states + m->algebraics, .forces = forces};
    if (l->count == 0)
        return true;
    for (int part = 0; part < 2; part++) {
        int count;
        const trmi_formula *law = laws_of(m, part, &count);
        for (int k = 0; k < count; k++)
            announce_law(l, &l->part[part], &law[k], k);
    }
    for (int i = 0; i < forces->elements; i++) {
        announce_element(l, &forces->element[i]);
        announce_own(l, &forces->element[i]);
    }
    bool finished = trmi_slots_finish(&l->force_X, memory);
    finished = trmi_slots_finish(&l->force_Z, memory) && finished;
    for (int part = 0; part < 2; part++) {
        trmi_slots *const slots[] = {&l->part[part].Q, &l->part[part].V, &l->part[part].X,
                                     &l->part[part].Z, &l->part[part].L};
        for (int k = 0; k < MATRICES; k++)
            finished = trmi_slots_finish(slots[k], memory) && finished;
    }
    return finished;
}

void trmi_laws_patterns(const trmi_laws *l, trm_pattern *p)
{
    if (l->count == 0)
        return;
    for (int part = 0; part < 2; part++) {
        const trmi_law_slots *s = &l->part[part];
        const trmi_slots *const slots[] = {&s->Q, &s->V, &s->X, &s->Z, &s->L};
        for (int k = 0; k < MATRICES; k++)
            p[matrix_of[part][k]] = slots[k]->pattern;
    }
    p[TRM_QUANTITY_FORCE_X] = l->force_X.pattern;
    p[TRM_QUANTITY_FORCE_Z] = l->force_Z.pattern;
    p[TRM_QUANTITY_CONSTRAINT_Z].count = TRM_PATTERN_ZERO;
}

// Laws of forces may depend on t in ways that are not known: b_t by differences then.
static bool equations_use_effects(const trmi_laws *l)
{
    int count;
    const trmi_formula *law = laws_of(l->forces->mechanism, 1, &count);
    for (int k = 0; k < count; k++)
        if (law[k].effects > 0)
            return true;
    return false;
}

uint64_t trmi_laws_evaluates(const trmi_laws *l, bool solved)
{
    uint64_t bits = 0;
    for (int part = 0; part < 2 && l->count > 0; part++) {
        bits |= TRM_BIT_OF(value_of[part]);
        for (int k = 0; k < MATRICES; k++)
            bits |= TRM_BIT_OF(matrix_of[part][k]);
    }
    if (l->count > 0 && !solved)
        bits |= TRM_BIT(FORCE_X) | TRM_BIT(FORCE_Z);
    if (l->count > 0 && !equations_use_effects(l))
        bits |= TRM_BIT(ALGEBRAIC_T);
    return bits;
}

// ---- values ----

static void fill_values(const trmi_laws *l, const trmi_force_work *work, int part, double *out)
{
    int count;
    const trmi_formula *law = laws_of(l->forces->mechanism, part, &count);
    for (int k = 0; k < count && out; k++)
        out[k] = trmi_formula_value(work, &law[k]);
}

// The matrices of one part, and where the next position of each is, in the order in which they were
// announced.
typedef struct filling {
    const trmi_laws *laws;
    const trmi_force_work *work;
    const trmi_law_slots *slots;
    double *Q, *V, *X, *Z, *L;
    int at_Q, at_X, at_Z, at_L;
} filling;

static void put_Q(filling *x, double by_q, double by_v)
{
    if (x->Q)
        trmi_slots_put(&x->slots->Q, x->at_Q, x->Q, by_q);
    if (x->V)
        trmi_slots_put(&x->slots->V, x->at_Q, x->V, by_v);
    x->at_Q++;
}

static void put_other(filling *x, const trmi_slots *slots_X, const trmi_slots *slots_Z, int other,
                      double value)
{
    bool state = other < x->laws->forces->mechanism->states;
    double *to = state ? x->X : x->Z;
    int number = state ? x->at_X++ : x->at_Z++;
    if (to)
        trmi_slots_put(state ? slots_X : slots_Z, number, to, value);
}

static void take_motion(void *to, double by_q, double by_v)
{
    put_Q(to, by_q, by_v);
}

static void take_multiplier(void *to, double value)
{
    filling *x = to;
    if (x->L)
        trmi_slots_put(&x->slots->L, x->at_L, x->L, value);
    x->at_L++;
}

static void take_other(void *to, int other, double value)
{
    filling *x = to;
    put_other(x, &x->slots->X, &x->slots->Z, other, value);
}

// c_q = c_p Gam + c_v (Gam v)_q, c_v Gam and c_x of the states of an element itself
static void put_own(filling *to, trmi_force_work *work, const trmi_element *e,
                    const trmi_set_state *x, const trmi_law *law)
{
    int n = e->set.columns;
    for (int r = 0; r < e->set.rows; r++) {
        trmi_set_gradient(x, r, work->G + r * n);
        trmi_set_velocity_q(x, r, work->Gv + r * n);
    }
    for (int k = 0; k < e->states; k++) {
        for (int j = 0; j < n; j++) {
            double c_q = 0, c_v = 0;
            for (int r = 0; r < e->set.rows; r++) {
                c_q += law->c_p[k][r] * work->G[r * n + j] + law->c_v[k][r] * work->Gv[r * n + j];
                c_v += law->c_v[k][r] * work->G[r * n + j];
            }
            put_Q(to, c_q, c_v);
        }
        for (int i = 0; i < e->states; i++)
            put_other(to, &to->slots->X, &to->slots->Z, e->first_state + i, law->c_x[k][i]);
    }
}

// rates of the states of elements themselves, and their derivatives
static int fill_own(const trmi_laws *l, trmi_force_work *work, const trmi_kinematics *k,
                    const trm_state *state, double *rate, filling *to)
{
    for (int i = 0; i < l->forces->elements; i++) {
        const trmi_element *e = &l->forces->element[i];
        trmi_set_state x;
        trmi_law law;
        if (e->states == 0)
            continue;
        trmi_set_at(&x, &e->set, k, state);
        trmi_element_apply(e, work, &x, true, &law);
        if (law.failed)
            return law.failed;
        for (int j = 0; j < e->states && rate; j++)
            rate[e->first_state + j] = law.c[j];
        put_own(to, work, e, &x, &law);
    }
    return 0;
}

static filling fill_matrices(const trmi_laws *l, const trmi_force_work *work, int part,
                             double *const *want)
{
    const trmi_law_slots *s = &l->part[part];
    const trmi_slots *const slots[] = {&s->Q, &s->V, &s->X, &s->Z, &s->L};
    double *out[MATRICES];
    int count;
    const trmi_formula *law = laws_of(l->forces->mechanism, part, &count);
    for (int k = 0; k < MATRICES; k++) {
        out[k] = want[matrix_of[part][k]];
        trmi_clear(out[k], slots[k]->pattern.count);
    }
    filling x = {.laws = l,
                 .work = work,
                 .slots = s,
                 .Q = out[0],
                 .V = out[1],
                 .X = out[2],
                 .Z = out[3],
                 .L = out[4]};
    const trmi_formula_sink sink = {&x, take_motion, take_multiplier, take_other};
    for (int k = 0; k < count; k++)
        trmi_formula_differentiate(l->forces, work, &law[k], 1, &sink);
    return x;
}

// f_x = -Gam^T F_x of the states of an element itself
static void put_own_forces(filling *to, const trmi_force_work *work, const trmi_element *e,
                           const trmi_law *law)
{
    int n = e->set.columns;
    for (int i = 0; i < e->states; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int r = 0; r < e->set.rows; r++)
                sum += work->G[r * n + j] * law->F_x[r][i];
            put_other(to, &to->laws->force_X, &to->laws->force_Z, e->first_state + i, -sum);
        }
}

// whether its formulas use states, algebraic variables or effects
static bool uses_unknowns(const trmi_element *e)
{
    int uses = 0;
    for (int i = 0; i < e->formulas; i++)
        uses += e->formula[i].others + e->formula[i].effects;
    return uses > 0;
}

// f_y = -Gam^T (F_y + F_e e_y) of one formula; Gam in work->T
static void put_formula_forces(filling *to, const trmi_formula *formula, int columns)
{
    const trmi_force_work *work = to->work;
    const trmi_slots *X = &to->laws->force_X, *Z = &to->laws->force_Z;
    const double *slope = work->slope + formula->slope + 2 * formula->uses;
    for (int j = 0; j < columns; j++) {
        double Gam = -work->T[j];
        for (int o = 0; o < formula->others; o++)
            put_other(to, X, Z, formula->other[o], Gam * slope[o]);
        for (int o = 0; o < formula->effects; o++) {
            const trmi_feedback_part *by = &row_of(to->laws, formula, o)->Y;
            double part = Gam * slope[formula->others + o];
            for (int n = 0; n < by->count; n++)
                put_other(to, X, Z, by->index[n], part * work->feedback.Y[by->first + n]);
        }
    }
}

static void fill_forces(const trmi_laws *l, trmi_force_work *work, const trmi_kinematics *k,
                        const trm_state *state, double *X, double *Z)
{
    const trmi_forces *f = l->forces;
    filling to = {.laws = l, .work = work, .X = X, .Z = Z};
    trmi_clear(X, l->force_X.pattern.count);
    trmi_clear(Z, l->force_Z.pattern.count);
    for (int i = 0; i < f->elements; i++) {
        const trmi_element *e = &f->element[i];
        trmi_set_state x;
        trmi_law law;
        if (!uses_unknowns(e) && e->states == 0)
            continue;
        trmi_set_at(&x, &e->set, k, state);
        trmi_element_apply(e, work, &x, true, &law);
        for (int r = 0; r < e->set.rows; r++)
            trmi_set_gradient(&x, r, work->G + r * e->set.columns);
        for (int r = 0; r < e->formulas; r++) {
            const trmi_formula *formula = &e->formula[r];
            if (formula->others + formula->effects == 0)
                continue;
            trmi_element_by_formula(e, work, &law, r, work->T);
            put_formula_forces(&to, formula, e->set.columns);
        }
        put_own_forces(&to, work, e, &law);
    }
}

int trmi_laws_evaluate(const trmi_laws *l, trmi_force_work *work, const trmi_kinematics *k,
                       const trm_state *state, double *const *want)
{
    double *in_time = want[TRM_QUANTITY_ALGEBRAIC_T];
    bool values = want[TRM_QUANTITY_RATE] || want[TRM_QUANTITY_ALGEBRAIC];
    bool forces = want[TRM_QUANTITY_FORCE_X] || want[TRM_QUANTITY_FORCE_Z],
         slopes = forces || in_time;
    for (int part = 0; part < 2; part++)
        for (int i = 0; i < MATRICES; i++)
            slopes = slopes || want[matrix_of[part][i]];
    if (!values && !slopes)
        return 0;
    trmi_forces_formulas(l->forces, work, k, state, slopes);
    for (int part = 0; part < 2; part++) {
        fill_values(l, work, part, want[value_of[part]]);
        filling none = {.laws = l, .slots = &l->part[part]};
        filling to = slopes ? fill_matrices(l, work, part, want) : none;
        int failed = part == 0 ? fill_own(l, work, k, state, want[TRM_QUANTITY_RATE], &to) : 0;
        if (failed)
            return failed;
    }
    if (in_time)
        trmi_laws_in_time(l, work, state, in_time);
    if (forces)
        fill_forces(l, work, k, state, want[TRM_QUANTITY_FORCE_X], want[TRM_QUANTITY_FORCE_Z]);
    return 0;
}
