// SPDX-License-Identifier: Apache-2.0
// Models with other values of parameters: bit for bit those that the files give with --set.
#include "modelling/reader/model.h"
#include "models.h"

typedef struct variation_case {
    const char *file, *name[3];
    double value[2];
    const char *set[3]; // the same, as of --set
    double end;         // s of motion that are compared
} variation_case;

static const variation_case cases[] = {
    // other parameters, lengths, start values follow
    {"examples/slider-crank.yaml",
     {"r", "start"},
     {0.125, 0.7},
     {"parameters.r=0.125", "parameters.start=0.7"},
     0.2},
    // equations
    {"examples/slider-crank-equations.yaml", {"r"}, {0.125}, {"parameters.r=0.125"}, 0.2},
    // parts, some of them mirror images; a table, a file of a tyre
    {"examples/vehicles/iltis.yaml",
     {"h", "speed"},
     {0.58, 15},
     {"parameters.h=0.58", "parameters.speed=15"},
     0.02},
    {"examples/vehicles/saloon.yaml", {"R"}, {0.35}, {"parameters.R=0.35"}, 0.02},
    // uses of parts by lists, and a number without a short text
    {"examples/mechanisms/fan.yaml",
     {"rise"},
     {10.0 / 3},
     {"parameters.rise=3.3333333333333335"},
     0.05},
};

static trm_simulation *begin(const trm_model *model, trm_instance **instance)
{
    trm_error error;
    trm_simulation *s;
    assert_int_equal(trm_instance_create(instance, model, &error), TRM_OK);
    if (trm_simulation_create(&s, trm_instance_system(*instance), trm_model_options(model),
                              trm_instance_initial(*instance), &error) != TRM_OK)
        fail_msg("%s", error.text);
    return s;
}

static void compare_models(const trm_model *one, const trm_model *other, double end)
{
    trm_instance *instance[2];
    trm_simulation *s[2] = {begin(one, &instance[0]), begin(other, &instance[1])};
    const trm_state *state[2];
    for (int k = 0; k < 2; k++) {
        assert_true(trm_simulation_run(s[k], end) >= 0);
        state[k] = trm_simulation_state(s[k]);
    }
    const trm_system *y = trm_instance_system(instance[0]);
    assert_int_equal(y->n_q, trm_instance_system(instance[1])->n_q);
    assert_true(state[0]->t == state[1]->t);
    assert_memory_equal(state[0]->q, state[1]->q, (size_t)y->n_q * sizeof(double));
    assert_memory_equal(state[0]->v, state[1]->v, (size_t)y->n_q * sizeof(double));
    for (int k = 0; k < 2; k++) {
        trm_simulation_destroy(s[k]);
        trm_instance_destroy(instance[k]);
    }
}

static void load_to_vary(model_case *c, const char *file, const char *const *names)
{
    const trm_load load = {.report = model_collect,
                           .user = c,
                           .problem = trp_problem_open,
                           .library = model_allow,
                           .vary = names};
    memset(c, 0, sizeof *c);
    c->status = trm_model_load(&c->model, file, &load, &c->error);
}

static void test_variation_is_the_file_with_these_values(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const variation_case *v = &cases[k];
        model_case base, set;
        trm_model *varied[2];
        load_to_vary(&base, v->file, v->name);
        if (base.status != TRM_OK)
            fail_msg("%s", base.said);
        model_try(&set, NULL, v->file, v->set);
        for (int i = 0; i < 2; i++) // the first leaves nothing behind
            assert_int_equal(trm_model_vary(&varied[i], base.model, v->value, &base.error), TRM_OK);
        trm_model_destroy(base.model); // they are independent of it
        compare_models(varied[0], set.model, v->end);
        compare_models(varied[1], set.model, v->end);
        assert_true(varied[0]->hash == varied[1]->hash);
        trm_model_destroy(varied[0]);
        trm_model_destroy(varied[1]);
        trm_model_destroy(set.model);
    }
}

// the model that keeps its file is itself that of the file
static void test_variation_leaves_the_first_model(void **state)
{
    (void)state;
    model_case base, plain;
    load_to_vary(&base, "examples/slider-crank.yaml", (const char *const[]){"l", NULL});
    model_try(&plain, NULL, "examples/slider-crank.yaml", NULL);
    trm_model *other;
    assert_int_equal(trm_model_vary(&other, base.model, &(double){0.5}, NULL), TRM_OK);
    assert_true(base.model->hash == plain.model->hash);
    assert_true(base.model->hash != other->hash);
    compare_models(base.model, plain.model, 0.1);
    trm_model_destroy(other);
    trm_model_destroy(base.model);
    trm_model_destroy(plain.model);
}

static void test_variation_refuses_unknown_names(void **state)
{
    (void)state;
    model_case c;
    load_to_vary(&c, "examples/slider-crank.yaml", (const char *const[]){"torqe", NULL});
    assert_int_equal(c.status, TRM_ERR_MODEL);
    assert_null(c.model);
    assert_non_null(strstr(c.said, "slider-crank.yaml:8:1: error: there is no parameter 'torqe'; "
                                   "did you mean 'torque'?"));
}

static void test_variation_reports_values_without_a_model(void **state)
{
    (void)state;
    model_case c, plain;
    trm_model *other;
    trm_error error;
    load_to_vary(&c, "examples/slider-crank.yaml", (const char *const[]){"l", "m_rod", NULL});
    const double none[] = {0.4, NAN}, negative[] = {0.4, -1}, short_rod[] = {0.1, 0.3};
    assert_int_equal(trm_model_vary(&other, c.model, none, &error), TRM_ERR_RANGE);
    assert_string_equal(error.text, "parameter 'm_rod' is nan");
    assert_int_equal(trm_model_vary(&other, c.model, negative, &error), TRM_ERR_MODEL);
    assert_non_null(strstr(error.text, "mass"));
    // r = 0.15, l = 0.1: the crank of 60 degrees is too high for the rod, asin(1.3) has no value
    assert_int_equal(trm_model_vary(&other, c.model, short_rod, &error), TRM_ERR_MODEL);
    assert_null(other);
    model_try(&plain, NULL, "examples/slider-crank.yaml", NULL);
    assert_int_equal(trm_model_vary(&other, plain.model, none, &error), TRM_ERR_RANGE);
    assert_null(other);
    trm_model_destroy(c.model);
    trm_model_destroy(plain.model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_variation_is_the_file_with_these_values),
        cmocka_unit_test(test_variation_leaves_the_first_model),
        cmocka_unit_test(test_variation_refuses_unknown_names),
        cmocka_unit_test(test_variation_reports_values_without_a_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
