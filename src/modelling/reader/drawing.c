// SPDX-License-Identifier: Apache-2.0
#include "modelling/reader/drawing.h"

#include <stdio.h>
#include <string.h>

static const char *const KINDS[] = {
    [TRMI_DRAW_POINT] = "point", [TRMI_DRAW_LINE] = "line", [TRMI_DRAW_CIRCLE] = "circle"};

// the coordinates of an entry, and what it is; NULL: the check of keys has reported it
static const trmi_item *find_place(const trmi_item *entry, trmi_draw_kind *kind)
{
    for (int k = 0; k < TRMI_DRAW_KINDS; k++) {
        const trmi_item *place = trmi_item_find(entry, KINDS[k]);
        *kind = (trmi_draw_kind)k;
        if (place && place->kind == TRMI_LIST)
            return place;
    }
    return NULL;
}

int trmi_drawings_count(const trmi_item *section)
{
    int count = 0;
    for (const trmi_item *i = section ? section->child : NULL; i; i = i->next) {
        trmi_draw_kind kind;
        const trmi_item *place = find_place(i, &kind);
        for (const trmi_item *p = place ? place->child : NULL; p; p = p->next)
            count += p->kind == TRMI_LIST ? p->count : 1;
        count += trmi_item_find(i, "radius") ? 1 : 0;
    }
    return count;
}

// The outputs that are being filled.
typedef struct drawn {
    trmi_reading *r;
    trmi_node *node;
    const char **name;
    int count;
} drawn;

static bool add_formula(drawn *d, const trmi_item *entry, const trmi_item *formula, int point,
                        const char *suffix)
{
    char name[160], subject[100];
    snprintf(subject, sizeof subject, "drawing '%.60s'", entry->key);
    if (point > 0)
        snprintf(name, sizeof name, "%.120s_%d_%s", entry->key, point, suffix);
    else
        snprintf(name, sizeof name, "%.120s_%s", entry->key, suffix);
    if (trmi_item_path(d->r->root, "outputs") &&
        trmi_item_find(trmi_item_find(d->r->root, "outputs"), name))
        trmi_report_key(d->r->document, entry,
                        "drawing '%.60s' makes an output '%.80s', which is there already",
                        entry->key, name);
    d->node[d->count] = trmi_read_formula(d->r, formula, TRMI_USES_STATE_AND_TIME, subject);
    d->name[d->count] = trmi_keep_text(d->r, name);
    return d->name[d->count++] != NULL;
}

// two coordinates, or three; all of the section have as many
static bool add_place(drawn *d, const trmi_item *entry, const trmi_item *place, int point,
                      int *dimensions)
{
    static const char *const axis[] = {"x", "y", "z"};
    int k = 0;
    if (*dimensions == 0)
        *dimensions = place->count;
    if (place->kind != TRMI_LIST || place->count < 2 || place->count > 3 ||
        place->count != *dimensions) {
        trmi_report(d->r->document, place,
                    "a place of drawing '%.60s' has %d coordinates: all places have two, or all "
                    "three",
                    entry->key, place->count);
        return true;
    }
    for (const trmi_item *c = place->child; c; c = c->next)
        if (!add_formula(d, entry, c, point, axis[k++]))
            return false;
    return true;
}

static bool read_entry(drawn *d, const trmi_item *entry, trmi_model_drawing *out, int first,
                       int *dimensions)
{
    const trmi_item *place = find_place(entry, &out->kind);
    const trmi_item *radius = trmi_item_find(entry, "radius");
    bool good = true;
    out->name = trmi_keep_text(d->r, entry->key);
    out->first = first + d->count;
    if (!place)
        return out->name != NULL;
    if (out->kind == TRMI_DRAW_LINE && place->count < 2)
        trmi_report(d->r->document, place, "line '%.60s' needs two points or more", entry->key);
    for (const trmi_item *p = out->kind == TRMI_DRAW_LINE ? place->child : NULL; p && good;
         p = p->next)
        good = add_place(d, entry, p, ++out->points, dimensions);
    if (out->kind != TRMI_DRAW_LINE) {
        out->points = 1;
        good = add_place(d, entry, place, 0, dimensions);
    }
    if ((radius != NULL) != (out->kind == TRMI_DRAW_CIRCLE))
        trmi_report_key(d->r->document, entry, "a radius belongs to a circle: drawing '%.60s' %s",
                        entry->key, radius ? "is none" : "has none");
    else if (radius)
        good = good && add_formula(d, entry, radius, 0, "r");
    return good && out->name;
}

bool trmi_drawings_read(trmi_reading *r, const trmi_item *section, int first, trmi_node *node,
                        const char **name, int *count)
{
    trmi_model_drawing *drawing;
    drawn d = {r, node, name, 0};
    trm_model *m = r->model;
    int k = 0;
    *count = 0;
    if (!section || section->kind != TRMI_MAP)
        return true;
    if (!TRMI_TAKE(r->memory, drawing, section->count))
        return false;
    for (const trmi_item *i = section->child; i; i = i->next)
        if (!read_entry(&d, i, &drawing[k++], first, &m->draw_dimensions))
            return false;
    m->drawing = drawing;
    m->drawings = k;
    *count = d.count;
    return true;
}
