// SPDX-License-Identifier: Apache-2.0
#include "modelling/multibody/laws.h"

// quantities of states, of algebraic variables, of forces
static const trm_quantity value_of[2] = {TRM_QUANTITY_RATE, TRM_QUANTITY_ALGEBRAIC};
static const trm_quantity matrix_of[2][4] = {
    {TRM_QUANTITY_RATE_Q, TRM_QUANTITY_RATE_V, TRM_QUANTITY_RATE_X, TRM_QUANTITY_RATE_Z},
    {TRM_QUANTITY_ALGEBRAIC_Q, TRM_QUANTITY_ALGEBRAIC_V, TRM_QUANTITY_ALGEBRAIC_X,
     TRM_QUANTITY_ALGEBRAIC_Z}};

// the first law of a part, and how many there are
static const trmi_formula *laws_of(const trmi_mechanism *m, int part, int *count)
{
    *count = part == 0 ? m->states : m->algebraics;
    return m->law + (part == 0 ? 0 : m->states);
}

static int uses_of(const trmi_formula *formula)
{
    return formula->value == TRMI_NOTHING ? 0 : formula->uses;
}

static int others_of(const trmi_formula *formula)
{
    return formula->value == TRMI_NOTHING ? 0 : formula->others;
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

static void announce_law(trmi_laws *l, trmi_law_slots *s, const trmi_formula *formula, int row)
{
    const trmi_forces *f = l->forces;
    for (int i = 0; i < uses_of(formula); i++) {
        const trmi_row_set *signal = &f->signals->set[formula->signal[i]];
        for (int j = 0; j < signal->columns; j++) {
            trmi_slots_add(&s->Q, row, coordinate_of(f, signal, j));
            trmi_slots_add(&s->V, row, coordinate_of(f, signal, j));
        }
    }
    for (int i = 0; i < others_of(formula); i++) {
        int column;
        trmi_slots *slots = place_other(f->mechanism, formula->other[i], &s->X, &s->Z, &column);
        trmi_slots_add(slots, row, column);
    }
}

static void announce_element(trmi_laws *l, const trmi_element *e)
{
    for (int r = 0; r < e->formulas; r++)
        for (int i = 0; i < others_of(e->formula[r]); i++)
            for (int j = 0; j < e->set.columns; j++) {
                int column;
                trmi_slots *slots = place_other(l->forces->mechanism, e->formula[r]->other[i],
                                                &l->force_X, &l->force_Z, &column);
                trmi_slots_add(slots, coordinate_of(l->forces, &e->set, j), column);
            }
}

// rates and forces by the states of its own
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
                                     &l->part[part].Z};
        for (int k = 0; k < 4; k++)
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
        const trmi_slots *const slots[] = {&s->Q, &s->V, &s->X, &s->Z};
        for (int k = 0; k < 4; k++)
            p[matrix_of[part][k]] = slots[k]->pattern;
    }
    p[TRM_QUANTITY_FORCE_X] = l->force_X.pattern;
    p[TRM_QUANTITY_FORCE_Z] = l->force_Z.pattern;
    p[TRM_QUANTITY_RATE_LAMBDA].count = p[TRM_QUANTITY_ALGEBRAIC_LAMBDA].count = TRM_PATTERN_ZERO;
    p[TRM_QUANTITY_CONSTRAINT_Z].count = TRM_PATTERN_ZERO;
}

uint64_t trmi_laws_evaluates(const trmi_laws *l, bool solved)
{
    uint64_t bits = 0;
    for (int part = 0; part < 2 && l->count > 0; part++) {
        bits |= TRM_BIT_OF(value_of[part]);
        for (int k = 0; k < 4; k++)
            bits |= TRM_BIT_OF(matrix_of[part][k]);
    }
    if (l->count > 0 && !solved)
        bits |= TRM_BIT(FORCE_X) | TRM_BIT(FORCE_Z);
    // signals that move with prescribed motions depend on t as well: b_t by differences then
    if (l->count > 0 && l->forces->mechanism->drives == l->forces->mechanism->inputs)
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

// Where the next position of each matrix is, in the order in which they were announced.
typedef struct cursor {
    int Q, X, Z;
} cursor;

static void put_law(const trmi_laws *l, const trmi_force_work *work, const trmi_law_slots *s,
                    const trmi_formula *formula, cursor *at, double *const out[4])
{
    const trmi_forces *f = l->forces;
    const double *slope = work->slope + formula->slope;
    int uses = uses_of(formula);
    for (int i = 0; i < uses; i++) {
        int signal = formula->signal[i], first = f->column[signal];
        for (int j = 0; j < f->signals->set[signal].columns; j++, at->Q++) {
            double G = work->signal_G[first + j], Gv = work->signal_Gv[first + j];
            if (out[0])
                trmi_slots_put(&s->Q, at->Q, out[0], slope[i] * G + slope[uses + i] * Gv);
            if (out[1])
                trmi_slots_put(&s->V, at->Q, out[1], slope[uses + i] * G);
        }
    }
    for (int i = 0; i < others_of(formula); i++) {
        bool state = formula->other[i] < f->mechanism->states;
        double *to = out[state ? 2 : 3];
        int number = state ? at->X++ : at->Z++;
        if (to)
            trmi_slots_put(state ? &s->X : &s->Z, number, to, slope[2 * uses + i]);
    }
}

// c_q = c_p Gam + c_v (Gam v)_q, c_v Gam and c_x of the states of an element itself
static void put_own(const trmi_laws *l, trmi_force_work *work, const trmi_element *e,
                    const trmi_set_state *x, const trmi_law *law, cursor *at, double *const out[4])
{
    const trmi_law_slots *s = &l->part[0];
    int n = e->set.columns;
    for (int r = 0; r < e->set.rows; r++) {
        trmi_set_gradient(x, r, work->G + r * n);
        trmi_set_velocity_q(x, r, work->Gv + r * n);
    }
    for (int k = 0; k < e->states; k++) {
        for (int j = 0; j < n; j++, at->Q++) {
            double c_q = 0, c_v = 0;
            for (int r = 0; r < e->set.rows; r++) {
                c_q += law->c_p[k][r] * work->G[r * n + j] + law->c_v[k][r] * work->Gv[r * n + j];
                c_v += law->c_v[k][r] * work->G[r * n + j];
            }
            if (out[0])
                trmi_slots_put(&s->Q, at->Q, out[0], c_q);
            if (out[1])
                trmi_slots_put(&s->V, at->Q, out[1], c_v);
        }
        for (int i = 0; i < e->states; i++, at->X++)
            if (out[2])
                trmi_slots_put(&s->X, at->X, out[2], law->c_x[k][i]);
    }
}

// rates of the states of elements themselves, and their derivatives
static int fill_own(const trmi_laws *l, trmi_force_work *work, const trmi_kinematics *k,
                    const trm_state *state, cursor at, double *rate, double *const out[4])
{
    bool matrices = out[0] || out[1] || out[2];
    for (int i = 0; i < l->forces->elements; i++) {
        const trmi_element *e = &l->forces->element[i];
        trmi_set_state x;
        trmi_law law;
        if (e->states == 0)
            continue;
        trmi_set_at(&x, &e->set, k, state);
        trmi_element_apply(e, work, &x, matrices, &law);
        if (law.failed)
            return law.failed;
        for (int j = 0; j < e->states && rate; j++)
            rate[e->first_state + j] = law.c[j];
        if (matrices)
            put_own(l, work, e, &x, &law, &at, out);
    }
    return 0;
}

static cursor fill_matrices(const trmi_laws *l, const trmi_force_work *work, int part,
                            double *const *want)
{
    const trmi_law_slots *s = &l->part[part];
    const trmi_slots *const slots[] = {&s->Q, &s->V, &s->X, &s->Z};
    double *out[4];
    cursor at = {0, 0, 0};
    int count;
    const trmi_formula *law = laws_of(l->forces->mechanism, part, &count);
    for (int k = 0; k < 4; k++) {
        out[k] = want[matrix_of[part][k]];
        trmi_clear(out[k], slots[k]->pattern.count);
    }
    for (int k = 0; k < count; k++)
        put_law(l, work, s, &law[k], &at, out);
    return at;
}

// f_x = -Gam^T F_x of the states of an element itself, from number `at` on
static int put_own_forces(const trmi_laws *l, const trmi_force_work *work, const trmi_element *e,
                          const trmi_set_state *x, int at, double *X)
{
    trmi_law law;
    int n = e->set.columns;
    if (e->states == 0)
        return at;
    trmi_element_apply(e, work, x, true, &law);
    for (int r = 0; r < e->set.rows; r++)
        trmi_set_gradient(x, r, work->G + r * n);
    for (int k = 0; k < e->states; k++)
        for (int j = 0; j < n; j++, at++) {
            double sum = 0;
            for (int r = 0; r < e->set.rows; r++)
                sum += work->G[r * n + j] * law.F_x[r][k];
            if (X)
                trmi_slots_put(&l->force_X, at, X, -sum);
        }
    return at;
}

// f_y = -Gam^T F_y
static void fill_forces(const trmi_laws *l, trmi_force_work *work, const trmi_kinematics *k,
                        const trm_state *state, double *X, double *Z)
{
    const trmi_forces *f = l->forces;
    int at_X = 0, at_Z = 0;
    trmi_clear(X, l->force_X.pattern.count);
    trmi_clear(Z, l->force_Z.pattern.count);
    for (int i = 0; i < f->elements; i++) {
        const trmi_element *e = &f->element[i];
        trmi_set_state x;
        if (e->states > 0)
            trmi_set_at(&x, &e->set, k, state);
        for (int r = 0; r < e->formulas; r++) {
            const trmi_formula *formula = e->formula[r];
            if (others_of(formula) == 0)
                continue;
            const double *slope = work->slope + formula->slope + 2 * formula->uses;
            trmi_set_at(&x, &e->set, k, state);
            trmi_set_gradient(&x, r, work->G);
            for (int o = 0; o < formula->others; o++) {
                bool first = formula->other[o] < f->mechanism->states;
                for (int j = 0; j < e->set.columns; j++) {
                    double value = -work->G[j] * e->sign * slope[o];
                    int number = first ? at_X++ : at_Z++;
                    if (first ? X : Z)
                        trmi_slots_put(first ? &l->force_X : &l->force_Z, number, first ? X : Z,
                                       value);
                }
            }
        }
        at_X = put_own_forces(l, work, e, &x, at_X, X);
    }
}

int trmi_laws_evaluate(const trmi_laws *l, trmi_force_work *work, const trmi_kinematics *k,
                       const trm_state *state, double *const *want)
{
    bool values =
        want[TRM_QUANTITY_RATE] || want[TRM_QUANTITY_ALGEBRAIC] || want[TRM_QUANTITY_ALGEBRAIC_T];
    bool forces = want[TRM_QUANTITY_FORCE_X] || want[TRM_QUANTITY_FORCE_Z], slopes = forces;
    for (int part = 0; part < 2; part++)
        for (int i = 0; i < 4; i++)
            slopes = slopes || want[matrix_of[part][i]];
    cursor at = {0, 0, 0};
    if (!values && !slopes)
        return 0;
    const trmi_tape *tape = l->forces->mechanism->tape;
    trmi_forces_formulas(l->forces, work, k, state, slopes);
    for (int part = 0; part < 2; part++) {
        fill_values(l, work, part, want[value_of[part]]);
        cursor end = slopes ? fill_matrices(l, work, part, want) : at;
        at = part == 0 ? end : at;
    }
    double *const own[4] = {want[TRM_QUANTITY_RATE_Q], want[TRM_QUANTITY_RATE_V],
                            want[TRM_QUANTITY_RATE_X], NULL};
    int failed = fill_own(l, work, k, state, at, want[TRM_QUANTITY_RATE], own);
    if (failed)
        return failed;
    trmi_clear(want[TRM_QUANTITY_ALGEBRAIC_T], l->forces->mechanism->algebraics);
    if (want[TRM_QUANTITY_ALGEBRAIC_T] && tape) {
        trmi_tape_run(tape, work->tape, UINT64_C(1) << TRMI_TAPE_RATES);
        trmi_tape_fetch(tape, work->tape, TRMI_TAPE_RATES, want[TRM_QUANTITY_ALGEBRAIC_T]);
    }
    if (forces)
        fill_forces(l, work, k, state, want[TRM_QUANTITY_FORCE_X], want[TRM_QUANTITY_FORCE_Z]);
    return 0;
}
