// SPDX-License-Identifier: Apache-2.0
// Elastic bodies: nodes as bodies after those of the file, named "rod_1", "rod_2", ... In plane
// mechanisms they move against a frame; node 0 of a tangent frame is the frame itself. In space
// they are bodies of their own (space_beams.c), and node 0 is the body of the file.
#include "modelling/multibody/forces/stretching.h"
#include "modelling/multibody/frames.h"
#include "modelling/multibody/joints/inextensible.h"
#include "modelling/reader/mechanism/draft.h"

#include <stdio.h>
#include <string.h>

enum { MAX_ELEMENTS = 10000 };
static const double AT_NODE = 1e-6; // of an element

static const trmi_item *beam_of(const trmi_item *body)
{
    return trmi_item_find(body, "beam");
}

static bool has_chord(const trmi_item *beam)
{
    const trmi_item *frame = trmi_item_find(beam, "frame");
    return frame && frame->text && strcmp(frame->text, "chord") == 0;
}

// as in the file; 0: not valid, which is reported later
static int elements_of(const trmi_item *beam)
{
    double value = 4;
    const trmi_item *item = trmi_item_find(beam, "elements");
    if (item && !trmi_item_null(item) && !trmi_item_number(item, &value))
        return 0;
    return value >= 1 && value <= MAX_ELEMENTS ? (int)value : 0;
}

static int nodes_of(const trmi_item *beam)
{
    return beam ? elements_of(beam) + has_chord(beam) : 0;
}

static bool truth_of(const trmi_item *beam, const char *key, bool truth)
{
    const trmi_item *item = trmi_item_find(beam, key);
    if (item && !trmi_item_null(item))
        trmi_item_truth(item, &truth);
    return truth;
}

// whether axial force acts on bending: every element is a link, or a force where it stretches
static bool is_stiffened(const trmi_item *beam)
{
    return truth_of(beam, "stiffening", true);
}

static bool is_stretched(const trmi_item *beam)
{
    return truth_of(beam, "stretching", false);
}

int trmi_draft_count_nodes(const trmi_draft *d, const trmi_item *bodies, int *beams, int *links,
                           int *forces)
{
    int count = 0;
    *beams = *links = *forces = 0;
    for (const trmi_item *i = bodies ? bodies->child : NULL; i; i = i->next) {
        const trmi_item *beam = beam_of(i);
        *beams += beam != NULL;
        bool stretched = beam && is_stretched(beam);
        *links += beam && !d->spatial && is_stiffened(beam) && !stretched ? elements_of(beam) : 0;
        *forces += beam && (d->spatial || stretched) ? elements_of(beam) : 0;
        count += d->spatial && beam ? elements_of(beam) : nodes_of(beam);
    }
    return count;
}

// ---- nodes ----

bool trmi_draft_name_nodes(trmi_draft *d, const trmi_item *bodies)
{
    int b = 1, next = 1 + bodies->count;
    for (const trmi_item *i = bodies->child; i; i = i->next, b++) {
        const trmi_item *beam = beam_of(i);
        trmi_body *frame = &d->body[b];
        int nodes = d->spatial && beam ? elements_of(beam) : nodes_of(beam);
        bool first = !d->spatial && has_chord(beam); // node 0 is a body too
        frame->nodes = d->spatial ? 0 : nodes;
        frame->first_node = nodes > 0 ? next : 0;
        for (int k = 0; k < nodes; k++, next++) {
            char text[100];
            snprintf(text, sizeof text, "%.80s_%d", i->key, k + !first);
            d->body[next] = d->spatial ? (trmi_body){.beam = b} : (trmi_body){.carrier = b};
            if (!TRMI_TAKE(d->r->memory, d->body[next].node, 1) ||
                !(d->body[next].name = trmi_keep_text(d->r, text)))
                return false;
            if (!trmi_symbols_add(&d->bodies, d->body[next].name, TRMI_SYMBOL_DEFINITION, next, i))
                trmi_report_key(d->r->document, i,
                                "beam '%.60s' has a node '%s', and another body is called so too",
                                i->key, text);
        }
    }
    return true;
}

static void place_nodes(trmi_draft *d, const trmi_flexible *f)
{
    const trmi_body *frame = &d->body[f->body];
    trmi_v3 normal = trmi_plane_normal(d->mechanism->plane);
    bool chord = f->data.frame == TRMI_BEAM_CHORD;
    for (int k = 0; k < frame->nodes; k++) {
        int number = k + !chord;
        trmi_body *node = &d->body[frame->first_node + k];
        double x = f->data.length * number / f->data.elements;
        node->center = trmi_v3_axpy(f->from, x, f->along);
        node->node->along = f->along;
        node->node->across = trmi_v3_cross(normal, f->along);
        node->node->shifts = f->data.shortens && number > 0;
        node->node->deflects = !chord || (number > 0 && number < f->data.elements);
        d->origin[frame->first_node + k] = node->center;
    }
}

int trmi_draft_node(const trmi_draft *d, const trmi_flexible *f, int number)
{
    int k = number - (f->data.frame == TRMI_BEAM_TANGENT);
    return k < 0 ? f->body : d->body[f->body].first_node + k;
}

// a force between neighbouring nodes for every element, after those of the file
static void stretch_nodes(trmi_draft *d, const trmi_flexible *f, double EA)
{
    trmi_v3 normal = trmi_plane_normal(d->mechanism->plane);
    double l = f->data.length / f->data.elements;
    for (int k = 0; k < f->data.elements; k++) {
        trmi_stretching_force *s;
        int right = trmi_draft_node(d, f, k + 1);
        if (!TRMI_SHARE(d->r->memory, s, 1)) {
            d->r->failed = true;
            return;
        }
        *s = (trmi_stretching_force){
            .force = {.name = d->body[right].name,
                      .type = &trmi_force_stretching,
                      .body = {trmi_draft_node(d, f, k), right},
                      .at = trmi_v3_axpy(f->from, k * l, f->along),
                      .at_second = trmi_v3_axpy(f->from, (k + 1) * l, f->along),
                      .frame = trmi_frame_of(f->along, trmi_v3_cross(normal, f->along), normal),
                      .size = l},
            .stiffness = EA / l,
            .damping = f->data.damping};
        d->force[d->coupled++] = &s->force;
    }
}

// a joint between neighbouring nodes for every element, after those of the file
static void link_nodes(trmi_draft *d, const trmi_flexible *f)
{
    trmi_m3 *frame;
    trmi_v3 normal = trmi_plane_normal(d->mechanism->plane);
    if (!TRMI_SHARE(d->r->memory, frame, 1)) {
        d->r->failed = true;
        return;
    }
    *frame = trmi_frame_of(f->along, trmi_v3_cross(normal, f->along), normal);
    for (int k = 0; k < f->data.elements; k++) {
        double l = f->data.length / f->data.elements;
        trmi_joint *joint = &d->joint[d->linked++];
        int right = trmi_draft_node(d, f, k + 1);
        *joint = (trmi_joint){.name = d->body[right].name,
                              .type = &trmi_joint_inextensible,
                              .body = {trmi_draft_node(d, f, k), right},
                              .at = trmi_v3_axpy(f->from, k * l, f->along),
                              .frame = frame};
        if (!trmi_draft_extra(d, joint) || !TRMI_SHARE(d->r->memory, joint->extra->second, 1)) {
            d->r->failed = true;
            return;
        }
        joint->extra->size = l;
        *joint->extra->second = (trmi_marker){trmi_v3_axpy(f->from, (k + 1) * l, f->along), *frame};
    }
}

// ---- beams ----

// the keys of other bodies that a beam gives itself, and the settings that it cannot have
static bool check_surroundings(trmi_draft *d, const trmi_item *item, const trmi_item *beam)
{
    static const char *const given[] = {"mass", "center", "inertia", "frame"};
    static const char *const other[2][6] = {{"inertia_y", "torsion", "shear_modulus", "shear", "y"},
                                            {"frame", "stiffening", "stretching"}};
    int errors = trmi_document_errors(d->r->document);
    for (int k = 0; k < 4; k++)
        if (trmi_item_find(item, given[k]))
            trmi_report_key(d->r->document, trmi_item_find(item, given[k]),
                            "'%s' beside 'beam': it follows from the beam", given[k]);
    for (int k = 0; other[d->spatial][k]; k++)
        if (trmi_item_find(beam, other[d->spatial][k]))
            trmi_report_key(d->r->document, trmi_item_find(beam, other[d->spatial][k]),
                            "'%s' is for beams %s", other[d->spatial][k],
                            d->spatial ? "of plane models" : "in space");
    if (!d->spatial && is_stretched(beam) && !is_stiffened(beam))
        trmi_report_key(d->r->document, trmi_item_find(beam, "stretching"),
                        "'stretching' needs the shifts that 'stiffening: false' leaves out");
    if (elements_of(beam) == 0)
        trmi_report(d->r->document, trmi_item_find(beam, "elements"),
                    "'elements' must be a whole number from 1 to %d", MAX_ELEMENTS);
    return trmi_document_errors(d->r->document) == errors;
}

static bool read_section(trmi_draft *d, const trmi_item *beam, trmi_beam_data *data, double *EA)
{
    double modulus = 0, area = 0, inertia = 0, density = 0;
    if (!trmi_draft_positive(d, beam, "modulus", false, &modulus) ||
        !trmi_draft_positive(d, beam, "area", false, &area) ||
        !trmi_draft_positive(d, beam, "inertia", false, &inertia) ||
        !trmi_draft_positive(d, beam, "density", false, &density) ||
        !trmi_draft_positive(d, beam, "damping", true, &data->damping))
        return false;
    data->line_mass = density * area;
    data->stiffness = modulus * inertia;
    *EA = modulus * area;
    data->shortens = is_stiffened(beam);
    return true;
}

void trmi_draft_beam_body(trmi_draft *d, const trmi_item *item, int b)
{
    const trmi_item *beam = beam_of(item);
    trmi_flexible *f = &d->flexible[d->beams++];
    d->mechanism->flexibles += !d->spatial;
    trmi_v3 to = {0};
    double EA = 0;
    *f = (trmi_flexible){.body = b};
    f->data.elements = elements_of(beam);
    f->data.frame = has_chord(beam) ? TRMI_BEAM_CHORD : TRMI_BEAM_TANGENT;
    if (!check_surroundings(d, item, beam) || !read_section(d, beam, &f->data, &EA) ||
        !trmi_draft_point(d, trmi_item_find(beam, "from"), &f->from) ||
        !trmi_draft_point(d, trmi_item_find(beam, "to"), &to))
        return;
    f->along = trmi_v3_sub(to, f->from);
    double l = f->data.length = trmi_v3_length(f->along);
    if (!(l > 0)) {
        trmi_report_key(d->r->document, beam, "the ends of beam '%.60s' coincide", item->key);
        return;
    }
    f->along = trmi_v3_scale(1 / l, f->along);
    if (d->spatial) {
        trmi_draft_space_beam(d, item, f);
        return;
    }
    trmi_body *frame = &d->body[b];
    trmi_v3 n = trmi_plane_normal(d->mechanism->plane);
    double J = f->data.line_mass * l * l * l / 12;
    frame->mass = f->data.line_mass * l;
    frame->center = d->origin[b] = trmi_v3_axpy(f->from, l / 2, f->along);
    frame->inertia = trmi_s3_of((trmi_m3){
        {trmi_v3_scale(J * n.x, n), trmi_v3_scale(J * n.y, n), trmi_v3_scale(J * n.z, n)}});
    place_nodes(d, f);
    if (is_stretched(beam))
        stretch_nodes(d, f, EA);
    else if (f->data.shortens)
        link_nodes(d, f);
}

// ---- what is attached ----

// the beam of that body, NULL: it is none
static const trmi_flexible *find_beam(const trmi_draft *d, int b)
{
    for (int i = 0; i < d->beams; i++)
        if (d->flexible[i].body == b)
            return &d->flexible[i];
    return NULL;
}

// the node of a frame at a point, or the frame itself; TRMI_NOTHING after the message
static int node_at(trmi_draft *d, const trmi_item *item, int b, trmi_v3 at)
{
    const trmi_flexible *f = find_beam(d, b);
    double l = f->data.length / f->data.elements;
    double x = trmi_v3_dot(trmi_v3_sub(at, f->from), f->along) / l, number = round(x);
    number = fmin(fmax(number, 0), f->data.elements);
    trmi_v3 node = trmi_v3_axpy(f->from, number * l, f->along);
    if (trmi_v3_length(trmi_v3_sub(at, node)) > AT_NODE * l) {
        trmi_report_key(
            d->r->document, item,
            "'%.60s' is at (%g, %g, %g), where beam '%.60s' has no node; the nearest is "
            "%.60s_%d at (%g, %g, %g): move the point, change 'elements', or name the "
            "node as the body",
            item->key, at.x, at.y, at.z, d->body[b].name, d->body[b].name, (int)number, node.x,
            node.y, node.z);
        return TRMI_NOTHING;
    }
    return trmi_draft_node(d, f, (int)number);
}

void trmi_draft_attach(trmi_draft *d, const trmi_item *item, int body[2], trmi_v3 at,
                       trmi_v3 at_second)
{
    if (trmi_document_errors(d->r->document) > 0)
        return;
    for (int k = 0; k < 2; k++)
        if (find_beam(d, body[k])) {
            int node = node_at(d, item, body[k], k ? at_second : at);
            body[k] = node == TRMI_NOTHING ? body[k] : node;
        }
}
