// SPDX-License-Identifier: Apache-2.0
// Settings of experiments and the ensemble of their values; searching rows, columns and settings.
#include "program/reproduce/experiment.h"

#include "program/reproduce/fields.h"

#include <stdio.h>
#include <string.h>

int trmi_experiment_find_row(const trmi_experiment *e, const char *name)
{
    for (int i = 0; i < e->rows; i++)
        if (e->row[i].name && strcmp(e->row[i].name, name) == 0)
            return i;
    return -1;
}

int trmi_experiment_find_column(const trmi_experiment *e, const char *heading)
{
    for (int k = 0; k < e->columns; k++)
        if (strcmp(e->column[k].heading, heading) == 0)
            return k;
    return -1;
}

const trmi_setting *trmi_experiment_setting(const trmi_experiment *e,
                                            const trmi_experiment_row *row, const char *path)
{
    const trmi_settings *const places[] = {&row->set, &e->settings};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < places[k]->count; i++)
            if (strcmp(places[k]->setting[i].path, path) == 0)
                return &places[k]->setting[i];
    return NULL;
}

// "path=value"; NULL: no memory
static const char *assign(trmi_memory *memory, const char *path, const trmi_item *value)
{
    const char *flow = trmi_fields_flow(memory, value);
    size_t size = flow ? strlen(path) + strlen(flow) + 2 : 0;
    char *text;
    if (!flow || !TRMI_TAKE(memory, text, size))
        return NULL;
    snprintf(text, size, "%s=%s", path, flow);
    return text;
}

bool trmi_experiment_read_settings(trmi_experiment *e, const trmi_item *map, trmi_settings *out)
{
    *out = (trmi_settings){0};
    if (map && map->count > TRMI_EXPERIMENT_SETTINGS) {
        trmi_report_key(e->document, map, "more than %d settings", TRMI_EXPERIMENT_SETTINGS);
        return true;
    }
    if (!TRMI_TAKE(&e->memory, out->setting, map ? map->count : 0))
        return false;
    for (const trmi_item *item = map ? map->child : NULL; item; item = item->next) {
        trmi_setting *s = &out->setting[out->count++];
        *s = (trmi_setting){item->key, assign(&e->memory, item->key, item), item};
        if (!s->assignment)
            return false;
    }
    return true;
}

// ---- ensemble ----

// factors multiply a number of the row: every row must have one
static void check_factors(trmi_experiment *e, const trmi_item *item)
{
    for (int i = 0; i < e->rows; i++) {
        const trmi_setting *s = trmi_experiment_setting(e, &e->row[i], item->key);
        double number;
        if (e->row[i].ratio[0] >= 0)
            continue; // runs nothing
        if (!s || !trmi_item_number(s->item, &number))
            trmi_report_key(e->document, item, "row '%.60s' sets no number for '%.60s' to multiply",
                            e->row[i].name ? e->row[i].name : "", item->key);
    }
}

static bool read_variation(trmi_experiment *e, const trmi_item *item, bool factors)
{
    if (e->variations == TRMI_EXPERIMENT_VARIATIONS) {
        trmi_report_key(e->document, item, "more than %d variations", TRMI_EXPERIMENT_VARIATIONS);
        return true;
    }
    if (item->kind != TRMI_LIST || item->count == 0) {
        trmi_report_key(e->document, item, "'%.60s' is varied over a list of values, not over %s",
                        item->key,
                        item->kind == TRMI_LIST ? "an empty one" : trmi_item_kind_text(item));
        return true;
    }
    trmi_variation *v = &e->variation[e->variations++];
    v->path = item->key;
    if (factors)
        check_factors(e, item);
    double *factor = NULL;
    if (factors ? !TRMI_TAKE(&e->memory, factor, item->count)
                : !TRMI_TAKE(&e->memory, v->alternative, item->count))
        return false;
    for (const trmi_item *i = item->child; i; i = i->next, v->count++) {
        if (factors && !trmi_item_number(i, &factor[v->count]))
            trmi_report(e->document, i, "a factor is a number");
        if (!factors && !(v->alternative[v->count] = assign(&e->memory, v->path, i)))
            return false;
    }
    v->factor = factor;
    return true;
}

bool trmi_experiment_read_ensemble(trmi_experiment *e, const trmi_item *root)
{
    static const char *const valid[] = {"factors", "alternatives", NULL};
    const trmi_item *map = trmi_fields_map(e->document, root, "ensemble", TRMI_FIELD_OPTIONAL);
    e->runs_per_row = 1;
    if (!map || !trmi_fields_check(e->document, map, "the ensemble", valid))
        return true;
    for (int k = 0; k < 2; k++) {
        const trmi_item *part = trmi_fields_map(e->document, map, valid[k], TRMI_FIELD_OPTIONAL);
        for (const trmi_item *item = part ? part->child : NULL; item; item = item->next)
            if (!read_variation(e, item, k == 0))
                return false;
    }
    long runs = 1;
    for (int k = 0; k < e->variations && runs <= TRMI_EXPERIMENT_RUNS; k++)
        runs *= e->variation[k].count;
    if (runs > TRMI_EXPERIMENT_RUNS)
        trmi_report_key(e->document, map, "more than %d combinations for each row",
                        TRMI_EXPERIMENT_RUNS);
    else
        e->runs_per_row = (int)runs;
    return true;
}
