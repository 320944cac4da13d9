// SPDX-License-Identifier: Apache-2.0
// The option table: defaults, ranges, setting by name, messages.
#include "fail/fail.h"

#include <stdio.h>

// an option by name, as a number
static double value_of(const trm_options *o, const char *name)
{
#define READ(type, field, preset, least, greatest, unit, help)                                     \
    if (strcmp(name, #field) == 0)                                                                 \
        return (double)o->field;
    TRM_OPTION_LIST(READ)
#undef READ
    fail_msg("no field %s", name);
    return NAN;
}

static bool is_int(const trm_option_info *info)
{
    return strcmp(info->type, "int") == 0;
}

// trm_options_set must refuse this and change nothing
static void assert_not_set(const char *name, const char *text, const char *message)
{
    trm_options o = trm_options_default(), before = trm_options_default();
    trm_error error;
    trm_status status = trm_options_set(&o, name, text, &error);
    if (status != TRM_ERR_OPTION)
        fail_msg("%s = '%s' gives %s", name, text, trm_status_name(status));
    assert_int_equal(error.status, TRM_ERR_OPTION);
    assert_string_equal(error.text, message);
    for (int k = 0; trm_option(k); k++)
        assert_true(value_of(&o, trm_option(k)->name) == value_of(&before, trm_option(k)->name));
    assert_int_equal(trm_options_set(&o, name, text, NULL), TRM_ERR_OPTION);
}

// ---- table ----

static void test_options_default_passes_check(void **state)
{
    (void)state;
    trm_options o = trm_options_default();
    trm_error error;
    assert_status(trm_options_check(&o, &error), TRM_OK, &error);
    assert_int_equal(error.status, TRM_OK);
    assert_int_equal(trm_options_check(&o, NULL), TRM_OK);
    assert_null(o.progress);
    assert_null(o.log);
    assert_null(o.user);
    assert_true(!o.allocator.allocate && !o.allocator.release);
}

static void test_options_table_lists_every_field(void **state)
{
    (void)state;
    trm_options o = trm_options_default();
    int count = 0;
#define COUNT(type, field, preset, least, greatest, unit, help)                                    \
    assert_string_equal(trm_option(count++)->name, #field);
    TRM_OPTION_LIST(COUNT)
#undef COUNT
    assert_null(trm_option(count));
    assert_null(trm_option(-1));
    for (int k = 0; k < count; k++) {
        const trm_option_info *info = trm_option(k);
        assert_true(info->help[0] != '\0' && info->unit[0] != '\0' && info->type[0] != '\0');
        assert_true(info->least <= info->preset && info->preset <= info->greatest);
        assert_true(value_of(&o, info->name) == info->preset);
        int choices = 0;
        while (info->choices && info->choices[choices])
            choices++;
        if (choices > 0) // the range of an enumeration is that of its list
            assert_true(info->least == 0 && info->greatest == choices - 1);
        else
            assert_true(is_int(info) || strcmp(info->type, "double") == 0);
    }
}

static void test_options_choices_are_those_of_the_lists(void **state)
{
    (void)state;
    const struct {
        const char *option, *key;
        int value;
    } all[] = {
#define FORMULATION(name, value, key, help) {"formulation", key, name},
#define CONTROL(name, value, key, help) {"control", key, name},
#define SOLVER(name, value, key, help) {"linear_solver", key, name},
#define START(name, value, key, help) {"start", key, name},
#define ERROR_TEST(name, value, key, help) {"error_test", key, name},
        TRM_FORMULATION_LIST(FORMULATION) TRM_CONTROL_LIST(CONTROL) TRM_SOLVER_LIST(SOLVER)
            TRM_START_LIST(START) TRM_ERROR_TEST_LIST(ERROR_TEST)};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        trm_options o = trm_options_default();
        trm_error error;
        assert_status(trm_options_set(&o, all[k].option, all[k].key, &error), TRM_OK, &error);
        assert_int_equal(value_of(&o, all[k].option), all[k].value);
    }
}

// ---- set ----

// orders and parameters are those of single integrators
static void assert_goes_with_some_integrator(const trm_options *options)
{
    trm_options o = *options;
    bool goes = false;
    for (int i = 0; i <= TRM_CHOICE_MAX(TRM_INTEGRATOR_LIST); i++)
        for (int p = 0; p <= TRM_CHOICE_MAX(TRM_ALPHA_PARAMETERS_LIST); p++) {
            o.integrator = (trm_integrator)i;
            o.alpha_parameters = (trm_alpha_parameters)p;
            goes = goes || trm_options_check(&o, NULL) == TRM_OK;
        }
    assert_true(goes);
}

static void test_options_set_reaches_both_ends_of_every_range(void **state)
{
    (void)state;
    for (int k = 0; trm_option(k); k++) {
        const trm_option_info *info = trm_option(k);
        for (int end = 0; end < 2 && !info->choices; end++) {
            trm_options o = trm_options_default();
            trm_error error;
            char text[40];
            double value = end ? info->greatest : info->least;
            snprintf(text, sizeof text, "%.17g", value); // "inf" where there is no limit
            assert_status(trm_options_set(&o, info->name, text, &error), TRM_OK, &error);
            assert_true(value_of(&o, info->name) == value);
            assert_goes_with_some_integrator(&o);
        }
    }
}

static void test_options_set_changes_only_its_field(void **state)
{
    (void)state;
    trm_options o = trm_options_default(), preset = trm_options_default();
    assert_int_equal(trm_options_set(&o, "atol", "1e-5", NULL), TRM_OK);
    assert_true(o.atol == 1e-5);
    for (int k = 0; trm_option(k); k++)
        if (strcmp(trm_option(k)->name, "atol") != 0)
            assert_true(value_of(&o, trm_option(k)->name) ==
                        value_of(&preset, trm_option(k)->name));
}

static void test_options_set_outside_range_is_named(void **state)
{
    (void)state;
    assert_not_set("rtol", "1", "rtol = '1' is not a number in [1e-13, 0.1]");
    assert_not_set("rtol", "0", "rtol = '0' is not a number in [1e-13, 0.1]");
    assert_not_set("atol", "-1e-6", "atol = '-1e-6' is not a number in [1e-16, 1e+06]");
    assert_not_set("max_order", "14", "max_order = '14' is not a whole number in [0, 13]");
    assert_not_set("max_steps", "3e9", "max_steps = '3e9' is not a whole number in [1, 2e+09]");
    assert_not_set("h_max", "0", "h_max = '0' is not a number in [1e-300, inf]");
}

static void test_options_set_nonsense_is_refused(void **state)
{
    (void)state;
    const char *const nonsense[] = {"", "abc", "1e-6x", "1e-6 1e-7", "nan", "-", "1,5", "cs", "."};
    for (int k = 0; trm_option(k); k++) {
        const trm_option_info *info = trm_option(k);
        for (size_t n = 0; n < sizeof nonsense / sizeof *nonsense; n++) {
            trm_options o = trm_options_default();
            trm_error error;
            if (strcmp(info->name, "formulation") == 0 && strcmp(nonsense[n], "cs") == 0)
                continue;
            if (trm_options_set(&o, info->name, nonsense[n], &error) != TRM_ERR_OPTION)
                fail_msg("%s = '%s' is accepted", info->name, nonsense[n]);
            assert_string_equal(error.item, info->name);
            assert_contains(error.text, info->name);
        }
        if (is_int(info)) {
            trm_options o = trm_options_default();
            assert_int_equal(trm_options_set(&o, info->name, "1.5", NULL), TRM_ERR_OPTION);
        }
    }
}

static void test_options_set_unknown_choice_lists_choices(void **state)
{
    (void)state;
    trm_options o = trm_options_default();
    trm_error error;
    assert_int_equal(trm_options_set(&o, "formulation", "cz", &error), TRM_ERR_OPTION);
    assert_string_equal(error.text, "formulation cannot be 'cz'");
    assert_string_equal(error.item, "formulation");
    assert_string_equal(error.advice,
                        "one of cs, cm, cm-frozen, ggl, ggl-star, index1-projected, index1, "
                        "index2, index3, baumgarte, ggl-untested");
    assert_int_equal(trm_options_set(&o, "error_test", "CS", &error), TRM_ERR_OPTION);
    assert_string_equal(error.advice, "one of auto, q, qv, independent, independent-qv, kappa");
    // numbers are not names of choices
    assert_int_equal(trm_options_set(&o, "start", "1", &error), TRM_ERR_OPTION);
}

static void test_options_set_unknown_name_is_named(void **state)
{
    (void)state;
    assert_not_set("rtoll", "1e-6", "there is no option 'rtoll'");
    assert_not_set("", "1e-6", "there is no option ''");
    assert_not_set("cookie", "1", "there is no option 'cookie'");
    assert_not_set("RTOL", "1e-6", "there is no option 'RTOL'");
}

static void test_options_set_long_text_is_cut(void **state)
{
    (void)state;
    char much[2000];
    memset(much, 'y', sizeof much - 1);
    much[sizeof much - 1] = '\0';
    trm_options o = trm_options_default();
    trm_error error;
    assert_int_equal(trm_options_set(&o, much, "1", &error), TRM_ERR_OPTION);
    assert_true(strlen(error.text) < 100);
    assert_int_equal(trm_options_set(&o, "start", much, &error), TRM_ERR_OPTION);
    assert_contains(error.text, "start cannot be 'yyy");
    assert_int_equal(trm_options_set(&o, "rtol", much, &error), TRM_ERR_OPTION);
    assert_contains(error.text, "is not a number in [1e-13, 0.1]");
}

// ---- check ----

static void assert_check_names(const trm_options *o, const char *name)
{
    trm_error error;
    trm_status status = trm_options_check(o, &error);
    if (status != TRM_ERR_OPTION)
        fail_msg("%s = %g passes", name, value_of(o, name));
    assert_string_equal(error.item, name);
    assert_contains(error.text, name);
    assert_contains(error.text, "is outside [");
    assert_int_equal(trm_options_check(o, NULL), TRM_ERR_OPTION);
}

static void test_options_check_every_range_is_watched(void **state)
{
    (void)state;
    trm_options o;
// whole numbers just outside; (int) because an enumeration may be unsigned
#define BEYOND(type, field, preset, least, greatest, unit, help)                                   \
    o = trm_options_default();                                                                     \
    o.field = (type)(int)(least - 1.0);                                                            \
    assert_check_names(&o, #field);                                                                \
    if ((double)(greatest) < HUGE_VAL) {                                                           \
        o = trm_options_default();                                                                 \
        o.field = (type)(int)((double)(greatest) < HUGE_VAL ? (double)(greatest) + 1 : 0);         \
        assert_check_names(&o, #field);                                                            \
    }
    TRM_OPTION_LIST(BEYOND)
#undef BEYOND
}

static void test_options_check_nan_is_outside_every_range(void **state)
{
    (void)state;
    double *fields[24];
    trm_options o = trm_options_default();
    int count = 0;
#define FIELD_double(field) fields[count++] = &o.field;
#define FIELD_int(field)
#define FIELD_trm_integrator(field)
#define FIELD_trm_projection_norm(field)
#define FIELD_trm_projection_method(field)
#define FIELD_trm_projection_estimate(field)
#define FIELD_trm_jacobian_source(field)
#define FIELD_trm_jacobian_update(field)
#define FIELD_trm_increments(field)
#define FIELD_trm_formulation(field)
#define FIELD_trm_control(field)
#define FIELD_trm_solver(field)
#define FIELD_trm_start(field)
#define FIELD_trm_error_test(field)
#define FIELD_trm_annihilator(field)
#define FIELD_trm_jacobian_pattern(field)
#define FIELD_trm_alpha_parameters(field)
#define FIELD(type, field, preset, least, greatest, unit, help) FIELD_##type(field)
    TRM_OPTION_LIST(FIELD)
    for (int k = 0; k < count; k++) {
        double before = *fields[k];
        *fields[k] = NAN;
        assert_int_equal(trm_options_check(&o, NULL), TRM_ERR_OPTION);
        *fields[k] = before;
    }
    assert_int_equal(trm_options_check(&o, NULL), TRM_OK);
}

static void test_options_check_message_has_value_and_range(void **state)
{
    (void)state;
    trm_options o = trm_options_default();
    trm_error error;
    o.rtol = 0.5;
    trm_options_check(&o, &error);
    assert_string_equal(error.text, "rtol = 0.5 is outside [1e-13, 0.1]");
    o = trm_options_default();
    o.max_order = -1;
    trm_options_check(&o, &error);
    assert_string_equal(error.text, "max_order = -1 is outside [0, 13]");
    o = trm_options_default();
    o.h_min = 2;
    o.h_max = 1;
    assert_int_equal(trm_options_check(&o, &error), TRM_ERR_OPTION);
    assert_string_equal(error.text, "h_min = 2 exceeds h_max = 1");
}

static void test_options_check_orders_are_those_of_the_integrator(void **state)
{
    (void)state;
    // least and greatest order of each method (docs/integrators.md), 0: any
    static const int orders[][2] = {[TRM_INTEGRATOR_BDF] = {1, 6},
                                    [TRM_INTEGRATOR_ADAMS] = {1, 10},
                                    [TRM_INTEGRATOR_EXPLICIT] = {1, 13},
                                    [TRM_INTEGRATOR_RADAU] = {5, 5},
                                    [TRM_INTEGRATOR_NEWMARK] = {2, 2},
                                    [TRM_INTEGRATOR_HHT] = {2, 2},
                                    [TRM_INTEGRATOR_GENERALIZED_ALPHA] = {2, 2},
                                    [TRM_INTEGRATOR_RADAU_ADAPTIVE] = {5, 13},
                                    [TRM_INTEGRATOR_AUTO] = {1, 6}};
    for (int i = 0; i <= TRM_CHOICE_MAX(TRM_INTEGRATOR_LIST); i++)
        for (int k = 0; k <= 13; k++) {
            trm_options o = trm_options_default();
            trm_error error;
            o.integrator = (trm_integrator)i;
            o.max_order = k;
            bool goes = k == 0 || (k >= orders[i][0] && k <= orders[i][1]);
            assert_int_equal(trm_options_check(&o, &error), goes ? TRM_OK : TRM_ERR_OPTION);
            assert_true(goes || strstr(error.text, "does not go with integrator"));
            assert_true(goes || strcmp(error.item, "max_order") == 0);
        }
}

static void test_options_of_another_size_are_refused(void **state)
{
    (void)state;
    struct {
        trm_options options;
        double more;
    } o = {.more = 1};
    trm_error error;
    trm_options_init(&o.options, sizeof o.options - 8); // of an older version
    assert_int_equal(trm_options_check(&o.options, &error), TRM_ERR_OPTION);
    assert_non_null(strstr(error.text, "bytes, those of this version of the library"));
    trm_options_init(&o.options, sizeof o); // of a newer one
    assert_true(o.more == 0);
    assert_int_equal(trm_options_check(&o.options, &error), TRM_ERR_OPTION);
    trm_options_init(&o.options, sizeof o.options);
    assert_int_equal(trm_options_check(&o.options, &error), TRM_OK);
}

static void test_options_check_wants_the_cookie(void **state)
{
    (void)state;
    trm_options o = trm_options_default();
    trm_error error;
    o.cookie ^= 1u << 20;
    assert_int_equal(trm_options_check(&o, &error), TRM_ERR_OPTION);
    assert_string_equal(error.text, "the options were not initialised");
    assert_string_equal(error.advice, "start from trm_options_default()");
    assert_int_equal(trm_options_check(NULL, &error), TRM_ERR_OPTION);
    assert_int_equal(trm_options_check(&(trm_options){0}, NULL), TRM_ERR_OPTION);
}

static void test_options_check_cm_frozen_needs_classic(void **state)
{
    (void)state;
    trm_options o = trm_options_default();
    trm_error error;
    o.formulation = TRM_FORMULATION_CM_FROZEN;
    assert_int_equal(trm_options_check(&o, &error), TRM_ERR_OPTION);
    assert_contains(error.text, "cm-frozen");
    assert_contains(error.advice, "control = classic");
    o.control = TRM_CONTROL_CLASSIC;
    assert_status(trm_options_check(&o, &error), TRM_OK, &error);
    assert_int_equal(error.status, TRM_OK); // nothing of the failure before is left
    assert_string_equal(error.text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options_default_passes_check),
        cmocka_unit_test(test_options_table_lists_every_field),
        cmocka_unit_test(test_options_choices_are_those_of_the_lists),
        cmocka_unit_test(test_options_set_reaches_both_ends_of_every_range),
        cmocka_unit_test(test_options_set_changes_only_its_field),
        cmocka_unit_test(test_options_set_outside_range_is_named),
        cmocka_unit_test(test_options_set_nonsense_is_refused),
        cmocka_unit_test(test_options_set_unknown_choice_lists_choices),
        cmocka_unit_test(test_options_set_unknown_name_is_named),
        cmocka_unit_test(test_options_set_long_text_is_cut),
        cmocka_unit_test(test_options_check_every_range_is_watched),
        cmocka_unit_test(test_options_check_nan_is_outside_every_range),
        cmocka_unit_test(test_options_check_message_has_value_and_range),
        cmocka_unit_test(test_options_check_wants_the_cookie),
        cmocka_unit_test(test_options_check_orders_are_those_of_the_integrator),
        cmocka_unit_test(test_options_of_another_size_are_refused),
        cmocka_unit_test(test_options_check_cm_frozen_needs_classic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
