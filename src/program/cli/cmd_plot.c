// SPDX-License-Identifier: Apache-2.0
// trammel plot: channels of a result file as SVG, or as a page.
#include "base/error.h"
#include "program/cli/command.h"
#include "program/cli/report.h"
#include "program/plot/figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const trmi_flag flags[] = {
    {"out", 'o', "FILE", "file.svg, or file.html for a page; by default beside RESULT"},
    {"x", 'x', "CHANNEL", "over this channel instead of the time"},
    {"title", '\0', "TEXT", "above the plot"},
    {"log", '\0', NULL, "logarithmic vertical axes"},
    {"theme", '\0', "WORD", "auto, light or dark"},
    {"width", '\0', "PIXELS", "width of the picture (760)"},
    {NULL, '\0', NULL, NULL},
};

// "x,y": a panel with these channels
static bool add_panel(trmi_figure *f, trmi_result *r, const char *words, const char *x, bool log_y,
                      const trmi_console *console)
{
    int panel = trmi_figure_panel(f, log_y);
    if (panel < 0)
        return trmi_usage_error("a plot has at most %d panels", TRMI_FIGURE_PANELS);
    while (*words) {
        char name[200];
        size_t length = strcspn(words, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, words);
        words += length + (words[length] == ',');
        trm_error error = trmi_no_error();
        if (trmi_figure_add(f, panel, r, name, x, NULL, &error) != TRM_OK) {
            trmi_print_error(console, "trammel plot", &error);
            return false;
        }
    }
    return true;
}

static bool is_in(const trmi_result *r, int index, const char *group)
{
    return strcmp(trmi_result_channel(r, index)->group, group) == 0;
}

// whether a channel of the group has something to show
static bool worth_drawing(trmi_result *r, int index, const char *group, const char *only)
{
    const trmi_channel *c = trmi_result_channel(r, index);
    const double *t, *value;
    int64_t count;
    trm_error error = trmi_no_error();
    return is_in(r, index, group) && (!only || strcmp(c->name, only) == 0) &&
           trmi_result_read(r, index, &t, &value, &count, &error) == TRM_OK && count > 0 &&
           !isnan(value[count - 1]);
}

enum { DEFAULT_CURVES = 8, DEFAULT_PANELS = 7 }; // and two for the energy and the steps

// The channels of a group, one panel for each unit, from channel `first` on: those with its unit.
static bool add_unit(trmi_figure *f, trmi_result *r, int first, const char *only, bool log_y,
                     const trmi_console *console)
{
    const trmi_channel *head = trmi_result_channel(r, first);
    char words[4000] = "";
    size_t length = 0;
    int found = 0;
    for (int i = first; i < trmi_result_channels(r) && found < DEFAULT_CURVES; i++) {
        const trmi_channel *c = trmi_result_channel(r, i);
        if (strcmp(c->unit, head->unit) != 0 || !worth_drawing(r, i, head->group, only) ||
            length + strlen(c->name) + 40 > sizeof words)
            continue;
        length += (size_t)snprintf(words + length, sizeof words - length, "%s%s/%s",
                                   found++ ? "," : "", c->group, c->name);
    }
    return add_panel(f, r, words, NULL, log_y, console);
}

// whether no channel of the group, which begins at channel `start`, had the unit before
static bool has_new_unit(const trmi_result *r, int start, int index)
{
    const trmi_channel *c = trmi_result_channel(r, index);
    int j = start;
    while (j < index &&
           (!is_in(r, j, c->group) || strcmp(trmi_result_channel(r, j)->unit, c->unit) != 0))
        j++;
    return j == index;
}

static bool add_group(trmi_figure *f, trmi_result *r, const char *group, const char *only,
                      bool log_y, const trmi_console *console)
{
    int start = 0, channels = trmi_result_channels(r);
    while (start < channels && !is_in(r, start, group))
        start++;
    for (int i = start; i < channels && f->plot.panels < DEFAULT_PANELS; i++)
        if (is_in(r, i, group) && (only || has_new_unit(r, start, i)) &&
            worth_drawing(r, i, group, only) && !add_unit(f, r, i, only, log_y, console))
            return false;
    return true;
}

// without channels: an overview
static bool add_default(trmi_figure *f, trmi_result *r, const trmi_console *console)
{
    return add_group(f, r, "position", NULL, false, console) &&
           add_group(f, r, "velocity", NULL, false, console) &&
           add_group(f, r, "output", NULL, false, console) &&
           add_group(f, r, "energy", "total", false, console) &&
           add_group(f, r, "solver", "h", true, console);
}

static bool read_style(const trmi_arguments *a, trmi_plot *plot)
{
    static const char *const themes[] = {"auto", "light", "dark"};
    const char *theme = trmi_flag_value(a, "theme"), *width = trmi_flag_value(a, "width");
    int k = 0;
    while (theme && k < 3 && strcmp(themes[k], theme) != 0)
        k++;
    if (k == 3)
        return trmi_usage_error("--theme is auto, light or dark, not '%s'", theme);
    plot->theme = (trmi_theme)k;
    plot->title = trmi_flag_value(a, "title");
    plot->width = width ? strtod(width, NULL) : 0;
    if (!width || (plot->width >= 200 && plot->width <= 10000))
        return true;
    return trmi_usage_error("--width is a number from 200 to 10000, not '%s'", width);
}

static bool fill_figure(const trmi_arguments *a, trmi_figure *f, trmi_result *r,
                        const trmi_console *console)
{
    const char *x = trmi_flag_value(a, "x");
    bool log_y = trmi_flag_value(a, "log") != NULL, good = read_style(a, &f->plot);
    if (!f->plot.title)
        f->plot.title = trmi_result_attribute(r, "title");
    for (int i = 1; i < a->count && good; i++)
        good = add_panel(f, r, a->word[i], x, log_y, console);
    return good && (a->count > 1 || add_default(f, r, console));
}

static int draw(const trmi_arguments *a, trmi_figure *f, trmi_result *r,
                const trmi_console *console)
{
    char file[4200];
    const char *path = trmi_flag_value(a, "out");
    trm_error error = trmi_no_error();
    if (!fill_figure(a, f, r, console))
        return TRMI_EXIT_USAGE;
    if (!path) {
        const char *dot = strrchr(a->word[0], '.'), *slash = strrchr(a->word[0], '/');
        bool suffix = dot && (!slash || dot > slash + 1); // beside the result
        int length = suffix ? (int)(dot - a->word[0]) : (int)strlen(a->word[0]);
        snprintf(file, sizeof file, "%.*s.svg", length, a->word[0]);
        path = file;
    }
    const char *dot = strrchr(path, '.');
    if (strcmp(path, "-") != 0 && (!dot || (strcmp(dot, ".svg") != 0 && strcmp(dot, ".html") != 0)))
        return trmi_exit_with(TRMI_EXIT_USAGE, "a plot is a file .svg or .html, not '%s'", path);
    if (trmi_figure_write(f, r, path, &error) != TRM_OK) {
        trmi_print_error(console, "trammel plot", &error);
        return TRMI_EXIT_RESULTS;
    }
    if (console->level > 0 && strcmp(path, "-") != 0)
        printf("%s\n", path);
    return TRMI_EXIT_DONE;
}

static int run(const trmi_arguments *a)
{
    const trmi_console console = trmi_console_of(a);
    trm_error error = trmi_no_error();
    trmi_result *r = trmi_result_open(a->word[0], &error);
    if (!r) {
        trmi_print_error(&console, a->word[0], &error);
        return TRMI_EXIT_RESULTS;
    }
    trmi_figure *f = calloc(1, sizeof *f);
    int code = f ? draw(a, f, r, &console) : TRMI_EXIT_FAILED;
    free(f);
    trmi_result_close(r);
    return code;
}

const trmi_command trmi_cmd_plot = {
    "plot",
    "RESULT [CHANNEL...]",
    1,
    TRMI_FIGURE_PANELS + 1,
    "draw channels of a result file as SVG",
    "Each CHANNEL is a panel; several in one panel are separated by commas (x,y). Names are\n"
    "those of trammel info RESULT; short names do where they are unique, and a position need not\n"
    "be distinguished from its acceleration. Without a channel positions, velocities, outputs, the\n"
    "energy and the step size are drawn.",
    flags,
    run,
};
