// SPDX-License-Identifier: Apache-2.0
// Two bodies and a bushing (Yen and Petzold, TR 96-028, Tables 5.3 and 5.4), printed data, eps =
// tolerance = 1e-3, T = 1. ggl-star starts its multipliers where cs has them: the same step, hence
// the same counters.
#include "verify.h"

static trm_statistics count(trm_formulation formulation)
{
    trm_options options = verify_classic(formulation, 1e-3);
    options.error_test = TRM_ERROR_TEST_INDEPENDENT_QV;
    // The same first step for all: the chosen one is measured by the root mean square over all
    // unknowns, of which ggl-star has more. 1e-3 is what DASSL takes for T = 1 and a gentle start.
    options.h_initial = 1e-3;
    verify_run run = verify_open("bushing", "eps", 1e-3, &options);
    verify_run_well(run.simulation, 1.0, NULL, NULL);
    trm_statistics statistics = *trm_simulation_statistics(run.simulation);
    verify_close(&run);
    return statistics;
}

static void assert_close(const char *what, long is, long should, double share)
{
    if (fabs((double)(is - should)) > share * (double)should)
        fail_msg("%s: %ld, of cs %ld", what, is, should);
}

static void compare(const trm_statistics *is, const trm_statistics *cs, double share)
{
    assert_close("steps", is->steps, cs->steps, share);
    assert_close("rejected_error", is->rejected_error, cs->rejected_error, share);
    assert_close("newton_iterations", is->newton_iterations, cs->newton_iterations, share);
    assert_close("residual_evaluations", is->residual_evaluations, cs->residual_evaluations, share);
    assert_close("jacobian_evaluations", is->jacobian_evaluations, cs->jacobian_evaluations, share);
    assert_int_equal(is->rejected_newton, 0);
}

// The study's prototype: steps 107, residuals 176, Jacobians 28, rejected 11, all three identical,
// from a start without acceleration. Its bar: ggl-star equal to cs, cm within 5 %.
static void test_bushing_classic_ggl_star_and_cm_count_as_cs(void **state)
{
    (void)state;
    const trm_statistics cs = count(TRM_FORMULATION_CS);
    const trm_statistics star = count(TRM_FORMULATION_GGL_STAR);
    const trm_statistics cm = count(TRM_FORMULATION_CM);
    assert_in_range(cs.steps, 85, 130); // around 107; counts near 100 scatter by 20 %
    assert_int_equal(cs.rejected_newton, 0);
    compare(&star, &cs, 0.0);
    compare(&cm, &cs, 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bushing_classic_ggl_star_and_cm_count_as_cs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
