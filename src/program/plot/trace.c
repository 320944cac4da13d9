// SPDX-License-Identifier: Apache-2.0
// Curves with many points are thinned without a visible change. Where x only grows, consecutive
// points in one column of pixels are replaced by the first, the lowest, the highest and the last of
// them, which cover the same pixels. Where x also returns (phase plots), points very near to the
// one drawn before are left out. Of markers one per pixel is enough.
#include "program/plot/trace.h"

#include "program/plot/svg.h"

#include <math.h>
#include <stdlib.h>

typedef struct point {
    double x, y; // pixels
} point;

typedef enum thinning { KEEP_ALL, KEEP_EXTREMES, KEEP_DISTANT } thinning;

static const double points_per_pixel = 2; // more are thinned
static const double nearest = 0.3;        // pixels

// The path being written. A run is the consecutive points in one column.
typedef struct pen {
    FILE *out;
    thinning thin;
    bool down; // the path has a point that the next one is joined to
    int written;
    int column;
    int64_t count; // points in the run
    int64_t order_low, order_high;
    point first, low, high, last;
} pen;

// Markers already drawn, a bit per pixel; without memory for it all are drawn.
typedef struct cover {
    unsigned char *bit;
    int left, top, width, height;
} cover;

static int64_t count_of(const trmi_curve *curve)
{
    return curve->x && curve->y && curve->count > 0 ? curve->count : 0;
}

static bool is_dense(const trmi_curve *curve, const trmi_axis *x)
{
    return (double)count_of(curve) > points_per_pixel * fabs(x->to - x->from);
}

static bool has_place(const trmi_curve *curve, int64_t k, const trmi_axis *x, const trmi_axis *y)
{
    return k >= 0 && k < count_of(curve) && trmi_axis_can_show(x->logarithmic, curve->x[k]) &&
           trmi_axis_can_show(y->logarithmic, curve->y[k]);
}

static point place(const trmi_curve *curve, int64_t k, const trmi_axis *x, const trmi_axis *y)
{
    return (point){trmi_axis_place(x, curve->x[k]), trmi_axis_place(y, curve->y[k])};
}

void trmi_trace_measure(const trmi_curve *curve, bool log_x, bool log_y, trmi_range *x,
                        trmi_range *y, trmi_left_out *left_out)
{
    for (int64_t k = 0; k < count_of(curve); k++) {
        double a = curve->x[k], b = curve->y[k];
        bool x_shown = trmi_axis_can_show(log_x, a), y_shown = trmi_axis_can_show(log_y, b);
        if (x_shown)
            *x = trmi_range_with(*x, a);
        if (x_shown && y_shown) {
            *y = trmi_range_with(*y, b);
            double e = curve->error && !log_y ? curve->error[k] : 0;
            if (isfinite(b - e) && isfinite(b + e)) {
                *y = trmi_range_with(*y, b - e);
                *y = trmi_range_with(*y, b + e);
            }
            left_out->shown++;
        } else if (isinf(a) || isinf(b)) {
            left_out->infinite++;
        } else if (!isnan(a) && !isnan(b)) {
            left_out->not_positive++;
        }
    }
}

// ---- lines ----

static void put_point(pen *p, point at)
{
    if (!p->down)
        fputc('M', p->out);
    else
        fputc(p->written % 16 == 0 ? '\n' : ' ', p->out); // lines stay short
    trmi_svg_number(p->out, at.x);
    fputc(' ', p->out);
    trmi_svg_number(p->out, at.y);
    p->down = true;
    p->written++;
}

// ends a run: first, low and high in the order in which they came, last
static void put_run(pen *p)
{
    if (p->count == 0)
        return;
    put_point(p, p->first);
    bool low_first = p->order_low < p->order_high;
    int64_t earlier = low_first ? p->order_low : p->order_high;
    int64_t later = low_first ? p->order_high : p->order_low;
    if (earlier > 0 && earlier < p->count - 1)
        put_point(p, low_first ? p->low : p->high);
    if (later > 0 && later < p->count - 1 && later != earlier)
        put_point(p, low_first ? p->high : p->low);
    if (p->count > 1)
        put_point(p, p->last);
    p->count = 0;
}

static void add_to_run(pen *p, point at)
{
    int column = (int)floor(at.x);
    if (p->count > 0 && column != p->column)
        put_run(p);
    if (p->count == 0) {
        p->column = column;
        p->first = p->low = p->high = at;
        p->order_low = p->order_high = 0;
    }
    if (at.y < p->low.y) {
        p->low = at;
        p->order_low = p->count;
    }
    if (at.y > p->high.y) {
        p->high = at;
        p->order_high = p->count;
    }
    p->last = at;
    p->count++;
}

static thinning choose_thinning(const trmi_curve *curve, const trmi_axis *x)
{
    if (!is_dense(curve, x))
        return KEEP_ALL;
    double greatest = -HUGE_VAL;
    for (int64_t k = 0; k < count_of(curve); k++) {
        if (curve->x[k] < greatest)
            return KEEP_DISTANT;
        greatest = fmax(greatest, curve->x[k]); // also past a NaN
    }
    return KEEP_EXTREMES;
}

static void add_point(pen *p, point at, bool end)
{
    if (p->thin == KEEP_EXTREMES) {
        add_to_run(p, at);
    } else if (p->thin == KEEP_ALL || !p->down || end ||
               hypot(at.x - p->last.x, at.y - p->last.y) >= nearest) {
        put_point(p, at);
        p->last = at;
    }
    if (end) {
        put_run(p);
        p->down = false;
    }
}

// patterns follow each other where colours come again, or for every curve
static int pattern_of(const trmi_curve *curve, int index)
{
    return (index / TRMI_SVG_COLOURS + (curve->dashed ? index : 0)) % TRMI_SVG_PATTERNS;
}

static bool draw_line(FILE *out, const trmi_placed_curve *d, int id)
{
    const trmi_curve *curve = d->curve;
    const trmi_axis *x = d->x, *y = d->y;
    const int index = d->index;
    pen p = {.out = out, .thin = choose_thinning(curve, x)};
    for (int64_t k = 0; k < count_of(curve); k++) {
        bool before = has_place(curve, k - 1, x, y), after = has_place(curve, k + 1, x, y);
        if (!has_place(curve, k, x, y) || (!before && !after))
            continue;
        if (p.written == 0 && p.count == 0) {
            fprintf(out, "<path class=\"c l%d d%d\"", index % TRMI_SVG_COLOURS,
                    pattern_of(curve, index));
            if (id >= 0)
                fprintf(out, " id=\"c%d\"", id);
            fputs(" d=\"", out);
        }
        add_point(&p, place(curve, k, x, y), !after);
    }
    if (p.written > 0)
        fputs("\"/>\n", out);
    return p.written > 0;
}

// ---- markers ----

// true the first time for each pixel
static bool is_new(cover *c, point at)
{
    if (!c->bit)
        return true;
    size_t column = (size_t)((int)floor(at.x) - c->left), row = (size_t)((int)floor(at.y) - c->top);
    size_t pixel = row * (size_t)c->width + column;
    unsigned char mask = (unsigned char)(1u << (pixel % 8));
    bool unseen = !(c->bit[pixel / 8] & mask);
    c->bit[pixel / 8] |= mask;
    return unseen;
}

// Every point of a curve of points or with markers, the isolated ones of a line. The shapes are
// relative to the centre: circle, square, triangle, diamond.
static void draw_markers(FILE *out, const trmi_curve *curve, int index, const trmi_axis *x,
                         const trmi_axis *y)
{
    static const char *const shape[TRMI_SVG_PATTERNS] = {
        "m-2.5 0a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0z", "m-2.3-2.3h4.6v4.6h-4.6z",
        "m0-3.2l3 5.4h-6z", "m0-3.3l3.3 3.3l-3.3 3.3l-3.3-3.3z"};
    cover seen = {.left = (int)floor(fmin(x->from, x->to)),
                  .top = (int)floor(fmin(y->from, y->to)),
                  .width = (int)fabs(x->to - x->from) + 2,
                  .height = (int)fabs(y->to - y->from) + 2};
    bool open = false;
    if (is_dense(curve, x))
        seen.bit = calloc((size_t)seen.width * (size_t)seen.height / 8 + 1, 1);
    for (int64_t k = 0; k < count_of(curve); k++) {
        if (!has_place(curve, k, x, y))
            continue;
        if (!curve->points && !curve->marked &&
            (has_place(curve, k - 1, x, y) || has_place(curve, k + 1, x, y)))
            continue;
        point at = place(curve, k, x, y);
        if (!is_new(&seen, at))
            continue;
        if (!open)
            fprintf(out, "<path class=\"m%d\" d=\"", index % TRMI_SVG_COLOURS);
        open = true;
        fputc('M', out);
        trmi_svg_number(out, at.x);
        fputc(' ', out);
        trmi_svg_number(out, at.y);
        fprintf(out, "%s\n", shape[pattern_of(curve, index)]);
    }
    if (open)
        fputs("\"/>\n", out);
    free(seen.bit);
}

void trmi_trace_draw(FILE *out, const trmi_curve *curve, int index, const trmi_axis *x,
                     const trmi_axis *y, trmi_drawn_lines *lines)
{
    const trmi_placed_curve line = {curve, index, x, y, draw_line, NULL};
    char attributes[60];
    snprintf(attributes, sizeof attributes, "class=\"c l%d d%d\" fill=\"none\"",
             index % TRMI_SVG_COLOURS, pattern_of(curve, index));
    if (!curve->points)
        trmi_draw_once(out, &line, attributes, lines);
    draw_markers(out, curve, index, x, y);
}

bool trmi_trace_is_empty(const trmi_curve *curve, bool log_x, bool log_y)
{
    const trmi_axis x = {.logarithmic = log_x}, y = {.logarithmic = log_y};
    for (int64_t k = 0; k < count_of(curve); k++)
        if (has_place(curve, k, &x, &y))
            return false;
    return true;
}

void trmi_trace_sample(FILE *out, const trmi_curve *curve, int index, double left, double middle)
{
    const double ends[] = {0, 1}, centre[] = {0.5}, zero[] = {0, 0};
    const trmi_axis x = {.shown = {0, 1}, .from = left, .to = left + TRMI_TRACE_SAMPLE};
    const trmi_axis y = {.shown = {-1, 1}, .from = middle, .to = middle};
    trmi_curve sample = {.x = curve->points ? centre : ends,
                         .y = zero,
                         .count = curve->points ? 1 : 2,
                         .points = curve->points,
                         .marked = curve->marked,
                         .dashed = curve->dashed};
    trmi_trace_draw(out, &sample, index, &x, &y, NULL);
}
