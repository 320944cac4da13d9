// SPDX-License-Identifier: Apache-2.0
#include "modelling/multibody/forces/effect.h"

void trmi_act(trmi_acting *a, const trmi_element *e, const trmi_force_work *work,
              const trmi_kinematics *k, const trm_state *state, bool derivatives)
{
    a->element = e;
    a->work = work;
    if (derivatives)
        trmi_set_at(&a->x, &e->set, k, state);
    else
        trmi_set_straight_at(&a->x, &e->set, k, state);
    trmi_element_apply(e, work, &a->x, derivatives, &a->law);
}

double trmi_wrench_component(trmi_wrench w, int part)
{
    const double value[] = {w.f.x, w.f.y, w.f.z, w.n.x, w.n.y, w.n.z};
    return value[part];
}

// what acts on a measure only is not a wrench
bool trmi_acts_as_wrench(const trmi_element *e)
{
    return e->set.own == TRMI_NOTHING && !e->set.formula_row &&
           (!e->force || e->set.pair.B == e->force->body[1]);
}

static double force_of(const trmi_acting *a)
{
    return a->element->force->type->sign * a->law.F[0];
}

// -F v summed over the rows
static double power_of(const trmi_acting *a)
{
    double power = 0;
    for (int r = 0; r < a->element->set.rows; r++)
        power -= a->law.F[r] * trmi_set_rate(&a->x, r);
    return power;
}

// whether a gap is closed that the integrator does not hold open
static bool touches(const trmi_acting *a)
{
    const trmi_element *e = a->element;
    const double *held = a->x.state->held;
    trmi_gap gap[TRMI_MAX_GAPS];
    // without those of conditions of a road and of the grip of a contact
    int contacts = e->force && e->gaps ? 1 : e->switches;
    trmi_element_gaps(e, a->work, &a->x, false, gap);
    for (int j = 0; j < contacts; j++) {
        bool open = held && held[e->first_lock + j] != 0;
        if (!open && gap[j].gap < 0)
            return true;
    }
    return false;
}

bool trmi_effect_is_of(const trmi_mechanism *m, const trmi_element *e, const trmi_effect *effect)
{
    switch (effect->kind) {
    case TRMI_EFFECT_FRICTION:
        return !e->force && e->joint == &m->joint[effect->index] && e->law == trmi_law_friction;
    case TRMI_EFFECT_STOP:
        return !e->force && e->joint == &m->joint[effect->index] && e->law == trmi_law_stop;
    case TRMI_EFFECT_JOINT:
        return e->show && e->joint == &m->joint[effect->index];
    case TRMI_EFFECT_REACTION:
    case TRMI_EFFECT_DRIVE:
    case TRMI_EFFECT_SUM:
        return false;
    default:
        return e->force == m->force[effect->index];
    }
}

double trmi_effect_value(const trmi_acting *a, const trmi_effect *effect)
{
    switch (effect->kind) {
    case TRMI_EFFECT_WRENCH: // on the second body, at the marker there
    case TRMI_EFFECT_REACTION:
        return !a->element || trmi_acts_as_wrench(a->element)
                   ? -trmi_wrench_component(trmi_set_wrench(&a->x, a->law.F), effect->part)
                   : 0;
    case TRMI_EFFECT_FORCE:
        return force_of(a);
    case TRMI_EFFECT_POWER:
        return power_of(a);
    case TRMI_EFFECT_TOUCH:
        return touches(a);
    case TRMI_EFFECT_LENGTH:
        return a->x.value[0].p;
    case TRMI_EFFECT_RATE:
        return trmi_set_rate(&a->x, 0);
    case TRMI_EFFECT_CHANNEL:
        return trmi_element_channel(a->element, a->work, &a->x, effect->part);
    case TRMI_EFFECT_JOINT:
        return a->element->show(a->element, &a->x, &a->law, effect->part);
    default:
        return -a->law.F[0];
    }
}
