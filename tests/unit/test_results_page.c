// SPDX-License-Identifier: Apache-2.0
// Report pages: complete, valid, without anything from outside.
#define _POSIX_C_SOURCE 200809L // open_memstream

#include "program/plot/page.h"
#include "results_xml.h"

static char *write_page(const trmi_page *page)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    trmi_page_html(out, page);
    assert_int_equal(fclose(out), 0);
    assert_xml(text);
    return text;
}

static const double line[] = {0, 1, 2};
static const trmi_curve curve = {.label = "x", .x = line, .y = line, .count = 3};
static const trmi_panel panel = {
    .x_label = "t [s]", .y_label = "x [m]", .curve = &curve, .curves = 1};

static void test_page_empty_is_valid(void **state)
{
    (void)state;
    char *html = write_page(&(trmi_page){0});
    assert_has(html, "<!DOCTYPE html>");
    assert_has(html, "<title>Results</title>");
    assert_has_not(html, "<table>");
    assert_has_not(html, "<svg");
    assert_has_not(html, "<footer>");
    free(html);
}

static void test_page_holds_everything_given(void **state)
{
    (void)state;
    const trmi_page_pair summary[] = {{"Steps", "120 (3 rejected)", NULL},
                                      {"Status", "done", NULL}};
    const trmi_page_event events[] = {{0.125, "contact", "ball on floor"}, {1e-9, "start", NULL}};
    const trmi_plot plots[] = {{.title = "First", .panel = &panel, .panels = 1},
                               {.title = "Second", .panel = &panel, .panels = 1}};
    char *html = write_page(&(trmi_page){.title = "Ball",
                                         .summary = summary,
                                         .pairs = 2,
                                         .plot = plots,
                                         .plots = 2,
                                         .event = events,
                                         .events = 2});
    assert_has(html, "<title>Ball</title>");
    assert_has(html, "<h1>Ball</h1>");
    assert_has(html, "<th scope=\"row\">Steps</th><td>120 (3 rejected)</td>");
    assert_has(html, ">0.125</td><td>contact</td><td>ball on floor</td>");
    assert_has(html, ">1e-09</td><td>start</td><td></td>");
    // each plot for wide and for narrow screens
    assert_int_equal(count_parts(html, "<svg "), 4);
    assert_int_equal(count_parts(html, "width=\"860\""), 2);
    assert_int_equal(count_parts(html, "width=\"360\""), 2);
    assert_int_equal(count_parts(html, "<title>Second</title>"), 2);
    free(html);
}

// What the summary is of, what a plot is about, and no half runs on the axis.
static void test_page_of_runs(void **state)
{
    (void)state;
    const double run[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    const trmi_page_pair summary[] = {{"end", "found", NULL}};
    const trmi_curve goals = {.x = run, .y = run, .count = 11};
    trmi_panel counted = {.x_label = "run", .y_label = "y", .curve = &goals, .curves = 1};
    const trmi_plot plot = {.caption = "1 <mass>", .panel = &counted, .panels = 1};
    const trmi_page page = {
        .heading = "Study", .summary = summary, .pairs = 1, .plot = &plot, .plots = 1};
    char *html = write_page(&page);
    assert_has(html, "<h2>Study</h2>");
    assert_has(html, "<figcaption>1 &lt;mass&gt;</figcaption>");
    assert_has(html, ">2.5</text>"); // on the axis of the narrow plot, and on that of y
    int halves = count_parts(html, ">2.5</text>");
    free(html);
    counted.whole_x = true;
    html = write_page(&page);
    assert_int_equal(count_parts(html, ">2.5</text>"), halves - 1);
    assert_has(html, ">10</text>");
    free(html);
}

static void test_page_needs_no_network_and_no_script(void **state)
{
    (void)state;
    const trmi_plot plot = {.panel = &panel, .panels = 1};
    char *html = write_page(&(trmi_page){.title = "Ball", .plot = &plot, .plots = 1});
    assert_has_not(html, "<script");
    assert_has_not(html, "<link");
    assert_has_not(html, "src=");
    assert_has_not(html, "url(");
    assert_has_not(html, "@import");
    // two drawings of the plot: the line is in the page once, and used by the narrow one
    assert_int_equal(count_parts(html, " id=\""), 1);
    assert_int_equal(count_parts(html, " id=\"c0\" d=\"M"), 1);
    assert_int_equal(count_parts(html, "href="), 1);
    assert_int_equal(count_parts(html, "href=\"#c0\" transform=\"matrix("), 1);
    // addresses are names of languages only: one of HTML, two of SVG
    assert_int_equal(count_parts(html, "http"), 3);
    assert_int_equal(count_parts(html, "xmlns=\"http://www.w3.org/"), 3);
    free(html);
}

static void test_page_holds_bands_once(void **state)
{
    (void)state;
    const double error[] = {0.5, 0.5, 0.5};
    const trmi_curve wide = {.label = "x", .x = line, .y = line, .error = error, .count = 3};
    const trmi_panel banded = {.curve = &wide, .curves = 1};
    const trmi_plot plot = {.panel = &banded, .panels = 1};
    char *html = write_page(&(trmi_page){.title = "Ball", .plot = &plot, .plots = 1});
    assert_int_equal(count_parts(html, "<path class=\"e0\""), 1);
    assert_int_equal(count_parts(html, "<g id=\"c0\">"), 1);
    assert_int_equal(count_parts(html, "<use class=\"e0\" href=\"#c0\" transform=\"matrix("), 1);
    assert_int_equal(count_parts(html, "<use class=\"c l0 d0\" fill=\"none\" href=\"#c1\""), 1);
    free(html);
}

static void test_page_texts_are_escaped(void **state)
{
    (void)state;
    const trmi_page_pair summary[] = {{"<k>", "a & b", NULL}, {NULL, "\xff", NULL}};
    const trmi_page_event event = {0, "<script>", "\"quoted\""};
    char *html = write_page(&(trmi_page){
        .title = "</title><script>", .summary = summary, .pairs = 2, .event = &event, .events = 1});
    assert_has(html, "<title>&lt;/title&gt;&lt;script&gt;</title>");
    assert_has(html, "&lt;k&gt;</th><td>a &amp; b</td>");
    assert_has(html, "<th scope=\"row\"></th><td>\xef\xbf\xbd</td>");
    assert_has(html, "<td>&lt;script&gt;</td><td>&quot;quoted&quot;</td>");
    assert_has_not(html, "<script");
    free(html);
}

static void test_page_theme_holds_for_page_and_plots(void **state)
{
    (void)state;
    const trmi_plot plot = {.panel = &panel, .panels = 1, .theme = TRMI_THEME_LIGHT};
    trmi_page page = {.plot = &plot, .plots = 1, .theme = TRMI_THEME_DARK};
    char *html = write_page(&page);
    assert_has(html, "color-scheme:dark}");
    assert_has(html, "class=\"trm-dark\"");
    assert_has_not(html, "trm-light");
    assert_has_not(html, "prefers-color-scheme");
    free(html);
    page.theme = TRMI_THEME_AUTO;
    html = write_page(&page);
    assert_has(html, "color-scheme:light dark}");
    // once for the page and once for each of the two pictures
    assert_int_equal(count_parts(html, "@media (prefers-color-scheme:dark){"), 3);
    free(html);
}

static void test_page_many_events_are_cut_and_counted(void **state)
{
    (void)state;
    enum { EVENTS = 501 };
    static trmi_page_event events[EVENTS];
    for (int k = 0; k < EVENTS; k++)
        events[k] = (trmi_page_event){k, "e", ""};
    trmi_page page = {.event = events, .events = EVENTS};
    char *html = write_page(&page);
    assert_int_equal(count_parts(html, "<td>e</td>"), 500);
    assert_has(html, "The first 500 of 501 events.");
    free(html);
    page.events = 500;
    html = write_page(&page);
    assert_int_equal(count_parts(html, "<td>e</td>"), 500);
    assert_has_not(html, "The first");
    free(html);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_page_empty_is_valid),
        cmocka_unit_test(test_page_holds_everything_given),
        cmocka_unit_test(test_page_of_runs),
        cmocka_unit_test(test_page_needs_no_network_and_no_script),
        cmocka_unit_test(test_page_holds_bands_once),
        cmocka_unit_test(test_page_texts_are_escaped),
        cmocka_unit_test(test_page_theme_holds_for_page_and_plots),
        cmocka_unit_test(test_page_many_events_are_cut_and_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
