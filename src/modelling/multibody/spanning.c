// SPDX-License-Identifier: Apache-2.0
#include "modelling/multibody/spanning.h"

#include "modelling/multibody/joints/joint.h"

// An edge into the unknown, and its rank.
typedef struct candidate {
    bool cut; // comes after all edges of the tree
    int freedoms, depth, joint, body;
} candidate;

typedef struct search {
    const trmi_mechanism *mechanism;
    trmi_spanning *spanning;
    candidate *heap; // the best first
    int size;
    int reached;
    int *start, *joint; // joint[start[b]] .. joint[start[b + 1] - 1]: edges at body b
} search;

static bool comes_before(const candidate *a, const candidate *b)
{
    return a->cut != b->cut             ? b->cut
           : a->freedoms != b->freedoms ? a->freedoms < b->freedoms
           : a->depth != b->depth       ? a->depth < b->depth
                                        : a->joint < b->joint;
}

static void push(search *s, candidate c)
{
    int i = s->size++;
    for (; i > 0 && comes_before(&c, &s->heap[(i - 1) / 2]); i = (i - 1) / 2)
        s->heap[i] = s->heap[(i - 1) / 2];
    s->heap[i] = c;
}

static candidate pop(search *s)
{
    candidate best = s->heap[0], last = s->heap[--s->size];
    int i = 0;
    for (int k = 1; k < s->size; k = 2 * i + 1) {
        if (k + 1 < s->size && comes_before(&s->heap[k + 1], &s->heap[k]))
            k++;
        if (!comes_before(&s->heap[k], &last))
            break;
        s->heap[i] = s->heap[k];
        i = k;
    }
    s->heap[i] = last;
    return best;
}

bool trmi_spanning_reversed(const trmi_mechanism *mechanism, int joint, int child)
{
    return mechanism->joint[joint].body[0] == child;
}

// A chart cannot be driven column by column: such a joint has no columns.
static bool may_lead(const trmi_joint *joint, trmi_plane plane)
{
    int n = trmi_measure_count(joint->type, plane);
    for (int k = 0; k < n; k++)
        if (trmi_drive_of(joint, k) != TRMI_NOTHING &&
            trmi_joint_column_of(joint->type, plane, k).kind == TRMI_COLUMN_CHART)
            return false;
    return joint->type->edge;
}

// the edges at every body
static bool list_edges(search *s, trmi_memory *scratch)
{
    const trmi_mechanism *m = s->mechanism;
    int *next;
    if (!TRMI_TAKE(scratch, s->start, m->bodies + 1) ||
        !TRMI_TAKE(scratch, s->joint, 2 * m->joints) || !TRMI_TAKE(scratch, next, m->bodies + 1) ||
        !TRMI_TAKE(scratch, s->heap, 2 * m->joints + 1))
        return false;
    for (int j = 0; j < m->joints; j++)
        for (int e = 0; e < 2 && may_lead(&m->joint[j], m->plane); e++)
            s->start[m->joint[j].body[e] + 1]++;
    for (int b = 0; b < m->bodies; b++)
        next[b + 1] = s->start[b + 1] += s->start[b];
    for (int j = 0; j < m->joints; j++)
        for (int e = 0; e < 2 && may_lead(&m->joint[j], m->plane); e++)
            s->joint[next[m->joint[j].body[e]]++] = j;
    return true;
}

static void reach(search *s, int body, int parent, int joint)
{
    const trmi_mechanism *m = s->mechanism;
    trmi_spanning *t = s->spanning;
    t->order[s->reached++] = body;
    t->parent[body] = parent;
    t->joint[body] = joint;
    t->depth[body] = parent == TRMI_NOTHING ? 0 : t->depth[parent] + 1;
    for (int k = s->start[body]; k < s->start[body + 1]; k++) {
        const trmi_joint *j = &m->joint[s->joint[k]];
        int other = j->body[0] == body ? j->body[1] : j->body[0];
        if (t->depth[other] < 0 && m->body[other].carrier == TRMI_GROUND)
            push(s, (candidate){!trmi_joint_may_be_edge(j), trmi_joint_freedoms(j, m->plane),
                                t->depth[body] + 1, s->joint[k], other});
    }
    for (int k = 0; k < m->body[body].nodes; k++) // one after the other
        reach(s, m->body[body].first_node + k, body, TRMI_NOTHING);
}

static void grow(search *s)
{
    const trmi_mechanism *m = s->mechanism;
    trmi_spanning *t = s->spanning;
    while (s->size > 0) {
        candidate c = pop(s);
        const int *pair = m->joint[c.joint].body;
        if (t->depth[c.body] >= 0)
            continue;
        reach(s, c.body, pair[0] == c.body ? pair[1] : pair[0], c.joint);
        t->cuts += c.cut;
    }
}

bool trmi_spanning_find(trmi_spanning *t, trmi_memory *memory, const trmi_mechanism *mechanism)
{
    int n = mechanism->bodies;
    search s = {.mechanism = mechanism, .spanning = t};
    t->cuts = 0;
    trmi_memory scratch;
    trmi_memory_init(&scratch, &memory->allocator);
    bool good = TRMI_TAKE(memory, t->order, n) && TRMI_TAKE(memory, t->parent, n) &&
                TRMI_TAKE(memory, t->joint, n) && TRMI_TAKE(memory, t->depth, n) &&
                list_edges(&s, &scratch);
    for (int b = 0; b < n && good; b++)
        t->depth[b] = -1;
    for (int k = 0; k < mechanism->flexibles + n && good; k++) {
        // the ground, then whatever it does not reach: beams first, since nothing leads to a node
        int b = k == 0                      ? TRMI_GROUND
                : k <= mechanism->flexibles ? mechanism->flexible[k - 1].body
                                            : k - mechanism->flexibles;
        if (t->depth[b] < 0) {
            reach(&s, b, b == TRMI_GROUND ? TRMI_NOTHING : TRMI_GROUND, TRMI_NOTHING);
            grow(&s);
        }
    }
    trmi_memory_release_all(&scratch);
    return good;
}
