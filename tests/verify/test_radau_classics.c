// SPDX-License-Identifier: Apache-2.0
// Radau IIA of variable order against the classical codes on the Test Set for IVP Solvers. Their
// numbers are runs of RADAU5, RADAU (Hairer and Wanner) and MEBDFI (Cash) on the index-3 form with
// rtol = atol; digits are scd = -log10 max |y - y_ref| / |y_ref| of the positions. For every run of
// theirs there is one of ours with at least its digits and at most its attempted steps.
#include "models.h"
#include "references.h"
#include "verify.h"

enum { CODES_MOST = 8, TOLERANCES = 9 };

// half decades where attempts change much, and down to 1e-10, all of which must end well
static const double tolerances[TOLERANCES] = {1e-3, 1e-4, 1e-5, 2e-6, 1e-6,
                                              1e-7, 1e-8, 1e-9, 1e-10};

// One run of a classical code.
typedef struct classic {
    const char *code;
    double rtol, digits;
    long attempts;
} classic;

typedef struct measured {
    double digits;
    long attempts;
} measured;

static long attempts(const trm_simulation *simulation)
{
    const trm_statistics *st = trm_simulation_statistics(simulation);
    return st->steps + st->rejected_error + st->rejected_newton;
}

static trm_options adaptive_options(double tol)
{
    trm_options options = verify_options(tol);
    options.integrator = TRM_INTEGRATOR_RADAU_ADAPTIVE;
    return options;
}

static void assert_beaten(const char *problem, const classic *theirs, int count,
                          const measured *ours)
{
    for (int i = 0; i < TOLERANCES; i++)
        print_message("%-10s %.0e  %6.2f digits %5ld attempts\n", problem, tolerances[i],
                      ours[i].digits, ours[i].attempts);
    for (int k = 0; k < count; k++) {
        bool beaten = false;
        for (int i = 0; i < TOLERANCES; i++)
            beaten = beaten ||
                     (ours[i].digits >= theirs[k].digits && ours[i].attempts <= theirs[k].attempts);
        if (!beaten)
            fail_msg("%s: %s at %g has %.2f digits in %ld attempts", problem, theirs[k].code,
                     theirs[k].rtol, theirs[k].digits, theirs[k].attempts);
    }
}

// ---- built-in problems ----

static void check_problem(const char *problem, const reference_problem *reference,
                          const classic *theirs, int count)
{
    measured ours[TOLERANCES];
    for (int i = 0; i < TOLERANCES; i++) {
        const trm_options options = adaptive_options(tolerances[i]);
        verify_run run = verify_open(problem, NULL, 0, &options);
        verify_run_well(run.simulation, reference->end.t, NULL, NULL);
        const trm_state *s = trm_simulation_state(run.simulation);
        const reference_digits is = reference_compare(reference, &reference->end, problem, s);
        ours[i] = (measured){is.q, attempts(run.simulation)};
        verify_close(&run);
    }
    assert_beaten(problem, theirs, count, ours);
}

static void test_radau_classics_andrews_takes_fewer_steps(void **state)
{
    (void)state;
    const classic theirs[] = {{"RADAU5", 1e-4, 2.17, 122},
                              {"RADAU5", 1e-6, 4.12, 91},
                              {"RADAU5", 1e-8, 5.72, 146},
                              {"RADAU5", 1e-10, 6.31, 258}}; // RADAU has the same counters
    check_problem("andrews", &reference_andrews, theirs, 4);
}

static void test_radau_classics_car_axis_takes_fewer_steps(void **state)
{
    (void)state;
    const classic theirs[] = {{"RADAU5", 1e-4, 2.37, 98},
                              {"RADAU5", 1e-6, 3.85, 201},
                              {"RADAU5", 1e-8, 5.41, 418},
                              {"RADAU5", 1e-10, 7.02, 884},
                              {"RADAU", 1e-10, 8.61, 179}};
    check_problem("car-axis", &reference_car_axis, theirs, 5);
}

// ---- the crank with an elastic rod ----

// The example with its constraints on the positions, from which the start is off by 2e-10: the
// offset is kept, as the reference does that knows only their derivatives.
static const char *const on_positions[] = {
    "equations.velocity_constraints={}",
    "equations.constraints={loop_y: \"l1*sin(phi1) + (l2 + q4)*sin(phi2)\","
    " loop_x: \"x3 - l1*cos(phi1) - (l2 + q4)*cos(phi2) - (0.450016933 - 0.45 - 0.169327969e-4)\","
    " drive: \"phi1 - Omega*t\"}",
    "outputs={}", "units={}", NULL};

// Positions at t = 0.1, computed in quad precision.
static const double crank_end[] = {1.5000000000000000000e+1, -3.3117349882562992870e-1,
                                   1.6973733284307213687e-1, 1.8931928997009404928e-4,
                                   2.3757512499866390164e-5, -5.3238967707486071538e-6,
                                   -8.3633132788077736241e-6};

static measured run_crank(double tol)
{
    model_case c;
    model_open(&c, "examples/flexible-slider-crank.yaml", on_positions);
    const trm_options options = adaptive_options(tol);
    verify_run run = verify_start(c.system, trm_instance_initial(c.instance), &options);
    verify_run_well(run.simulation, 0.1, NULL, NULL);
    const measured is = {reference_scd(trm_simulation_state(run.simulation)->q, crank_end, 7),
                         attempts(run.simulation)};
    verify_close(&run);
    model_close(&c);
    return is;
}

// RADAU5 and RADAU stop at the start at 1e-10.
static void test_radau_classics_crank_takes_fewer_steps(void **state)
{
    (void)state;
    const classic theirs[] = {{"RADAU5", 1e-4, 1.96, 113},
                              {"RADAU5", 1e-6, 2.57, 294},
                              {"RADAU", 1e-6, 2.50, 172},
                              {"RADAU5", 1e-8, 3.69, 1950},
                              {"RADAU", 1e-8, 4.99, 414}};
    measured ours[TOLERANCES];
    for (int i = 0; i < TOLERANCES; i++)
        ours[i] = run_crank(tolerances[i]);
    assert_beaten("crank", theirs, 5, ours);
    // the bar of the design study at 1e-8; its prototype has 8.0 digits in 735 attempts
    assert_true(ours[6].digits >= 7 && ours[6].attempts <= 1000);
}

// ---- the wheelset ----

// The reference of tests/references/wheelset-end.csv, good to 2 units in the 8th digit.
static const double wheelset_q[] = {8.63553825e-3, 1.30383411e-5, -9.36358103e-5, -1.36422960e-2,
                                    1.52928942e-3};
static const double wheelset_v[] = {-7.69852419e-2, -2.51510640e-4, 2.05411491e-3, -2.39048402e-1,
                                    -1.36334450e-2};

// Friction and contact points, right-hand sides with kinks: MEBDFI is the code for it in the test
// set. Digits at one tolerance scatter by half a digit and more (at 1e-8 and within 25 % of it
// those of v lie between 4.4 and 5.7); what counts is how many steps they take, at whatever
// tolerance. Measured 2.9, 4.8, 7.1 digits of q and 2.3, 4.3, 6.5 of v in 2226, 2684 and 5749
// attempts, and at least 5.8 of v for six tolerances from 2.7e-10 to 5.5e-10.
static void test_radau_classics_wheelset_takes_fewer_steps(void **state)
{
    (void)state;
    const struct {
        double q, v;
        long attempts;
    } mebdfi[] = {{0.90, 0.04, 5730}, {3.22, 3.40, 13261}, {5.61, 5.54, 23271}}; // 1e-4, 1e-6, 1e-8
    const double ours[] = {1e-4, 1e-6, 5e-10};
    for (int k = 0; k < 3; k++) {
        const trm_options options = adaptive_options(ours[k]);
        verify_run run = verify_open("wheelset", NULL, 0, &options);
        verify_run_well(run.simulation, 10, NULL, NULL);
        const trm_state *s = trm_simulation_state(run.simulation);
        double q = reference_scd(s->q, wheelset_q, 5), v = reference_scd(s->v, wheelset_v, 5);
        long count = attempts(run.simulation);
        print_message("%-10s %.0e  %6.2f, %.2f digits %5ld attempts\n", "wheelset", options.rtol, q,
                      v, count);
        if (!(q >= mebdfi[k].q && v >= mebdfi[k].v && count <= mebdfi[k].attempts))
            fail_msg("tolerance %g: %.2f and %.2f digits in %ld attempts", options.rtol, q, v,
                     count);
        verify_close(&run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_radau_classics_andrews_takes_fewer_steps),
        cmocka_unit_test(test_radau_classics_car_axis_takes_fewer_steps),
        cmocka_unit_test(test_radau_classics_crank_takes_fewer_steps),
        cmocka_unit_test(test_radau_classics_wheelset_takes_fewer_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
