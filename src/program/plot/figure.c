// SPDX-License-Identifier: Apache-2.0
#include "program/plot/figure.h"

#include "base/error.h"
#include "program/files/disk.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int trmi_figure_panel(trmi_figure *f, bool log_y)
{
    if (f->plot.panels == TRMI_FIGURE_PANELS)
        return -1;
    int number = f->plot.panels++;
    f->plot.panel = f->panel;
    f->panel[number] = (trmi_panel){.log_y = log_y,
                                    .curve = f->curve[number],
                                    .x_label = f->x_label[number],
                                    .y_label = f->y_label[number]};
    snprintf(f->x_label[number], sizeof f->x_label[number], "t [s]");
    return number;
}

static void label_axis(char *label, size_t size, const char *name, const char *unit)
{
    bool known = unit && unit[0];
    snprintf(label, size, "%.50s%s%.20s%s", name, known ? " [" : "", known ? unit : "",
             known ? "]" : "");
}

const char *trmi_shown_name(const trmi_channel *c, char *text, size_t size)
{
    static const char prefix[] = "sensitivity/";
    if (strncmp(c->group, prefix, sizeof prefix - 1) != 0)
        return c->name;
    const char *parameter = c->group + sizeof prefix - 1;
    snprintf(text, size, "d %s/d %.*s", c->name, (int)strcspn(parameter, "/"), parameter);
    return text;
}

// what a channel is called on an axis: what it is, if the file has that, or its name
static const char *axis_name(const trmi_channel *c, const char *name)
{
    return name == c->name && c->description && c->description[0] ? c->description : name;
}

// Adds a name to the list of those in a panel, unless it is there. A list that gets too long is
// empty from then on.
static void list_name(char *list, size_t size, const char *name)
{
    size_t used = strlen(list), length = strlen(name);
    for (const char *at = list; *at; at += strcspn(at, ","), at += strspn(at, ", "))
        if (strcspn(at, ",") == length && strncmp(at, name, length) == 0)
            return;
    if (used + length + 3 > size)
        list[0] = '\0';
    else
        snprintf(list + used, size - used, "%s%s", used ? ", " : "", name);
}

// One curve names the axis; several do it by their names, if these are short, or by the group they
// have in common. The unit is there if all have it.
static void name_axis(trmi_figure *f, int panel, const trmi_channel *c, const char *shown)
{
    char *label = f->y_label[panel], *names = f->names[panel];
    size_t size = sizeof f->y_label[panel];
    const char *unit = c->unit ? c->unit : "";
    if (f->panel[panel].curves == 0) {
        label_axis(label, size, axis_name(c, shown), unit);
        snprintf(f->unit[panel], sizeof f->unit[panel], "%s", unit);
        snprintf(f->group[panel], sizeof f->group[panel], "%s", c->group);
        list_name(names, sizeof f->names[panel], shown);
        return;
    }
    bool counted = names[0] != '\0';
    list_name(names, sizeof f->names[panel], shown);
    bool same_group = strcmp(f->group[panel], c->group) == 0;
    if (counted && strcmp(names, shown) == 0) // the channel of another result
        return;
    if (!same_group)
        f->group[panel][0] = '\0';
    if (strcmp(f->unit[panel], unit) != 0)
        f->unit[panel][0] = '\0';
    char name[60], common[40]; // copies: the label is a part of the figure too
    snprintf(name, sizeof name, "%.59s", counted && names[0] ? names : f->group[panel]);
    snprintf(common, sizeof common, "%s", f->unit[panel]);
    label_axis(label, size, name, common);
    if (!counted)
        names[0] = '\0';
}

static void append_unit(trmi_figure *f, int panel, int curve)
{
    char *label = f->label[panel][curve];
    const char *unit = f->curve_unit[panel][curve];
    size_t used = strlen(label);
    if (unit[0])
        snprintf(label + used, sizeof f->label[panel][curve] - used, " [%.20s]", unit);
}

// The text of the last curve in the legend; where units differ, all curves have theirs.
static void name_curve(trmi_figure *f, int panel, const char *name, const char *unit)
{
    int curve = f->panel[panel].curves;
    snprintf(f->label[panel][curve], sizeof f->label[panel][curve], "%.78s", name);
    f->curve[panel][curve].label = f->label[panel][curve];
    f->curve_unit[panel][curve] = unit ? unit : "";
    if (f->mixed[panel]) {
        append_unit(f, panel, curve);
    } else if (strcmp(f->curve_unit[panel][0], f->curve_unit[panel][curve]) != 0) {
        f->mixed[panel] = true;
        for (int k = 0; k <= curve; k++)
            append_unit(f, panel, k);
    }
}

// curve->error := the errors of a channel, NULL: they are not known for all its values
static trm_status add_errors(trmi_curve *curve, trmi_result *result, int index, trm_error *error)
{
    int errors = trmi_result_error_of(result, index);
    const double *t, *value = NULL;
    int64_t known = 0;
    trm_status status =
        errors >= 0 ? trmi_result_read(result, errors, &t, &value, &known, error) : TRM_OK;
    curve->error = known >= curve->count ? value : NULL;
    return status;
}

trm_status trmi_figure_add(trmi_figure *f, int panel, trmi_result *result, const char *channel,
                           const char *x, const char *legend, trm_error *error)
{
    trmi_panel *p = &f->panel[panel];
    int index = trmi_result_find(result, channel, error);
    int x_index = x ? trmi_result_find(result, x, error) : 0;
    if (index < 0 || x_index < 0)
        return TRM_ERR_RESULT;
    if (p->curves == TRMI_FIGURE_CURVES)
        return trmi_error_set(error, TRM_ERR_RESULT, "a panel has at most %d curves",
                              TRMI_FIGURE_CURVES);
    trmi_curve *curve = &f->curve[panel][p->curves];
    const trmi_channel *c = trmi_result_channel(result, index);
    const double *t, *value;
    char text[200];
    trm_status status = trmi_result_read(result, index, &t, &value, &curve->count, error);
    if (status != TRM_OK)
        return status;
    *curve = (trmi_curve){.x = t, .y = value, .count = curve->count};
    if (!x)
        status = add_errors(curve, result, index, error);
    if (status != TRM_OK)
        return status;
    if (x) {
        int64_t count;
        status = trmi_result_read(result, x_index, &t, &curve->x, &count, error);
        if (status != TRM_OK)
            return status;
        if (count != curve->count)
            return trmi_error_set(error, TRM_ERR_RESULT,
                                  "%s has %lld values and %s %lld: they are not on the same grid",
                                  channel, (long long)curve->count, x, (long long)count);
        const trmi_channel *over = trmi_result_channel(result, x_index);
        const char *name = trmi_shown_name(over, text, sizeof text);
        label_axis(f->x_label[panel], sizeof f->x_label[panel], axis_name(over, name), over->unit);
        p->equal = c->unit && c->unit[0] && over->unit && strcmp(c->unit, over->unit) == 0;
    }
    const char *shown = trmi_shown_name(c, text, sizeof text);
    name_axis(f, panel, c, shown);
    name_curve(f, panel, legend ? legend : shown, c->unit);
    p->curves++;
    return TRM_OK;
}

static bool write_page(FILE *out, const trmi_figure *f, trmi_result *result)
{
    static const char *const names[][2] = {{"Status", "status"},
                                           {"Message", "text"},
                                           {"Command", "command_line"},
                                           {"Version", "version"}};
    trmi_page_pair pair[4];
    int pairs = 0;
    for (int k = 0; k < 4; k++) {
        const char *value = trmi_result_attribute(result, names[k][1]);
        if (value && value[0])
            pair[pairs++] = (trmi_page_pair){names[k][0], value, NULL};
    }
    int64_t events = trmi_result_events(result);
    trmi_page_event *event = calloc((size_t)events + 1, sizeof *event);
    for (int64_t i = 0; event && i < events; i++)
        trmi_result_event(result, i, &event[i].t, &event[i].name, &event[i].text);
    trmi_plot plot = f->plot;
    plot.title = NULL; // that of the page is enough
    const trmi_page page = {.title = f->plot.title,
                            .summary = pair,
                            .pairs = pairs,
                            .plot = &plot,
                            .plots = 1,
                            .event = event,
                            .events = events,
                            .theme = f->plot.theme};
    bool good = event && trmi_page_html(out, &page);
    free(event);
    return good;
}

trm_status trmi_figure_write(const trmi_figure *f, trmi_result *result, const char *path,
                             trm_error *error)
{
    trmi_whole_file file = trmi_whole_file_open(path);
    if (!file.out)
        return trmi_error_set(error, TRM_ERR_RESULT, "cannot write %.150s: %s", path,
                              strerror(errno));
    const char *dot = strrchr(path, '.');
    bool good = dot && strcmp(dot, ".html") == 0 ? write_page(file.out, f, result)
                                                 : trmi_plot_svg(file.out, &f->plot);
    file.failure = good ? 0 : ENOMEM;
    int reason = trmi_whole_file_close(&file);
    return reason == 0 ? TRM_OK
                       : trmi_error_set(error, TRM_ERR_RESULT, "cannot write %.150s: %s", path,
                                        strerror(reason));
}
