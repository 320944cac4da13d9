// SPDX-License-Identifier: Apache-2.0
// Effects that formulas use: their pieces, their order, the unknowns they depend on.
#include "modelling/multibody/forces/feedback_piece.h"

void trmi_feedback_act(const trmi_feedback_piece *piece, const trmi_force_work *work,
                       const trmi_kinematics *k, const trm_state *state, bool derivatives,
                       trmi_acting *a)
{
    if (piece->element) {
        trmi_act(a, piece->element, work, k, state, derivatives);
        return;
    }
    const trmi_general *rows = piece->constraint->general;
    a->element = NULL;
    a->law = (trmi_law){.potential = 0};
    if (derivatives)
        trmi_set_at(&a->x, rows->set, k, state);
    else
        trmi_set_straight_at(&a->x, rows->set, k, state);
    for (int r = 0; r < rows->set->rows; r++)
        a->law.F[r] = state->lambda ? state->lambda[rows->number[r]] : 0;
}

bool trmi_feedback_turns(const trmi_effect *effect)
{
    return effect->kind == TRMI_EFFECT_WRENCH || effect->kind == TRMI_EFFECT_REACTION;
}

// ---- pieces ----------------------------------------------------------------------------------

typedef struct making {
    const trmi_force_maker *maker;
    const trmi_forces *forces;
    trmi_feedback *feedback;
    trmi_feedback_row *row;
} making;

static bool find_path(const making *m, trmi_row_set *path, int body)
{
    *path = (trmi_row_set){.pair = {.A = TRMI_GROUND, .B = body}};
    return trmi_set_finish(path, m->maker->memory, m->maker->tree);
}

static bool add_piece(const making *m, const trmi_effect *effect, const trmi_element *element,
                      const trmi_constraint *constraint, trmi_feedback_row *row,
                      trmi_feedback_piece *piece)
{
    const trmi_row_set *set = element ? &element->set : constraint->general->set;
    piece += row->pieces++;
    piece->element = element;
    piece->constraint = constraint;
    return !trmi_feedback_turns(effect) || (find_path(m, &piece->path[0], set->pair.A) &&
                                            find_path(m, &piece->path[1], set->pair.B));
}

// whether an element adds to an effect; friction is part of the reaction of its joint
static bool adds(const making *m, const trmi_element *e, const trmi_effect *effect)
{
    const trmi_mechanism *mechanism = m->maker->mechanism;
    const trmi_effect friction = {TRMI_EFFECT_FRICTION, effect->index, 0};
    if (effect->kind == TRMI_EFFECT_REACTION)
        return trmi_effect_is_of(mechanism, e, &friction);
    return trmi_effect_is_of(mechanism, e, effect) &&
           (effect->kind != TRMI_EFFECT_WRENCH || trmi_acts_as_wrench(e));
}

// minus this multiplier is an effect; TRMI_NOTHING: it has pieces
static int multiplier_of(const trmi_mechanism *m, const trmi_constraint *c,
                         const trmi_effect *effect)
{
    if (effect->kind == TRMI_EFFECT_SUM)
        return trmi_constraint_number(c, 0);
    if (effect->kind != TRMI_EFFECT_DRIVE)
        return TRMI_NOTHING;
    int drive = trmi_drive_of(&m->joint[effect->index], effect->part);
    for (int r = 0; r < c->rows; r++)
        if (c->general->drive[r] == drive)
            return c->general->number[r];
    return TRMI_NOTHING;
}

static bool make_row(const making *m, const trmi_effect *effect, trmi_feedback_row *row)
{
    const trmi_force_maker *maker = m->maker;
    bool of_joint = effect->kind == TRMI_EFFECT_REACTION || effect->kind == TRMI_EFFECT_DRIVE ||
                    effect->kind == TRMI_EFFECT_SUM;
    const trmi_constraint *c =
        of_joint ? trmi_constraint_of(maker->constraints, effect->index) : NULL;
    trmi_feedback_piece *piece;
    int count = 1;
    row->multiplier = c ? multiplier_of(maker->mechanism, c, effect) : TRMI_NOTHING;
    for (int k = 0; k < maker->elements; k++)
        count += adds(m, &maker->element[k], effect);
    if (!TRMI_TAKE(maker->memory, piece, count))
        return false;
    row->piece = piece;
    bool good = true;
    if (c && effect->kind == TRMI_EFFECT_REACTION)
        good = add_piece(m, effect, NULL, c, row, piece);
    for (int k = 0; k < maker->elements && good; k++)
        if (adds(m, &maker->element[k], effect))
            good = add_piece(m, effect, &maker->element[k], NULL, row, piece);
    return good;
}

// ---- order -----------------------------------------------------------------------------------

// 0: no formula is needed; otherwise above all effects that its formulas use
static int find_level(const making *m, const trmi_feedback_row *row)
{
    int level = 0;
    for (int n = 0; n < row->pieces; n++) {
        const trmi_element *e = row->piece[n].element;
        for (int r = 0; e && r < e->formulas; r++) {
            const trmi_formula *formula = &e->formula[r];
            if (formula->value == TRMI_NOTHING)
                continue;
            level = level > 1 ? level : 1;
            for (int i = 0; i < formula->effects; i++) {
                int below = m->row[formula->effect[i]].level;
                level = level > below ? level : below + 1;
            }
        }
    }
    return level;
}

// levels only grow, and no ring of effects makes them grow for ever
static void order_rows(making *m)
{
    bool changed = true;
    for (int n = 0; n <= m->feedback->count && changed; n++) {
        changed = false;
        for (int i = 0; i < m->feedback->count; i++) {
            int level = find_level(m, &m->row[i]);
            changed = changed || level != m->row[i].level;
            m->row[i].level = level;
            if (level >= m->feedback->levels)
                m->feedback->levels = level + 1;
        }
    }
}

// ---- unknowns, in the order of trmi_feedback_differentiate --------------------------------------

static void announce_columns(const making *m, trmi_feedback_row *row, const trmi_row_set *set)
{
    for (int j = 0; j < set->columns; j++)
        trmi_slots_add(&row->Q.slots, 0, trmi_column_of(m->maker->tree, set->column[j]).coordinate);
}

static void announce_part(trmi_feedback_part *part, const trmi_feedback_part *of)
{
    for (int j = 0; j < of->count; j++)
        trmi_slots_add(&part->slots, 0, of->index[j]);
}

static void announce_formula(const making *m, trmi_feedback_row *row, const trmi_formula *formula)
{
    for (int i = 0; i < formula->uses; i++)
        announce_columns(m, row, &m->forces->signals->set[formula->signal[i]]);
    for (int i = 0; i < formula->others; i++)
        trmi_slots_add(&row->Y.slots, 0, formula->other[i]);
    for (int i = 0; i < formula->effects; i++) {
        const trmi_feedback_row *of = &m->row[formula->effect[i]];
        announce_part(&row->Q, &of->Q);
        announce_part(&row->L, &of->L);
        announce_part(&row->Y, &of->Y);
    }
}

static void announce_piece(const making *m, const trmi_effect *effect, trmi_feedback_row *row,
                           const trmi_feedback_piece *piece)
{
    const trmi_element *e = piece->element;
    if (e)
        announce_columns(m, row, &e->set);
    for (int side = 0; side < 2 && trmi_feedback_turns(effect); side++)
        announce_columns(m, row, &piece->path[side]);
    for (int i = 0; e && i < e->loads; i++)
        trmi_slots_add(&row->L.slots, 0, e->load[i]);
    for (int r = 0; !e && r < piece->constraint->rows; r++)
        trmi_slots_add(&row->L.slots, 0, piece->constraint->general->number[r]);
    for (int i = 0; e && i < e->states; i++)
        trmi_slots_add(&row->Y.slots, 0, e->first_state + i);
    for (int r = 0; e && r < e->formulas; r++)
        if (e->formula[r].value != TRMI_NOTHING)
            announce_formula(m, row, &e->formula[r]);
}

// the unknowns of a part, once; its numbers follow those before it
static bool finish_part(const making *m, trmi_feedback_part *part, int *size)
{
    int *index;
    bool good = trmi_slots_finish(&part->slots, m->maker->memory);
    const trm_pattern *p = &part->slots.pattern;
    part->count = good && p->count > 0 ? p->count : 0;
    part->first = *size;
    *size += part->count;
    if (!good || !TRMI_TAKE(m->maker->memory, index, part->count))
        return false;
    for (trmi_cursor at = trmi_pattern_begin(p); at.k < part->count; trmi_pattern_next(&at))
        index[at.k] = at.column;
    part->index = index;
    return true;
}

static bool list_unknowns(const making *m, int i)
{
    trmi_feedback *b = m->feedback;
    trmi_feedback_row *row = &m->row[i];
    if (row->multiplier != TRMI_NOTHING)
        trmi_slots_add(&row->L.slots, 0, row->multiplier);
    for (int n = 0; n < row->pieces; n++)
        announce_piece(m, &m->maker->mechanism->effect[i], row, &row->piece[n]);
    bool good = finish_part(m, &row->Q, &b->size_Q);
    good = finish_part(m, &row->L, &b->size_L) && good;
    return finish_part(m, &row->Y, &b->size_Y) && good;
}

bool trmi_feedback_create(trmi_feedback *b, const trmi_force_maker *maker,
                          const trmi_forces *forces)
{
    making m = {maker, forces, b, NULL};
    *b = (trmi_feedback){.count = maker->mechanism->feedbacks};
    if (!TRMI_TAKE(maker->memory, m.row, b->count))
        return false;
    b->row = m.row;
    for (int i = 0; i < b->count; i++)
        if (!make_row(&m, &maker->mechanism->effect[i], &m.row[i]))
            return false;
    order_rows(&m);
    bool good = true;
    for (int level = 0; level < b->levels; level++)
        for (int i = 0; i < b->count; i++)
            if (m.row[i].level == level)
                good = list_unknowns(&m, i) && good;
    return good;
}

bool trmi_feedback_work_create(trmi_feedback_work *work, trmi_memory *memory,
                               const trmi_feedback *b)
{
    return TRMI_TAKE(memory, work->Q, b->size_Q) && TRMI_TAKE(memory, work->V, b->size_Q) &&
           TRMI_TAKE(memory, work->L, b->size_L) && TRMI_TAKE(memory, work->Y, b->size_Y);
}
