// SPDX-License-Identifier: Apache-2.0
// The integral of powers over a step (watch/balance.h), with powers that are given as functions.
#include "framework.h"

#include "solver/integrator/watch/balance.h"

#include <math.h>

typedef struct law {
    double (*power)(double t);
    int probes;
} law;

static bool probe(void *context, double t, double power[2])
{
    law *l = context;
    l->probes++;
    power[0] = l->power(t);
    power[1] = 0;
    return true;
}

// work from 0 to 1, and the estimated error of it
static double integrate(law *l, double limit, double *error)
{
    trmi_balance b;
    double start[2] = {l->power(0), 0}, end[2] = {l->power(1), 0}, work[2];
    trmi_balance_begin(&b, 0, 0, start);
    assert_true(trmi_balance_integrate(&b, 1, end, limit, probe, l, work, error));
    return work[0];
}

static double jump(double t)
{
    return t < 0.437 ? 1 : -2;
}

static double kink(double t)
{
    return fmax(t - 0.3141, 0);
}

static double smooth(double t)
{
    return cos(10 * t);
}

static double noise(double t)
{
    double x = sin(1e9 * t) * 43758.5453;
    return 1 + 1e-2 * (x - floor(x));
}

static void test_balance_smooth_power_is_integrated_to_the_limit(void **state)
{
    (void)state;
    double error;
    law l = {.power = smooth};
    // integral of cos(10 t) from 0 to 1; the limit
    assert_true(fabs(integrate(&l, 1e-5, &error) - (sin(10.0) / 10)) < 1e-5);
    assert_true(error <= 1e-5);
}

static void test_balance_jump_is_halved_to_the_limit(void **state)
{
    (void)state;
    double error;
    law l = {.power = jump};
    // 1 over 0.437, -2 over the rest; the limit
    assert_true(fabs(integrate(&l, 1e-10, &error) - (0.437 - 2 * (1 - 0.437))) < 1e-10);
    assert_true(error <= 1e-10);
    l = (law){.power = kink};
    // (1 - 0.3141)^2 / 2
    assert_true(fabs(integrate(&l, 1e-10, &error) - (0.6859 * 0.6859 / 2)) < 1e-10);
    assert_true(error <= 1e-10);
}

// Noise stays the same however often it is halved: 7 halvings with 5 probes each, and the first two
// probes, say so.
static void test_balance_noise_is_not_halved_on(void **state)
{
    (void)state;
    double error;
    law l = {.power = noise};
    // the size of the noise
    assert_true(fabs(integrate(&l, 1e-14, &error) - 1) < 1e-2);
    assert_in_range(l.probes, 37, 37);
    assert_true(error > 1e-14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_balance_smooth_power_is_integrated_to_the_limit),
        cmocka_unit_test(test_balance_jump_is_halved_to_the_limit),
        cmocka_unit_test(test_balance_noise_is_not_halved_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
