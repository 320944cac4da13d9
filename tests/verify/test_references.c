// SPDX-License-Identifier: Apache-2.0
// Digits against the Test Set for IVP Solvers: Andrews' squeezing mechanism, in seven angles and in
// absolute coordinates, and the car axis, from rtol = atol = 1e-4 to 1e-10.
#include "references.h"
#include "verify.h"

enum { FIRST = 4, LAST = 10, DECADES = LAST - FIRST }; // exponents of the tolerance

static reference_digits run_at(const char *problem, const reference_end *end, double tol)
{
    const trm_options options = verify_options(tol);
    verify_run run = verify_open(problem, NULL, 0.0, &options);
    verify_run_well(run.simulation, end->t, NULL, NULL);
    const reference_digits digits = reference_compare(end, problem, run.simulation);
    verify_close(&run);
    return digits;
}

// Digits grow over the range by at least 4 in 6 decades, as a method whose error is proportional to
// the tolerance, or to a power of it near 0.8 (order 5), does. Within a decade they scatter: no
// less than -0.2 (measured +0.18 and more), 0.3 on average of any three.
static void assert_grows(const char *problem, const char *what, const double *digits)
{
    for (int i = 1; i <= DECADES; i++)
        if (!(digits[i] > digits[i - 1] - 0.2))
            fail_msg("%s, %s: %.2f digits at 1e-%d, %.2f at 1e-%d", problem, what, digits[i],
                     FIRST + i, digits[i - 1], FIRST + i - 1);
    for (int i = 3; i <= DECADES; i++)
        if (!(digits[i] >= digits[i - 3] + 3 * 0.3))
            fail_msg("%s, %s: %.2f digits at 1e-%d, %.2f at 1e-%d", problem, what, digits[i],
                     FIRST + i, digits[i - 3], FIRST + i - 3);
    if (!(digits[DECADES] >= digits[0] + 4.0))
        fail_msg("%s, %s: from %.2f to %.2f digits only", problem, what, digits[0],
                 digits[DECADES]);
}

// at 1e-8 at least the given number of position digits
static void check(const char *problem, const reference_end *end, double least)
{
    double q[DECADES + 1], v[DECADES + 1], lambda[DECADES + 1];
    for (int i = 0; i <= DECADES; i++) {
        const reference_digits digits = run_at(problem, end, pow(10.0, -FIRST - i));
        q[i] = digits.q;
        v[i] = digits.v;
        lambda[i] = digits.lambda;
    }
    assert_grows(problem, "positions", q);
    assert_grows(problem, "velocities", v);
    assert_grows(problem, "multipliers", lambda);
    if (!(q[8 - FIRST] >= least))
        fail_msg("%s: %.2f digits of the positions at 1e-8", problem, q[8 - FIRST]);
}

// 5 digits at 1e-8: RADAU5 has 5.7, MEBDFI 4.5 on the index-3 form; measured 5.9
static void test_references_andrews_digits_grow_with_the_tolerance(void **state)
{
    (void)state;
    check("andrews", &reference_andrews, 5.0);
}

// measured 5.6
static void test_references_andrews_absolute_digits_grow_with_the_tolerance(void **state)
{
    (void)state;
    check("andrews-absolute", &reference_andrews, 5.0);
}

// RADAU5 has 5.4, MEBDFI 6.7; measured 5.3
static void test_references_car_axis_digits_grow_with_the_tolerance(void **state)
{
    (void)state;
    check("car-axis", &reference_car_axis, 5.0);
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
        cmocka_unit_test(test_references_andrews_digits_grow_with_the_tolerance),
        cmocka_unit_test(test_references_andrews_absolute_digits_grow_with_the_tolerance),
        cmocka_unit_test(test_references_car_axis_digits_grow_with_the_tolerance),
        cmocka_unit_test(test_references_andrews_runs_at_every_tolerance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
