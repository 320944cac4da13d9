// SPDX-License-Identifier: Apache-2.0
// The table of keys as Markdown: one table for each key of the top, indented by dots in the path.
#include "modelling/reader/keys/keys.h"

#include <stdlib.h>
#include <string.h>

// free names as NAME, and '|' and '*' as Markdown wants them
static void write_cell(FILE *out, const char *text)
{
    for (; *text; text++)
        if (*text == '|' || *text == '*')
            fprintf(out, "\\%c", *text);
        else
            fputc(*text, out);
}

// "mechanism.joints.NAME.KIND.axis"
static void write_path(FILE *out, const trmi_key *row, bool last)
{
    const char *name = trmi_key_name(row);
    if (row->up->up) {
        write_path(out, row->up, false);
        fputc('.', out);
    }
    fputs(strcmp(name, "*") == 0 ? "NAME" : row->is_type && !last ? "KIND" : name, out);
}

static bool is_same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

// The key of a type that is the same as one of another type, NULL when there is none.
static const trmi_key *find_same(const trmi_key *type, const trmi_key *row)
{
    for (const trmi_key *k = type->is_type ? type->below : NULL; k; k = k->next)
        if (strcmp(trmi_key_name(k), trmi_key_name(row)) == 0 && k->kind == row->kind &&
            k->need == row->need && is_same_text(k->preset, row->preset) &&
            strcmp(k->help, row->help) == 0)
            return k;
    return NULL;
}

// "; of revolute, prismatic" for a key of types
static void write_types(FILE *out, const trmi_key *row)
{
    const char *between = "; of ";
    for (const trmi_key *type = row->up->is_type ? row->up : NULL; type; type = type->next)
        if (find_same(type, row)) {
            fprintf(out, "%s%s", between, trmi_key_name(type));
            between = ", ";
        }
}

// the values: words of a choice, otherwise the kind
static void write_kind(FILE *out, const trmi_key *row)
{
    const char *const *choices = trmi_key_choices(row);
    bool choice = row->kind == TRMI_KEY_CHOICE;
    if (!choice)
        fputs(trmi_key_kind_text(row->kind), out);
    for (int k = 0; choices && choices[k]; k++)
        fprintf(out, "%s`%s`", choice && k == 0 ? "" : choice ? ", " : " or ", choices[k]);
    if (row->kind != TRMI_KEY_SECTION && row->below)
        fputs(" or a map", out);
}

static void write_preset(FILE *out, const trmi_key *row)
{
    char buffer[40];
    const char *preset = trmi_key_preset(row, buffer, sizeof buffer);
    if (row->need == TRMI_KEY_REQUIRED)
        fputs("required", out);
    else if (row->need == TRMI_KEY_ONE_OF)
        fputs("exactly one", out);
    else if (preset && strcmp(preset, "null") != 0)
        fprintf(out, "`%s`", preset);
}

static void write_row(FILE *out, const trmi_key *row)
{
    const trm_option_info *option = trmi_key_option(row);
    fputs("| `", out);
    write_path(out, row, true);
    fputs("` | ", out);
    write_kind(out, row);
    fputs(" | ", out);
    write_preset(out, row);
    fputs(" | ", out);
    write_cell(out, trmi_key_help(row));
    if (option && strcmp(option->unit, "-") != 0)
        fprintf(out, " (%s)", option->unit);
    write_types(out, row);
    fputs(" |\n", out);
}

static void begin_table(FILE *out)
{
    fputs("\n| key | value | default | meaning |\n|---|---|---|---|\n", out);
}

// Whether a type before that of the key has the same key.
static bool is_repeated(const trmi_key *row)
{
    const trmi_key *type = row->up->up->below;
    while (type != row->up && !find_same(type, row))
        type = type->next;
    return type != row->up;
}

// The keys below a key. Those of types follow after all types, the same key of several types once.
static void write_below(FILE *out, const trmi_key *up)
{
    for (const trmi_key *row = up->below; row; row = row->next) {
        if (up->is_type && is_repeated(row))
            continue;
        write_row(out, row);
        if (!row->is_type)
            write_below(out, row);
        for (const trmi_key *type = up->below;
             row->is_type && !(row->next && row->next->is_type) && type; type = type->next)
            if (type->is_type)
                write_below(out, type);
    }
}

bool trmi_keys_manual(FILE *out, const trmi_key_table *table)
{
    trmi_key *tree = calloc((size_t)trmi_keys_count(table), sizeof *tree);
    if (!tree)
        return false;
    const trmi_key *root = trmi_keys_build(table, tree);
    fprintf(out, "# Keys of the %s\n", table->title + strlen("Trammel "));
    begin_table(out);
    for (const trmi_key *row = root->below; row; row = row->next)
        write_row(out, row);
    for (const trmi_key *row = root->below; row; row = row->next)
        if (row->below) {
            fprintf(out, "\n## %s\n", row->path);
            begin_table(out);
            write_below(out, row);
        }
    free(tree);
    return true;
}
