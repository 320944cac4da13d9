// SPDX-License-Identifier: Apache-2.0
// Constraints: which rows there are, their numbers, names and patterns.
#include "multibody/row_assembly.h"
#include "multibody/row_star.h"
#include "multibody/star.h"

#include "base/error.h"
#include "base/texts.h"

typedef struct making {
    trmi_memory *memory;
    const trmi_mechanism *mechanism;
    const trmi_tree *tree;
    int *n_held;
    trmi_constraint *joint;
    trmi_row_set *set; // those not yet taken
    double *weight;    //
    int joints, n_g, n_a;
    bool star, afar;
} making;

static bool is_coupling(const trmi_joint *joint)
{
    return joint->kind == TRMI_JOINT_COUPLING || joint->kind == TRMI_JOINT_RACK_PINION;
}

// ---- rows ------------------------------------------------------------------------------------

// velocity rows are counted from -1 downwards until the number of holonomic ones is known
static void add_row(making *m, trmi_constraint *c, bool velocity, int drive)
{
    c->number[c->rows] = velocity ? -1 - m->n_a++ : m->n_g++;
    c->drive[c->rows++] = drive;
}

// sets and weights of all joints stand one behind the other
static trmi_row_set *take_sets(making *m, trmi_constraint *c, int count)
{
    trmi_row_set *set = m->set;
    c->sets = count;
    c->set = set;
    c->weight = m->weight;
    for (int i = 0; i < count; i++)
        *m->weight++ = 1;
    m->set += count;
    return set;
}

// its rows, or those that replace them from afar; a constant velocity joint has one component of a
// rotation only, which alone does not lead anywhere
static void list_rows(const making *m, trmi_joint_kind kind, const trmi_row_type **list)
{
    const trmi_row_type *const *row = trmi_joint_rows(kind, m->mechanism->plane);
    bool afar = m->afar && kind != TRMI_JOINT_CONSTANT_VELOCITY;
    for (int r = 0; r < TRMI_ROWS_MOST && row[r]; r++)
        list[r] = afar && row[r]->afar ? row[r]->afar : row[r];
}

static bool make_cut(making *m, trmi_constraint *c, const trmi_joint *joint)
{
    const trmi_row_type *rows[TRMI_ROWS_MOST + 1] = {NULL};
    list_rows(m, joint->kind, rows);
    trmi_row_set *set = take_sets(m, c, 1);
    *set = trmi_set_of_joint(m->mechanism, joint, rows, m->n_held);
    for (int r = 0; r < set->rows; r++)
        add_row(m, c, set->row[r].type->velocity, TRMI_NOTHING);
    for (int i = 0; i < trmi_measure_count(joint->kind, m->mechanism->plane); i++) {
        if (joint->drive[i] == TRMI_NOTHING)
            continue;
        trmi_measure measure = trmi_measure_of(joint->kind, m->mechanism->plane, i);
        trmi_set_add(set, trmi_measure_row(joint->kind, measure), m->n_held);
        add_row(m, c, false, joint->drive[i]);
    }
    if (m->star && !trmi_star_prepare_joint(c, m->memory, m->mechanism, m->tree))
        return false;
    return c->star || trmi_set_finish(set, m->memory, m->tree);
}

static bool make_coupling(making *m, trmi_constraint *c, const trmi_joint *joint)
{
    trmi_row_set *set = take_sets(m, c, joint->terms);
    for (int i = 0; i < joint->terms; i++) {
        m->weight[i - joint->terms] = joint->term[i].coefficient;
        if (!trmi_set_of_measure(&set[i], m->memory, m->mechanism, m->tree, joint->term[i].joint,
                                 joint->term[i].measure, m->n_held))
            return false;
    }
    c->offset = joint->offset;
    add_row(m, c, false, TRMI_NOTHING);
    return true;
}

static bool make_joints(making *m)
{
    const trmi_mechanism *mechanism = m->mechanism;
    int sets = 0;
    for (int j = 0; j < mechanism->joints; j++)
        if (!m->tree->in_tree[j])
            sets += is_coupling(&mechanism->joint[j]) ? mechanism->joint[j].terms : 1;
    if (!TRMI_TAKE(m->memory, m->joint, mechanism->joints) || !TRMI_TAKE(m->memory, m->set, sets) ||
        !TRMI_TAKE(m->memory, m->weight, sets))
        return false;
    for (int j = 0; j < mechanism->joints; j++) {
        const trmi_joint *joint = &mechanism->joint[j];
        trmi_constraint *c = &m->joint[m->joints];
        if (m->tree->in_tree[j])
            continue;
        *c = (trmi_constraint){.joint = j}; // a joint without rows may have stood here
        if (!(is_coupling(joint) ? make_coupling(m, c, joint) : make_cut(m, c, joint)))
            return false;
        m->joints += c->rows > 0;
    }
    for (int i = 0; i < m->joints; i++)
        for (int r = 0; r < m->joint[i].rows; r++)
            if (m->joint[i].number[r] < 0)
                m->joint[i].number[r] = m->n_g - 1 - m->joint[i].number[r];
    return true;
}

// ---- names -----------------------------------------------------------------------------------

// "pivot_x"; prescribed motions "pivot_drive", or "pivot_drive_travel" where there are several
static const char *name_row(const making *m, const trmi_constraint *c, int r, trmi_texts *texts)
{
    const trmi_joint *joint = &m->mechanism->joint[c->joint];
    const char *row = c->set->row[r].type->name, *measure = "";
    int measures = trmi_measure_count(joint->kind, m->mechanism->plane);
    if (is_coupling(joint))
        row = joint->kind == TRMI_JOINT_COUPLING ? "gear" : "rack";
    for (int i = 0; i < measures && c->drive[r] != TRMI_NOTHING; i++) {
        row = measures > 1 ? "drive_" : "drive";
        if (measures > 1 && joint->drive[i] == c->drive[r])
            measure = trmi_measure_of(joint->kind, m->mechanism->plane, i).name;
    }
    return TRMI_JOIN(texts, joint->name ? joint->name : "joint", "_", row, measure);
}

static bool make_names(const making *m, const char *const **out)
{
    trmi_texts texts = {m->memory, NULL, 0};
    const char **name;
    if (!TRMI_TAKE(m->memory, name, m->n_g + m->n_a))
        return false;
    for (int i = 0; i < m->joints; i++)
        for (int r = 0; r < m->joint[i].rows; r++) {
            const char *text = name[m->joint[i].number[r]] = name_row(m, &m->joint[i], r, &texts);
            if (!text)
                return false;
        }
    *out = name;
    return true;
}

// ---- patterns --------------------------------------------------------------------------------

static void announce_set(trmi_constraints *c, const trmi_constraint *joint, const trmi_row_set *set)
{
    const trmi_column *column = c->tree->column;
    int n = set->columns;
    for (int r = 0; r < joint->rows; r++) {
        bool velocity = joint->number[r] >= c->n_g;
        for (int j = 0; j < n; j++)
            if (trmi_set_touches(set, r, c->tree, j))
                trmi_slots_add(velocity ? &c->A : &c->G, joint->number[r] - (velocity ? c->n_g : 0),
                               column[set->column[j]].coordinate);
    }
    for (int k = 0; k < n * n; k++)
        trmi_slots_add(&c->K,
                       trmi_set_bends(set, c->tree, k / n, k % n)
                           ? column[set->column[k / n]].coordinate
                           : TRMI_NOTHING,
                       column[set->column[k % n]].coordinate);
    c->most_columns = n > c->most_columns ? n : c->most_columns;
}

static bool join_patterns(trmi_constraints *c, trmi_memory *memory)
{
    int n_G = c->G.pattern.count > 0 ? c->G.pattern.count : 0;
    int n_A = c->A.pattern.count > 0 ? c->A.pattern.count : 0, *row, *column;
    c->velocity_q = c->G.pattern;
    if (n_A == 0)
        return true;
    if (!TRMI_TAKE(memory, row, n_G + n_A) || !TRMI_TAKE(memory, column, n_G + n_A))
        return false;
    for (int k = 0; k < n_G + n_A; k++) {
        row[k] = k < n_G ? c->G.pattern.row[k] : c->A.pattern.row[k - n_G] + c->n_g;
        column[k] = k < n_G ? c->G.pattern.column[k] : c->A.pattern.column[k - n_G];
    }
    c->velocity_q = (trm_pattern){n_G + n_A, row, column};
    return true;
}

static bool make_patterns(trmi_constraints *c, making *m)
{
    for (int i = 0; i < m->joints; i++) {
        trmi_constraint *joint = &m->joint[i];
        joint->first_G = c->G.added;
        joint->first_A = c->A.added;
        joint->first_K = c->K.added;
        if (joint->flat)
            trmi_plane_announce(c, joint);
        else if (joint->star)
            trmi_star_announce(c, joint);
        for (int s = 0; s < joint->sets && !joint->star; s++)
            announce_set(c, joint, &joint->set[s]);
    }
    bool good = trmi_slots_finish(&c->G, m->memory); // all three: they give back what they took
    good = trmi_slots_finish(&c->A, m->memory) && good;
    good = trmi_slots_finish(&c->K, m->memory) && good;
    return good && join_patterns(c, m->memory);
}

// ---- tiles -----------------------------------------------------------------------------------

// Small enough for the nearest cache, large enough that little is said per tile.
enum { BODIES_OF_A_TILE = 32 };

// the tile of the later one of two bodies
static int tile_of(const trmi_constraint *joint)
{
    const trmi_pair *pair = &joint->set->pair;
    int later = pair->A > pair->B ? pair->A : pair->B;
    return later == TRMI_GROUND ? 0 : (later - 1) / BODIES_OF_A_TILE;
}

// entries of (G^T lambda)_q before each end of a tile; they stand row by row
static void count_entries(const trmi_constraints *c, trmi_tile *tile)
{
    int count = c->K.pattern.count > 0 ? c->K.pattern.count : 0, k = 0;
    for (int i = 0; i < c->tiles; i++) {
        int row = trmi_star_coordinate(c->tree, tile[i].bodies);
        while (k < count && c->K.pattern.row[k] < row)
            k++;
        tile[i].K = k;
    }
}

// joints sorted by tile, those of a tile in their own order
static bool make_tiles(trmi_constraints *c, trmi_memory *memory)
{
    int bodies = c->tree->bodies, tiles = (bodies - 1 + BODIES_OF_A_TILE - 1) / BODIES_OF_A_TILE;
    trmi_tile *tile;
    int *order;
    if (!c->all_star)
        return true;
    c->tiles = tiles > 0 ? tiles : 1;
    if (!TRMI_TAKE(memory, tile, c->tiles) || !TRMI_TAKE(memory, order, c->joints))
        return false;
    for (int i = 0; i < c->joints; i++)
        tile[tile_of(&c->joint[i])].joints++;
    for (int i = 0, before = 0; i < c->tiles; i++) {
        int count = tile[i].joints, end = 1 + (i + 1) * BODIES_OF_A_TILE;
        tile[i] = (trmi_tile){.bodies = end < bodies ? end : bodies, .joints = before};
        before += count;
    }
    for (int i = 0; i < c->joints; i++)
        order[tile[tile_of(&c->joint[i])].joints++] = i;
    count_entries(c, tile);
    c->tile = tile;
    c->order = order;
    return true;
}

static trm_status create(trmi_constraints *c, making *m, trm_error *error)
{
    *c = (trmi_constraints){.tree = m->tree};
    if (!make_joints(m))
        return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the constraints");
    c->joint = m->joint;
    c->joints = m->joints;
    c->n_g = m->n_g;
    c->n_a = m->n_a;
    c->all_star = m->star;
    for (int i = 0; i < m->joints; i++)
        c->all_star = c->all_star && m->joint[i].star;
    if (!make_patterns(c, m) || !make_tiles(c, m->memory) || !make_names(m, &c->name))
        return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the constraints");
    return TRM_OK;
}

trm_status trmi_constraints_create(trmi_constraints *c, trmi_memory *memory,
                                   const trmi_mechanism *mechanism, const trmi_tree *tree,
                                   bool star, int *n_held, trm_error *error)
{
    making m = {.memory = memory,
                .mechanism = mechanism,
                .tree = tree,
                .n_held = n_held,
                .star = star && tree->star};
    return create(c, &m, error);
}

trm_status trmi_constraints_create_afar(trmi_constraints *c, trmi_memory *memory,
                                        const trmi_mechanism *mechanism, const trmi_tree *tree,
                                        int *n_held, trm_error *error)
{
    making m = {
        .memory = memory, .mechanism = mechanism, .tree = tree, .n_held = n_held, .afar = true};
    return create(c, &m, error);
}
