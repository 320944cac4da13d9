// SPDX-License-Identifier: Apache-2.0
// Frequencies of the beam against closed forms and published ones; both frames describe the same
// beam.
#include "beams.h"

static trm_modes *modes_of(const trm_system *s, const trm_initial *at, int count)
{
    trm_modes *modes = NULL;
    trm_error error;
    const trm_options options = trm_options_default();
    if (trm_modes_create(&modes, s, &options, at, count, &error) != TRM_OK)
        fail_msg("%s", error.text);
    return modes;
}

static void test_beam_modes_free_frequencies_are_eulers_in_both_frames(void **state)
{
    (void)state;
    // cos(bl) cosh(bl) = 1: textbook roots of the free-free beam
    const double root[] = {4.730040744862704, 7.853204624095838, 10.995607838001671};
    double found[2][3];
    for (int frame = 0; frame < 2; frame++) {
        beam_case c;
        const trmi_beam_data data = steel(10, frame ? TRMI_BEAM_CHORD : TRMI_BEAM_TANGENT, false);
        beam_open(&c, &data);
        const trm_system s = free_beam(&c);
        trm_modes *m = modes_of(&s, NULL, 0);
        for (int k = 0; k < 6; k++) // three rigid motions, two eigenvalues each
            assert_true(trm_modes_get(m, k)->omega == 0);
        for (int k = 0; k < 3; k++) {
            double euler = root[k] * root[k] * sqrt(data.stiffness / data.line_mass);
            found[frame][k] = trm_modes_get(m, 6 + k)->omega;
            // Hermite elements from above with (b l / k)^4 / 720: at most 2.1e-3 of the third, 1e-4
            // of the first
            check_near(found[frame][k] / euler, 1, 1e-4 * (k + 1) * (k + 1) * (k + 1));
            assert_true(found[frame][k] > euler);
        }
        trm_modes_destroy(m);
        beam_close(&c);
    }
    // the same beam: 1e-9 is roundoff, eps times the square of the largest frequency
    for (int k = 0; k < 3; k++)
        check_near(found[0][k] / found[1][k], 1, 1e-9);
}

static void test_beam_modes_free_rod_of_the_crank_has_the_frequency_of_the_study(void **state)
{
    (void)state;
    beam_case c;
    const double section = 0.008 * 0.008;
    const trmi_beam_data data = {.elements = 4,
                                 .length = 0.3,
                                 .line_mass = 7870 * section,
                                 .stiffness = 2e11 * section * section / 12};
    beam_open(&c, &data);
    const trm_system s = free_beam(&c);
    trm_modes *m = modes_of(&s, NULL, 0);
    // the pencil of the unsupported rod of the flexible slider-crank, 1.290e5 rad/s: computed with
    // dense matrices in another program, digits printed
    check_near(trm_modes_get(m, trm_modes_count(m) - 1)->omega, 1.290e5, 50);
    trm_modes_destroy(m);
    beam_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_beam_modes_free_frequencies_are_eulers_in_both_frames),
        cmocka_unit_test(test_beam_modes_free_rod_of_the_crank_has_the_frequency_of_the_study),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
