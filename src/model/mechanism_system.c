// SPDX-License-Identifier: Apache-2.0
// From the description of a mechanism to its system: unknowns by name, state at the start.
#include "model/mechanism_draft.h"
#include "multibody/machine.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- names ----

static bool take_names(trmi_reading *r, trm_channel_kind kind, int count)
{
    trmi_names *names = &r->model->names[kind];
    names->count = count;
    return TRMI_TAKE(r->memory, names->name, count) && TRMI_TAKE(r->memory, names->unit, count);
}

// a name that formulas may use from now on; it may have been that of a signal
static bool name_unknown(trmi_reading *r, const char *name, trmi_symbol_kind kind, int index)
{
    if (!trmi_make_room(r, 1))
        return false;
    trmi_symbol *s = trmi_symbols_find(&r->symbols, name);
    if (!s)
        return trmi_symbols_add(&r->symbols, name, kind, index, NULL) != NULL;
    if (s->kind == TRMI_SYMBOL_SIGNAL || s->kind == TRMI_SYMBOL_SIGNAL_RATE) {
        s->kind = kind;
        s->index = index;
    } else if (s->kind == TRMI_SYMBOL_PARAMETER) {
        trmi_report_key(r->document, s->item,
                        "the name '%.60s' is already that of %s of the mechanism", name,
                        trmi_symbol_kind_text(kind));
    }
    return true;
}

// "pivot_rate" where the joint has one measure only, otherwise "pivot_travel_rate"
static const char *rate_name(trmi_reading *r, const char *position, const char *owner)
{
    char text[200];
    snprintf(text, sizeof text, "%.180s_rate", owner ? owner : position);
    return trmi_keep_text(r->memory, text);
}

// the joint whose only measure a column is
static const char *only_owner(const trmi_mechanism *m, const trmi_column *column)
{
    const trmi_joint *joint = column->joint == TRMI_NOTHING ? NULL : &m->joint[column->joint];
    return joint && trmi_measure_count(joint->kind, m->plane) == 1 ? joint->name : NULL;
}

static bool name_coordinate(trmi_reading *r, const trmi_column *column)
{
    trmi_names *names = r->model->names;
    int i = column->coordinate;
    const char *q = r->model->system.q_names[i];
    const char *v = rate_name(r, q, only_owner(r->model->mechanism, column));
    const char *full = rate_name(r, q, NULL);
    names[TRM_CHANNEL_POSITION].name[i] = names[TRM_CHANNEL_ACCELERATION].name[i] = q;
    names[TRM_CHANNEL_VELOCITY].name[i] = v;
    bool length = column->kind == TRMI_COLUMN_SLIDE;
    names[TRM_CHANNEL_POSITION].unit[i] = length ? "m" : "rad";
    names[TRM_CHANNEL_VELOCITY].unit[i] = length ? "m/s" : "rad/s";
    names[TRM_CHANNEL_ACCELERATION].unit[i] = length ? "m/s^2" : "rad/s^2";
    return v && full && name_unknown(r, q, TRMI_SYMBOL_POSITION, i) &&
           name_unknown(r, v, TRMI_SYMBOL_VELOCITY, i) &&
           (strcmp(v, full) == 0 || name_unknown(r, full, TRMI_SYMBOL_VELOCITY, i));
}

static bool name_coordinates(trmi_reading *r, const trm_system *s)
{
    const trmi_tree *t = r->model->machine->tree;
    bool good = take_names(r, TRM_CHANNEL_POSITION, s->n_q) &&
                take_names(r, TRM_CHANNEL_VELOCITY, s->n_q) &&
                take_names(r, TRM_CHANNEL_ACCELERATION, s->n_q);
    for (int k = 0; k < t->columns && good; k++)
        if (t->column[k].coordinate != TRMI_NOTHING)
            good = name_coordinate(r, &t->column[k]);
    return good;
}

// multipliers are lambda_pivot_x in formulas: pivot_x may be a place
static bool name_multipliers(trmi_reading *r, const trm_system *s)
{
    int rows = s->n_g + s->n_a;
    if (!take_names(r, TRM_CHANNEL_MULTIPLIER, rows))
        return false;
    for (int i = 0; i < rows; i++) {
        char text[200];
        snprintf(text, sizeof text, "lambda_%.180s", s->g_names[i]);
        const char *name = trmi_keep_text(r->memory, text);
        if (!name || !name_unknown(r, name, TRMI_SYMBOL_MULTIPLIER, i))
            return false;
        r->model->names[TRM_CHANNEL_MULTIPLIER].name[i] = s->g_names[i];
    }
    return true;
}

// ---- poses and reactions ----

// what is said of a body or a joint
typedef struct part {
    const char *name, *unit;
} part;

// "crank_x", "crank_y": `size` channels from the first on
static bool name_parts(trmi_reading *r, trm_channel_kind kind, const char *owner, int first,
                       const part *parts, int size)
{
    char text[200];
    for (int k = 0; k < size; k++) {
        snprintf(text, sizeof text, "%.180s_%s", owner, parts[k].name);
        r->model->names[kind].unit[first + k] = parts[k].unit;
        if (!(r->model->names[kind].name[first + k] = trmi_keep_text(r->memory, text)))
            return false;
    }
    return true;
}

// channels of bodies and joints, for pictures and comparisons
static bool name_channels(trmi_reading *r)
{
    static const part pose[] = {{"x", "m"}, {"y", "m"}, {"z", "m"}, {"e0", ""},
                                {"e1", ""}, {"e2", ""}, {"e3", ""}};
    static const part force[] = {{"fx", "N"},   {"fy", "N"},   {"fz", "N"},
                                 {"mx", "N m"}, {"my", "N m"}, {"mz", "N m"}};
    const trmi_mechanism *m = r->model->mechanism;
    int axis[3], poses = trmi_pose_size(r->model->machine);
    int reactions = trmi_reaction_size(r->model->machine);
    bool plane = m->plane != TRMI_SPATIAL;
    trmi_plane_axes(m->plane, axis);
    const part plane_pose[] = {pose[axis[0]], pose[axis[1]], {"angle", "rad"}};
    const part plane_force[] = {force[axis[0]], force[axis[1]], force[3 + axis[2]]};
    bool good = take_names(r, TRM_CHANNEL_BODY, poses * (m->bodies - 1)) &&
                take_names(r, TRM_CHANNEL_REACTION, reactions * m->joints);
    for (int b = 1; b < m->bodies && good; b++)
        good = name_parts(r, TRM_CHANNEL_BODY, m->body[b].name, poses * (b - 1),
                          plane ? plane_pose : pose, poses);
    for (int j = 0; j < m->joints && good; j++)
        good = name_parts(r, TRM_CHANNEL_REACTION, m->joint[j].name, reactions * j,
                          plane ? plane_force : force, reactions);
    return good;
}

// where the joint of each row stands, for messages after the file is read
static bool keep_places(trmi_reading *r)
{
    trm_model *m = r->model;
    const trmi_constraints *c = &m->machine->constraints;
    int rows = m->system.n_g + m->system.n_a;
    if (!TRMI_TAKE(r->memory, m->row_line, rows) || !TRMI_TAKE(r->memory, m->row_column, rows))
        return false;
    for (int i = 0; i < c->joints; i++)
        for (int k = 0; k < c->joint[i].rows; k++) {
            const trmi_item *item = m->mechanism->joint[c->joint[i].joint].item;
            int number = trmi_constraint_number(&c->joint[i], k);
            m->row_line[number] = item->key_line;
            m->row_column[number] = item->key_column;
        }
    return true;
}

// ---- the system ----

// Where the joint stands that an error names, "joint NAME" or "constraint NAME_row"; else the
// whole.
static const trmi_item *place_of(const trmi_reading *r, const trm_error *error)
{
    const trmi_mechanism *m = r->model->mechanism;
    const char *name = strchr(error->item, ' ');
    const trmi_item *place = trmi_item_find(r->root, "mechanism");
    size_t longest = 0;
    for (int j = 0; j < m->joints && name; j++) {
        size_t length = strlen(m->joint[j].name);
        bool same = strncmp(name + 1, m->joint[j].name, length) == 0 &&
                    (name[1 + length] == '\0' || name[1 + length] == '_');
        if (same && length > longest && m->joint[j].item) {
            longest = length;
            place = m->joint[j].item;
        }
    }
    return place;
}

static bool start_machine(trmi_reading *r, trmi_machine_work *work)
{
    trm_error error;
    trmi_error_clear(&error);
    const trmi_item *start = trmi_item_path(r->root, "simulate.start");
    double t = 0;
    trmi_read_number(r, start, &t);
    if (trmi_machine_start(work, t, &error) != TRM_OK) {
        trmi_report_key(r->document, place_of(r, &error), "%s%s%s", error.text,
                        error.advice[0] ? "; " : "", error.advice);
        return false;
    }
    r->model->schedule.start = t;
    r->model->initial = (trm_initial){.t = t, .q = work->q, .v = work->v};
    return true;
}

void trmi_read_machine(trmi_reading *r)
{
    trm_model *m = r->model;
    trm_error error;
    trmi_error_clear(&error);
    m->machine = trmi_machine_create(r->memory, m->mechanism, &error);
    if (!m->machine) {
        trmi_report_key(r->document, trmi_item_find(r->root, "mechanism"), "%s%s%s", error.item,
                        error.item[0] ? ": " : "", error.text);
        return;
    }
    trmi_machine_work *work = trmi_machine_work_create(r->memory, m->machine, m->parameter_value);
    if (!work || !start_machine(r, work)) {
        r->failed = true;
        return;
    }
    m->system = trmi_machine_system(work);
    if (m->system.n_q == 0)
        trmi_report_key(r->document, trmi_item_find(r->root, "mechanism"),
                        "every joint is prescribed and no coordinate is left; with 'coordinates: "
                        "absolute' the forces that this takes are computed");
    m->has_energy = (m->system.evaluates & TRM_BIT(TRM_ENERGY)) != 0;
    if (!name_coordinates(r, &m->system) || !name_multipliers(r, &m->system) || !name_channels(r) ||
        !keep_places(r) || !trmi_place_parameters(r))
        r->failed = true;
    else
        trmi_place_unknowns(r);
}

// Only BDF takes short steps of itself before a one-sided force begins to act, and is watched for
// rejected ones. The others may step over a whole contact.
void trmi_warn_contacts(trmi_reading *r)
{
    const trmi_mechanism *mechanism = r->model->mechanism;
    const trm_options *o = &r->model->options;
    bool careful = o->integrator == TRM_INTEGRATOR_BDF || o->integrator == TRM_INTEGRATOR_AUTO;
    if (!mechanism || careful || isfinite(o->h_max) || o->h_fixed > 0)
        return;
    const trmi_item *forces = trmi_item_path(r->root, "mechanism.forces");
    for (int i = 0; i < mechanism->forces; i++) {
        const trmi_force *f = &mechanism->force[i];
        if (f->kind != TRMI_FORCE_CONTACT && f->kind != TRMI_FORCE_BUMP_STOP)
            continue;
        trmi_warn_key(r->document, trmi_item_find(forces, f->name),
                      "this integrator may step over a contact of '%.60s' and not notice; give "
                      "simulate.step.max, a fraction of the time it lasts, or use integrator bdf",
                      f->name);
        return;
    }
}
