// SPDX-License-Identifier: Apache-2.0
// The picture: panels one above the other, their areas aligned. Panels with the same x axis (label
// and kind) share its range; only the lowest of several in a row has its numbers.
#include "program/plot/plot.h"

#include "program/plot/markup.h"
#include "program/plot/panel.h"
#include "program/plot/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double title_size = 15, title_row = 28;
static const double right_margin = 24, panel_gap = 6;
static const double around_area = 56; // what a usual panel has above and below its area
static const double y_pitch = 38;     // pixels between ticks, about

static const char *const font =
    "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif";

static double size_or(double given, double preset, double minimum)
{
    return isfinite(given) && given > 0 ? fmin(fmax(given, minimum), 1e4) : preset;
}

static const char *text_or(const char *text, const char *otherwise)
{
    return text && *text ? text : otherwise;
}

static bool same_x_axis(const trmi_panel *a, const trmi_panel *b)
{
    return a->log_x == b->log_x && strcmp(text_or(a->x_label, ""), text_or(b->x_label, "")) == 0;
}

// ---- arranging ----

// markers at the border would stick out
static void share_x_axis(trmi_panel_view *view, int panels, int index)
{
    const trmi_panel *panel = view[index].panel;
    trmi_range range = trmi_range_empty;
    bool points = false;
    for (int k = 0; k < panels; k++)
        if (same_x_axis(panel, view[k].panel)) {
            range = trmi_range_union(range, view[k].x_range);
            for (int c = 0; c < view[k].panel->curves; c++)
                points = points || view[k].panel->curve[c].points;
        }
    trmi_axis_set(&view[index].x, panel->log_x, range, panel->equal ? 0.05 : points ? 0.02 : 0);
    view[index].x.whole = panel->whole_x;
    view[index].x_labelled = index + 1 == panels || !same_x_axis(panel, view[index + 1].panel);
}

static void mark_y(trmi_axis *y, double area_height)
{
    trmi_axis_mark(y, (int)(area_height / y_pitch) + 1);
}

static bool has_equal_scales(const trmi_panel_view *view)
{
    const trmi_panel *p = view->panel;
    return p->equal && !p->log_x && !p->log_y && !trmi_range_is_empty(view->x_range) &&
           !trmi_range_is_empty(view->y_range);
}

// The area becomes as high as equal scales need, between the usual height and a square; what is
// left is range that one axis shows beside its data. Returns the height.
static double make_scales_equal(trmi_panel_view *view, double width, double usual)
{
    double x = view->x.shown.high - view->x.shown.low, y = view->y.shown.high - view->y.shown.low;
    double height = fmax(usual, fmin(width * (y / x), width));
    double scale = fmax(x / width, y / height);
    trmi_axis_lengthen(&view->x, scale * width);
    trmi_axis_lengthen(&view->y, scale * height);
    return height;
}

// returns the height of the picture
static double arrange(trmi_panel_view *view, const trmi_plot *plot, double width)
{
    double area_height = size_or(plot->panel_height, 260, 100) - around_area, left = 0;
    for (int k = 0; k < plot->panels; k++) {
        trmi_panel_measure(&view[k], &plot->panel[k]);
        trmi_axis_set(&view[k].y, plot->panel[k].log_y, view[k].y_range, 0.05);
        mark_y(&view[k].y, area_height);
        left = fmax(left, trmi_panel_margin(&view[k]));
    }
    left = fmin(left, width / 2);
    double y = text_or(plot->title, NULL) ? 8 + title_row : 14;
    for (int k = 0; k < plot->panels; k++) {
        double right = width - right_margin, height = area_height;
        share_x_axis(view, plot->panels, k);
        if (has_equal_scales(&view[k])) {
            height = make_scales_equal(&view[k], right - left, area_height);
            mark_y(&view[k].y, height);
        }
        y = trmi_panel_arrange(&view[k], left, right, y, height) + panel_gap;
    }
    return y;
}

// ---- writing ----

static void describe_axis(FILE *out, const char *label, const trmi_axis *axis)
{
    trmi_markup_text(out, text_or(label, "values"));
    if (!trmi_range_is_empty(axis->data))
        fprintf(out, " from %.4g to %.4g", axis->data.low, axis->data.high);
}

// for those who cannot see the picture
static void write_description(FILE *out, const trmi_plot *plot, const trmi_panel_view *view)
{
    fprintf(out, "<desc>Line plot with %d panel%s.", plot->panels, plot->panels == 1 ? "" : "s");
    for (int k = 0; k < plot->panels; k++) {
        const trmi_panel *panel = &plot->panel[k];
        fputc(' ', out);
        trmi_markup_text(out, text_or(panel->title, "Panel"));
        fputs(": ", out);
        describe_axis(out, panel->y_label, &view[k].y);
        fputs(" over ", out);
        describe_axis(out, panel->x_label, &view[k].x);
        for (int c = 0; c < panel->curves; c++) {
            fputs(c ? ", " : "; curves ", out);
            trmi_markup_text(out, text_or(panel->curve[c].label, "without name"));
        }
        fputc('.', out);
    }
    fputs("</desc>\n", out);
}

static void open_document(FILE *out, const trmi_plot *plot, double width, double height)
{
    fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"%s\" role=\"img\"",
            trmi_svg_class(plot->theme));
    trmi_svg_attribute(out, "width", width);
    trmi_svg_attribute(out, "height", height);
    fputs(" viewBox=\"0 0 ", out);
    trmi_svg_number(out, width);
    fputc(' ', out);
    trmi_svg_number(out, height);
    fprintf(out, "\" font-family=\"%s\">\n<title>", font);
    const char *name = "Plot";
    if (plot->panels > 0)
        name = text_or(plot->panel[0].title, text_or(plot->panel[0].y_label, name));
    trmi_markup_text(out, text_or(plot->title, name));
    fputs("</title>\n", out);
}

static void write_background(FILE *out, const trmi_plot *plot)
{
    trmi_svg_style(out, plot->theme);
    fputs("<rect class=\"b\" width=\"100%\" height=\"100%\"/>\n", out);
}

// a picture without curves, with the reason
static void write_remark(FILE *out, const trmi_plot *plot, double width, const char *text)
{
    open_document(out, plot, width, 60);
    write_background(out, plot);
    trmi_svg_text(
        out,
        &(trmi_svg_label){
            .text = text, .anchor = "middle", .x = width / 2, .y = 34, .size = 12, .limit = width});
    fputs("</svg>\n", out);
}

bool trmi_plot_svg(FILE *out, const trmi_plot *plot)
{
    double width = size_or(plot->width, 760, 200);
    if (plot->panels <= 0) {
        write_remark(out, plot, width, "nothing to plot");
        return true;
    }
    trmi_panel_view *view = malloc((size_t)plot->panels * sizeof *view);
    if (!view) {
        write_remark(out, plot, width, "not enough memory for this plot");
        return false;
    }
    bool good = true;
    double height = arrange(view, plot, width);
    open_document(out, plot, width, height);
    write_description(out, plot, view);
    write_background(out, plot);
    trmi_svg_text(out, &(trmi_svg_label){.text = plot->title,
                                         .style_class = "t",
                                         .x = view[0].area.left,
                                         .y = 8 + title_size,
                                         .size = title_size,
                                         .limit = width - right_margin - view[0].area.left});
    for (int k = 0; k < plot->panels; k++)
        good = trmi_panel_draw(out, &view[k], plot->lines) && good;
    fputs("</svg>\n", out);
    free(view);
    return good;
}
