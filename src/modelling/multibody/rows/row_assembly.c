// SPDX-License-Identifier: Apache-2.0
// Constraints at one state.
#include "modelling/multibody/rows/row_assembly.h"
#include "modelling/multibody/rows/relation.h"
#include "modelling/multibody/star/row_star.h"

#include <string.h>

typedef struct assembly {
    const trmi_constraints *c;
    trmi_row_workspace *workspace;
    double *const *want;
    const trm_state *state;
} assembly;

// the index of row r of a joint among its kind: in g and G, or in A and a
static int place_of(const trmi_constraints *c, const trmi_constraint *joint, int r, bool *velocity)
{
    *velocity = joint->general->number[r] >= c->n_g;
    return joint->general->number[r] - (*velocity ? c->n_g : 0);
}

static void put(double *out, int i, double value)
{
    if (out)
        out[i] += value;
}

// row r of a joint without its gradients: value, rate of driven parts, bias
static void add_scalars(const assembly *x, const trmi_constraint *joint, int r, double weight,
                        const trmi_set_state *set)
{
    bool velocity;
    int i = place_of(x->c, joint, r, &velocity);
    if (!velocity)
        put(x->want[TRM_QUANTITY_CONSTRAINT], i, weight * set->value[r].p);
    if (x->want[TRM_QUANTITY_GAMMA])
        put(x->want[TRM_QUANTITY_GAMMA], joint->general->number[r], weight * trmi_set_bias(set, r));
}

// p - u - offset
static void subtract_motion(const assembly *x, const trmi_constraint *joint, int r)
{
    bool velocity;
    int i = place_of(x->c, joint, r, &velocity), drive = joint->general->drive[r],
        n = x->c->tree->n_u;
    if (!velocity)
        put(x->want[TRM_QUANTITY_CONSTRAINT], i, -joint->general->offset);
    if (drive == TRMI_NOTHING)
        return;
    put(x->want[TRM_QUANTITY_CONSTRAINT], i, -x->state->u[drive]);
    put(x->want[TRM_QUANTITY_CONSTRAINT_T], i, -x->state->u[n + drive]);
    put(x->want[TRM_QUANTITY_GAMMA], joint->general->number[r], -x->state->u[2 * n + drive]);
}

// g_t, a: what driven columns contribute to the rate
static double driven_rate(const assembly *x, const trmi_row_set *set, const double *G)
{
    const trmi_tree *tree = x->c->tree;
    double sum = 0;
    for (int j = 0; j < set->columns; j++) {
        const trmi_column column = trmi_column_of(tree, set->column[j]);
        if (column.coordinate == TRMI_NOTHING)
            sum += G[j] * x->state->u[tree->n_u + column.drive];
    }
    return sum;
}

// What of a set goes into a row: its gradients times a weight; of its own gradient also another
// share into (Gv)_q.
typedef struct share {
    double weight, turning;
} share;

// numbers of one row into G or A and their share of (Gv)_q; cursor: next announced position
static void add_gradients(const assembly *x, const trmi_constraint *joint, int r, share part,
                          const trmi_set_state *set, int *cursor_G, int *cursor_A)
{
    bool velocity;
    int i = place_of(x->c, joint, r, &velocity);
    const trmi_slots *slots = velocity ? &x->c->A : &x->c->G;
    int *cursor = velocity ? cursor_A : cursor_G;
    double *G = x->workspace->block, *Gv = G + set->set->columns;
    double *out = x->want[velocity ? TRM_QUANTITY_ROLLING : TRM_QUANTITY_CONSTRAINT_Q];
    double *out_v = x->want[TRM_QUANTITY_VELOCITY_Q];
    if (out_v && velocity && x->c->G.pattern.count > 0)
        out_v += x->c->G.pattern.count;
    trmi_set_gradient(set, r, G);
    if (out_v)
        trmi_set_velocity_q(set, r, Gv);
    for (int j = 0; j < set->set->columns; j++) {
        if (!trmi_set_touches(set->set, r, x->c->tree, j))
            continue;
        if (out)
            trmi_slots_put(slots, *cursor, out, part.weight * G[j]);
        if (out_v)
            trmi_slots_put(slots, *cursor, out_v, part.weight * Gv[j] + part.turning * G[j]);
        ++*cursor;
    }
    put(x->want[velocity ? TRM_QUANTITY_ROLLING_OFFSET : TRM_QUANTITY_CONSTRAINT_T], i,
        part.weight * driven_rate(x, set->set, G));
}

static void add_geometric(const assembly *x, const trmi_constraint *joint, double weight,
                          const trmi_set_state *set, int *cursor)
{
    double lambda[TRMI_MAX_ROWS];
    int n = set->set->columns;
    for (int r = 0; r < joint->rows; r++)
        lambda[r] = weight * x->state->lambda[joint->general->number[r]];
    trmi_set_geometric(set, lambda, x->workspace, x->workspace->block);
    for (int k = 0; k < n * n; k++)
        trmi_slots_put(&x->c->K, (*cursor)++, x->want[TRM_QUANTITY_GEOMETRIC],
                       x->workspace->block[k]);
}

static void add_joint(const assembly *x, const trmi_constraint *joint, const trmi_kinematics *k)
{
    const trmi_general *general = joint->general;
    int cursor_G = joint->first_G, cursor_A = joint->first_A, cursor_K = joint->first_K;
    double *const *want = x->want;
    bool gradients = want[TRM_QUANTITY_CONSTRAINT_Q] || want[TRM_QUANTITY_ROLLING] ||
                     want[TRM_QUANTITY_VELOCITY_Q] || want[TRM_QUANTITY_CONSTRAINT_T] ||
                     want[TRM_QUANTITY_ROLLING_OFFSET];
    bool bends =
        want[TRM_QUANTITY_VELOCITY_Q] || want[TRM_QUANTITY_GAMMA] || want[TRM_QUANTITY_GEOMETRIC];
    for (int s = 0; s < general->sets; s++) {
        trmi_set_state set;
        (bends ? trmi_set_at : trmi_set_straight_at)(&set, &general->set[s], k, x->state);
        for (int r = 0; r < joint->rows; r++) {
            add_scalars(x, joint, r, general->weight[s], &set);
            if (gradients)
                add_gradients(x, joint, r, (share){general->weight[s], 0}, &set, &cursor_G,
                              &cursor_A);
        }
        if (want[TRM_QUANTITY_GEOMETRIC])
            add_geometric(x, joint, general->weight[s], &set, &cursor_K);
    }
    for (int r = 0; r < joint->rows; r++)
        subtract_motion(x, joint, r);
}

// the product terms of (G^T lambda)_q
static void add_products(const assembly *x, const trmi_constraint *joint, int *cursor)
{
    const trmi_general *general = joint->general;
    const trmi_relation_work *work = x->workspace->relation;
    const int n = general->sets;
    const double lambda = x->state->lambda[general->number[0]];
    for (int i = 0; i < n; i++)
        trmi_set_gradient(&work->set[i], 0, work->gradient + i * work->columns);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const double f = lambda * work->second[1 + n + i * n + j];
            const double *G_i = work->gradient + i * work->columns;
            const double *G_j = work->gradient + j * work->columns;
            for (int a = 0; a < general->set[i].columns; a++)
                for (int b = 0; b < general->set[j].columns; b++)
                    trmi_slots_put(&x->c->K, (*cursor)++, x->want[TRM_QUANTITY_GEOMETRIC],
                                   f * G_i[a] * G_j[b]);
        }
}

static void add_relation(const assembly *x, const trmi_constraint *joint, const trmi_kinematics *k)
{
    const trmi_general *general = joint->general;
    double *const *want = x->want;
    trmi_relation_work *work = x->workspace->relation;
    int cursor_G = joint->first_G, cursor_K = joint->first_K, i = general->number[0];
    bool bends =
        want[TRM_QUANTITY_VELOCITY_Q] || want[TRM_QUANTITY_GAMMA] || want[TRM_QUANTITY_GEOMETRIC];
    bool gradients = want[TRM_QUANTITY_CONSTRAINT_Q] || want[TRM_QUANTITY_VELOCITY_Q] ||
                     want[TRM_QUANTITY_CONSTRAINT_T];
    trmi_relation_at(general->relation, work, general->set, k, x->state, bends);
    put(want[TRM_QUANTITY_CONSTRAINT], i, work->first[0]);
    put(want[TRM_QUANTITY_CONSTRAINT_T], i, work->first[1]);
    if (want[TRM_QUANTITY_GAMMA])
        put(want[TRM_QUANTITY_GAMMA], i, trmi_relation_bias(general->relation, work));
    for (int s = 0; s < general->sets; s++) {
        const trmi_set_state *set = &work->set[s];
        const double weight = work->first[2 + s];
        if (want[TRM_QUANTITY_GAMMA])
            put(want[TRM_QUANTITY_GAMMA], i, weight * trmi_set_bias(set, 0));
        if (gradients)
            add_gradients(x, joint, 0,
                          (share){weight, want[TRM_QUANTITY_VELOCITY_Q]
                                              ? trmi_relation_turning(general->relation, work, s)
                                              : 0},
                          set, &cursor_G, NULL);
        if (want[TRM_QUANTITY_GEOMETRIC])
            add_geometric(x, joint, weight, set, &cursor_K);
    }
    if (want[TRM_QUANTITY_GEOMETRIC])
        add_products(x, joint, &cursor_K);
}

static void add_block_joint(const trmi_constraints *c, const trmi_constraint *joint,
                            const trmi_kinematics *k, const trm_state *state, double *const *want)
{
    if (c->tree->plane != TRMI_SPATIAL)
        trmi_plane_joint(c, joint, k, state, want);
    else
        trmi_star_joint(c, joint, k, state, want);
}

void trmi_constraints_evaluate_tile(const trmi_constraints *c, int tile, const trmi_kinematics *k,
                                    const trm_state *state, double *const want[TRM_QUANTITY_COUNT])
{
    trmi_tile begin = tile > 0 ? c->tile[tile - 1] : (trmi_tile){0}, end = c->tile[tile];
    double *K = want[TRM_QUANTITY_GEOMETRIC];
    trmi_clear(K ? K + begin.K : NULL, end.K - begin.K);
    for (int i = begin.joints; i < end.joints; i++)
        add_block_joint(c, &c->joint[c->order[i]], k, state, want);
}

void trmi_constraints_evaluate(const trmi_constraints *c, trmi_row_workspace *workspace,
                               const trmi_kinematics *k, const trm_state *state,
                               double *const want[TRM_QUANTITY_COUNT])
{
    assembly x = {c, workspace, want, state};
    trmi_clear(want[TRM_QUANTITY_CONSTRAINT_T], c->n_g);
    trmi_clear(want[TRM_QUANTITY_ROLLING_OFFSET], c->n_a);
    for (int i = 0; i < c->tiles; i++)
        trmi_constraints_evaluate_tile(c, i, k, state, want);
    if (c->all_closed)
        return;
    trmi_clear(want[TRM_QUANTITY_CONSTRAINT], c->n_g);
    trmi_clear(want[TRM_QUANTITY_CONSTRAINT_Q], c->G.pattern.count);
    trmi_clear(want[TRM_QUANTITY_GAMMA], c->n_g + c->n_a);
    trmi_clear(want[TRM_QUANTITY_VELOCITY_Q], c->velocity_q.count);
    trmi_clear(want[TRM_QUANTITY_ROLLING], c->A.pattern.count);
    trmi_clear(want[TRM_QUANTITY_GEOMETRIC], c->K.pattern.count);
    for (int i = 0; i < c->joints; i++)
        if (!c->joint[i].general)
            add_block_joint(c, &c->joint[i], k, state, want);
        else if (c->joint[i].general->relation)
            add_relation(&x, &c->joint[i], k);
        else
            add_joint(&x, &c->joint[i], k);
}

// ---- loads, held values, roots ---------------------------------------------------------------

static int sets_of(const trmi_constraint *joint)
{
    return joint->general ? joint->general->sets : 1;
}

// A set of a joint; that of closed blocks is created again, without columns.
static trmi_row_set set_of(const trmi_constraints *c, const trmi_constraint *joint, int s)
{
    int unused = 0;
    return joint->general ? joint->general->set[s]
                          : trmi_set_of_joint(c->mechanism, &c->mechanism->joint[joint->joint],
                                              joint->type, &unused);
}

// The weights of the sets of a joint: those of a relation are found at the state.
static const double *weights_of(const trmi_constraint *joint, const trmi_row_workspace *workspace,
                                const trmi_kinematics *k, const trm_state *state)
{
    static const double one = 1;
    const trmi_general *general = joint->general;
    if (!general)
        return &one;
    if (!general->relation)
        return general->weight;
    trmi_relation_at(general->relation, workspace->relation, general->set, k, state, false);
    return workspace->relation->first + 2;
}

// the multipliers of the rows of a set; 0 at a state that has none
static void multipliers_of(const trmi_constraint *joint, double weight, double sign,
                           const trm_state *state, double lambda[TRMI_MAX_ROWS])
{
    for (int r = 0; r < joint->rows; r++)
        lambda[r] =
            state->lambda ? sign * weight * state->lambda[trmi_constraint_number(joint, r)] : 0;
}

void trmi_constraints_load(const trmi_constraints *c, const trmi_row_workspace *workspace,
                           const trmi_kinematics *k, const trm_state *state, trmi_wrench *on_body,
                           double *on_column)
{
    for (int i = 0; i < c->joints; i++) {
        const double *weight = weights_of(&c->joint[i], workspace, k, state);
        for (int s = 0; s < sets_of(&c->joint[i]); s++) {
            trmi_row_set rows = set_of(c, &c->joint[i], s);
            trmi_set_state set;
            double lambda[TRMI_MAX_ROWS];
            multipliers_of(&c->joint[i], weight[s], 1, state, lambda);
            trmi_star_turn_multipliers(&c->joint[i], &rows.pair, k, lambda);
            trmi_set_straight_at(&set, &rows, k, state);
            trmi_set_load(&set, lambda, on_body, on_column);
        }
    }
}

double trmi_constraints_power(const trmi_constraints *c, const trmi_row_workspace *workspace,
                              const trmi_kinematics *k, const trm_state *state)
{
    double power = 0;
    for (int i = 0; i < c->joints; i++) {
        const trmi_general *general = c->joint[i].general;
        if (!general || !general->relation)
            continue;
        trmi_relation_at(general->relation, workspace->relation, general->set, k, state, false);
        power += state->lambda[general->number[0]] * workspace->relation->first[1];
    }
    return power;
}

trmi_wrench trmi_constraints_reaction(const trmi_constraints *c,
                                      const trmi_row_workspace *workspace, int i,
                                      const trmi_kinematics *k, const trm_state *state)
{
    const trmi_constraint *joint = &c->joint[i];
    trmi_row_set rows = set_of(c, joint, 0);
    trmi_set_state set;
    double lambda[TRMI_MAX_ROWS];
    multipliers_of(joint, weights_of(joint, workspace, k, state)[0], -1, state, lambda);
    trmi_star_turn_multipliers(joint, &rows.pair, k, lambda);
    trmi_set_straight_at(&set, &rows, k, state);
    return trmi_set_wrench(&set, lambda);
}

// slides and dots, the rows of closed blocks, hold nothing
bool trmi_constraints_settle(const trmi_constraints *c, const trmi_kinematics *k,
                             const trm_state *state, double *held)
{
    bool changed = false;
    for (int i = 0; i < c->joints; i++) {
        const trmi_general *general = c->joint[i].general;
        for (int s = 0; general && s < general->sets; s++)
            changed |= trmi_set_settle(&general->set[s], k, state, held);
    }
    return changed;
}

int trmi_constraints_overturned(const trmi_constraints *c, const trmi_kinematics *k,
                                const trm_state *state)
{
    for (int i = 0; i < c->joints; i++) {
        trmi_row_set rows = set_of(c, &c->joint[i], 0);
        trmi_set_state set;
        if (rows.own != TRMI_NOTHING)
            continue;
        trmi_set_straight_at(&set, &rows, k, state);
        for (int r = 0; r < rows.rows; r++)
            if (rows.row[r].type->is_right_root && !rows.row[r].type->is_right_root(&set.view))
                return c->joint[i].joint;
    }
    return TRMI_NOTHING;
}
