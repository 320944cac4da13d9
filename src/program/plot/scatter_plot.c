// SPDX-License-Identifier: Apache-2.0
// The lower triangle of the matrix: row i has column i + 1 over the columns 0 .. i. The axes are
// those of the rows at the left and of the columns below.
#include "program/plot/scatter_plot.h"

#include "program/plot/axis.h"
#include "program/plot/markup.h"
#include "program/plot/svg.h"

#include <inttypes.h>
#include <math.h>

static const double title_row = 34, margin_left = 64, margin_below = 44, margin_right = 12;
static const double gap = 8, largest_cell = 240, text_size = 11, radius = 2.2;

typedef struct layout {
    const trmi_scatter_plot *scatter;
    double cell; // pixels of a panel and its gap
} layout;

static trmi_box cell_box(const layout *l, int row, int column)
{
    double left = margin_left + column * l->cell, top = title_row + row * l->cell;
    return (trmi_box){left, top, left + l->cell - gap, top + l->cell - gap};
}

static trmi_axis make_axis(const trmi_scatter_plot *s, int column, double from, double to)
{
    trmi_axis axis = {0};
    trmi_range range = trmi_range_empty;
    for (int64_t i = 0; i < s->points; i++)
        if (isfinite(s->column[column].value[i]))
            range = trmi_range_with(range, s->column[column].value[i]);
    trmi_axis_set(&axis, false, range, 0.06);
    axis.from = from;
    axis.to = to;
    return axis;
}

static void write_points(FILE *out, const trmi_scatter_plot *s, int row, int column, trmi_box box)
{
    trmi_axis x = make_axis(s, column, box.left, box.right);
    trmi_axis y = make_axis(s, row, box.bottom, box.top);
    for (int64_t i = 0; i < s->points; i++) {
        double at = s->column[column].value[i], value = s->column[row].value[i];
        if (!isfinite(at) || !isfinite(value))
            continue;
        fprintf(out, "<a href=\"#run-%" PRId64 "\"><circle class=\"m0\"", s->number[i]);
        trmi_svg_attribute(out, "cx", trmi_axis_place(&x, at));
        trmi_svg_attribute(out, "cy", trmi_axis_place(&y, value));
        trmi_svg_attribute(out, "r", radius);
        fprintf(out, "><title>run %" PRId64 "</title></circle></a>\n", s->number[i]);
    }
}

static void write_frame(FILE *out, trmi_box b)
{
    trmi_svg_line(out, "a", b.left, b.top, b.left, b.bottom);
    trmi_svg_line(out, "a", b.left, b.bottom, b.right, b.bottom);
    trmi_svg_line(out, "g", b.left, b.top, b.right, b.top);
    trmi_svg_line(out, "g", b.right, b.top, b.right, b.bottom);
}

// the smallest and the largest value at the ends of an axis, and its label between them
static void write_axis(FILE *out, const layout *l, int column, trmi_box box, bool upward)
{
    const trmi_scatter_plot *s = l->scatter;
    trmi_axis axis = upward ? make_axis(s, column, box.bottom, box.top)
                            : make_axis(s, column, box.left, box.right);
    char text[40];
    for (int end = 0; end < 2 && !trmi_range_is_empty(axis.data); end++) {
        double value = end ? axis.data.high : axis.data.low, at = trmi_axis_place(&axis, value);
        snprintf(text, sizeof text, "%.3g", value);
        trmi_svg_text(
            out, &(trmi_svg_label){.text = text,
                                   .style_class = "n",
                                   .anchor = upward ? "end"
                                             : end  ? "end"
                                                    : NULL,
                                   .x = upward ? box.left - 5 : at + (end ? 5 : -5),
                                   .y = upward ? at + text_size / 3 : box.bottom + text_size + 4,
                                   .size = text_size});
    }
    double middle = upward ? 0.5 * (box.top + box.bottom) : 0.5 * (box.left + box.right);
    trmi_svg_text(out, &(trmi_svg_label){.text = s->column[column].label,
                                         .anchor = "middle",
                                         .x = upward ? 14 : middle,
                                         .y = upward ? middle : box.bottom + 32,
                                         .size = text_size + 1,
                                         .limit = l->cell - gap,
                                         .upward = upward,
                                         .rich = true});
}

void trmi_scatter_plot_svg(FILE *out, const trmi_scatter_plot *s, double width, trmi_theme theme)
{
    int panels = s->columns - 1;
    if (panels < 1 || s->points < 1)
        return;
    layout l = {s, fmin((width - margin_left - margin_right) / panels, largest_cell)};
    double height = title_row + panels * l.cell + margin_below;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"%s\" role=\"img\" viewBox=\"0 0 ",
            trmi_svg_class(theme));
    trmi_svg_number(out, width);
    fputc(' ', out);
    trmi_svg_number(out, height);
    fputs("\" font-family=\"system-ui,sans-serif\"", out);
    trmi_svg_attribute(out, "width", width);
    trmi_svg_attribute(out, "height", height);
    fputs(">\n<title>", out);
    trmi_markup_text(out, s->title);
    fputs("</title>\n", out);
    trmi_svg_style(out, theme);
    fputs("<rect class=\"b\" width=\"100%\" height=\"100%\"/>\n", out);
    trmi_svg_text(out, &(trmi_svg_label){.text = s->title,
                                         .style_class = "t",
                                         .x = margin_left,
                                         .y = 20,
                                         .size = 15,
                                         .limit = width - margin_left});
    for (int row = 0; row < panels; row++) {
        for (int column = 0; column <= row; column++) {
            write_frame(out, cell_box(&l, row, column));
            write_points(out, s, row + 1, column, cell_box(&l, row, column));
        }
        write_axis(out, &l, row + 1, cell_box(&l, row, 0), true);
        write_axis(out, &l, row, cell_box(&l, panels - 1, row), false);
    }
    fputs("</svg>\n", out);
}
