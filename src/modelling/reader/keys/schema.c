// SPDX-License-Identifier: Apache-2.0
// The table of keys as JSON Schema, draft 2020-12: editors complete and check model files with it.
#include "modelling/reader/keys/keys.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { INDENT = 2 };

typedef struct writer {
    FILE *out;
    int depth;
    bool first; // nothing is written yet in the open object
} writer;

static void write_text(writer *w, const char *text)
{
    fputc('"', w->out);
    for (; *text; text++) {
        if ((unsigned char)*text < ' ')
            fprintf(w->out, "\\u%04x", (unsigned)*text);
        else
            fprintf(w->out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    }
    fputc('"', w->out);
}

static void begin_line(writer *w)
{
    fprintf(w->out, "%s\n%*s", w->first ? "" : ",", INDENT * w->depth, "");
    w->first = false;
}

static void write_name(writer *w, const char *name)
{
    begin_line(w);
    write_text(w, name);
    fputs(": ", w->out);
}

static void open_object(writer *w)
{
    fputc('{', w->out);
    w->depth++;
    w->first = true;
}

static void close_object(writer *w)
{
    w->depth--;
    fprintf(w->out, "\n%*s}", INDENT * w->depth, "");
    w->first = false;
}

// a word of the table: a number or truth value where it is one
static void write_word(writer *w, const char *word)
{
    double value;
    bool truth;
    trmi_item item = {.kind = TRMI_SCALAR, .text = word};
    if (trmi_item_number(&item, &value) || trmi_item_null(&item) || trmi_item_truth(&item, &truth))
        fputs(word, w->out);
    else
        write_text(w, word);
}

static bool has_preset(const trmi_key *row)
{
    char buffer[40];
    return trmi_key_preset(row, buffer, sizeof buffer) != NULL;
}

static void write_choices(writer *w, const trmi_key *row)
{
    const char *const *choices = trmi_key_choices(row);
    write_name(w, "enum");
    fputc('[', w->out);
    for (int k = 0; choices[k]; k++) {
        fputs(k ? ", " : "", w->out);
        write_word(w, choices[k]);
    }
    fputs(has_preset(row) ? ", null]" : "]", w->out);
}

static void write_type(writer *w, const trmi_key *row)
{
    static const char *const type[TRMI_KEY_KINDS] = {
        [TRMI_KEY_SECTION] = "\"object\", \"null\"",
        [TRMI_KEY_NUMBER] = "\"number\", \"string\"",
        [TRMI_KEY_FORMULA] = "\"number\", \"string\"",
        [TRMI_KEY_TEXT] = "\"string\", \"number\", \"boolean\"",
        [TRMI_KEY_NAME] = "\"string\"",
        [TRMI_KEY_TRUTH] = "\"boolean\"",
        [TRMI_KEY_WHOLE] = "\"integer\"",
        [TRMI_KEY_NUMBERS] = "\"array\"",
        [TRMI_KEY_FORMULAS] = "\"array\"",
        [TRMI_KEY_MATRIX] = "\"array\"",
        [TRMI_KEY_AMOUNTS] = "\"number\", \"string\", \"array\"",
        [TRMI_KEY_NAMES] = "\"array\"",
        [TRMI_KEY_TEXTS] = "\"array\"",
    };
    bool section = row->kind == TRMI_KEY_SECTION;
    write_name(w, "type");
    fprintf(w->out, "[%s%s%s%s]", type[row->kind],
            row->kind == TRMI_KEY_NUMBERS && row->choices ? ", \"string\"" : "",
            !section && row->below ? ", \"object\"" : "",
            !section && has_preset(row) ? ", \"null\"" : "");
}

static void write_items(writer *w, const trmi_key *row)
{
    static const char scalar[] = "\"number\", \"string\"";
    write_name(w, "items");
    if (row->kind == TRMI_KEY_NAMES || row->kind == TRMI_KEY_TEXTS)
        fputs("{\"type\": \"string\"}", w->out);
    else if (row->kind == TRMI_KEY_MATRIX || row->kind == TRMI_KEY_AMOUNTS)
        fprintf(w->out, "{\"type\": [%s, \"array\"], \"items\": {\"type\": [%s]}}", scalar, scalar);
    else
        fprintf(w->out, "{\"type\": [%s]}", scalar);
}

static void write_range(writer *w, const trmi_key *row)
{
    const trm_option_info *option = trmi_key_option(row);
    if (!option || row->kind == TRMI_KEY_CHOICE)
        return;
    write_name(w, "minimum");
    fprintf(w->out, "%.15g", option->least);
    if (isfinite(option->greatest)) {
        write_name(w, "maximum");
        fprintf(w->out, "%.15g", option->greatest);
    }
}

static void write_preset(writer *w, const trmi_key *row)
{
    char buffer[40];
    const char *preset = trmi_key_preset(row, buffer, sizeof buffer);
    if (!preset)
        return;
    write_name(w, "default");
    write_word(w, preset);
}

// "required" for the keys of a map that are, "oneOf" where one of several is
static void write_needs(writer *w, const trmi_key *map, trmi_key_need need)
{
    int count = 0;
    for (const trmi_key *row = map->below; row; row = row->next) {
        if (row->need != need)
            continue;
        if (count++ == 0) {
            write_name(w, need == TRMI_KEY_REQUIRED ? "required" : "oneOf");
            fputc('[', w->out);
        } else {
            fputs(", ", w->out);
        }
        fputs(need == TRMI_KEY_ONE_OF ? "{\"required\": [" : "", w->out);
        write_text(w, trmi_key_name(row));
        fputs(need == TRMI_KEY_ONE_OF ? "]}" : "", w->out);
    }
    fputs(count > 0 ? "]" : "", w->out);
}

static void write_map(writer *w, const trmi_key *map);

static void write_key(writer *w, const trmi_key *row)
{
    open_object(w);
    write_name(w, "description");
    write_text(w, trmi_key_help(row));
    if (row->kind == TRMI_KEY_CHOICE)
        write_choices(w, row);
    else if (row->kind != TRMI_KEY_VALUE)
        write_type(w, row);
    if (trmi_key_is_list(row->kind))
        write_items(w, row);
    write_range(w, row);
    write_preset(w, row);
    if (row->below)
        write_map(w, row);
    close_object(w);
}

// the keys of a map: fixed ones as properties, free names as additional ones
static void write_map(writer *w, const trmi_key *map)
{
    const trmi_key *free_name = NULL;
    bool any = false;
    for (const trmi_key *row = map->below; row; row = row->next) {
        if (strcmp(trmi_key_name(row), "*") == 0) {
            free_name = row;
            continue;
        }
        if (!any) {
            write_name(w, "properties");
            open_object(w);
        }
        any = true;
        write_name(w, trmi_key_name(row));
        write_key(w, row);
    }
    if (any)
        close_object(w);
    write_name(w, "additionalProperties");
    if (free_name)
        write_key(w, free_name);
    else
        fputs("false", w->out);
    write_needs(w, map, TRMI_KEY_REQUIRED);
    write_needs(w, map, TRMI_KEY_ONE_OF);
}

bool trmi_keys_schema(FILE *out, const trmi_key_table *table)
{
    writer w = {.out = out};
    trmi_key *tree = calloc((size_t)trmi_keys_count(table), sizeof *tree);
    if (!tree)
        return false;
    open_object(&w);
    write_name(&w, "$schema");
    write_text(&w, "https://json-schema.org/draft/2020-12/schema");
    write_name(&w, "title");
    write_text(&w, table->title);
    write_name(&w, "type");
    write_text(&w, "object");
    write_map(&w, trmi_keys_build(table, tree));
    close_object(&w);
    fputc('\n', out);
    free(tree);
    return true;
}
