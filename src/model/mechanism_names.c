// SPDX-License-Identifier: Apache-2.0
// Names of what a mechanism has: coordinates and multipliers are called as its system calls them;
// rates, poses and reactions follow from them and from the names of bodies and joints. There are
// some thirty for a body: they lie one after another in pools.
#include "model/mechanism_draft.h"
#include "multibody/machine.h"

#include <string.h>

// ---- pools ----

// names of one kind under construction
typedef struct pool {
    char *text;
    uint32_t *place, used;
} pool;

// Room for `count` names of `bytes` in all. False without memory.
static bool take_pool(trmi_reading *r, trm_channel_kind kind, pool *p, int count, size_t bytes)
{
    *p = (pool){0};
    if (bytes > UINT32_MAX || !TRMI_TAKE(r->memory, p->text, bytes) ||
        !TRMI_TAKE(r->memory, p->place, count))
        return false;
    r->model->names[kind] = (trmi_names){.count = count, .pool = p->text, .place = p->place};
    return true;
}

// name k: the owner and what is said of it
static const char *add_name(pool *p, int k, const char *owner, const char *what)
{
    size_t first = strlen(owner), second = strlen(what) + 1;
    char *name = p->text + p->used;
    memcpy(name, owner, first);
    memcpy(name + first, what, second);
    p->place[k] = p->used;
    p->used += (uint32_t)(first + second);
    return name;
}

// ---- coordinates and multipliers ----

// a name that formulas may use from now on; it may have been that of a signal
static void name_unknown(trmi_reading *r, const char *name, trmi_symbol_kind kind, int index)
{
    trmi_symbol *s = trmi_symbols_find(&r->symbols, name);
    if (!s) {
        trmi_symbols_add(&r->symbols, name, kind, index, NULL);
    } else if (s->kind == TRMI_SYMBOL_SIGNAL || s->kind == TRMI_SYMBOL_SIGNAL_RATE) {
        s->kind = kind;
        s->index = index;
    } else if (s->kind == TRMI_SYMBOL_PARAMETER) {
        trmi_report_key(r->document, s->item,
                        "the name '%.60s' is already that of %s of the mechanism", name,
                        trmi_symbol_kind_text(kind));
    }
}

// "pivot_rate" where the joint has one measure only, otherwise "pivot_travel_rate": what stands
// before "_rate"
static const char *rate_owner(const trm_model *m, const trmi_column *column)
{
    const trmi_mechanism *d = m->mechanism;
    const trmi_joint *joint = column->joint == TRMI_NOTHING ? NULL : &d->joint[column->joint];
    return joint && trmi_measure_count(joint->kind, d->plane) == 1
               ? joint->name
               : m->system.q_names[column->coordinate];
}

// a position and its rate; a joint with one measure has two names for that
static bool name_coordinate(trmi_reading *r, const trmi_column *column, pool *rates)
{
    int i = column->coordinate;
    const char *q = r->model->system.q_names[i], *owner = rate_owner(r->model, column);
    name_unknown(r, q, TRMI_SYMBOL_POSITION, i);
    name_unknown(r, add_name(rates, i, owner, "_rate"), TRMI_SYMBOL_VELOCITY, i);
    if (owner == q)
        return true;
    const char *full = TRMI_JOIN(&r->passing, q, "_rate");
    if (full)
        name_unknown(r, full, TRMI_SYMBOL_VELOCITY, i);
    return full != NULL;
}

static bool is_coordinate(const trmi_column *column)
{
    return column->coordinate != TRMI_NOTHING;
}

static bool give_units(trmi_reading *r)
{
    static const char *const turn[] = {"rad", "rad/s", "rad/s^2"}, *const slide[] = {"m", "m/s",
                                                                                     "m/s^2"};
    const trmi_tree *t = r->model->machine->tree;
    for (int k = 0; k < 3; k++) {
        trmi_names *names = &r->model->names[TRM_CHANNEL_POSITION + k];
        const char **unit;
        if (!TRMI_TAKE(r->scratch, unit, names->count))
            return false;
        for (int j = 0; j < t->columns; j++) {
            const trmi_column c = trmi_column_of(t, j);
            if (is_coordinate(&c))
                unit[c.coordinate] = c.kind == TRMI_COLUMN_SLIDE ? slide[k] : turn[k];
        }
        names->unit = unit;
        names->units = names->count;
    }
    return true;
}

static bool name_coordinates(trmi_reading *r)
{
    const trm_system *s = &r->model->system;
    const trmi_tree *t = r->model->machine->tree;
    trmi_names *names = r->model->names;
    size_t bytes = 0;
    pool rates;
    for (int k = 0; k < t->columns; k++) {
        const trmi_column c = trmi_column_of(t, k);
        if (is_coordinate(&c))
            bytes += strlen(rate_owner(r->model, &c)) + sizeof "_rate";
    }
    if (!take_pool(r, TRM_CHANNEL_VELOCITY, &rates, s->n_q, bytes))
        return false;
    names[TRM_CHANNEL_POSITION] = names[TRM_CHANNEL_ACCELERATION] =
        (trmi_names){.count = s->n_q, .name = s->q_names};
    bool good = give_units(r);
    for (int k = 0; k < t->columns && good; k++) {
        const trmi_column c = trmi_column_of(t, k);
        if (is_coordinate(&c))
            good = name_coordinate(r, &c, &rates);
    }
    return good;
}

// multipliers are lambda_pivot_x in formulas: pivot_x may be a place
static bool name_multipliers(trmi_reading *r)
{
    const trm_system *s = &r->model->system;
    int rows = s->n_g + s->n_a;
    r->model->names[TRM_CHANNEL_MULTIPLIER] = (trmi_names){.count = rows, .name = s->g_names};
    for (int i = 0; i < rows; i++) {
        const char *name = TRMI_JOIN(&r->passing, "lambda_", s->g_names[i]);
        if (!name)
            return false;
        name_unknown(r, name, TRMI_SYMBOL_MULTIPLIER, i);
    }
    return true;
}

// ---- poses and reactions ----

// what is said of every body or joint
typedef struct parts {
    int count;
    const char *name[7], *unit[7];
} parts;

static bool name_parts(trmi_reading *r, trm_channel_kind kind, const parts *said,
                       const char *(*owner)(const trmi_mechanism *, int), int owners)
{
    const trmi_mechanism *m = r->model->mechanism;
    size_t bytes = 0;
    const char **unit;
    pool p;
    for (int k = 0; k < said->count; k++)
        bytes += (size_t)owners * (strlen(said->name[k]) + 1);
    for (int i = 0; i < owners; i++)
        bytes += (size_t)said->count * strlen(owner(m, i));
    if (!take_pool(r, kind, &p, said->count * owners, bytes) ||
        !TRMI_TAKE(r->scratch, unit, said->count))
        return false;
    for (int i = 0; i < owners; i++)
        for (int k = 0; k < said->count; k++)
            add_name(&p, said->count * i + k, owner(m, i), said->name[k]);
    for (int k = 0; k < said->count; k++)
        unit[k] = said->unit[k];
    r->model->names[kind].unit = unit;
    r->model->names[kind].units = said->count;
    return true;
}

static const char *body_name(const trmi_mechanism *m, int i)
{
    return m->body[i + 1].name; // without the ground
}

static const char *joint_name(const trmi_mechanism *m, int i)
{
    return m->joint[i].name;
}

// in the plane two of the first three, and one that turns
static parts parts_in_plane(const parts *spatial, trmi_plane plane, const char *turn,
                            const char *unit)
{
    int axis[3];
    trmi_plane_axes(plane, axis);
    return (parts){3,
                   {spatial->name[axis[0]], spatial->name[axis[1]], turn},
                   {spatial->unit[axis[0]], spatial->unit[axis[1]], unit}};
}

// channels of bodies and joints, for pictures and comparisons
static bool name_channels(trmi_reading *r)
{
    static const parts pose = {
        7, {"_x", "_y", "_z", "_e0", "_e1", "_e2", "_e3"}, {"m", "m", "m", "", "", "", ""}};
    static const parts force = {
        6, {"_fx", "_fy", "_fz", "_mx", "_my", "_mz"}, {"N", "N", "N", "N m", "N m", "N m"}};
    const trmi_mechanism *m = r->model->mechanism;
    bool plane = m->plane != TRMI_SPATIAL;
    int axis[3];
    trmi_plane_axes(m->plane, axis);
    parts said[] = {pose, force};
    if (plane) {
        said[0] = parts_in_plane(&pose, m->plane, "_angle", "rad");
        said[1] = parts_in_plane(&force, m->plane, force.name[3 + axis[2]], "N m");
    }
    return name_parts(r, TRM_CHANNEL_BODY, &said[0], body_name, m->bodies - 1) &&
           name_parts(r, TRM_CHANNEL_REACTION, &said[1], joint_name, m->joints);
}

bool trmi_name_unknowns(trmi_reading *r)
{
    const trm_system *s = &r->model->system;
    // a joint with one measure has two names for its rate
    return trmi_make_room(r, 3 * s->n_q + s->n_g + s->n_a) && name_coordinates(r) &&
           name_multipliers(r) && name_channels(r);
}
