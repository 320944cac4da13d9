// SPDX-License-Identifier: Apache-2.0
// Outputs of bodies and joints at a state: motion, reactions, energy.
//
// The joint of the tree on which a body hangs transmits what the bodies beyond it need and do not
// get from elsewhere: the sum of I a + v x* I v - w over them. A cut transmits - sum lambda gamma.
#include "modelling/multibody/machine.h"
#include "modelling/multibody/rows/relation.h"
#include "modelling/multibody/star/star.h"

static trmi_wrench needed_by(const trmi_kinematics *k, int b)
{
    trmi_inertia I =
        trmi_inertia_of(k->tree->described[b].mass, trmi_arm_of(k, b), trmi_turned_inertia(k, b));
    return trmi_wrench_axpy(trmi_inertia_times(&I, k->a[b]), 1,
                            trmi_wrench_cross(k->v[b], trmi_inertia_times(&I, k->v[b])));
}

void trmi_machine_set_state(trmi_machine_work *work, const trm_state *state)
{
    trmi_kinematics_move(&work->kinematics, state);
    trmi_machine_transmit(work, state); // where a force fails there is no motion either
}

int trmi_machine_transmit(trmi_machine_work *work, const trm_state *state)
{
    trmi_kinematics *k = &work->kinematics;
    const trmi_tree *t = k->tree;
    if (work->machine->closed) { // only joints, whose multipliers are the reactions
        trmi_kinematics_accelerate(k, state, state->a, false);
        return 0;
    }
    int result = trmi_machine_load(work, state);
    trmi_constraints_load(&work->machine->constraints, &work->workspace, k, state, work->applied,
                          work->effort);
    trmi_kinematics_accelerate(k, state, state->a, false);
    trmi_bendings_load(&work->machine->bendings, &work->bending, k, state->a, work->applied,
                       work->effort);
    for (int b = 0; b < t->bodies && !t->star; b++)
        work->through[b] = trmi_wrench_axpy(needed_by(k, b), -1, work->applied[b]);
    for (int i = t->bodies - 1; i > 0 && !t->star; i--) {
        int b = t->order[i], parent = t->parent[b];
        trmi_v3 d = trmi_v3_sub(trmi_origin_of(k, parent), trmi_origin_of(k, b));
        work->through[parent] =
            trmi_wrench_axpy(work->through[parent], 1, trmi_wrench_at(work->through[b], d));
    }
    return result;
}

trmi_body_motion trmi_machine_body(const trmi_machine_work *work, int b)
{
    const trmi_kinematics *k = &work->kinematics;
    trmi_motion v = trmi_velocity_of(k, b), second = trmi_acceleration_of(k, b);
    trmi_v3 w = v.w, u = trmi_motion_at(v, trmi_arm_of(k, b)).v;
    // it is spatial and has gravity in it: w x u more for the point, and gravity back
    trmi_v3 a = trmi_v3_add(trmi_motion_at(second, trmi_arm_of(k, b)).v, trmi_v3_cross(w, u));
    trmi_pose pose = trmi_pose_of(k, b);
    return (trmi_body_motion){.r = pose.r,
                              .velocity = u,
                              .acceleration = trmi_v3_add(a, k->tree->gravity),
                              .rotation = trmi_quaternion_of(pose.R),
                              .w = w,
                              .w_rate = second.w};
}

// forces on the measures of the joint of a body, which are not its reaction
static trmi_wrench efforts_at(const trmi_machine_work *work, int b, trmi_v3 O)
{
    const trmi_kinematics *k = &work->kinematics;
    const trmi_tree_body *body = &k->tree->body[b];
    trmi_wrench sum = {0};
    for (int j = body->first; j <= body->column && body->first != TRMI_NOTHING; j++) {
        // moment about the axis, or force along it at the point of the column
        trmi_motion s = k->s[j];
        bool slide = k->tree->column[j].kind == TRMI_COLUMN_SLIDE;
        trmi_v3 e = slide ? s.v : s.w, zero = {0, 0, 0};
        trmi_wrench f = slide ? (trmi_wrench){trmi_v3_cross(trmi_v3_sub(k->point[j], O), e), e}
                              : (trmi_wrench){e, zero};
        sum = trmi_wrench_axpy(sum, work->effort[j], f);
    }
    return sum;
}

// the joint point on the second body
static trmi_v3 joint_point(const trmi_machine_work *work, int joint)
{
    const trmi_mechanism *m = work->machine->mechanism;
    const trmi_joint *j = &m->joint[joint];
    const trmi_pose pose = trmi_pose_of(&work->kinematics, j->body[1]);
    trmi_v3 arm = trmi_v3_sub(trmi_second_marker(j).at, m->body[j->body[1]].center);
    return trmi_v3_add(pose.r, trmi_m3_times(pose.R, arm));
}

// what the constraints of a joint do to its second body, moment about the joint point
static trmi_wrench transmitted(const trmi_machine_work *work, const trm_state *state, int joint)
{
    const trmi_machine *machine = work->machine;
    const trmi_kinematics *k = &work->kinematics;
    const trmi_tree *t = k->tree;
    const trmi_joint *j = &machine->mechanism->joint[joint];
    int first = j->body[0], second = j->body[1];
    if (machine->constraint_of[joint] != TRMI_NOTHING)
        return trmi_constraints_reaction(&machine->constraints, &work->workspace,
                                         machine->constraint_of[joint], k, state);
    if (!t->in_tree[joint])
        return (trmi_wrench){0}; // a free joint in the star
    int child = t->edge[second] == joint ? second : first;
    trmi_v3 O = trmi_origin_of(k, child);
    trmi_wrench f = trmi_wrench_axpy(work->through[child], -1, efforts_at(work, child, O));
    f = trmi_wrench_at(f, trmi_v3_sub(joint_point(work, joint), O));
    double sign = child == second ? 1 : -1;
    return (trmi_wrench){trmi_v3_scale(sign, f.n), trmi_v3_scale(sign, f.f)};
}

trmi_wrench trmi_machine_reaction(const trmi_machine_work *work, const trm_state *state, int joint)
{
    trmi_wrench friction =
        trmi_forces_friction(&work->machine->forces, &work->force, &work->kinematics, state, joint);
    return trmi_wrench_axpy(transmitted(work, state, joint), 1, friction);
}

// 1/2 sum (m u_c^2 + w.J w),  - sum m g.r + potentials of forces, and what these put in and lose
void trmi_machine_sum_energies(trmi_machine_work *work, trmi_energies *out)
{
    const trmi_kinematics *k = &work->kinematics;
    const trmi_force_energy forces = work->force.energy;
    *out = (trmi_energies){0, forces.potential, forces.supplied, forces.dissipated};
    for (int b = 1; b < k->tree->bodies; b++) {
        trmi_motion v = trmi_velocity_of(k, b);
        trmi_v3 w = v.w, u = trmi_motion_at(v, trmi_arm_of(k, b)).v;
        double m = k->tree->described[b].mass;
        out->kinetic += 0.5 * (m * trmi_v3_dot(u, u) +
                               trmi_v3_dot(w, trmi_s3_times(trmi_turned_inertia(k, b), w)));
        out->potential -= m * trmi_v3_dot(k->tree->gravity, trmi_pose_of(k, b).r);
    }
    trmi_bendings_energy(&work->machine->bendings, &work->bending, k, &out->kinetic,
                         &out->potential, &out->dissipated);
}

int trmi_machine_energies(trmi_machine_work *work, const trm_state *state, trmi_energies *out)
{
    int result = trmi_forces_load(&work->machine->forces, &work->force, &work->kinematics, state,
                                  NULL, NULL);
    trmi_machine_sum_energies(work, out);
    return result;
}

// Reactions do no work along the freedoms of a joint: what the joint transmits times the relative
// motion of its bodies is the power of its prescribed motion.
static double drive_power(const trmi_machine_work *work, const trm_state *state, int joint)
{
    const trmi_kinematics *k = &work->kinematics;
    const trmi_joint *j = &work->machine->mechanism->joint[joint];
    trmi_v3 point = joint_point(work, joint);
    trmi_wrench f = transmitted(work, state, joint);
    double power = 0;
    for (int e = 0; e < 2; e++) {
        int b = j->body[e];
        trmi_v3 arm = trmi_v3_sub(point, trmi_origin_of(k, b));
        trmi_motion v = trmi_motion_at(trmi_velocity_of(k, b), arm);
        power += (e ? 1 : -1) * trmi_power(v, f);
    }
    return power;
}

// The relative motion at the joint point for a unit rate of the measure, times what is transmitted.
double trmi_machine_drive_effort(const trmi_machine_work *work, const trm_state *state, int joint,
                                 int measure)
{
    const trmi_joint *j = &work->machine->mechanism->joint[joint];
    const trmi_measure of = trmi_measure_of(j->type, work->machine->mechanism->plane, measure);
    bool second = of.row == &trmi_second_turn; // about an axis of the second body
    const trmi_pose pose = trmi_pose_of(&work->kinematics, j->body[second]);
    trmi_m3 frame = second ? *trmi_second_frame(j) : *j->frame;
    trmi_v3 e = trmi_m3_times(pose.R, trmi_m3_column(frame, of.axis));
    trmi_wrench f = transmitted(work, state, joint);
    double along = trmi_v3_dot(e, f.f), about = trmi_v3_dot(e, f.n);
    if (of.kind == TRMI_MEASURE_TRAVEL)
        return along;
    return j->type->screw ? about + trmi_extra_of(j).size * along : about;
}

static bool is_driven(const trmi_mechanism *m, int joint)
{
    bool driven = false;
    for (int k = 0; k < trmi_measure_count(m->joint[joint].type, m->plane); k++)
        driven = driven || trmi_drive_of(&m->joint[joint], k) != TRMI_NOTHING;
    return driven;
}

bool trmi_machine_conserves(const trmi_machine *machine)
{
    const trmi_forces *f = &machine->forces;
    bool conserves = machine->tree->n_u == 0 && !trmi_bendings_lose(&machine->bendings);
    for (int j = 0; j < machine->mechanism->joints && conserves; j++) // which may depend on t
        conserves = !trmi_extra_of(&machine->mechanism->joint[j]).relation;
    for (int i = 0; i < f->elements && conserves; i++)
        conserves = !f->element[i].damped && f->element[i].formulas == 0;
    return conserves;
}

double trmi_machine_drive_power(const trmi_machine_work *work, const trm_state *state)
{
    const trmi_mechanism *m = work->machine->mechanism;
    double power = 0;
    for (int j = 0; j < m->joints && work->machine->tree->n_u > 0; j++)
        if (is_driven(m, j))
            power += drive_power(work, state, j);
    if (work->workspace.relation)
        power += trmi_constraints_power(&work->machine->constraints, &work->workspace,
                                        &work->kinematics, state);
    return power;
}
