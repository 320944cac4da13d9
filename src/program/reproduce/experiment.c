// SPDX-License-Identifier: Apache-2.0
// Reader of experiment files: the head and the whole.
#include "program/reproduce/experiment.h"

#include "program/reproduce/fields.h"
#include "program/run/console.h"

#include <stdio.h>
#include <string.h>

// ---- the whole ----

// path of a file, which the experiment gives as seen from its own folder
static bool place_file(trmi_experiment *e, const char *path, const char *file, char **out)
{
    const char *slash = strrchr(path, '/');
    size_t folder = file[0] != '/' && slash ? (size_t)(slash + 1 - path) : 0;
    if (!TRMI_TAKE(&e->memory, *out, folder + strlen(file) + 1))
        return false;
    memcpy(*out, path, folder);
    strcpy(*out + folder, file);
    return true;
}

// the paper that the file names
static bool read_paper(trmi_experiment *e, const char *path, const trmi_item *root,
                       trm_diagnostic_function *report, void *user)
{
    const char *name = trmi_fields_text(e->document, root, "paper", TRMI_FIELD_OPTIONAL);
    char *file;
    int errors;
    e->unknown = trmi_fields_text(e->document, root, "unknown", TRMI_FIELD_OPTIONAL);
    if (!name)
        return true;
    if (!place_file(e, path, name, &file))
        return false;
    e->paper = trmi_paper_read(&e->memory, file, &errors, report, user);
    if (!e->paper && errors == 0)
        return false;
    if (errors > 0)
        trmi_report(e->document, trmi_item_find(root, "paper"),
                    "the paper '%.200s' cannot be used: see the messages about it", file);
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
    char *place = NULL;
    if (model && !place_file(e, path, model, &place))
        return false;
    e->model = place;
    return trmi_experiment_read_settings(e, settings, &e->settings) &&
           trmi_experiment_read_settings(e, reference, &e->reference);
}

static bool read_parts(trmi_experiment *e, const char *path, trm_diagnostic_function *report,
                       void *user)
{
    static const char *const valid[] = {"trammel-experiment",
                                        "title",
                                        "source",
                                        "paper",
                                        "table",
                                        "unknown",
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
    if (!read_head(e, path, root) || !read_paper(e, path, root, report, user) ||
        !trmi_experiment_read_columns(e, root) || !trmi_experiment_read_rows(e, root))
        return false;
    return trmi_experiment_read_ensemble(e, root) && trmi_experiment_read_claims(e, root) &&
           trmi_experiment_read_drawings(e, root);
}

trmi_experiment *trmi_experiment_read(const char *path, const char *text, size_t length,
                                      trm_diagnostic_function *report, void *user)
{
    trmi_memory memory;
    trmi_experiment *e;
    trmi_memory_init(&memory, NULL);
    if (!TRMI_TAKE(&memory, e, 1))
        return NULL;
    e->memory = memory;
    e->document = text ? trmi_document_read(&e->memory, path, text, length, report, user)
                       : trmi_document_load(&e->memory, path, report, user);
    bool good =
        e->document && trmi_document_errors(e->document) == 0 && read_parts(e, path, report, user);
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
