// SPDX-License-Identifier: Apache-2.0
// trammel plot: channels of a result file as SVG, or as a page.
#define _POSIX_C_SOURCE 200809L
#include "base/error.h"
#include "program/cli/command.h"
#include "program/cli/report.h"
#include "program/plot/figure.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const trmi_flag flags[] = {
    {"out", 'o', "FILE", "file.svg, or file.html for a page; by default beside RESULT", NULL},
    {"x", 'x', "CHANNEL", "over this channel instead of the time", NULL},
    {"title", '\0', "TEXT", "above the plot", NULL},
    {"log", '\0', NULL, "logarithmic vertical axes", NULL},
    {"scales", '\0', "WORD", "equal or free; equal where x and y have the same unit", "equal free"},
    {"theme", '\0', "WORD", "auto, light or dark", "auto light dark"},
    {"width", '\0', "PIXELS", "width of the picture (760)", NULL},
    {NULL, '\0', NULL, NULL, NULL},
};

enum { MAX_RESULTS = 12 };

// The results that are drawn, in all panels.
typedef struct source {
    trmi_result *result[MAX_RESULTS];
    const char *path[MAX_RESULTS];
    int count;
    const char *x; // NULL: over the time
    const trmi_console *console;
    bool damaged; // a channel is there, but cannot be read
} source;

// A channel that is not there, and what to do about it, is not a problem of a file.
static bool refuse_channel(const trm_error *error)
{
    return trmi_usage_error("%s; %s", error->text, error->advice);
}

static bool is_damaged(trmi_result *r, int index)
{
    const double *t, *value;
    int64_t count;
    trm_error error = trmi_no_error();
    return index >= 0 && trmi_result_read(r, index, &t, &value, &count, &error) != TRM_OK;
}

// whether a channel is there, but it or its errors are damaged
static bool has_damage(trmi_result *r, const char *name)
{
    trm_error error = trmi_no_error();
    int index = name ? trmi_result_find(r, name, &error) : -1;
    return is_damaged(r, index) || (index >= 0 && is_damaged(r, trmi_result_error_of(r, index)));
}

// what the legend calls a result: the name of its file; with its folder, if another has the same
static const char *result_name(const source *from, int k, char *stem, int size)
{
    char other[100];
    for (int i = 0; i < from->count; i++)
        if (i != k && strcmp(trmi_stem(from->path[i], other, sizeof other),
                             trmi_stem(from->path[k], stem, size)) == 0)
            return from->path[k];
    return trmi_stem(from->path[k], stem, size);
}

// one channel of one of the results; with several of them the legend has their names
static bool add_curve(trmi_figure *f, int panel, source *from, int k, const char *name)
{
    trm_error error = trmi_no_error();
    trmi_result *r = from->result[k];
    int index = trmi_result_find(r, name, &error);
    if (index < 0 || (from->x && trmi_result_find(r, from->x, &error) < 0))
        return refuse_channel(&error);
    char legend[200], stem[100], text[200];
    snprintf(legend, sizeof legend, "%.90s (%.90s)",
             trmi_shown_name(trmi_result_channel(r, index), text, sizeof text),
             result_name(from, k, stem, sizeof stem));
    if (trmi_figure_add(f, panel, r, name, from->x, from->count > 1 ? legend : NULL, &error) ==
        TRM_OK)
        return true;
    trmi_print_error(from->console, "trammel plot", &error);
    from->damaged = has_damage(r, name) || has_damage(r, from->x);
    return false;
}

// all channels of a result that fit a pattern
static bool add_matches(trmi_figure *f, int panel, source *from, int k, const char *pattern)
{
    const trmi_result *r = from->result[k];
    int found = 0, index = -1;
    while ((index = trmi_result_match(r, pattern, index + 1)) >= 0)
        found++;
    if (found == 0)
        return trmi_usage_error("no channel fits '%s'; trammel info %s --names lists them", pattern,
                                from->path[k]);
    if (f->panel[panel].curves + found > TRMI_FIGURE_CURVES)
        return trmi_usage_error("'%s' fits %d channels, but a panel has at most %d curves", pattern,
                                found, TRMI_FIGURE_CURVES);
    while ((index = trmi_result_match(r, pattern, index + 1)) >= 0) {
        char name[300];
        const trmi_channel *c = trmi_result_channel(r, index);
        snprintf(name, sizeof name, "%s%s%s", c->group, c->group[0] ? "/" : "", c->name);
        if (!add_curve(f, panel, from, k, name))
            return false;
    }
    return true;
}

// "x,y" or "*_x": a panel with these channels of all results
static bool add_panel(trmi_figure *f, source *from, const char *words, bool log_y)
{
    int panel = trmi_figure_panel(f, log_y);
    if (panel < 0)
        return trmi_usage_error("a plot has at most %d panels", TRMI_FIGURE_PANELS);
    while (*words) {
        char name[300];
        size_t length = strcspn(words, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, words);
        words += length + (words[length] == ',');
        trm_error error;
        for (int k = 0; k < from->count; k++) {
            bool pattern =
                strpbrk(name, "*?[") && trmi_result_find(from->result[k], name, &error) < 0;
            if (!(pattern ? add_matches : add_curve)(f, panel, from, k, name))
                return false;
        }
    }
    return true;
}

// whether the group of a channel fits a pattern
static bool is_in(const trmi_result *r, int index, const char *pattern)
{
    return fnmatch(pattern, trmi_result_channel(r, index)->group, 0) == 0;
}

// whether a channel of the group has something to show
static bool worth_drawing(trmi_result *r, int index, const char *group, const char *only)
{
    const trmi_channel *c = trmi_result_channel(r, index);
    const double *t, *value;
    int64_t count;
    trm_error error = trmi_no_error();
    return is_in(r, index, group) && (!only || strcmp(c->name, only) == 0) &&
           (trmi_result_read(r, index, &t, &value, &count, &error) != TRM_OK ||
            (count > 0 && !isnan(value[count - 1])));
}

// A group of the overview.
typedef struct overview {
    const char *group, *only; // NULL: all channels
    bool log_y;
    bool alone;        // each channel in a panel: their units are not known
    int panels;        // at most
    const char *other; // only where there are no channels of this group; NULL: in any case
} overview;

// whether a channel before has the same unit
static bool has_panel(const trmi_result *r, const overview *part, int index)
{
    const char *unit = trmi_result_channel(r, index)->unit;
    for (int j = 0; j < index && !part->only && !part->alone; j++)
        if (is_in(r, j, part->group) && strcmp(trmi_result_channel(r, j)->unit, unit) == 0)
            return true;
    return false;
}

// The channels of a group that have the unit of one of them. What is left out is counted.
static bool add_unit(trmi_figure *f, source *from, const overview *part, int first, int *left_out)
{
    enum { CURVES = 8 };
    trmi_result *r = from->result[0];
    int panel = trmi_figure_panel(f, part->log_y);
    int end = part->alone ? first + 1 : trmi_result_channels(r);
    for (int k = first; k < end; k++) {
        const trmi_channel *c = trmi_result_channel(r, k);
        char name[300];
        snprintf(name, sizeof name, "%s/%s", c->group, c->name);
        if (strcmp(c->unit, trmi_result_channel(r, first)->unit) != 0 ||
            !worth_drawing(r, k, part->group, part->only))
            continue;
        for (int i = 0; i < from->count; i++)
            if (f->panel[panel].curves >= CURVES * from->count ||
                f->panel[panel].curves == TRMI_FIGURE_CURVES)
                *left_out += i == 0;
            else if (!add_curve(f, panel, from, i, name))
                return false;
    }
    return true;
}

static bool has_group(const trmi_result *r, const char *group)
{
    for (int i = 0; i < trmi_result_channels(r); i++)
        if (is_in(r, i, group))
            return true;
    return false;
}

// Without channels, an overview: of each group a panel for each unit. Energy and step size have
// panels of their own in any case; sensitivities are those of the outputs, where there are some.
static bool add_default(trmi_figure *f, source *from)
{
    enum { PANELS = TRMI_FIGURE_PANELS };
    static const char of_outputs[] = "sensitivity/*/output";
    static const overview part[] = {
        {.group = "position", .panels = 7},
        {.group = "velocity", .panels = 7},
        {.group = "output", .panels = 7},
        {.group = of_outputs, .panels = PANELS - 2, .alone = true},
        {.group = "sensitivity/*/position",
         .panels = PANELS - 2,
         .alone = true,
         .other = of_outputs},
        {.group = "energy", .only = "total", .panels = PANELS},
        {.group = "solver", .only = "h", .panels = PANELS, .log_y = true}};
    trmi_result *r = from->result[0];
    int left_out = 0;
    for (size_t p = 0; p < sizeof part / sizeof *part; p++)
        for (int i = 0; i < trmi_result_channels(r); i++) {
            if (part[p].other && has_group(r, part[p].other))
                break;
            if (!worth_drawing(r, i, part[p].group, part[p].only) || has_panel(r, &part[p], i))
                continue;
            if (f->plot.panels >= part[p].panels)
                left_out++;
            else if (!add_unit(f, from, &part[p], i, &left_out))
                return false;
        }
    if (left_out > 0 && from->console->level > 0)
        trmi_print_to(stderr,
                      "%d channels had no space in this overview: name them, as in trammel plot "
                      "%s position/*\n",
                      left_out, from->path[0]);
    return true;
}

static bool read_style(const trmi_arguments *a, trmi_plot *plot)
{
    const char *theme = trmi_flag_value(a, "theme");
    plot->theme = !theme || theme[0] == 'a'    ? TRMI_THEME_AUTO
                  : strcmp(theme, "dark") == 0 ? TRMI_THEME_DARK
                                               : TRMI_THEME_LIGHT;
    plot->title = trmi_flag_value(a, "title");
    return trmi_flag_number(a, "width", 200, 10000, "a number from 200 to 10000", &plot->width);
}

// false: a word that is not a file of results is a channel
static bool is_result(const char *word)
{
    return access(word, F_OK) == 0 && trmi_result_recognise(word);
}

static bool fill_figure(const trmi_arguments *a, trmi_figure *f, source *from)
{
    bool log_y = trmi_flag_value(a, "log") != NULL, good = read_style(a, &f->plot);
    const char *scales = trmi_flag_value(a, "scales");
    if (!f->plot.title)
        f->plot.title = trmi_result_attribute(from->result[0], "title");
    for (int i = from->count; i < a->count && good; i++)
        good = add_panel(f, from, a->word[i], log_y);
    good = good && (a->count > from->count || add_default(f, from));
    for (int k = 0; k < f->plot.panels && scales; k++)
        f->panel[k].equal = strcmp(scales, "equal") == 0;
    return good;
}

static int draw(const trmi_arguments *a, trmi_figure *f, source *from)
{
    char file[4200];
    const char *path = trmi_flag_value(a, "out");
    trm_error error = trmi_no_error();
    if (!fill_figure(a, f, from))
        return from->damaged ? TRMI_EXIT_RESULTS : TRMI_EXIT_USAGE;
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
    for (int k = 0; k < from->count; k++)
        if (trmi_same_file(path, from->path[k]))
            return trmi_exit_with(TRMI_EXIT_USAGE,
                                  "%s is the result itself: name the plot by --out", path);
    if (trmi_figure_write(f, from->result[0], path, &error) != TRM_OK)
        return trmi_exit_after(TRMI_EXIT_RESULTS, from->console, "trammel plot", &error);
    if (from->console->level > 0 && strcmp(path, "-") != 0)
        trmi_print("%s\n", path);
    return TRMI_EXIT_DONE;
}

static int run(const trmi_arguments *a)
{
    const trmi_console console = trmi_console_of(a);
    source from = {.x = trmi_flag_value(a, "x"), .console = &console};
    trm_error error = trmi_no_error();
    int code = TRMI_EXIT_DONE;
    while (from.count < a->count && code == TRMI_EXIT_DONE &&
           (from.count == 0 || is_result(a->word[from.count]))) {
        const char *path = a->word[from.count];
        if (from.count == MAX_RESULTS)
            code = trmi_exit_with(TRMI_EXIT_USAGE, "a plot has at most %d results", MAX_RESULTS);
        else if (!(from.result[from.count] = trmi_result_open(path, &error)))
            code = trmi_exit_after(TRMI_EXIT_RESULTS, &console, path, &error);
        else
            from.path[from.count++] = path;
    }
    trmi_figure *f = calloc(1, sizeof *f);
    if (code == TRMI_EXIT_DONE)
        code = f ? draw(a, f, &from) : trmi_exit_with(TRMI_EXIT_FAILED, "no memory for the plot");
    free(f);
    for (int k = 0; k < from.count; k++)
        trmi_result_close(from.result[k]);
    return code;
}

const trmi_command trmi_cmd_plot = {
    "plot",
    "RESULT... [CHANNEL...]",
    1,
    TRMI_FIGURE_PANELS + MAX_RESULTS,
    "draw channels of result files as SVG",
    "Each CHANNEL is a panel; several in one panel are separated by commas (x,y). Names are\n"
    "those of trammel info RESULT; short names do where they are unique, and a position need not\n"
    "be distinguished from its acceleration. In 'body/*_x' the signs * ? [...] stand for any\n"
    "letters. Several results are drawn into the same panels. Without a channel positions,\n"
    "velocities, outputs, sensitivities, the energy and the step size are drawn.",
    flags,
    run,
};
