// SPDX-License-Identifier: Apache-2.0
// Laws of tyres in the model file, {LAW: {coefficient: number, ..}}. Coefficients in the model file
// go above those of a tyre property file.
#include "modelling/reader/mechanism/tyre_file.h"

#include "base/hash.h"
#include "base/nearest.h"

#include <string.h>

enum { MAX_COEFFICIENTS = 100 };

static const trmi_tyre_law *find_law(trmi_draft *d, const trmi_item *item)
{
    const trmi_tyre_law *law;
    char names[200] = "";
    for (int k = 0; (law = trmi_tyre_law_at(k)); k++) {
        if (strcmp(law->name, item->key) == 0)
            return law;
        trmi_tyre_list_name(names, sizeof names, law->name);
    }
    trmi_report_key(d->r->document, item, "there is no law of tyres '%.60s'; there are: %s",
                    item->key, names);
    return NULL;
}

static void take_entry(trmi_tyre_reading *t, const trmi_item *item)
{
    const char *name[MAX_COEFFICIENTS];
    int k = trmi_tyre_find_coefficient(t->law, item->key), count = 0;
    if (k != TRMI_NOTHING) {
        trmi_draft_number(t->draft, item, &t->value[k]);
        return;
    }
    for (; count < t->law->count && count < MAX_COEFFICIENTS; count++)
        name[count] = t->law->coefficient[count].name;
    const char *near = trmi_nearest(item->key, name, count);
    trmi_report_key(t->draft->r->document, item, "'%s' has no coefficient '%.60s'%s%s%s",
                    t->law->name, item->key, near ? "; did you mean '" : "", near ? near : "",
                    near ? "'?" : "");
}

// Signs of the coefficients that count.
static void check_signs(const trmi_tyre_reading *t, const trmi_item *item, unsigned use)
{
    for (int k = 0; k < t->law->count; k++) {
        const trmi_tyre_coefficient *c = &t->law->coefficient[k];
        if (c->sign != 0 && (c->use == 0 || (c->use & use)) && !(c->sign * t->value[k] > 0))
            trmi_report_key(t->draft->r->document, item, "'%s' of '%s' must be %s, not %g", c->name,
                            t->law->name, c->sign > 0 ? "positive" : "negative", t->value[k]);
    }
}

// defaults, and what is missing
static void finish_coefficients(trmi_tyre_reading *t, const trmi_item *item, const trmi_item *file,
                                unsigned use)
{
    char missing[TRMI_TYRE_LISTED] = "";
    for (int k = 0; k < t->law->count; k++) {
        const trmi_tyre_coefficient *c = &t->law->coefficient[k];
        if (!isnan(t->value[k]))
            continue;
        if (isnan(c->preset) && (c->use & use))
            trmi_tyre_list_name(missing, sizeof missing, c->name);
        t->value[k] = isnan(c->preset) ? 0 : c->preset;
    }
    trmi_document *document = t->draft->r->document;
    if (missing[0] && file)
        trmi_report(document, file, "coefficients of '%s' are missing in %.100s: %s", t->law->name,
                    file->text, missing);
    else if (missing[0])
        trmi_report_key(document, item, "coefficients of '%s' are missing: %s", t->law->name,
                        missing);
    else
        check_signs(t, item, use);
    if (!missing[0] && t->unused[0])
        trmi_warn(document, file, "coefficients of %.100s that '%s' does not use: %s", file->text,
                  t->law->name, t->unused);
}

void trmi_draft_tyre_law(trmi_draft *d, const trmi_item *map, unsigned use, trmi_tyre_choice *out)
{
    const trmi_item *item = map->kind == TRMI_MAP ? map->child : NULL;
    trmi_tyre_reading t = {.draft = d};
    if (!item || item->next || item->kind != TRMI_MAP) {
        trmi_report(d->r->document, map,
                    "'law' is a map with one law and its coefficients: {calspan: {A0: 2625, ..}}");
        return;
    }
    if (!(t.law = find_law(d, item)))
        return;
    if (!TRMI_TAKE(d->r->memory, t.value, t.law->count) ||
        !TRMI_TAKE(d->r->scratch, t.line, t.law->count)) {
        d->r->failed = true;
        return;
    }
    for (int k = 0; k < t.law->count; k++)
        t.value[k] = NAN;
    const trmi_item *file = trmi_item_find(item, "file");
    if (file && !trmi_tyre_read_file(&t, file))
        return;
    for (const trmi_item *i = item->child; i; i = i->next)
        if (i != file)
            take_entry(&t, i);
    finish_coefficients(&t, item, file, use);
    if (file) // its content decides the motion as the text of the model does
        d->r->model->hash =
            trmi_hash(d->r->model->hash, t.value, (size_t)t.law->count * sizeof *t.value);
    *out = (trmi_tyre_choice){t.law, t.value};
}
