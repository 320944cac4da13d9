// SPDX-License-Identifier: Apache-2.0
// Every function of the public interface with NULL where it takes a pointer: a status with the name
// of the argument, or nothing, never a crash.
#include "fail/ball.h"
#include "fail/fail.h"
#include "trammel/trammel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct fixture {
    trm_model *model;
    trm_instance *instance;
    trm_simulation *simulation;
    trm_error error;
} fixture;

static void begin(fixture *f)
{
    memset(f, 0, sizeof *f);
    assert_int_equal(trm_model_read(&f->model, text, strlen(text), NULL, NULL, &f->error), TRM_OK);
    assert_int_equal(trm_instance_create(&f->instance, f->model, &f->error), TRM_OK);
    assert_int_equal(trm_simulation_create(&f->simulation, trm_instance_system(f->instance),
                                           trm_model_options(f->model),
                                           trm_instance_initial(f->instance), &f->error),
                     TRM_OK);
}

static void end(fixture *f)
{
    trm_simulation_destroy(f->simulation);
    trm_instance_destroy(f->instance);
    trm_model_destroy(f->model);
}

// the status, and both names in the text
static void assert_named(trm_status status, const trm_error *error, const char *function,
                         const char *argument)
{
    char wanted[200];
    snprintf(wanted, sizeof wanted, "the argument '%s' of %s is NULL", argument, function);
    assert_int_equal(status, TRM_ERR_ARGUMENT);
    assert_string_equal(error->text, wanted);
    assert_string_equal(error->item, argument);
    assert_int_equal(error->status, TRM_ERR_ARGUMENT);
}

static void test_null_of_functions_with_an_error_is_named(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    trm_error e = {0};
    trm_simulation *s = NULL;
    trm_model *m = NULL;
    trm_instance *i = NULL;
    trm_modes *modes = NULL;
    trm_equilibrium *q = NULL;
    trm_options o = trm_options_default();
    const trm_system *system = trm_instance_system(f.instance);
    const trm_initial *at = trm_instance_initial(f.instance);
    const trm_state *now = trm_simulation_state(f.simulation);
#define NAMED(function, argument, ...) assert_named(function(__VA_ARGS__), &e, #function, argument)
    NAMED(trm_simulation_create, "out", NULL, system, &o, at, &e);
    NAMED(trm_simulation_create, "system", &s, NULL, &o, at, &e);
    NAMED(trm_model_load, "out", NULL, "x.yaml", NULL, &e);
    NAMED(trm_model_load, "path", &m, NULL, NULL, &e);
    NAMED(trm_model_read, "out", NULL, text, sizeof text, "x", NULL, &e);
    NAMED(trm_model_read, "text", &m, NULL, 10, "x", NULL, &e);
    NAMED(trm_model_read, "text", &m, NULL, 0, "x", NULL, &e);
    NAMED(trm_model_vary, "out", NULL, f.model, (double[]){1}, &e);
    NAMED(trm_model_vary, "model", &m, NULL, (double[]){1}, &e);
    NAMED(trm_model_vary, "values", &m, f.model, NULL, &e);
    trm_neighbours *n = NULL;
    const trm_parameter p = {.name = "m"};
    NAMED(trm_simulation_create_sensitive, "out", NULL, system, &o, at, &p, 1, &e);
    NAMED(trm_simulation_create_sensitive, "system", &s, NULL, &o, at, &p, 1, &e);
    NAMED(trm_simulation_create_sensitive, "parameters", &s, system, &o, at, NULL, 1, &e);
    NAMED(trm_neighbours_create, "out", NULL, f.model, NULL, &e);
    NAMED(trm_neighbours_create, "model", &n, NULL, NULL, &e);
    NAMED(trm_instance_create, "out", NULL, f.model, &e);
    NAMED(trm_instance_create, "model", &i, NULL, &e);
    NAMED(trm_modes_create_near, "out", NULL, system, &o, at, 0, 0, &e);
    NAMED(trm_modes_create_near, "system", &modes, NULL, &o, at, 0, 0, &e);
    NAMED(trm_equilibrium_create_trimmed, "out", NULL, system, &o, at, NULL, &e);
    NAMED(trm_equilibrium_create_trimmed, "system", &q, NULL, &o, at, NULL, &e);
    NAMED(trm_options_set, "options", NULL, "rtol", "1", &e);
    NAMED(trm_options_set, "name", &o, NULL, "1", &e);
    NAMED(trm_options_set, "value", &o, "rtol", NULL, &e);
    NAMED(trm_system_validate, "system", NULL, &e);
    NAMED(trm_system_check_derivatives, "system", NULL, now, 1e-6, NULL, &e);
    NAMED(trm_system_check_derivatives, "state", system, NULL, 1e-6, NULL, &e);
    trm_verify *v = NULL;
    trm_verify_report report;
    const trm_verify_group group = {.name = "positions"};
    const int group_of = 0;
    NAMED(trm_verify_create, "out", NULL, &group, 1, &group_of, 1, &o, &e);
    NAMED(trm_verify_create, "group", &v, NULL, 1, &group_of, 1, &o, &e);
    NAMED(trm_verify_create, "group_of", &v, &group, 1, NULL, 1, &o, &e);
    NAMED(trm_verify_create, "options", &v, &group, 1, &group_of, 1, NULL, &e);
    NAMED(trm_verify_judge, "verify", NULL, NULL, &report, &e);
    NAMED(trm_verify_run, "simulation", NULL, f.simulation, 1, 10, &report, &e);
    NAMED(trm_verify_run, "companion", f.simulation, NULL, 1, 10, &report, &e);
    assert_int_equal(trm_verify_create(&v, &group, 1, &group_of, 1, &o, &e), TRM_OK);
    NAMED(trm_verify_judge, "report", v, NULL, NULL, &e);
    assert_int_equal(trm_verify_add(v, 0, NULL, &o.rtol), TRM_ERR_ARGUMENT);
    assert_int_equal(trm_verify_add(v, 0, &o.rtol, NULL), TRM_OK); // a row that is not compared
    assert_true(isnan(trm_verify_group_error(v, NULL)));
    assert_int_equal(trm_verify_row(v, 0, NULL), 0);
    trm_verify_destroy(v);
#undef NAMED
    // these call the functions above, which are named
    assert_int_equal(trm_equilibrium_create(NULL, system, &o, at, &e), TRM_ERR_ARGUMENT);
    assert_int_equal(trm_equilibrium_create(&q, NULL, &o, at, &e), TRM_ERR_ARGUMENT);
    assert_int_equal(trm_modes_create(NULL, system, &o, at, 0, &e), TRM_ERR_ARGUMENT);
    assert_int_equal(trm_modes_create(&modes, NULL, &o, at, 0, &e), TRM_ERR_ARGUMENT);
    assert_int_equal(trm_simulation_method(f.simulation, 0, NULL), 0);
    assert_null(s);
    assert_null(m);
    // the error itself may be NULL
    assert_int_equal(trm_simulation_create(NULL, NULL, NULL, NULL, NULL), TRM_ERR_ARGUMENT);
    assert_int_equal(trm_model_load(NULL, NULL, NULL, NULL), TRM_ERR_ARGUMENT);
    assert_int_equal(trm_options_check(NULL, NULL), TRM_ERR_OPTION);
    end(&f);
}

static void test_null_simulation_is_refused(void **state)
{
    (void)state;
    double value;
    const trm_state *sample;
    assert_int_equal(trm_simulation_run(NULL, 1), TRM_ERR_ARGUMENT);
    assert_int_equal(trm_simulation_step(NULL, 1, &value), TRM_ERR_ARGUMENT);
    assert_int_equal(trm_simulation_trust(NULL), TRM_ERR_ARGUMENT);
    assert_int_equal(trm_simulation_watch(NULL, NULL), TRM_ERR_ARGUMENT);
    assert_int_equal(trm_simulation_restart(NULL, NULL), TRM_ERR_ARGUMENT);
    assert_int_equal(trm_simulation_load(NULL, "", 0), TRM_ERR_ARGUMENT);
    assert_int_equal(trm_simulation_sample(NULL, 0, &sample), TRM_ERR_ARGUMENT);
    assert_int_equal(trm_simulation_accelerations(NULL, NULL, NULL), TRM_ERR_ARGUMENT);
    assert_int_equal(trm_simulation_interpolate(NULL, 0, NULL, NULL, NULL, NULL, NULL),
                     TRM_ERR_ARGUMENT);
    const trm_error *error = trm_simulation_error(NULL);
    assert_int_equal(error->status, TRM_ERR_ARGUMENT);
    assert_string_equal(error->text, "the argument 'simulation' is NULL");
    assert_null(trm_simulation_state(NULL));
    assert_null(trm_simulation_statistics(NULL));
    assert_null(trm_simulation_start(NULL));
    assert_true(isnan(trm_simulation_energy(NULL)));
    assert_true(trm_simulation_defect(NULL, 1) == 0);
    assert_int_equal(trm_simulation_keep(NULL), TRM_ERR_ARGUMENT);
    assert_int_equal(trm_simulation_contradicts(NULL, 1), 0);
    assert_int_equal(trm_simulation_repeat(NULL, 1, 1, NULL), TRM_ERR_ARGUMENT);
    assert_true(trm_simulation_next_step(NULL) == 0);
    assert_int_equal(trm_simulation_save(NULL, NULL, 0), 0);
    assert_int_equal(trm_simulation_fired(NULL, 0), 0);
    assert_int_equal(trm_simulation_row_redundant(NULL, 0), 0);
    assert_int_equal(trm_simulation_row_follows(NULL, 0), -1);
    assert_int_equal(trm_simulation_row_unique(NULL, 0), 0);
    trm_method_share share;
    assert_int_equal(trm_simulation_method(NULL, 0, &share), 0);
    assert_int_equal(trm_simulation_sensitivity(NULL, 0, 0, &sample), TRM_ERR_ARGUMENT);
    assert_null(trm_model_varied(NULL, 0, &value));
    assert_null(trm_neighbours_parameters(NULL, NULL));
    const trm_state none = {0};
    assert_int_equal(trm_neighbours_outputs(NULL, 0, NULL, &none, &none, &value), TRM_ERR_ARGUMENT);
    assert_int_equal(trm_neighbours_event(NULL, NULL, NULL, 0), TRM_ERR_ARGUMENT);
    assert_int_equal(trm_neighbours_attach(NULL, NULL), TRM_ERR_ARGUMENT);
    assert_int_equal(trm_simulation_set_sensitivity(NULL, 0, &value, &value, NULL),
                     TRM_ERR_ARGUMENT);
    trm_neighbours_destroy(NULL);
    trm_simulation_destroy(NULL);
}

static void test_null_of_a_simulation_is_named_in_its_error(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    const trm_error *error = trm_simulation_error(f.simulation);
    assert_named(trm_simulation_sample(f.simulation, 0, NULL), error, "trm_simulation_sample",
                 "out");
    assert_named(trm_simulation_load(f.simulation, NULL, 10), error, "trm_simulation_load",
                 "buffer");
    assert_int_equal(trm_simulation_run(f.simulation, 0.1), TRM_OK); // it goes on
    end(&f);
}

static void test_null_of_models_is_refused(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    double value;
    const double *values;
    size_t length = 1;
    assert_string_equal(trm_model_name(NULL), "");
    assert_null(trm_model_text(NULL, &length));
    assert_int_equal(length, 0);
    assert_null(trm_model_options(NULL));
    assert_null(trm_model_schedule(NULL));
    assert_null(trm_model_trim(NULL));
    assert_int_equal(trm_model_count(NULL, TRM_CHANNEL_POSITION), 0);
    assert_null(trm_model_channel(NULL, TRM_CHANNEL_POSITION, 0));
    trm_model_unit(NULL, TRM_CHANNEL_POSITION, 0);
    assert_int_equal(trm_model_event_action(NULL, 0), TRM_EVENT_LOG);
    assert_string_equal(trm_model_event_text(NULL, 0), "");
    assert_null(trm_instance_system(NULL));
    assert_null(trm_instance_initial(NULL));
    assert_null(trm_instance_events(NULL));
    assert_int_equal(trm_instance_parameters(NULL, &values), 0);
    assert_int_equal(trm_instance_parameters(f.instance, NULL), 0);
    assert_int_equal(trm_model_inputs(NULL), 0);
    assert_null(trm_model_input(NULL, 0));
    assert_int_not_equal(trm_instance_set_input(NULL, NULL, 0, 0, 0), TRM_OK);
    trm_instance_set_parameters(NULL, NULL);
    trm_instance_set_parameters(f.instance, NULL);
    assert_int_equal(trm_instance_outputs(NULL, NULL, NULL), TRM_ERR_ARGUMENT);
    assert_int_equal(trm_instance_outputs(f.instance, NULL, &value), TRM_ERR_ARGUMENT);
    assert_int_equal(trm_instance_outputs(f.instance, trm_simulation_state(f.simulation), NULL),
                     TRM_ERR_ARGUMENT);
    assert_int_equal(trm_instance_event(f.instance, NULL, 0), TRM_ERR_ARGUMENT);
    assert_int_equal(trm_instance_event(NULL, f.simulation, 0), TRM_ERR_ARGUMENT);
    trm_model_destroy(NULL);
    trm_instance_destroy(NULL);
    end(&f);
}

static void test_null_of_the_rest_does_nothing(void **state)
{
    (void)state;
    char buffer[8] = "before";
    int rows = 1, columns = 1;
    trm_options o = trm_options_default();
    const trm_system none = {0};
    assert_null(trm_modes_get(NULL, 0));
    assert_int_equal(trm_modes_count(NULL), 0);
    assert_null(trm_modes_get_report(NULL));
    assert_null(trm_equilibrium_state(NULL));
    assert_null(trm_equilibrium_get_report(NULL));
    assert_null(trm_equilibrium_direction(NULL, 0));
    assert_true(isnan(trm_options_get(NULL, "rtol")));
    assert_true(isnan(trm_options_get(&o, NULL)));
    trm_options_init(NULL, sizeof o);
    assert_int_equal(trm_error_format(NULL, buffer, sizeof buffer), 0);
    assert_string_equal(buffer, "");
    assert_int_equal(trm_error_format(NULL, NULL, 0), 0);
    assert_int_equal(trm_diagnostic_format(NULL, NULL, 0), 0);
    trm_system_shape(NULL, TRM_QUANTITY_MASS, &rows, &columns);
    assert_true(rows == 0 && columns == 0);
    trm_system_shape(&none, TRM_QUANTITY_MASS, NULL, NULL);
    assert_string_equal(trm_coordinate_name(NULL, 0, buffer, sizeof buffer), "");
    assert_string_equal(trm_row_name(NULL, 0, buffer, sizeof buffer), "");
    trm_pattern_list(NULL, &rows, &columns);
    assert_true(trm_equilibrium_holding_force(NULL, 0) == 0);
    assert_true(trm_verify_companion(NULL, 1).rtol > 0);
    trm_verify_neighbour(NULL, 1, 1, &o.rtol);
    trm_verify_neighbour(&o, 1, 1, NULL);
    assert_int_equal(trm_verify_add(NULL, 0, &o.rtol, &o.rtol), TRM_ERR_ARGUMENT);
    assert_true(isnan(trm_verify_error(NULL, 0)));
    assert_true(isnan(trm_verify_relative_error(NULL, 0)));
    assert_true(isnan(trm_verify_motion(NULL, 0)));
    assert_true(isnan(trm_verify_group_error(NULL, "positions")));
    assert_int_equal(trm_verify_row(NULL, 0, &o.rtol), 0);
    trm_verify_destroy(NULL);
    trm_modes_destroy(NULL);
    trm_equilibrium_destroy(NULL);
}

// Every exported function stands in this file, or takes no pointer.
static void test_null_no_function_is_left_out(void **state)
{
    (void)state;
    static const char *const without[] = {"trm_option",      "trm_options_default",
                                          "trm_status_name", "trm_status_text",
                                          "trm_version",     "trm_quantity_name"};
    static char own[100000];
    char name[200];
    FILE *file = fopen("tests/fail/test_null_arguments.c", "r");
    assert_non_null(file);
    size_t length = fread(own, 1, sizeof own - 1, file);
    fclose(file);
    assert_in_range(length, 1000, sizeof own - 2);
    file = fopen("tests/api/symbols.txt", "r");
    assert_non_null(file);
    int functions = 0;
    for (; fscanf(file, "%199s", name) == 1; functions++) {
        bool named = false;
        for (size_t k = 0; k < sizeof without / sizeof *without; k++)
            named = named || strcmp(name, without[k]) == 0;
        strcat(name, "(");
        named = named || strstr(own, name);
        name[strlen(name) - 1] = ','; // an argument of NAMED
        if (!named && !strstr(own, name))
            fail_msg("%s is not tested with NULL", name);
    }
    fclose(file);
    assert_true(functions > 80);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_null_of_functions_with_an_error_is_named),
        cmocka_unit_test(test_null_simulation_is_refused),
        cmocka_unit_test(test_null_of_a_simulation_is_named_in_its_error),
        cmocka_unit_test(test_null_of_models_is_refused),
        cmocka_unit_test(test_null_of_the_rest_does_nothing),
        cmocka_unit_test(test_null_no_function_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
