// SPDX-License-Identifier: Apache-2.0
#include "solver/analysis/hold.h"

#include "base/pattern.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// row, or column over multipliers, of the given system -> that of the held one
static int shifted(const trmi_hold *h, int row)
{
    return row < h->given.n_g ? row : row + h->count;
}

// the state as the given system knows it: without the multipliers of the held rows
static trm_state given_state(const trmi_hold *h, const trm_state *s)
{
    trm_state out = *s;
    for (int i = 0; s->lambda && i < h->given.n_g + h->given.n_a; i++)
        h->lambda[i] = s->lambda[shifted(h, i)];
    out.lambda = s->lambda ? h->lambda : NULL;
    return out;
}

// ---- quantities ----

static bool supplies(const trm_system *s, int k)
{
    return s->function[k] || (s->evaluate && (s->evaluates & TRM_BIT_OF(k)));
}

// what the held rows add after the values of the given system; patterns have their entries there
static void add_held(const trmi_hold *h, const trm_state *s, double *const want[])
{
    const trm_system *g = &h->given;
    double *level = want[TRM_QUANTITY_CONSTRAINT], *slope = want[TRM_QUANTITY_CONSTRAINT_Q],
           *rate = want[TRM_QUANTITY_CONSTRAINT_T], *gamma = want[TRM_QUANTITY_GAMMA];
    int entries = h->held.pattern[TRM_QUANTITY_CONSTRAINT_Q].count - h->count;
    if (rate && g->pattern[TRM_QUANTITY_CONSTRAINT_T].count == TRM_PATTERN_ZERO)
        memset(rate, 0, (size_t)g->n_g * sizeof *rate);
    if (gamma) { // those of the rolling rows come last
        memmove(gamma + g->n_g + h->count, gamma + g->n_g, (size_t)g->n_a * sizeof *gamma);
        memset(gamma + g->n_g, 0, (size_t)h->count * sizeof *gamma);
    }
    for (int k = 0; k < h->count; k++) {
        if (level)
            level[g->n_g + k] = s->q[h->coordinate[k]] - h->q[k] - h->v[k] * (s->t - h->t);
        if (slope)
            slope[entries + k] = 1;
        if (rate)
            rate[g->n_g + k] = -h->v[k];
    }
}

static int evaluate(const trm_state *state, double *const want[TRM_QUANTITY_COUNT], void *user)
{
    const trmi_hold *h = user;
    const trm_system *g = &h->given;
    const trm_state s = given_state(h, state);
    double *together[TRM_QUANTITY_COUNT] = {0};
    bool any = false;
    int result = 0;
    for (int k = 0; k < TRM_QUANTITY_COUNT && result == 0; k++) {
        bool of_given = g->evaluate && (g->evaluates & TRM_BIT_OF(k));
        if (want[k] && of_given) {
            together[k] = want[k];
            any = true;
        } else if (want[k] && g->function[k]) {
            result = g->function[k](&s, want[k], g->user);
        }
    }
    if (result == 0 && any)
        result = g->evaluate(&s, together, g->user);
    if (result == 0)
        add_held(h, state, want);
    return result;
}

// ---- the other callbacks ----

static int settle(const trm_state *state, double *held, void *user)
{
    const trmi_hold *h = user;
    const trm_state s = given_state(h, state);
    return h->given.settle(&s, held, h->given.user);
}

static int switches(const trm_state *state, double *gap, double *rate, double *second, void *user)
{
    const trmi_hold *h = user;
    const trm_state s = given_state(h, state);
    return h->given.switches(&s, gap, rate, second, h->given.user);
}

static int transport(const trm_state *state, const double *dq, const double *dv, double *dq_rate,
                     double *dv_rate, void *user)
{
    const trmi_hold *h = user;
    const trm_state s = given_state(h, state);
    return h->given.transport(&s, dq, dv, dq_rate, dv_rate, h->given.user);
}

static int reexpress(const double *from, const double *to, double *q, double *v, double *a,
                     void *user)
{
    const trmi_hold *h = user;
    return h->given.reexpress(from, to, q, v, a, h->given.user);
}

static int name_coordinate(int index, char *name, size_t size, void *user)
{
    const trmi_hold *h = user;
    return (int)strlen(trm_coordinate_name(&h->given, index, name, size));
}

static int name_row(int index, char *name, size_t size, void *user)
{
    const trmi_hold *h = user;
    int k = index - h->given.n_g;
    if (k < 0 || k >= h->count)
        return (int)strlen(trm_row_name(&h->given, k < 0 ? index : index - h->count, name, size));
    char coordinate[48];
    return snprintf(
        name, size, "hold of %s",
        trm_coordinate_name(&h->given, h->coordinate[k], coordinate, sizeof coordinate));
}

// ---- patterns ----

// rows and columns of the entries of quantity k, however they are given; their number
static int list_entries(const trm_system *s, trm_quantity k, int *row, int *column)
{
    const trm_pattern *p = &s->pattern[k];
    int rows, columns;
    trm_system_shape(s, k, &rows, &columns);
    if (p->count == TRM_PATTERN_ZERO)
        return 0;
    if (p->count > 0) {
        if (row)
            trm_pattern_list(p, row, column);
        return p->count;
    }
    int count = p->count == TRM_PATTERN_DIAGONAL ? rows : rows * columns;
    for (int i = 0; row && i < count; i++) {
        row[i] = p->count == TRM_PATTERN_DIAGONAL ? i : i % rows;
        column[i] = p->count == TRM_PATTERN_DIAGONAL ? i : i / rows;
    }
    return count;
}

// The pattern of a matrix whose rows or columns are constraints, as a list: entries as before, and
// after them one for each held row of g_q.
static bool extend_pattern(trmi_hold *h, trm_quantity k, bool rows, bool columns)
{
    int count = list_entries(&h->given, k, NULL, NULL), *row, *column;
    int more = k == TRM_QUANTITY_CONSTRAINT_Q ? h->count : 0;
    if (count + more == 0) {
        h->held.pattern[k] = (trm_pattern){.count = TRM_PATTERN_ZERO};
        return true;
    }
    if (!TRMI_TAKE(&h->memory, row, count + more) || !TRMI_TAKE(&h->memory, column, count + more))
        return false;
    list_entries(&h->given, k, row, column);
    for (int i = 0; i < count; i++) {
        row[i] = rows ? shifted(h, row[i]) : row[i];
        column[i] = columns ? shifted(h, column[i]) : column[i];
    }
    for (int i = 0; i < more; i++) {
        row[count + i] = h->given.n_g + i;
        column[count + i] = h->coordinate[i];
    }
    h->held.pattern[k] = (trm_pattern){.count = count + more, .row = row, .column = column};
    return true;
}

static bool extend_patterns(trmi_hold *h)
{
    static const struct {
        trm_quantity quantity;
        bool rows, columns; // over constraints
    } list[] = {
        {TRM_QUANTITY_CONSTRAINT_Q, true, false}, {TRM_QUANTITY_CONSTRAINT_Z, true, false},
        {TRM_QUANTITY_VELOCITY_Q, true, false},   {TRM_QUANTITY_FORCE_LAMBDA, false, true},
        {TRM_QUANTITY_RATE_LAMBDA, false, true},  {TRM_QUANTITY_ALGEBRAIC_LAMBDA, false, true}};
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        if (!extend_pattern(h, list[k].quantity, list[k].rows, list[k].columns))
            return false;
    h->held.pattern[TRM_QUANTITY_CONSTRAINT_T] = (trm_pattern){0}; // not zero where it moves
    if (h->given.n_g + h->given.n_a == 0)                          // held rows do not bend
        h->held.pattern[TRM_QUANTITY_GEOMETRIC] = (trm_pattern){.count = TRM_PATTERN_ZERO};
    return true;
}

// each held row is a joint of its own for the block solver, which needs all rows of g last
static bool extend_joints(trmi_hold *h)
{
    const trm_system *g = &h->given;
    int *first;
    if (g->n_bodies == 0 || g->n_a > 0 || !g->joint_first) {
        h->held.n_bodies = h->held.n_joints = 0;
        return true;
    }
    if (!TRMI_TAKE(&h->memory, first, g->n_joints + h->count + 1))
        return false;
    memcpy(first, g->joint_first, (size_t)(g->n_joints + 1) * sizeof *first);
    for (int k = 0; k < h->count; k++)
        first[g->n_joints + k + 1] = first[g->n_joints] + k + 1;
    h->held.n_joints = g->n_joints + h->count;
    h->held.joint_first = first;
    return true;
}

// ---- creation ----

static void forward(trmi_hold *h)
{
    const uint64_t rows = TRM_BIT(CONSTRAINT) | TRM_BIT(CONSTRAINT_Q) | TRM_BIT(CONSTRAINT_T);
    const trm_system *g = &h->given;
    trm_system *s = &h->held;
    s->evaluate = evaluate;
    s->evaluates = 0;
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++) {
        s->evaluates |= supplies(g, k) ? TRM_BIT_OF(k) : 0;
        s->function[k] = NULL;
    }
    s->evaluates |= g->n_g == 0 ? rows : TRM_BIT(CONSTRAINT);
    if (g->pattern[TRM_QUANTITY_CONSTRAINT_T].count == TRM_PATTERN_ZERO)
        s->evaluates |= TRM_BIT(CONSTRAINT_T);
    if (g->n_g + g->n_a == 0)
        s->evaluates |= TRM_BIT(GAMMA);
    s->constant &= g->n_g == 0 ? ~rows : ~TRM_BIT(CONSTRAINT_T);
    s->settle = g->settle ? settle : NULL;
    s->reexpress = g->reexpress ? reexpress : NULL;
    s->switches = g->switches ? switches : NULL;
    s->transport = g->transport ? transport : NULL;
    s->q_name = name_coordinate;
    s->g_name = name_row;
    s->q_names = s->g_names = NULL;
    s->n_warnings = 0; // of runs
    s->warning = NULL;
    s->next_break = NULL;
    s->switch_bends = NULL;
    s->user = h;
}

static bool create(trmi_hold *h, const trm_initial *at)
{
    const trm_system *given = &h->given;
    double *q, *v;
    if (!TRMI_TAKE(&h->memory, q, h->count) || !TRMI_TAKE(&h->memory, v, h->count) ||
        !TRMI_TAKE(&h->memory, h->lambda, given->n_g + given->n_a + 1))
        return false;
    for (int k = 0; k < h->count; k++) {
        q[k] = at->q ? at->q[h->coordinate[k]] : 0;
        v[k] = at->v ? at->v[h->coordinate[k]] : 0;
    }
    h->q = q;
    h->v = v;
    h->held.n_g += h->count;
    forward(h);
    return extend_patterns(h) && extend_joints(h);
}

trmi_hold *trmi_hold_create(const trm_allocator *allocator, const trm_system *given,
                            const trm_initial *at, const int *coordinate, int count)
{
    trmi_memory memory;
    trmi_memory_init(&memory, allocator);
    trmi_hold *h;
    if (!TRMI_TAKE(&memory, h, 1))
        return NULL;
    h->memory = memory;
    h->given = h->held = *given;
    h->count = count;
    h->coordinate = coordinate;
    h->t = at->t;
    if (create(h, at))
        return h;
    trmi_hold_destroy(h);
    return NULL;
}

void trmi_hold_destroy(trmi_hold *h)
{
    if (!h)
        return;
    trmi_memory memory = h->memory; // h itself lives in it
    trmi_memory_release_all(&memory);
}

void trmi_hold_split(const trmi_hold *h, double *lambda, double *force)
{
    const trm_system *g = &h->given;
    for (int k = 0; k < h->count; k++)
        force[k] = -lambda[g->n_g + k];
    memmove(lambda + g->n_g, lambda + g->n_g + h->count, (size_t)g->n_a * sizeof *lambda);
}
