// SPDX-License-Identifier: Apache-2.0
// A wheel on a rail: first and second derivatives of the gap and of the point of contact against
// differences, on the tread and on the flange; cones on a round rail against their closed form;
// wheels S1002 on rails UIC60 against published contacts.
#include "modelling/multibody/rail/wheel_rail.h"
#include "unit/expressions.h"

#include <stdlib.h>

enum { N = TRMI_RAIL_VARIABLES, POINTS = 8 };

typedef struct pair {
    trmi_memory memory;
    trmi_interpolant wheel, rail;
    trmi_wheel_rail geometry;
} pair;

static double plus(double x)
{
    return x > 0 ? x : 0;
}

// a cone of 1:10 with a cubic flange on a rail of radius 0.3 m with a cubic corner
static void start(pair *p, double flange)
{
    static double x[2][POINTS] = {{-0.02, -0.01, 0, 0.0085, 0.017, 0.022, 0.028, 0.034},
                                  {-0.06, -0.03, 0, 0.006, 0.01, 0.018, 0.03, 0.048}},
                  y[2][POINTS];
    for (int i = 0; i < POINTS; i++) {
        y[0][i] = 0.1 * x[0][i] + flange * pow(plus(x[0][i] - 0.017), 3);
        y[1][i] = x[1][i] * x[1][i] / 0.6 + flange * pow(plus(x[1][i] - 0.01), 3);
    }
    *p = (pair){0};
    trmi_memory_init(&p->memory, NULL);
    trmi_interpolant *curve[2] = {&p->wheel, &p->rail};
    for (int k = 0; k < 2; k++) {
        *curve[k] = (trmi_interpolant){
            .count = POINTS, .x = x[k], .y = y[k], .interpolation = TRMI_INTERPOLATION_SPLINE};
        assert_true(trmi_interpolant_create(curve[k], &p->memory));
    }
    p->geometry = (trmi_wheel_rail){.wheel = &p->wheel,
                                    .rail = &p->rail,
                                    .radius = 0.46,
                                    .cosine = 1 / sqrt(1.01),
                                    .sine = 0.1 / sqrt(1.01),
                                    .softness = 1e-5};
    assert_true(trmi_wheel_rail_create(&p->geometry, &p->memory, 109));
}

// y sideways, the axle turned by psi about z and phi about x
static void place(double y, double psi, double phi, double x[N])
{
    const double at[N] = {y, 0.4605, -sin(psi) * cos(phi), cos(psi) * cos(phi), sin(phi)};
    memcpy(x, at, sizeof at);
}

// Differences of step 1e-8 over the softness of 1e-5: an error of 1e-6 of the terms, and roundoff
// of the gap 1e-16/1e-8. Rigid contacts have no length as short as that.
static void compare_with_differences(double softness)
{
    pair p;
    start(&p, 4000);
    p.geometry.softness = softness;
    for (double y = -0.004; y < 0.012; y += 0.0037) {
        double x[N], h = 1e-8, K_i[N], K[2], unused[N];
        trmi_rail_contact at, side[2];
        place(y, 4e-3, 1e-3, x);
        trmi_wheel_rail_touch(&p.geometry, x, true, &at);
        trmi_contact_curvature(&p.geometry, x, &at, K_i);
        for (int i = 0; i < N; i++) {
            for (int k = 0; k < 2; k++) {
                double moved[N];
                memcpy(moved, x, sizeof moved);
                moved[i] += k ? h : -h;
                trmi_wheel_rail_touch(&p.geometry, moved, true, &side[k]);
                K[k] = trmi_contact_curvature(&p.geometry, moved, &side[k], unused);
            }
            double slope = (K[1] - K[0]) / (2 * h);
            assert_true(fabs(K_i[i] - slope) < 1e-4 * (1 + fabs(slope)));
            assert_true(fabs(at.gap_i[i] - (side[1].gap - side[0].gap) / (2 * h)) < 1e-6);
            double xi_i = (side[1].xi - side[0].xi) / (2 * h);
            assert_true(fabs(at.xi_i[i] - xi_i) < 1e-5 * (1 + fabs(xi_i)));
            for (int j = 0; j < N; j++) {
                double second = (side[1].gap_i[j] - side[0].gap_i[j]) / (2 * h);
                assert_true(fabs(at.gap_ij[i][j] - second) < 1e-4 * (1 + fabs(second)));
            }
        }
    }
    trmi_memory_release_all(&p.memory);
}

static void test_wheel_rail_derivatives_agree_with_differences(void **state)
{
    (void)state;
    compare_with_differences(1e-5);
    compare_with_differences(0);
}

// The soft minimum of n points around a parabola d = c xi^2/2, eps = 1e-9: gap and xi_c tend to
// those of the rigid contact as eps ln(..) and as the spacing of the points.
static void test_wheel_rail_rigid_contact_is_the_limit(void **state)
{
    (void)state;
    pair p;
    start(&p, 4000);
    assert_true(trmi_wheel_rail_create(&p.geometry, &p.memory, 501));
    for (double y = -0.004; y < 0.012; y += 0.0037) {
        double x[N];
        trmi_rail_contact soft, rigid;
        place(y, 4e-3, 1e-3, x);
        p.geometry.softness = 1e-9;
        trmi_wheel_rail_touch(&p.geometry, x, false, &soft);
        p.geometry.softness = 0;
        trmi_wheel_rail_touch(&p.geometry, x, true, &rigid);
        assert_true(fabs(soft.gap - rigid.gap) < 2e-8);
        assert_true(fabs(soft.xi - rigid.xi) < 1e-4);
        assert_true(rigid.gap <= trmi_wheel_rail_distance(&p.geometry, x));
    }
    trmi_memory_release_all(&p.memory);
}

// Without flange, the axle straight: the cone touches the circle of radius 0.3 m where its slope is
// that of the rail, tau = 0, for any y: the smallest distance is that of a line from a parabola,
// y sin + z cos - R cos, within the roundness of the soft minimum.
static void test_wheel_rail_cone_rolls_on_the_crown(void **state)
{
    (void)state;
    pair p;
    start(&p, 0);
    for (double y = -0.005; y <= 0.0051; y += 0.0025) {
        double x[N];
        trmi_rail_contact at;
        place(y, 0, 0, x);
        trmi_wheel_rail_touch(&p.geometry, x, true, &at);
        double cosine = p.geometry.cosine, sine = p.geometry.sine;
        double lift = cosine * (x[1] - 0.46) - sine * y;
        trmi_rail_contact rigid; // tau = 0: the line meets the crown exactly
        p.geometry.softness = 0;
        trmi_wheel_rail_touch(&p.geometry, x, true, &rigid);
        p.geometry.softness = 1e-5;
        assert_true(fabs(rigid.gap - lift) < 1e-15);
        assert_true(fabs(trmi_wheel_rail_distance(&p.geometry, x) - lift) < 1e-6);
        // the wheel's point above the crown: xi = y cos^2 to first order of the lift
        assert_true(fabs(at.xi - y) < 1e-4);
    }
    trmi_memory_release_all(&p.memory);
}

// ---- wheels S1002 on rails UIC60 -------------------------------------------------------------

enum { MAX_ROWS = 200 };

// two columns of an example, below a line of names
static void read_curve(const char *path, trmi_interpolant *curve, trmi_memory *memory)
{
    double *x, *y;
    char line[200];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(TRMI_TAKE(memory, x, MAX_ROWS) && TRMI_TAKE(memory, y, MAX_ROWS));
    *curve = (trmi_interpolant){.x = x, .y = y, .interpolation = TRMI_INTERPOLATION_SPLINE};
    assert_non_null(fgets(line, sizeof line, file));
    while (curve->count < MAX_ROWS && fgets(line, sizeof line, file)) {
        char *rest;
        x[curve->count] = strtod(line, &rest);
        y[curve->count++] = strtod(rest + 1, NULL);
    }
    fclose(file);
    assert_true(trmi_interpolant_create(curve, memory));
}

// Rolling radius of the wheel on side 1 (left) or -1 of a set that is moved to the left without
// rolling: it is let down onto its rail.
static double rolling_radius(const trmi_wheel_rail *pair, double side, double left, double *up)
{
    trmi_rail_contact contact;
    *up = 0.46;
    for (int i = 0; i < 50; i++) {
        const double x[N] = {side * left + 0.75 - 0.7530345, *up + 0.0000937, 0, 1, 0};
        trmi_wheel_rail_touch(pair, x, false, &contact);
        *up -= contact.gap;
    }
    return pair->radius + trmi_interpolant_at(pair->wheel, 0, contact.xi);
}

// Figures of the definition of the carriage, computed by another program from the formulas of the
// profiles: height of the axle r_0 - 0.18198 mm, rolling radii left minus right in mm, to their
// three decimals. The softness of 1e-7 m makes the contact a mean over 0.1 mm, which counts for 3
// um where it has just jumped, at 1 mm.
static void test_wheel_rail_s1002_on_uic60(void **state)
{
    (void)state;
    static const double expected[] = {0.609, 0.766, 0.940, 1.151, 1.448, 4.270};
    trmi_memory memory;
    trmi_interpolant wheel, rail;
    trmi_memory_init(&memory, NULL);
    read_curve("examples/vehicles/s1002.csv", &wheel, &memory);
    read_curve("examples/vehicles/uic60.csv", &rail, &memory);
    trmi_wheel_rail pair = {.wheel = &wheel,
                            .rail = &rail,
                            .radius = 0.46,
                            .cosine = cos(atan(0.025)),
                            .sine = sin(atan(0.025)),
                            .softness = 1e-7};
    assert_true(trmi_wheel_rail_create(&pair, &memory, TRMI_MAX_WHEEL_POINTS));
    double up;
    rolling_radius(&pair, 1, 0, &up);
    assert_true(fabs(up - (0.46 - 0.18198e-3)) < 1e-6);
    for (int y = 1; y <= 6; y++) {
        double left = rolling_radius(&pair, 1, 1e-3 * y, &up);
        double difference = 1e3 * (left - rolling_radius(&pair, -1, 1e-3 * y, &up));
        if (!(fabs(difference - expected[y - 1]) < (y == 1 ? 4e-3 : 2e-3)))
            fail_msg("%d mm: %.4f mm, not %.3f", y, difference, expected[y - 1]);
    }
    trmi_memory_release_all(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wheel_rail_derivatives_agree_with_differences),
        cmocka_unit_test(test_wheel_rail_rigid_contact_is_the_limit),
        cmocka_unit_test(test_wheel_rail_cone_rolls_on_the_crown),
        cmocka_unit_test(test_wheel_rail_s1002_on_uic60),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
