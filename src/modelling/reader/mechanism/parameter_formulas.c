// SPDX-License-Identifier: Apache-2.0
// Parameters that are formulas, measures of joints, or shared objects.
#include "modelling/reader/mechanism/parameter_readers.h"

#include "modelling/multibody/frames.h"
#include "modelling/reader/library.h"

// ---- formulas --------------------------------------------------------------------------------

void trmi_parameter_read_formula(trmi_draft *d, const trmi_parameter_source *s, void *to)
{
    trmi_draft_formula(d, s->item, 1, to);
}

// laws pull back, efforts push on
void trmi_parameter_read_effort(trmi_draft *d, const trmi_parameter_source *s, void *to)
{
    trmi_draft_formula(d, s->item, -1, to);
}

// components of a force or torque of the part become those in global axes
static void place_components(trmi_draft *d, const trmi_use *use, bool torque, trmi_node node[3])
{
    trmi_graph *g = &d->r->graph;
    const trmi_node own[3] = {node[0], node[1], node[2]};
    for (int k = 0; k < 3 && use; k++) {
        node[k] = trmi_constant(g, 0);
        for (int j = 0; j < 3; j++) {
            trmi_v3 e = trmi_m3_unit().row[j];
            e = torque ? trmi_place_axis(use, e) : trmi_place_direction(use, e);
            trmi_node part = trmi_multiply(g, trmi_constant(g, trmi_component(e, k)), own[j]);
            node[k] = trmi_add(g, node[k], part);
        }
    }
}

// components of a list: all three, or the two of the plane
static void read_list(trmi_draft *d, const trmi_parameter_source *s, bool torque,
                      trmi_formula *component)
{
    const trmi_item *list = s->item;
    bool plane = d->mechanism->plane != TRMI_SPATIAL;
    int axis[3];
    bool two = plane && list->count == 2 && !torque;
    trmi_plane_axes(d->mechanism->plane, axis);
    if (list->count != 3 && !two) {
        trmi_report(d->r->document, list, "'value' of '%.60s' has %d components; it needs %s",
                    s->name, list->count,
                    plane && !torque ? "the two of the plane, or three" : "three");
        return;
    }
    const trmi_node zero = trmi_constant(&d->r->graph, 0);
    trmi_node node[3] = {zero, zero, zero};
    const trmi_item *at[3] = {list, list, list};
    int k = 0;
    for (const trmi_item *i = list->child; i; i = i->next, k++) {
        int global = two ? axis[k] : k;
        bool normal = global == axis[2];
        at[global] = i;
        node[global] = trmi_draft_force_node(d, i);
        if (plane && normal != torque && node[global] != zero)
            trmi_report(d->r->document, i, "this component of '%.60s' is out of the plane %c%c",
                        s->name, "xyz"[axis[0]], "xyz"[axis[1]]);
    }
    if (trmi_item_find(s->map, "axes_of"))
        trmi_draft_turn_components(d, s->map, node);
    else
        place_components(d, trmi_draft_use(d, list), torque, node);
    for (k = 0; k < 3; k++)
        trmi_draft_keep_formula(d, at[k], node[k], &component[k]);
}

// one value along an axis: every component is a multiple of it
static void read_along(trmi_draft *d, const trmi_parameter_source *s, bool torque,
                       trmi_formula *component)
{
    const trmi_item *value = s->item, *axis = trmi_item_find(s->map, "axis");
    bool plane = d->mechanism->plane != TRMI_SPATIAL;
    trmi_v3 e = trmi_plane_normal(d->mechanism->plane);
    if (axis ? !trmi_draft_direction(d, axis, torque, &e) : !(plane && torque)) {
        if (!axis)
            trmi_report_key(d->r->document, value,
                            "one value needs an 'axis'; or give the components as a list");
        return;
    }
    const trmi_use *use = torque ? trmi_draft_use(d, axis ? axis : value) : NULL;
    const double sign = use ? use->sign : 1, part[3] = {e.x, e.y, e.z}; // torques are axial
    if (trmi_item_find(s->map, "axes_of")) {
        trmi_report(d->r->document, trmi_item_find(s->map, "axes_of"),
                    "in the axes of a point all components are needed: 'value' as a list");
        return;
    }
    for (int k = 0; k < 3; k++)
        if (part[k] != 0)
            trmi_draft_formula(d, value, sign * part[k], &component[k]);
}

void trmi_parameter_read_force(trmi_draft *d, const trmi_parameter_source *s, void *to)
{
    (s->item->kind == TRMI_LIST ? read_list : read_along)(d, s, false, to);
}

void trmi_parameter_read_torque(trmi_draft *d, const trmi_parameter_source *s, void *to)
{
    (s->item->kind == TRMI_LIST ? read_list : read_along)(d, s, true, to);
}

// ---- measures --------------------------------------------------------------------------------

void trmi_parameter_read_measure(trmi_draft *d, const trmi_parameter_source *s, void *to)
{
    const trmi_item *name = trmi_item_find(s->map, "measure");
    trmi_term *term = to;
    term->joint = trmi_draft_find(d, &d->joints, s->item, "joint");
    if (term->joint == TRMI_NOTHING)
        return;
    const trmi_joint *joint = &d->joint[term->joint];
    bool rate = false, named = name && !trmi_item_null(name);
    int count = trmi_measure_count(joint->type, d->mechanism->plane);
    if (named)
        term->measure = trmi_measure_find(joint->type, d->mechanism->plane, name->text, &rate);
    if (named && (rate || term->measure == TRMI_NOTHING))
        trmi_report(d->r->document, name, "joint '%.60s' has no measure '%.60s'", joint->name,
                    name->text);
    else if (!named && count != 1)
        trmi_report_key(d->r->document, s->map,
                        "joint '%.60s' has %d measures: choose which one with 'measure'",
                        joint->name, count);
    else
        for (const trmi_item *i = s->map->child; i; i = i->next)
            trmi_check_unit(d->r->document, i,
                            trmi_measure_of(joint->type, d->mechanism->plane, term->measure).kind !=
                                TRMI_MEASURE_TRAVEL);
}

// the first measure of a joint that is a travel or an angle
static void find_measure(trmi_draft *d, const trmi_item *item, trmi_measure_kind kind,
                         trmi_term *term)
{
    term->joint = trmi_draft_find(d, &d->joints, item, "joint");
    if (term->joint == TRMI_NOTHING)
        return;
    const trmi_joint_type *type = d->joint[term->joint].type;
    int count = trmi_measure_count(type, d->mechanism->plane);
    for (term->measure = 0; term->measure < count; term->measure++)
        if (trmi_measure_of(type, d->mechanism->plane, term->measure).kind == kind)
            return;
    trmi_report(d->r->document, item, "%s joint '%.60s' has no %s", type->name, item->text,
                kind == TRMI_MEASURE_ANGLE ? "angle" : "travel");
}

void trmi_parameter_read_travel(trmi_draft *d, const trmi_parameter_source *s, void *to)
{
    find_measure(d, s->item, TRMI_MEASURE_TRAVEL, to);
}

void trmi_parameter_read_angle(trmi_draft *d, const trmi_parameter_source *s, void *to)
{
    find_measure(d, s->item, TRMI_MEASURE_ANGLE, to);
}

void trmi_parameter_read_terms(trmi_draft *d, const trmi_parameter_source *s, void *to)
{
    trmi_terms *terms = to;
    trmi_term *term;
    if (s->item->count < 1) {
        trmi_report_key(d->r->document, s->item, "coupling '%.60s' has no terms", s->name);
        return;
    }
    if (!TRMI_SHARE(d->r->memory, term, s->item->count)) {
        d->r->failed = true;
        return;
    }
    *terms = (trmi_terms){s->item->count, term};
    for (const trmi_item *i = s->item->child; i; i = i->next, term++) {
        trmi_signal signal;
        bool rate;
        if (!trmi_draft_signal(d, i->key, &signal, &rate) || rate ||
            signal.kind != TRMI_SIGNAL_MEASURE) {
            const char *near = trmi_nearest_signal(d->r, i->key, NULL);
            trmi_report_key(d->r->document, i, "'%.60s' is not a measure of a joint%s%.60s%s",
                            i->key, near ? "; did you mean '" : "; write such as 'NAME_angle",
                            near ? near : "", near ? "'?" : "'");
            continue;
        }
        *term = (trmi_term){.joint = signal.index, .measure = signal.part};
        trmi_draft_number(d, i, &term->coefficient);
    }
}

void trmi_parameter_read_relation(trmi_draft *d, const trmi_parameter_source *s, void *to)
{
    static const char *const others[] = {"name", "parameters", "signals", NULL};
    for (int k = 0; others[k]; k++) {
        const trmi_item *other = trmi_item_find(s->map, others[k]);
        if (other && !trmi_item_null(other))
            trmi_report_key(d->r->document, other, "'%s' goes with 'library', not with '%s'",
                            others[k], s->item->key);
    }
    *(const trmi_relation **)to = trmi_draft_relation(d, s->item);
}

void trmi_parameter_read_constraint_library(trmi_draft *d, const trmi_parameter_source *s, void *to)
{
    *(const trmi_relation **)to = trmi_draft_relation_code(d, s->map);
}

// ---- shared objects --------------------------------------------------------------------------

void trmi_parameter_read_library(trmi_draft *d, const trmi_parameter_source *s, void *to)
{
    const trm_user_force *force = trmi_library_force(d->r, s->item, trmi_item_find(s->map, "name"));
    if (force)
        trmi_draft_user_force(d, s->map, force, to);
}
