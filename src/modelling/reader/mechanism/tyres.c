// SPDX-License-Identifier: Apache-2.0
// Laws of tyres in the model file, {LAW: {coefficient: number, ..}}, and tyre property files
// (.tir):
//
//     [SECTION]              $ a comment
//     KEY = number           $ or a text in quotes
//
// Coefficients in the model file go above those of the file.
#include "modelling/reader/mechanism/draft.h"

#include "base/hash.h"
#include "base/nearest.h"
#include "modelling/reader/beside.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_LINE = 1000, MAX_COEFFICIENTS = 100, MAX_LISTED = 300 };

// A law under reading.
typedef struct tyre_reading {
    trmi_draft *draft;
    const trmi_tyre_law *law;
    double *value;           // NAN: not yet given
    char unused[MAX_LISTED]; // names of the file that are not 0 and not used
} tyre_reading;

static int find_coefficient(const trmi_tyre_law *law, const char *name)
{
    for (int k = 0; k < law->count; k++)
        if (strcmp(law->coefficient[k].name, name) == 0)
            return k;
    return TRMI_NOTHING;
}

// ---- tyre property files ---------------------------------------------------------------------

// appends a name to a list in a text, as far as there is space
static void list_name(char *list, size_t size, const char *name)
{
    size_t used = strlen(list);
    if (used + strlen(name) + 6 < size)
        snprintf(list + used, size - used, "%s%s", used ? ", " : "", name);
    else if (used > 3 && strcmp(list + used - 3, "...") != 0)
        snprintf(list + used, size - used, ", ...");
}

// names of coefficients: P, Q, R, S or L, then capitals, a digit at the end
static bool is_coefficient(const char *key)
{
    size_t n = strlen(key);
    return n > 3 && strchr("PQRSL", key[0]) && isdigit((unsigned char)key[n - 1]);
}

// the text without spaces around it, in place
static char *trim(char *text)
{
    text += strspn(text, " \t\r\n");
    size_t n = strlen(text);
    while (n > 0 && isspace((unsigned char)text[n - 1]))
        text[--n] = '\0';
    return text;
}

// one line without comment; false: reported
static bool take_line(tyre_reading *t, const trmi_item *file, int number, char *text)
{
    trmi_document *document = t->draft->r->document;
    char *equals = strchr(text, '='), *end;
    if (text[0] == '\0' || text[0] == '[' || text[0] == '{')
        return true;
    if (!equals) {
        if (isalpha((unsigned char)text[0])) {
            trmi_report(document, file, "%.100s, line %d: there is no '=' in '%.40s'", file->text,
                        number, text);
            return false;
        }
        return true; // rows of a table, such as [SHAPE]
    }
    *equals = '\0';
    char *key = trim(text), *value = trim(equals + 1);
    int k = find_coefficient(t->law, key);
    double x = strtod(value, &end);
    bool is_number = end != value && *end == '\0' && isfinite(x);
    if (k != TRMI_NOTHING && !is_number) {
        trmi_report(document, file, "%.100s, line %d: '%.40s' must be a number, not '%.40s'",
                    file->text, number, key, value);
        return false;
    }
    if (k != TRMI_NOTHING)
        t->value[k] = x;
    else if (is_number && x != 0 && is_coefficient(key))
        list_name(t->unused, sizeof t->unused, key);
    return true;
}

static bool read_lines(tyre_reading *t, const trmi_item *file, FILE *stream)
{
    char text[LONGEST_LINE];
    bool good = true;
    for (int number = 1; good && fgets(text, sizeof text, stream); number++) {
        if (!strchr(text, '\n') && !feof(stream)) {
            trmi_report(t->draft->r->document, file, "%.100s, line %d has more than %d characters",
                        file->text, number, LONGEST_LINE - 2);
            return false;
        }
        text[strcspn(text, "$!")] = '\0';
        good = take_line(t, file, number, trim(text));
    }
    if (good && ferror(stream))
        trmi_report(t->draft->r->document, file, "cannot read '%.200s'", file->text);
    return good && !ferror(stream);
}

static bool read_property_file(tyre_reading *t, const trmi_item *file)
{
    trmi_reading *r = t->draft->r;
    char path[4096];
    if (file->kind != TRMI_SCALAR) {
        trmi_report(r->document, file, "'file' is the path of a tyre property file (.tir)");
        return false;
    }
    trmi_path_beside(r->model->path, file->text, path, sizeof path);
    FILE *stream = trmi_open_beside(path);
    if (!stream) {
        trmi_report(r->document, file, "cannot read '%.200s': %s", path, trmi_read_failure());
        return false;
    }
    bool good = read_lines(t, file, stream);
    fclose(stream);
    return good;
}

// ---- the map ---------------------------------------------------------------------------------

static const trmi_tyre_law *find_law(trmi_draft *d, const trmi_item *item)
{
    const trmi_tyre_law *law;
    char names[200] = "";
    for (int k = 0; (law = trmi_tyre_law_at(k)); k++) {
        if (strcmp(law->name, item->key) == 0)
            return law;
        list_name(names, sizeof names, law->name);
    }
    trmi_report_key(d->r->document, item, "there is no law of tyres '%.60s'; there are: %s",
                    item->key, names);
    return NULL;
}

static void take_entry(tyre_reading *t, const trmi_item *item)
{
    const char *name[MAX_COEFFICIENTS];
    int k = find_coefficient(t->law, item->key), count = 0;
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

// defaults, and what is missing
static void finish_coefficients(tyre_reading *t, const trmi_item *item, const trmi_item *file,
                                unsigned use)
{
    char missing[MAX_LISTED] = "";
    for (int k = 0; k < t->law->count; k++) {
        const trmi_tyre_coefficient *c = &t->law->coefficient[k];
        if (!isnan(t->value[k]))
            continue;
        if (isnan(c->preset) && (c->use & use))
            list_name(missing, sizeof missing, c->name);
        t->value[k] = isnan(c->preset) ? 0 : c->preset;
    }
    trmi_document *document = t->draft->r->document;
    if (missing[0] && file)
        trmi_report(document, file, "coefficients of '%s' are missing in %.100s: %s", t->law->name,
                    file->text, missing);
    else if (missing[0])
        trmi_report_key(document, item, "coefficients of '%s' are missing: %s", t->law->name,
                        missing);
    else if (t->unused[0])
        trmi_warn(document, file, "coefficients of %.100s that '%s' does not use: %s", file->text,
                  t->law->name, t->unused);
}

void trmi_draft_tyre_law(trmi_draft *d, const trmi_item *map, unsigned use, trmi_tyre_choice *out)
{
    const trmi_item *item = map->kind == TRMI_MAP ? map->child : NULL;
    tyre_reading t = {.draft = d};
    if (!item || item->next || item->kind != TRMI_MAP) {
        trmi_report(d->r->document, map,
                    "'law' is a map with one law and its coefficients: {calspan: {A0: 2625, ..}}");
        return;
    }
    if (!(t.law = find_law(d, item)))
        return;
    if (!TRMI_TAKE(d->r->memory, t.value, t.law->count)) {
        d->r->failed = true;
        return;
    }
    for (int k = 0; k < t.law->count; k++)
        t.value[k] = NAN;
    const trmi_item *file = trmi_item_find(item, "file");
    if (file && !read_property_file(&t, file))
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
