// SPDX-License-Identifier: Apache-2.0
// The error of a curve over a growing x, as a band around it: one corner above and one below for
// every column of pixels, or for every point where these are fewer.
#include "program/plot/trace.h"

#include "program/plot/svg.h"

#include <math.h>
#include <stdlib.h>

// pixels; a narrower band is hidden by the line
static const double NARROW = 1;

// A corner on each side, in pixels.
typedef struct edge {
    double x, above, below;
} edge;

static bool has_edge(const trmi_curve *c, int64_t k)
{
    return isfinite(c->x[k]) && isfinite(c->y[k] - c->error[k]) && isfinite(c->y[k] + c->error[k]);
}

static edge edge_at(const trmi_curve *c, int64_t k, const trmi_axis *x, const trmi_axis *y)
{
    double a = trmi_axis_place(y, c->y[k] + c->error[k]);
    double b = trmi_axis_place(y, c->y[k] - c->error[k]);
    return (edge){trmi_axis_place(x, c->x[k]), fmin(a, b), fmax(a, b)};
}

static void put_corner(FILE *out, char command, double x, double y)
{
    fputc('\n', out); // lines stay short
    fputc(command, out);
    trmi_svg_number(out, x);
    fputc(' ', out);
    trmi_svg_number(out, y);
}

static bool is_wide(edge e)
{
    return e.below - e.above >= NARROW;
}

// forth above, back below
static void put_piece(FILE *out, const edge *e, int64_t count, int index)
{
    if (count < 2)
        return;
    fprintf(out, "<path class=\"e%d\" d=\"", index % TRMI_SVG_COLOURS);
    for (int64_t i = 0; i < count; i++)
        put_corner(out, i == 0 ? 'M' : 'L', e[i].x, e[i].above);
    for (int64_t i = count; i-- > 0;)
        put_corner(out, 'L', e[i].x, e[i].below);
    fputs("z\"/>\n", out);
}

// the pieces that are not hidden by the line, with one edge more on either side
static void put_band(FILE *out, const edge *e, int64_t count, int index)
{
    for (int64_t i = 0; i < count; i++) {
        if (!is_wide(e[i]))
            continue;
        int64_t from = i > 0 ? i - 1 : 0;
        while (i < count && is_wide(e[i]))
            i++;
        put_piece(out, e + from, (i < count ? i + 1 : count) - from, index);
    }
}

static bool grows(const trmi_curve *c)
{
    for (int64_t k = 1; k < c->count; k++)
        if (c->x[k] < c->x[k - 1])
            return false;
    return true;
}

void trmi_band_draw(FILE *out, const trmi_curve *c, int index, const trmi_axis *x,
                    const trmi_axis *y)
{
    bool drawn = c->error && c->count > 1 && !c->points && !x->logarithmic && !y->logarithmic;
    edge *e = drawn && grows(c) ? malloc((size_t)c->count * sizeof *e) : NULL;
    int64_t count = 0;
    for (int64_t k = 0; e && k < c->count; k++) {
        if (!has_edge(c, k)) { // a gap
            put_band(out, e, count, index);
            count = 0;
            continue;
        }
        edge next = edge_at(c, k, x, y);
        edge *last = &e[count - (count > 0)];
        if (count > 1 && floor(next.x) == floor(last->x)) {
            last->above = fmin(last->above, next.above);
            last->below = fmax(last->below, next.below);
        } else {
            e[count++] = next;
        }
    }
    if (e)
        put_band(out, e, count, index);
    free(e);
}
