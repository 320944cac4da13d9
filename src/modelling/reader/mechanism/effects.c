// SPDX-License-Identifier: Apache-2.0
// Names of what forces and joints do: "strut_force", "wheel_contact", "pin_fx".
#include "modelling/multibody/forces/force.h"
#include "modelling/multibody/frames.h"
#include "modelling/reader/mechanism/draft.h"

#include <stdio.h>
#include <string.h>

// "fx" .. "mz" as 0 .. 5; false: none of them, or none of a plane model
static bool find_component(trmi_plane plane, const char *part, int *component)
{
    if ((part[0] != 'f' && part[0] != 'm') || part[1] < 'x' || part[1] > 'z' || part[2])
        return false;
    int axis[3], k = part[1] - 'x';
    trmi_plane_axes(plane, axis);
    *component = k + (part[0] == 'm' ? 3 : 0);
    return plane == TRMI_SPATIAL || (part[0] == 'm') == (k == axis[2]);
}

// the number of a name among the channels of a type; false: it has none of that name
static bool find_channel(const trmi_force_type *type, const char *part, int *number)
{
    for (int k = 0; type->channel && type->channel[k].name; k++)
        if (strcmp(type->channel[k].name, part) == 0) {
            *number = k;
            return true;
        }
    return false;
}

static bool force_effect(const trmi_draft *d, const trmi_force_type *type, const char *part,
                         trmi_effect *effect)
{
    effect->kind = TRMI_EFFECT_WRENCH;
    if (type->row[0] && find_component(d->mechanism->plane, part, &effect->part))
        return true;
    effect->kind = TRMI_EFFECT_CHANNEL;
    if (find_channel(type, part, &effect->part))
        return true;
    effect->kind = TRMI_EFFECT_FORCE;
    if (type->scalar && strcmp(part, type->scalar) == 0)
        return true;
    effect->kind = TRMI_EFFECT_POWER;
    if (strcmp(part, "power") == 0)
        return true;
    effect->kind = TRMI_EFFECT_TOUCH;
    return strcmp(part, "contact") == 0 && type->one_sided;
}

// whether the file prescribes a measure of a joint
static bool is_driven(const trmi_draft *d, int index, int measure)
{
    const trmi_joint_type *type = d->joint[index].type;
    const trmi_item *motion = trmi_item_find(d->joints.symbol[index].item, "motion");
    const trmi_measure of = trmi_measure_of(type, d->mechanism->plane, measure);
    if (!motion || trmi_item_null(motion) || of.kind == TRMI_MEASURE_ROTATION)
        return false;
    return motion->kind == TRMI_SCALAR ? trmi_measure_count(type, d->mechanism->plane) == 1
                                       : trmi_item_find(motion, of.name) != NULL;
}

// "effort" where there is one measure, otherwise "angle_effort"
static bool drive_effect(const trmi_draft *d, int index, const char *part, trmi_effect *effect)
{
    const trmi_joint_type *type = d->joint[index].type;
    int count = trmi_measure_count(type, d->mechanism->plane);
    effect->kind = TRMI_EFFECT_DRIVE;
    for (effect->part = 0; effect->part < count; effect->part++) {
        const char *name = trmi_measure_of(type, d->mechanism->plane, effect->part).name;
        size_t length = strlen(name);
        bool named = strncmp(part, name, length) == 0 && strcmp(part + length, "_effort") == 0;
        if ((named || (count == 1 && strcmp(part, "effort") == 0)) &&
            is_driven(d, index, effect->part))
            return true;
    }
    return false;
}

// Motions, friction and stops are those of the file: they are read later.
static bool joint_effect(const trmi_draft *d, int index, const char *part, trmi_effect *effect)
{
    const trmi_item *item = d->joints.symbol[index].item;
    effect->kind = TRMI_EFFECT_SUM;
    if (d->joint[index].type->sum)
        return strcmp(part, "effort") == 0;
    effect->kind = TRMI_EFFECT_REACTION;
    if (find_component(d->mechanism->plane, part, &effect->part))
        return true;
    if (drive_effect(d, index, part, effect))
        return true;
    effect->kind = TRMI_EFFECT_JOINT;
    const trmi_shown *own = d->joint[index].type->channel;
    for (effect->part = 0; own && own[effect->part].name; effect->part++)
        if (strcmp(own[effect->part].name, part) == 0)
            return true;
    effect->kind = TRMI_EFFECT_FRICTION;
    effect->part = 0;
    if (strcmp(part, "friction") == 0)
        return trmi_item_find(item, "friction") != NULL;
    effect->kind = TRMI_EFFECT_STOP;
    return strcmp(part, "stop") == 0 && trmi_item_find(item, "stops") != NULL;
}

bool trmi_draft_effect(const trmi_draft *d, bool joint, int index, const char *part,
                       trmi_effect *effect)
{
    *effect = (trmi_effect){.index = index};
    return joint ? joint_effect(d, index, part, effect)
                 : force_effect(d, d->force[index]->type, part, effect);
}

// ---- channels --------------------------------------------------------------------------------

enum {
    MAX_CHANNELS = 1000, // of forces that are written without being asked for
    LONGEST_PART = 40
};

typedef struct channels {
    trmi_draft *draft;
    trmi_effect *effect; // NULL: they are only counted
    const char **name, **unit;
    int count;
} channels;

// the unit of what acts along a measure of a joint, or of its first one
static const char *effort_unit(const trmi_draft *d, int joint, int measure)
{
    const trmi_joint_type *type = d->joint[joint].type;
    return trmi_measure_of(type, d->mechanism->plane, measure).kind == TRMI_MEASURE_TRAVEL ? "N"
                                                                                           : "N m";
}

static const char *force_unit(const trmi_draft *d, const trmi_force *force)
{
    trmi_term term = force->type->measure(force);
    return effort_unit(d, term.joint, term.measure);
}

static const char *unit_of(const trmi_draft *d, const trmi_effect *e)
{
    switch (e->kind) {
    case TRMI_EFFECT_WRENCH:
    case TRMI_EFFECT_REACTION:
        return e->part < 3 ? "N" : "N m";
    case TRMI_EFFECT_FORCE:
        return d->force[e->index]->type->measure ? force_unit(d, d->force[e->index]) : "N";
    case TRMI_EFFECT_FRICTION:
    case TRMI_EFFECT_STOP:
        return effort_unit(d, e->index, 0);
    case TRMI_EFFECT_DRIVE:
        return effort_unit(d, e->index, e->part);
    case TRMI_EFFECT_JOINT:
        return d->joint[e->index].type->channel[e->part].unit;
    case TRMI_EFFECT_CHANNEL:
        return d->force[e->index]->type->channel[e->part].unit;
    case TRMI_EFFECT_LENGTH:
        return "m";
    case TRMI_EFFECT_RATE:
        return "m/s";
    case TRMI_EFFECT_POWER:
        return "W";
    case TRMI_EFFECT_TOUCH:
    case TRMI_EFFECT_SUM: // of what it sums
        break;
    }
    return "";
}

static void add_channel(channels *c, const char *owner, const char *part, trmi_effect effect)
{
    char name[200];
    trmi_reading *r = c->draft->r;
    snprintf(name, sizeof name, "%.120s_%s", owner, part);
    if (r->model->patterns > 0 &&
        !trmi_model_writes(r->model, trmi_channel_group[TRM_CHANNEL_FORCE], name))
        return;
    if (c->effect) {
        c->effect[c->count] = effect;
        c->unit[c->count] = unit_of(c->draft, &effect);
        c->name[c->count] = trmi_keep_text(r, name);
        r->failed = r->failed || !c->name[c->count];
    }
    c->count++;
}

// Springs act along their line, loads and contacts at a point: components that follow from
// others, or are 0, are not channels; formulas may use them.
static bool is_channel(const trmi_force_type *type, const trmi_effect *effect)
{
    if (effect->kind != TRMI_EFFECT_WRENCH)
        return true;
    return !type->scalar &&
           type->acts != (effect->part < 3 ? TRMI_ACTS_WITH_TORQUE : TRMI_ACTS_WITH_FORCE);
}

static void add_force(channels *c, int f)
{
    static const char *const parts[] = {"force", "effort", "fx", "fy",    "fz",
                                        "mx",    "my",     "mz", "power", "contact"};
    const trmi_force *force = c->draft->force[f];
    trmi_effect effect;
    if (force->type->length_signal) {
        add_channel(c, force->name, "length", (trmi_effect){TRMI_EFFECT_LENGTH, f, 0});
        add_channel(c, force->name, "rate", (trmi_effect){TRMI_EFFECT_RATE, f, 0});
    }
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if (trmi_draft_effect(c->draft, false, f, parts[k], &effect) &&
            is_channel(force->type, &effect))
            add_channel(c, force->name, parts[k], effect);
}

// numbers of its own
static void add_own(channels *c, int f)
{
    const trmi_force *force = c->draft->force[f];
    const trmi_shown *own = force->type->channel;
    for (int k = 0; own && own[k].name; k++)
        add_channel(c, force->name, own[k].name, (trmi_effect){TRMI_EFFECT_CHANNEL, f, k});
}

static void add_joint(channels *c, int j)
{
    trmi_draft *d = c->draft;
    const char *name = d->joint[j].name;
    int count = trmi_measure_count(d->joint[j].type, d->mechanism->plane);
    trmi_effect effect;
    for (int k = 0; k < count; k++) {
        char part[LONGEST_PART];
        snprintf(part, sizeof part, "%s_effort",
                 trmi_measure_of(d->joint[j].type, d->mechanism->plane, k).name);
        if (is_driven(d, j, k))
            add_channel(c, name, count == 1 ? "effort" : part,
                        (trmi_effect){TRMI_EFFECT_DRIVE, j, k});
    }
    const trmi_shown *own = d->joint[j].type->channel;
    for (int k = 0; own && own[k].name; k++)
        add_channel(c, name, own[k].name, (trmi_effect){TRMI_EFFECT_JOINT, j, k});
    if (trmi_draft_effect(d, true, j, "friction", &effect))
        add_channel(c, name, "friction", effect);
    if (trmi_draft_effect(d, true, j, "stop", &effect))
        add_channel(c, name, "stop", effect);
}

static void add_all(channels *c)
{
    c->count = 0;
    for (int f = 0; f < c->draft->forces.count; f++) {
        add_force(c, f);
        add_own(c, f);
    }
    for (int j = 0; j < c->draft->joints.count; j++)
        add_joint(c, j);
}

void trmi_draft_force_channels(trmi_draft *d)
{
    channels c = {.draft = d};
    trm_model *m = d->r->model;
    add_all(&c);
    if (m->patterns == 0 && c.count > MAX_CHANNELS)
        return;
    if (!TRMI_TAKE(d->r->memory, c.effect, c.count) || !TRMI_TAKE(d->r->memory, c.name, c.count) ||
        !TRMI_TAKE(d->r->scratch, c.unit, c.count)) {
        d->r->failed = true;
        return;
    }
    add_all(&c);
    d->mechanism->force_channel = c.effect;
    d->mechanism->force_channels = c.count;
    m->names[TRM_CHANNEL_FORCE] =
        (trmi_names){.count = c.count, .name = c.name, .unit = c.unit, .units = c.count};
}
