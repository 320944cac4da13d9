// SPDX-License-Identifier: Apache-2.0
#include "program/plot/twice.h"

#include "base/grow.h"

// x' = scale x + shift takes the pixels of the first drawing to those of the second
static void write_map(FILE *out, double from, double to, double from_2, double to_2, double *shift)
{
    double scale = (to_2 - from_2) / (to - from);
    *shift = from_2 - scale * from;
    fprintf(out, "%.6g", scale);
}

// false: it is over other ranges, and drawn again
static bool refer(FILE *out, const trmi_placed_curve *d, const char *attributes,
                  trmi_drawn_lines *lines)
{
    const int id = lines->next++;
    if (id >= lines->count)
        return false;
    const trmi_drawn_line *l = &lines->line[id];
    double dx, dy;
    if (l->x.low != d->x->shown.low || l->x.high != d->x->shown.high ||
        l->y.low != d->y->shown.low || l->y.high != d->y->shown.high || l->left == l->right ||
        l->bottom == l->top)
        return false;
    if (!l->written)
        return true;
    // rules that begin with the class of a drawing do not reach into <use>, what is inherited does
    fprintf(out, "<use %s href=\"#c%d\" transform=\"matrix(", attributes, id);
    write_map(out, l->left, l->right, d->x->from, d->x->to, &dx);
    fputs(" 0 0 ", out);
    write_map(out, l->bottom, l->top, d->y->from, d->y->to, &dy);
    fprintf(out, " %.6g %.6g)\"/>\n", dx, dy);
    return true;
}

// draws what the second drawing may use; without memory that one draws it again
static void keep(FILE *out, const trmi_placed_curve *d, trmi_drawn_lines *lines)
{
    trmi_drawn_line *larger =
        trmi_grow(lines->line, &lines->capacity, lines->count + 1, sizeof *lines->line);
    lines->line = larger ? larger : lines->line;
    int id = larger ? lines->count++ : -1;
    bool written = d->draw(out, d, id);
    if (id >= 0)
        lines->line[id] = (trmi_drawn_line){written,  d->x->shown, d->y->shown, d->x->from,
                                            d->x->to, d->y->from,  d->y->to};
}

void trmi_draw_once(FILE *out, const trmi_placed_curve *d, const char *attributes,
                    trmi_drawn_lines *lines)
{
    if (lines && !lines->repeats)
        keep(out, d, lines);
    else if (!lines || !refer(out, d, attributes, lines))
        d->draw(out, d, -1);
}
