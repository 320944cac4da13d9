// SPDX-License-Identifier: Apache-2.0
// Names of what a mechanism has, while its file is read: coordinates, rates and multipliers as its
// formulas may use them, and the units of all.
#include "modelling/reader/mechanism/names.h"
#include "modelling/multibody/frames.h"
#include "modelling/multibody/machine.h"
#include "modelling/reader/mechanism/draft.h"

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

bool trmi_has_short_rate(const trmi_mechanism *m, const trmi_column *column)
{
    return column->joint != TRMI_NOTHING &&
           trmi_measure_count(m->joint[column->joint].type, m->plane) == 1;
}

// a position and its rate; a joint with one measure has two names for that
static bool name_coordinate(trmi_reading *r, const trmi_column *column)
{
    int i = column->coordinate;
    const char *q = trm_model_channel(r->model, TRM_CHANNEL_POSITION, i);
    const char *rate = trm_model_channel(r->model, TRM_CHANNEL_VELOCITY, i);
    if (!q[0] || !rate[0]) // no memory
        return false;
    name_unknown(r, q, TRMI_SYMBOL_POSITION, i);
    name_unknown(r, rate, TRMI_SYMBOL_VELOCITY, i);
    if (!trmi_has_short_rate(r->model->mechanism, column))
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

// The name of a rotation in space is that of its measure, the rotation vector, which formulas have
// as a signal: the parameters of its chart are counted from a centre that moves along.
static bool is_measured_chart(const trmi_column *column)
{
    return column->kind == TRMI_COLUMN_CHART && column->joint != TRMI_NOTHING;
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

// Multipliers of rows in metres are forces, those of angles torques; of other rows it is not known.
static bool give_multiplier_units(trmi_reading *r)
{
    static const char *const unit_of[] = {[TRMI_ROW_DOTS] = "N m",
                                          [TRMI_ROW_ANGULAR] = "N m",
                                          [TRMI_ROW_SLIDE] = "N",
                                          [TRMI_ROW_GENERAL] = ""};
    const trmi_constraints *c = &r->model->machine->constraints;
    trmi_names *names = &r->model->names[TRM_CHANNEL_MULTIPLIER];
    const char **unit;
    if (!TRMI_TAKE(r->scratch, unit, names->count))
        return false;
    for (int i = 0; i < c->joints; i++)
        for (int row = 0; row < c->joint[i].rows; row++)
            unit[trmi_constraint_number(&c->joint[i], row)] =
                unit_of[trmi_constraint_type(&c->joint[i], row)->shape];
    names->unit = unit;
    names->units = names->count;
    return true;
}

static bool name_coordinates(trmi_reading *r)
{
    const trmi_tree *t = r->model->machine->tree;
    bool good = true;
    for (int k = 0; k < t->columns && good; k++) {
        const trmi_column c = trmi_column_of(t, k);
        if (is_coordinate(&c) && !is_measured_chart(&c))
            good = name_coordinate(r, &c);
    }
    return good;
}

// multipliers are lambda_pivot_x in formulas: pivot_x may be a place
static bool name_multipliers(trmi_reading *r)
{
    for (int i = 0; i < trm_model_count(r->model, TRM_CHANNEL_MULTIPLIER); i++) {
        const char *row = trm_model_channel(r->model, TRM_CHANNEL_MULTIPLIER, i);
        const char *name = row[0] ? TRMI_JOIN(&r->passing, "lambda_", row) : NULL;
        if (!name)
            return false;
        name_unknown(r, name, TRMI_SYMBOL_MULTIPLIER, i);
    }
    return true;
}

// ---- poses and reactions ----

// in the plane two of the first three, and one that turns
static trmi_channel_parts parts_in_plane(const trmi_channel_parts *spatial, trmi_plane plane,
                                         const char *turn, const char *unit)
{
    int axis[3];
    trmi_plane_axes(plane, axis);
    return (trmi_channel_parts){3,
                                {spatial->name[axis[0]], spatial->name[axis[1]], turn},
                                {spatial->unit[axis[0]], spatial->unit[axis[1]], unit}};
}

trmi_channel_parts trmi_pose_parts(trmi_plane plane)
{
    static const trmi_channel_parts pose = {
        7, {"_x", "_y", "_z", "_e0", "_e1", "_e2", "_e3"}, {"m", "m", "m", "", "", "", ""}};
    return plane == TRMI_SPATIAL ? pose : parts_in_plane(&pose, plane, "_angle", "rad");
}

trmi_channel_parts trmi_reaction_parts(trmi_plane plane)
{
    static const trmi_channel_parts force = {
        6, {"_fx", "_fy", "_fz", "_mx", "_my", "_mz"}, {"N", "N", "N", "N m", "N m", "N m"}};
    int axis[3];
    trmi_plane_axes(plane, axis);
    return plane == TRMI_SPATIAL ? force
                                 : parts_in_plane(&force, plane, force.name[3 + axis[2]], "N m");
}

// channels of bodies or joints, for pictures and comparisons
static bool give_parts(trmi_reading *r, trm_channel_kind kind, const trmi_channel_parts *parts,
                       int owners)
{
    const char **unit;
    if (!TRMI_TAKE(r->scratch, unit, parts->count))
        return false;
    for (int k = 0; k < parts->count; k++)
        unit[k] = parts->unit[k];
    r->model->names[kind] =
        (trmi_names){.count = parts->count * owners, .unit = unit, .units = parts->count};
    return true;
}

bool trmi_name_unknowns(trmi_reading *r)
{
    trm_model *model = r->model;
    const trm_system *s = &model->system;
    const trmi_mechanism *m = model->mechanism;
    const trmi_channel_parts pose = trmi_pose_parts(m->plane);
    const trmi_channel_parts reaction = trmi_reaction_parts(m->plane);
    model->channel_names = trmi_channel_names_create(r->memory);
    for (int k = 0; k < 3; k++)
        model->names[TRM_CHANNEL_POSITION + k].count = s->n_q;
    model->names[TRM_CHANNEL_MULTIPLIER].count = s->n_g + s->n_a;
    model->names[TRM_CHANNEL_STATE] = (trmi_names){
        .count = m->states, .name = m->state_name, .unit = m->state_unit, .units = m->states};
    model->names[TRM_CHANNEL_ALGEBRAIC] =
        (trmi_names){.count = m->algebraics, .name = m->algebraic_name};
    // a joint with one measure has two names for its rate
    return model->channel_names && trmi_symbols_reserve(r, 3 * s->n_q + s->n_g + s->n_a) &&
           give_units(r) && give_multiplier_units(r) && name_coordinates(r) &&
           name_multipliers(r) && give_parts(r, TRM_CHANNEL_BODY, &pose, m->bodies - 1) &&
           give_parts(r, TRM_CHANNEL_REACTION, &reaction, m->joints - m->links);
}
