// SPDX-License-Identifier: Apache-2.0
// Redundancy that follows the motion. Bennett's linkage, four hinges in space whose lengths are as
// the sines of their twists, moves although counting says that it is over-determined by three; at
// every position three rows follow from the others, but never the same three for a whole turn.
#include "mechanism_runs.h"

#include <stdlib.h>

// twists of 40 and 100 degrees, lengths 1 and sin 100 / sin 40; driven through three turns by its
// speed
static const char bennett[] =
    "trammel: 1\n"
    "mechanism:\n"
    "  gravity: [0, 0, -9.81]\n"
    "  bodies:\n"
    "    b1: {mass: 1, center: [0.27015115293406988, 0.42073549240394825, 0], inertia: [0.1, 0.1, "
    "0.1]}\n"
    "    b2: {mass: 1, center: [-0.073805745572208203, 0.46727906903190741, 0.2639617399501285], "
    "inertia: [0.1, 0.1, 0.1]}\n"
    "    b3: {mass: 1, center: [-1.1100013416252561, 0.04654357662795916, 0.2639617399501285], "
    "inertia: [0.1, 0.1, 0.1]}\n"
    "  joints:\n"
    "    h1: {revolute: {between: [ground, b1], at: [0, 0, 0], axis: [0, 0, 1]}, start: {rate: 8, "
    "keep: true}}\n"
    "    h2: {revolute: {between: [b1, b2], at: [0.54030230586813977, 0.8414709848078965, 0], "
    "axis: [0.54088712294524599, -0.34729962769710698, 0.76604444311897801]}}\n"
    "    h3: {revolute: {between: [b2, b3], at: [-0.68791379701255617, 0.09308715325591832, "
    "0.52792347990025701], axis: [-0.34457757943572909, 0.84863239911102673, "
    "0.4013593688071535]}}\n"
    "    h4: {revolute: {between: [b3, ground], at: [-1.5320888862379562, 0, 0], axis: [0, "
    "0.98480775301220802, -0.17364817766693025]}}\n"
    "simulate: {end: 3}\n";

static double end_place(const char *integrator, double tolerance, const char *coordinates_set,
                        long *steps)
{
    model_case c;
    trm_simulation *s =
        model_simulate(&c, bennett, "m.yaml", integrator, tolerance, coordinates_set);
    trm_status status = trm_simulation_run(s, 3);
    if (status != TRM_OK)
        fail_msg("%s at %g, %s: %s", integrator, tolerance, coordinates_set,
                 trm_simulation_error(s)->text);
    double place = channel(&c, s, "b1_x");
    *steps = trm_simulation_statistics(s)->steps;
    trm_simulation_destroy(s);
    model_close(&c);
    return place;
}

// Where the first bar is after three turns: radau and radau-adaptive at 1e-10, whose matrices need
// no choice of rows, agree to 1e-9 on x = -0.4542389565 m. Order 2 at 1e-6 leaves 2e-4.
static void test_row_choice_bennett_turns_with_every_integrator(void **state)
{
    (void)state;
    static const struct {
        const char *integrator;
        double tolerance, error;
    } runs[] = {{"bdf", 1e-6, 1e-3},
                {"bdf", 1e-10, 1e-6},
                {"adams", 1e-6, 1e-3},
                {"adams", 1e-10, 1e-6},
                {"explicit", 1e-6, 1e-3},
                {"explicit", 1e-10, 1e-6},
                {"radau", 1e-6, 1e-3},
                {"radau-adaptive", 1e-10, 1e-6},
                {"generalized-alpha", 1e-6, 2e-3},
                {"hht", 1e-8, 1e-4},
                {"auto", 1e-10, 1e-6}};
    for (size_t k = 0; k < sizeof runs / sizeof *runs; k++)
        for (int j = 0; j < 2; j++) {
            long steps;
            double error =
                end_place(runs[k].integrator, runs[k].tolerance, coordinates[j], &steps) +
                0.4542389565;
            printf("%-18s %7.0e %-30s %6ld steps, off by %.1e\n", runs[k].integrator,
                   runs[k].tolerance, coordinates[j], steps, error);
            assert_true(fabs(error) < runs[k].error);
        }
}

// A checkpoint behind the second choice, loaded into a simulation that has that of the start, goes
// on bit for bit.
static void test_row_choice_is_part_of_checkpoints(void **state)
{
    (void)state;
    static const char *const integrators[] = {"explicit", "adams", "bdf", "generalized-alpha"};
    for (int k = 0; k < 4; k++) {
        model_case a, b;
        trm_simulation *s = model_simulate(&a, bennett, "m.yaml", integrators[k], 1e-6, NULL);
        trm_simulation *t = model_simulate(&b, bennett, "m.yaml", integrators[k], 1e-6, NULL);
        run_to(s, 1);
        size_t size = trm_simulation_save(s, NULL, 0);
        void *bytes = malloc(size);
        assert_non_null(bytes);
        trm_simulation_save(s, bytes, size);
        if (trm_simulation_load(t, bytes, size) != TRM_OK)
            fail_msg("%s", trm_simulation_error(t)->text);
        run_to(s, 2);
        run_to(t, 2);
        const trm_state *p = trm_simulation_state(s), *q = trm_simulation_state(t);
        assert_memory_equal(p->q, q->q, (size_t)a.system->n_q * sizeof *p->q);
        assert_memory_equal(p->lambda, q->lambda, (size_t)a.system->n_g * sizeof *p->lambda);
        free(bytes);
        trm_simulation_destroy(s);
        trm_simulation_destroy(t);
        model_close(&a);
        model_close(&b);
    }
}

// Multipliers of minimum norm do not depend on the choice: along the motion those of two
// integrators are the same, whenever they choose. They are up to 40 N, positions have 1e-8: 1e-4 N.
static void test_row_choice_reactions_do_not_depend_on_it(void **state)
{
    (void)state;
    model_case a, b;
    trm_simulation *s = model_simulate(&a, bennett, "m.yaml", "explicit", 1e-9, NULL);
    trm_simulation *t = model_simulate(&b, bennett, "m.yaml", "radau-adaptive", 1e-9, NULL);
    for (int k = 1; k <= 60; k++) {
        run_to(s, 0.05 * k);
        run_to(t, 0.05 * k);
        const trm_state *p, *q;
        assert_int_equal(trm_simulation_sample(s, trm_simulation_state(s)->t, &p), TRM_OK);
        assert_int_equal(trm_simulation_sample(t, trm_simulation_state(t)->t, &q), TRM_OK);
        for (int i = 0; i < a.system->n_g; i++)
            assert_true(fabs(p->lambda[i] - q->lambda[i]) < 1e-4);
    }
    trm_simulation_destroy(s);
    trm_simulation_destroy(t);
    model_close(&a);
    model_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_row_choice_bennett_turns_with_every_integrator),
        cmocka_unit_test(test_row_choice_is_part_of_checkpoints),
        cmocka_unit_test(test_row_choice_reactions_do_not_depend_on_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
