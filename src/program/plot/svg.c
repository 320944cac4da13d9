// SPDX-License-Identifier: Apache-2.0
// SVG elements and the two colour schemes.
#include "program/plot/svg.h"

#include "program/plot/markup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Colours of curves: six that stay apart (distance in CIE Lab at least 15) also for protanopes,
// deuteranopes and tritanopes, with a contrast to the background of at least 3 : 1.
typedef struct scheme {
    const char *background, *text, *faint_text, *grid, *axis, *zero;
    const char *curve[TRMI_SVG_COLOURS];
} scheme;

static const scheme light = {
    .background = "#fff",
    .text = "#24292f",
    .faint_text = "#59636e",
    .grid = "#e8eaed",
    .axis = "#6e7781",
    .zero = "#b4bac1",
    .curve = {"#0060a8", "#e0600a", "#048a62", "#c969a6", "#7a5600", "#4598dc"},
};

static const scheme dark = {
    .background = "#15181c",
    .text = "#e6e8eb",
    .faint_text = "#a3abb5",
    .grid = "#2a2f36",
    .axis = "#8b949e",
    .zero = "#545c66",
    .curve = {"#5d79ed", "#e66a3c", "#2bb17e", "#e275b5", "#f0d050", "#9fd1ff"},
};

const char *trmi_svg_class(trmi_theme theme)
{
    static const char *const names[] = {"trm-auto", "trm-light", "trm-dark"};
    return names[theme == TRMI_THEME_LIGHT || theme == TRMI_THEME_DARK ? theme : 0];
}

static void write_colours(FILE *out, const char *root, const scheme *s)
{
    fprintf(out, ".%s .b{fill:%s}\n", root, s->background);
    fprintf(out, ".%s text{fill:%s}\n", root, s->text);
    fprintf(out, ".%s .n{fill:%s}\n", root, s->faint_text);
    fprintf(out, ".%s .g{stroke:%s}\n", root, s->grid);
    fprintf(out, ".%s .a{stroke:%s}\n", root, s->axis);
    fprintf(out, ".%s .z{stroke:%s}\n", root, s->zero);
    for (int k = 0; k < TRMI_SVG_COLOURS; k++) {
        fprintf(out, ".%s .l%d{stroke:%s}\n", root, k, s->curve[k]);
        fprintf(out, ".%s .m%d{fill:%s}\n", root, k, s->curve[k]);
        fprintf(out, ".%s .e%d{fill:%s;fill-opacity:.25}\n", root, k, s->curve[k]);
    }
}

void trmi_svg_style(FILE *out, trmi_theme theme)
{
    static const char *const dashes[TRMI_SVG_PATTERNS] = {NULL, "7 3", "2 2.5", "9 3 2 3"};
    const char *root = trmi_svg_class(theme);
    fprintf(out, "<style>\n");
    fprintf(out, ".%s line,.%s path{fill:none}\n", root, root);
    fprintf(out, ".%s .c{stroke-width:1.6;stroke-linejoin:round;stroke-linecap:round}\n", root);
    fprintf(out, ".%s .t{font-weight:600}\n", root);
    for (int k = 1; k < TRMI_SVG_PATTERNS; k++)
        fprintf(out, ".%s .d%d{stroke-dasharray:%s;stroke-linecap:butt}\n", root, k, dashes[k]);
    write_colours(out, root, theme == TRMI_THEME_DARK ? &dark : &light);
    if (theme != TRMI_THEME_LIGHT && theme != TRMI_THEME_DARK) {
        fprintf(out, "@media (prefers-color-scheme:dark){\n");
        write_colours(out, root, &dark);
        fprintf(out, "}\n");
    }
    fprintf(out, "</style>\n");
}

void trmi_svg_number(FILE *out, double x)
{
    long hundredths = lround(100 * x), whole = labs(hundredths) / 100;
    int rest = (int)(labs(hundredths) % 100);
    fprintf(out, "%s%ld", hundredths < 0 ? "-" : "", whole);
    if (rest % 10 != 0)
        fprintf(out, ".%02d", rest);
    else if (rest != 0)
        fprintf(out, ".%d", rest / 10);
}

void trmi_svg_attribute(FILE *out, const char *name, double x)
{
    fprintf(out, " %s=\"", name);
    trmi_svg_number(out, x);
    fputc('"', out);
}

void trmi_svg_line(FILE *out, const char *style_class, double x1, double y1, double x2, double y2)
{
    fprintf(out, "<line class=\"%s\"", style_class);
    trmi_svg_attribute(out, "x1", x1);
    trmi_svg_attribute(out, "y1", y1);
    trmi_svg_attribute(out, "x2", x2);
    trmi_svg_attribute(out, "y2", y2);
    fputs("/>\n", out);
}

// ---- text ----

// Raised parts and the way back are shifts: baseline-shift is not known everywhere.
static void write_rich(FILE *out, const char *text, double size)
{
    double level = 0;
    while (*text) {
        size_t raised = trmi_markup_superscript(text), n = raised;
        while (raised == 0 && text[n] && trmi_markup_superscript(text + n) == 0)
            n++;
        double next = raised > 0 ? -0.4 * size : 0;
        bool span = raised > 0 || level != 0;
        if (span) {
            fputs("<tspan", out);
            trmi_svg_attribute(out, "dy", next - level);
            trmi_svg_attribute(out, "font-size", raised > 0 ? TRMI_MARKUP_RAISED * size : size);
            fputc('>', out);
        }
        trmi_markup_part(out, raised > 0 ? text + 1 : text, raised > 0 ? n - 1 : n);
        if (span)
            fputs("</tspan>", out);
        level = next;
        text += n;
    }
}

void trmi_svg_text(FILE *out, const trmi_svg_label *label)
{
    if (!label->text || !*label->text)
        return;
    fputs("<text", out);
    if (label->style_class)
        fprintf(out, " class=\"%s\"", label->style_class);
    if (label->anchor)
        fprintf(out, " text-anchor=\"%s\"", label->anchor);
    if (label->upward) {
        fputs(" transform=\"translate(", out);
        trmi_svg_number(out, label->x);
        fputc(' ', out);
        trmi_svg_number(out, label->y);
        fputs(") rotate(-90)\"", out);
    } else {
        trmi_svg_attribute(out, "x", label->x);
        trmi_svg_attribute(out, "y", label->y);
    }
    trmi_svg_attribute(out, "font-size", label->size);
    fputc('>', out);
    double limit = label->limit > 0 ? label->limit : HUGE_VAL;
    size_t length = strlen(label->text), fit = trmi_markup_fit(label->text, label->size, limit);
    if (fit < length) {
        fputs("<title>", out);
        trmi_markup_text(out, label->text);
        fputs("</title>", out);
        trmi_markup_part(out, label->text, fit);
        fputs("\xe2\x80\xa6", out);
    } else if (label->rich) {
        write_rich(out, label->text, label->size);
    } else {
        trmi_markup_text(out, label->text);
    }
    fputs("</text>\n", out);
}
