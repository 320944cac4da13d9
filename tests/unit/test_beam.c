// SPDX-License-Identifier: Apache-2.0
// The beam: constants against integrals, equations of motion against differences of its energy.
#include "beams.h"
#include "problems/problems.h"

// u of a deflection w(x), w'(x): cubics are exact
static void interpolate(const trmi_beam *b, double (*w)(double), double (*slope)(double), double *u)
{
    for (int node = 0; node <= b->data.elements; node++) {
        const int *at = b->coordinate + TRMI_BEAM_DOFS * node;
        double x = b->data.length * node / b->data.elements;
        if (at[TRMI_BEAM_DEFLECTION] >= 0)
            u[at[TRMI_BEAM_DEFLECTION]] = w(x);
        if (at[TRMI_BEAM_SLOPE] >= 0)
            u[at[TRMI_BEAM_SLOPE]] = slope(x);
    }
}

static double cubic(double x)
{
    return 2 * x * x - x * x * x;
}

static double cubic_slope(double x)
{
    return 4 * x - 3 * x * x;
}

// 2 x^2 - x^3: w(0) = w'(0) = 0, and a deflection with w(0) = w(1) = 0
static double arch(double x)
{
    return x * (1 - x);
}

static double arch_slope(double x)
{
    return 1 - 2 * x;
}

// The first moments of an arc of a circle, of angle 1 and length 1, with its nodes on it.
static double arc_moments(int elements, double moment[2])
{
    beam_case c;
    const trmi_beam_data data = steel(elements, TRMI_BEAM_TANGENT, true);
    trmi_beam *b = beam_open(&c, &data);
    double u[40] = {0};
    for (int node = 1; node <= elements; node++) {
        const int *at = b->coordinate + TRMI_BEAM_DOFS * node;
        double x = (double)node / elements;
        u[at[TRMI_BEAM_SHIFT]] = sin(x) - x;
        u[at[TRMI_BEAM_DEFLECTION]] = 1 - cos(x);
        u[at[TRMI_BEAM_SLOPE]] = x;
    }
    trmi_beam_state s = {.u = u};
    trmi_beam_curve(b, &c.work, &s);
    trmi_beam_moments(b, &s, &moment[0], &moment[1]);
    for (int i = 0; i < 2; i++)
        moment[i] /= data.line_mass;
    // closed form: int (sin x - x, 1 - cos x) over 0 .. 1
    double error = hypot(moment[0] - (0.5 - cos(1)), moment[1] - (1 - sin(1)));
    beam_close(&c);
    return error;
}

// The curve passes through its nodes with their tangents, however far they turn.
static void test_beam_curve_follows_an_arc_with_order_four(void **state)
{
    (void)state;
    double coarse[2], fine[2], ratio = arc_moments(4, coarse) / arc_moments(8, fine);
    check_near(fine[1], 1 - sin(1), 1e-6);
    check_near(ratio, 16, 1); // Hermite interpolation: h^4
}

static void test_beam_integrals_of_a_cubic_are_exact(void **state)
{
    (void)state;
    for (int k = 1; k < 6; k++) {
        beam_case c;
        const trmi_beam_data data = steel(k, TRMI_BEAM_TANGENT, false);
        trmi_beam *b = beam_open(&c, &data);
        assert_int_equal(b->n, 2 * k);
        double u[30] = {0}, cu = 0, du = 0, rA = data.line_mass;
        interpolate(b, cubic, cubic_slope, u);
        for (int i = 0; i < b->n; i++) {
            cu += b->c[1][i] * u[i];
            du += b->d[1][i] * u[i];
        }
        // int w, int x w, int w^2, int w''^2 of 2 x^2 - x^3 over 0 .. 1, by hand; polynomials, so
        // that only roundoff is left
        check_near(cu, rA * 5.0 / 12, 1e-14);
        check_near(du, rA * 3.0 / 10, 1e-14);
        check_near(trmi_beam_product(b, b->mass_U, u, u), rA * (4.0 / 5 - 4.0 / 6 + 1.0 / 7),
                   1e-14);
        check_near(trmi_beam_bending(b, u), data.stiffness * 4, 1e-9);
        // the same forces element by element; 1e-12 of them is roundoff
        double bend[30] = {0}, product[30] = {0};
        trmi_beam_bend(b, 1, u, bend);
        trmi_beam_multiply(b, b->stiffness_u, 1, u, product); // u is U
        for (int i = 0; i < b->n; i++)
            check_near(bend[i], product[i], 1e-12 * data.stiffness * k * k * k);
        beam_close(&c);
    }
}

static void test_beam_marker_follows_the_deflection(void **state)
{
    (void)state;
    beam_case c;
    const trmi_beam_data data = steel(3, TRMI_BEAM_CHORD, false);
    trmi_beam *b = beam_open(&c, &data);
    double u[20] = {0};
    interpolate(b, arch, arch_slope, u);
    for (int i = 0; i <= 10; i++) {
        double x = 0.1 * i;
        const trmi_beam_marker m = trmi_beam_mark(b, x);
        // a parabola lies in the space of the elements: only roundoff is left
        check_near(trmi_beam_deflection(&m, u), arch(x), 1e-15);
        check_near(trmi_beam_slope(&m, u), arch_slope(x), 1e-14);
    }
    beam_close(&c);
}

static double energy_at(const beam_case *c, const double *q, const double *v)
{
    trmi_beam_state s = {.angle = q[PHI], .rate = v[PHI], .u = q + U, .v = v + U};
    trmi_beam_curve(&c->beam, &c->work, &s);
    return trmi_beam_energy(&c->beam, &s, v);
}

// dT/dv by v, exact: the energy is quadratic in v
static double momentum(const beam_case *b, const double *q, const double *v, int i)
{
    double plus[MOST], minus[MOST];
    memcpy(plus, v, sizeof plus);
    memcpy(minus, v, sizeof minus);
    plus[i] += 1;
    minus[i] -= 1;
    return 0.5 * (energy_at(b, q, plus) - energy_at(b, q, minus));
}

// R_i = d/dt (dE/dv_i) - d(T - V)/dq_i with T - V = 2 T - E, by differences along the motion
static double lagrange(const beam_case *b, const model_point *p, int i)
{
    const double h = 1e-4, zero[MOST] = {0};
    double q[2][MOST], v[2][MOST], moved[2][MOST];
    for (int side = 0; side < 2; side++) {
        double s = side ? -h : h;
        for (int j = 0; j < MOST; j++) {
            q[side][j] = p->q[j] + s * p->v[j] + 0.5 * s * s * p->a[j];
            v[side][j] = p->v[j] + s * p->a[j];
            moved[side][j] = p->q[j] + (j == i ? s : 0);
        }
    }
    double rate = (momentum(b, q[0], v[0], i) - momentum(b, q[1], v[1], i)) / (2 * h);
    double slope = 0;
    for (int side = 0; side < 2; side++) {
        double potential = energy_at(b, moved[side], zero);
        slope += (side ? -1 : 1) * (energy_at(b, moved[side], p->v) - 2 * potential) / (2 * h);
    }
    return rate - slope;
}

static void test_beam_motion_is_that_of_its_energy(void **state)
{
    (void)state;
    for (int variant = 0; variant < 4; variant++) {
        beam_case c;
        trmi_beam_data data =
            steel(2, variant % 2 ? TRMI_BEAM_CHORD : TRMI_BEAM_TANGENT, variant >= 2);
        data.stiffness = 30; // so that inertia counts
        trmi_beam *b = beam_open(&c, &data);
        const trm_system s = free_beam(&c);
        const model_point p = some_motion(&s, 7 + (uint64_t)variant);
        const trm_state at = model_view(&p);
        const motion m = move(&c, &at, true);
        double residual[MOST] = {m.terms.residual_r[0], m.terms.residual_r[1],
                                 m.terms.residual_phi};
        trmi_beam_residual(b, &m.state, &m.terms, residual + U);
        // differences of second order with h = 1e-4 and rates of 3: 1e-6 of forces of 30
        for (int i = 0; i < s.n_q; i++)
            check_near(residual[i], lagrange(&c, &p, i), 1e-5);
        // M a - f says the same, to roundoff
        double matrix[MOST * MOST], f[MOST];
        mass(&at, matrix, &c);
        force(&at, f, &c);
        for (int i = 0; i < s.n_q; i++) {
            double sum = -f[i];
            for (int j = 0; j < s.n_q; j++)
                sum += matrix[i + s.n_q * j] * p.a[j];
            check_near(sum, residual[i], 1e-11);
        }
        beam_close(&c);
    }
}

// ---- positive masses ----

// Cholesky of the rows and columns from `first` on
static bool positive(const double *matrix, int n, int first)
{
    double L[MOST * MOST];
    memcpy(L, matrix, (size_t)(n * n) * sizeof *L);
    for (int k = first; k < n; k++) {
        if (!(L[k + n * k] > 0))
            return false;
        for (int j = k + 1; j < n; j++)
            for (int i = j; i < n; i++)
                L[i + n * j] -= L[i + n * k] * L[j + n * k] / L[k + n * k];
    }
    return true;
}

// a x^2 + b x^3 + c x^4 against the tangent, less its chord in the other frame: the value, or the
// slope
static double bent_shape(const double a[3], double chord, double x, bool slope)
{
    return slope ? x * (2 * a[0] + x * (3 * a[1] + x * 4 * a[2])) - chord
                 : x * x * (a[0] + x * (a[1] + x * a[2])) - chord * x;
}

// Deflections of 1/20 of the length, unless slopes of 0.4 come first.
static void bend_at_random(const trmi_beam *b, uint64_t *seed, double *u)
{
    const double a[] = {model_noise(seed), model_noise(seed), model_noise(seed)};
    const double chord = b->data.frame == TRMI_BEAM_CHORD ? a[0] + a[1] + a[2] : 0;
    double largest = 0;
    for (int i = 0; i <= 50; i++) {
        largest = fmax(largest, fabs(bent_shape(a, chord, i / 50.0, false)) / 0.05);
        largest = fmax(largest, fabs(bent_shape(a, chord, i / 50.0, true)) / 0.4);
    }
    for (int node = 0; node <= b->data.elements; node++) {
        const int *at = b->coordinate + TRMI_BEAM_DOFS * node;
        double x = (double)node / b->data.elements;
        if (at[TRMI_BEAM_DEFLECTION] >= 0)
            u[at[TRMI_BEAM_DEFLECTION]] = bent_shape(a, chord, x, false) / largest;
        if (at[TRMI_BEAM_SLOPE] >= 0)
            u[at[TRMI_BEAM_SLOPE]] = bent_shape(a, chord, x, true) / largest;
    }
}

// Both frames, with a left end that nothing holds or that is pinned.
static void test_beam_mass_stays_positive(void **state)
{
    (void)state;
    static const int elements[] = {1, 2, 4, 10, 20};
    uint64_t seed = 5;
    for (int variant = 0; variant < 10; variant++) {
        beam_case c;
        const trmi_beam_data data =
            steel(elements[variant / 2], variant % 2 ? TRMI_BEAM_CHORD : TRMI_BEAM_TANGENT, true);
        trmi_beam *b = beam_open(&c, &data);
        for (int i = 0; i < 100; i++) {
            model_point p = {0};
            double M[ENTRIES];
            bend_at_random(b, &seed, p.q + U);
            for (int j = 0; j < b->n && i % 2; j++)
                p.q[U + j] *= 20; // any deflection will do
            const trm_state at = model_view(&p);
            mass(&at, M, &c);
            assert_true(positive(M, U + b->n, 0));
            assert_true(positive(M, U + b->n, PHI));
        }
        beam_close(&c);
    }
}

static void test_beam_derivatives_agree_with_differences(void **state)
{
    (void)state;
    for (int variant = 0; variant < 6; variant++) {
        beam_case c;
        trmi_beam_data data = steel(
            variant < 4 ? 3 : 20, variant % 2 ? TRMI_BEAM_CHORD : TRMI_BEAM_TANGENT, variant >= 2);
        if (variant >= 2)
            data.stiffness = 0.01; // inertia is to count, not roundoff of elastic forces
        beam_open(&c, &data);
        const trm_system s = free_beam(&c);
        model_point p = some_motion(&s, 3 + (uint64_t)variant);
        for (int i = U; i < s.n_q && variant >= 2; i++)
            p.q[i] *= 30; // slopes of some tenths
        const trm_state at = model_view(&p);
        trm_derivative_report report;
        trm_error error = {0};
        // relative to the largest entry; two-sided differences leave 1e-9
        if (trm_system_check_derivatives(&s, &at, 1e-7, &report, &error) != TRM_OK)
            fail_msg("%s", error.text);
        assert_int_equal(report.quantities, 2);
        beam_close(&c);
    }
}

// A beam that flies freely, turns and vibrates: nothing puts energy in.
static void test_beam_flying_freely_keeps_its_energy(void **state)
{
    (void)state;
    for (int frame = 0; frame < 2; frame++) {
        beam_case c;
        trmi_beam_data data = steel(3, frame ? TRMI_BEAM_CHORD : TRMI_BEAM_TANGENT, false);
        data.stiffness = 30; // the slowest vibration is as fast as eight turns in a second
        trmi_beam *b = beam_open(&c, &data);
        const trm_system system = free_beam(&c);
        model_point p = {0};
        uint64_t seed = 2;
        bend_at_random(b, &seed, p.q + U);
        p.v[0] = 1;
        p.v[PHI] = 12;
        trm_options o = trm_options_default();
        o.integrator = TRM_INTEGRATOR_EXPLICIT;
        o.rtol = 1e-11;
        o.atol = 1e-13;
        trm_simulation *s;
        trm_error error;
        const trm_initial at = {.q = p.q, .v = p.v};
        assert_int_equal(trm_simulation_create(&s, &system, &o, &at, &error), TRM_OK);
        const double before = energy_at(&c, p.q, p.v);
        assert_int_equal(trm_simulation_run(s, 0.3), TRM_OK);
        const trm_state *end = trm_simulation_state(s);
        // errors of 1e-11 of a step in some thousand steps, relative to 60 J
        check_near(energy_at(&c, end->q, end->v), before, 1e-8 * before);
        trm_simulation_destroy(s);
        beam_close(&c);
    }
}

// The slider-crank whose rod is such a beam: every derivative, constraints included.
static void test_beam_in_slider_crank_has_right_derivatives(void **state)
{
    (void)state;
    for (int variant = 0; variant < 2; variant++) {
        // soft, so that roundoff of elastic forces does not drown the differences of the others
        const trm_problem_option options[] = {
            {"elements", 3}, {"modulus", 1e5}, {"chord_frame", variant}, {NULL, 0}};
        trp_problem *problem = NULL;
        trm_error error = {0};
        assert_int_equal(trp_problem_create(&problem, "flexible-slider-crank", options, &error),
                         TRM_OK);
        const trm_system *s = trp_problem_system(problem);
        model_point p = some_motion(s, 11 + (uint64_t)variant);
        p.x[0] = 0.2;
        p.lambda[0] = 3;
        p.lambda[1] = -2;
        const trm_state at = model_view(&p);
        trm_derivative_report report;
        // relative to the largest entry; two-sided differences leave 1e-9, of gamma 1e-8
        if (trm_system_check_derivatives(s, &at, 1e-7, &report, &error) != TRM_OK)
            fail_msg("%s", error.text);
        assert_true(report.quantities >= 8);
        trp_problem_destroy(problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_beam_integrals_of_a_cubic_are_exact),
        cmocka_unit_test(test_beam_curve_follows_an_arc_with_order_four),
        cmocka_unit_test(test_beam_marker_follows_the_deflection),
        cmocka_unit_test(test_beam_motion_is_that_of_its_energy),
        cmocka_unit_test(test_beam_mass_stays_positive),
        cmocka_unit_test(test_beam_derivatives_agree_with_differences),
        cmocka_unit_test(test_beam_flying_freely_keeps_its_energy),
        cmocka_unit_test(test_beam_in_slider_crank_has_right_derivatives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
