// SPDX-License-Identifier: Apache-2.0
// Forces from shared objects in model files.
#include "modelling/reader/model.h"
#include "unit/parameters.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static int allow(const char *path, void *user)
{
    *(int *)user += strstr(path, LIBRARIES) != NULL;
    return 1;
}

static trm_status read_with(trm_model **model, const char *library, const char *name,
                            const trm_load *load, trm_error *error)
{
    char text[600];
    snprintf(text, sizeof text,
             "trammel: 1\n"
             "mechanism:\n"
             "  gravity: [0, 0, 0]\n"
             "  bodies: {cart: {mass: 4, center: [0, 0, 0], inertia: [1, 1, 1]}}\n"
             "  joints: {rail: {prismatic: {between: [ground, cart], at: [0, 0, 0], axis: x}}}\n"
             "  forces:\n"
             "    back: {user: {between: [ground, cart], at: [0, 0, 0], library: %s, name: %s}}\n"
             "simulate: {end: 1}\n",
             library, name);
    return trm_model_read(model, text, strlen(text), LIBRARIES "/m.yaml", load, error);
}

static void test_user_force_is_loaded(void **state)
{
    (void)state;
    trm_model *model;
    trm_error error = {0};
    int asked = 0;
    const trm_load load = {.library = allow, .user = &asked};
    if (read_with(&model, "pull.so", "pull", &load, &error) != TRM_OK)
        fail_msg("%s", error.text);
    assert_int_equal(asked, 1);
    const trmi_mechanism *m = model->mechanism;
    const trm_user_force *user = *(trm_user_force *const *)parameter_of(m->force[0], "library");
    const double p[6] = {0.5}, v[6] = {0};
    double F[6];
    assert_int_equal(user->force(0, p, v, F, NULL, NULL, NULL), 0);
    assert_true(F[0] == -50 && F[1] == 0); // -100/2
    trm_model_destroy(model);
}

static void assert_refused(const char *library, const char *name, const char *expected)
{
    trm_model *model;
    trm_error error = {0};
    int asked = 0;
    const trm_load load = {.library = allow, .user = &asked};
    assert_int_equal(read_with(&model, library, name, &load, &error), TRM_ERR_MODEL);
    assert_null(model);
    if (!strstr(error.text, expected))
        fail_msg("\"%s\" instead of \"%s\"", error.text, expected);
}

// a library is code: without a function that allows it none is loaded
static void test_user_force_without_permission_is_refused(void **state)
{
    (void)state;
    trm_model *model;
    trm_error error = {0};
    const trm_load load = {0}, *const loads[] = {NULL, &load};
    for (int k = 0; k < 2; k++) {
        assert_int_equal(read_with(&model, "pull.so", "pull", loads[k], &error), TRM_ERR_MODEL);
        assert_non_null(strstr(error.text, "is code that would run with your rights"));
    }
}

static void test_user_force_that_is_wrong_is_refused(void **state)
{
    (void)state;
    assert_refused("nowhere.so", "pull", "cannot load the library: ");
    assert_refused("pull.so", "push", "the library does not export push");
    assert_refused("pull.so", "refuse", "refuse: there is no force today");
    assert_refused("pull.so", "old", "old: trm_user_force has ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_user_force_is_loaded),
        cmocka_unit_test(test_user_force_without_permission_is_refused),
        cmocka_unit_test(test_user_force_that_is_wrong_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
