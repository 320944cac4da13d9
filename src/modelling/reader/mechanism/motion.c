// SPDX-License-Identifier: Apache-2.0
// The keys of a joint about its measures: start values, prescribed motion, friction, stops.
#include "modelling/reader/mechanism/draft.h"

#include <stdio.h>
#include <string.h>

// "angle", "travel and angle", for messages
static const char *measure_list(const trmi_draft *d, const trmi_joint *joint, char *text,
                                size_t size)
{
    int count = trmi_measure_count(joint->type, d->mechanism->plane);
    size_t used = 0;
    snprintf(text, size, "none");
    for (int k = 0; k < count && used < size; k++) {
        const char *name = trmi_measure_of(joint->type, d->mechanism->plane, k).name;
        int n = snprintf(text + used, size - used, "%s%s", k == 0 ? "" : ", ", name);
        used += n > 0 ? (size_t)n : 0;
    }
    return text;
}

// The measure that a key names; TRMI_NOTHING after a message. rate NULL: rates have no place here.
static int find_measure(trmi_draft *d, const trmi_item *item, const trmi_joint *joint, bool *rate)
{
    char list[160];
    bool is_rate = false;
    int k = trmi_measure_find(joint->type, d->mechanism->plane, item->key, &is_rate);
    if (rate)
        *rate = is_rate;
    if (k != TRMI_NOTHING && (rate || !is_rate))
        return k;
    trmi_report_key(d->r->document, item, "joint '%.60s' has no measure '%.60s'; its measures: %s",
                    joint->name, item->key, measure_list(d, joint, list, sizeof list));
    return TRMI_NOTHING;
}

static bool turns(const trmi_draft *d, const trmi_joint *joint, int measure)
{
    trmi_measure_kind kind = trmi_measure_of(joint->type, d->mechanism->plane, measure).kind;
    return kind != TRMI_MEASURE_TRAVEL;
}

// ---- start ----

static void report_prescribed(trmi_draft *d, const trmi_item *item, const trmi_joint *joint)
{
    trmi_report_key(d->r->document, item,
                    "the motion of '%.60s' is prescribed: its start follows from the formula",
                    joint->name);
}

// memory for the start values of a joint; false without memory
static bool take_start(trmi_draft *d, trmi_joint *joint)
{
    trmi_joint_extra *extra = trmi_draft_extra(d, joint);
    int count = trmi_measure_count(joint->type, d->mechanism->plane);
    if (extra && !extra->start && !TRMI_SHARE(d->r->memory, extra->start, count))
        d->r->failed = true;
    return extra && extra->start;
}

// three components, for the measures that are a rotation
static void read_rotation(trmi_draft *d, const trmi_item *list, trmi_joint *joint, bool rate)
{
    int count = trmi_measure_count(joint->type, d->mechanism->plane);
    double value[3];
    if (count < 3 || trmi_measure_of(joint->type, d->mechanism->plane, count - 1).kind !=
                         TRMI_MEASURE_ROTATION) {
        trmi_report_key(d->r->document, list, "joint '%.60s' has no rotation in space",
                        joint->name);
        return;
    }
    for (int k = count - 3; k < count; k++)
        if (trmi_drive_of(joint, k) != TRMI_NOTHING) {
            report_prescribed(d, list, joint);
            return;
        }
    if (!trmi_draft_numbers(d, list, 3, value, rate ? "'spin'" : "'rotation'"))
        return;
    double angle = trmi_v3_length(trmi_v3_of(value));
    if (!rate && angle >= 6.2831853)
        trmi_report(d->r->document, list,
                    "the rotation of '%.60s' is more than a full turn: %g rad", joint->name, angle);
    for (int k = 0; k < 3 && take_start(d, joint); k++) {
        trmi_start_value *start = &joint->extra->start[count - 3 + k];
        *(rate ? &start->rate : &start->value) = value[k];
        *(rate ? &start->rate_given : &start->given) = true;
    }
}

static void read_start_value(trmi_draft *d, const trmi_item *item, trmi_joint *joint)
{
    bool rate;
    int k = find_measure(d, item, joint, &rate);
    if (k == TRMI_NOTHING || !take_start(d, joint))
        return;
    trmi_start_value *start = &joint->extra->start[k];
    if (trmi_drive_of(joint, k) != TRMI_NOTHING) {
        report_prescribed(d, item, joint);
    } else if (rate ? start->rate_given : start->given) {
        trmi_report_key(d->r->document, item, "'%.60s' is given twice", item->key);
    } else if (trmi_check_unit(d->r->document, item, turns(d, joint, k)) &&
               trmi_draft_number(d, item, rate ? &start->rate : &start->value)) {
        *(rate ? &start->rate_given : &start->given) = true;
    }
}

// `keep`, or `guess`, its opposite: a guess unless one of them is given
static bool read_keep(trmi_draft *d, const trmi_item *section)
{
    const trmi_item *given = NULL;
    bool keep = false, value;
    for (const trmi_item *i = section ? section->child : NULL; i; i = i->next) {
        bool guess = strcmp(i->key, "guess") == 0;
        if ((!guess && strcmp(i->key, "keep") != 0) || !trmi_item_truth(i, &value))
            continue;
        if (given && keep != (value != guess))
            trmi_report_key(d->r->document, i,
                            "'%s' contradicts '%s' in line %d: start values are either kept or "
                            "guesses",
                            i->key, given->key, given->line);
        keep = value != guess;
        given = i;
    }
    return keep;
}

static void read_start(trmi_draft *d, const trmi_item *section, trmi_joint *joint)
{
    bool keep = read_keep(d, section);
    for (const trmi_item *i = section ? section->child : NULL; i; i = i->next)
        if (trmi_item_null(i))
            continue;
        else if (strcmp(i->key, "keep") == 0 || strcmp(i->key, "guess") == 0)
            continue; // read_keep
        else if (strcmp(i->key, "rotation") == 0 || strcmp(i->key, "spin") == 0)
            read_rotation(d, i, joint, i->key[0] == 's');
        else
            read_start_value(d, i, joint);
    int count = trmi_measure_count(joint->type, d->mechanism->plane);
    for (int k = 0; k < count && joint->extra->start; k++)
        joint->extra->start[k].keep = keep; // of what is given, a value or a rate
}

// ---- prescribed motion ----

// memory for the drives of a joint; false without memory
static bool take_drives(trmi_draft *d, trmi_joint *joint)
{
    if (joint->extra->drive)
        return true;
    int count = trmi_measure_count(joint->type, d->mechanism->plane);
    d->r->failed = d->r->failed || !TRMI_SHARE(d->r->memory, joint->extra->drive, count);
    for (int k = 0; k < count && joint->extra->drive; k++)
        joint->extra->drive[k] = TRMI_NOTHING;
    return joint->extra->drive != NULL;
}

static void read_drive(trmi_draft *d, const trmi_item *item, trmi_joint *joint, int k)
{
    if (trmi_check_unit(d->r->document, item, turns(d, joint, k)) && take_drives(d, joint))
        joint->extra->drive[k] = trmi_draft_drive(d, item);
}

static void read_motions(trmi_draft *d, const trmi_item *item, trmi_joint *joint)
{
    int count = trmi_measure_count(joint->type, d->mechanism->plane);
    char list[160];
    if (!item || trmi_item_null(item))
        return;
    if (count == 0) {
        trmi_report_key(d->r->document, item,
                        "joint '%.60s' has no measure that a motion could prescribe; those of "
                        "revolute, prismatic, cylindrical, .. joints can be",
                        joint->name);
    } else if (item->kind == TRMI_MAP) {
        for (const trmi_item *i = item->child; i; i = i->next) {
            int k = find_measure(d, i, joint, NULL);
            if (k != TRMI_NOTHING)
                read_drive(d, i, joint, k);
        }
    } else if (count != 1) {
        trmi_report_key(d->r->document, item,
                        "joint '%.60s' has %d measures: choose which one 'motion' prescribes; its "
                        "measures: %s",
                        joint->name, count, measure_list(d, joint, list, sizeof list));
    } else {
        read_drive(d, item, joint, 0);
    }
}

// ---- friction and stops ----

static void read_friction(trmi_draft *d, const trmi_item *map, trmi_joint *joint)
{
    trmi_friction *f;
    trmi_joint_friction kind = joint->type->friction;
    if (!map)
        return;
    if (kind == TRMI_FRICTION_NONE) {
        trmi_report_key(d->r->document, map,
                        "only revolute and prismatic joints have friction, not '%.60s'",
                        joint->name);
        return;
    }
    if (!TRMI_SHARE(d->r->memory, f, 1)) {
        d->r->failed = true;
        return;
    }
    joint->extra->friction = f;
    *f = (trmi_friction){.v_slip = 1e-3, .v_stribeck = 1e-2, .stick = 1e-6};
    if (!trmi_draft_positive(d, map, "static", true, &f->mu_static))
        return;
    f->mu_dynamic = f->mu_static;
    bool good = trmi_draft_positive(d, map, "dynamic", true, &f->mu_dynamic) &&
                trmi_draft_positive(d, map, "slip", false, &f->v_slip) &&
                trmi_draft_positive(d, map, "stribeck", true, &f->v_stribeck) &&
                trmi_draft_positive(d, map, "stick", true, &f->stick) &&
                trmi_draft_positive(d, map, "radius", false, &f->radius) &&
                trmi_draft_positive(d, map, "preload", true, &f->preload);
    if (good && f->v_stribeck == 0 && f->mu_dynamic > f->mu_static)
        trmi_report(d->r->document, trmi_item_find(map, "dynamic"),
                    "'dynamic' is above 'static' (%g and %g): with 'stribeck: 0' the joint would "
                    "break away and stop again without end; give 'stribeck' a speed",
                    f->mu_dynamic, f->mu_static);
    if (good && kind == TRMI_FRICTION_PIN && f->radius == 0)
        trmi_report_key(d->r->document, map,
                        "friction of %s joint '%.60s' needs the 'radius' of the pin",
                        joint->type->name, joint->name);
}

static void read_stop(trmi_draft *d, const trmi_item *map, const trmi_joint *joint,
                      trmi_stop *stops)
{
    int k = find_measure(d, map, joint, NULL);
    if (k == TRMI_NOTHING)
        return;
    trmi_stop *stop = &stops[k];
    *stop = (trmi_stop){.given = true, .low = -INFINITY, .high = INFINITY, .exponent = 1.5};
    if (!trmi_check_unit(d->r->document, trmi_item_find(map, "low"), turns(d, joint, k)) ||
        !trmi_check_unit(d->r->document, trmi_item_find(map, "high"), turns(d, joint, k)) ||
        !trmi_draft_number(d, trmi_item_find(map, "low"), &stop->low) ||
        !trmi_draft_number(d, trmi_item_find(map, "high"), &stop->high) ||
        !trmi_draft_positive(d, map, "stiffness", false, &stop->stiffness) ||
        !trmi_draft_positive(d, map, "damping", true, &stop->damping) ||
        !trmi_draft_positive(d, map, "exponent", false, &stop->exponent))
        return;
    if (isinf(stop->low) && isinf(stop->high))
        trmi_report_key(d->r->document, map, "these stops have neither 'low' nor 'high'");
    else if (stop->low >= stop->high)
        trmi_report_key(d->r->document, map, "'low' must be below 'high': %g and %g", stop->low,
                        stop->high);
    else if (stop->exponent <= 1)
        trmi_report(d->r->document, trmi_item_find(map, "exponent"),
                    "'exponent' must be above 1, so that the force begins smoothly");
}

static void read_stops(trmi_draft *d, const trmi_item *map, trmi_joint *joint)
{
    trmi_stop *stops;
    if (!map)
        return;
    if (!TRMI_SHARE(d->r->memory, stops, trmi_measure_count(joint->type, d->mechanism->plane))) {
        d->r->failed = true;
        return;
    }
    for (const trmi_item *i = map->child; i; i = i->next)
        read_stop(d, i, joint, stops);
    joint->extra->stop = stops;
}

void trmi_draft_motion(trmi_draft *d, const trmi_item *item, trmi_joint *joint)
{
    read_motions(d, trmi_item_find(item, "motion"), joint);
    read_start(d, trmi_item_find(item, "start"), joint);
    read_friction(d, trmi_item_find(item, "friction"), joint);
    read_stops(d, trmi_item_find(item, "stops"), joint);
}

// "rod_1_w", "rod_1_slope_rate": loops are assembled with beams that are bent. The numbers are read
// with those of the other coordinates, which shows what is wrong with them.
static void read_node_start(trmi_draft *d, const trmi_item *item)
{
    static const char *const part[] = {
        [TRMI_NODE_DEFLECTION] = "w", [TRMI_NODE_SLOPE] = "slope", [TRMI_NODE_SHIFT] = "shift"};
    for (int b = 1; b < d->mechanism->bodies; b++) {
        trmi_body *body = &d->body[b];
        size_t length = body->carrier != TRMI_GROUND ? strlen(body->name) : 0;
        if (length == 0 || strncmp(item->key, body->name, length) != 0 || item->key[length] != '_')
            continue;
        const char *name = item->key + length + 1;
        for (int k = 0; k < TRMI_NODE_PARTS; k++) {
            size_t end = strlen(part[k]);
            bool same = strncmp(name, part[k], end) == 0,
                 rate = same && strcmp(name + end, "_rate") == 0;
            if (same && (rate || name[end] == '\0'))
                trmi_read_number(d->r, item,
                                 rate ? &body->node->start_rate[k] : &body->node->start[k]);
        }
    }
}

void trmi_draft_initial(trmi_draft *d, const trmi_item *values)
{
    for (const trmi_item *i = values ? values->child : NULL; i; i = i->next) {
        trmi_signal signal;
        bool rate;
        if (d->mechanism->flexibles > 0)
            read_node_start(d, i);
        if (!trmi_draft_signal(d, i->key, &signal, &rate) || signal.kind != TRMI_SIGNAL_MEASURE)
            continue;
        trmi_draft_name_signal(d, i->key);
        trmi_symbol *symbol = trmi_symbols_find(&d->r->symbols, i->key);
        if (!take_start(d, &d->joint[signal.index]))
            return;
        trmi_start_value *start = &d->joint[signal.index].extra->start[signal.part];
        if (trmi_drive_of(&d->joint[signal.index], signal.part) != TRMI_NOTHING)
            report_prescribed(d, i, &d->joint[signal.index]);
        else if (symbol && trmi_draft_number(d, i, rate ? &start->rate : &start->value)) {
            *(rate ? &start->rate_given : &start->given) = true;
            symbol->fixed = true; // the machine starts with it
        }
    }
}
