// SPDX-License-Identifier: Apache-2.0
// What forces and joints do, as numbers for outputs and events.
#include "modelling/multibody/forces/force.h"
#include "modelling/multibody/machine.h"

// An element at a state, with what its law gives.
typedef struct acting {
    const trmi_element *element;
    const trmi_force_work *work;
    trmi_set_state x;
    trmi_law law;
} acting;

static void act(const trmi_machine_work *work, const trm_state *state, const trmi_element *e,
                acting *a)
{
    a->element = e;
    a->work = &work->force;
    trmi_set_straight_at(&a->x, &e->set, &work->kinematics, state);
    trmi_element_apply(e, &work->force, &a->x, false, &a->law);
}

static double component(trmi_wrench w, int part)
{
    const double value[] = {w.f.x, w.f.y, w.f.z, w.n.x, w.n.y, w.n.z};
    return value[part];
}

// on the second body of the force, at the marker there; what acts on a measure only is no wrench
static double wrench_part(const acting *a, int part)
{
    const trmi_row_set *set = &a->x.set[0];
    if (set->own != TRMI_NOTHING || set->pair.B != a->element->force->body[1])
        return 0;
    return -component(trmi_set_wrench(&a->x, a->law.F), part);
}

static double force_of(const acting *a)
{
    return a->element->force->type->sign * a->law.F[0];
}

// -F v summed over the rows
static double power_of(const acting *a)
{
    double power = 0;
    for (int r = 0; r < a->element->set.rows; r++)
        power -= a->law.F[r] * trmi_set_rate(&a->x, r);
    return power;
}

// whether a gap is closed that the integrator does not hold open
static bool touches(const acting *a, const trm_state *state)
{
    const trmi_element *e = a->element;
    for (int j = 0; j < e->switches; j++) {
        bool open = state->held && state->held[e->first_lock + j] != 0;
        double gap[3];
        trmi_element_gap(e, a->work, &a->x, j, false, gap);
        if (!open && gap[0] < 0)
            return true;
    }
    return false;
}

static bool belongs(const trmi_mechanism *m, const trmi_element *e, const trmi_effect *effect)
{
    switch (effect->kind) {
    case TRMI_EFFECT_FRICTION:
        return !e->force && e->joint == &m->joint[effect->index] && e->law == trmi_law_friction;
    case TRMI_EFFECT_STOP:
        return !e->force && e->joint == &m->joint[effect->index] && e->law == trmi_law_stop;
    case TRMI_EFFECT_REACTION:
    case TRMI_EFFECT_DRIVE:
        return false;
    default:
        return e->force == m->force[effect->index];
    }
}

static double effect_of(const acting *a, const trm_state *state, const trmi_effect *effect)
{
    switch (effect->kind) {
    case TRMI_EFFECT_WRENCH:
        return wrench_part(a, effect->part);
    case TRMI_EFFECT_FORCE:
        return force_of(a);
    case TRMI_EFFECT_POWER:
        return power_of(a);
    case TRMI_EFFECT_TOUCH:
        return touches(a, state);
    case TRMI_EFFECT_LENGTH:
        return a->x.value[0].p;
    case TRMI_EFFECT_RATE:
        return trmi_set_rate(&a->x, 0);
    case TRMI_EFFECT_CHANNEL:
        return trmi_element_channel(a->element, a->work, &a->x, effect->part);
    default:
        return -a->law.F[0];
    }
}

// Effects of one force are together: its law is evaluated once for them.
static void evaluate(trmi_machine_work *work, const trm_state *state, const trmi_effect *effect,
                     int count, double *value)
{
    const trmi_mechanism *m = work->machine->mechanism;
    const trmi_forces *f = &work->machine->forces;
    acting a = {.element = NULL};
    trmi_forces_formulas(f, &work->force, &work->kinematics, state, false);
    for (int i = 0; i < count; i++) {
        value[i] = 0;
        if (effect[i].kind == TRMI_EFFECT_REACTION)
            value[i] =
                component(trmi_machine_reaction(work, state, effect[i].index), effect[i].part);
        if (effect[i].kind == TRMI_EFFECT_DRIVE)
            value[i] = trmi_machine_drive_effort(work, state, effect[i].index, effect[i].part);
        for (int k = 0; k < f->elements; k++) {
            if (!belongs(m, &f->element[k], &effect[i]))
                continue;
            if (a.element != &f->element[k])
                act(work, state, &f->element[k], &a);
            value[i] += effect_of(&a, state, &effect[i]);
        }
    }
}

void trmi_machine_effects(trmi_machine_work *work, const trm_state *state, double *value)
{
    const trmi_mechanism *m = work->machine->mechanism;
    bool reactions = false;
    for (int i = 0; i < m->effects; i++)
        reactions = reactions || m->effect[i].kind == TRMI_EFFECT_REACTION ||
                    m->effect[i].kind == TRMI_EFFECT_DRIVE;
    if (reactions && state->a && state->lambda)
        trmi_machine_set_state(work, state);
    else
        trmi_kinematics_move(&work->kinematics, state);
    evaluate(work, state, m->effect, m->effects, value);
}

void trmi_machine_force_channels(trmi_machine_work *work, const trm_state *state, double *value)
{
    const trmi_mechanism *m = work->machine->mechanism;
    if (m->force_channels > 0)
        evaluate(work, state, m->force_channel, m->force_channels, value);
}
