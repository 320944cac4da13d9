// SPDX-License-Identifier: Apache-2.0
// Forces at one state.
#include "modelling/multibody/forces/force.h"
#include "modelling/multibody/rows/composite.h"

#include <math.h>
#include <string.h>

// ---- signals and formulas --------------------------------------------------------------------

// what formulas use beside t and signals: states, algebraic variables, inputs
static void set_others(const trmi_mechanism *m, const trm_state *state, double *tape)
{
    double *other = tape + m->at.other, *u = tape + m->at.u;
    for (int i = 0; i < m->states; i++)
        other[i] = state->x ? state->x[i] : 0;
    for (int i = 0; i < m->algebraics; i++)
        other[m->states + i] = state->z ? state->z[i] : 0;
    for (int level = 0; level < 3; level++)
        for (int i = 0; i < m->inputs && state->u; i++)
            u[level * m->inputs + i] = state->u[(level + 1) * m->drives - m->inputs + i];
}

static void set_signal(const trmi_forces *f, const trmi_set_state *x, int i, double *tape)
{
    tape[f->mechanism->at.signal + i] = x->value[0].p;
    tape[f->mechanism->at.signal_rate + i] = trmi_set_rate(x, 0);
}

// locks of conditions, which are slow inputs of the tape; those of a state without held values: 0
static void set_locks(const trmi_forces *f, const trm_state *state, double *tape)
{
    const trmi_mechanism *m = f->mechanism;
    int count = 2 * m->kinks, first = f->first_lock + f->switches - count;
    bool changed = false;
    for (int i = 0; i < count; i++) {
        double lock = state->held ? state->held[first + i] : 0;
        changed = changed || tape[m->at.lock + i] != lock;
        tape[m->at.lock + i] = lock;
    }
    if (changed)
        trmi_tape_prepare(m->tape, tape);
}

// all that formulas use but signals
static void begin_formulas(const trmi_forces *f, const trm_state *state, double *tape)
{
    tape[0] = state->t;
    set_others(f->mechanism, state, tape);
    set_locks(f, state, tape);
}

static void run_formulas(const trmi_tape *tape, trmi_force_work *work, uint64_t groups)
{
    trmi_tape_run(tape, work->tape, groups);
    trmi_tape_fetch(tape, work->tape, TRMI_TAPE_VALUES, work->value);
}

void trmi_forces_formulas(const trmi_forces *f, trmi_force_work *work, const trmi_kinematics *k,
                          const trm_state *state, bool slopes)
{
    const trmi_tape *tape = f->mechanism->tape;
    int signals = f->signals ? f->signals->count : 0;
    uint64_t groups = UINT64_C(1) << TRMI_TAPE_VALUES;
    if (!tape)
        return;
    begin_formulas(f, state, work->tape);
    for (int i = 0; i < signals; i++) {
        trmi_set_state x;
        (slopes ? trmi_set_at : trmi_set_straight_at)(&x, &f->signals->set[i], k, state);
        set_signal(f, &x, i, work->tape);
        if (slopes) {
            trmi_set_gradient(&x, 0, work->signal_G + f->column[i]);
            trmi_set_velocity_q(&x, 0, work->signal_Gv + f->column[i]);
        }
    }
    for (int level = 0; level < f->feedback.levels; level++) {
        if (level > 0)
            run_formulas(tape, work, groups);
        trmi_feedback_values(f, work, k, state, level);
    }
    if (slopes)
        groups |= UINT64_C(1) << TRMI_TAPE_SLOPES;
    run_formulas(tape, work, groups);
    if (slopes)
        trmi_tape_fetch(tape, work->tape, TRMI_TAPE_SLOPES, work->slope);
    if (slopes && f->feedback.count > 0)
        trmi_feedback_differentiate(f, work, k, state);
}

double trmi_formula_value(const trmi_force_work *work, const trmi_formula *formula)
{
    return formula->value == TRMI_NOTHING ? formula->constant : work->value[formula->value];
}

// ---- one element -----------------------------------------------------------------------------

// what its law sees; p and v are of TRMI_MAX_ROWS
static trmi_law_input see(const trmi_element *e, const trmi_force_work *work,
                          const trmi_set_state *x, double *p, double *v)
{
    static const double undeformed[TRMI_MAX_OWN_STATES] = {0};
    trmi_law_input in = {.t = x->state->t, .p = p, .v = v};
    for (int r = 0; r < e->set.rows; r++) {
        p[r] = x->value[r].p;
        v[r] = trmi_set_rate(x, r);
    }
    for (int i = 0; i < e->loads; i++)
        in.load[i] = x->state->lambda ? x->state->lambda[e->load[i]] : 0;
    if (e->set.composite)
        in.moving = trmi_composite_time_rate(x);
    if (e->states > 0)
        in.x = x->state->x ? x->state->x + e->first_state : undeformed;
    if (e->road)
        in.road = work->road + e->first_register;
    if (e->memories > 0 && x->state->held)
        in.memory = x->state->held + e->memory;
    if (e->switches > 0 && x->state->held)
        in.lock = x->state->held + e->first_lock;
    if (e->arguments)
        in.argument = work->argument;
    for (int i = 0; in.argument && i < e->formulas; i++)
        in.argument[i] = trmi_formula_value(work, &e->formula[i]);
    return in;
}

double trmi_element_channel(const trmi_element *e, const trmi_force_work *work,
                            const trmi_set_state *x, int channel)
{
    double p[TRMI_MAX_ROWS], v[TRMI_MAX_ROWS];
    trmi_law_input in = see(e, work, x, p, v);
    return e->force->type->channel_value(e, &in, channel);
}

// zero as far as an element of that many rows uses it: the arrays are made for the largest one
static void clear_law(trmi_law *law, int rows)
{
    size_t row = (size_t)rows * sizeof *law->F;
    memset(law->F, 0, row);
    for (int r = 0; r < rows; r++) {
        memset(law->F_p[r], 0, row);
        memset(law->F_v[r], 0, row);
        memset(law->F_l[r], 0, sizeof law->F_l[r]);
        memset(law->F_x[r], 0, sizeof law->F_x[r]);
    }
    for (int i = 0; i < TRMI_MAX_OWN_STATES; i++) {
        law->c[i] = 0;
        memset(law->c_p[i], 0, row);
        memset(law->c_v[i], 0, row);
        memset(law->c_x[i], 0, sizeof law->c_x[i]);
    }
    law->potential = law->dissipated = law->supplied = 0;
    law->failed = 0;
}

void trmi_element_apply(const trmi_element *e, const trmi_force_work *work, const trmi_set_state *x,
                        bool derivatives, trmi_law *out)
{
    double p[TRMI_MAX_ROWS], v[TRMI_MAX_ROWS];
    trmi_law_input in = see(e, work, x, p, v);
    in.derivatives = derivatives;
    clear_law(out, e->set.rows);
    out->F_a = e->arguments ? work->F_a : NULL;
    if (out->F_a)
        trmi_clear(out->F_a, e->set.rows * e->formulas);
    e->law(e, &in, out);
    for (int i = 0; !e->arguments && i < e->formulas; i++) {
        double F = e->sign * trmi_formula_value(work, &e->formula[i]);
        out->F[i] += F;
        out->supplied -= F * v[i];
    }
}

void trmi_element_by_formula(const trmi_element *e, const trmi_force_work *work,
                             const trmi_law *law, int i, double *out)
{
    int n = e->set.columns;
    trmi_clear(out, n);
    for (int r = 0; r < e->set.rows; r++) {
        const double F_a = trmi_law_by_formula(e, law, r, i);
        for (int j = 0; F_a != 0 && j < n; j++)
            out[j] += F_a * work->G[r * n + j];
    }
}

// T += F Gam; laws leave most of F zero
static void add_rows(double *T, double F[TRMI_MAX_ROWS][TRMI_MAX_ROWS], const double *Gam, int rows,
                     int n)
{
    for (int r = 0; r < rows; r++)
        for (int s = 0; s < rows; s++) {
            const double f = F[r][s];
            for (int j = 0; f != 0 && j < n; j++)
                T[r * n + j] += f * Gam[s * n + j];
        }
}

// block += Gam^T T, to its positions from a number on
static void put_product(const trmi_force_work *work, int rows, int n, const trmi_slots *slots,
                        int number, double *out)
{
    double *block = work->workspace->block;
    for (int i = 0; i < n; i++) {
        double *row = block + i * n;
        for (int r = 0; r < rows; r++) {
            const double g = work->G[r * n + i], *T = work->T + r * n;
            for (int j = 0; j < n; j++)
                row[j] += g * T[j];
        }
        for (int j = 0; j < n; j++)
            trmi_slots_put(slots, number++, out, row[j]);
    }
}

// T = F_p Gam + F_v (Gam v)_q
static void add_stiffness(const trmi_element *e, const trmi_force_work *work, trmi_law *law,
                          const trmi_set_state *x, const trmi_slots *slots, double *K)
{
    int n = e->set.columns, rows = e->set.rows;
    trmi_set_geometric(x, law->F, work->workspace, work->workspace->block);
    trmi_clear(work->T, rows * n);
    add_rows(work->T, law->F_p, work->G, rows, n);
    add_rows(work->T, law->F_v, work->Gv, rows, n);
    put_product(work, rows, n, slots, e->first_K, K);
}

// T = F_v Gam
static void add_damping(const trmi_element *e, const trmi_force_work *work, trmi_law *law,
                        const trmi_slots *slots, double *D)
{
    int n = e->set.columns, rows = e->set.rows;
    trmi_clear(work->workspace->block, n * n);
    trmi_clear(work->T, rows * n);
    add_rows(work->T, law->F_v, work->G, rows, n);
    put_product(work, rows, n, slots, e->first_D, D);
}

// Gam_r^T (F_p G + F_v (Gv)_q) and Gam_r^T F_v G over the columns of one signal
static void add_signal(const trmi_forces *f, const trmi_force_work *work, const double *Gam, int n,
                       int signal, double F_p, double F_v, const trmi_slots *slots_K, int number_K,
                       double *K, const trmi_slots *slots_D, int number_D, double *D)
{
    const double *G = work->signal_G + f->column[signal], *Gv = work->signal_Gv + f->column[signal];
    int columns = f->signals->set[signal].columns;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < columns; j++) {
            int k = i * columns + j;
            if (K)
                trmi_slots_put(slots_K, number_K + k, K, Gam[i] * (F_p * G[j] + F_v * Gv[j]));
            if (D)
                trmi_slots_put(slots_D, number_D + k, D, Gam[i] * F_v * G[j]);
        }
}

// Gam_r^T F_e e_q and Gam_r^T F_e e_v over the coordinates of one effect
static void add_effect(const trmi_feedback_row *e, const trmi_feedback_work *known,
                       const double *Gam, int n, double F_e, const trmi_slots *slots_K,
                       int number_K, double *K, const trmi_slots *slots_D, int number_D, double *D)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < e->Q.count; j++) {
            int k = i * e->Q.count + j;
            if (K)
                trmi_slots_put(slots_K, number_K + k, K, Gam[i] * F_e * known->Q[e->Q.first + j]);
            if (D)
                trmi_slots_put(slots_D, number_D + k, D, Gam[i] * F_e * known->V[e->Q.first + j]);
        }
}

static void add_formulas(const trmi_forces *f, const trmi_element *e, const trmi_force_work *work,
                         const trmi_law *law, const trmi_slots *slots_K, double *K,
                         const trmi_slots *slots_D, double *D)
{
    double *Gam = work->T;
    int n = e->set.columns, number_K = e->first_K + n * n;
    int number_D = e->first_D + (e->damped ? n * n : 0);
    for (int r = 0; r < e->formulas; r++) {
        const trmi_formula *formula = &e->formula[r];
        const double *slope = work->slope + formula->slope;
        if (formula->value == TRMI_NOTHING)
            continue;
        trmi_element_by_formula(e, work, law, r, Gam);
        for (int i = 0; i < formula->uses; i++) {
            add_signal(f, work, Gam, n, formula->signal[i], slope[i], slope[formula->uses + i],
                       slots_K, number_K, K, slots_D, number_D, D);
            int block = n * f->signals->set[formula->signal[i]].columns;
            number_K += block;
            number_D += block;
        }
        slope += 2 * formula->uses + formula->others;
        for (int i = 0; i < formula->effects; i++) {
            const trmi_feedback_row *row = &f->feedback.row[formula->effect[i]];
            add_effect(row, &work->feedback, Gam, n, slope[i], slots_K, number_K, K, slots_D,
                       number_D, D);
            number_K += n * row->Q.count;
            number_D += n * row->Q.count;
        }
    }
}

// f_lambda -= Gam^T F_lambda
static void add_loads(const trmi_forces *f, const trmi_element *e, const trmi_force_work *work,
                      const trmi_law *law, const trmi_slots *slots, double *L)
{
    int n = e->set.columns, number = e->first_L;
    for (int i = 0; i < e->loads; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int r = 0; r < e->set.rows; r++)
                sum += work->G[r * n + j] * law->F_l[r][i];
            trmi_slots_put(slots, number++, L, -sum);
        }
    for (int r = 0; r < e->formulas; r++) {
        const trmi_formula *formula = &e->formula[r];
        const double *slope = work->slope + formula->slope + 2 * formula->uses + formula->others;
        if (formula->value == TRMI_NOTHING || formula->effects == 0)
            continue;
        trmi_element_by_formula(e, work, law, r, work->T);
        for (int k = 0; k < formula->effects; k++) {
            const trmi_feedback_part *by = &f->feedback.row[formula->effect[k]].L;
            for (int i = 0; i < by->count; i++)
                for (int j = 0; j < n; j++)
                    trmi_slots_put(slots, number++, L,
                                   -work->T[j] * slope[k] * work->feedback.L[by->first + i]);
        }
    }
}

trmi_wrench trmi_forces_friction(const trmi_forces *f, const trmi_force_work *work,
                                 const trmi_kinematics *k, const trm_state *state, int joint)
{
    const trmi_joint *of = &f->mechanism->joint[joint];
    for (int i = 0; trmi_extra_of(of).friction && i < f->elements; i++) {
        const trmi_element *e = &f->element[i];
        trmi_set_state x;
        trmi_law law;
        if (e->law != trmi_law_friction || e->joint != of)
            continue;
        trmi_set_straight_at(&x, &e->set, k, state);
        trmi_element_apply(e, work, &x, false, &law);
        return trmi_set_wrench(&x, &(double){-law.F[0]});
    }
    return (trmi_wrench){0};
}

// ---- all elements ----------------------------------------------------------------------------

// whether all forces have a value
static bool is_finite(const trmi_law *law, int rows)
{
    double sum = 0;
    for (int r = 0; r < rows; r++)
        sum += 0 * law->F[r];
    return sum == 0;
}

int trmi_forces_load(const trmi_forces *f, trmi_force_work *work, const trmi_kinematics *k,
                     const trm_state *state, trmi_wrench *on_body, double *on_column)
{
    work->faulty = NULL;
    trmi_forces_formulas(f, work, k, state, false);
    for (int i = 0; i < f->elements; i++) {
        const trmi_element *e = &f->element[i];
        trmi_set_state x;
        trmi_law law;
        trmi_set_straight_at(&x, &e->set, k, state);
        trmi_element_apply(e, work, &x, false, &law);
        if (law.failed || !is_finite(&law, e->set.rows))
            work->faulty = e;
        if (law.failed)
            return law.failed;
        trmi_set_load(&x, law.F, on_body, on_column);
    }
    return 0;
}

int trmi_forces_differentiate(const trmi_forces *f, trmi_force_work *work, const trmi_kinematics *k,
                              const trm_state *state, const trmi_slots *slots_K,
                              const trmi_slots *slots_D, const trmi_slots *slots_L, double *K,
                              double *D, double *L)
{
    trmi_forces_formulas(f, work, k, state, true);
    for (int i = 0; i < f->elements; i++) {
        const trmi_element *e = &f->element[i];
        int n = e->set.columns;
        trmi_set_state x;
        trmi_law law;
        trmi_set_at(&x, &e->set, k, state);
        trmi_element_apply(e, work, &x, true, &law);
        if (law.failed)
            return law.failed;
        for (int r = 0; r < e->set.rows; r++) {
            trmi_set_gradient(&x, r, work->G + r * n);
            if (K)
                trmi_set_velocity_q(&x, r, work->Gv + r * n);
        }
        if (K)
            add_stiffness(e, work, &law, &x, slots_K, K);
        if (D && e->damped)
            add_damping(e, work, &law, slots_D, D);
        if (K || D)
            add_formulas(f, e, work, &law, slots_K, K, slots_D, D);
        if (L)
            add_loads(f, e, work, &law, slots_L, L);
    }
    return 0;
}

int trmi_forces_energy(const trmi_forces *f, trmi_force_work *work, const trmi_kinematics *k,
                       const trm_state *state, trmi_force_energy *energy)
{
    *energy = (trmi_force_energy){0, 0, 0};
    trmi_forces_formulas(f, work, k, state, false);
    for (int i = 0; i < f->elements; i++) {
        trmi_set_state x;
        trmi_law law;
        trmi_set_straight_at(&x, &f->element[i].set, k, state);
        trmi_element_apply(&f->element[i], work, &x, false, &law);
        if (law.failed)
            return law.failed;
        energy->potential += law.potential;
        energy->dissipated += law.dissipated;
        energy->supplied += law.supplied;
    }
    return 0;
}

bool trmi_forces_settle(const trmi_forces *f, const trmi_kinematics *k, const trm_state *state,
                        double *held)
{
    bool changed = false;
    for (int i = 0; i < f->elements; i++) {
        const trmi_element *e = &f->element[i];
        trmi_set_state x;
        double before[TRMI_MAX_MEMORIES], *memory = held + e->memory;
        size_t size = (size_t)e->memories * sizeof *before;
        if (trmi_set_settle(&e->set, k, state, held))
            changed = true;
        if (e->memories == 0)
            continue;
        memcpy(before, memory, size);
        trmi_set_at(&x, &e->set, k, state);
        e->remember(e, &x, false, memory);
        changed = changed || memcmp(before, memory, size) != 0;
    }
    return changed;
}

void trmi_forces_remember(const trmi_forces *f, const trmi_kinematics *k, const trm_state *state,
                          double *held)
{
    for (int i = 0; i < f->elements; i++) {
        const trmi_element *e = &f->element[i];
        trmi_set_state x;
        if (e->memories == 0)
            continue;
        trmi_set_at(&x, &e->set, k, state);
        e->remember(e, &x, true, held + e->memory);
    }
}

void trmi_element_gaps(const trmi_element *e, const trmi_force_work *work, const trmi_set_state *x,
                       bool second, trmi_gap *out)
{
    double p[TRMI_MAX_ROWS], v[TRMI_MAX_ROWS], a[TRMI_MAX_ROWS];
    for (int j = 0; j < e->switches && !e->gaps; j++) {
        const trmi_switch *open = &e->open[j];
        out[j] =
            (trmi_gap){open->sign * (x->value[0].p - open->at), open->sign * trmi_set_rate(x, 0),
                       second ? open->sign * trmi_set_second(x, 0) : 0};
    }
    if (!e->gaps)
        return;
    trmi_law_input in = see(e, work, x, p, v);
    for (int r = 0; r < e->set.rows && second; r++)
        a[r] = trmi_set_second(x, r);
    e->gaps(e, &in, second ? a : NULL, out);
}

// gaps of conditions; rates that need accelerations the state does not have are not known
static void evaluate_conditions(const trmi_forces *f, trmi_force_work *work,
                                const trmi_kinematics *k, const trm_state *state, double *gap,
                                double *rate, double *second)
{
    const trmi_mechanism *m = f->mechanism;
    double values[3 * TRMI_MAX_KINKS];
    if (m->kinks == 0)
        return;
    begin_formulas(f, state, work->tape);
    for (int i = 0; i < f->signals->count; i++) {
        trmi_set_state x;
        trmi_set_at(&x, &f->signals->set[i], k, state);
        set_signal(f, &x, i, work->tape);
        work->tape[m->at.signal_second + i] = second ? trmi_set_second(&x, 0) : NAN;
    }
    trmi_tape_run(m->tape, work->tape, UINT64_C(1) << TRMI_TAPE_KINKS);
    trmi_tape_fetch(m->tape, work->tape, TRMI_TAPE_KINKS, values);
    int first = f->switches - 2 * m->kinks;
    trmi_kinks_gaps(values, m->kinks, gap + first, rate + first, second ? second + first : NULL);
}

void trmi_forces_switches(const trmi_forces *f, trmi_force_work *work, const trmi_kinematics *k,
                          const trm_state *state, double *gap, double *rate, double *second)
{
    evaluate_conditions(f, work, k, state, gap, rate, second);
    for (int i = 0; i < f->elements; i++) {
        const trmi_element *e = &f->element[i];
        trmi_set_state x;
        trmi_gap value[TRMI_MAX_GAPS];
        if (e->switches == 0)
            continue;
        trmi_set_at(&x, &e->set, k, state);
        trmi_element_gaps(e, work, &x, second != NULL, value);
        for (int j = 0; j < e->switches; j++) {
            int number = e->first_switch + j;
            gap[number] = value[j].gap;
            rate[number] = value[j].rate;
            if (second)
                second[number] = value[j].second;
        }
    }
}

void trmi_forces_set_parameters(const trmi_forces *f, trmi_force_work *work,
                                const double *parameters)
{
    for (int i = 0; i < f->elements; i++)
        if (f->element[i].road)
            trmi_road_prepare(f->element[i].road, work->road + f->element[i].first_register,
                              parameters, f->mechanism->parameters);
}
