// SPDX-License-Identifier: Apache-2.0
// The page, written from top to bottom.
#include "program/plot/page.h"

#include "program/plot/markup.h"
#include "program/plot/trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_EVENTS = 500 }; // rows; a browser has trouble with many thousands

static const double wide = 860, narrow = 360; // pixels

static const char layout_rules[] =
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;padding:1.25rem 1rem;max-width:57rem;line-height:1.45;"
    "font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif}\n"
    "h1{font-size:1.5rem;margin:0;overflow-wrap:anywhere}\n"
    "h2{font-size:1.1rem;margin:1.75rem 0 .5rem}\n"
    "p{margin:.25rem 0}\n"
    "figure{margin:1.5rem 0}\n"
    "svg{display:block;max-width:100%;height:auto}\n"
    ".c{vector-effect:non-scaling-stroke}\n"
    ".narrow{display:none}\n"
    ".narrow svg{width:100%;max-width:480px}\n"
    "@media (max-width:720px){.wide{display:none}.narrow{display:block}}\n"
    "@media print{.wide{display:block}.narrow{display:none}}\n"
    "table{border-collapse:collapse;font-size:.92rem;font-variant-numeric:tabular-nums}\n"
    "th,td{text-align:left;vertical-align:top;padding:.25rem 1.25rem .25rem 0;"
    "border-bottom:1px solid;overflow-wrap:anywhere}\n"
    "th{font-weight:500}\n"
    "th[scope=row]{overflow-wrap:normal;min-width:8rem}\n"
    "td.number{text-align:right;white-space:nowrap}\n"
    ".scroll{max-height:24rem;overflow:auto}\n"
    "tr:target td{background:#f5d76e;color:#24292f}\n"
    "footer{margin-top:2rem;font-size:.85rem}\n";

static const char light_rules[] = "body{background:#fff;color:#24292f}\n"
                                  "th,td{border-color:#e3e6ea}\n"
                                  "th,.faint,footer{color:#59636e}\n";

static const char dark_rules[] = "body{background:#15181c;color:#e6e8eb}\n"
                                 "th,td{border-color:#2f353c}\n"
                                 "th,.faint,footer{color:#a3abb5}\n";

static void write_element(FILE *out, const char *open, const char *text, const char *close)
{
    fputs(open, out);
    trmi_markup_text(out, text);
    fputs(close, out);
}

static void write_style(FILE *out, trmi_theme theme)
{
    bool fixed = theme == TRMI_THEME_LIGHT || theme == TRMI_THEME_DARK;
    const char *scheme = theme == TRMI_THEME_DARK ? "dark" : "light";
    // scroll bars too
    fprintf(out, "<style>\n:root{color-scheme:%s}\n", fixed ? scheme : "light dark");
    fputs(layout_rules, out);
    fputs(theme == TRMI_THEME_DARK ? dark_rules : light_rules, out);
    if (!fixed)
        fprintf(out, "@media (prefers-color-scheme:dark){\n%s}\n", dark_rules);
    fputs("</style>\n", out);
}

static void write_summary(FILE *out, const trmi_page *page)
{
    if (page->pairs <= 0)
        return;
    fputs("<h2>Run</h2>\n<table>\n", out);
    for (int k = 0; k < page->pairs; k++) {
        write_element(out, "<tr><th scope=\"row\">", page->summary[k].key, "</th>");
        write_element(out, "<td>", page->summary[k].value, "</td></tr>\n");
    }
    fputs("</table>\n", out);
}

static void write_plot(FILE *out, const trmi_plot *given, trmi_theme theme, trmi_drawn_lines *lines)
{
    trmi_plot plot = *given;
    plot.lines = lines;
    lines->repeats = false;
    lines->next = lines->count;
    plot.theme = theme;
    plot.width = wide;
    fputs("<figure>\n<div class=\"wide\">\n", out);
    trmi_plot_svg(out, &plot);
    plot.width = narrow;
    lines->repeats = true;
    fputs("</div>\n<div class=\"narrow\">\n", out);
    trmi_plot_svg(out, &plot);
    fputs("</div>\n</figure>\n", out);
}

static void write_events(FILE *out, const trmi_page *page)
{
    int64_t shown = page->events < MAX_EVENTS ? page->events : MAX_EVENTS;
    if (shown <= 0)
        return;
    fputs("<h2>Events</h2>\n<div class=\"scroll\" tabindex=\"0\">\n<table>\n"
          "<thead><tr><th scope=\"col\">t [s]</th><th scope=\"col\">Event</th>"
          "<th scope=\"col\">Text</th></tr></thead>\n<tbody>\n",
          out);
    for (int64_t k = 0; k < shown; k++) {
        const trmi_page_event *event = &page->event[k];
        fprintf(out, "<tr><td class=\"number\">%.9g</td>", event->t);
        write_element(out, "<td>", event->name, "</td>");
        write_element(out, "<td>", event->text, "</td></tr>\n");
    }
    fputs("</tbody>\n</table>\n</div>\n", out);
    if (page->events > shown)
        fprintf(out, "<p class=\"faint\">The first %" PRId64 " of %" PRId64 " events.</p>\n", shown,
                page->events);
}

// the scatter matrix, and the runs that its points lead to
static void write_runs(FILE *out, const trmi_page *page)
{
    if (page->scatter) {
        fputs("<figure>\n", out);
        trmi_scatter_plot_svg(out, page->scatter, wide, page->theme);
        fputs("</figure>\n", out);
    }
    if (page->runs <= 0)
        return;
    fputs("<h2>Runs</h2>\n<div class=\"scroll\" tabindex=\"0\">\n<table>\n", out);
    for (int64_t k = 0; k < page->runs; k++) {
        fprintf(out, "<tr id=\"run-%" PRId64 "\"><td class=\"number\">%" PRId64 "</td>",
                page->run[k].number, page->run[k].number);
        write_element(out, "<td><code>", page->run[k].command, "</code></td></tr>\n");
    }
    fputs("</table>\n</div>\n", out);
    if (page->all_runs > page->runs)
        fprintf(out,
                "<p class=\"faint\">%" PRId64 " of %" PRId64
                " runs, evenly chosen; the scatter matrix has these.</p>\n",
                page->runs, page->all_runs);
}

void trmi_page_html(FILE *out, const trmi_page *page)
{
    const char *title = page->title && *page->title ? page->title : "Results";
    trmi_drawn_lines lines = {0};
    fputs("<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n"
          "<meta charset=\"utf-8\"/>\n"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"/>\n",
          out);
    write_element(out, "<title>", title, "</title>\n");
    write_style(out, page->theme);
    write_element(out, "</head>\n<body>\n<header>\n<h1>", title, "</h1>\n");
    fputs("</header>\n<main>\n", out);
    write_summary(out, page);
    for (int k = 0; k < page->plots; k++)
        write_plot(out, &page->plot[k], page->theme, &lines);
    free(lines.line);
    write_runs(out, page);
    write_events(out, page);
    fputs("</main>\n</body>\n</html>\n", out);
}
