// SPDX-License-Identifier: Apache-2.0
// Motion of the bodies of the star.
#include "modelling/multibody/star/star.h"

// ---- space ----

// A (1; x)
static trmi_quaternion turn_on(trmi_quaternion a, trmi_v3 x)
{
    return trmi_quaternion_mul(a, (trmi_quaternion){1, x});
}

void trmi_star_find(const trmi_kinematics *k, int b, trmi_star_body *found)
{
    const trmi_tree *t = k->tree;
    found->body = b;
    if (b == TRMI_GROUND) {
        found->pose = (trmi_pose){trmi_m3_unit(), t->described[b].center};
        return;
    }
    const double *q = k->q + trmi_star_coordinate(t, b);
    trmi_v3 x = trmi_v3_scale(0.25, trmi_three(q, 3));
    double rho = 1 / (1 + trmi_v3_dot(x, x));
    trmi_quaternion half = turn_on(trmi_center(k->held, 4 * (b - 1)), x);
    found->E = trmi_chart_rotation(rho * rho, half);
    found->pose.R = trmi_chart_rotation(rho * rho, turn_on(half, x));
    found->pose.r = trmi_three(q, 0);
}

// E1 = (k1 + [z]) E: row by row, [z] E has the rows z_y E_z - z_z E_y, ...
static trmi_m3 turned_axes(trmi_m3 E, double k1, trmi_v3 z)
{
    const trmi_v3 *e = E.row;
    return (trmi_m3){{trmi_v3_axpy(trmi_v3_axpy(trmi_v3_scale(k1, e[0]), z.y, e[2]), -z.z, e[1]),
                      trmi_v3_axpy(trmi_v3_axpy(trmi_v3_scale(k1, e[1]), z.z, e[0]), -z.x, e[2]),
                      trmi_v3_axpy(trmi_v3_axpy(trmi_v3_scale(k1, e[2]), z.x, e[1]), -z.y, e[0])}};
}

trmi_m3 trmi_star_turning_axes(const trmi_kinematics *k, int b, const trmi_m3 *E)
{
    int i = trmi_star_coordinate(k->tree, b) + 3;
    trmi_turning t = trmi_turning_at(k->q + i, k->rate + i, NULL);
    trmi_v3 y = trmi_v3_scale(0.5, trmi_v3_sub(t.rate, trmi_v3_cross(t.x, t.rate)));
    return turned_axes(*E, t.k1, trmi_m3_times(*E, y));
}

// the columns of a body, for rows that are not closed blocks: s = (E; 0), sdot = (E1; r' x E)
static void fill_columns(trmi_kinematics *k, int b)
{
    int j = k->tree->body[b].first + 3;
    trmi_star_body scratch;
    const trmi_m3 *E = &trmi_placed(k, b, &scratch)->E;
    trmi_m3 E1 = trmi_star_turning_axes(k, b, E);
    for (int i = 0; i < 3; i++) {
        trmi_v3 e = trmi_m3_column(*E, i);
        k->s[j + i].w = e;
        k->sdot[j + i] = (trmi_motion){trmi_m3_column(E1, i), trmi_v3_cross(k->v[b].v, e)};
    }
}

// ---- plane ----

trmi_pose trmi_star_plane_pose(const trmi_kinematics *k, int b)
{
    const trmi_tree *t = k->tree;
    if (b == TRMI_GROUND)
        return (trmi_pose){trmi_m3_unit(), t->described[b].center};
    const double *q = k->q + trmi_star_coordinate(t, b);
    const trmi_line *along = trmi_star_line(t, b, 0);
    trmi_v3 ex = along->axis, ey = trmi_star_line(t, b, 1)->axis, e = trmi_star_line(t, b, 2)->axis;
    trmi_v3 r = trmi_v3_axpy(trmi_v3_axpy(along->before, q[0], ex), q[1], ey);
    trmi_v2 turn = k->turn[b];
    // cos 1 + sin [e] + (1 - cos) e e^T
    trmi_m3 R = trmi_m3_axpy(trmi_m3_scale(turn.x, trmi_m3_unit()), turn.y, trmi_m3_cross(e));
    return (trmi_pose){trmi_m3_axpy(R, 1 - turn.x, trmi_m3_outer(e, e)), r};
}

static void speed_plane(trmi_kinematics *k, int b)
{
    const trmi_tree *t = k->tree;
    if (k->pose)
        k->pose[b] = trmi_star_plane_pose(k, b);
    if (k->sdot)
        k->sdot[t->body[b].first + 2].v = trmi_v3_cross(k->v[b].v, trmi_star_line(t, b, 2)->axis);
}

// ---- both ----

trmi_motion trmi_star_velocity(const trmi_kinematics *k, int b)
{
    const trmi_tree *t = k->tree;
    trmi_star_body scratch;
    if (b == TRMI_GROUND)
        return (trmi_motion){{0, 0, 0}, {0, 0, 0}};
    const double *v = k->rate + trmi_star_coordinate(t, b);
    if (t->plane == TRMI_SPATIAL)
        return (trmi_motion){trmi_m3_times(trmi_placed(k, b, &scratch)->E, trmi_three(v, 3)),
                             trmi_three(v, 0)};
    trmi_v3 along = trmi_v3_scale(v[0], trmi_star_line(t, b, 0)->axis);
    return (trmi_motion){trmi_v3_scale(v[2], trmi_star_line(t, b, 2)->axis),
                         trmi_v3_axpy(along, v[1], trmi_star_line(t, b, 1)->axis)};
}

// a = (w'; r'' - g + r' x w): spatial, not that of a point
trmi_motion trmi_star_acceleration(const trmi_kinematics *k, int b)
{
    const trmi_tree *t = k->tree;
    const double *a = k->second;
    int i = trmi_star_coordinate(t, b);
    trmi_star_body scratch;
    trmi_motion v = trmi_star_velocity(k, b);
    trmi_v3 r = trmi_v3_sub(trmi_v3_cross(v.v, v.w), t->gravity), w = {0, 0, 0};
    if (b == TRMI_GROUND)
        return (trmi_motion){w, r};
    if (t->plane == TRMI_SPATIAL) {
        trmi_turning turn = trmi_turning_at(k->q + i + 3, k->rate + i + 3, a ? a + i + 3 : NULL);
        w = trmi_m3_times(trmi_placed(k, b, &scratch)->E, turn.second);
        r = a ? trmi_v3_add(r, trmi_three(a, i)) : r;
    } else if (a) {
        w = trmi_v3_scale(a[i + 2], trmi_star_line(t, b, 2)->axis);
        r = trmi_v3_axpy(r, a[i], trmi_star_line(t, b, 0)->axis);
        r = trmi_v3_axpy(r, a[i + 1], trmi_star_line(t, b, 1)->axis);
    }
    return (trmi_motion){w, r};
}

void trmi_star_prepare(trmi_kinematics *k)
{
    const trmi_tree *t = k->tree;
    if (k->placed)
        trmi_star_find(k, TRMI_GROUND, &k->placed[0]);
    for (int j = 0; j < t->columns && k->s; j++) {
        const trmi_column c = trmi_column_of(t, j);
        if (c.kind == TRMI_COLUMN_SLIDE)
            k->s[j] = (trmi_motion){{0, 0, 0}, trmi_line_of(t, j)->axis};
        else if (c.kind == TRMI_COLUMN_TURN)
            k->s[j] = (trmi_motion){trmi_line_of(t, j)->axis, {0, 0, 0}};
    }
}

void trmi_star_place(trmi_kinematics *k, const trm_state *state, int first, int end)
{
    const trmi_tree *t = k->tree;
    k->q = state->q;
    k->rate = state->v;
    k->held = state->held;
    for (int b = first; b < end; b++)
        if (t->plane == TRMI_SPATIAL) {
            trmi_star_find(k, b, &k->placed[b & k->mask]);
        } else {
            double angle = state->q[trmi_star_coordinate(t, b) + 2];
            k->turn[b] = (trmi_v2){cos(angle), sin(angle)};
        }
}

void trmi_star_speed(trmi_kinematics *k, int first, int end)
{
    const trmi_tree *t = k->tree;
    for (int b = first; b < end; b++) {
        if (k->v)
            k->v[b] = trmi_star_velocity(k, b);
        if (t->plane != TRMI_SPATIAL)
            speed_plane(k, b);
        else if (k->s)
            fill_columns(k, b);
    }
}

void trmi_star_accelerate(trmi_kinematics *k, const double *a, int first, int end)
{
    k->second = a;
    for (int b = first; b < end && k->a; b++)
        k->a[b] = trmi_star_acceleration(k, b);
}
