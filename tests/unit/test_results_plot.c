// SPDX-License-Identifier: Apache-2.0
// Plots: what the picture holds, read back from the SVG.
#define _POSIX_C_SOURCE 200809L // open_memstream

#include "program/plot/markup.h"
#include "program/plot/plot.h"
#include "results_xml.h"

// the area of a picture of the preset width ends here, 24 pixels from its right border
static const double area_right = 736;
// its height in a panel of the preset height, 260 less 56 for what is around it
static const double area_height = 204;
// coordinates have two decimals
static const double rounding = 0.00501;

static char *write_svg(const trmi_plot *plot)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    trmi_plot_svg(out, plot);
    assert_int_equal(fclose(out), 0);
    assert_xml(text);
    return text;
}

// a plot of one panel with these curves
static char *write_curves(const trmi_curve *curve, int curves, bool log_x, bool log_y)
{
    const trmi_panel panel = {.x_label = "t [s]",
                              .y_label = "y [m]",
                              .log_x = log_x,
                              .log_y = log_y,
                              .curve = curve,
                              .curves = curves};
    return write_svg(&(trmi_plot){.panel = &panel, .panels = 1});
}

static char *write_curve(const double *x, const double *y, int64_t count)
{
    return write_curves(&(trmi_curve){.x = x, .y = y, .count = count}, 1, false, false);
}

typedef struct pixels {
    double *x, *y;
    int count, parts; // parts: subpaths
} pixels;

// the points of the path with this class
static pixels read_path(const char *svg, const char *style_class)
{
    char start[64];
    snprintf(start, sizeof start, "<path class=\"%s\" d=\"", style_class);
    assert_has(svg, start);
    const char *at = strstr(svg, start) + strlen(start), *end = strchr(at, '"');
    pixels p = {.x = malloc((size_t)(end - at) * sizeof *p.x),
                .y = malloc((size_t)(end - at) * sizeof *p.y)};
    assert_true(p.x && p.y);
    while (at < end) {
        char *next;
        if (*at == 'M') {
            p.parts++;
            at++;
        }
        p.x[p.count] = strtod(at, &next);
        assert_true(next > at);
        p.y[p.count++] = strtod(next, &next);
        at = next;
    }
    return p;
}

static void free_pixels(pixels *p)
{
    free(p->x);
    free(p->y);
}

static double min_of(const double *x, int n)
{
    double least = x[0];
    for (int k = 1; k < n; k++)
        least = fmin(least, x[k]);
    return least;
}

static double greatest_of(const double *x, int n)
{
    double greatest = x[0];
    for (int k = 1; k < n; k++)
        greatest = fmax(greatest, x[k]);
    return greatest;
}

// ---- the checker itself ----

static void test_plot_checker_finds_errors(void **state)
{
    (void)state;
    assert_null(xml_error("<a b=\"1\"><c/>x &amp; y</a>\n"));
    const char *const bad[] = {"",
                               "<a>",
                               "<a></b>",
                               "<a/><b/>",
                               "<a>&</a>",
                               "<a b=1/>",
                               "<a b=\"<\"/>",
                               "<a b=\"1\" b=\"2\"/>",
                               "<a>\xff</a>",
                               "<a>\x01</a>",
                               "<a>\xe2\x88</a>",
                               "x<a/>"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        if (!xml_error(bad[k]))
            fail_msg("accepted: %s", bad[k]);
}

// ---- places ----

static void test_plot_few_points_are_exact(void **state)
{
    (void)state;
    const double x[] = {0, 1, 4}, y[] = {0, 1, 0.25};
    char *svg = write_curve(x, y, 3);
    pixels p = read_path(svg, "c l0 d0");
    assert_int_equal(p.count, 3);
    assert_int_equal(p.parts, 1);
    // x without margin: from the left to the right end of the area
    double width = p.x[2] - p.x[0];
    assert_near(p.x[2], area_right, rounding);
    assert_near(p.x[1], p.x[0] + width / 4, 2 * rounding);
    // y with 5 % on both sides
    assert_near(p.y[0] - p.y[1], area_height / 1.1, 2 * rounding);
    assert_near(p.y[0] - p.y[2], area_height / 1.1 / 4, 2 * rounding);
    free_pixels(&p);
    free(svg);
}

static void test_plot_logarithmic_axes_are_in_decades(void **state)
{
    (void)state;
    const double x[] = {1e-3, 1e-2, 1}, y[] = {1, 1e4, 1e6};
    char *svg = write_curves(&(trmi_curve){.x = x, .y = y, .count = 3}, 1, true, true);
    pixels p = read_path(svg, "c l0 d0");
    // one of three decades; four and six with 5 % on both sides
    assert_near(p.x[1] - p.x[0], (p.x[2] - p.x[0]) / 3, 2 * rounding);
    assert_near(p.y[0] - p.y[2], area_height / 1.1, 2 * rounding);
    assert_near(p.y[0] - p.y[1], area_height / 1.1 * 4 / 6, 2 * rounding);
    free_pixels(&p);
    free(svg);
}

static void test_plot_gaps_split_the_line(void **state)
{
    (void)state;
    const double x[] = {0, 1, 2, 3, 4, 5, 6, 7}, y[] = {1, 2, NAN, 3, NAN, 2, 1, NAN};
    char *svg = write_curve(x, y, 8);
    pixels p = read_path(svg, "c l0 d0");
    assert_int_equal(p.count, 4);
    assert_int_equal(p.parts, 2);
    // the point between two gaps is a marker, 3/7 of the way
    const char start[] = "<path class=\"m0\" d=\"M";
    assert_has(svg, start);
    double isolated = strtod(strstr(svg, start) + strlen(start), NULL);
    assert_near(isolated, p.x[0] + (area_right - p.x[0]) * 3 / 7, 2 * rounding);
    assert_has_not(svg, "Not shown"); // NaN is intended
    free_pixels(&p);
    free(svg);
}

// ---- thinning ----

enum { MANY = 200000 };

static void test_plot_up_to_two_points_per_pixel_all_are_drawn(void **state)
{
    (void)state;
    enum { COUNT = 1200 };
    double x[COUNT], y[COUNT];
    for (int k = 0; k < COUNT; k++) {
        x[k] = k;
        y[k] = sin(0.05 * k);
    }
    char *svg = write_curve(x, y, COUNT);
    pixels p = read_path(svg, "c l0 d0");
    assert_int_equal(p.count, COUNT);
    free_pixels(&p);
    free(svg);
}

// a fast oscillation with single values that stick out
static void fill_oscillation(double *x, double *y)
{
    for (int k = 0; k < MANY; k++) {
        x[k] = k;
        y[k] = sin(0.3 * k) * (1 + 0.5 * sin(1e-4 * k));
    }
    y[MANY / 3] = 4;
    y[MANY / 2] = -3;
}

static void test_plot_thinning_keeps_extremes_of_every_column(void **state)
{
    (void)state;
    double *x = malloc(MANY * sizeof *x), *y = malloc(MANY * sizeof *y);
    assert_true(x && y);
    fill_oscillation(x, y);
    char *svg = write_curve(x, y, MANY);
    pixels p = read_path(svg, "c l0 d0");
    double left = p.x[0], width = p.x[p.count - 1] - left;
    // at most first, lowest, highest, last in each of the columns
    assert_in_range(p.count, 1000, 4 * (area_right - left + 2));
    // y = 4 and y = -3 span the range: pixels of a value, from the two extremes
    double top = min_of(p.y, p.count), scale = (greatest_of(p.y, p.count) - top) / 7;
    assert_near(7 * scale, area_height / 1.1, 2 * rounding);
    for (int column = 3; column < 600; column += 7) {
        double low = -HUGE_VAL, high = HUGE_VAL, path_low = -HUGE_VAL, path_high = HUGE_VAL;
        double begin = floor(left) + column, end = begin + 1;
        for (int k = 0; k < MANY; k++) {
            double at = left + width * k / (MANY - 1);
            if (at < begin + 0.02 || at >= end - 0.02)
                continue; // coordinates on the border are rounded
            low = fmax(low, top + scale * (4 - y[k]));
            high = fmin(high, top + scale * (4 - y[k]));
        }
        for (int k = 0; k < p.count; k++)
            if (p.x[k] >= begin - rounding && p.x[k] <= end + rounding) {
                path_low = fmax(path_low, p.y[k]);
                path_high = fmin(path_high, p.y[k]);
            }
        // the path covers the data of its column, up to its decimals
        assert_true(path_low >= low - 2 * rounding && path_high <= high + 2 * rounding);
    }
    free_pixels(&p);
    free(svg);
    free(x);
    free(y);
}

static void test_plot_thinning_keeps_order_and_ends_of_a_column(void **state)
{
    (void)state;
    enum { COUNT = 3000 };
    const double burst[] = {5, 6, 1, 4, 10, 3, 6}; // at one x; of them 5 1 10 6 are needed
    double x[COUNT], y[COUNT];
    for (int k = 0; k < COUNT; k++) {
        x[k] = k < 7 ? 0 : k >= COUNT - 7 ? COUNT : k;
        y[k] = k < 7 ? burst[k] : k >= COUNT - 7 ? burst[COUNT - 1 - k] : 0;
    }
    x[7] = 10; // in the next columns
    for (int k = 8; k < 20; k++)
        x[k] = 10 + 0.1 * k;
    char *svg = write_curve(x, y, COUNT);
    pixels p = read_path(svg, "c l0 d0");
    const double needed[] = {5, 1, 10, 6};
    double scale = area_height / 1.1 / 10, zero = greatest_of(p.y, p.count);
    for (int k = 0; k < 4; k++) {
        assert_near(zero - p.y[k], scale * needed[k], 2 * rounding);
        assert_near(zero - p.y[p.count - 1 - k], scale * needed[k], 2 * rounding);
    }
    free_pixels(&p);
    free(svg);
}

static void test_plot_thinning_of_a_closed_curve_keeps_its_shape(void **state)
{
    (void)state;
    double *x = malloc(MANY * sizeof *x), *y = malloc(MANY * sizeof *y);
    assert_true(x && y);
    for (int k = 0; k < MANY; k++) {
        x[k] = cos(2 * 3.14159265358979 * k / (MANY - 1));
        y[k] = sin(2 * 3.14159265358979 * k / (MANY - 1));
    }
    char *svg = write_curve(x, y, MANY);
    pixels p = read_path(svg, "c l0 d0");
    // an ellipse with half axes a and b is shorter than 4 (a + b); a point each 0.3 pixels
    double a = (area_right - min_of(p.x, p.count)) / 2, b = area_height / 2.2;
    assert_in_range(p.count, 1000, 4 * (a + b) / 0.3 + 2);
    double middle = area_right - a, centre = (min_of(p.y, p.count) + greatest_of(p.y, p.count)) / 2;
    for (int k = 0; k < p.count; k++) {
        // 0.01: decimals, relative to the shorter half axis of 92 pixels
        assert_near(hypot((p.x[k] - middle) / a, (p.y[k] - centre) / b), 1, 0.01);
        // steps: 0.3 and one step of the data, 0.01
        if (k > 0)
            assert_true(hypot(p.x[k] - p.x[k - 1], p.y[k] - p.y[k - 1]) < 0.34);
    }
    free_pixels(&p);
    free(svg);
    free(x);
    free(y);
}

static void test_plot_thinning_draws_one_marker_per_pixel(void **state)
{
    (void)state;
    double *x = malloc(MANY * sizeof *x), *y = malloc(MANY * sizeof *y);
    assert_true(x && y);
    for (int k = 0; k < MANY; k++) {
        x[k] = k % 3;
        y[k] = k % 3;
    }
    trmi_curve curve = {.x = x, .y = y, .count = MANY, .points = true};
    char *svg = write_curves(&curve, 1, false, false);
    // three different points; all have the shape of a circle
    assert_int_equal(count_parts(svg, "m-2.5 0a2.5"), 3);
    free(svg);
    free(x);
    free(y);
}

// ---- odd data ----

static void test_plot_infinite_and_not_positive_values_are_told(void **state)
{
    (void)state;
    const double x[] = {0, 1, 2, 3, 4, 5}, y[] = {-1, 0, 10, INFINITY, 100, NAN};
    trmi_curve curve = {.x = x, .y = y, .count = 6};
    char *svg = write_curves(&curve, 1, false, true);
    assert_has(svg, ">Not shown: 2 points \xe2\x89\xa4 0 (log axis), 1 infinite</text>");
    free(svg);
    svg = write_curves(&curve, 1, false, false);
    assert_has(svg, ">Not shown: 1 infinite</text>");
    free(svg);
    svg = write_curves(&curve, 1, true, false); // x = 0
    assert_has(svg, ">Not shown: 1 point \xe2\x89\xa4 0 (log axis), 1 infinite</text>");
    free(svg);
}

static void test_plot_curves_without_values_are_told(void **state)
{
    (void)state;
    const double x[] = {0, 1}, nan[] = {NAN, NAN}, y[] = {1, 2};
    const trmi_curve curves[] = {{.label = "good", .x = x, .y = y, .count = 2},
                                 {.label = "gap", .x = x, .y = nan, .count = 2},
                                 {.label = "empty"},
                                 {.label = "less", .x = x, .y = y, .count = -5}};
    char *svg = write_curves(curves, 4, false, false);
    assert_int_equal(count_parts(svg, ">(no values)<"), 3);
    assert_has_not(svg, ">no values<");
    free(svg);
    svg = write_curves(curves + 1, 3, false, false);
    assert_int_equal(count_parts(svg, ">no values<"), 1);
    free(svg);
    svg = write_curves(NULL, 0, false, false);
    assert_int_equal(count_parts(svg, ">no values<"), 1);
    free(svg);
    svg = write_svg(&(trmi_plot){0});
    assert_has(svg, ">nothing to plot<");
    free(svg);
}

static void test_plot_constant_is_in_the_middle(void **state)
{
    (void)state;
    const double x[] = {0, 1}, values[] = {0, 5, -1e-300, 1e300, 5e-324, 1.7e308};
    for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
        const double y[] = {values[k], values[k]};
        char *svg = write_curve(x, y, 2);
        pixels p = read_path(svg, "c l0 d0");
        // above the area are 14 pixels, and 16 for a common power of ten where there is one. The
        // largest value is less than 10 % from the end of all numbers.
        double top = strstr(svg, "\xc3\x97"
                                 "10<tspan")
                         ? 30
                         : 14;
        if (values[k] < 1e308)
            assert_near(p.y[0], top + area_height / 2, rounding);
        assert_true(p.y[0] == p.y[1] && p.y[0] >= top && p.y[0] <= top + area_height);
        free_pixels(&p);
        free(svg);
    }
}

static void test_plot_single_point_is_a_marker(void **state)
{
    (void)state;
    const double x[] = {3}, y[] = {2};
    char *svg = write_curve(x, y, 1);
    assert_int_equal(count_parts(svg, "m-2.5 0a2.5"), 1);
    assert_has_not(svg, "<path class=\"c");
    free(svg);
}

static void test_plot_narrow_range_tells_the_offset(void **state)
{
    (void)state;
    const double x[] = {0, 1}, y[] = {1, 1 + 1e-12};
    char *svg = write_curve(x, y, 2);
    pixels p = read_path(svg, "c l0 d0");
    // drawn over the whole height: 1e-12 is 4500 times the distance of doubles at 1
    assert_near(p.y[0] - p.y[1], area_height / 1.1, 2 * rounding);
    assert_has(svg, "\xe2\x88\x92"
                    "12</tspan>");
    assert_has(svg, ">\xc2\xa0+\xc2\xa0"
                    "1</tspan>");
    free_pixels(&p);
    free(svg);
}

// a text of random bytes
static char *random_label(uint64_t *seed, char *text, size_t size)
{
    size_t n = random_bits(seed) % size;
    for (size_t k = 0; k < n; k++)
        text[k] = (char)(random_bits(seed) % 255 + 1);
    text[n] = '\0';
    return random_bits(seed) % 5 ? text : NULL;
}

static double random_value(uint64_t *seed)
{
    const double special[] = {NAN, INFINITY, -INFINITY, 0, -0.0, 5e-324, 1.79e308, -1.79e308, 1};
    if (random_bits(seed) % 6 == 0)
        return special[random_bits(seed) % 9];
    double size = random_bits(seed) % 3 ? 1 : pow(10, 640 * random_unit(seed) - 320);
    return (random_unit(seed) - 0.3) * size;
}

static void test_plot_random_data_give_valid_pictures(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (int k = 0; k < 1500; k++) {
        double x[20], y[20];
        char label[5][60];
        int count = (int)(random_bits(&seed) % 20);
        for (int i = 0; i < 20; i++) {
            x[i] = random_value(&seed);
            y[i] = random_value(&seed);
        }
        for (int i = 0; i < 5; i++)
            random_label(&seed, label[i], sizeof label[i]);
        const trmi_curve curve[] = {{label[0], x, y, count, random_bits(&seed) % 2, .error = x},
                                    {label[1], y, x, 20 - count, false, .error = NULL},
                                    {NULL, x, x, 1, true, .error = NULL}};
        const trmi_panel panel[] = {
            {label[2], label[3], label[4], random_bits(&seed) % 2, random_bits(&seed) % 2, curve, 3,
             random_bits(&seed) % 2, random_bits(&seed) % 2},
            {NULL, label[3], NULL, random_bits(&seed) % 2, random_bits(&seed) % 2, curve + 1, 1,
             random_bits(&seed) % 2, random_bits(&seed) % 2}};
        double width = random_bits(&seed) % 2 ? 0 : random_value(&seed);
        char *svg = write_svg(&(trmi_plot){label[2], panel, 2, width, random_value(&seed),
                                           (trmi_theme)(random_bits(&seed) % 3), NULL, label[0]});
        assert_has_not(svg, "=\"nan");
        assert_has_not(svg, "=\"-nan");
        assert_has_not(svg, "=\"inf");
        free(svg);
    }
}

// ---- texts ----

static void test_plot_texts_are_escaped(void **state)
{
    (void)state;
    const double x[] = {0, 1};
    const trmi_curve curves[] = {{.label = "a<b & \"c\" 'd'", .x = x, .y = x, .count = 2},
                                 {.label = "bad \xff\xc3 \x01 end", .x = x, .y = x, .count = 2}};
    char *svg = write_curves(curves, 2, false, false);
    assert_has(svg, ">a&lt;b &amp; &quot;c&quot; &#39;d&#39;</text>");
    assert_has(svg, ">bad \xef\xbf\xbd\xef\xbf\xbd \xef\xbf\xbd end</text>");
    free(svg);
}

static void test_plot_superscripts_are_raised(void **state)
{
    (void)state;
    const double x[] = {0, 1};
    const trmi_curve curve = {.x = x, .y = x, .count = 2};
    const trmi_panel panel = {
        .x_label = "t^x", .y_label = "a [m/s^2] b^-3", .curve = &curve, .curves = 1};
    char *svg = write_svg(&(trmi_plot){.panel = &panel, .panels = 1});
    // 12 pixels: up by 0.4 of them, three quarters of the size, and back
    assert_has(svg, ">a [m/s<tspan dy=\"-4.8\" font-size=\"9\">2</tspan>"
                    "<tspan dy=\"4.8\" font-size=\"12\">] b</tspan>"
                    "<tspan dy=\"-4.8\" font-size=\"9\">-3</tspan></text>");
    assert_has(svg, ">t^x</text>");
    free(svg);
}

static void test_plot_long_texts_are_shortened_with_title(void **state)
{
    (void)state;
    char longest[300], part[320];
    memset(longest, 'm', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    const double x[] = {0, 1};
    const trmi_curve curves[] = {{.label = longest, .x = x, .y = x, .count = 2},
                                 {.label = "b", .x = x, .y = x, .count = 2}};
    char *svg = write_curves(curves, 2, false, false);
    snprintf(part, sizeof part, "<title>%s</title>mmm", longest);
    assert_has(svg, part);
    assert_has(svg, "m\xe2\x80\xa6</text>");
    free(svg);
}

static void test_plot_shortening_keeps_characters_whole(void **state)
{
    (void)state;
    const char text[] = "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc"; // six of two bytes
    for (double limit = 0; limit < 60; limit += 0.5)
        assert_int_equal(trmi_markup_fit(text, 10, limit) % 2, 0);
    assert_int_equal(trmi_markup_fit(text, 10, 60), strlen(text));
    assert_int_equal(trmi_markup_fit(NULL, 10, 5), 0);
    assert_int_equal(trmi_markup_fit("abc", 10, 0), 0);
}

// ---- picture ----

static void test_plot_is_accessible(void **state)
{
    (void)state;
    const double x[] = {0, 2}, y[] = {-1, 3};
    const trmi_curve curve = {.label = "height", .x = x, .y = y, .count = 2};
    const trmi_panel panel = {.x_label = "t [s]", .y_label = "z [m]", .curve = &curve, .curves = 1};
    char *svg = write_svg(&(trmi_plot){.title = "Ball", .panel = &panel, .panels = 1});
    assert_has(svg, " role=\"img\"");
    assert_has(svg, "<title>Ball</title>");
    assert_has(svg,
               "<desc>Line plot with 1 panel. Panel: z [m] from -1 to 3 over t [s] from 0 to 2;"
               " curves height.</desc>");
    free(svg);
}

static void test_plot_themes_have_their_colours(void **state)
{
    (void)state;
    char *automatic = write_svg(&(trmi_plot){.theme = TRMI_THEME_AUTO});
    char *light = write_svg(&(trmi_plot){.theme = TRMI_THEME_LIGHT});
    char *dark = write_svg(&(trmi_plot){.theme = TRMI_THEME_DARK});
    const char *query = strstr(automatic, "@media (prefers-color-scheme:dark){");
    assert_non_null(query);
    assert_has(automatic, ".trm-auto .b{fill:#fff}");
    assert_has(query, ".trm-auto .b{fill:#15181c}"); // after the light rule, so it wins
    assert_has_not(light, "@media");
    assert_has_not(dark, "@media");
    assert_has(light, ".trm-light .b{fill:#fff}");
    assert_has(dark, ".trm-dark .b{fill:#15181c}");
    free(automatic);
    free(light);
    free(dark);
}

static void test_plot_many_curves_are_different(void **state)
{
    (void)state;
    enum { CURVES = 24 };
    const double x[] = {0, 1};
    trmi_curve curves[CURVES];
    for (int k = 0; k < CURVES; k++)
        curves[k] = (trmi_curve){.label = "c", .x = x, .y = x, .count = 2};
    char *svg = write_curves(curves, CURVES, false, false);
    for (int k = 0; k < CURVES; k++) {
        char style_class[32];
        snprintf(style_class, sizeof style_class, "class=\"c l%d d%d\"", k % 6, k / 6);
        assert_int_equal(count_parts(svg, style_class), 2); // legend and area
    }
    free(svg);
}

static void test_plot_equal_x_labels_share_the_axis(void **state)
{
    (void)state;
    const double a[] = {0, 1}, b[] = {1, 4};
    const trmi_curve first = {.x = a, .y = a, .count = 2}, second = {.x = b, .y = a, .count = 2};
    trmi_panel panel[] = {{.x_label = "t [s]", .curve = &first, .curves = 1},
                          {.x_label = "t [s]", .curve = &second, .curves = 1}};
    const trmi_plot plot = {.panel = panel, .panels = 2};
    char *svg = write_svg(&plot);
    pixels p = read_path(svg, "c l0 d0");
    pixels q =
        read_path(strstr(strstr(svg, "<path class=\"c l0") + 1, "<path class=\"c l0"), "c l0 d0");
    assert_true(p.x[1] == q.x[0]); // both are t = 1
    assert_near(p.x[1] - p.x[0], (q.x[1] - p.x[0]) / 4, 2 * rounding);
    assert_int_equal(count_parts(svg, ">t [s]</text>"), 1);
    free_pixels(&p);
    free_pixels(&q);
    free(svg);
    panel[1].x_label = "x [m]";
    svg = write_svg(&plot);
    p = read_path(svg, "c l0 d0");
    q = read_path(strstr(strstr(svg, "<path class=\"c l0") + 1, "<path class=\"c l0"), "c l0 d0");
    assert_true(p.x[0] == q.x[0] && p.x[1] == q.x[1]); // aligned, each over its own range
    assert_int_equal(count_parts(svg, ">t [s]</text>") + count_parts(svg, ">x [m]</text>"), 2);
    free_pixels(&p);
    free_pixels(&q);
    free(svg);
}

static void test_plot_zero_line_only_where_zero_is_inside(void **state)
{
    (void)state;
    const double x[] = {1, 2}, inside[] = {-1, 1}, outside[] = {5, 6};
    char *svg = write_curve(x, inside, 2);
    assert_int_equal(count_parts(svg, "class=\"z\""), 1);
    free(svg);
    svg = write_curve(x, outside, 2);
    assert_int_equal(count_parts(svg, "class=\"z\""), 0);
    free(svg);
}

static void test_plot_legend_is_left_out_where_the_axis_tells(void **state)
{
    (void)state;
    const double x[] = {0, 1};
    trmi_curve curve = {.label = "y", .x = x, .y = x, .count = 2};
    char *svg = write_curves(&curve, 1, false, false); // the axis says "y [m]"
    assert_int_equal(count_parts(svg, "class=\"c l0"), 1);
    free(svg);
    curve.label = "z";
    svg = write_curves(&curve, 1, false, false);
    assert_int_equal(count_parts(svg, "class=\"c l0"), 2);
    free(svg);
}

static void test_plot_full_disk_is_seen_by_the_caller(void **state)
{
    (void)state;
    FILE *out = fopen("/dev/full", "w");
    if (!out)
        skip();
    trmi_plot_svg(out, &(trmi_plot){0});
    assert_true(fflush(out) != 0 || ferror(out));
    fclose(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plot_checker_finds_errors),
        cmocka_unit_test(test_plot_few_points_are_exact),
        cmocka_unit_test(test_plot_logarithmic_axes_are_in_decades),
        cmocka_unit_test(test_plot_gaps_split_the_line),
        cmocka_unit_test(test_plot_up_to_two_points_per_pixel_all_are_drawn),
        cmocka_unit_test(test_plot_thinning_keeps_extremes_of_every_column),
        cmocka_unit_test(test_plot_thinning_keeps_order_and_ends_of_a_column),
        cmocka_unit_test(test_plot_thinning_of_a_closed_curve_keeps_its_shape),
        cmocka_unit_test(test_plot_thinning_draws_one_marker_per_pixel),
        cmocka_unit_test(test_plot_infinite_and_not_positive_values_are_told),
        cmocka_unit_test(test_plot_curves_without_values_are_told),
        cmocka_unit_test(test_plot_constant_is_in_the_middle),
        cmocka_unit_test(test_plot_single_point_is_a_marker),
        cmocka_unit_test(test_plot_narrow_range_tells_the_offset),
        cmocka_unit_test(test_plot_random_data_give_valid_pictures),
        cmocka_unit_test(test_plot_texts_are_escaped),
        cmocka_unit_test(test_plot_superscripts_are_raised),
        cmocka_unit_test(test_plot_long_texts_are_shortened_with_title),
        cmocka_unit_test(test_plot_shortening_keeps_characters_whole),
        cmocka_unit_test(test_plot_is_accessible),
        cmocka_unit_test(test_plot_themes_have_their_colours),
        cmocka_unit_test(test_plot_many_curves_are_different),
        cmocka_unit_test(test_plot_equal_x_labels_share_the_axis),
        cmocka_unit_test(test_plot_zero_line_only_where_zero_is_inside),
        cmocka_unit_test(test_plot_legend_is_left_out_where_the_axis_tells),
        cmocka_unit_test(test_plot_full_disk_is_seen_by_the_caller),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
