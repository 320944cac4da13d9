// SPDX-License-Identifier: Apache-2.0
// The table of keys as Markdown: one table for each key of the top, indented by dots in the path.
#include "modelling/reader/keys/keys.h"

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

// a set of keys as KIND: write_set names them
static void write_path(FILE *out, const char *path)
{
    fputc('`', out);
    for (; *path; path++)
        if (*path == '*') {
            fputs("NAME", out);
        } else if (*path == '{') {
            fputs("KIND", out);
            path += strcspn(path, "}");
        } else {
            fputc(*path, out);
        }
    fputc('`', out);
}

// "; of revolute, prismatic" for a key directly below a set
static void write_set(FILE *out, const char *path)
{
    const char *set = strchr(path, '{'), *end = set ? strchr(set, '}') : NULL;
    if (!end || strchr(end + 2, '.'))
        return;
    fputs("; of ", out);
    for (set++; *set && *set != '}'; set++)
        if (*set == ',')
            fputs(", ", out);
        else
            fputc(*set, out);
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
    if (row->kind != TRMI_KEY_SECTION && trmi_key_below(row->path, 0) >= 0)
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
    fputs("| ", out);
    write_path(out, row->path);
    fputs(" | ", out);
    write_kind(out, row);
    fputs(" | ", out);
    write_preset(out, row);
    fputs(" | ", out);
    write_cell(out, trmi_key_help(row));
    if (option && strcmp(option->unit, "-") != 0)
        fprintf(out, " (%s)", option->unit);
    write_set(out, row->path);
    fputs(" |\n", out);
}

static bool is_below(const char *path, const char *section)
{
    size_t length = strlen(section);
    return strncmp(path, section, length) == 0 && path[length] == '.';
}

static void begin_table(FILE *out)
{
    fputs("\n| key | value | default | meaning |\n|---|---|---|---|\n", out);
}

static void write_section(FILE *out, const trmi_key *section)
{
    const trmi_key *row;
    fprintf(out, "\n## %s\n", section->path);
    begin_table(out);
    for (int k = 0; (row = trmi_key_row(k)) != NULL; k++)
        if (is_below(row->path, section->path))
            write_row(out, row);
}

void trmi_keys_manual(FILE *out)
{
    fputs("# Keys of the model file\n", out);
    begin_table(out);
    for (int k = 0; (k = trmi_key_below("", k)) >= 0; k++)
        write_row(out, trmi_key_row(k));
    for (int k = 0; (k = trmi_key_below("", k)) >= 0; k++)
        if (trmi_key_below(trmi_key_row(k)->path, 0) >= 0)
            write_section(out, trmi_key_row(k));
}
