// SPDX-License-Identifier: Apache-2.0
#include "modelling/multibody/signals.h"

#include "modelling/multibody/frames.h"
#include "modelling/multibody/rows/relation.h"
#include "modelling/multibody/rows/row_euler.h"

// a row between the ground, global axes, and the centre of mass of a body
static trmi_row_set from_ground(const trmi_mechanism *m, int body, trmi_m3 frame,
                                const trmi_row_type *row, int *n_held)
{
    const int pair[2] = {TRMI_GROUND, body};
    const trmi_v3 origin = m->body[TRMI_GROUND].center;
    trmi_row_set set = {.pair =
                            trmi_pair_at(m, pair, origin, m->body[body].center, frame, frame, 0)};
    trmi_set_add(&set, row, n_held);
    return set;
}

static trmi_row_set length_of(const trmi_mechanism *m, const trmi_force *force, int *n_held)
{
    trmi_row_set set = {.pair = trmi_pair_at(m, force->body, force->at, force->at_second,
                                             force->frame, force->frame, 0)};
    trmi_set_add(&set, &trmi_plain_length, n_held);
    return set;
}

static trmi_row_set from_point(const trmi_mechanism *m, const trmi_signal *signal, int *n_held)
{
    const trmi_body_point *p = &m->point[signal->index];
    const trmi_row_type *row =
        signal->kind == TRMI_SIGNAL_PLACE      ? &trmi_slide[signal->part]
        : signal->kind == TRMI_SIGNAL_TURN     ? &trmi_turn[2]
        : signal->kind == TRMI_SIGNAL_DISTANCE ? &trmi_plain_length
        : signal->kind == TRMI_SIGNAL_EULER    ? &trmi_euler_row[signal->part % 3]
        : signal->kind == TRMI_SIGNAL_ENTRY    ? &trmi_entry[signal->part]
                                               : &trmi_world_torque[signal->part];
    bool turn = signal->kind == TRMI_SIGNAL_TURN; // from the reference configuration on
    trmi_m3 first = turn ? trmi_plane_frame(m->plane) : p->axes[0];
    trmi_m3 second = turn ? first : p->axes[1];
    trmi_row_set set = {.pair = trmi_pair_at(m, p->body, p->at[0], p->at[1], first, second, 0)};
    if (signal->kind == TRMI_SIGNAL_EULER)
        set.pair.data = trmi_euler_at(signal->part / 3);
    trmi_set_add(&set, row, n_held);
    return set;
}

bool trmi_signal_set(trmi_row_set *set, trmi_memory *memory, const trmi_mechanism *m,
                     const trmi_tree *tree, const trmi_signal *signal, int *n_held)
{
    switch (signal->kind) {
    case TRMI_SIGNAL_MEASURE:
        return trmi_set_of_measure(set, memory, m, tree, signal->index, signal->part, n_held);
    case TRMI_SIGNAL_CENTER:
        *set = from_ground(m, signal->index, trmi_m3_unit(), &trmi_slide[signal->part], n_held);
        break;
    case TRMI_SIGNAL_ANGLE:
        *set = from_ground(m, signal->index, trmi_plane_frame(m->plane), &trmi_turn[2], n_held);
        break;
    case TRMI_SIGNAL_LENGTH:
        *set = length_of(m, m->force[signal->index], n_held);
        break;
    case TRMI_SIGNAL_PLACE:
    case TRMI_SIGNAL_TURN:
    case TRMI_SIGNAL_DISTANCE:
    case TRMI_SIGNAL_ENTRY:
    case TRMI_SIGNAL_EULER:
    case TRMI_SIGNAL_SPIN:
        *set = from_point(m, signal, n_held);
        break;
    }
    return trmi_set_finish(set, memory, tree);
}

bool trmi_signals_create(trmi_signals *signals, trmi_memory *memory,
                         const trmi_mechanism *mechanism, const trmi_tree *tree, int count,
                         int *n_held)
{
    trmi_row_set *set;
    if (!TRMI_TAKE(memory, set, count))
        return false;
    *signals = (trmi_signals){count, set};
    for (int k = 0; k < count; k++)
        if (!trmi_signal_set(&set[k], memory, mechanism, tree, &mechanism->signal[k], n_held))
            return false;
    return true;
}

void trmi_signals_evaluate(const trmi_signals *signals, const trmi_kinematics *k,
                           const trm_state *state, double *p, double *rate, double *second)
{
    trmi_set_state x;
    for (int i = 0; i < signals->count; i++) {
        trmi_set_at(&x, &signals->set[i], k, state);
        p[i] = x.value[0].p;
        rate[i] = trmi_set_rate(&x, 0);
        if (second)
            second[i] = trmi_set_second(&x, 0);
    }
}

bool trmi_signals_settle(const trmi_signals *signals, const trmi_kinematics *k,
                         const trm_state *state, double *held)
{
    bool changed = false;
    for (int i = 0; i < signals->count; i++)
        if (trmi_set_settle(&signals->set[i], k, state, held))
            changed = true;
    return changed;
}
