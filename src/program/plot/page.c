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
    "body{margin:0 auto;padding:.75rem;max-width:57.5rem;font-size:.9rem;line-height:1.45;"
    "font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif}\n"
    "h1{font-size:1.25rem;margin:.25rem .25rem .5rem;overflow-wrap:anywhere}\n"
    "h2{font-size:1rem;margin:.25rem 0}\n"
    "p{margin:.25rem 0}\n"
    "section,figure{margin:.6rem 0;padding:.5rem .75rem;border:1px solid;border-radius:8px}\n"
    "svg{display:block;max-width:100%;height:auto}\n"
    ".c{vector-effect:non-scaling-stroke}\n"
    ".matrix{overflow-x:auto}\n"
    ".matrix svg{min-width:44rem}\n"
    ".narrow{display:none}\n"
    ".narrow svg{width:100%;max-width:480px}\n"
    "@media (max-width:720px){.wide{display:none}.narrow{display:block}}\n"
    "@media print{.wide{display:block}.narrow{display:none}}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
    "th,td{text-align:left;vertical-align:top;padding:.25rem 1.25rem .25rem 0;"
    "border-bottom:1px solid;overflow-wrap:anywhere}\n"
    "th{font-weight:500}\n"
    "tr:last-child>*{border-bottom:0}\n"
    "th[scope=row]{overflow-wrap:normal;min-width:6.5rem;max-width:11rem}\n"
    "td.number{text-align:right;white-space:nowrap}\n"
    ".scroll{max-height:24rem;overflow:auto}\n"
    "tr:target td{background:#f5d76e;color:#24292f}\n"
    "figcaption{padding:.25rem 0}\n";

// colours of the viewer; plots have the same background as the boxes around them
static const char light_rules[] = "body{background:#f4f5f7;color:#1c2430}\n"
                                  "section,figure{background:#fff}\n"
                                  "section,figure,th,td{border-color:#dfe3e9}\n"
                                  "th,.faint,figcaption{color:#5d6878}\n";

static const char dark_rules[] = "body{background:#0e1115;color:#e6eaf0}\n"
                                 "section,figure{background:#15181c}\n"
                                 "section,figure,th,td{border-color:#2b333f}\n"
                                 "th,.faint,figcaption{color:#98a4b5}\n";

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

// what opens the page of something
static void write_link(FILE *out, const char *link)
{
    if (!link)
        return;
    write_element(out, "<a href=\"", link, "\">open</a> ");
}

static void write_summary(FILE *out, const trmi_page *page)
{
    if (page->pairs <= 0)
        return;
    write_element(out, "<section>\n<h2>", page->heading ? page->heading : "Run",
                  "</h2>\n<table>\n");
    for (int k = 0; k < page->pairs; k++) {
        write_element(out, "<tr><th scope=\"row\">", page->summary[k].key, "</th>");
        fputs("<td>", out);
        write_link(out, page->summary[k].link);
        write_element(out, "", page->summary[k].value, "</td></tr>\n");
    }
    fputs("</table>\n</section>\n", out);
}

static bool write_plot(FILE *out, const trmi_plot *given, trmi_theme theme, trmi_drawn_lines *lines)
{
    trmi_plot plot = *given;
    plot.lines = lines;
    lines->repeats = false;
    lines->next = lines->count;
    plot.theme = theme;
    plot.width = wide;
    fputs("<figure>\n<div class=\"wide\">\n", out);
    bool good = trmi_plot_svg(out, &plot);
    plot.width = narrow;
    lines->repeats = true;
    fputs("</div>\n<div class=\"narrow\">\n", out);
    good = trmi_plot_svg(out, &plot) && good;
    fputs("</div>\n", out);
    if (given->caption)
        write_element(out, "<figcaption>", given->caption, "</figcaption>\n");
    fputs("</figure>\n", out);
    return good;
}

static void write_events(FILE *out, const trmi_page *page)
{
    int64_t shown = page->events < MAX_EVENTS ? page->events : MAX_EVENTS;
    if (shown <= 0)
        return;
    fputs("<section>\n<h2>Events</h2>\n<div class=\"scroll\" tabindex=\"0\">\n<table>\n"
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
    fputs("</section>\n", out);
}

// the scatter matrix, and the runs that its points lead to
static void write_runs(FILE *out, const trmi_page *page)
{
    if (page->scatter) {
        fputs("<figure class=\"matrix\">\n", out);
        trmi_scatter_plot_svg(out, page->scatter, wide, page->theme);
        fputs("</figure>\n", out);
    }
    if (page->runs <= 0)
        return;
    fputs("<section>\n<h2>Runs</h2>\n<div class=\"scroll\" tabindex=\"0\">\n<table>\n", out);
    for (int64_t k = 0; k < page->runs; k++) {
        fprintf(out, "<tr id=\"run-%" PRId64 "\"><td class=\"number\">%" PRId64 "</td>",
                page->run[k].number, page->run[k].number);
        fputs("<td>", out);
        write_link(out, page->run[k].link);
        write_element(out, "<code>", page->run[k].command, "</code></td></tr>\n");
    }
    fputs("</table>\n</div>\n", out);
    if (page->all_runs > page->runs)
        fprintf(out,
                "<p class=\"faint\">%" PRId64 " of %" PRId64
                " runs, evenly chosen; the scatter matrix has these.</p>\n",
                page->runs, page->all_runs);
    fputs("</section>\n", out);
}

bool trmi_page_html(FILE *out, const trmi_page *page)
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
    bool good = true;
    for (int k = 0; k < page->plots; k++)
        good = write_plot(out, &page->plot[k], page->theme, &lines) && good;
    free(lines.line);
    write_runs(out, page);
    write_events(out, page);
    fputs("</main>\n</body>\n</html>\n", out);
    return good;
}
