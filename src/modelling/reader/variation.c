// SPDX-License-Identifier: Apache-2.0
// A model with other values of its parameters: the document, once checked and written out, is kept;
// of a copy of it, with numbers in the place of these parameters, another model is made.
#include "modelling/reader/parts.h"
#include "modelling/reader/reading.h"

#include "base/nearest.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- uses of parts, which have places that follow from parameters ----

// What became of the uses of the first document, the latest first.
typedef struct moved_use {
    const trmi_use *from;
    trmi_use *to;
    struct moved_use *next;
} moved_use;

typedef struct moving {
    trmi_memory *memory;
    moved_use *first;
    bool failed;
} moving;

static trmi_use *move_use(moving *m, const trmi_use *from)
{
    if (!from || m->failed)
        return NULL;
    for (moved_use *known = m->first; known; known = known->next)
        if (known->from == from)
            return known->to;
    moved_use *entry;
    trmi_use *to;
    trmi_item *item; // in the section `use`, which may itself be placed by another use
    if (!TRMI_SHARE(m->memory, entry, 1) || !TRMI_SHARE(m->memory, to, 1) ||
        !TRMI_SHARE(m->memory, item, 1)) {
        m->failed = true;
        return NULL;
    }
    *item = *from->item;
    item->use = move_use(m, from->item->use);
    *to = *from;
    to->item = item;
    to->outer = move_use(m, from->outer);
    *entry = (moved_use){from, to, m->first};
    m->first = entry;
    return to;
}

static void move_uses(moving *m, trmi_item *item)
{
    for (; item && !m->failed; item = item->next) {
        item->use = move_use(m, item->use);
        move_uses(m, item->child);
    }
}

static trmi_document *clone(trmi_memory *memory, const trmi_document *from,
                            trm_diagnostic_function *report, void *user)
{
    trmi_document *d = trmi_document_clone(memory, from, report, user);
    moving m = {.memory = memory};
    if (d)
        move_uses(&m, trmi_document_root(d));
    return m.failed ? NULL : d;
}

// ---- the first reading ----

static bool find_name(const trmi_item *root, const char *name, const char **near)
{
    const trmi_item *section = trmi_item_find(root, "parameters");
    *near = NULL;
    if (trmi_item_find(section, name))
        return true;
    for (const trmi_item *i = section ? section->child : NULL; i && !*near; i = i->next)
        *near = i->key ? trmi_nearest(name, &(const char *const){i->key}, 1) : NULL;
    return false;
}

bool trmi_model_parameter_named(const trm_model *model, const char *name, const char **near)
{
    return find_name(trmi_document_root(model->kept.document), name, near);
}

// a name that is not a parameter, at the section
static void check_name(trmi_reading *r, const char *name)
{
    const trmi_item *root = trmi_document_root(r->document);
    const trmi_item *section = trmi_item_find(root, "parameters");
    const char *near;
    if (find_name(root, name, &near))
        return;
    trmi_report_key(r->document, section ? section : root, "there is no parameter '%.60s'%s%.60s%s",
                    name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static int allow_again(const char *path, void *user)
{
    (void)path;
    (void)user;
    return 1; // it was asked for when the model was loaded
}

void trmi_keep_variation(trmi_reading *r)
{
    trmi_kept_file *v = &r->model->kept;
    const trm_load *load = r->load;
    trmi_texts texts = {.memory = &v->memory};
    const char **name = NULL;
    int count = 0;
    while (load->vary[count])
        count++;
    double *value = NULL;
    r->failed =
        r->failed || !TRMI_TAKE(&v->memory, name, count) || !TRMI_TAKE(&v->memory, value, count);
    for (int k = 0; k < count && !r->failed; k++) {
        check_name(r, load->vary[k]);
        r->failed = !(name[k] = TRMI_JOIN(&texts, load->vary[k]));
    }
    trmi_document *kept = r->document;
    if (r->failed)
        return;
    trmi_document *copy = clone(r->scratch, kept, NULL, NULL);
    r->failed = !copy;
    if (r->failed)
        return;
    r->document = copy;
    *v = (trmi_kept_file){.memory = v->memory,
                          .document = kept,
                          .count = count,
                          .name = name,
                          .value = value,
                          .load = {.problem = load->problem,
                                   .user = load->user,
                                   .library = allow_again,
                                   .sensitive = load->sensitive}};
}

void trmi_mark_varied(trmi_reading *r)
{
    const trmi_kept_file *v = &r->model->kept;
    for (int k = 0; k < v->count && k < TRMI_MAX_FOLLOWED; k++) {
        trmi_symbol *s = trmi_symbols_find(&r->symbols, v->name[k]);
        if (s)
            s->follows = UINT64_C(1) << k;
    }
}

void trmi_keep_values(trmi_reading *r)
{
    const trmi_kept_file *v = &r->model->kept;
    for (int k = 0; k < v->count; k++) {
        const trmi_symbol *s = trmi_symbols_find(&r->symbols, v->name[k]);
        if (s)
            trmi_is_constant(&r->graph, s->node, &v->value[k]);
    }
}

const char *trm_model_varied(const trm_model *model, int index, double *value)
{
    if (!model || index < 0 || index >= model->kept.count)
        return NULL;
    if (value)
        *value = model->kept.value[index];
    return model->kept.name[index];
}

// ---- further readings ----

// the shortest text that reads back as the number, with a point in every locale
static const char *number_text(trmi_texts *texts, double value)
{
    char text[64];
    int digits = 15;
    do
        snprintf(text, sizeof text, "%.*g", digits, value);
    while (strtod(text, NULL) != value && ++digits <= 17);
    const char *mark = localeconv()->decimal_point;
    char *found = strcmp(mark, ".") == 0 ? NULL : strstr(text, mark);
    if (found) {
        memmove(found + 1, found + strlen(mark), strlen(found + strlen(mark)) + 1);
        *found = '.';
    }
    return TRMI_JOIN(texts, text);
}

trmi_document *trmi_varied_document(const trm_model *model, const double *values,
                                    trmi_memory *memory, trm_diagnostic_function *report,
                                    void *user)
{
    const trmi_kept_file *v = &model->kept;
    trmi_texts texts = {.memory = memory};
    trmi_document *d = clone(memory, v->document, report, user);
    trmi_item *section = d ? trmi_item_find(trmi_document_root(d), "parameters") : NULL;
    for (int k = 0; k < v->count && d; k++) {
        trmi_item *item = trmi_item_find(section, v->name[k]);
        const char *text = number_text(&texts, values[k]);
        if (!item || !text)
            return NULL;
        item->kind = TRMI_SCALAR;
        item->text = text;
        item->quoted = false;
        item->child = NULL;
        item->count = 0;
    }
    return d;
}
