// SPDX-License-Identifier: Apache-2.0
// Creep of a wheel on a rail: Hertz' ellipse against closed forms and published figures, Kalker's
// table, saturation, FASTSIM against its limits, derivatives against differences.
#include "framework.h"
#include "modelling/multibody/rail/creep.h"

enum { VARIABLES = 6 };

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.10g is not %.10g to %.2g", value, expected, tolerance);
}

// of the carriage of examples/vehicles/train.yaml
static trmi_creep carriage(trmi_creep_law law)
{
    return (trmi_creep){.mu = 0.3,
                        .G = 8.203e10,
                        .N_0 = 54546,
                        .a_0 = 0.005876,
                        .b_0 = 0.00442,
                        .C = {4.446, 4.095, 1.846, 1.004},
                        .speed = NAN,
                        .slow = 0.1,
                        .law = law};
}

// Spheres: a^3 = 3 N R/(4 E*) with E* = E/(2 (1 - nu^2)), curvatures 1/R; the approach a^2/R. Close
// to the circle the ratio of the axes follows from a difference of integrals: seven digits.
static void test_creep_hertz_sphere(void **state)
{
    (void)state;
    const double E = 2.1e11, nu = 0.28, N = 1000, R = 0.5, modulus = E / (2 * (1 - nu * nu));
    double a, b, k = trmi_hertz_stiffness(1 / R, 1 / R, E, nu);
    trmi_hertz_ellipse(1 / R, 1 / R, E, nu, N, &a, &b);
    double radius = cbrt(3 * N * R / (4 * modulus));
    assert_near(a, radius, 1e-7 * radius);
    assert_near(b, radius, 1e-7 * radius);
    assert_near(k * pow(radius * radius / R, 1.5), N, 1e-6 * N);
}

// Vehicle 1 of the Manchester benchmarks on a rail head of 300 mm: a = 5.876 mm, b = 4.420 mm, and
// Kalker's coefficients at b/a = 0.752 by linear interpolation of his table, all to four digits.
static void test_creep_hertz_wheel(void **state)
{
    (void)state;
    static const double expected[TRMI_C_COUNT] = {4.446, 4.095, 1.846, 1.004};
    double a, b, C[TRMI_C_COUNT];
    trmi_hertz_ellipse(1 / 0.46, 1 / 0.3, 2.1e11, 0.28, 54546, &a, &b);
    assert_near(a, 5.876e-3, 0.5e-6);
    assert_near(b, 4.420e-3, 0.5e-6);
    trmi_kalker_coefficients(a, b, C);
    for (int k = 0; k < TRMI_C_COUNT; k++)
        assert_near(C[k], expected[k], 0.6e-3);
    // turned by a right angle the ellipse is the same one
    double c, d;
    trmi_hertz_ellipse(1 / 0.3, 1 / 0.46, 2.1e11, 0.28, 54546, &c, &d);
    assert_near(c, b, 1e-12);
    assert_near(d, a, 1e-12);
}

// Rows of the table, its middle, and beyond its ends.
static void test_creep_kalker_table(void **state)
{
    (void)state;
    double C[TRMI_C_COUNT];
    trmi_kalker_coefficients(1, 1, C);
    assert_near(C[TRMI_C_11], 4.12, 1e-12);
    assert_near(C[TRMI_C_33], 1.19, 1e-12);
    trmi_kalker_coefficients(1, 2, C);
    assert_near(C[TRMI_C_22], 3.01, 1e-12);
    trmi_kalker_coefficients(2, 1, C);
    assert_near(C[TRMI_C_23], 2.62, 1e-12);
    trmi_kalker_coefficients(1, 100, C);
    assert_near(C[TRMI_C_11], 3.31, 1e-12);
    trmi_kalker_coefficients(100, 1, C);
    assert_near(C[TRMI_C_23], 14.6, 1e-12);
}

// Small creepages: Kalker's linear theory, which Johnson and Vermeulen leave by e/3, FASTSIM by the
// width of its cells, 1 % with ten of them. Large ones: mu N, in the direction of the linear
// theory, or with tanh in that of both limits.
static void test_creep_limits(void **state)
{
    (void)state;
    for (trmi_creep_law law = 0; law <= TRMI_CREEP_TANH; law++) {
        const trmi_creep c = carriage(law);
        const double ab = c.a_0 * c.b_0, v = 20;
        trmi_dual F[3];
        trmi_creep_forces(&c, (double[4]){1e-7 * v, 0, 0, v}, c.N_0, 0, F);
        assert_near(F[0].v, -1e-7 * c.G * ab * c.C[TRMI_C_11], 0.01 * fabs(F[0].v));
        trmi_creep_forces(&c, (double[4]){0, 1e-7 * v, 0, v}, c.N_0, 0, F);
        assert_near(F[1].v, -1e-7 * c.G * ab * c.C[TRMI_C_22], 0.01 * fabs(F[1].v));
        trmi_creep_forces(&c, (double[4]){0, 0, 1e-4 * v, v}, c.N_0, 0, F);
        assert_near(F[1].v, -1e-4 * c.G * pow(ab, 1.5) * c.C[TRMI_C_23], 0.02 * fabs(F[1].v));
        trmi_creep_forces(&c, (double[4]){0.3 * v, 0.4 * v, 0, v}, c.N_0, 0, F);
        const bool apart = law == TRMI_CREEP_TANH; // both are saturated there
        const double along = apart ? 1 : 0.3 * c.C[TRMI_C_11];
        const double across = apart ? 1 : 0.4 * c.C[TRMI_C_22];
        const double all = c.mu * c.N_0, size = hypot(along, across);
        assert_near(F[0].v, -along / size * all, 1e-9 * all);
        assert_near(F[1].v, -across / size * all, 1e-9 * all);
    }
}

// Running backwards with the same velocities of the surface the forces are the same, and the
// moment of the lateral velocity has the other sign. Standing still is not a singularity.
static void test_creep_direction(void **state)
{
    (void)state;
    const trmi_creep c = carriage(TRMI_CREEP_JOHNSON_VERMEULEN);
    trmi_dual on[3], back[3];
    trmi_creep_forces(&c, (double[4]){0.001, 0.002, 0, 20}, 5e4, 0, on);
    trmi_creep_forces(&c, (double[4]){0.001, 0.002, 0, -20}, 5e4, 0, back);
    assert_near(on[0].v, back[0].v, 1e-9 * fabs(on[0].v));
    assert_near(on[1].v, back[1].v, 1e-9 * fabs(on[1].v));
    assert_near(on[2].v, -back[2].v, 1e-9 * fabs(on[2].v));
    trmi_creep_forces(&c, (double[4]){0, 0, 0, 0}, 5e4, 0, on);
    for (int k = 0; k < 3; k++)
        assert_true(on[k].v == 0 && isfinite(on[k].d[TRMI_CREEP_VX]));
}

static void forces_at(const trmi_creep *c, const double *x, trmi_dual F[3])
{
    trmi_creep_forces(c, x, x[TRMI_CREEP_N], x[TRMI_CREEP_K], F);
}

// Central differences of 1e-5 of each variable; an error of 1e-10 of the curvature, and cells that
// begin to slide in between change slopes by less than 1e-4 of the largest.
static void test_creep_derivatives(void **state)
{
    (void)state;
    static const double points[][VARIABLES] = {{0.002, 0.001, 0.01, 20, 5e4, 5},
                                               {0.02, -0.03, 0.2, 20, 4e4, 9},
                                               {0.3, 0.2, 1, -15, 7e4, 3},
                                               {0.001, 0.002, 0.05, 0.05, 5e4, 5}};
    static const double size[VARIABLES] = {0.1, 0.1, 1, 20, 5e4, 5};
    for (trmi_creep_law law = 0; law <= TRMI_CREEP_TANH; law++)
        for (size_t p = 0; p < sizeof points / sizeof *points; p++) {
            trmi_creep c = carriage(law);
            trmi_dual F[3], side[2][3];
            c.K_0 = 5.5; // sum of curvatures, 1/m
            c.follows = true;
            forces_at(&c, points[p], F);
            for (int i = 0; i < VARIABLES; i++) {
                double h = 1e-5 * fmax(fabs(points[p][i]), 1e-3 * size[i]);
                for (int k = 0; k < 2; k++) {
                    double x[VARIABLES];
                    memcpy(x, points[p], sizeof x);
                    x[i] += k == 0 ? h : -h;
                    forces_at(&c, x, side[k]);
                }
                for (int k = 0; k < 3; k++) {
                    double slope = (side[0][k].v - side[1][k].v) / (2 * h);
                    double scale = fabs(F[k].v / fmax(fabs(points[p][i]), 1e-3 * size[i]));
                    assert_near(F[k].d[i], slope, 1e-6 * fabs(slope) + 1e-6 * scale);
                }
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_creep_hertz_sphere), cmocka_unit_test(test_creep_hertz_wheel),
        cmocka_unit_test(test_creep_kalker_table), cmocka_unit_test(test_creep_limits),
        cmocka_unit_test(test_creep_direction),    cmocka_unit_test(test_creep_derivatives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
