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

// These return an exit code, after a message.
static int add_curve(trmi_figure *f, int panel, trmi_result *r, const char *name, const char *x,
                     const trmi_console *console)
{
    trm_error error = trmi_no_error();
    if (trmi_figure_add(f, panel, r, name, x, NULL, &error) == TRM_OK)
        return TRMI_EXIT_DONE;
    trmi_print_error(console, "trammel plot", &error);
    return has_damage(r, name) || has_damage(r, x) ? TRMI_EXIT_RESULTS : TRMI_EXIT_USAGE;
}

// "x,y": a panel with these channels
static int add_panel(trmi_figure *f, trmi_result *r, const char *words, const char *x, bool log_y,
                     const trmi_console *console)
{
    int panel = trmi_figure_panel(f, log_y);
    if (panel < 0)
        return trmi_exit_with(TRMI_EXIT_USAGE, "a plot has at most %d panels", TRMI_FIGURE_PANELS);
    int code = TRMI_EXIT_DONE;
    while (*words && code == TRMI_EXIT_DONE) {
        char name[200];
        size_t length = strcspn(words, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, words);
        words += length + (words[length] == ',');
        code = add_curve(f, panel, r, name, x, console);
    }
    return code;
}

static bool is_in(const trmi_result *r, int index, const char *group)
{
    return strcmp(trmi_result_channel(r, index)->group, group) == 0;
}

// whether a channel of the group has something to show, be it that it cannot be read
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

// Without channels, an overview: of each group a panel for each unit.
static int add_default(trmi_figure *f, trmi_result *r, const trmi_console *console)
{
    enum { CURVES = 8, PANELS = 7 };
    static const struct {
        const char *group, *only; // NULL: all channels
        bool log_y;
    } part[] = {{"position", NULL, false},
                {"velocity", NULL, false},
                {"output", NULL, false},
                {"energy", "total", false},
                {"solver", "h", true}};
    int channels = trmi_result_channels(r);
    for (size_t p = 0; p < sizeof part / sizeof *part; p++)
        for (int i = 0; i < channels && f->plot.panels < PANELS; i++) {
            if (!is_in(r, i, part[p].group))
                continue;
            const char *group = part[p].group, *unit = trmi_result_channel(r, i)->unit;
            bool seen = false; // a channel before has the same unit
            for (int j = 0; j < i && !part[p].only; j++)
                seen = seen ||
                       (is_in(r, j, group) && strcmp(trmi_result_channel(r, j)->unit, unit) == 0);
            if (seen || !worth_drawing(r, i, group, part[p].only))
                continue;
            char name[300];
            int panel = trmi_figure_panel(f, part[p].log_y);
            for (int k = i; k < channels && f->panel[panel].curves < CURVES; k++) {
                const trmi_channel *c = trmi_result_channel(r, k);
                snprintf(name, sizeof name, "%s/%s", c->group, c->name);
                if (strcmp(c->unit, unit) != 0 || !worth_drawing(r, k, group, part[p].only))
                    continue;
                int code = add_curve(f, panel, r, name, NULL, console);
                if (code != TRMI_EXIT_DONE)
                    return code;
            }
        }
    return TRMI_EXIT_DONE;
}

static bool read_style(const trmi_arguments *a, trmi_plot *plot)
{
    static const char *const themes[] = {"auto", "light", "dark"};
    const char *theme = trmi_flag_value(a, "theme");
    int k = 0;
    while (theme && k < 3 && strcmp(themes[k], theme) != 0)
        k++;
    if (k == 3)
        return trmi_usage_error("--theme is auto, light or dark, not '%s'", theme);
    plot->theme = (trmi_theme)k;
    plot->title = trmi_flag_value(a, "title");
    return trmi_flag_number(a, "width", 200, 10000, "a number from 200 to 10000", &plot->width);
}

static int fill_figure(const trmi_arguments *a, trmi_figure *f, trmi_result *r,
                       const trmi_console *console)
{
    const char *x = trmi_flag_value(a, "x");
    bool log_y = trmi_flag_value(a, "log") != NULL;
    int code = read_style(a, &f->plot) ? TRMI_EXIT_DONE : TRMI_EXIT_USAGE;
    if (!f->plot.title)
        f->plot.title = trmi_result_attribute(r, "title");
    for (int i = 1; i < a->count && code == TRMI_EXIT_DONE; i++)
        code = add_panel(f, r, a->word[i], x, log_y, console);
    return code == TRMI_EXIT_DONE && a->count == 1 ? add_default(f, r, console) : code;
}

static int draw(const trmi_arguments *a, trmi_figure *f, trmi_result *r,
                const trmi_console *console)
{
    char file[4200];
    const char *path = trmi_flag_value(a, "out");
    trm_error error = trmi_no_error();
    int code = fill_figure(a, f, r, console);
    if (code != TRMI_EXIT_DONE)
        return code;
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
    if (trmi_same_file(path, a->word[0]))
        return trmi_exit_with(TRMI_EXIT_USAGE, "%s is the result itself: name the plot by --out",
                              path);
    if (trmi_figure_write(f, r, path, &error) != TRM_OK)
        return trmi_exit_after(TRMI_EXIT_RESULTS, console, "trammel plot", &error);
    if (console->level > 0 && strcmp(path, "-") != 0)
        trmi_print("%s\n", path);
    return TRMI_EXIT_DONE;
}

static int run(const trmi_arguments *a)
{
    const trmi_console console = trmi_console_of(a);
    trm_error error = trmi_no_error();
    trmi_result *r = trmi_result_open(a->word[0], &error);
    if (!r)
        return trmi_exit_after(TRMI_EXIT_RESULTS, &console, a->word[0], &error);
    trmi_figure *f = calloc(1, sizeof *f);
    int code =
        f ? draw(a, f, r, &console) : trmi_exit_with(TRMI_EXIT_FAILED, "no memory for the plot");
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
    "be distinguished from its acceleration. Without a channel positions, velocities, outputs, "
    "the\n"
    "energy and the step size are drawn.",
    flags,
    run,
};
