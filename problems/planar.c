// SPDX-License-Identifier: Apache-2.0
// Planar mechanisms: setting up the model, its patterns, names and blocks.
#include "problems/planar.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

trp_planar *trp_planar_create(trp_problem *problem, int bodies, int pins, int springs)
{
    trp_memory *memory = &problem->memory;
    trp_planar *p;
    if (!TRP_TAKE(memory, p, 1))
        return NULL;
    p->n_bodies = bodies;
    p->n_pins = pins;
    p->n_springs = springs;
    bool good = TRP_TAKE(memory, p->mass, 3 * bodies) && TRP_TAKE(memory, p->force, 3 * bodies) &&
                TRP_TAKE(memory, p->pin, pins) && TRP_TAKE(memory, p->spring, springs);
    return good ? p : NULL;
}

void trp_planar_body(trp_planar *planar, int body, double mass, double inertia, double gravity)
{
    double *m = planar->mass + 3 * body;
    m[0] = m[1] = mass;
    m[2] = inertia;
    planar->force[3 * body + 1] = -mass * gravity;
}

trp_anchor trp_planar_anchor(const double *q, int body, double x, double y)
{
    if (body < 0)
        return (trp_anchor){TRP_PLANAR_GROUND, x, y};
    const double *at = q + 3 * body;
    double dx = x - at[0], dy = y - at[1], c = cos(at[2]), s = sin(at[2]);
    return (trp_anchor){body, c * dx + s * dy, c * dy - s * dx};
}

// Sorts the ends of the pins by body (counting sort) and sums up the ends on the ground.
static bool sort_ends(trp_planar *p, trp_memory *memory)
{
    int *next;
    bool good =
        TRP_TAKE(memory, next, p->n_bodies + 1) && TRP_TAKE(memory, p->end_body, 2 * p->n_pins) &&
        TRP_TAKE(memory, p->end_row, 2 * p->n_pins) &&
        TRP_TAKE(memory, p->end_sign, 2 * p->n_pins) && TRP_TAKE(memory, p->end_x, 2 * p->n_pins) &&
        TRP_TAKE(memory, p->end_y, 2 * p->n_pins) && TRP_TAKE(memory, p->ground, 2 * p->n_pins);
    if (!good)
        return false;
    for (int k = 0; k < 2 * p->n_pins; k++) {
        const trp_anchor *at = k % 2 ? &p->pin[k / 2].b : &p->pin[k / 2].a;
        if (at->body >= 0)
            next[at->body + 1]++;
    }
    for (int b = 0; b < p->n_bodies; b++)
        next[b + 1] += next[b];
    p->n_ends = next[p->n_bodies];
    for (int k = 0; k < 2 * p->n_pins; k++) {
        const trp_anchor *at = k % 2 ? &p->pin[k / 2].b : &p->pin[k / 2].a;
        const double sign = k % 2 ? -1.0 : 1.0;
        const int row = 2 * (k / 2);
        if (at->body < 0) {
            p->ground[row] += sign * at->x;
            p->ground[row + 1] += sign * at->y;
            continue;
        }
        const int end = next[at->body]++;
        p->end_body[end] = at->body;
        p->end_row[end] = row;
        p->end_sign[end] = sign;
        p->end_x[end] = sign * at->x;
        p->end_y[end] = sign * at->y;
    }
    return true;
}

// Cuts the sorted ends into batches that fit the stack of the evaluation.
static bool cut_batches(trp_planar *p, trp_memory *memory)
{
    if (!TRP_TAKE(memory, p->batch, p->n_ends))
        return false;
    for (int end = 0; end < p->n_ends; end++) {
        trp_planar_batch *last = p->n_batches ? &p->batch[p->n_batches - 1] : NULL;
        int body = p->end_body[end];
        if (!last || last->ends == TRP_BATCH_ENDS || body - last->first_body >= TRP_BATCH_BODIES) {
            last = &p->batch[p->n_batches++];
            *last = (trp_planar_batch){.first_body = body, .first_end = end};
        }
        last->bodies = body - last->first_body + 1;
        last->ends++;
    }
    return true;
}

// A pattern under construction.
typedef struct entries {
    int count, *row, *column;
} entries;

static bool take_entries(entries *e, trp_memory *memory, int count)
{
    return TRP_TAKE(memory, e->row, count) && TRP_TAKE(memory, e->column, count);
}

static void add_entry(entries *e, int row, int column)
{
    e->row[e->count] = row;
    e->column[e->count++] = column;
}

static void use_entries(trm_system *s, trm_quantity quantity, const entries *e)
{
    s->pattern[quantity] = (trm_pattern){.count = e->count, .row = e->row, .column = e->column};
    if (e->count > 0)
        s->evaluates |= TRM_BIT_OF(quantity);
    else
        s->pattern[quantity].count = TRM_PATTERN_ZERO;
}

// Patterns of what the pins contribute, in the order in which planar_kernel.c writes.
static bool pin_patterns(trp_planar *p, trp_memory *memory, trm_system *s)
{
    entries jacobian = {0}, velocity = {0}, geometric = {0};
    bool good = take_entries(&jacobian, memory, 4 * p->n_ends) &&
                take_entries(&velocity, memory, 2 * p->n_ends) &&
                take_entries(&geometric, memory, p->n_bodies);
    if (!good)
        return false;
    for (int k = 0; k < p->n_ends; k++) {
        const int row = p->end_row[k], x = 3 * p->end_body[k], y = x + 1, theta = x + 2;
        add_entry(&jacobian, row, x);
        add_entry(&jacobian, row, theta);
        add_entry(&jacobian, row + 1, y);
        add_entry(&jacobian, row + 1, theta);
        add_entry(&velocity, row, theta);
        add_entry(&velocity, row + 1, theta);
    }
    for (int b = 0; b < p->n_bodies && p->n_ends > 0; b++)
        add_entry(&geometric, 3 * b + 2, 3 * b + 2);
    use_entries(s, TRM_QUANTITY_CONSTRAINT_Q, &jacobian);
    use_entries(s, TRM_QUANTITY_VELOCITY_Q, &velocity);
    use_entries(s, TRM_QUANTITY_GEOMETRIC, &geometric);
    return true;
}

typedef struct placed {
    int row, column, index; // index: 36 spring + entry
} placed;

static int compare_placed(const void *left, const void *right)
{
    const placed *a = left, *b = right;
    if (a->column != b->column)
        return a->column < b->column ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

// The 6 x 6 entries of all springs, equal positions merged. STIFFNESS and DAMPING share them.
static bool spring_patterns(trp_planar *p, trp_memory *memory, trm_system *s)
{
    placed *all;
    entries e = {0};
    const int capacity = 36 * p->n_springs;
    if (!TRP_TAKE(memory, all, capacity) || !TRP_TAKE(memory, p->spring_place, capacity) ||
        !take_entries(&e, memory, capacity))
        return false;
    int count = 0;
    bool damped = false;
    for (int k = 0; k < p->n_springs; k++) {
        const int body[2] = {p->spring[k].a.body, p->spring[k].b.body};
        damped = damped || p->spring[k].c != 0.0;
        for (int i = 0; i < 36; i++) {
            const int row = i / 6, column = i % 6;
            p->spring_place[36 * k + i] = -1;
            if (body[row / 3] >= 0 && body[column / 3] >= 0)
                all[count++] = (placed){3 * body[row / 3] + row % 3,
                                        3 * body[column / 3] + column % 3, 36 * k + i};
        }
    }
    qsort(all, (size_t)count, sizeof *all, compare_placed);
    for (int i = 0; i < count; i++) {
        if (i == 0 || compare_placed(&all[i - 1], &all[i]) != 0)
            add_entry(&e, all[i].row, all[i].column);
        p->spring_place[all[i].index] = e.count - 1;
    }
    p->n_spring_entries = e.count;
    use_entries(s, TRM_QUANTITY_STIFFNESS, &e);
    use_entries(s, TRM_QUANTITY_DAMPING, damped ? &e : &(entries){0});
    return true;
}

// "body7.theta", "pin3.y"; blocks: 3 coordinates per body, 2 rows per pin
static bool names_and_blocks(const trp_planar *p, trp_memory *memory, trm_system *s)
{
    enum { LENGTH = 24 };
    static const char *const part[] = {"x", "y", "theta"};
    const int n_q = 3 * p->n_bodies, n_g = 2 * p->n_pins;
    char(*text)[LENGTH];
    const char **names;
    int *body_first, *joint_first;
    if (!TRP_TAKE(memory, text, n_q + n_g) || !TRP_TAKE(memory, names, n_q + n_g) ||
        !TRP_TAKE(memory, body_first, p->n_bodies + 1) ||
        !TRP_TAKE(memory, joint_first, p->n_pins + 1))
        return false;
    for (int i = 0; i < n_q; i++)
        snprintf(text[i], LENGTH, "body%d.%s", i / 3 + 1, part[i % 3]);
    for (int i = 0; i < n_g; i++)
        snprintf(text[n_q + i], LENGTH, "pin%d.%s", i / 2 + 1, part[i % 2]);
    for (int i = 0; i < n_q + n_g; i++)
        names[i] = text[i];
    for (int b = 0; b <= p->n_bodies; b++)
        body_first[b] = 3 * b;
    for (int j = 0; j <= p->n_pins; j++)
        joint_first[j] = 2 * j;
    s->q_names = names;
    s->g_names = names + n_q;
    s->n_bodies = p->n_bodies;
    s->n_joints = p->n_pins;
    s->body_first = body_first;
    s->joint_first = joint_first;
    return true;
}

bool trp_planar_finish(trp_planar *planar, trp_problem *problem)
{
    trm_system *s = &problem->system;
    s->n_q = 3 * planar->n_bodies;
    s->n_g = 2 * planar->n_pins;
    s->evaluate = trp_planar_evaluate;
    s->user = planar;
    s->evaluates = TRM_BIT(MASS) | TRM_BIT(FORCE) | TRM_BIT(ENERGY);
    s->constant = TRM_BIT(MASS);
    if (planar->n_pins > 0) {
        s->evaluates |= TRM_BIT(CONSTRAINT) | TRM_BIT(CONSTRAINT_T) | TRM_BIT(GAMMA);
        s->constant |= TRM_BIT(CONSTRAINT_T);
    }
    if (planar->n_springs == 0)
        s->constant |= TRM_BIT(FORCE);
    s->pattern[TRM_QUANTITY_MASS].count = TRM_PATTERN_DIAGONAL;
    return sort_ends(planar, &problem->memory) && cut_batches(planar, &problem->memory) &&
           pin_patterns(planar, &problem->memory, s) &&
           spring_patterns(planar, &problem->memory, s) &&
           names_and_blocks(planar, &problem->memory, s);
}
