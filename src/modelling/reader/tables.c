// SPDX-License-Identifier: Apache-2.0
// The section `tables`: curves that formulas use as table(NAME, x).
#include "modelling/reader/tables.h"

#include "base/hash.h"
#include "modelling/expression/parse.h"
#include "modelling/expression/path.h"

#include <stdio.h>
#include <string.h>

// The points of one table, under reading.
typedef struct points {
    int count;
    double *x, *y;
} points;

// [[x, y], ...]; false after an error, which is reported
static bool read_points(trmi_reading *r, const trmi_item *list, points *p)
{
    if (!TRMI_TAKE(r->memory, p->x, list->count) || !TRMI_TAKE(r->memory, p->y, list->count)) {
        r->failed = true;
        return false;
    }
    for (const trmi_item *i = list->child; i; i = i->next, p->count++) {
        if (i->kind != TRMI_LIST || i->count != 2) {
            trmi_report(r->document, i, "a point of a table is a pair [x, y]");
            return false;
        }
        double *x = &p->x[p->count], *y = &p->y[p->count];
        if (r->by && !(trmi_item_number(i->child, x) && trmi_item_number(i->child->next, y))) {
            trmi_report(r->document, i, "points that follow from parameters have no derivatives");
            return false;
        }
        if (!trmi_read_quantity(r, i->child, x) || !trmi_read_quantity(r, i->child->next, y))
            return false;
        if (p->count > 0 && p->x[p->count] <= p->x[p->count - 1]) {
            trmi_report(r->document, i, "the table must ascend: %g comes after %g", p->x[p->count],
                        p->x[p->count - 1]);
            return false;
        }
    }
    return true;
}

// The points decide the motion as the text of the model does.
static void add_fingerprint(trmi_reading *r, const char *name, const points *p)
{
    trm_model *m = r->model;
    size_t size = (size_t)p->count * sizeof *p->x;
    m->hash = trmi_hash(trmi_hash(m->hash, p->x, size), p->y, size);
    for (int k = 0; k < m->parts; k++) {
        trmi_model_part *part = (trmi_model_part *)&m->part[k];
        bool whole = part->path && strcmp(part->path, "tables") == 0;
        bool own = part->path && strncmp(part->path, "tables.", 7) == 0 &&
                   strcmp(part->path + 7, name) == 0;
        if (whole || own)
            part->hash = trmi_hash(trmi_hash(part->hash, p->x, size), p->y, size);
    }
}

static bool read_file(trmi_reading *r, const trmi_item *item, points *p)
{
    const trmi_table_file source = {trmi_item_find(item, "file"),
                                    {trmi_item_find(item, "x"), trmi_item_find(item, "y")}};
    p->count = trmi_read_columns(r, &source, &p->x, &p->y);
    if (p->count > 0)
        add_fingerprint(r, item->key, p);
    return p->count > 0;
}

// whichever of the two there is
static bool read_source(trmi_reading *r, const trmi_item *item, points *p)
{
    const trmi_item *list = item->kind == TRMI_MAP ? trmi_item_find(item, "points") : item;
    const trmi_item *file = trmi_item_find(item, "file");
    if (list && file)
        trmi_report_key(r->document, file, "'file' beside 'points': exactly one is accepted");
    else if (!list && !file)
        trmi_report_key(r->document, item, "table '%.60s' needs 'points' or 'file'", item->key);
    else
        return list ? read_points(r, list, p) : read_file(r, item, p);
    return false;
}

static int choice(const trmi_item *item, const char *key, const char *const *words)
{
    const trmi_item *word = trmi_item_find(item, key);
    for (int k = 0; word && word->text && words[k]; k++)
        if (strcmp(word->text, words[k]) == 0)
            return k;
    return 0;
}

static bool check_points(trmi_reading *r, const trmi_item *item, const trmi_interpolant *curve)
{
    int last = curve->count - 1;
    if (curve->count < 2) {
        trmi_report_key(r->document, item, "table '%.60s' has %d point%s; it needs at least two",
                        item->key, curve->count, curve->count == 1 ? "" : "s");
        return false;
    }
    if (curve->beyond == TRMI_BEYOND_REPEAT && curve->y[last] != curve->y[0]) {
        trmi_report_key(r->document, item,
                        "table '%.60s' repeats, but ends with %g where it begins with %g",
                        item->key, curve->y[last], curve->y[0]);
        return false;
    }
    return true;
}

static void read_table(trmi_reading *r, const trmi_item *item, trmi_interpolant *curve)
{
    static const char *const interpolation[] = {"linear", "monotone", "spline", NULL};
    static const char *const beyond[] = {"straight", "hold", "repeat", NULL};
    points p = {0};
    if (!trmi_is_name(item->key))
        trmi_report_key(
            r->document, item,
            "'%.60s' is not a valid name of a table: a letter or _, then letters, digits and _",
            item->key);
    bool good = read_source(r, item, &p);
    *curve = (trmi_interpolant){
        .name = trmi_keep_text(r, item->key),
        .count = p.count,
        .x = p.x,
        .y = p.y,
        .interpolation = (trmi_interpolation)choice(item, "interpolation", interpolation),
        .beyond = (trmi_continuation)choice(item, "beyond", beyond)};
    if (!good || !check_points(r, item, curve)) {
        curve->count = 0; // a formula may name it all the same
        return;
    }
    if (!curve->name || !trmi_interpolant_create(curve, r->memory))
        r->failed = true;
}

void trmi_read_tables(trmi_reading *r)
{
    const trmi_item *section = trmi_item_find(r->root, "tables");
    trmi_interpolant *curve;
    int count = section ? section->count : 0, k = 0;
    if (count == 0)
        return;
    if (!TRMI_TAKE(r->memory, curve, count)) {
        r->failed = true;
        return;
    }
    for (const trmi_item *i = section->child; i; i = i->next)
        read_table(r, i, &curve[k++]);
    r->graph.curve = curve;
    r->graph.curves = r->failed ? 0 : count;
}

// places of the points of a path
static void finish_path(trmi_reading *r, const trmi_item *item, trmi_interpolant *curve)
{
    if (curve->beyond == TRMI_BEYOND_REPEAT)
        trmi_report_key(r->document, item,
                        "table '%.60s' is the curvature of a path, which cannot repeat; use "
                        "'beyond: hold' or 'beyond: straight'",
                        item->key);
    else if (!trmi_path_create(curve, r->memory))
        r->failed = true;
}

void trmi_finish_tables(trmi_reading *r)
{
    const trmi_item *section = trmi_item_find(r->root, "tables");
    int k = 0;
    for (const trmi_item *i = section ? section->child : NULL; i && k < r->graph.curves;
         i = i->next, k++) {
        trmi_interpolant *curve = &r->graph.curve[k];
        if (!curve->used)
            trmi_warn(r->document, i, "table '%s' is not used", i->key);
        if (curve->bends)
            finish_path(r, i, curve);
    }
}
