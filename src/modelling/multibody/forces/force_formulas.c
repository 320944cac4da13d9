// SPDX-License-Identifier: Apache-2.0
// What formulas of forces use, their values, and the gaps of their conditions.
#include "modelling/multibody/forces/force.h"

#include <math.h>
#include <string.h>

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

// ---- conditions ----

bool trmi_forces_bend(const trmi_forces *f)
{
    const trmi_tape *tape = f->mechanism->tape;
    return tape && trmi_tape_group_size(tape, TRMI_TAPE_BENDS) > 0;
}

static bool is_at(const trmi_force_work *work, const trmi_way_end *end, const trm_state *state)
{
    const size_t size = (size_t)work->way.n_q * sizeof *state->q;
    return end->t == state->t && memcmp(end->q, state->q, size) == 0 &&
           memcmp(end->v, state->v, size) == 0;
}

// What is known of a state: the number of the end, or -1.
static int find_end(const trmi_force_work *work, const trm_state *state)
{
    for (int k = 0; k < 2; k++)
        if (is_at(work, &work->way.end[k], state))
            return k;
    return -1;
}

// The signals, in the tape, of a state take the place of what is known longest.
static void keep_end(const trmi_forces *f, trmi_force_work *work, const trm_state *state)
{
    const size_t size = (size_t)work->way.n_q * sizeof *state->q;
    const int known = find_end(work, state), k = known >= 0 ? known : !work->way.newest;
    trmi_way_end *end = &work->way.end[k];
    work->way.newest = k;
    end->t = state->t;
    memcpy(end->q, state->q, size);
    memcpy(end->v, state->v, size);
    memcpy(end->p, work->tape + f->mechanism->at.signal,
           2 * (size_t)f->signals->count * sizeof *end->p);
}

void trmi_forces_meet_end(const trmi_forces *f, trmi_force_work *work, trmi_kinematics *k,
                          const trm_state *state)
{
    const int known = find_end(work, state);
    if (known >= 0) {
        work->way.newest = known;
        return;
    }
    trmi_kinematics_move(k, state);
    for (int i = 0; i < f->signals->count; i++) {
        trmi_set_state x;
        trmi_set_at(&x, &f->signals->set[i], k, state);
        set_signal(f, &x, i, work->tape);
    }
    keep_end(f, work, state);
}

// What t, states and inputs of the file may be on the way: states and t what lies between both
// ends.
static void bound_others(const trmi_forces *f, trmi_force_work *work, const trm_state *from,
                         const trm_state *to)
{
    const trmi_mechanism *m = f->mechanism;
    trmi_interval *bound = work->way.bound;
    begin_formulas(f, from, work->tape);
    trmi_tape_bounds_begin(m->tape, work->tape, bound);
    begin_formulas(f, to, work->tape);
    for (int i = 0; i < m->at.u; i++)
        bound[i] = trmi_interval_hull(bound[i].low, work->tape[i]);
    if (m->inputs > 0)
        trmi_tape_bounds_run(m->tape, bound, UINT64_C(1) << TRMI_TAPE_DRIVES);
    for (int level = 0; level < 3; level++)
        for (int i = 0; i < m->inputs; i++)
            bound[m->at.u + level * m->inputs + i] = trmi_tape_bounds_of(
                m->tape, bound, TRMI_TAPE_DRIVES, (level + 1) * m->drives - m->inputs + i);
}

void trmi_forces_bends(const trmi_forces *f, trmi_force_work *work, const trm_state *from,
                       const trm_state *to, double *bend)
{
    const trmi_mechanism *m = f->mechanism;
    const int first = f->switches - 2 * m->kinks, signals = f->signals->count;
    const double *p0 = work->way.end[find_end(work, from)].p;
    const double *p1 = work->way.end[find_end(work, to)].p;
    for (int i = 0; i < first; i++)
        bend[i] = NAN;
    bound_others(f, work, from, to);
    for (int i = 0; i < signals; i++) {
        const double p[] = {p0[i], p1[i]}, rate[] = {p0[signals + i], p1[signals + i]};
        trmi_interval way[3];
        trmi_interval_cubic(to->t - from->t, p, rate, way);
        work->way.bound[m->at.signal + i] = way[0];
        work->way.bound[m->at.signal_rate + i] = way[1];
        work->way.bound[m->at.signal_second + i] = way[2];
    }
    trmi_tape_bounds_run(m->tape, work->way.bound, UINT64_C(1) << TRMI_TAPE_BENDS);
    trmi_kinks_bends(m->tape, work->way.bound, TRMI_TAPE_BENDS, bend + first);
}

void trmi_forces_conditions(const trmi_forces *f, trmi_force_work *work, const trmi_kinematics *k,
                            const trm_state *state, double *gap, double *rate, double *second)
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
    if (work->way.bound)
        keep_end(f, work, state);
    trmi_tape_run(m->tape, work->tape, UINT64_C(1) << TRMI_TAPE_KINKS);
    trmi_tape_fetch(m->tape, work->tape, TRMI_TAPE_KINKS, values);
    int first = f->switches - 2 * m->kinks;
    trmi_kinks_gaps(values, m->kinks, gap + first, rate + first, second ? second + first : NULL);
}
