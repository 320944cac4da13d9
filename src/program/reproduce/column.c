// SPDX-License-Identifier: Apache-2.0
#include "program/reproduce/column.h"

#include "base/nearest.h"
#include "program/reproduce/fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_KEYS = 64 };

// ---- reading ----

// The key that determines the kind of the column: exactly one of them.
static const trmi_item *read_kind(trmi_experiment *e, const trmi_item *map, trmi_table_column *c)
{
    static const char *const names[TRMI_COLUMN_KINDS] = {"value", "error",   "digits", "setting",
                                                         "share", "largest", "matrix"};
    const trmi_item *found = NULL;
    for (int k = 0; k < TRMI_COLUMN_KINDS; k++) {
        const trmi_item *item = trmi_item_find(map, names[k]);
        if (item && found)
            trmi_report_key(e->document, item, "'%s' beside '%s': a column is one of them",
                            names[k], found->key);
        else if (item)
            c->kind = (trmi_table_column_kind)k;
        found = found ? found : item;
    }
    if (!found)
        trmi_report_key(e->document, map,
                        "a column needs 'value', 'error', 'digits', 'setting', 'share', "
                        "'largest' or 'matrix'");
    return found;
}

// One name or a list of names.
static bool read_keys(trmi_experiment *e, const trmi_item *item, trmi_table_column *c)
{
    bool list = item->kind == TRMI_LIST;
    if (!TRMI_TAKE(&e->memory, c->key, list ? item->count : 1))
        return false;
    for (const trmi_item *i = list ? item->child : item; i; i = list ? i->next : NULL) {
        if (i->kind == TRMI_SCALAR && !trmi_item_null(i))
            c->key[c->keys++] = i->text;
        else
            trmi_report(e->document, i, "'%s' is the name of a number like q.x, or a list of names",
                        item->key);
    }
    return true;
}

// One number or a list of them, as many as there are names.
static bool read_exact(trmi_experiment *e, const trmi_item *item, trmi_table_column *c)
{
    bool list = item->kind == TRMI_LIST;
    double *exact;
    int count = 0;
    if ((list ? item->count : 1) != c->keys) {
        trmi_report(e->document, item, "%d exact values for %d names", list ? item->count : 1,
                    c->keys);
        return true;
    }
    if (!TRMI_TAKE(&e->memory, exact, c->keys))
        return false;
    for (const trmi_item *i = list ? item->child : item; i; i = list ? i->next : NULL) {
        if (!trmi_item_number(i, &exact[count]))
            trmi_report(e->document, i, "an exact value is a number");
        else if (c->kind == TRMI_COLUMN_DIGITS && exact[count] == 0)
            trmi_report(e->document, i, "nothing has correct digits of 0");
        count++;
    }
    c->exact = exact;
    return true;
}

static bool compares(const trmi_table_column *c)
{
    return c->kind == TRMI_COLUMN_ERROR || c->kind == TRMI_COLUMN_DIGITS;
}

// what divides the numbers of a column: a number, or a setting
static void read_divisor(trmi_experiment *e, const trmi_item *map, trmi_table_column *c)
{
    const char *per = trmi_fields_text(e->document, map, "per", TRMI_FIELD_OPTIONAL);
    c->divisor = 1;
    if (per && !trmi_item_number(trmi_item_find(map, "per"), &c->divisor))
        c->per = per;
    if (c->divisor == 0)
        trmi_report(e->document, trmi_item_find(map, "per"), "nothing can be divided by 0");
}

// the column above of which this one is a share
static void read_share(trmi_experiment *e, const trmi_item *name, trmi_table_column *c)
{
    c->share = c->keys == 1 ? trmi_experiment_find_column(e, c->key[0]) : -1;
    if (c->share < 0 || &e->column[c->share] == c)
        trmi_report(e->document, name, "no column above is called '%.60s'",
                    c->keys > 0 ? c->key[0] : "");
}

// a number of the Newton matrix by its name; NULL: there is none
static const int *find_count(const trmi_trial_matrices *matrices, const char *name)
{
    static const trmi_trial_matrices any = {0};
    const trmi_trial_matrices *m = matrices ? matrices : &any;
    return strcmp(name, "columns") == 0     ? &m->declared.n
           : strcmp(name, "entries") == 0   ? &m->declared.count
           : strcmp(name, "groups") == 0    ? &m->declared.groups.count
           : strcmp(name, "dependent") == 0 ? &m->dependent.count
                                            : NULL;
}

// {value, error, ...: NAMES, exact: NUMBERS, per: PATH or NUMBER}
static bool read_map(trmi_experiment *e, const trmi_item *map, trmi_table_column *c)
{
    static const char *const valid[] = {"value",   "error",  "digits", "setting", "share",
                                        "largest", "matrix", "exact",  "per",     NULL};
    trmi_document *d = e->document;
    if (!trmi_fields_check(d, map, "a column that is not a key of the summary", valid))
        return true;
    const trmi_item *exact = trmi_item_find(map, "exact"), *names = read_kind(e, map, c);
    read_divisor(e, map, c);
    if (!names)
        return true;
    if (!read_keys(e, names, c) || (exact && !read_exact(e, exact, c)))
        return false;
    if (c->kind == TRMI_COLUMN_SHARE)
        read_share(e, names, c);
    if (c->kind == TRMI_COLUMN_MATRIX && c->keys == 1 && find_count(NULL, c->key[0]) == NULL)
        trmi_report(d, names, "a matrix has 'columns', 'entries', 'groups' or 'dependent'");
    if (!compares(c) && exact)
        trmi_report_key(d, map, "a %s has nothing exact beside it", names->key);
    if (!compares(c) && c->kind != TRMI_COLUMN_VALUE && c->keys != 1)
        trmi_report_key(d, map, "a %s has one name", names->key);
    if (compares(c) && !exact && !e->has_reference)
        trmi_report_key(d, map,
                        "an error needs something to compare with: add 'exact' here or the key "
                        "'reference' to the experiment");
    return true;
}

bool trmi_experiment_read_columns(trmi_experiment *e, const trmi_item *root)
{
    const trmi_item *map = trmi_fields_map(e->document, root, "columns", TRMI_FIELD_REQUIRED);
    if (map && map->count > TRMI_EXPERIMENT_COLUMNS) {
        trmi_report_key(e->document, map, "more than %d columns", TRMI_EXPERIMENT_COLUMNS);
        return true;
    }
    for (const trmi_item *item = map ? map->child : NULL; item; item = item->next) {
        trmi_table_column *c = &e->column[e->columns++];
        *c = (trmi_table_column){
            .heading = item->key, .kind = TRMI_COLUMN_VALUE, .item = item, .divisor = 1};
        bool name = item->kind == TRMI_SCALAR && !trmi_item_null(item);
        if (!(name ? read_keys(e, item, c) : read_map(e, item, c)))
            return false;
    }
    return true;
}

// ---- measuring ----

// largest |value - truth|, or that over |truth|, of one name over the samples; false: none are
// there
static bool measure_distance(const trmi_table_column *c, int k, const trmi_trial_outcome *o,
                             double *distance)
{
    const trmi_item *ours = trmi_item_find(o->summary, "samples");
    const trmi_item *other = c->exact ? ours : trmi_item_find(o->reference, "samples");
    if (!ours || !other || ours->count != other->count || ours->count == 0)
        return false;
    const trmi_item *b = other->child;
    for (const trmi_item *a = ours->child; a; a = a->next, b = b->next) {
        double value, truth;
        if (!trmi_item_number(trmi_item_path(a, c->key[k]), &value))
            return false;
        if (c->exact)
            truth = c->exact[k];
        else if (!trmi_item_number(trmi_item_path(b, c->key[k]), &truth))
            return false;
        double d = fabs(value - truth);
        *distance = fmax(*distance, c->kind == TRMI_COLUMN_DIGITS ? d / fabs(truth) : d);
    }
    return true;
}

// A setting as the run had it: the last assignment counts. False: it is not a number, or 0 that
// shall divide.
static bool find_setting(const trmi_experiment *e, const trmi_table_column *c, const char *path,
                         const trmi_assignments *set, double *number)
{
    size_t length = strlen(path);
    for (int k = set->count - 1; k >= 0; k--)
        if (strncmp(set->text[k], path, length) == 0 && set->text[k][length] == '=') {
            char *end;
            *number = strtod(set->text[k] + length + 1, &end);
            if (*end == '\0' && (path != c->per || *number != 0))
                return true;
        }
    trmi_report(e->document, c->item, "the run sets no number '%.60s'%s", path,
                path == c->per ? " to divide by" : "");
    return false;
}

// a number of the summary, or the sum of several
static bool find_value(const trmi_experiment *e, const trmi_table_column *c,
                       const trmi_trial_outcome *o, double *value)
{
    int k = 0;
    *value = 0;
    for (double term; k < c->keys; k++) {
        if (!trmi_item_number(trmi_item_path(o->summary, c->key[k]), &term))
            break;
        *value += term;
    }
    if (k == c->keys)
        return true;
    const char *name[MAX_KEYS];
    int count = 0;
    const trmi_item *i = o->summary ? o->summary->child : NULL;
    for (; i && count < MAX_KEYS; i = i->next)
        name[count++] = i->key;
    const char *near = trmi_nearest(c->key[k], name, count);
    trmi_report(e->document, c->item, "the summary of the run has no number '%.60s'%s%s%s",
                c->key[k], near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return false;
}

static bool find_distance(const trmi_experiment *e, const trmi_table_column *c,
                          const trmi_trial_outcome *o, double *value)
{
    *value = 0;
    for (int k = 0; k < c->keys; k++)
        if (!measure_distance(c, k, o, value)) {
            trmi_report(e->document, c->item,
                        "no error of '%.60s': the samples of the run%s have no such number "
                        "(simulate.output_times sets when samples are taken)",
                        c->key[k], c->exact ? "" : " and of the reference");
            return false;
        }
    if (c->kind == TRMI_COLUMN_DIGITS)
        *value = -log10(fmax(*value, 1e-17)); // a double has not more
    return true;
}

bool trmi_column_measure(const trmi_experiment *e, const trmi_table_column *c,
                         const trmi_trial_outcome *o, double *value)
{
    double divisor = c->divisor;
    *value = NAN;
    if (c->kind == TRMI_COLUMN_LARGEST)
        *value = o->parts;
    if (c->kind == TRMI_COLUMN_MATRIX)
        *value = *find_count(o->matrix, c->key[0]);
    if ((c->kind == TRMI_COLUMN_VALUE && !find_value(e, c, o, value)) ||
        (c->kind == TRMI_COLUMN_SETTING && !find_setting(e, c, c->key[0], o->set, value)) ||
        (compares(c) && !find_distance(e, c, o, value)) ||
        (c->per && !find_setting(e, c, c->per, o->set, &divisor)))
        return false;
    *value /= divisor;
    return true;
}
