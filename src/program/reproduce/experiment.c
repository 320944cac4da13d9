// SPDX-License-Identifier: Apache-2.0
// Reader of experiment files: heads and rows.
#include "program/reproduce/experiment.h"

#include "program/reproduce/fields.h"
#include "program/run/console.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- rows ----

// 5, [2, 7], null, or {shown: any of them}
static trmi_expected read_expected(trmi_experiment *e, const trmi_item *item)
{
    const trmi_expected nothing = {NAN, NAN, false};
    trmi_expected x = nothing;
    if (item->kind == TRMI_MAP && item->count == 1 && strcmp(item->child->key, "shown") == 0) {
        x.shown = true;
        item = item->child;
    }
    if (trmi_item_null(item))
        return nothing;
    bool range = item->kind == TRMI_LIST && item->count == 2;
    const trmi_item *low = range ? trmi_item_at(item, 0) : item;
    const trmi_item *high = range ? trmi_item_at(item, 1) : item;
    if (!trmi_item_number(low, &x.low) || !trmi_item_number(high, &x.high) || x.low > x.high) {
        trmi_report(
            e->document, item,
            "the value of a paper is a number, a range [low, high], null, or {shown: one of "
            "them}");
        return nothing;
    }
    return x;
}

// the values of one key, one for each column
static bool read_values(trmi_experiment *e, const trmi_item *item, const char *key,
                        trmi_experiment_row *row)
{
    const trmi_item *list = trmi_fields_list(e->document, item, key, TRMI_FIELD_OPTIONAL);
    trmi_expected *expected;
    if (!list)
        return true;
    if (list->count != e->columns) {
        trmi_report(e->document, list, "%d values for %d columns", list->count, e->columns);
        return true;
    }
    if (!TRMI_TAKE(&e->memory, expected, e->columns))
        return false;
    int k = 0;
    for (const trmi_item *cell = list->child; cell; cell = cell->next)
        expected[k++] = read_expected(e, cell);
    row->expected = expected;
    return true;
}

// index of a row above: only such rows are known when they are needed
static int find_above(trmi_experiment *e, const trmi_item *item, const char *name)
{
    int index = name ? trmi_experiment_find_row(e, name) : -1;
    if (name && index < 0)
        trmi_report(e->document, item, "no row above is called '%.60s'", name);
    return index;
}

// two rows above: this one is their quotient and runs nothing itself
static void read_ratio(trmi_experiment *e, const trmi_item *item, trmi_experiment_row *row)
{
    const trmi_item *list = trmi_fields_list(e->document, item, "ratio", TRMI_FIELD_OPTIONAL);
    const trmi_item *set = trmi_item_find(item, "set");
    if (!list)
        return;
    if (list->count != 2)
        trmi_report(e->document, list, "a ratio is that of 2 rows, not of %d", list->count);
    for (int k = 0; k < 2 && list->count == 2; k++) {
        const trmi_item *name = trmi_item_at(list, k);
        row->ratio[k] = find_above(e, name, name->kind == TRMI_SCALAR ? name->text : "");
    }
    if (set)
        trmi_report_key(e->document, set, "a ratio has no runs: 'set' would have no effect");
}

// what is expected of a row: by at most one of three keys
static bool read_expectation(trmi_experiment *e, const trmi_item *item, trmi_experiment_row *row)
{
    static const char *const keys[] = {"paper", "theory", "like"};
    const trmi_item *first = NULL;
    for (int k = 0; k < 3; k++) {
        const trmi_item *found = trmi_item_find(item, keys[k]);
        if (found && first)
            trmi_report_key(e->document, found, "'%s' beside '%s': only one can be expected",
                            keys[k], first->key);
        first = first ? first : found;
    }
    row->published = first && strcmp(first->key, "paper") == 0;
    const char *like = trmi_fields_text(e->document, item, "like", TRMI_FIELD_OPTIONAL);
    row->like = find_above(e, trmi_item_find(item, "like"), like);
    return read_values(e, item, "paper", row) && read_values(e, item, "theory", row);
}

static bool read_row(trmi_experiment *e, const trmi_item *root, const trmi_item *item)
{
    static const char *const valid[] = {"name", "set",   "ratio", "paper",  "theory",
                                        "like", "slack", "judge", "reason", NULL};
    trmi_document *d = e->document;
    trmi_experiment_row row = {.like = -1, .ratio = {-1, -1}, .judged = true};
    if (!trmi_fields_check(d, item, "a row", valid))
        return true;
    row.name = trmi_fields_text(d, item, "name", TRMI_FIELD_REQUIRED);
    if (row.name && trmi_experiment_find_row(e, row.name) >= 0)
        trmi_report(d, trmi_item_find(item, "name"), "a second row '%.60s'", row.name);
    trmi_fields_number(d, root, "slack", &row.slack);
    trmi_fields_number(d, item, "slack", &row.slack);
    if (!(row.slack >= 0 && row.slack <= 1))
        trmi_report(d, item, "the slack %g is not between 0 and 1", row.slack);
    trmi_fields_truth(d, root, "judge", &row.judged);
    trmi_fields_truth(d, item, "judge", &row.judged);
    const trmi_item *holder = trmi_item_find(item, "reason") ? item : root;
    row.reason = trmi_fields_text(d, holder, "reason", TRMI_FIELD_OPTIONAL);
    read_ratio(e, item, &row);
    const trmi_item *set = trmi_fields_map(d, item, "set", TRMI_FIELD_OPTIONAL);
    if (!trmi_experiment_read_settings(e, set, &row.set) || !read_expectation(e, item, &row))
        return false;
    e->row[e->rows++] = row;
    return true;
}

// ---- the whole ----

// path of the model, which the file gives as seen from its own folder
static bool place_model(trmi_experiment *e, const char *path, const char *model)
{
    const char *slash = strrchr(path, '/');
    size_t folder = model && model[0] != '/' && slash ? (size_t)(slash + 1 - path) : 0;
    char *text;
    if (!model)
        return true;
    if (!TRMI_TAKE(&e->memory, text, folder + strlen(model) + 1))
        return false;
    memcpy(text, path, folder);
    strcpy(text + folder, model);
    e->model = text;
    return true;
}

static bool read_head(trmi_experiment *e, const char *path, const trmi_item *root)
{
    trmi_document *d = e->document;
    char *stem;
    size_t size = strlen(path) + sizeof "model";
    const trmi_item *version = trmi_item_find(root, "trammel-experiment");
    if (!version)
        trmi_report_key(d, root,
                        "the key 'trammel-experiment' is missing; an experiment begins "
                        "with 'trammel-experiment: 1'");
    else if (version->kind != TRMI_SCALAR || strcmp(version->text, "1") != 0)
        trmi_report(d, version, "the version of the format is 1");
    e->title = trmi_fields_text(d, root, "title", TRMI_FIELD_REQUIRED);
    e->source = trmi_fields_text(d, root, "source", TRMI_FIELD_REQUIRED);
    e->about = trmi_fields_text(d, root, "about", TRMI_FIELD_OPTIONAL);
    if (!TRMI_TAKE(&e->memory, stem, size))
        return false;
    e->name = trmi_stem(path, stem, (int)size);
    const char *model = trmi_fields_text(d, root, "model", TRMI_FIELD_REQUIRED);
    const trmi_item *settings = trmi_fields_map(d, root, "settings", TRMI_FIELD_OPTIONAL);
    const trmi_item *reference = trmi_fields_map(d, root, "reference", TRMI_FIELD_OPTIONAL);
    e->has_reference = reference != NULL;
    const char *mean = trmi_fields_text(d, root, "mean", TRMI_FIELD_OPTIONAL);
    e->geometric = mean && strcmp(mean, "geometric") == 0;
    if (mean && !e->geometric && strcmp(mean, "median") != 0)
        trmi_report(d, trmi_item_find(root, "mean"), "the mean is geometric or median, not '%.60s'",
                    mean);
    return place_model(e, path, model) &&
           trmi_experiment_read_settings(e, settings, &e->settings) &&
           trmi_experiment_read_settings(e, reference, &e->reference);
}

static bool read_parts(trmi_experiment *e, const char *path)
{
    static const char *const valid[] = {"trammel-experiment",
                                        "title",
                                        "source",
                                        "about",
                                        "model",
                                        "columns",
                                        "settings",
                                        "reference",
                                        "ensemble",
                                        "mean",
                                        "slack",
                                        "judge",
                                        "reason",
                                        "rows",
                                        "claims",
                                        "figures",
                                        NULL};
    const trmi_item *root = trmi_document_root(e->document);
    if (!trmi_fields_check(e->document, root, "an experiment", valid))
        return true;
    if (!read_head(e, path, root) || !trmi_experiment_read_columns(e, root))
        return false;
    const trmi_item *rows = trmi_fields_list(e->document, root, "rows", TRMI_FIELD_REQUIRED);
    if (!TRMI_TAKE(&e->memory, e->row, rows ? rows->count : 0))
        return false;
    for (const trmi_item *item = rows ? rows->child : NULL; item; item = item->next)
        if (!read_row(e, root, item))
            return false;
    return trmi_experiment_read_ensemble(e, root) && trmi_experiment_read_claims(e, root) &&
           trmi_experiment_read_drawings(e, root);
}

static void report_no_memory(const char *path, trm_diagnostic_function *report, void *user)
{
    if (report)
        report(&(trm_diagnostic){.error = 1, .file = path, .text = "out of memory", .length = 1},
               user);
}

trmi_experiment *trmi_experiment_read(const char *path, const char *text, size_t length,
                                      trm_diagnostic_function *report, void *user)
{
    trmi_memory memory;
    trmi_experiment *e;
    trmi_memory_init(&memory, NULL);
    if (!TRMI_TAKE(&memory, e, 1)) {
        report_no_memory(path, report, user);
        return NULL;
    }
    e->memory = memory;
    e->document = text ? trmi_document_read(&e->memory, path, text, length, report, user)
                       : trmi_document_load(&e->memory, path, report, user);
    bool good = e->document && trmi_document_errors(e->document) == 0;
    if (good && !read_parts(e, path)) {
        report_no_memory(path, report, user);
        good = false;
    }
    if (good && trmi_document_errors(e->document) == 0)
        return e;
    trmi_experiment_destroy(e);
    return NULL;
}

void trmi_experiment_destroy(trmi_experiment *e)
{
    if (!e)
        return;
    trmi_memory memory = e->memory; // the experiment lies in it
    trmi_memory_release_all(&memory);
}
