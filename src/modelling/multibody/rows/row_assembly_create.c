// SPDX-License-Identifier: Apache-2.0
// Constraints: which rows there are, their numbers, names and patterns.
#include "modelling/multibody/rows/relation.h"
#include "modelling/multibody/rows/row_assembly.h"
#include "modelling/multibody/star/row_star.h"
#include "modelling/multibody/star/star.h"

#include "base/error.h"
#include "base/texts.h"

typedef struct making {
    trmi_memory *memory;
    const trmi_mechanism *mechanism;
    const trmi_tree *tree;
    int *n_held;
    trmi_constraint *joint;
    trmi_general *general; // those not yet taken
    trmi_row_set *set;     //
    double *weight;        //
    int joints, n_g, n_a;
    bool star, far;
} making;

static bool is_coupling(const trmi_joint *joint)
{
    return joint->type->sum != NULL;
}

// ---- rows ------------------------------------------------------------------------------------

// velocity rows are counted from -1 downwards until the number of holonomic ones is known
static void add_row(making *m, trmi_constraint *c, trmi_general *general, bool velocity, int drive)
{
    general->number[c->rows] = velocity ? -1 - m->n_a++ : m->n_g++;
    general->drive[c->rows++] = drive;
}

// sets and weights of all joints are stored one after the other
static trmi_general *take_sets(making *m, trmi_constraint *c, int count)
{
    trmi_general *general = m->general++;
    *general = (trmi_general){.sets = count, .set = m->set, .weight = m->weight};
    for (int i = 0; i < count; i++)
        *m->weight++ = 1;
    m->set += count;
    c->general = general;
    return general;
}

// its rows, or those that replace them from far
static void list_rows(const making *m, const trmi_joint_type *type, const trmi_row_type **list)
{
    const trmi_row_type *const *row = trmi_joint_rows(type, m->mechanism->plane);
    for (int r = 0; r < TRMI_MAX_ROWS && row[r]; r++)
        list[r] = m->far && !type->near_rows_only && row[r]->far_row ? row[r]->far_row : row[r];
}

static bool make_cut(making *m, trmi_constraint *c, const trmi_joint *joint)
{
    const trmi_row_type *rows[TRMI_MAX_ROWS + 1] = {NULL};
    trmi_row_set *set = m->set;
    trmi_general *general = take_sets(m, c, 1);
    list_rows(m, joint->type, rows);
    *set = trmi_set_of_joint(m->mechanism, joint, rows, m->n_held);
    for (int r = 0; r < set->rows; r++)
        add_row(m, c, general, set->row[r].type->velocity, TRMI_NOTHING);
    for (int i = 0; i < trmi_measure_count(joint->type, m->mechanism->plane); i++) {
        if (trmi_drive_of(joint, i) == TRMI_NOTHING)
            continue;
        trmi_measure measure = trmi_measure_of(joint->type, m->mechanism->plane, i);
        trmi_set_add(set, trmi_measure_row(measure), m->n_held);
        add_row(m, c, general, false, trmi_drive_of(joint, i));
    }
    return trmi_set_finish(set, m->memory, m->tree);
}

static bool make_coupling(making *m, trmi_constraint *c, const trmi_joint *joint)
{
    const trmi_joint_extra extra = trmi_extra_of(joint);
    trmi_row_set *set = m->set;
    trmi_general *general = take_sets(m, c, extra.terms);
    for (int i = 0; i < extra.terms; i++) {
        m->weight[i - extra.terms] = extra.term[i].coefficient;
        if (!trmi_set_of_measure(&set[i], m->memory, m->mechanism, m->tree, extra.term[i].joint,
                                 extra.term[i].measure, m->n_held))
            return false;
    }
    general->offset = extra.offset;
    add_row(m, c, general, false, TRMI_NOTHING);
    return true;
}

static bool make_relation(making *m, trmi_constraint *c, const trmi_joint *joint)
{
    const trmi_relation *relation = trmi_extra_of(joint).relation;
    trmi_row_set *set = m->set;
    trmi_general *general = take_sets(m, c, relation->signals);
    for (int i = 0; i < relation->signals; i++)
        if (!trmi_signal_set(&set[i], m->memory, m->mechanism, m->tree, &relation->signal[i],
                             m->n_held))
            return false;
    general->relation = relation;
    add_row(m, c, general, false, TRMI_NOTHING);
    return true;
}

static bool make_general(making *m, trmi_constraint *c, const trmi_joint *joint)
{
    if (!is_coupling(joint))
        return make_cut(m, c, joint);
    return trmi_extra_of(joint).relation ? make_relation(m, c, joint) : make_coupling(m, c, joint);
}

static int sets_of(const trmi_joint *joint)
{
    const trmi_joint_extra extra = trmi_extra_of(joint);
    return extra.relation ? extra.relation->signals : is_coupling(joint) ? extra.terms : 1;
}

static void make_closed(making *m, trmi_constraint *c)
{
    trmi_star_close(c, m->mechanism, m->tree);
    c->first = m->n_g;
    m->n_g += c->rows;
}

static bool is_closed(const making *m, const trmi_joint *joint)
{
    return m->star && trmi_star_closes(joint, m->mechanism->plane);
}

// memory for what the joints need
static bool take_joints(making *m)
{
    const trmi_mechanism *mechanism = m->mechanism;
    int joints = 0, general = 0, sets = 0;
    for (int j = 0; j < mechanism->joints; j++) {
        const trmi_joint *joint = &mechanism->joint[j];
        if (m->tree->in_tree[j])
            continue;
        joints++;
        if (is_closed(m, joint))
            continue;
        general++;
        sets += sets_of(joint);
    }
    return TRMI_TAKE(m->memory, m->joint, joints) && TRMI_TAKE(m->memory, m->general, general) &&
           TRMI_TAKE(m->memory, m->set, sets) && TRMI_TAKE(m->memory, m->weight, sets);
}

static bool make_joints(making *m)
{
    const trmi_mechanism *mechanism = m->mechanism;
    trmi_general *general;
    if (!take_joints(m))
        return false;
    general = m->general;
    for (int j = 0; j < mechanism->joints; j++) {
        const trmi_joint *joint = &mechanism->joint[j];
        trmi_constraint *c = &m->joint[m->joints];
        if (m->tree->in_tree[j])
            continue;
        *c = (trmi_constraint){.joint = j}; // a joint without rows may have used this entry
        if (is_closed(m, joint))
            make_closed(m, c);
        else if (!make_general(m, c, joint))
            return false;
        m->joints += c->rows > 0;
    }
    for (; general < m->general; general++)
        for (int r = 0; r < TRMI_MAX_ROWS; r++)
            if (general->number[r] < 0)
                general->number[r] = m->n_g - 1 - general->number[r];
    return true;
}

// ---- names -----------------------------------------------------------------------------------

// "pivot_x"; prescribed motions "pivot_drive", or "pivot_drive_travel" where there are several
static void name_row(const trmi_constraints *c, const trmi_constraint *joint, int r,
                     trmi_name_sink *sink, void *to)
{
    const trmi_joint *described = &c->mechanism->joint[joint->joint];
    const char *row = trmi_constraint_type(joint, r)->name, *measure = NULL;
    int drive = joint->general ? joint->general->drive[r] : TRMI_NOTHING;
    int measures = trmi_measure_count(described->type, c->mechanism->plane);
    if (is_coupling(described))
        row = described->type->sum;
    for (int i = 0; i < measures && drive != TRMI_NOTHING; i++) {
        row = measures > 1 ? "drive_" : "drive";
        if (measures > 1 && trmi_drive_of(described, i) == drive)
            measure = trmi_measure_of(described->type, c->mechanism->plane, i).name;
    }
    sink(to, trmi_constraint_number(joint, r),
         (const char *const[]){described->name ? described->name : "joint", "_", row, measure,
                               NULL});
}

void trmi_constraints_name_rows(const trmi_constraints *c, trmi_name_sink *sink, void *to)
{
    for (int i = 0; i < c->joints; i++)
        for (int r = 0; r < c->joint[i].rows; r++)
            name_row(c, &c->joint[i], r, sink, to);
}

const trmi_constraint *trmi_constraint_of(const trmi_constraints *c, int joint)
{
    for (int i = 0; i < c->joints; i++)
        if (c->joint[i].joint == joint)
            return &c->joint[i];
    return NULL;
}

int trmi_constraints_row_name(const trmi_constraints *c, int row, char *name, size_t size)
{
    trmi_one_name one = {.index = row, .name = name, .size = size};
    trmi_constraints_name_rows(c, trmi_write_one_name, &one);
    return one.length;
}

// ---- patterns --------------------------------------------------------------------------------

static int coordinate_of(const trmi_constraints *c, const trmi_row_set *set, int j)
{
    return trmi_column_of(c->tree, set->column[j]).coordinate;
}

static void announce_set(trmi_constraints *c, const trmi_constraint *joint, const trmi_row_set *set)
{
    int n = set->columns;
    for (int r = 0; r < joint->rows; r++) {
        int number = joint->general->number[r];
        bool velocity = number >= c->n_g;
        for (int j = 0; j < n; j++)
            if (trmi_set_touches(set, r, c->tree, j))
                trmi_slots_add(velocity ? &c->A : &c->G, number - (velocity ? c->n_g : 0),
                               coordinate_of(c, set, j));
    }
    for (int k = 0; k < n * n; k++)
        trmi_slots_add(&c->K,
                       trmi_set_bends(set, c->tree, k / n, k % n) ? coordinate_of(c, set, k / n)
                                                                  : TRMI_NOTHING,
                       coordinate_of(c, set, k % n));
    c->max_columns = n > c->max_columns ? n : c->max_columns;
}

// G_i^T G_j of the signals of a relation
static void announce_products(trmi_constraints *c, const trmi_general *general)
{
    for (int i = 0; i < general->sets; i++)
        for (int j = 0; j < general->sets; j++)
            for (int a = 0; a < general->set[i].columns; a++)
                for (int b = 0; b < general->set[j].columns; b++)
                    trmi_slots_add(&c->K, coordinate_of(c, &general->set[i], a),
                                   coordinate_of(c, &general->set[j], b));
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
    trm_pattern_list(&c->G.pattern, row, column);
    trm_pattern_list(&c->A.pattern, row + n_G, column + n_G);
    for (int k = n_G; k < n_G + n_A; k++)
        row[k] += c->n_g;
    c->velocity_q = (trm_pattern){.count = n_G + n_A, .row = row, .column = column};
    return true;
}

static void announce_joint(trmi_constraints *c, trmi_constraint *joint)
{
    joint->first_G = c->G.added;
    joint->first_A = c->A.added;
    joint->first_K = c->K.added;
    if (!joint->general && c->tree->plane != TRMI_SPATIAL)
        trmi_plane_announce(c, joint);
    else if (!joint->general)
        trmi_star_announce(c, joint);
    for (int s = 0; joint->general && s < joint->general->sets; s++)
        announce_set(c, joint, &joint->general->set[s]);
    if (joint->general && joint->general->relation)
        announce_products(c, joint->general);
}

static bool make_patterns(trmi_constraints *c, making *m)
{
    for (int i = 0; i < m->joints; i++)
        announce_joint(c, &m->joint[i]);
    bool good = trmi_slots_finish(&c->G, m->memory); // all three: they give back what they took
    good = trmi_slots_finish(&c->A, m->memory) && good;
    good = trmi_slots_finish(&c->K, m->memory) && good;
    return good && join_patterns(c, m->memory);
}

// ---- tiles -----------------------------------------------------------------------------------

// Small enough for the nearest cache, large enough that the overhead of a tile is small.
enum { BODIES_OF_A_TILE = 32 };

// the tile of the later one of two bodies
static int tile_of(const trmi_constraint *joint)
{
    int later = joint->A > joint->B ? joint->A : joint->B;
    return later == TRMI_GROUND ? 0 : (later - 1) / BODIES_OF_A_TILE;
}

// entries of (G^T lambda)_q before each end of a tile; they are stored row by row
static void count_entries(const trmi_constraints *c, trmi_tile *tile)
{
    trmi_cursor at = trmi_pattern_begin(&c->K.pattern);
    for (int i = 0; i < c->tiles; i++) {
        int row = trmi_star_coordinate(c->tree, tile[i].bodies);
        while (at.k < c->K.pattern.count && at.row < row)
            trmi_pattern_next(&at);
        tile[i].K = at.k;
    }
}

// joints sorted by tile, those of a tile in their own order
static bool make_tiles(trmi_constraints *c, trmi_memory *memory)
{
    int bodies = c->tree->bodies, tiles = (bodies - 1 + BODIES_OF_A_TILE - 1) / BODIES_OF_A_TILE;
    trmi_tile *tile;
    int *order;
    if (!c->all_closed)
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
    *c = (trmi_constraints){.mechanism = m->mechanism, .tree = m->tree};
    if (!make_joints(m))
        return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the constraints");
    c->joint = m->joint;
    c->joints = m->joints;
    c->n_g = m->n_g;
    c->n_a = m->n_a;
    c->all_closed = m->star;
    for (int i = 0; i < m->joints; i++)
        c->all_closed = c->all_closed && !m->joint[i].general;
    if (!make_patterns(c, m) || !make_tiles(c, m->memory))
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

trm_status trmi_constraints_create_far(trmi_constraints *c, trmi_memory *memory,
                                       const trmi_mechanism *mechanism, const trmi_tree *tree,
                                       int *n_held, trm_error *error)
{
    making m = {
        .memory = memory, .mechanism = mechanism, .tree = tree, .n_held = n_held, .far = true};
    return create(c, &m, error);
}
