// SPDX-License-Identifier: Apache-2.0
// Between steps: full turns are counted, rotation charts that have turned far re-centred, and every
// point the library keeps is re-expressed; gaps of one-sided forces are reported, and beams that
// bend too much. And how a small
// rotation that keeps its axes is transported by charts that turn with their body.
#include "modelling/multibody/chart.h"
#include "modelling/multibody/machine.h"

#include <math.h>
#include <stdio.h>

static void put_center(double *held, int first, trmi_quaternion A)
{
    held[first] = A.s;
    held[first + 1] = A.v.x;
    held[first + 2] = A.v.y;
    held[first + 3] = A.v.z;
}

// what constraints, signals and forces hold beside the charts
static bool settle_rows(trmi_machine_work *work, const trm_state *state, double *held)
{
    const trmi_machine *machine = work->machine;
    const trmi_kinematics *moved = &work->kinematics;
    if (machine->n_held == machine->tree->n_held)
        return false;
    trmi_kinematics_move(&work->kinematics, state);
    bool turned = trmi_constraints_settle(&machine->constraints, moved, state, held);
    turned = trmi_signals_settle(&machine->signals, moved, state, held) || turned;
    return trmi_forces_settle(&machine->forces, moved, state, held) || turned;
}

int trmi_machine_settle(const trm_state *state, double *held, void *user)
{
    trmi_machine_work *work = user;
    const trmi_tree *t = work->machine->tree;
    int result = settle_rows(work, state, held) ? 1 : 0;
    for (int k = 0; k < t->columns; k++) {
        if (trmi_chart_of(t, k) != k)
            continue;
        const trmi_column c = trmi_column_of(t, k);
        trmi_v3 theta = trmi_three(state->q, c.coordinate);
        if (trmi_v3_length(theta) <= TRMI_CHART_LIMIT)
            continue;
        trmi_quaternion turned =
            trmi_quaternion_mul(trmi_center(held, c.held), trmi_chart_quaternion(theta));
        put_center(held, c.held, trmi_quaternion_unit(turned));
        result = 2;
    }
    return result;
}

int trmi_machine_switches(const trm_state *state, double *gap, double *rate, double *second,
                          void *user)
{
    trmi_machine_work *work = user;
    trmi_kinematics_move(&work->kinematics, state);
    if (second)
        trmi_kinematics_accelerate(&work->kinematics, state, state->a, false);
    trmi_forces_switches(&work->machine->forces, &work->force, &work->kinematics, state, gap, rate,
                         second);
    return 0;
}

int trmi_machine_switch_bends(const trm_state *from, const trm_state *to, double *bend, void *user)
{
    trmi_machine_work *work = user;
    const trmi_forces *forces = &work->machine->forces;
    trmi_forces_meet_end(forces, &work->force, &work->kinematics, from);
    trmi_forces_meet_end(forces, &work->force, &work->kinematics, to);
    trmi_forces_bends(forces, &work->force, from, to, bend);
    return 0;
}

// Beams are made for small slopes: cos 0.3 = 0.955, and the arc is 1.5 % longer than its chord.
static const double MAX_SLOPE = 0.3;

static int beam_warning(const trmi_machine *machine, const trm_state *state, int number, char *text,
                        size_t size)
{
    const trmi_bending *b = &machine->bendings.bending[number];
    const int slopes = b->beam.data.elements + 1;
    int steepest = -1;
    double most = MAX_SLOPE;
    for (int node = 0; node < slopes; node++) {
        int at = b->beam.coordinate[TRMI_BEAM_DOFS * node + TRMI_BEAM_SLOPE];
        double slope = at >= 0 ? fabs(state->q[b->first + at]) : 0;
        if (slope > most) {
            most = slope;
            steepest = node;
        }
    }
    if (steepest >= 0)
        snprintf(text, size,
                 "beam '%.60s' is inclined by %.2g rad against its frame at node %d: its equations "
                 "hold for small slopes, up to %.1g; divide it into several beams",
                 machine->mechanism->body[b->body].name, most, steepest, MAX_SLOPE);
    return steepest >= 0;
}

// That of an element, by its number among those that may warn; the first of those that are asked
// moves the bodies for all. Some are asked at the first state only.
static int force_warning(trmi_machine_work *work, const trm_state *state, int number, char *text,
                         size_t size)
{
    const trmi_element *e = work->machine->forces.element;
    trmi_set_state x;
    trmi_law law;
    bool moved = false;
    if (!work->asked) {
        work->asked = true;
        work->asked_first = state->t;
    }
    bool later = state->t > work->asked_first;
    for (; !e->warn || number-- > 0; e++)
        moved = moved || (e->warn && !(later && e->warns_at_start));
    if (later && e->warns_at_start)
        return 0;
    if (!moved)
        trmi_kinematics_move(&work->kinematics, state);
    trmi_set_straight_at(&x, &e->set, &work->kinematics, state);
    trmi_element_apply(e, &work->force, &x, false, &law);
    return e->warn(e, &work->force, &x, &law, text, size);
}

int trmi_machine_warning(const trm_state *state, int number, char *text, size_t size, void *user)
{
    trmi_machine_work *work = user;
    int beams = work->machine->bendings.count;
    return number < beams ? beam_warning(work->machine, state, number, text, size)
                          : force_warning(work, state, number - beams, text, size);
}

static bool same(const double *a, const double *b, int n)
{
    for (int i = 0; i < n; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

int trmi_machine_reexpress(const double *from, const double *to, double *q, double *v, double *a,
                           void *user)
{
    const trmi_machine_work *work = user;
    const trmi_tree *t = work->machine->tree;
    bool within = true;
    for (int k = 0; k < t->columns; k++) {
        if (trmi_chart_of(t, k) != k)
            continue;
        const trmi_column c = trmi_column_of(t, k);
        if (same(&from[c.held], &to[c.held], 4))
            continue;
        trmi_v3 theta = trmi_three(q, c.coordinate), rate = trmi_three(v, c.coordinate);
        trmi_v3 second = a ? trmi_three(a, c.coordinate) : (trmi_v3){0, 0, 0};
        within = trmi_chart_reexpress(trmi_center(from, c.held), trmi_center(to, c.held), &theta,
                                      &rate, a ? &second : NULL) &&
                 within;
        trmi_put_three(q, c.coordinate, theta);
        trmi_put_three(v, c.coordinate, rate);
        if (a)
            trmi_put_three(a, c.coordinate, second);
    }
    return within ? 0 : 1;
}

// theta of a chart in terms of a rotation dphi in the axes of the predecessor, A constant:
//
//     dphi = A T dtheta,   dphi' = A (T dtheta' + T' dtheta)
//
// dphi and dphi' constant: dtheta' = -P dtheta,  dtheta'' = (P^2 - Q) dtheta - P dtheta', where P =
// T^-1 T', Q = T^-1 T''.
static void transport_chart(const trm_state *state, int i, const double *dq, const double *dv,
                            double *dq_rate, double *dv_rate)
{
    trmi_v3 theta = trmi_three(state->q, i), rate = trmi_three(state->v, i);
    trmi_chart chart = trmi_chart_at(theta, rate);
    trmi_m3 second = trmi_chart_second(theta, rate, trmi_three(state->a, i));
    trmi_v3 d = trmi_three(dq, i), e = trmi_three(dv, i);
    // T^-1 b = T^T b / rho^2, and T^T T = rho^2 1
    double scale = 1 / trmi_v3_dot(chart.T.row[0], chart.T.row[0]);
    trmi_v3 Pd = trmi_v3_scale(scale, trmi_m3_tr_times(chart.T, trmi_m3_times(chart.T1, d)));
    trmi_v3 Qd = trmi_v3_scale(scale, trmi_m3_tr_times(chart.T, trmi_m3_times(second, d)));
    trmi_v3 PPd_e = trmi_v3_scale(
        scale, trmi_m3_tr_times(chart.T, trmi_m3_times(chart.T1, trmi_v3_sub(Pd, e))));
    trmi_put_three(dq_rate, i, trmi_v3_scale(-1, Pd));
    trmi_put_three(dv_rate, i, trmi_v3_sub(PPd_e, Qd));
}

int trmi_machine_transport(const trm_state *state, const double *dq, const double *dv,
                           double *dq_rate, double *dv_rate, void *user)
{
    const trmi_machine_work *work = user;
    const trmi_tree *t = work->machine->tree;
    for (int i = 0; i < t->n_q; i++)
        dq_rate[i] = dv_rate[i] = 0;
    for (int k = 0; k < t->columns; k++)
        if (trmi_chart_of(t, k) == k)
            transport_chart(state, trmi_column_of(t, k).coordinate, dq, dv, dq_rate, dv_rate);
    return 0;
}
