// SPDX-License-Identifier: Apache-2.0
// From top to bottom: title and common power of the y axis on the left, legend on the right (below
// them when it is too wide), area, numbers and label of the x axis, note on values left out.
#include "program/plot/panel.h"

#include "program/plot/markup.h"

#include <inttypes.h>
#include <math.h>

static const double title_size = 13, label_size = 12, tick_size = 11, note_size = 10.5;
static const double title_row = 20, common_row = 16, note_row = 15;
static const double tick_length = 4, gap = 8;
static const double x_pitch = 75; // pixels between ticks, about

void trmi_panel_measure(trmi_panel_view *view, const trmi_panel *panel)
{
    *view =
        (trmi_panel_view){.panel = panel, .x_range = trmi_range_empty, .y_range = trmi_range_empty};
    for (int k = 0; k < panel->curves; k++)
        trmi_trace_measure(&panel->curve[k], panel->log_x, panel->log_y, &view->x_range,
                           &view->y_range, &view->left_out);
}

// ---- arranging ----

static bool has_text(const char *text)
{
    return text && *text;
}

double trmi_panel_margin(const trmi_panel_view *view)
{
    double label = has_text(view->panel->y_label) ? label_size + gap : 0;
    return gap + label + trmi_axis_label_width(&view->y, tick_size) + tick_length + 4;
}

static double head_height(const trmi_panel_view *view)
{
    return (has_text(view->panel->title) ? title_row : 0) +
           (has_text(view->y.labels.common) ? common_row : 0);
}

// as many ticks as have labels that do not overlap
static void mark_x(trmi_axis *x)
{
    bool overlap = true;
    for (int target = (int)((x->to - x->from) / x_pitch); overlap; target--) {
        trmi_axis_mark(x, target);
        overlap = false;
        for (int k = 1; k < x->ticks; k++) {
            double space = trmi_axis_tick(x, k) - trmi_axis_tick(x, k - 1);
            double need = (trmi_markup_rich_width(x->labels.text[k - 1], tick_size) +
                           trmi_markup_rich_width(x->labels.text[k], tick_size)) /
                          2;
            overlap = overlap || (space < need + 8 && target > 2);
        }
    }
}

double trmi_panel_arrange(trmi_panel_view *view, double left, double right, double top,
                          double area_height)
{
    view->legend = trmi_legend_arrange(view->panel, right - left);
    double head = head_height(view);
    double head_width = fmax(trmi_markup_width(view->panel->title, title_size),
                             trmi_markup_rich_width(view->y.labels.common, tick_size));
    view->legend_beside = head_width + 24 + view->legend.width <= right - left;
    head = view->legend_beside ? fmax(head, view->legend.height) : head + view->legend.height;
    view->area = (trmi_box){left, top + head, right, top + head + area_height};
    view->x.from = left;
    view->x.to = right;
    view->y.from = view->area.bottom;
    view->y.to = view->area.top;
    mark_x(&view->x);
    double bottom = view->area.bottom + tick_length;
    if (view->x_labelled) {
        bottom += tick_size + 4;
        if (has_text(view->panel->x_label) || has_text(view->x.labels.common))
            bottom += label_size + 6;
    }
    bool note = view->left_out.infinite > 0 || view->left_out.not_positive > 0;
    return bottom + (note ? note_row : 0) + gap;
}

// ---- drawing ----

static void draw_marks(FILE *out, const trmi_panel_view *view, const char *style_class, double from,
                       double to, bool x_axis)
{
    const trmi_axis *axis = x_axis ? &view->x : &view->y;
    for (int k = 0; k < axis->ticks; k++) {
        double at = trmi_axis_tick(axis, k);
        if (x_axis)
            trmi_svg_line(out, style_class, at, from, at, to);
        else
            trmi_svg_line(out, style_class, from, at, to, at);
    }
}

// 2, 3, ..., 9 times the powers of ten, where these are all marked
static void draw_minor(FILE *out, const trmi_panel_view *view, bool x_axis)
{
    const trmi_axis *axis = x_axis ? &view->x : &view->y;
    const trmi_tick *tick = axis->tick;
    if (!axis->logarithmic || axis->ticks < 3 || tick[1].exponent != tick[0].exponent + 1)
        return;
    for (int e = tick[0].exponent - 1; e <= tick[axis->ticks - 1].exponent; e++)
        for (int digit = 2; digit <= 9; digit++) {
            double value = trmi_tick_value((trmi_tick){digit, e});
            if (value < axis->shown.low || value > axis->shown.high)
                continue;
            double at = trmi_axis_place(axis, value), half = tick_length / 2;
            if (x_axis)
                trmi_svg_line(out, "a", at, view->area.bottom, at, view->area.bottom + half);
            else
                trmi_svg_line(out, "a", view->area.left - half, at, view->area.left, at);
        }
}

static bool crosses_zero(const trmi_axis *axis)
{
    return !axis->logarithmic && axis->ticks > 0 && axis->shown.low < 0 && axis->shown.high > 0;
}

static void draw_frame(FILE *out, const trmi_panel_view *view)
{
    const trmi_box *a = &view->area;
    draw_marks(out, view, "g", a->top, a->bottom, true);
    draw_marks(out, view, "g", a->left, a->right, false);
    if (crosses_zero(&view->x)) {
        double at = trmi_axis_place(&view->x, 0);
        trmi_svg_line(out, "z", at, a->top, at, a->bottom);
    }
    if (crosses_zero(&view->y)) {
        double at = trmi_axis_place(&view->y, 0);
        trmi_svg_line(out, "z", a->left, at, a->right, at);
    }
    draw_marks(out, view, "a", a->bottom, a->bottom + tick_length, true);
    draw_marks(out, view, "a", a->left - tick_length, a->left, false);
    draw_minor(out, view, true);
    draw_minor(out, view, false);
    trmi_svg_line(out, "a", a->left, a->top, a->left, a->bottom);
    trmi_svg_line(out, "a", a->left, a->bottom, a->right, a->bottom);
}

static void draw_y_labels(FILE *out, const trmi_panel_view *view)
{
    const trmi_box *a = &view->area;
    for (int k = 0; k < view->y.ticks; k++)
        trmi_svg_text(out, &(trmi_svg_label){.text = view->y.labels.text[k],
                                             .anchor = "end",
                                             .x = a->left - tick_length - 4,
                                             .y = trmi_axis_tick(&view->y, k) + 0.36 * tick_size,
                                             .size = tick_size,
                                             .rich = true});
    trmi_svg_text(out, &(trmi_svg_label){.text = view->y.labels.common,
                                         .x = a->left - tick_length,
                                         .y = a->top - 6,
                                         .size = tick_size,
                                         .rich = true});
    trmi_svg_text(out, &(trmi_svg_label){.text = view->panel->y_label,
                                         .anchor = "middle",
                                         .x = gap + label_size - 3,
                                         .y = (a->top + a->bottom) / 2,
                                         .size = label_size,
                                         .limit = a->bottom - a->top + 2 * gap,
                                         .upward = true,
                                         .rich = true});
}

// labels that would touch the one before are left out
static void draw_x_numbers(FILE *out, const trmi_panel_view *view)
{
    double last = -HUGE_VAL, y = view->area.bottom + tick_length + tick_size + 1;
    for (int k = 0; k < view->x.ticks; k++) {
        const char *text = view->x.labels.text[k];
        double at = trmi_axis_tick(&view->x, k), half = trmi_markup_rich_width(text, tick_size) / 2;
        if (at - half < last + 4)
            continue;
        last = at + half;
        trmi_svg_text(out, &(trmi_svg_label){.text = text,
                                             .anchor = "middle",
                                             .x = at,
                                             .y = y,
                                             .size = tick_size,
                                             .rich = true});
    }
}

static void draw_x_labels(FILE *out, const trmi_panel_view *view)
{
    const trmi_box *a = &view->area;
    double y = a->bottom + tick_length + tick_size + label_size + 6;
    double common = trmi_markup_rich_width(view->x.labels.common, tick_size);
    draw_x_numbers(out, view);
    trmi_svg_text(out, &(trmi_svg_label){.text = view->panel->x_label,
                                         .anchor = "middle",
                                         .x = (a->left + a->right) / 2,
                                         .y = y,
                                         .size = label_size,
                                         .limit = a->right - a->left - 2 * common,
                                         .rich = true});
    trmi_svg_text(out, &(trmi_svg_label){.text = view->x.labels.common,
                                         .anchor = "end",
                                         .x = a->right,
                                         .y = y,
                                         .size = tick_size,
                                         .rich = true});
}

static void draw_note(FILE *out, const trmi_panel_view *view, double y)
{
    char text[120] = "";
    const trmi_left_out *l = &view->left_out;
    int used = 0;
    if (l->not_positive > 0)
        used =
            snprintf(text, sizeof text, "Not shown: %" PRId64 " point%s \xe2\x89\xa4 0 (log axis)",
                     l->not_positive, l->not_positive == 1 ? "" : "s");
    if (l->infinite > 0)
        snprintf(text + used, sizeof text - (size_t)used, "%s%" PRId64 " infinite",
                 used ? ", " : "Not shown: ", l->infinite);
    trmi_svg_text(out, &(trmi_svg_label){.text = text,
                                         .style_class = "n",
                                         .x = view->area.left,
                                         .y = y,
                                         .size = note_size,
                                         .limit = view->area.right - view->area.left});
}

static void draw_head(FILE *out, const trmi_panel_view *view)
{
    const trmi_box *a = &view->area;
    const trmi_legend *legend = &view->legend;
    double head = head_height(view), below = view->legend_beside ? 0 : legend->height;
    double top = a->top - (view->legend_beside ? fmax(head, legend->height) : head + below);
    trmi_svg_text(out, &(trmi_svg_label){.text = view->panel->title,
                                         .style_class = "t",
                                         .x = a->left,
                                         .y = top + title_size,
                                         .size = title_size,
                                         .limit = a->right - a->left});
    double legend_top = view->legend_beside ? a->top - legend->height
                                            : top + (has_text(view->panel->title) ? title_row : 0);
    trmi_legend_draw(out, legend, view->panel, a->right - legend->width, legend_top);
}

bool trmi_panel_draw(FILE *out, const trmi_panel_view *view, trmi_drawn_lines *lines)
{
    const trmi_box *a = &view->area;
    draw_head(out, view);
    draw_frame(out, view);
    draw_y_labels(out, view);
    double below = a->bottom + tick_length;
    if (view->x_labelled) {
        draw_x_labels(out, view);
        below += tick_size + 4;
        if (has_text(view->panel->x_label) || has_text(view->x.labels.common))
            below += label_size + 6;
    }
    bool good = true;
    for (int k = 0; k < view->panel->curves; k++)
        good = trmi_band_draw(out, &view->panel->curve[k], k, &view->x, &view->y, lines) && good;
    for (int k = 0; k < view->panel->curves; k++)
        trmi_trace_draw(out, &view->panel->curve[k], k, &view->x, &view->y, lines);
    if (view->left_out.shown == 0)
        trmi_svg_text(out, &(trmi_svg_label){.text = "no values",
                                             .style_class = "n",
                                             .anchor = "middle",
                                             .x = (a->left + a->right) / 2,
                                             .y = (a->top + a->bottom) / 2,
                                             .size = label_size});
    draw_note(out, view, below + note_row - 2);
    return good;
}
