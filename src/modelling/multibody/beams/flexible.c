// SPDX-License-Identifier: Apache-2.0
// Creation, forces and energy of the beams of a machine; the matrices are in flexible_matrices.c.
#include "modelling/multibody/beams/flexible.h"

#include "modelling/multibody/frames.h"

#include <math.h>

// ---- creation ----

// the unknown columns on the way to a body, from the ground on
static bool find_columns(trmi_bending *b, trmi_memory *memory, const trmi_tree *t)
{
    int *column, last = t->body[b->body].column;
    for (int k = last; k != TRMI_NOTHING; k = t->column[k].parent)
        b->columns += t->column[k].coordinate != TRMI_NOTHING;
    if (!TRMI_TAKE(memory, column, b->columns))
        return false;
    int i = b->columns;
    for (int k = last; k != TRMI_NOTHING; k = t->column[k].parent)
        if (t->column[k].coordinate != TRMI_NOTHING)
            column[--i] = k;
    b->column = column;
    return true;
}

// columns by columns, columns by u and back, and as many of u by u
static int announce(const trmi_bending *b, const trmi_tree *t, trmi_slots *slots, int elastic)
{
    int first = slots->added;
    for (int i = 0; i < b->columns; i++)
        for (int j = 0; j < b->columns; j++)
            trmi_slots_add(slots, t->column[b->column[i]].coordinate,
                           t->column[b->column[j]].coordinate);
    for (int i = 0; i < b->columns; i++)
        for (int u = b->first; u < b->first + b->beam.n; u++) {
            trmi_slots_add(slots, t->column[b->column[i]].coordinate, u);
            trmi_slots_add(slots, u, t->column[b->column[i]].coordinate);
        }
    for (int k = 0; k < elastic; k++)
        trmi_slots_add(slots, b->first + b->beam.u_row[k], b->first + b->beam.u_column[k]);
    return first;
}

static bool create_bending(trmi_bending *b, trmi_memory *memory, const trmi_mechanism *m,
                           const trmi_tree *t, const trmi_flexible *f)
{
    const trmi_body *body = &m->body[f->body];
    *b = (trmi_bending){.body = f->body,
                        .arm = trmi_v3_sub(f->from, body->center),
                        .along = f->along,
                        .first_column = t->body[body->first_node].first};
    b->first = t->column[b->first_column].coordinate;
    if (!trmi_beam_create(&b->beam, memory, &f->data) || !find_columns(b, memory, t))
        return false;
    b->beam.mass = b->beam.moment = b->beam.inertia = 0;
    return true;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

bool trmi_bendings_create(trmi_bendings *all, trmi_memory *memory, const trmi_mechanism *m,
                          const trmi_tree *t, trmi_slots *M, trmi_slots *K, trmi_slots *D)
{
    trmi_bending *bending;
    *all = (trmi_bendings){.count = m->flexibles};
    trmi_plane_axes(m->plane, all->axis);
    if (!TRMI_TAKE(memory, bending, m->flexibles))
        return false;
    all->bending = bending;
    for (int i = 0; i < m->flexibles; i++) {
        trmi_bending *b = &bending[i];
        if (!create_bending(b, memory, m, t, &m->flexible[i]))
            return false;
        b->M = announce(b, t, M, b->beam.entries);
        b->K = announce(b, t, K, b->beam.entries);
        b->D = announce(b, t, D, trmi_beam_is_damped(&b->beam) ? b->beam.entries : 0);
        all->max_columns = larger(all->max_columns, b->columns);
        all->max_coordinates = larger(all->max_coordinates, b->beam.n);
        all->max_points = larger(all->max_points, b->beam.points);
        all->max_entries = larger(all->max_entries, b->beam.entries);
    }
    return true;
}

bool trmi_bending_work_create(trmi_bending_work *work, trmi_memory *memory,
                              const trmi_bendings *all)
{
    return TRMI_TAKE(memory, work->motion, all->max_columns) &&
           TRMI_TAKE(memory, work->bent, all->max_coordinates) &&
           TRMI_TAKE(memory, work->along, all->max_coordinates) &&
           TRMI_TAKE(memory, work->across, all->max_coordinates) &&
           trmi_beam_work_create(&work->beam, memory, all->max_points) &&
           TRMI_TAKE(memory, work->block.r_e, all->max_coordinates) &&
           TRMI_TAKE(memory, work->block.r_n, all->max_coordinates) &&
           TRMI_TAKE(memory, work->block.phi_u, all->max_coordinates) &&
           TRMI_TAKE(memory, work->block.u_phi, all->max_coordinates) &&
           TRMI_TAKE(memory, work->block.u_u, all->max_entries);
}

// ---- motion ----

// with the acceleration of the frame as a motion in space
static trmi_frame_place place(const trmi_bendings *all, const trmi_bending *b,
                              const trmi_beam_work *work, const trmi_kinematics *k,
                              trmi_motion frame, const double *a)
{
    trmi_m3 R = k->pose[b->body].R;
    trmi_frame_place p = {.c = trmi_v3_add(k->c[b->body], trmi_m3_times(R, b->arm))};
    trmi_v3 along = trmi_m3_times(R, b->along), w = k->v[b->body].w;
    p.velocity = trmi_motion_at(k->v[b->body], p.c).v;
    // w x r' more for the point
    p.acceleration = trmi_v3_add(trmi_motion_at(frame, p.c).v, trmi_v3_cross(w, p.velocity));
    p.state = (trmi_beam_state){
        .angle = atan2(trmi_component(along, all->axis[1]), trmi_component(along, all->axis[0])),
        .rate = trmi_component(w, all->axis[2]),
        .a = {trmi_component(p.acceleration, all->axis[0]),
              trmi_component(p.acceleration, all->axis[1])},
        .angular = trmi_component(frame.w, all->axis[2]),
        .u = k->q + b->first,
        .v = k->rate + b->first,
        .w = a ? a + b->first : NULL};
    trmi_beam_curve(&b->beam, work, &p.state);
    return p;
}

trmi_frame_place trmi_bending_place(const trmi_bendings *all, const trmi_bending *b,
                                    const trmi_beam_work *work, const trmi_kinematics *k,
                                    const double *a)
{
    return place(all, b, work, k, k->a[b->body], a);
}

static trmi_v3 unit(int axis)
{
    return trmi_m3_unit().row[axis];
}

// a vector of the plane
static trmi_v3 in_space(const trmi_bendings *all, const double x[2])
{
    return trmi_v3_axpy(trmi_v3_scale(x[0], unit(all->axis[0])), x[1], unit(all->axis[1]));
}

trmi_wrench trmi_bending_wrench(const trmi_bendings *all, const trmi_frame_place *p,
                                const double force[2], double moment)
{
    trmi_wrench at_frame = {trmi_v3_scale(moment, unit(all->axis[2])), in_space(all, force)};
    return trmi_wrench_at(at_frame, trmi_v3_scale(-1, p->c));
}

// -R of one beam
static void load(const trmi_bendings *all, const trmi_bending *b, trmi_bending_work *work,
                 const trmi_frame_place *p, trmi_wrench *on_body, double *on_column)
{
    const trmi_beam_terms t = trmi_beam_move(&b->beam, &p->state);
    trmi_wrench R = trmi_bending_wrench(all, p, t.residual_r, t.residual_phi);
    on_body[b->body] = trmi_wrench_axpy(on_body[b->body], -1, R);
    trmi_beam_residual(&b->beam, &p->state, &t, work->bent);
    for (int u = 0; u < b->beam.n; u++)
        on_column[b->first_column + u] -= work->bent[u];
}

void trmi_bendings_load(const trmi_bendings *all, trmi_bending_work *work, const trmi_kinematics *k,
                        const double *a, trmi_wrench *on_body, double *on_column)
{
    for (int i = 0; i < all->count; i++) {
        const trmi_frame_place p = trmi_bending_place(all, &all->bending[i], &work->beam, k, a);
        load(all, &all->bending[i], work, &p, on_body, on_column);
    }
}

void trmi_bendings_resist(const trmi_bendings *all, trmi_bending_work *work,
                          const trmi_kinematics *k, trmi_wrench *on_body, double *on_column)
{
    for (int i = 0; i < all->count; i++) {
        const trmi_frame_place p =
            place(all, &all->bending[i], &work->beam, k, (trmi_motion){0}, NULL);
        load(all, &all->bending[i], work, &p, on_body, on_column);
    }
}

void trmi_bendings_energy(const trmi_bendings *all, const trmi_bending_work *work,
                          const trmi_kinematics *k, double *kinetic, double *potential,
                          double *dissipated)
{
    trmi_v3 g = k->tree->gravity;
    for (int i = 0; i < all->count; i++) {
        const trmi_bending *b = &all->bending[i];
        const trmi_frame_place p = trmi_bending_place(all, b, &work->beam, k, NULL);
        const double velocity[2] = {trmi_component(p.velocity, all->axis[0]),
                                    trmi_component(p.velocity, all->axis[1])};
        const double e = cos(p.state.angle), n = sin(p.state.angle);
        double along, across;
        trmi_beam_moments(&b->beam, &p.state, &along, &across);
        const double moved[2] = {along * e - across * n, along * n + across * e};
        *kinetic += trmi_beam_kinetic(&b->beam, &p.state, velocity);
        *potential += trmi_beam_strain(&b->beam, p.state.u) - trmi_v3_dot(g, in_space(all, moved));
        *dissipated += trmi_beam_loss(&b->beam, p.state.v);
    }
}

bool trmi_bendings_lose(const trmi_bendings *all)
{
    for (int i = 0; i < all->count; i++)
        if (all->bending[i].beam.data.damping > 0)
            return true;
    return false;
}
