// SPDX-License-Identifier: Apache-2.0
// The section `mechanism`: a description (multibody/mechanism.h), then the machine it makes, then
// the names of its unknowns.
#include "modelling/multibody/machine.h"
#include "modelling/reader/mechanism/draft.h"

#include "modelling/expression/parse.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- names of the parts ----

static int count_of(const trmi_item *section)
{
    return section ? section->count : 0;
}

// the names of a section; the index of the first one is given, with capacity for more
static bool list_names(trmi_draft *d, const trmi_item *section, int first, int more,
                       const char *what, trmi_symbols *names)
{
    trmi_reading *r = d->r;
    if (!trmi_symbols_create(names, r->scratch, count_of(section) + first + more))
        return false;
    if (first > 0)
        trmi_symbols_add(names, "ground", TRMI_SYMBOL_DEFINITION, TRMI_GROUND, NULL);
    for (const trmi_item *i = section ? section->child : NULL; i; i = i->next) {
        if (!trmi_is_name(i->key))
            trmi_report_key(
                r->document, i,
                "'%.60s' is not a valid name of a %s: a letter or _, then letters, digits and _",
                i->key, what);
        else if (!trmi_symbols_add(names, i->key, TRMI_SYMBOL_DEFINITION, first, i))
            trmi_report_key(r->document, i, "the ground is always there and cannot be described");
        first++;
    }
    return true;
}

// A body and a joint of one name would give "arm_x" two meanings.
static void check_shared_names(trmi_draft *d)
{
    for (int k = 0; k < d->points.count; k++) {
        const trmi_symbol *point = &d->points.symbol[k];
        const trmi_symbol *body = trmi_symbols_find(&d->bodies, point->name);
        const trmi_symbol *joint = trmi_symbols_find(&d->joints, point->name);
        const trmi_symbol *other = body ? body : joint;
        if (other)
            trmi_report_key(d->r->document, point->item,
                            "point '%.60s' has the name of %s; give one of them another, so that "
                            "'%.60s_x' means one thing",
                            point->name, body ? "a body" : "a joint", point->name);
    }
    for (int k = 0; k < d->joints.count; k++) {
        const trmi_symbol *joint = &d->joints.symbol[k];
        const trmi_symbol *body = trmi_symbols_find(&d->bodies, joint->name);
        if (body && body->item)
            trmi_report_key(d->r->document, joint->item,
                            "joint '%.60s' has the name of the body in line %d; give one of them "
                            "another, so that '%.60s_x' or '%.60s_rate' means one thing",
                            joint->name, body->item->key_line, joint->name, joint->name);
    }
}

static bool name_parts(trmi_draft *d, const trmi_item *joints, const trmi_item *forces)
{
    int k = 0;
    for (const trmi_item *i = joints ? joints->child : NULL; i; i = i->next, k++) {
        trmi_draft_joint_type(i, &d->joint[k].type);
        if (!(d->joint[k].name = trmi_keep_text(d->r, i->key)))
            return false;
    }
    k = 0;
    for (const trmi_item *i = forces ? forces->child : NULL; i; i = i->next, k++)
        if (!(d->force[k] = trmi_draft_take_force(d, i)))
            return false;
    return true;
}

// A name must not hide a signal, or what a force or joint does.
static void check_parameters(trmi_draft *d)
{
    for (int k = 0; k < d->r->symbols.count; k++) {
        const trmi_symbol *s = &d->r->symbols.symbol[k];
        trmi_signal signal;
        trmi_effect effect;
        bool rate;
        if (trmi_draft_find_effect(d, s->name, &effect))
            trmi_report_key(d->r->document, s->item,
                            "the name '%.60s' is already that of what a force or joint of the "
                            "mechanism does",
                            s->name);
        else if (trmi_draft_signal(d, s->name, &signal, &rate))
            trmi_report_key(d->r->document, s->item,
                            "the name '%.60s' is already that of %s of the mechanism", s->name,
                            rate ? "a rate" : "a measure");
    }
}

// Names of what forces and joints do begin with their names.
static void check_owners(trmi_draft *d)
{
    for (int k = 0; k < d->forces.count; k++)
        if (trmi_symbols_find(&d->joints, d->forces.symbol[k].name))
            trmi_report_key(d->r->document, d->forces.symbol[k].item,
                            "the name '%.60s' is already that of a joint: '%.60s_fx' would have "
                            "two meanings",
                            d->forces.symbol[k].name, d->forces.symbol[k].name);
}

// ---- the description ----

static bool has_word(const trmi_item *section, const char *key, const char *word)
{
    const trmi_item *item = trmi_item_find(section, key);
    return item && item->text && strcmp(item->text, word) == 0;
}

static void read_frame_of_reference(trmi_draft *d, const trmi_item *section)
{
    trmi_mechanism *m = d->mechanism;
    m->plane = has_word(section, "plane", "xy")   ? TRMI_PLANE_XY
               : has_word(section, "plane", "yz") ? TRMI_PLANE_YZ
               : has_word(section, "plane", "zx") ? TRMI_PLANE_ZX
                                                  : TRMI_SPATIAL;
    m->absolute = has_word(section, "coordinates", "absolute");
    m->explicit = has_word(section, "formalism", "explicit");
    trmi_draft_point(d, trmi_item_find(section, "gravity"), &m->gravity);
}

static bool take_parts(trmi_draft *d, const trmi_item *section)
{
    const trmi_item *bodies = trmi_item_find(section, "bodies");
    const trmi_item *joints = trmi_item_find(section, "joints");
    const trmi_item *forces = trmi_item_find(section, "forces");
    trmi_memory *memory = d->r->memory;
    trmi_mechanism *m;
    const trmi_item *plane = trmi_item_find(section, "plane");
    int beams, links, elements;
    d->spatial = !plane || trmi_item_null(plane);
    int nodes = trmi_draft_count_nodes(d, bodies, &beams, &links, &elements);
    if (!TRMI_TAKE(memory, m, 1))
        return false;
    d->mechanism = m;
    m->bodies = 1 + count_of(bodies) + nodes;
    m->links = links;
    m->joints = count_of(joints) + links;
    d->linked = count_of(joints);
    m->forces = count_of(forces) + elements;
    d->coupled = count_of(forces);
    bool good =
        TRMI_TAKE(memory, d->body, m->bodies) && TRMI_TAKE(memory, d->joint, m->joints) &&
        TRMI_TAKE(memory, d->force, m->forces) && TRMI_TAKE(d->r->scratch, d->origin, m->bodies) &&
        TRMI_TAKE(d->r->scratch, d->axes, m->bodies) &&
        TRMI_TAKE(d->r->scratch, d->drive,
                  m->joints * TRMI_MAX_MEASURES + count_of(trmi_item_find(section, "inputs"))) &&
        TRMI_TAKE(memory, d->flexible, beams) &&
        list_names(d, bodies, 1, nodes, "body", &d->bodies) && trmi_draft_name_nodes(d, bodies) &&
        list_names(d, joints, 0, 0, "joint", &d->joints) &&
        list_names(d, forces, 0, 0, "force", &d->forces) &&
        list_names(d, trmi_item_find(section, "points"), 0, 0, "point", &d->points) &&
        TRMI_TAKE(memory, d->point, count_of(trmi_item_find(section, "points"))) &&
        name_parts(d, joints, forces);
    for (int b = 0; b < m->bodies && good; b++)
        d->axes[b] = trmi_m3_unit();
    m->body = d->body;
    m->joint = d->joint;
    m->force = (const trmi_force *const *)d->force;
    m->flexible = d->flexible;
    d->r->model->mechanism = m;
    return good;
}

// the description; the layout is that of its formulas: t, signals, rates, parameters
static void read_description(trmi_draft *d, const trmi_item *section)
{
    static const char *const formulas[] = {"define", "states", "algebraic", NULL};
    trmi_reading *r = d->r;
    const trmi_item *forces = trmi_item_find(section, "forces");
    if (!take_parts(d, section)) {
        r->failed = true;
        return;
    }
    check_shared_names(d);
    read_frame_of_reference(d, section);
    if (!trmi_draft_name_unknowns(d, section))
        r->failed = true;
    check_parameters(d);
    check_owners(d);
    trmi_draft_signals(d, forces);
    trmi_draft_axes_signals(d, forces);
    trmi_draft_relation_signals(d, trmi_item_find(section, "joints"));
    for (int k = 0; formulas[k]; k++)
        trmi_draft_signals(d, trmi_item_find(section, formulas[k]));
    trmi_draft_want_outputs(d, section);
    r->model->signals = d->mechanism->signals = d->signals;
    r->model->effects = d->mechanism->feedbacks = d->effects;
    if (r->failed || !trmi_place_parameters(r, d->signals) || !trmi_begin_time(r)) {
        r->failed = true;
        return;
    }
    d->mechanism->parameters = r->model->parameters;
    trmi_place_unknowns(r);
    trmi_draft_definitions(d, section);
    trmi_draft_define_outputs(d);
    trmi_draft_bodies(d, trmi_item_find(section, "bodies"));
    trmi_draft_points(d, trmi_item_find(section, "points"));
    trmi_draft_joints(d, trmi_item_find(section, "joints"));
    trmi_draft_place_inputs(d, section);
    trmi_draft_forces(d, forces);
    trmi_draft_laws(d);
    d->mechanism->drives = d->drives;
    if (trmi_document_errors(r->document) == 0)
        trmi_draft_check(d, section);
    if (trmi_document_errors(r->document) == 0)
        trmi_draft_tape(d);
}

void trmi_read_mechanism(trmi_reading *r, const trmi_item *section)
{
    trmi_draft d = {.r = r, .observing = true, .acting = TRMI_NOTHING};
    const trmi_item *bodies = trmi_item_find(section, "bodies");
    if (trmi_document_errors(r->document) > 0)
        return;
    if (count_of(bodies) == 0) {
        trmi_report_key(r->document, bodies, "a mechanism needs at least one body");
        return;
    }
    read_description(&d, section);
    if (!r->failed) {
        trmi_draft_forget_outputs(&d);
        trmi_draft_signals(&d, trmi_item_find(r->root, "events"));
        trmi_draft_targets(&d, trmi_item_find(r->root, "events"));
        d.observing = false;
        trmi_draft_signals(&d, trmi_item_find(r->root, "outputs"));
        trmi_draft_initial(&d, trmi_item_path(r->root, "initial.values"));
    }
    trmi_signal *signal;
    trmi_effect *effect;
    if (!TRMI_TAKE(r->memory, signal, d.signals) || !TRMI_TAKE(r->memory, effect, d.effects))
        r->failed = true;
    else if (d.signals > 0)
        memcpy(signal, d.signal, (size_t)d.signals * sizeof *signal);
    for (int k = 0; k < d.effects && !r->failed; k++)
        effect[k] = d.effect[k];
    if (!r->failed) {
        d.mechanism->signal = signal;
        d.mechanism->effect = effect;
        d.mechanism->effects = r->model->effects = d.effects;
        d.mechanism->watched = r->model->signals = d.signals;
    }
    if (trmi_document_errors(r->document) == 0 && !r->failed)
        trmi_draft_force_channels(&d);
    r->model->layout = (trmi_layout){0};
    if (trmi_document_errors(r->document) == 0 && !r->failed)
        trmi_read_machine(&d);
    free(d.signal);
    free(d.effect);
    free(d.pending);
}
