// SPDX-License-Identifier: Apache-2.0
#include "program/plot/matrix_picture.h"

#include "base/error.h"
#include "program/files/disk.h"
#include "program/plot/svg.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// pixels: a matrix, the margin around it with the names of the blocks, their text
static const double SIDE = 440, MARGIN = 84, TOP = 70, TEXT = 11;

// One of the two matrices.
typedef struct view {
    FILE *out;
    const trmi_newton_pattern *pattern;
    double left, cell;
    const int *place; // of each column in this view
} view;

// a colour for a group: hues that are far apart, whatever their number (steps of the golden angle)
static void write_colour(FILE *out, int group)
{
    double hue = fmod(group * 137.50776405003785, 360) / 60, rgb[3];
    for (int k = 0; k < 3; k++) {
        double x = fabs(fmod(hue + 6 - 2 * k, 6) - 3) - 1; // triangle over the hue
        rgb[k] = 40 + 160 * fmin(fmax(x, 0), 1);
    }
    fprintf(out, "#%02x%02x%02x", (int)rgb[0], (int)rgb[1], (int)rgb[2]);
}

// a run of entries below each other
static void write_run(const view *v, int column, int first, int last)
{
    fputc('M', v->out);
    trmi_svg_number(v->out, v->left + v->cell * v->place[column]);
    fputc(' ', v->out);
    trmi_svg_number(v->out, TOP + v->cell * first);
    fputc('h', v->out);
    trmi_svg_number(v->out, v->cell);
    fputc('v', v->out);
    trmi_svg_number(v->out, v->cell * (last + 1 - first));
    fputc('h', v->out);
    trmi_svg_number(v->out, -v->cell);
    fputc('z', v->out);
}

// All entries, one path for each group. start: of the entries of each column.
static void write_entries(const view *v, const int *start)
{
    const trmi_newton_pattern *p = v->pattern;
    for (int group = 0; group < p->groups.count; group++) {
        fputs("<path style=\"fill:", v->out);
        write_colour(v->out, group);
        fputs("\" d=\"", v->out);
        for (int j = 0; j < p->n; j++)
            for (int k = start[j], first = k; k < start[j + 1] && p->groups.group[j] == group; k++)
                if (k + 1 == start[j + 1] || p->row[k + 1] != p->row[k] + 1) {
                    write_run(v, j, p->row[first], p->row[k]);
                    first = k + 1;
                }
        fputs("\"/>\n", v->out);
    }
}

// lines between the equations, and between unknowns where they are in their order
static void write_blocks(const view *v, bool in_order)
{
    const trmi_newton_pattern *p = v->pattern;
    double right = v->left + SIDE, bottom = TOP + SIDE;
    for (int k = 0; k < TRMI_NEWTON_PARTS; k++) {
        const trmi_newton_part *row = &p->equation[k], *column = &p->unknown[k];
        double y = TOP + v->cell * row->first, x = v->left + v->cell * column->first;
        double half = v->cell * row->count / 2;
        if (row->count > 0) {
            trmi_svg_line(v->out, "z", v->left, y, right, y);
            if (in_order)
                trmi_svg_text(v->out, &(trmi_svg_label){.text = row->name,
                                                        .style_class = "n",
                                                        .anchor = "end",
                                                        .x = v->left - 6,
                                                        .y = y + half + TEXT / 3,
                                                        .size = TEXT});
        }
        if (column->count > 0 && in_order) {
            trmi_svg_line(v->out, "z", x, TOP, x, bottom);
            trmi_svg_text(v->out, &(trmi_svg_label){.text = column->name,
                                                    .style_class = "n",
                                                    .anchor = "middle",
                                                    .x = x + v->cell * column->count / 2,
                                                    .y = TOP - 6,
                                                    .size = TEXT});
        }
    }
    trmi_svg_line(v->out, "a", v->left, TOP, right, TOP);
    trmi_svg_line(v->out, "a", v->left, bottom, right, bottom);
    trmi_svg_line(v->out, "a", v->left, TOP, v->left, bottom);
    trmi_svg_line(v->out, "a", right, TOP, right, bottom);
}

// lines between the groups
static void write_groups(const view *v)
{
    const trmi_newton_pattern *p = v->pattern;
    double x = v->left;
    for (int group = 0; group < p->groups.count; group++) {
        for (int j = 0; j < p->n; j++)
            x += p->groups.group[j] == group ? v->cell : 0;
        trmi_svg_line(v->out, "g", x, TOP, x, TOP + SIDE);
    }
    trmi_svg_text(v->out, &(trmi_svg_label){.text = "columns in the order of their groups",
                                            .style_class = "n",
                                            .anchor = "middle",
                                            .x = v->left + SIDE / 2,
                                            .y = TOP - 6,
                                            .size = TEXT});
}

static void write_head(FILE *out, const trmi_newton_pattern *p, const char *title, trmi_theme theme,
                       double width, double height)
{
    char note[200];
    fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"%s\" viewBox=\"0 0 ",
            trmi_svg_class(theme));
    trmi_svg_number(out, width);
    fputc(' ', out);
    trmi_svg_number(out, height);
    fputc('"', out);
    trmi_svg_attribute(out, "width", width);
    trmi_svg_attribute(out, "height", height);
    fputs(" font-family=\"sans-serif\">\n", out);
    trmi_svg_style(out, theme);
    fputs("<rect class=\"b\" width=\"100%\" height=\"100%\"/>\n", out);
    trmi_svg_text(out, &(trmi_svg_label){.text = title,
                                         .style_class = "t",
                                         .x = MARGIN,
                                         .y = 22,
                                         .size = 14,
                                         .limit = width - 2 * MARGIN});
    snprintf(note, sizeof note, "%d x %d, %d entries, %d groups of columns", p->n, p->n, p->count,
             p->groups.count);
    trmi_svg_text(
        out, &(trmi_svg_label){.text = note, .style_class = "n", .x = MARGIN, .y = 42, .size = 12});
}

// place: columns in their order, sorted: by groups, those without entries at the end; start: first
// entry of each column
static void order_columns(const trmi_newton_pattern *p, int *place, int *sorted, int *start)
{
    int next = 0;
    for (int group = 0; group <= p->groups.count; group++)
        for (int j = 0; j < p->n; j++)
            if (p->groups.group[j] == (group < p->groups.count ? group : -1))
                sorted[j] = next++;
    for (int j = 0; j < p->n; j++)
        place[j] = j;
    for (int k = 0; k < p->count; k++)
        start[p->column[k] + 1]++;
    for (int j = 0; j < p->n; j++)
        start[j + 1] += start[j];
}

bool trmi_matrix_picture(FILE *out, const trmi_newton_pattern *p, const char *title,
                         trmi_theme theme)
{
    int *work = calloc(3 * (size_t)p->n + 1, sizeof *work);
    int *place = work, *sorted = work + p->n, *start = sorted + p->n;
    double cell = SIDE / (p->n > 0 ? p->n : 1);
    if (!work)
        return false;
    order_columns(p, place, sorted, start);
    write_head(out, p, title, theme, 2 * SIDE + 2.5 * MARGIN, TOP + SIDE + 20);
    const view whole = {out, p, MARGIN, cell, place};
    const view ordered = {out, p, MARGIN + SIDE + MARGIN / 2, cell, sorted};
    write_entries(&whole, start);
    write_blocks(&whole, true);
    write_groups(&ordered);
    write_entries(&ordered, start);
    write_blocks(&ordered, false);
    fputs("</svg>\n", out);
    free(work);
    return true;
}

trm_status trmi_matrix_picture_write(const char *path, const trmi_newton_pattern *p,
                                     const char *title, trm_error *error)
{
    trmi_whole_file file = trmi_whole_file_open(path);
    int reason = errno;
    if (file.out) {
        if (!trmi_matrix_picture(file.out, p, title, TRMI_THEME_AUTO))
            file.failure = ENOMEM;
        reason = trmi_whole_file_close(&file);
    }
    return reason == 0 ? TRM_OK
                       : trmi_error_set(error, TRM_ERR_RESULT, "cannot write %s: %s", path,
                                        strerror(reason));
}
