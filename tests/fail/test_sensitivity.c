// SPDX-License-Identifier: Apache-2.0
// Sensitivities that cannot be had: the reason is in the error.
#include "models.h"

#include <string.h>

static const char text[] = "trammel: 1\n"
                           "parameters: {k: 4, n: 2}\n"
                           "equations:\n"
                           "  coordinates: {x: vx}\n"
                           "  mass: [1]\n"
                           "  force: ['-k*x']\n"
                           "initial: {values: {x: 1}}\n"
                           "simulate: {end: 1}\n";

typedef struct fixture {
    model_case c;
    trm_neighbours *neighbours;
    const trm_parameter *parameter;
    trm_options options;
} fixture;

static void begin(fixture *f)
{
    const char *const names[] = {"k", NULL};
    const trm_load load = {.report = model_collect, .user = &f->c, .vary = names};
    memset(f, 0, sizeof *f);
    assert_int_equal(trm_model_read(&f->c.model, text, strlen(text), "m.yaml", &load, &f->c.error),
                     TRM_OK);
    assert_int_equal(trm_instance_create(&f->c.instance, f->c.model, &f->c.error), TRM_OK);
    assert_int_equal(trm_neighbours_create(&f->neighbours, f->c.model, NULL, &f->c.error), TRM_OK);
    f->parameter = trm_neighbours_parameters(f->neighbours, NULL);
    f->options = *trm_model_options(f->c.model);
}

static void end(fixture *f)
{
    trm_neighbours_destroy(f->neighbours);
    model_close(&f->c);
}

static trm_status create(fixture *f, const trm_parameter *p, trm_simulation **s)
{
    return trm_simulation_create_sensitive(s, trm_instance_system(f->c.instance), &f->options,
                                           trm_instance_initial(f->c.instance), p, 1, &f->c.error);
}

static void test_integrators_without_sensitivities_are_named(void **state)
{
    (void)state;
    const trm_integrator without[] = {TRM_INTEGRATOR_EXPLICIT, TRM_INTEGRATOR_ADAMS,
                                      TRM_INTEGRATOR_HHT};
    for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
        fixture f;
        trm_simulation *s;
        begin(&f);
        f.options.integrator = without[i];
        assert_int_equal(create(&f, f.parameter, &s), TRM_ERR_OPTION);
        assert_null(s);
        assert_contains(f.c.error.text, "has no sensitivities");
        assert_contains(f.c.error.advice, "use integrator = bdf or radau");
        end(&f);
    }
}

static void test_parameters_that_cannot_be_used_are_refused(void **state)
{
    (void)state;
    fixture f;
    trm_simulation *s;
    begin(&f);
    trm_parameter p = *f.parameter;
    p.width = 0;
    assert_int_equal(create(&f, &p, &s), TRM_ERR_RANGE);
    assert_contains(f.c.error.text, "parameter k: systems above and below it, and a width > 0");
    p = *f.parameter;
    p.below = NULL;
    assert_int_equal(create(&f, &p, &s), TRM_ERR_RANGE);
    // a system with one coordinate more
    model_case other;
    model_read(&other, MODEL_DOUBLE_PENDULUM);
    p = *f.parameter;
    p.above = other.system;
    p.initial_above = trm_instance_initial(other.instance);
    assert_int_equal(create(&f, &p, &s), TRM_ERR_SYSTEM);
    assert_contains(f.c.error.text, "parameter k changes the structure of the system");
    p = *f.parameter;
    p.derivative = other.system;
    assert_int_equal(create(&f, &p, &s), TRM_ERR_SYSTEM);
    assert_contains(f.c.error.text, "the derivatives by parameter k are a system of other sizes");
    model_close(&other);
    end(&f);
}

static void test_values_that_are_not_there_are_refused(void **state)
{
    (void)state;
    fixture f;
    trm_simulation *s;
    const trm_state *along;
    double zero = 0;
    begin(&f);
    assert_int_equal(create(&f, f.parameter, &s), TRM_OK);
    assert_int_equal(trm_simulation_sensitivity(s, 0, 1, &along), TRM_ERR_RANGE);
    assert_contains(trm_simulation_error(s)->text, "there is no parameter 1");
    assert_int_equal(trm_simulation_sensitivity(s, 5, 0, &along), TRM_ERR_RANGE);
    assert_int_equal(trm_simulation_run(s, 1), TRM_OK);
    assert_int_equal(trm_simulation_set_sensitivity(s, 0, &zero, &zero, NULL), TRM_ERR_RANGE);
    assert_contains(trm_simulation_error(s)->text, "after a restart only");
    trm_simulation_destroy(s);
    // a simulation without any
    assert_int_equal(trm_simulation_create(&s, trm_instance_system(f.c.instance), &f.options,
                                           trm_instance_initial(f.c.instance), &f.c.error),
                     TRM_OK);
    assert_int_equal(trm_simulation_sensitivity(s, 0, 0, &along), TRM_ERR_RANGE);
    assert_contains(trm_simulation_error(s)->text, "the simulation has no sensitivities");
    trm_simulation_destroy(s);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integrators_without_sensitivities_are_named),
        cmocka_unit_test(test_parameters_that_cannot_be_used_are_refused),
        cmocka_unit_test(test_values_that_are_not_there_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
