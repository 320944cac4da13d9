// SPDX-License-Identifier: Apache-2.0
// Digits against the Test Set for IVP Solvers: Andrews' squeezing mechanism, in seven angles and in
// absolute coordinates, and the car axis, from rtol = atol = 1e-4 to 1e-10.
#include "references.h"
#include "verify.h"

enum { FIRST = 4, LAST = 10, DECADES = LAST - FIRST }; // exponents of the tolerance

// Positions alone are tested, and at 1e-4 the velocities of the car axis are off by some per cent
// (1.5 s: energy 982 instead of 923 uJ): the run may say that it cannot be trusted, and goes on.
static void follow(trm_simulation *simulation, double end, double tol)
{
    trm_status status = verify_run_to(simulation, end, NULL, NULL);
    if (status != TRM_OK && !(status == TRM_UNTRUSTED && tol >= 1e-4))
        fail_msg("rtol %g: %s", tol, trm_simulation_error(simulation)->text);
}

// The digits of a run: of positions and velocities the fewest over four times, so that an error
// that just changes its sign at the end does not count; of the multipliers those at the end.
static reference_digits run_at(const char *problem, const reference_problem *reference, double tol)
{
    const trm_options options = verify_options(tol);
    verify_run run = verify_open(problem, NULL, 0.0, &options);
    reference_digits least = {INFINITY, INFINITY, INFINITY};
    for (int i = 0; i < REFERENCE_TIMES; i++) {
        const reference_point *point = &reference->before[i];
        follow(run.simulation, point->t, tol);
        const reference_digits digits =
            reference_compare(reference, point, problem, trm_simulation_state(run.simulation));
        least.q = fmin(least.q, digits.q);
        least.v = fmin(least.v, digits.v);
    }
    follow(run.simulation, reference->end.t, tol);
    const reference_digits digits = reference_compare_end(reference, problem, run.simulation);
    verify_close(&run);
    return (reference_digits){fmin(least.q, digits.q), fmin(least.v, digits.v), digits.lambda};
}

// The error of order 5 goes with the tolerance to the power 5/6: 0.8 digits per decade, 5 over the
// range. Single runs scatter by half a digit, and now and then one is lucky: at least 3.5 digits
// over the range, at least `least` over any three decades.
static void assert_grows(const char *problem, const char *what, const double *digits, double least)
{
    for (int i = 3; i <= DECADES; i++)
        if (!(digits[i] >= digits[i - 3] + least))
            fail_msg("%s, %s: %.2f digits at 1e-%d, %.2f at 1e-%d", problem, what, digits[i],
                     FIRST + i, digits[i - 3], FIRST + i - 3);
    if (!(digits[DECADES] >= digits[0] + 3.5))
        fail_msg("%s, %s: from %.2f to %.2f digits only", problem, what, digits[0],
                 digits[DECADES]);
}

static void check_growth(const char *problem, const reference_problem *reference)
{
    double q[DECADES + 1], v[DECADES + 1], lambda[DECADES + 1];
    for (int i = 0; i <= DECADES; i++) {
        const reference_digits digits = run_at(problem, reference, pow(10.0, -FIRST - i));
        q[i] = digits.q;
        v[i] = digits.v;
        lambda[i] = digits.lambda;
        // also from one decade to the next, but for the scatter (measured -0.4)
        if (i > 0 && !(q[i] >= q[i - 1] - 0.5))
            fail_msg("%s: %.2f digits of the positions at 1e-%d, %.2f at 1e-%d", problem, q[i],
                     FIRST + i, q[i - 1], FIRST + i - 1);
    }
    assert_grows(problem, "positions", q, 0.9); // measured 1.3
    assert_grows(problem, "velocities", v, 0.3);
    assert_grows(problem, "multipliers", lambda, 0.3);
}

// position digits at the end, from a run without stops
static void check_digits(const char *problem, const reference_problem *reference, double tol,
                         double least)
{
    const trm_options options = verify_options(tol);
    verify_run run = verify_open(problem, NULL, 0.0, &options);
    verify_run_well(run.simulation, reference->end.t, NULL, NULL);
    const double digits = reference_compare_end(reference, problem, run.simulation).q;
    if (!(digits >= least))
        fail_msg("%s: %.2f digits of the positions at %g", problem, digits, tol);
    verify_close(&run);
}

// 5 digits at 1e-8: on the index-3 form RADAU5 has 5.7 and 5.4, MEBDFI 4.5 and 6.7; measured 5.9
// and 5.6 (angles and absolute), 5.3
static void test_references_1e_8_gives_five_digits(void **state)
{
    (void)state;
    check_digits("andrews", &reference_andrews, 1e-8, 5.0);
    check_digits("andrews-absolute", &reference_andrews, 1e-8, 5.0);
    check_digits("car-axis", &reference_car_axis, 1e-8, 5.0);
}

static void test_references_andrews_digits_grow_with_the_tolerance(void **state)
{
    (void)state;
    check_growth("andrews", &reference_andrews);
}

static void test_references_andrews_absolute_digits_grow_with_the_tolerance(void **state)
{
    (void)state;
    check_growth("andrews-absolute", &reference_andrews);
}

static void test_references_car_axis_digits_grow_with_the_tolerance(void **state)
{
    (void)state;
    check_growth("car-axis", &reference_car_axis);
}

// Loose and tight tolerances where other codes fail: the angles turn by 16 rad in 0.03 s, and steps
// of 1e-6 s meet the roundoff of positions of 0.01 m.
static void test_references_andrews_runs_at_every_tolerance(void **state)
{
    (void)state;
    for (int i = 3; i <= 11; i++) {
        run_at("andrews", &reference_andrews, pow(10.0, -i));
        run_at("andrews-absolute", &reference_andrews, pow(10.0, -i));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_references_1e_8_gives_five_digits),
        cmocka_unit_test(test_references_andrews_digits_grow_with_the_tolerance),
        cmocka_unit_test(test_references_andrews_absolute_digits_grow_with_the_tolerance),
        cmocka_unit_test(test_references_car_axis_digits_grow_with_the_tolerance),
        cmocka_unit_test(test_references_andrews_runs_at_every_tolerance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
