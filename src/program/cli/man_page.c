// SPDX-License-Identifier: Apache-2.0
#include "program/cli/man_page.h"

#include "program/cli/command.h"
#include "program/cli/report.h"
#include "trammel/version.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

// A text as roff prints it: no hyphen that breaks, no escape, no request at the start of a line. An
// empty line begins a paragraph.
static void put_text(FILE *out, const char *text)
{
    bool start = true;
    for (const char *c = text; *c; c++) {
        if (*c == '\n' && c[1] == '\n') {
            fputs("\n.PP\n", out);
            c++;
            start = true;
            continue;
        }
        if (start && (*c == '.' || *c == '\''))
            fputs("\\&", out);
        if (*c == '-')
            fputs("\\-", out);
        else if (*c == '\\')
            fputs("\\e", out);
        else if (!(start && *c == ' '))
            fputc(*c, out);
        start = *c == '\n';
    }
}

static void put_element(FILE *out, const char *before, const char *text, const char *after)
{
    fputs(before, out);
    put_text(out, text);
    fputs(after, out);
}

// .TH TRAMMEL-RUN 1 "" "trammel 0.1.0" "Trammel", then name and summary
static void put_head(FILE *out, const char *name, const char *summary)
{
    fputs(".TH ", out);
    for (const char *c = name; *c; c++)
        if (*c == '-')
            fputs("\\-", out);
        else
            fputc(toupper((unsigned char)*c), out);
    put_element(out, " 1 \"\" \"trammel ", trm_version(), "\" \"Trammel\"\n");
    put_element(out, ".SH NAME\n", name, "");
    put_element(out, " \\- ", summary, "\n");
}

static void put_options(FILE *out, const trmi_command *command)
{
    const trmi_flag *flag;
    fputs(".SH OPTIONS\n", out);
    for (int i = 0; (flag = trmi_command_flag(command, i)); i++) {
        fputs(".TP\n", out);
        if (flag->letter)
            fprintf(out, "\\fB\\-%c\\fR, ", flag->letter);
        put_element(out, "\\fB\\-\\-", flag->name, "\\fR");
        if (flag->value)
            put_element(out, " \\fI", flag->value, "\\fR");
        put_element(out, "\n", flag->help, "\n");
    }
}

static void put_exit_codes(FILE *out)
{
    static const char *const meaning[][2] = {
        {"0", "done"},
        {"1", "the simulation failed"},
        {"2", "usage"},
        {"3", "the model is invalid"},
        {"4", "no consistent initial state"},
        {"5", "results could not be written or read"},
        {"6", "done, but the result cannot be trusted"},
        {"130", "interrupted; files are closed and the run can be resumed"}};
    fputs(".SH EXIT STATUS\n", out);
    for (size_t k = 0; k < sizeof meaning / sizeof *meaning; k++)
        fprintf(out, ".TP\n%s\n%s\n", meaning[k][0], meaning[k][1]);
}

static void put_command(FILE *out, const trmi_command *command)
{
    char name[60];
    snprintf(name, sizeof name, "trammel-%s", command->name);
    put_head(out, name, command->summary);
    put_element(out, ".SH SYNOPSIS\n.B trammel ", command->name, "\n");
    put_element(out, "[\\fIoption\\fR ...]\n", command->arguments, "\n");
    if (command->text)
        put_element(out, ".SH DESCRIPTION\n", command->text, "\n");
    put_options(out, command);
    put_exit_codes(out);
    fputs(".SH SEE ALSO\n.BR trammel (1)\n", out);
}

static void put_overview(FILE *out)
{
    const trmi_command *command;
    put_head(out, "trammel", "simulate mechanisms and other constrained systems");
    fputs(".SH SYNOPSIS\n.B trammel\n\\fIcommand\\fR [\\fIoption\\fR ...] [\\fIargument\\fR "
          "...]\n.br\n"
          ".B trammel\n\\fImodel.yaml\\fR [\\fIoption\\fR ...]\n.SH COMMANDS\n",
          out);
    for (int i = 0; (command = trmi_command_at(i)); i++) {
        put_element(out, ".TP\n.BR trammel\\-", command->name, " (1)\n");
        put_element(out, "", command->summary, "\n");
    }
    fputs(".PP\nA model file without a command is run. ", out);
    fputs("The option \\fB\\-\\-\\fR ends the options, and \\fB\\-\\fR as a model is the standard "
          "input.\n",
          out);
    put_exit_codes(out);
    fputs(".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nmessages without colours\n.TP\n.B TRM_BROWSER\n"
          "the browser that takes pictures and movies\n",
          out);
}

// one page; command NULL: the overview
static bool write_page(const char *folder, const trmi_command *command)
{
    char path[4200];
    snprintf(path, sizeof path, "%.4000s/trammel%s%s.1", folder, command ? "-" : "",
             command ? command->name : "");
    FILE *out = fopen(path, "w");
    if (out && command)
        put_command(out, command);
    else if (out)
        put_overview(out);
    bool good = out && !ferror(out);
    if (out)
        good = fclose(out) == 0 && good;
    return good || trmi_usage_error("cannot write %s: %s", path, strerror(errno));
}

bool trmi_man_pages_write(const char *folder)
{
    const trmi_command *command;
    bool good = trmi_make_folder(folder) && write_page(folder, NULL);
    for (int i = 0; good && (command = trmi_command_at(i)); i++)
        good = write_page(folder, command);
    return good;
}
