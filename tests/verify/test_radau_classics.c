// SPDX-License-Identifier: Apache-2.0
// Radau IIA of variable order against the classical codes on the Test Set for IVP Solvers. Their
// numbers are runs of RADAU5, RADAU (Hairer and Wanner) and MEBDFI (Cash) on the index-3 form with
// rtol = atol; digits are scd = -log10 max |y - y_ref| / |y_ref| of positions, velocities and
// multipliers. For every run of theirs there is one of ours with at least its digits of all three
// and at most its attempted steps.
#include "models.h"
#include "references.h"
#include "verify.h"

enum { MAX_CODES = 8, TOLERANCES = 9 };

// half decades where attempts change much, and down to 1e-10, all of which must end well
static const double tolerances[TOLERANCES] = {1e-3, 1e-4, 1e-5, 2e-6, 1e-6,
                                              1e-7, 1e-8, 1e-9, 1e-10};

// One run of a classical code.
typedef struct classic {
    const char *code;
    double rtol;
    reference_digits digits;
    long attempts;
} classic;

typedef struct measured {
    reference_digits digits;
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

// slack: digits of velocities and multipliers that may be missing
static bool reaches(const reference_digits *ours, const reference_digits *theirs, double slack)
{
    return ours->q >= theirs->q && ours->v >= theirs->v - slack &&
           ours->lambda >= theirs->lambda - slack;
}

static void assert_beaten(const char *problem, const classic *theirs, int count,
                          const measured *ours, double slack)
{
    for (int i = 0; i < TOLERANCES; i++)
        print_message("%-10s %.0e  %6.2f, %.2f, %.2f digits %5ld attempts\n", problem,
                      tolerances[i], ours[i].digits.q, ours[i].digits.v, ours[i].digits.lambda,
                      ours[i].attempts);
    for (int k = 0; k < count; k++) {
        bool beaten = false;
        for (int i = 0; i < TOLERANCES; i++)
            beaten = beaten || (reaches(&ours[i].digits, &theirs[k].digits, slack) &&
                                ours[i].attempts <= theirs[k].attempts);
        if (!beaten)
            fail_msg("%s: %s at %g has %.2f, %.2f, %.2f digits in %ld attempts", problem,
                     theirs[k].code, theirs[k].rtol, theirs[k].digits.q, theirs[k].digits.v,
                     theirs[k].digits.lambda, theirs[k].attempts);
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
        ours[i] = (measured){reference_compare_end(reference, problem, run.simulation),
                             attempts(run.simulation)};
        verify_close(&run);
    }
    assert_beaten(problem, theirs, count, ours, 0);
}

static void test_radau_classics_andrews_takes_fewer_steps(void **state)
{
    (void)state;
    const classic theirs[] = {
        {"RADAU5", 1e-4, {2.17, -0.43, -0.38}, 122},
        {"RADAU5", 1e-6, {4.12, 2.05, 0.76}, 91},
        {"RADAU5", 1e-8, {5.72, 3.55, -0.06}, 146},
        {"RADAU5", 1e-10, {6.31, 3.26, 2.39}, 258}}; // RADAU has the same counters
    check_problem("andrews", &reference_andrews, theirs, 4);
}

static void test_radau_classics_car_axis_takes_fewer_steps(void **state)
{
    (void)state;
    const classic theirs[] = {{"RADAU5", 1e-4, {2.37, 0.19, 0.81}, 98},
                              {"RADAU5", 1e-6, {3.85, 1.77, 1.28}, 201},
                              {"RADAU5", 1e-8, {5.41, 3.17, 2.74}, 418},
                              {"RADAU5", 1e-10, {7.02, 5.10, 3.15}, 884},
                              {"RADAU", 1e-10, {8.61, 4.22, 4.43}, 179}};
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

// Positions, velocities and multipliers at t = 0.1, computed in quad precision.
static const double crank_q[] = {1.5000000000000000000e+1, -3.3117349882562992870e-1,
                                 1.6973733284307213687e-1, 1.8931928997009404928e-4,
                                 2.3757512499866390164e-5, -5.3238967707486071538e-6,
                                 -8.3633132788077736241e-6};
static const double crank_v[] = {1.5e+2,
                                 6.0253467551318349315e+1,
                                 -8.7531163267041625526e+0,
                                 -3.0055413998525570723e-2,
                                 -5.5004318013328443981e-3,
                                 4.9741117946464800514e-4,
                                 1.1055599936031178776e-3};
static const double crank_lambda[] = {-6.2329358327736772847e+1, -1.6379209932372472589e+2,
                                      2.5298579470003066157e+1};

static measured run_crank(double tol)
{
    model_case c;
    model_open(&c, "examples/flexible-slider-crank.yaml", on_positions);
    const trm_options options = adaptive_options(tol);
    verify_run run = verify_start(c.system, trm_instance_initial(c.instance), &options);
    verify_run_well(run.simulation, 0.1, NULL, NULL);
    const trm_state *s = trm_simulation_state(run.simulation);
    double lambda[3];
    assert_int_equal(trm_simulation_accelerations(run.simulation, NULL, lambda), TRM_OK);
    const measured is = {{reference_scd(s->q, crank_q, 7), reference_scd(s->v, crank_v, 7),
                          reference_scd(lambda, crank_lambda, 3)},
                         attempts(run.simulation)};
    verify_close(&run);
    model_close(&c);
    return is;
}

// RADAU5 and RADAU stop at the start at 1e-10. With less than two digits of the velocities the
// vibrations of the rod are not resolved, and what is right of them is chance: RADAU has 0.50
// digits at 1e-6 where ours have 0.28.
static void test_radau_classics_crank_takes_fewer_steps(void **state)
{
    (void)state;
    const classic theirs[] = {{"RADAU5", 1e-4, {1.96, 0.28, 2.54}, 113},
                              {"RADAU5", 1e-6, {2.57, 0.28, 3.23}, 294},
                              {"RADAU", 1e-6, {2.50, 0.50, 3.32}, 172},
                              {"RADAU5", 1e-8, {3.69, 1.01, 3.36}, 1950},
                              {"RADAU", 1e-8, {4.99, 1.71, 4.67}, 414}};
    measured ours[TOLERANCES];
    for (int i = 0; i < TOLERANCES; i++)
        ours[i] = run_crank(tolerances[i]);
    assert_beaten("crank", theirs, 5, ours, 0.25);
    // the bar of the design study at 1e-8; its prototype has 8.0 digits in 735 attempts
    assert_true(ours[6].digits.q >= 7 && ours[6].attempts <= 1000);
}

// ---- the wheelset ----

// The reference of tests/references/wheelset-end.csv, good to 2 units in the 8th digit.
static const double wheelset_q[] = {8.63553825e-3, 1.30383411e-5, -9.36358103e-5, -1.36422960e-2,
                                    1.52928942e-3};
static const double wheelset_v[] = {-7.69852419e-2, -2.51510640e-4, 2.05411491e-3, -2.39048402e-1,
                                    -1.36334450e-2};

static const double wheelset_lambda[] = {101.240450,
                                         56.2856291}; // there of opposite sign, times 1e-4

static measured run_wheelset(double tol)
{
    const trm_options options = adaptive_options(tol);
    verify_run run = verify_open("wheelset", NULL, 0, &options);
    verify_run_well(run.simulation, 10, NULL, NULL);
    const trm_state *s = trm_simulation_state(run.simulation);
    const measured is = {{reference_scd(s->q, wheelset_q, 5), reference_scd(s->v, wheelset_v, 5),
                          reference_scd(s->lambda, wheelset_lambda, 2)},
                         attempts(run.simulation)};
    print_message("%-10s %.0e  %6.2f, %.2f, %.2f digits %5ld attempts\n", "wheelset", tol,
                  is.digits.q, is.digits.v, is.digits.lambda, is.attempts);
    verify_close(&run);
    return is;
}

// Friction and contact points, right-hand sides with kinks: MEBDFI is the code for it in the test
// set. Digits at one tolerance scatter by half a digit and more (at 1e-8 and within 25 % of it
// those of v lie between 4.4 and 5.7); what counts is how many steps they take, at whatever
// tolerance. Measured 2.9, 4.8, 7.1 digits of q and 2.3, 4.3, 6.5 of v in 2226, 2684 and 5749
// attempts, and at least 5.8 of v for six tolerances from 2.7e-10 to 5.5e-10.
static void test_radau_classics_wheelset_takes_fewer_steps(void **state)
{
    (void)state;
    const classic mebdfi[] = {{"MEBDFI", 1e-4, {0.90, 0.04, 1.09}, 5730},
                              {"MEBDFI", 1e-6, {3.22, 3.40, 4.35}, 13261},
                              {"MEBDFI", 1e-8, {5.61, 5.54, 6.82}, 23271}};
    const double ours[] = {1e-4, 1e-6, 5e-10};
    for (int k = 0; k < 3; k++) {
        const measured is = run_wheelset(ours[k]);
        if (!(reaches(&is.digits, &mebdfi[k].digits, 0) && is.attempts <= mebdfi[k].attempts))
            fail_msg("tolerance %g: fewer digits or more attempts than MEBDFI at %g", ours[k],
                     mebdfi[k].rtol);
    }
    assert_true(run_wheelset(1e-10).attempts <= 23271); // ends well
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
