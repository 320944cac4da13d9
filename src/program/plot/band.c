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

// What is written of a band: a group, which begins with its first piece.
typedef struct band {
    FILE *out;
    int index, id;
    bool open;
} band;

// forth above, back below
static void put_piece(band *b, const edge *e, int64_t count)
{
    if (count < 2)
        return;
    if (!b->open && b->id >= 0)
        fprintf(b->out, "<g id=\"c%d\">\n", b->id);
    b->open = true;
    fprintf(b->out, "<path class=\"e%d\" d=\"", b->index % TRMI_SVG_COLOURS);
    for (int64_t i = 0; i < count; i++)
        put_corner(b->out, i == 0 ? 'M' : 'L', e[i].x, e[i].above);
    for (int64_t i = count; i-- > 0;)
        put_corner(b->out, 'L', e[i].x, e[i].below);
    fputs("z\"/>\n", b->out);
}

// the pieces that are not hidden by the line, with one edge more on either side
static void put_pieces(band *b, const edge *e, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        if (!is_wide(e[i]))
            continue;
        int64_t from = i > 0 ? i - 1 : 0;
        while (i < count && is_wide(e[i]))
            i++;
        put_piece(b, e + from, (i < count ? i + 1 : count) - from);
    }
}

static bool grows(const trmi_curve *c)
{
    for (int64_t k = 1; k < c->count; k++)
        if (c->x[k] < c->x[k - 1])
            return false;
    return true;
}

// drawing->scratch has space for an edge of each point
static bool draw_band(FILE *out, const trmi_placed_curve *d, int id)
{
    const trmi_curve *c = d->curve;
    edge *e = d->scratch;
    band b = {out, d->index, id, false};
    int64_t count = 0;
    for (int64_t k = 0; k < c->count; k++) {
        if (!has_edge(c, k)) { // a gap
            put_pieces(&b, e, count);
            count = 0;
            continue;
        }
        edge next = edge_at(c, k, d->x, d->y);
        edge *last = &e[count - (count > 0)];
        if (count > 1 && floor(next.x) == floor(last->x)) {
            last->above = fmin(last->above, next.above);
            last->below = fmax(last->below, next.below);
        } else {
            e[count++] = next;
        }
    }
    put_pieces(&b, e, count);
    if (b.open && id >= 0)
        fputs("</g>\n", out);
    return b.open;
}

bool trmi_band_draw(FILE *out, const trmi_curve *c, int index, const trmi_axis *x,
                    const trmi_axis *y, trmi_drawn_lines *lines)
{
    char attributes[40];
    snprintf(attributes, sizeof attributes, "class=\"e%d\"", index % TRMI_SVG_COLOURS);
    if (!c->error || c->count < 2 || c->points || x->logarithmic || y->logarithmic || !grows(c))
        return true;
    edge *e = malloc((size_t)c->count * sizeof *e);
    const trmi_placed_curve drawing = {c, index, x, y, draw_band, e};
    if (e)
        trmi_draw_once(out, &drawing, attributes, lines);
    free(e);
    return e != NULL;
}
