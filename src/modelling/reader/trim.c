// SPDX-License-Identifier: Apache-2.0
// The section `equilibrium`: what is at rest or moves steadily, what is held, what is found.
#include "modelling/reader/reading.h"

#include "base/nearest.h"

#include <string.h>

// The coordinate whose position or velocity has this name; -1: reported.
static int find_coordinate(trmi_reading *r, const trmi_item *item, trm_channel_kind kind)
{
    const trm_model *m = r->model;
    int count = trm_model_count(m, kind);
    for (int i = 0; i < count; i++)
        if (strcmp(trm_model_channel(m, kind, i), item->text) == 0)
            return i;
    const char **name;
    const char *near = NULL;
    if (TRMI_TAKE(r->scratch, name, count)) {
        for (int i = 0; i < count; i++)
            name[i] = trm_model_channel(m, kind, i);
        near = trmi_nearest(item->text, name, count);
    }
    bool position = kind == TRM_CHANNEL_POSITION;
    trmi_report(r->document, item, "there is no %s '%.60s'%s%.60s%s%s",
                position ? "coordinate" : "rate", item->text, near ? "; did you mean '" : "",
                near ? near : "", near ? "'?" : "",
                near || count == 0 ? ""
                                   : "; `trammel check` lists the coordinates, which are others "
                                     "with coordinates: absolute than with coordinates: joint");
    return -1;
}

// A list of names as a list of coordinates; NULL: none, or no memory.
static const int *read_coordinates(trmi_reading *r, const char *path, trm_channel_kind kind,
                                   int *count)
{
    const trmi_item *list = trmi_item_path(r->root, path);
    int *index;
    *count = 0;
    if (!list || list->kind != TRMI_LIST) // otherwise reported with the keys
        return NULL;
    if (!TRMI_TAKE(r->memory, index, list->count)) {
        r->failed = true;
        return NULL;
    }
    for (const trmi_item *i = list->child; i; i = i->next) {
        int k = i->kind == TRMI_SCALAR ? find_coordinate(r, i, kind) : -1;
        for (int j = 0; j < *count && k >= 0; j++)
            if (index[j] == k) {
                trmi_report(r->document, i, "'%.60s' is named twice", i->text);
                k = -1;
            }
        if (k >= 0)
            index[(*count)++] = k;
    }
    return index;
}

static bool is_parameter(trmi_reading *r, const trmi_item *item)
{
    const trmi_item *given = trmi_item_path(r->root, "parameters");
    if (given && trmi_item_find(given, item->key))
        return true;
    const char *near = trmi_nearest_symbol(r, item->key, 0);
    trmi_report_key(r->document, item, "there is no parameter '%.60s'%s%.60s%s", item->key,
                    near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return false;
}

// `parameters` and `find`, which name parameters of the model
static void read_parameters(trmi_reading *r, trmi_trim *t)
{
    const trmi_item *values = trmi_item_path(r->root, "equilibrium.parameters"),
                    *finds = trmi_item_path(r->root, "equilibrium.find");
    int count = (values ? values->count : 0) + (finds ? finds->count : 0);
    trmi_trim_parameter *p;
    double value;
    if (!TRMI_TAKE(r->memory, p, count)) {
        r->failed = true;
        return;
    }
    t->parameter = p;
    for (const trmi_item *i = values ? values->child : NULL; i; i = i->next)
        if (is_parameter(r, i) && trmi_read_number(r, i, &value))
            p[t->parameters++] = (trmi_trim_parameter){trmi_keep_text(r, i->key), value, -1};
    for (const trmi_item *i = finds ? finds->child : NULL; i; i = i->next) {
        int held = -1, k = is_parameter(r, i) && i->kind == TRMI_SCALAR
                               ? find_coordinate(r, i, TRM_CHANNEL_POSITION)
                               : -1;
        for (int j = 0; j < t->trim.n_hold && k >= 0; j++)
            held = t->trim.hold[j] == k ? j : held;
        if (k >= 0 && held < 0)
            trmi_report(r->document, i,
                        "'%.60s' is not held: a parameter is found that makes the force vanish "
                        "which holds a coordinate; add it to `hold`",
                        i->text);
        if (values && trmi_item_find(values, i->key))
            trmi_report_key(r->document, i, "'%.60s' has a value in `parameters` already", i->key);
        if (held >= 0)
            p[t->parameters++] = (trmi_trim_parameter){trmi_keep_text(r, i->key), 0, held};
    }
    for (int k = 0; k < t->parameters; k++) {
        double first = 0;
        if (p[k].held < 0)
            continue;
        const trmi_item *given = trmi_item_find(trmi_item_path(r->root, "parameters"), p[k].name);
        trmi_read_number(r, given, &first);
        p[k].value = first;
    }
}

void trmi_read_trim(trmi_reading *r)
{
    const trmi_item *section = trmi_item_find(r->root, "equilibrium");
    trmi_trim *t = &r->model->trim;
    if (!section || section->kind != TRMI_MAP || trmi_document_errors(r->document) > 0)
        return;
    const trmi_item *speeds = trmi_item_find(section, "speeds"),
                    *rates = trmi_item_find(section, "rates");
    t->trim.steady = speeds && speeds->kind == TRMI_SCALAR && strcmp(speeds->text, "start") == 0;
    t->trim.hold = read_coordinates(r, "equilibrium.hold", TRM_CHANNEL_POSITION, &t->trim.n_hold);
    t->trim.rate = read_coordinates(r, "equilibrium.rates", TRM_CHANNEL_VELOCITY, &t->trim.n_rates);
    if (t->trim.n_rates > 0 && !t->trim.steady)
        trmi_report(r->document, rates, "rates are found in steady motion only: speeds: start");
    for (int k = 0; k < t->trim.n_rates; k++)
        for (int j = 0; j < t->trim.n_hold; j++)
            if (t->trim.hold[j] == t->trim.rate[k])
                trmi_report(r->document, rates, "the rate '%.60s' cannot be found: it is held",
                            trm_model_channel(r->model, TRM_CHANNEL_VELOCITY, t->trim.rate[k]));
    read_parameters(r, t);
}

const trm_trim *trm_model_trim(const trm_model *model)
{
    return model ? &model->trim.trim : NULL;
}
