// SPDX-License-Identifier: Apache-2.0
// Columns along the tree. With v_p, a_p of the column before, e the axis and r = point - O:
//
//     turn   s = (e; r x e)          sdot  = v_p x s
//     slide  s = (0; e)              sddot = a_p x s + v_p x sdot
//     screw  s = (e; r x e + h e)
//     chart  s_i = ex(W T_i), ex(e) = (e; r x e)
//            sdot_i = v_p x s_i + ex(W T'_i)
//            sddot_i = a_p x s_i + v_p x (sdot_i + ex(W T'_i)) + ex(W T''_i)
//
//     v = v_p + s q'                 a = a_p + s q'' + sdot q'
#include "modelling/multibody/kinematics.h"

#include "modelling/multibody/frames.h"
#include "modelling/multibody/star/star.h"

#include <limits.h>

// Bodies of the star whose places are at hand, a power of two: a tile (row_assembly.h) and the one
// before it.
enum { AT_HAND = 64 };

static bool take_star(trmi_kinematics *k, trmi_memory *memory, bool columns)
{
    const trmi_tree *t = k->tree;
    if (columns &&
        (!TRMI_TAKE(memory, k->s, t->columns) || !TRMI_TAKE(memory, k->sdot, t->columns) ||
         !TRMI_TAKE(memory, k->v, t->bodies) || !TRMI_TAKE(memory, k->a, t->bodies)))
        return false;
    if (t->plane != TRMI_SPATIAL)
        return (!columns || TRMI_TAKE(memory, k->pose, t->bodies)) &&
               TRMI_TAKE(memory, k->turn, t->bodies);
    k->mask = columns ? INT_MAX : AT_HAND - 1;
    return TRMI_TAKE(memory, k->placed, columns ? t->bodies : AT_HAND);
}

static bool take_tree(trmi_kinematics *k, trmi_memory *memory)
{
    const trmi_tree *t = k->tree;
    return TRMI_TAKE(memory, k->pose, t->bodies) && TRMI_TAKE(memory, k->v, t->bodies) &&
           TRMI_TAKE(memory, k->a, t->bodies) && TRMI_TAKE(memory, k->origin, t->roots) &&
           TRMI_TAKE(memory, k->s, t->columns) && TRMI_TAKE(memory, k->sdot, t->columns) &&
           TRMI_TAKE(memory, k->sddot, t->columns) &&
           TRMI_TAKE(memory, k->chart_axes, t->n_held / 4) && TRMI_TAKE(memory, k->c, t->bodies) &&
           TRMI_TAKE(memory, k->J, t->bodies) && TRMI_TAKE(memory, k->point, t->columns) &&
           TRMI_TAKE(memory, k->column_v, t->columns) &&
           TRMI_TAKE(memory, k->column_a, t->columns) && TRMI_TAKE(memory, k->frame, t->columns) &&
           TRMI_TAKE(memory, k->place, t->columns);
}

// the ground and what is fixed to it stay as they are
static void rest_body(trmi_kinematics *k, int b)
{
    const trmi_tree *t = k->tree;
    if (k->pose)
        k->pose[b] = (trmi_pose){trmi_m3_unit(), t->star ? t->described[b].center : t->after[b]};
    if (k->a)
        k->a[b].v = trmi_v3_scale(-1, t->gravity);
    if (t->star)
        return;
    k->c[b] = t->after[b];
    k->J[b] = trmi_s3_turned(trmi_m3_unit(), t->described[b].inertia);
}

bool trmi_kinematics_create(trmi_kinematics *k, trmi_memory *memory, const trmi_tree *t,
                            bool columns)
{
    *k = (trmi_kinematics){.tree = t};
    if (!(t->star ? take_star(k, memory, columns) : take_tree(k, memory)))
        return false;
    for (int b = 0; b < t->bodies; b++)
        rest_body(k, b);
    if (t->star)
        trmi_star_prepare(k);
    return true;
}

// ---- places ----

trmi_m3 trmi_turn_about(trmi_m3 R, trmi_v3 axis, double angle)
{
    double s = sin(angle), h = sin(0.5 * angle), c = 2 * h * h; // 1 - cos
    trmi_m3 S = trmi_m3_cross(axis);
    trmi_m3 turn = trmi_m3_axpy(trmi_m3_axpy(trmi_m3_unit(), s, S), c, trmi_m3_mul(S, S));
    return trmi_m3_mul(R, turn);
}

// axes after a chart: W C Q^T, the rows of Q^T are the axes of its columns
static trmi_m3 turn_chart(trmi_kinematics *k, int j, trmi_m3 R, const trm_state *state)
{
    const trmi_column *c = &k->tree->column[j];
    trmi_m3 W = trmi_m3_mul(R, trmi_quaternion_matrix(trmi_center(state->held, c->held)));
    trmi_quaternion e = trmi_chart_quaternion(trmi_three(state->q, c->coordinate));
    *trmi_chart_axes(k, j) = W;
    return trmi_m3_mul(
        trmi_m3_mul(W, trmi_quaternion_matrix(e)),
        (trmi_m3){{trmi_line_of(k->tree, j)->axis, trmi_line_of(k->tree, j + 1)->axis,
                   trmi_line_of(k->tree, j + 2)->axis}});
}

static double column_value(const trmi_column *c, const double *q, const double *u)
{
    return c->coordinate != TRMI_NOTHING ? q[c->coordinate] : u[c->drive];
}

// axes and point after column j
static void place_column(trmi_kinematics *k, int j, const trm_state *state)
{
    const trmi_column *c = &k->tree->column[j];
    const trmi_line *line = trmi_line_of(k->tree, j);
    bool first = c->parent == TRMI_NOTHING;
    trmi_m3 R = first ? trmi_m3_unit() : k->frame[c->parent];
    trmi_v3 place = first ? (trmi_v3){0, 0, 0} : k->place[c->parent];
    if (!first) // the first point of a tree is added to O, see below
        place = trmi_v3_add(place, trmi_m3_times(R, line->before));
    double q = column_value(c, state->q, state->u);
    trmi_v3 e = trmi_m3_times(R, line->axis);
    if (c->kind == TRMI_COLUMN_CHART)
        R = j == c->chart ? turn_chart(k, j, R, state) : k->frame[j - 1];
    else if (c->kind != TRMI_COLUMN_SLIDE)
        R = trmi_turn_about(R, line->axis, q);
    if (c->kind == TRMI_COLUMN_SLIDE)
        place = trmi_v3_axpy(place, q, e);
    if (c->kind == TRMI_COLUMN_SCREW)
        place = trmi_v3_axpy(place, line->pitch * q, e);
    k->frame[j] = R;
    k->place[j] = place;
}

// O becomes the point of the last column of the first joint of a tree, where `place` is 0
static void set_origin(trmi_kinematics *k, int root)
{
    const trmi_tree *t = k->tree;
    const trmi_tree_body *body = &t->body[t->root[root]];
    trmi_v3 last = k->place[body->column];
    k->origin[root] = trmi_v3_add(trmi_line_of(t, body->first)->before, last);
    for (int j = body->first; j <= body->column; j++)
        k->place[j] = trmi_v3_sub(k->place[j], last);
}

static void place_columns(trmi_kinematics *k, const trm_state *state)
{
    const trmi_tree *t = k->tree;
    int root = 0;
    for (int j = 0; j < t->columns; j++) {
        place_column(k, j, state);
        if (root < t->roots && j == t->body[t->root[root]].column)
            set_origin(k, root++);
    }
    for (int j = 0; j < t->columns; j++)
        k->point[j] = trmi_v3_add(k->origin[t->body[t->column[j].body].root], k->place[j]);
}

static void place_body(trmi_kinematics *k, int b)
{
    const trmi_tree_body *body = &k->tree->body[b];
    if (body->column == TRMI_NOTHING)
        return;
    trmi_m3 R = k->frame[body->column];
    k->c[b] = trmi_v3_add(k->place[body->column], trmi_m3_times(R, k->tree->after[b]));
    if (k->pose)
        k->pose[b] = (trmi_pose){R, trmi_v3_add(k->origin[body->root], k->c[b])};
    k->J[b] = trmi_s3_turned(R, k->tree->described[b].inertia);
    k->v[b] = k->column_v[body->column];
}

// ---- columns ----

// (e; r x e)
static trmi_motion ex(trmi_v3 e, trmi_v3 r)
{
    return (trmi_motion){e, trmi_v3_cross(r, e)};
}

static trmi_motion column_of(const trmi_kinematics *k, int j)
{
    const trmi_column *c = &k->tree->column[j];
    const trmi_line *line = trmi_line_of(k->tree, j);
    // an axis of the frame before is one of the frame after too
    trmi_v3 e = trmi_m3_times(k->frame[j], line->axis);
    if (c->kind == TRMI_COLUMN_SLIDE)
        return (trmi_motion){{0, 0, 0}, e};
    trmi_motion s = ex(e, k->place[j]);
    if (c->kind == TRMI_COLUMN_SCREW)
        s.v = trmi_v3_axpy(s.v, line->pitch, e);
    return s;
}

static trmi_motion before_v(const trmi_kinematics *k, int j)
{
    int parent = k->tree->column[j].parent;
    return parent == TRMI_NOTHING ? (trmi_motion){0} : k->column_v[parent];
}

static trmi_motion before_a(const trmi_kinematics *k, int j)
{
    int parent = k->tree->column[j].parent;
    return parent == TRMI_NOTHING ? k->a[TRMI_GROUND] : k->column_a[parent];
}

// the three columns of a chart
static void set_chart(trmi_kinematics *k, int first)
{
    int q = k->tree->column[first].coordinate;
    trmi_m3 W = *trmi_chart_axes(k, first);
    trmi_motion v = before_v(k, first);
    trmi_chart chart = trmi_chart_at(trmi_three(k->q, q), trmi_three(k->rate, q));
    trmi_m3 E = trmi_m3_mul(W, chart.T), E1 = trmi_m3_mul(W, chart.T1);
    for (int i = 0; i < 3; i++) {
        int j = first + i;
        k->s[j] = ex(trmi_m3_column(E, i), k->place[j]);
        k->sdot[j] =
            trmi_motion_add(trmi_motion_cross(v, k->s[j]), ex(trmi_m3_column(E1, i), k->place[j]));
    }
}

static void set_columns(trmi_kinematics *k, const trm_state *state)
{
    const trmi_tree *t = k->tree;
    const double *u1 = t->n_u > 0 ? state->u + t->n_u : NULL;
    for (int j = 0; j < t->columns; j++) {
        const trmi_column *c = &t->column[j];
        trmi_motion v = before_v(k, j);
        if (c->chart == j)
            set_chart(k, j);
        else if (c->kind != TRMI_COLUMN_CHART) {
            k->s[j] = column_of(k, j);
            k->sdot[j] = trmi_motion_cross(v, k->s[j]);
        }
        k->column_v[j] = trmi_motion_axpy(v, column_value(c, state->v, u1), k->s[j]);
    }
}

void trmi_kinematics_move(trmi_kinematics *k, const trm_state *state)
{
    k->q = state->q;
    k->rate = state->v;
    if (k->tree->star) {
        trmi_star_place(k, state, 1, k->tree->bodies);
        trmi_star_speed(k, 1, k->tree->bodies);
        return;
    }
    place_columns(k, state);
    set_columns(k, state);
    for (int b = 1; b < k->tree->bodies; b++)
        place_body(k, b);
}

// ---- accelerations ----

// sdot = v_p x s + ex(W T'), so that ex(W T') = sdot - v_p x s
static void set_chart_second(trmi_kinematics *k, int first, const double *a)
{
    int q = k->tree->column[first].coordinate;
    trmi_v3 acceleration = a ? trmi_three(a, q) : (trmi_v3){0, 0, 0};
    trmi_m3 T2 = trmi_chart_second(trmi_three(k->q, q), trmi_three(k->rate, q), acceleration);
    trmi_m3 E2 = trmi_m3_mul(*trmi_chart_axes(k, first), T2);
    trmi_motion v = before_v(k, first), a_p = before_a(k, first);
    for (int i = 0; i < 3; i++) {
        int j = first + i;
        trmi_motion turning = trmi_motion_cross(v, k->s[j]);
        trmi_motion twice =
            trmi_motion_axpy(trmi_motion_axpy(k->sdot[j], -1, turning), 1, k->sdot[j]);
        k->sddot[j] = trmi_motion_add(
            trmi_motion_add(trmi_motion_cross(a_p, k->s[j]), trmi_motion_cross(v, twice)),
            ex(trmi_m3_column(E2, i), k->place[j]));
    }
}

static void set_second(trmi_kinematics *k, int j, const double *a)
{
    const trmi_column *c = &k->tree->column[j];
    if (c->chart == j)
        set_chart_second(k, j, a);
    else if (c->kind != TRMI_COLUMN_CHART)
        k->sddot[j] = trmi_motion_add(trmi_motion_cross(before_a(k, j), k->s[j]),
                                      trmi_motion_cross(before_v(k, j), k->sdot[j]));
}

void trmi_kinematics_accelerate(trmi_kinematics *k, const trm_state *state, const double *a,
                                bool second)
{
    const trmi_tree *t = k->tree;
    if (t->star) {
        trmi_star_accelerate(k, a, 1, t->bodies);
        return;
    }
    const double *u1 = t->n_u > 0 ? state->u + t->n_u : NULL;
    const double *u2 = t->n_u > 0 ? u1 + t->n_u : NULL;
    for (int j = 0; j < t->columns; j++) {
        const trmi_column *c = &t->column[j];
        bool unknown = c->coordinate != TRMI_NOTHING;
        double rate = column_value(c, state->v, u1);
        double acceleration = !unknown ? u2[c->drive] : a ? a[c->coordinate] : 0;
        if (second)
            set_second(k, j, a);
        k->column_a[j] = trmi_motion_axpy(trmi_motion_axpy(before_a(k, j), acceleration, k->s[j]),
                                          rate, k->sdot[j]);
    }
    for (int b = 1; b < t->bodies; b++)
        if (t->body[b].column != TRMI_NOTHING)
            k->a[b] = k->column_a[t->body[b].column];
}

trmi_m3 trmi_kinematics_chart_matrix(const trmi_kinematics *k, int chart, trmi_wrench f)
{
    const trmi_motion *s = &k->s[chart];
    trmi_v3 x = trmi_v3_scale(0.25, trmi_three(k->q, trmi_column_of(k->tree, chart).coordinate));
    double rho = 1 / (1 + trmi_v3_dot(x, x));
    // about the joint point: T^T n = the work of the moment along the columns
    trmi_v3 n = k->tree->star ? f.n : trmi_wrench_at(f, k->place[chart]).n;
    trmi_v3 g = {trmi_v3_dot(s[0].w, n), trmi_v3_dot(s[1].w, n), trmi_v3_dot(s[2].w, n)};
    return trmi_chart_matrix(x, trmi_v3_scale(rho, g));
}

double trmi_own_turn_of(const trmi_tree *t, const trm_state *state, int body, trmi_v3 normal)
{
    int first = t->body[body].first, last = t->body[body].column;
    double angle = 0;
    for (int k = first; k <= last && first != TRMI_NOTHING; k++) {
        const trmi_column c = trmi_column_of(t, k);
        if (c.kind == TRMI_COLUMN_TURN)
            angle += trmi_v3_dot(normal, trmi_line_of(t, k)->axis) *
                     (c.coordinate == TRMI_NOTHING ? state->u[c.drive] : state->q[c.coordinate]);
    }
    return angle;
}

double trmi_plane_turn_of(const trmi_tree *t, const trm_state *state, int body)
{
    trmi_v3 normal = trmi_plane_normal(t->plane);
    double angle = 0;
    for (int b = body; b > TRMI_GROUND; b = t->star ? TRMI_GROUND : t->parent[b])
        angle += trmi_own_turn_of(t, state, b, normal);
    return angle;
}
