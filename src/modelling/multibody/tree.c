// SPDX-License-Identifier: Apache-2.0
// Columns from joints: the spanning tree, or the star.
#include "modelling/multibody/tree.h"

#include "base/error.h"
#include "base/grow.h"
#include "modelling/multibody/frames.h"
#include "modelling/multibody/joints/joint.h"
#include "modelling/multibody/spanning.h"

#include <stdlib.h>
#include <string.h>

int trmi_joint_freedoms(const trmi_joint *joint, trmi_plane plane)
{
    int n = trmi_measure_count(joint->type, plane), driven = 0;
    for (int k = 0; k < n; k++)
        driven += trmi_drive_of(joint, k) != TRMI_NOTHING;
    return n - driven;
}

// ---- building ----

typedef struct builder {
    const trmi_mechanism *mechanism;
    trmi_memory *memory;
    trmi_tree *tree;
    trmi_column *column;
    trmi_line *line; // these two grow, and go into memory at the end
    double *held;
    int lines, max_lines, max_held;
    bool failed; // no memory for them
    trmi_tree_body *body;
    trmi_v3 *after;
    int *edge, *parent, *order, *root;
    bool *in_tree;
} builder;

// from the point of the last column of a body to a point given in the reference configuration
static trmi_v3 offset(const builder *b, int body, trmi_v3 at)
{
    const trmi_body *d = &b->mechanism->body[body];
    return trmi_v3_add(b->after[body], trmi_v3_sub(at, d->center));
}

static bool same_vector(trmi_v3 a, trmi_v3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

// the number of a line, one of the last few where it is the same
static int line_of(builder *b, const trmi_line *line)
{
    for (int i = b->lines - 1; i >= 0 && i >= b->lines - 6; i--)
        if (same_vector(b->line[i].axis, line->axis) &&
            same_vector(b->line[i].before, line->before) && b->line[i].pitch == line->pitch)
            return i;
    trmi_line *all = trmi_grow(b->line, &b->max_lines, b->lines + 1, sizeof *all);
    if (!all) {
        b->failed = true;
        return 0;
    }
    b->line = all;
    b->line[b->lines] = *line;
    return b->lines++;
}

static void append(builder *b, trmi_column c, const trmi_line *line)
{
    trmi_tree *t = b->tree;
    c.line = line_of(b, line);
    c.coordinate = c.drive == TRMI_NOTHING ? t->n_q++ : TRMI_NOTHING;
    b->column[t->columns++] = c;
}

// three columns of a chart whose axes are the columns of Q; the centre A = Q is what is held
static void append_chart(builder *b, trmi_column c, trmi_line line, trmi_m3 Q)
{
    trmi_tree *t = b->tree;
    c.kind = TRMI_COLUMN_CHART;
    c.chart = t->columns;
    c.held = t->n_held;
    trmi_quaternion A = trmi_quaternion_of(Q);
    double *held = trmi_grow(b->held, &b->max_held, t->n_held + 4, sizeof *held);
    if (!held) {
        b->failed = true;
        return;
    }
    b->held = held;
    memcpy(&b->held[t->n_held], (double[]){A.s, A.v.x, A.v.y, A.v.z}, 4 * sizeof *b->held);
    t->n_held += 4;
    for (int i = 0; i < 3; i++) {
        line.axis = trmi_m3_column(Q, i);
        append(b, c, &line);
        c.parent = t->columns - 1;
        line.before = (trmi_v3){0, 0, 0};
        c.measure++;
    }
}

// the columns of an edge, in reverse order with turned axes when the tree goes through it backwards
static void append_joint(builder *b, int joint, int parent, int body)
{
    const trmi_joint *j = &b->mechanism->joint[joint];
    bool reversed = trmi_spanning_reversed(b->mechanism, joint, body);
    int n = trmi_measure_count(j->type, b->tree->plane);
    signed char sign = reversed ? -1 : 1;
    trmi_column c = {.parent = b->body[parent].column, .joint = joint, .body = body};
    trmi_line line = {.pitch = j->type->screw ? trmi_extra_of(j).size : 0,
                      .before = offset(b, parent, j->at)};
    for (int k = 0; k < n; k++) {
        int i = reversed ? n - 1 - k : k;
        trmi_joint_column list = trmi_joint_column_of(j->type, b->tree->plane, i);
        if (list.kind == TRMI_COLUMN_CHART) { // its three columns at once
            c.measure = (signed char)(reversed ? i - 2 : i);
            c.sign = sign;
            c.drive = TRMI_NOTHING;
            append_chart(b, c, line, *j->frame);
            k += 2;
        } else {
            c.kind = (signed char)list.kind;
            c.measure = (signed char)i;
            c.sign = 1;
            c.drive = trmi_drive_of(j, i);
            c.chart = TRMI_NOTHING;
            line.axis = trmi_v3_scale(sign, trmi_m3_column(*j->frame, list.axis));
            append(b, c, &line);
        }
        c.parent = b->tree->columns - 1;
        line.before = (trmi_v3){0, 0, 0};
    }
}

// x y z of the centre of mass and a chart; in the plane x, y and an angle
static void append_free(builder *b, int body)
{
    trmi_plane plane = b->tree->plane;
    trmi_m3 unit = trmi_m3_unit();
    int axis[3];
    trmi_plane_axes(plane, axis);
    trmi_column c = {.parent = TRMI_NOTHING,
                     .joint = TRMI_NOTHING,
                     .body = body,
                     .drive = TRMI_NOTHING,
                     .chart = TRMI_NOTHING,
                     .sign = 1};
    trmi_line line = {.pitch = 0};
    if (plane != TRMI_SPATIAL) // it stays at its distance from the plane through the origin
        line.before = trmi_v3_scale(trmi_v3_dot(unit.row[axis[2]], b->mechanism->body[body].center),
                                    unit.row[axis[2]]);
    for (int i = 0; i < 3; i++) {
        bool turn = plane != TRMI_SPATIAL && i == 2;
        c.kind = turn ? TRMI_COLUMN_TURN : TRMI_COLUMN_SLIDE;
        line.axis = unit.row[axis[i]];
        c.measure = (signed char)i;
        append(b, c, &line);
        c.parent = b->tree->columns - 1;
        line.before = (trmi_v3){0, 0, 0};
    }
    c.measure = 3;
    if (plane == TRMI_SPATIAL)
        append_chart(b, c, line, trmi_m3_unit());
}

// a node of a beam: shift along the frame it hangs on, deflection across, then slope
static void append_node(builder *b, int body, int parent)
{
    const trmi_body *d = &b->mechanism->body[body];
    trmi_m3 unit = trmi_m3_unit();
    int axis[3];
    trmi_plane_axes(b->tree->plane, axis);
    trmi_column c = {.kind = TRMI_COLUMN_SLIDE,
                     .parent = b->body[parent].column,
                     .joint = TRMI_NOTHING,
                     .body = body,
                     .drive = TRMI_NOTHING,
                     .chart = TRMI_NOTHING,
                     .sign = 1};
    trmi_line line = {.before = offset(b, parent, d->center)};
    const bool has[] = {d->node->shifts, d->node->deflects};
    for (int i = 0; i < 2; i++) {
        if (!has[i])
            continue;
        c.measure = i == 0 ? TRMI_NODE_SHIFT : TRMI_NODE_DEFLECTION;
        line.axis = i == 0 ? d->node->along : d->node->across;
        append(b, c, &line);
        c.parent = b->tree->columns - 1;
        line.before = (trmi_v3){0, 0, 0};
    }
    c.kind = TRMI_COLUMN_TURN;
    c.measure = TRMI_NODE_SLOPE;
    line.axis = unit.row[axis[2]];
    append(b, c, &line);
}

// hangs a body on columns of its own (joint TRMI_NOTHING), or on those of an edge
static void hang(builder *b, int body, int parent, int joint)
{
    trmi_tree *t = b->tree;
    const trmi_body *d = &b->mechanism->body[body];
    trmi_tree_body *hung = &b->body[body];
    const trmi_tree_body *before = &b->body[parent];
    int first = t->columns;
    if (d->carrier != TRMI_GROUND)
        append_node(b, body, parent);
    else if (joint == TRMI_NOTHING)
        append_free(b, body);
    else
        append_joint(b, joint, parent, body);
    bool moves = t->columns > first;
    *hung = (trmi_tree_body){.column = moves ? t->columns - 1 : before->column,
                             .first = moves ? first : TRMI_NOTHING,
                             .root = before->root};
    if (moves && joint != TRMI_NOTHING)
        b->after[body] = trmi_v3_sub(d->center, b->mechanism->joint[joint].at);
    else if (!moves)
        b->after[body] = offset(b, parent, d->center);
    if (moves && before->column == TRMI_NOTHING) { // the first body of a tree
        hung->root = t->roots;
        b->root[t->roots++] = body;
    }
    b->edge[body] = joint;
    b->parent[body] = parent;
    if (joint != TRMI_NOTHING)
        b->in_tree[joint] = true;
}

static bool begin(builder *b, int columns)
{
    const trmi_mechanism *m = b->mechanism;
    if (!TRMI_TAKE(b->memory, b->tree, 1) || !TRMI_TAKE(b->memory, b->column, columns) ||
        !TRMI_TAKE(b->memory, b->body, m->bodies) || !TRMI_TAKE(b->memory, b->in_tree, m->joints))
        return false;
    *b->tree = (trmi_tree){.bodies = m->bodies,
                           .n_u = m->drives,
                           .plane = m->plane,
                           .gravity = m->gravity,
                           .described = m->body,
                           .column = b->column,
                           .body = b->body,
                           .in_tree = b->in_tree};
    b->body[TRMI_GROUND] =
        (trmi_tree_body){.column = TRMI_NOTHING, .first = TRMI_NOTHING, .root = TRMI_NOTHING};
    return true;
}

// what trees other than the star have besides
static bool begin_tree(builder *b)
{
    int bodies = b->mechanism->bodies;
    trmi_tree *t = b->tree;
    if (!TRMI_TAKE(b->memory, b->after, bodies) || !TRMI_TAKE(b->memory, b->edge, bodies) ||
        !TRMI_TAKE(b->memory, b->parent, bodies) || !TRMI_TAKE(b->memory, b->order, bodies) ||
        !TRMI_TAKE(b->memory, b->root, bodies))
        return false;
    t->after = b->after;
    t->edge = b->edge;
    t->parent = b->parent;
    t->order = b->order;
    t->root = b->root;
    b->after[TRMI_GROUND] = b->mechanism->body[TRMI_GROUND].center;
    b->edge[TRMI_GROUND] = b->parent[TRMI_GROUND] = TRMI_NOTHING;
    return true;
}

// what has grown goes into memory; good: as far as everything else went
static const trmi_tree *finish(builder *b, bool good, trm_error *error)
{
    trmi_line *line;
    double *held;
    int n_held = good && !b->tree->star ? b->tree->n_held : 0; // the star: trmi_tree_held
    good = good && !b->failed && TRMI_TAKE(b->memory, line, b->lines) &&
           TRMI_TAKE(b->memory, held, n_held);
    if (good) {
        if (b->lines > 0)
            memcpy(line, b->line, (size_t)b->lines * sizeof *line);
        if (n_held > 0)
            memcpy(held, b->held, (size_t)n_held * sizeof *held);
        b->tree->line = line;
        b->tree->held = held;
    }
    free(b->line);
    free(b->held);
    if (!good)
        trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the tree");
    return good ? b->tree : NULL;
}

static bool is_cut(const trmi_mechanism *m, int joint)
{
    return joint != TRMI_NOTHING && !trmi_joint_may_be_edge(&m->joint[joint]);
}

// joint: the edge to each body; NULL: the star. cuts: they have their columns
static int count_columns(const trmi_mechanism *m, const int *joint, bool cuts)
{
    int count = 0;
    for (int b = 1; b < m->bodies; b++)
        count += m->body[b].carrier != TRMI_GROUND
                     ? 1 + m->body[b].node->deflects + m->body[b].node->shifts
                 : !joint || joint[b] == TRMI_NOTHING || (!cuts && is_cut(m, joint[b]))
                     ? trmi_free_columns(m->plane)
                     : trmi_measure_count(m->joint[joint[b]].type, m->plane);
    return count;
}

// cuts: they are edges too
static const trmi_tree *create_tree(trmi_memory *memory, const trmi_mechanism *m, bool cuts,
                                    trm_error *error)
{
    builder b = {.mechanism = m, .memory = memory};
    trmi_spanning spanning;
    trmi_memory scratch;
    trmi_memory_init(&scratch, &memory->allocator);
    bool good = trmi_spanning_find(&spanning, &scratch, m) &&
                begin(&b, count_columns(m, spanning.joint, cuts)) && begin_tree(&b);
    if (good)
        b.tree->opened = !cuts && spanning.cuts > 0;
    for (int i = 0; i < m->bodies && good; i++) {
        int body = b.order[i] = spanning.order[i], joint = spanning.joint[body];
        if (!cuts && is_cut(m, joint))
            hang(&b, body, TRMI_GROUND, TRMI_NOTHING);
        else if (body != TRMI_GROUND)
            hang(&b, body, spanning.parent[body], joint);
    }
    trmi_memory_release_all(&scratch);
    return finish(&b, good, error);
}

const trmi_tree *trmi_tree_create(trmi_memory *memory, const trmi_mechanism *m, trm_error *error)
{
    return create_tree(memory, m, false, error);
}

const trmi_tree *trmi_tree_create_for_start(trmi_memory *memory, const trmi_mechanism *m,
                                            trm_error *error)
{
    return create_tree(memory, m, true, error);
}

// the columns of the first body, and where those of the others are
static void spread_star(builder *b)
{
    trmi_tree *t = b->tree;
    int bodies = b->mechanism->bodies - 1, n = trmi_free_columns(t->plane);
    for (int body = bodies; body > 0; body--) {
        t->columns = t->n_q = t->n_held = 0; // the last one written stays: the first
        append_free(b, body);
        b->body[body] = (trmi_tree_body){.column = n * body - 1,
                                         .first = n * (body - 1),
                                         .root = body - 1,
                                         .line = b->column[0].line};
    }
    t->star = true;
    t->columns = t->n_q = n * bodies;
    t->n_held = t->plane == TRMI_SPATIAL ? 4 * bodies : 0;
    t->roots = bodies;
}

const trmi_tree *trmi_star_create(trmi_memory *memory, const trmi_mechanism *m, trm_error *error)
{
    builder b = {.mechanism = m, .memory = memory};
    bool star = m->flexibles == 0;
    bool good = begin(&b, star ? trmi_free_columns(m->plane) : count_columns(m, NULL, false)) &&
                (star || begin_tree(&b));
    if (star && good)
        spread_star(&b);
    for (int body = 1; body < m->bodies && good && !star; body++) { // nodes after their frames
        b.order[body] = body;
        hang(&b, body, m->body[body].carrier, TRMI_NOTHING);
    }
    return finish(&b, good, error);
}

void trmi_tree_held(const trmi_tree *tree, double *held)
{
    static const double unit[4] = {1, 0, 0, 0};
    for (int i = 0; i < tree->n_held; i++)
        held[i] = tree->star ? unit[i % 4] : tree->held[i];
}

void trmi_tree_reference(const trmi_tree *tree, const trmi_mechanism *m, double *q)
{
    for (int k = 0; k < tree->columns; k++) {
        const trmi_column c = trmi_column_of(tree, k);
        bool place = c.joint == TRMI_NOTHING && c.kind == TRMI_COLUMN_SLIDE &&
                     m->body[c.body].carrier == TRMI_GROUND;
        if (c.coordinate != TRMI_NOTHING)
            q[c.coordinate] =
                place ? trmi_v3_dot(tree->line[c.line].axis, m->body[c.body].center) : 0;
    }
}
