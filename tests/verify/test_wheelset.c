// SPDX-License-Identifier: Apache-2.0
// The wheelset of Simeon, Fuehrer and Rentrop (examples/wheelset.yaml; Test Set for IVP Solvers):
// its data, the motion of the contact points in gamma, 10 s with projection and without.
#include "wheelset.h"

static const char PATH[] = "examples/wheelset.yaml";

// x, y, z, theta, phi and the axle's spin
enum { N = 5, SIDES = 2 };

static void assert_near(double value, double expected, double relative)
{
    if (!(fabs(value - expected) <= relative * fabs(expected)))
        fail_msg("%.17g instead of %.17g", value, expected);
}

// ---- the data of the test set ----

// Initial values as published, v' and beta' with sixteen digits, multipliers l = -lambda / 1e4 with
// five.
static model_point published_start(const trm_initial *start)
{
    static const double a[] = {-1.975258894011285, -1.0898297102811276e-3, 7.8855083626142589e-2,
                               -5.533362821731549, -0.3487021489546511};
    model_point p = {.lambda = {83.593, 74.144}};
    memcpy(p.q, start->q, N * sizeof *p.q);
    memcpy(p.z, start->z, 4 * sizeof *p.z);
    memcpy(p.a, a, sizeof a);
    return p;
}

// 3.5e-15 with the equations divided by the masses (prototype). Here they are not, forces are of
// size 100, and the published v' carry an error of their own: 1e-14 relative to that size.
static void test_wheelset_published_data_satisfy_the_equations(void **state)
{
    (void)state;
    model_case c;
    model_open(&c, PATH, NULL);
    const model_point p = published_start(trm_instance_initial(c.instance));
    double force[N], b[4], g[SIDES], rate;
    model_call(c.system, TRM_QUANTITY_FORCE, &p, force);
    model_call(c.system, TRM_QUANTITY_ALGEBRAIC, &p, b);
    model_call(c.system, TRM_QUANTITY_CONSTRAINT, &p, g);
    model_call(c.system, TRM_QUANTITY_RATE, &p, &rate);
    for (int i = 0; i < N; i++) {
        const double mass = model_value(c.system, TRM_QUANTITY_MASS, &p, i, i);
        double r = mass * p.a[i] - force[i];
        for (int side = 0; side < SIDES; side++)
            r += model_value(c.system, TRM_QUANTITY_CONSTRAINT_Q, &p, side, i) * p.lambda[side];
        assert_true(fabs(r / mass) <= 1e-14);
    }
    for (int k = 0; k < 4; k++)
        assert_true(fabs(b[k]) <= 1e-14);
    for (int side = 0; side < SIDES; side++)
        assert_true(fabs(g[side]) <= 1e-14);
    // beta' of the published set
    assert_near(rate, -2.132968724380927, 1e-13);
    model_close(&c);
}

// Multipliers and accelerations that satisfy the acceleration level as well, from the prototype
// (spec projection, section 3), where they have 15 digits; the bar is 1e-10.
static void test_wheelset_start_is_consistent_at_the_acceleration_level(void **state)
{
    (void)state;
    static const double l[] = {-0.008359184018959262, -0.007414552840682173};
    static const double a[] = {-1.97525715922057, -0.001066580003726268, 0.0788394043634224,
                               -5.533373066752602, -0.34980266105076857};
    model_case c;
    trm_simulation *s;
    model_open(&c, PATH, NULL);
    assert_int_equal(trm_simulation_create(&s, c.system, trm_model_options(c.model),
                                           trm_instance_initial(c.instance), NULL),
                     TRM_OK);
    const trm_state *start = trm_simulation_state(s);
    for (int side = 0; side < SIDES; side++)
        assert_near(-1e-4 * start->lambda[side], l[side], 1e-10);
    for (int i = 0; i < N; i++)
        assert_near(start->a[i], a[i], 1e-10);
    trm_simulation_destroy(s);
    model_close(&c);
}

// ---- the acceleration level ----

// z' = -b_z^-1 b_q v by elimination with row exchanges
static void contact_velocities(const trm_system *s, const model_point *p, double *rate)
{
    double a[4][5];
    for (int i = 0; i < 4; i++) {
        a[i][4] = 0;
        for (int j = 0; j < 4; j++)
            a[i][j] = model_value(s, TRM_QUANTITY_ALGEBRAIC_Z, p, i, j);
        for (int j = 0; j < N; j++)
            a[i][4] -= model_value(s, TRM_QUANTITY_ALGEBRAIC_Q, p, i, j) * p->v[j];
    }
    for (int k = 0; k < 4; k++) {
        int pivot = k;
        for (int i = k + 1; i < 4; i++)
            pivot = fabs(a[i][k]) > fabs(a[pivot][k]) ? i : pivot;
        for (int j = 0; j < 5; j++) {
            const double t = a[k][j];
            a[k][j] = a[pivot][j];
            a[pivot][j] = t;
        }
        for (int i = 0; i < 4; i++)
            for (int j = 4; j >= k && i != k; j--)
                a[i][j] -= a[i][k] / a[k][k] * a[k][j];
    }
    for (int k = 0; k < 4; k++)
        rate[k] = a[k][4] / a[k][k];
}

// From the prototype (spec projection, section 3), which checked them against differences of G v
// along the motion: gamma with eight digits, contact velocities with five.
static void test_wheelset_gamma_contains_the_contact_velocities(void **state)
{
    (void)state;
    static const double gamma[] = {1.9075013e-3, 1.9071702e-3};
    static const double contact[] = {6.4453e-3, 7.9617e-2, -6.0860e-3, 7.8672e-2};
    model_case c;
    double value[SIDES], rate[4];
    model_open(&c, PATH, NULL);
    model_call(c.system, TRM_QUANTITY_GAMMA, &published_end, value);
    contact_velocities(c.system, &published_end, rate);
    for (int side = 0; side < SIDES; side++)
        assert_near(value[side], gamma[side], 1e-7);
    for (int k = 0; k < 4; k++)
        assert_near(rate[k], contact[k], 1e-5); // half a unit of the last digit given
    model_close(&c);
}

// gamma as if the contact points stood still: differences of G v along (q + s v, z)
static int gamma_without_contacts(const trm_state *state, double *out, void *user)
{
    const model_case *c = user;
    const double h = 1e-6;
    memset(out, 0, SIDES * sizeof *out);
    for (int sign = -1; sign <= 1; sign += 2) {
        model_point p = {.t = state->t};
        for (int i = 0; i < N; i++) {
            p.q[i] = state->q[i] + sign * h * state->v[i];
            p.v[i] = state->v[i];
        }
        memcpy(p.z, state->z, 4 * sizeof *p.z);
        for (int side = 0; side < SIDES; side++)
            for (int i = 0; i < N; i++)
                out[side] += sign * model_value(c->system, TRM_QUANTITY_CONSTRAINT_Q, &p, side, i) *
                             p.v[i] / (2 * h);
    }
    return 0;
}

// everything else as it is
static int evaluate_original(const trm_state *state, double *const want[TRM_QUANTITY_COUNT],
                             void *user)
{
    const model_case *c = user;
    return c->system->evaluate(state, want, c->system->user);
}

// What `trammel check` does, at the published end: the mutant's gamma is off by half its size, the
// right one by the error of differences.
static void test_wheelset_gamma_without_contact_velocities_is_caught(void **state)
{
    (void)state;
    model_case c;
    trm_derivative_report report;
    trm_error error;
    model_open(&c, PATH, NULL);
    const trm_state at = model_view(&published_end);
    assert_int_equal(trm_system_check_derivatives(c.system, &at, 1e-4, &report, &error), TRM_OK);
    trm_system mutant = *c.system;
    mutant.evaluates &= ~TRM_BIT(GAMMA);
    mutant.function[TRM_QUANTITY_GAMMA] = gamma_without_contacts;
    mutant.evaluate = evaluate_original;
    mutant.user = &c;
    assert_int_equal(trm_system_check_derivatives(&mutant, &at, 1e-4, &report, &error),
                     TRM_ERR_DERIVATIVE);
    assert_int_equal(report.quantity, TRM_QUANTITY_GAMMA);
    assert_non_null(strstr(error.text, "GAMMA"));
    model_close(&c);
}

// ---- ten seconds ----

typedef struct outcome {
    double digits, position, velocity; // scd over q, v, beta; residuals, largest over the run
    double position_end;
} outcome;

// The reference of tests/references/wheelset-end.csv, good to 2 units in the 8th digit
static double digits_of(const trm_state *s)
{
    static const double q[] = {8.63553825e-3, 1.30383411e-5, -9.36358103e-5, -1.36422960e-2,
                               1.52928942e-3};
    static const double v[] = {-7.69852419e-2, -2.51510640e-4, 2.05411491e-3, -2.39048402e-1,
                               -1.36334450e-2};
    double worst = fabs(s->x[0] / -2.44213706e-1 - 1);
    for (int i = 0; i < N; i++)
        worst = fmax(worst, fmax(fabs(s->q[i] / q[i] - 1), fabs(s->v[i] / v[i] - 1)));
    return -log10(worst);
}

static outcome ride(trm_formulation formulation, double tol)
{
    model_case c;
    trm_simulation *s;
    model_open(&c, PATH, NULL);
    trm_options options = *trm_model_options(c.model);
    options.formulation = formulation;
    options.integrator = TRM_INTEGRATOR_BDF; // that of the prototype; auto would test less than tol
    options.rtol = options.atol = tol;
    assert_int_equal(
        trm_simulation_create(&s, c.system, &options, trm_instance_initial(c.instance), NULL),
        TRM_OK);
    assert_int_equal(trm_simulation_run(s, 10), TRM_OK);
    const trm_statistics *st = trm_simulation_statistics(s);
    const outcome out = {digits_of(trm_simulation_state(s)), st->position_residual_max,
                         st->velocity_residual_max, st->position_residual};
    print_message("%.0e: %.2f digits, residuals %.1e, %.1e; %ld steps, %ld rejected\n", tol,
                  out.digits, out.position, out.velocity, st->steps, st->rejected_error);
    trm_simulation_destroy(s);
    model_close(&c);
    return out;
}

// Bars of the issue; the prototype had 2.6, 3.1 and 3.6 digits with projection. Without, wheels
// leave the rail by 1e-6 to 1e-3 m in 10 s at 1e-5, and fewer than one digit is left (prototype:
// -0.5, -0.4, 0.3).
static void test_wheelset_projection_keeps_it_on_the_rails(void **state)
{
    (void)state;
    static const double tolerances[] = {1e-5, 1e-6, 1e-7}, least[] = {1.5, 2.5, 3.0};
    for (int k = 0; k < 3; k++) {
        const outcome with = ride(TRM_FORMULATION_INDEX1_PROJECTED, tolerances[k]);
        const outcome without = ride(TRM_FORMULATION_INDEX1, tolerances[k]);
        assert_true(with.digits >= least[k]);
        assert_true(with.position <= 1e-13 && with.velocity <= 1e-13);
        assert_true(without.digits < 1);
        assert_true(without.position_end >= 1e7 * with.position_end);
        if (k == 0)
            assert_true(without.position_end >= 1e-6 && without.position_end <= 1e-3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wheelset_published_data_satisfy_the_equations),
        cmocka_unit_test(test_wheelset_start_is_consistent_at_the_acceleration_level),
        cmocka_unit_test(test_wheelset_gamma_contains_the_contact_velocities),
        cmocka_unit_test(test_wheelset_gamma_without_contact_velocities_is_caught),
        cmocka_unit_test(test_wheelset_projection_keeps_it_on_the_rails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
