// SPDX-License-Identifier: Apache-2.0
// Points of bodies: where they are, seen from the ground or from another point, and their signals.
#include "modelling/multibody/rows/row_euler.h"
#include "modelling/reader/mechanism/draft.h"

#include <stdio.h>
#include <string.h>

// ---- reading ----

static void read_own(trmi_draft *d, const trmi_item *item, trmi_body_point *p)
{
    const trmi_item *frame = trmi_item_find(item, "frame");
    int b = trmi_draft_find(d, &d->bodies, trmi_item_find(item, "body"), "body");
    if (b == TRMI_NOTHING)
        return;
    trmi_v3 at = d->body[b].center;
    trmi_m3 axes = trmi_place_frame(trmi_draft_use(d, item), trmi_m3_unit());
    if (!trmi_draft_point(d, trmi_item_find(item, "at"), &at) ||
        (frame && frame->count > 0 && !trmi_draft_frame(d, frame, &axes)))
        return;
    int body[2] = {TRMI_GROUND, b};
    trmi_draft_attach(d, item, body, at, at);
    p->body[1] = body[1];
    p->at[1] = at;
    p->axes[1] = axes;
}

// after all have been read: what each is seen from; wrong: one of them could not be read
static void read_from(trmi_draft *d, const trmi_item *item, trmi_body_point *p, bool wrong)
{
    const trmi_item *from = trmi_item_find(item, "from");
    p->body[0] = TRMI_GROUND;
    p->at[0] = d->body[TRMI_GROUND].center;
    p->axes[0] = trmi_m3_unit();
    if (!from || trmi_item_null(from))
        return;
    int k = trmi_draft_find(d, &d->points, from, "point");
    if (k == TRMI_NOTHING)
        return;
    const trmi_body_point *other = &d->point[k];
    if (other->body[1] == p->body[1] && !wrong)
        trmi_report(d->r->document, from, "'%.60s' is a point of the same body: nothing moves",
                    from->text);
    p->body[0] = other->body[1];
    p->at[0] = other->at[1];
    p->axes[0] = other->axes[1];
}

void trmi_draft_points(trmi_draft *d, const trmi_item *section)
{
    int k = 0, errors = trmi_document_errors(d->r->document);
    for (const trmi_item *i = section ? section->child : NULL; i; i = i->next, k++) {
        d->point[k].name = trmi_keep_text(d->r, i->key);
        d->r->failed = d->r->failed || !d->point[k].name;
        read_own(d, i, &d->point[k]);
    }
    k = 0;
    for (const trmi_item *i = section ? section->child : NULL; i; i = i->next, k++)
        read_from(d, i, &d->point[k], trmi_document_errors(d->r->document) > errors);
    d->mechanism->points = k;
    d->mechanism->point = d->point;
}

// ---- axes of forces ----

static void entry_name(char *name, size_t size, const char *point, int i, int j)
{
    snprintf(name, size, "%.80s_r%d%d", point, i + 1, j + 1);
}

void trmi_draft_axes_signals(trmi_draft *d, const trmi_item *forces)
{
    char name[100];
    for (const trmi_item *i = forces ? forces->child : NULL; i; i = i->next) {
        const trmi_item *of = NULL;
        for (const trmi_item *kind = i->child; kind && !of; kind = kind->next)
            of = trmi_item_find(kind, "axes_of");
        for (int k = 0; k < 9 && of && trmi_symbols_find(&d->points, of->text); k++) {
            entry_name(name, sizeof name, of->text, k / 3, k % 3);
            trmi_draft_name_signal(d, name);
        }
    }
}

// R f, R the rotation matrix of the point, whose entries are signals
void trmi_draft_turn_components(trmi_draft *d, const trmi_item *map, trmi_node component[3])
{
    trmi_graph *g = &d->r->graph;
    const trmi_item *of = trmi_item_find(map, "axes_of"), *axes = trmi_item_find(map, "axes");
    const trmi_node own[3] = {component[0], component[1], component[2]};
    int p = trmi_draft_find(d, &d->points, of, "point");
    if (p == TRMI_NOTHING)
        return;
    const trmi_item *from = trmi_item_find(trmi_symbols_find(&d->points, of->text)->item, "from");
    if (from && !trmi_item_null(from))
        trmi_report(d->r->document, of,
                    "the axes of '%.60s' are seen from '%.60s'; name a point without 'from'",
                    of->text, from->text);
    if (axes && !trmi_item_null(axes) && strcmp(axes->text, "global") != 0)
        trmi_report_key(d->r->document, axes, "'axes' beside 'axes_of': give one of them");
    for (int i = 0; i < 3; i++) {
        component[i] = trmi_constant(g, 0);
        for (int j = 0; j < 3; j++) {
            char name[100];
            entry_name(name, sizeof name, of->text, i, j);
            const trmi_symbol *entry = trmi_symbols_find(&d->r->symbols, name);
            if (entry)
                component[i] = trmi_add(g, component[i], trmi_multiply(g, entry->node, own[j]));
        }
    }
}

// ---- signals ----

static bool is_axis(char c)
{
    return c >= 'x' && c <= 'z';
}

// "x", "angle", "distance", "zyx1", with or without "_rate"; "r12", "wx"
bool trmi_draft_point_signal(const trmi_draft *d, const char *part, trmi_signal *signal, bool *rate)
{
    size_t length = strcspn(part, "_");
    bool plane = d->mechanism->plane != TRMI_SPATIAL;
    *rate = strcmp(part + length, "_rate") == 0;
    signal->part = 0;
    if (part[length] && !*rate)
        return false;
    if (length == 1 && is_axis(part[0])) {
        signal->kind = TRMI_SIGNAL_PLACE;
        signal->part = part[0] - 'x';
        return true;
    }
    if (length == 8 && strncmp(part, "distance", length) == 0) {
        signal->kind = TRMI_SIGNAL_DISTANCE;
        return true;
    }
    if (length == 5 && strncmp(part, "angle", length) == 0) {
        signal->kind = TRMI_SIGNAL_TURN;
        return plane;
    }
    if (length == 3 && part[0] == 'r' && part[1] >= '1' && part[1] <= '3' && part[2] >= '1' &&
        part[2] <= '3') {
        signal->kind = TRMI_SIGNAL_ENTRY;
        signal->part = 3 * (part[1] - '1') + part[2] - '1';
        return true;
    }
    const trmi_euler *euler = length == 4 ? trmi_euler_find(part, 3) : NULL;
    if (euler && part[3] >= '1' && part[3] <= '3') {
        signal->kind = TRMI_SIGNAL_EULER;
        signal->part = 3 * trmi_euler_index(euler) + part[3] - '1';
        return !plane;
    }
    bool spin = length == 2 && part[0] == 'w' && is_axis(part[1]) && !*rate;
    if (spin) {
        signal->kind = TRMI_SIGNAL_SPIN;
        signal->part = part[1] - 'x';
        *rate = true; // of no signal that has a value
    }
    return spin && !plane;
}
