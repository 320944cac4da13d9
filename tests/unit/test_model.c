// SPDX-License-Identifier: Apache-2.0
// Models from files: the same numbers as the problems written in C, options, schedules, initial
// values, units, problems by name and from shared objects, events.
#include "modelling/reader/model.h"
#include "models.h"
#include "problems/problems.h"

// ---- equal to the problems in C ----

typedef struct twin {
    const char *file, *problem;
    double noise; // of the states that are compared
    double sign;  // of the constraints in the file relative to those in C
} twin;

static const twin twins[] = {
    {"examples/andrews.yaml", "andrews", 0.5, 1},
    {"examples/car-axis.yaml", "car-axis", 0.2, -1},
    {"examples/slider-crank-sundials.yaml", "slider-crank", 0.3, 1},
    {"examples/pendulum.yaml", "pendulum", 0.5, 1},
    {"experiments/models/bushing.yaml", "bushing", 0.3, 1},
    {"experiments/models/linear-oscillator.yaml", "linear-oscillator", 0.3, 1},
    {"experiments/models/normal-stiff.yaml", "normal-stiff", 0.3, 1},
    {"experiments/models/rotation.yaml", "rotation", 0.3, 1},
    {"experiments/models/spring-pendulum.yaml", "spring-pendulum", 0.3, 1},
};

// 1e-12 of the largest entry: some hundred operations, differences of lengths of order 1
static void compare_quantity(const twin *pair, const trm_system *file, const trm_system *problem,
                             trm_quantity quantity, const model_point *p)
{
    int rows, columns;
    trm_system_shape(problem, quantity, &rows, &columns);
    double *is = model_dense(file, quantity, p), *should = model_dense(problem, quantity, p);
    const uint64_t signed_ones = TRM_BIT(CONSTRAINT) | TRM_BIT(CONSTRAINT_Q) |
                                 TRM_BIT(CONSTRAINT_T) | TRM_BIT(GAMMA) | TRM_BIT(VELOCITY_Q) |
                                 TRM_BIT(GEOMETRIC);
    const double sign = signed_ones & TRM_BIT_OF(quantity) ? pair->sign : 1;
    double size = 1e-30;
    for (int k = 0; k < rows * columns; k++)
        size = fmax(size, fabs(should[k]));
    for (int k = 0; k < rows * columns; k++)
        if (!(fabs(is[k] - sign * should[k]) <= 1e-12 * size))
            fail_msg("%s, %s, row %d, column %d: %.17g, in C %.17g", pair->file,
                     trm_quantity_name(quantity), k % rows, k / rows, is[k], sign * should[k]);
    free(is);
    free(should);
}

static void compare_twin(const twin *pair)
{
    model_case c;
    trp_problem *problem;
    model_open(&c, pair->file, NULL);
    assert_int_equal(trp_problem_create(&problem, pair->problem, NULL, NULL), TRM_OK);
    const trm_system *s = trp_problem_system(problem);
    const trm_initial *start = trp_problem_initial(problem),
                      *own = trm_instance_initial(c.instance);
    assert_int_equal(c.system->n_q, s->n_q);
    assert_int_equal(c.system->n_g, s->n_g);
    int compared = 0;
    for (int seed = 1; seed <= 5; seed++) {
        const model_point p = model_near(s, start, pair->noise, (uint64_t)seed);
        for (int k = 0; k < TRM_QUANTITY_COUNT; k++)
            if (model_supplies(s, (trm_quantity)k) && model_entries(s, (trm_quantity)k) > 0 &&
                model_supplies(c.system, (trm_quantity)k)) {
                compare_quantity(pair, c.system, s, (trm_quantity)k, &p);
                compared++;
            }
    }
    assert_true(compared >= 5 * 7); // at least M, f, g, G, gamma, N, E
    // one rounding of a formula
    for (int i = 0; i < s->n_q; i++) {
        assert_true(fabs(own->q[i] - start->q[i]) <= 1e-15);
        assert_true(fabs(own->v[i] - start->v[i]) <= 1e-15);
    }
    trp_problem_destroy(problem);
    model_close(&c);
}

static void test_model_files_equal_the_problems_in_c(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof twins / sizeof *twins; k++)
        compare_twin(&twins[k]);
}

// ---- settings ----

#define FREE_MASS                                                                                  \
    "trammel: 1\n"                                                                                 \
    "parameters: {two: 2}\n"                                                                       \
    "equations:\n"                                                                                 \
    "  coordinates: {x: v, y: w}\n"                                                                \
    "  mass: [1, \"two\"]\n"                                                                       \
    "  force: [\"-c - p\", 0]\n"                                                                   \
    "  states: {c: \"-c\"}\n"                                                                      \
    "  algebraic: {p: \"p - x\"}\n"

static void test_model_every_key_of_simulate_arrives(void **state)
{
    (void)state;
    model_case c;
    model_read(&c, FREE_MASS "initial: {consistent: keep}\n"
                             "simulate:\n"
                             "  start: \"1/two\"\n"
                             "  end: 3\n"
                             "  integrator: bdf\n"
                             "  formulation: ggl\n"
                             "  tolerance: {relative: 1e-5, absolute: \"1e-4/two\"}\n"
                             "  max_order: 3\n"
                             "  control: classic\n"
                             "  step: {initial: 1e-3, min: 1e-9, max: 0.5, fixed: 0.25}\n"
                             "  newton: {tolerance: 0.1, max_iterations: 7}\n"
                             "  jacobian: {source: analytic, update: auto}\n"
                             "  linear_solver: dense\n"
                             "  error_test: qv\n"
                             "  max_steps: 1000\n"
                             "  output_times: [3, 0.5, \"two\"]\n"
                             "  output_interval: 0.125\n");
    const trm_options *o = trm_model_options(c.model);
    assert_int_equal(o->start, TRM_START_KEEP);
    assert_int_equal(o->formulation, TRM_FORMULATION_GGL);
    assert_int_equal(o->control, TRM_CONTROL_CLASSIC);
    assert_int_equal(o->linear_solver, TRM_SOLVER_DENSE);
    assert_int_equal(o->error_test, TRM_ERROR_TEST_QV);
    assert_int_equal(o->max_order, 3);
    assert_int_equal(o->max_steps, 1000);
    assert_int_equal(o->newton_iterations, 7);
    // numbers pass through a text with 17 digits: exact
    assert_true(o->rtol == 1e-5 && o->atol == 1e-4 / 2);
    assert_true(o->h_initial == 1e-3 && o->h_min == 1e-9 && o->h_max == 0.5 && o->h_fixed == 0.25);
    assert_true(o->newton_tolerance == 0.1);
    const trm_schedule *s = trm_model_schedule(c.model);
    assert_true(s->start == 0.5 && s->end == 3 && s->output_interval == 0.125);
    assert_int_equal(s->output_count, 3);
    assert_true(s->output_times[0] == 0.5 && s->output_times[1] == 2 && s->output_times[2] == 3);
    assert_true(trm_instance_initial(c.instance)->t == 0.5);
    assert_string_equal(c.said, "");
    model_close(&c);
}

// null is as if the key were not there
static void test_model_null_settings_are_defaults(void **state)
{
    (void)state;
    model_case c;
    model_read(&c, FREE_MASS "initial: {consistent: null}\n"
                             "simulate:\n"
                             "  start: null\n"
                             "  end: 10\n"
                             "  integrator: ~\n"
                             "  formulation: null\n"
                             "  tolerance: null\n"
                             "  max_order: null\n"
                             "  control: null\n"
                             "  step: {initial: null, min: null, max: null, fixed: null}\n"
                             "  newton: {tolerance: null, max_iterations: null}\n"
                             "  jacobian: {source: null, update: null}\n"
                             "  linear_solver: null\n"
                             "  error_test: null\n"
                             "  max_steps: null\n"
                             "  output_times: null\n"
                             "  output_interval: null\n");
    trm_options preset = trm_options_default();
    const trm_options *o = trm_model_options(c.model);
    preset.integrator = TRM_INTEGRATOR_AUTO; // of files
#define ASSERT_PRESET(type, field, value, least, greatest, unit, help)                             \
    assert_true(o->field == preset.field);
    TRM_OPTION_LIST(ASSERT_PRESET)
#undef ASSERT_PRESET
    const trm_schedule *s = trm_model_schedule(c.model);
    assert_true(s->start == 0 && s->end == 10 && s->output_count == 0);
    assert_true(s->output_interval == 10.0 / 500); // about 500 points
    assert_null(c.system->q_scale);
    model_close(&c);
}

static void test_model_one_tolerance_serves_both(void **state)
{
    (void)state;
    model_case c;
    model_read(&c, FREE_MASS "simulate: {end: 1, tolerance: 1e-5, output_interval: steps}\n");
    assert_true(trm_model_options(c.model)->rtol == 1e-5);
    assert_true(trm_model_options(c.model)->atol == 1e-5);
    assert_true(trm_model_schedule(c.model)->output_interval == 0);
    model_close(&c);
    // without an absolute one it is the relative one
    model_read(&c, FREE_MASS "simulate: {end: 1, tolerance: {relative: 1e-4}}\n");
    assert_true(trm_model_options(c.model)->atol == 1e-4);
    model_close(&c);
}

// the solver multiplies atol by the scale: 1e-5 * scale is what the file says, one rounding off
static void test_model_tolerances_by_name_become_scales(void **state)
{
    (void)state;
    model_case c;
    model_read(&c, FREE_MASS "simulate:\n"
                             "  end: 1\n"
                             "  tolerance:\n"
                             "    relative: 1e-5\n"
                             "    absolute: {x: 1e-7, w: \"two*1e-6\", c: 1e-3, p: 1e-5}\n");
    const trm_system *s = c.system;
    assert_true(trm_model_options(c.model)->atol == 1e-5);
    assert_true(fabs(1e-5 * s->q_scale[0] - 1e-7) <= 1e-22 && s->q_scale[1] == 1);
    assert_true(s->v_scale[0] == 1 && fabs(1e-5 * s->v_scale[1] - 2e-6) <= 1e-21);
    assert_true(fabs(1e-5 * s->x_scale[0] - 1e-3) <= 1e-18 && s->z_scale[0] == 1);
    model_close(&c);
}

static void test_model_differences_leave_derivatives_to_the_library(void **state)
{
    (void)state;
    model_case c;
    model_read(&c, FREE_MASS "simulate: {end: 1, jacobian: {source: differences}}\n");
    assert_int_equal(trm_model_options(c.model)->jacobian_source, TRM_JACOBIAN_SOURCE_DIFFERENCES);
    assert_int_equal(trm_system_validate(c.system, NULL), TRM_OK);
    model_close(&c);
    model_read(&c, FREE_MASS "simulate:\n  end: 1\n  control: classic\n  jacobian: {source: "
                             "grouped-differences, update: partitioned, increments: paper}\n");
    const trm_options *o = trm_model_options(c.model);
    assert_int_equal(o->jacobian_source, TRM_JACOBIAN_SOURCE_GROUPED);
    assert_int_equal(o->jacobian_update, TRM_JACOBIAN_UPDATE_PARTITIONED);
    assert_int_equal(o->jacobian_increments, TRM_INCREMENTS_PAPER);
    model_close(&c);
}

static void test_model_overrides_count_last(void **state)
{
    (void)state;
    const char *set[] = {"simulate.end=2", "parameters.two=5", "simulate.tolerance=1e-3",
                         "simulate.end=\"two\"", NULL};
    model_case c;
    const trm_load load = {.set = set, .report = model_collect, .user = &c};
    const char *text = FREE_MASS "simulate: {end: 1}\n";
    memset(&c, 0, sizeof c);
    c.status = trm_model_read(&c.model, text, strlen(text), "m.yaml", &load, &c.error);
    model_instantiate(&c);
    assert_true(trm_model_schedule(c.model)->end == 5);
    assert_true(trm_model_options(c.model)->rtol == 1e-3);
    model_close(&c);
}

// what does not decide the trajectory does not decide whether a run may be resumed
static void test_model_hash_leaves_out_end_and_output(void **state)
{
    (void)state;
    const char *texts[] = {FREE_MASS "simulate: {end: 1}\n",
                           FREE_MASS "simulate: {end: 2, output_times: [1], output_interval: 1}\n",
                           FREE_MASS "simulate: {end: 1, tolerance: 1e-5}\n"};
    uint64_t hash[3];
    for (int k = 0; k < 3; k++) {
        model_case c;
        model_read(&c, texts[k]);
        hash[k] = c.model->hash;
        model_close(&c);
    }
    assert_true(hash[0] == hash[1]);
    assert_true(hash[0] != hash[2]);
}

// ---- names, units, initial values ----

static void test_model_names_and_units_are_kept(void **state)
{
    (void)state;
    model_case c;
    model_read(&c, FREE_MASS "  constraints: {bar: \"x - y\"}\n"
                             "outputs: {sum: \"x + y\", same: x, back: \"-v\", twice: \"2*x\",\n"
                             "          bare: y, load: bar, own: x}\n"
                             "units: {x: m, w: km/h, c: A, bar: N, sum: m, own: mm}\n"
                             "simulate: {end: 1}\n");
    const trm_model *m = c.model;
    assert_string_equal(trm_model_name(m), "m"); // of the file m.yaml
    assert_string_equal(trm_model_channel(m, TRM_CHANNEL_VELOCITY, 1), "w");
    assert_string_equal(trm_model_channel(m, TRM_CHANNEL_ACCELERATION, 1), "y");
    assert_string_equal(trm_model_channel(m, TRM_CHANNEL_MULTIPLIER, 0), "bar");
    assert_string_equal(trm_model_channel(m, TRM_CHANNEL_OUTPUT, 0), "sum");
    assert_null(trm_model_channel(m, TRM_CHANNEL_OUTPUT, 7));
    assert_null(trm_model_unit(m, TRM_CHANNEL_OUTPUT, -1));
    assert_string_equal(trm_model_unit(m, TRM_CHANNEL_POSITION, 0), "m");
    assert_string_equal(trm_model_unit(m, TRM_CHANNEL_POSITION, 1), "");
    assert_string_equal(trm_model_unit(m, TRM_CHANNEL_VELOCITY, 0), "m/s"); // follows
    assert_string_equal(trm_model_unit(m, TRM_CHANNEL_VELOCITY, 1), "km/h");
    assert_string_equal(trm_model_unit(m, TRM_CHANNEL_ACCELERATION, 0), "m/s^2");
    assert_string_equal(trm_model_unit(m, TRM_CHANNEL_STATE, 0), "A");
    assert_string_equal(trm_model_unit(m, TRM_CHANNEL_MULTIPLIER, 0), "N");
    // an output that shows a channel, or its negative, has its unit; others have none
    static const char *const of_outputs[] = {"m", "m", "m/s", "", "", "N", "mm"};
    for (int k = 0; k < 7; k++)
        assert_string_equal(trm_model_unit(m, TRM_CHANNEL_OUTPUT, k), of_outputs[k]);
    model_close(&c);
}

static void test_model_initial_values_are_zero_where_missing(void **state)
{
    (void)state;
    model_case c;
    model_read(&c, FREE_MASS "  constraints: {bar: \"x - y\"}\n"
                             "initial: {values: {y: \"two/4\", v: -3, c: 7, p: 1e-2, bar: 4}}\n"
                             "simulate: {end: 1}\n");
    const trm_initial *i = trm_instance_initial(c.instance);
    assert_true(i->t == 0 && i->q[0] == 0 && i->q[1] == 0.5 && i->v[0] == -3 && i->v[1] == 0);
    assert_true(i->x[0] == 7 && i->z[0] == 0.01 && i->lambda[0] == 4);
    model_close(&c);
}

static void test_model_unused_names_are_warned_about(void **state)
{
    (void)state;
    model_case c;
    model_read(&c, "trammel: 1\n"
                   "parameters:\n"
                   "  used: 1\n"
                   "  idle: 2\n"
                   "equations:\n"
                   "  inputs: {shake: \"sin(t)\"}\n"
                   "  define: {half: \"used/2\"}\n"
                   "  coordinates: {x: v}\n"
                   "  mass: [\"used\"]\n"
                   "  force: [0]\n"
                   "simulate: {end: 1}\n");
    assert_string_equal(c.said, "m.yaml:4:9: warning: parameter 'idle' is not used\n"
                                "      idle: 2\n"
                                "            ^\n"
                                "m.yaml:6:19: warning: input 'shake' is not used\n"
                                "      inputs: {shake: \"sin(t)\"}\n"
                                "                      ^~~~~~~~\n"
                                "m.yaml:7:18: warning: definition 'half' is not used\n"
                                "      define: {half: \"used/2\"}\n"
                                "                     ^~~~~~~~\n");
    model_close(&c);
}

// ---- problems ----

static void test_model_problem_takes_options_and_initial_values(void **state)
{
    (void)state;
    model_case c;
    model_read(&c, "trammel: 1\n"
                   "parameters: {five: 5}\n"
                   "problem: {name: chain, links: \"five - 2\"}\n"
                   "initial: {values: {v_body1_x: 2}}\n"
                   "outputs: {height: \"body3_y + pin1_x\"}\n");
    // a link has x, y and an angle, a pin two rows
    assert_int_equal(c.system->n_q, 9);
    assert_int_equal(c.system->n_g, 6);
    assert_true(trm_model_schedule(c.model)->end > 0); // that of the problem
    assert_string_equal(trm_model_channel(c.model, TRM_CHANNEL_VELOCITY, 0), "v_body1_x");
    assert_true(trm_instance_initial(c.instance)->v[0] == 2);
    double height;
    model_point p = {.q = {[7] = 0.25}};
    const trm_state view = model_view(&p);
    assert_int_equal(trm_instance_outputs(c.instance, &view, &height), 0);
    assert_true(height == 0.25);
    model_close(&c);
}

static void assert_refused(const char *text, const char *expected)
{
    model_case c;
    model_try(&c, text, LIBRARIES "/m.yaml", NULL);
    assert_int_equal(c.status, TRM_ERR_MODEL);
    assert_null(c.model);
    if (!strstr(c.error.text, expected))
        fail_msg("\"%s\" instead of \"%s\"", c.error.text, expected);
    assert_non_null(strstr(c.said, expected));
}

static void test_model_wrong_problem_is_refused(void **state)
{
    (void)state;
    assert_refused("trammel: 1\nproblem: {name: pendulun}\n",
                   "there is no problem \"pendulun\"; nearest: pendulum");
    assert_refused("trammel: 1\nproblem: {name: chain, link: 3}\n",
                   "problem chain has no option \"link\"; nearest: links");
    assert_refused("trammel: 1\nproblem: {name: chain, links: 2.5}\n",
                   "option links of problem chain is 2.5; it must be a whole number");
    assert_refused("trammel: 1\nproblem: {name: chain, links: many}\n", "'many' is not defined");
    assert_refused("trammel: 1\nproblem: {name: chain, links: [3]}\n",
                   "option 'links' must be a number or a formula, not a list");
    assert_refused("trammel: 1\nparameters: {x: 1}\nproblem: {name: pendulum}\n",
                   "the name 'x' is already that of a position of the problem");
}

static void test_model_library_is_loaded(void **state)
{
    (void)state;
    model_case c;
    const char *text = "trammel: 1\n"
                       "parameters: {stiff: 4}\n"
                       "problem: {library: oscillator.so, k: \"stiff^2\"}\n"
                       "simulate: {tolerance: {relative: 1e-5, absolute: {x: 1e-6}}}\n"
                       "outputs: {double_x: \"2*x\"}\n";
    model_try(&c, text, LIBRARIES "/m.yaml", NULL); // beside the model file
    model_instantiate(&c);
    const model_point p = {.q = {0.5}};
    const trm_state view = model_view(&p);
    double doubled;
    assert_true(model_value(c.system, TRM_QUANTITY_FORCE, &p, 0, 0) == -8); // -4^2/2
    assert_int_equal(trm_instance_outputs(c.instance, &view, &doubled), 0);
    assert_true(doubled == 1);
    // what the library says: from 1 to 5, at x = 1/2
    assert_true(trm_model_schedule(c.model)->start == 1 && trm_model_schedule(c.model)->end == 5);
    assert_true(trm_instance_initial(c.instance)->t == 1);
    assert_true(trm_instance_initial(c.instance)->q[0] == 0.5);
    // the scale of the library is left alone, ours replaces it; 1e-6/1e-5 in one rounding
    assert_true(fabs(c.system->q_scale[0] - 0.1) <= 1e-16);
    model_close(&c);
    model_try(&c, "trammel: 1\nproblem: {library: oscillator.so}\n", LIBRARIES "/m.yaml", NULL);
    model_instantiate(&c);
    assert_true(c.system->q_scale[0] == 2);
    model_close(&c);
}

static void test_model_wrong_library_is_refused(void **state)
{
    (void)state;
    assert_refused("trammel: 1\nproblem: {library: nowhere.so}\n", "cannot load the library: ");
    assert_refused("trammel: 1\nproblem: {library: empty.so}\n",
                   "the library does not export trm_problem_open");
    assert_refused("trammel: 1\nproblem: {library: oscillator.so, k: -1}\n",
                   "trm_problem_open: the only option is k > 0");
    assert_refused("trammel: 1\nproblem: {library: oscillator.so, k: 1e7}\n",
                   "the system of the library is invalid: ");
    assert_refused("trammel: 1\nproblem: {library: oscillator.so, name: chain}\n",
                   "'name' beside 'library'");
}

// ---- events ----

static void test_model_events_are_read(void **state)
{
    (void)state;
    model_case c;
    model_read(&c, FREE_MASS "simulate: {end: 1}\n"
                             "events:\n"
                             "  seen: {when: \"x - two\", log: passes}\n"
                             "  hit: {when: \"y\", direction: falling, set: {w: \"-w\", two: 3}}\n"
                             "  again: {when: \"t - 0.5\", direction: rising, action: restart}\n"
                             "  done: {when: \"c - 1\", action: stop, set: {c: 0}}\n");
    const trm_events *e = trm_instance_events(c.instance);
    assert_non_null(e);
    assert_int_equal(e->count, 4);
    const int direction[] = {0, -1, 1, 0};
    const trm_event_action action[] = {TRM_EVENT_LOG, TRM_EVENT_RESTART, TRM_EVENT_RESTART,
                                       TRM_EVENT_STOP};
    const char *names[] = {"seen", "hit", "again", "done"};
    for (int k = 0; k < 4; k++) {
        assert_int_equal(e->direction[k], direction[k]);
        assert_int_equal(trm_model_event_action(c.model, k), action[k]);
        assert_string_equal(e->names[k], names[k]);
    }
    assert_string_equal(trm_model_event_text(c.model, 0), "passes");
    assert_string_equal(trm_model_event_text(c.model, 1), "");
    assert_string_equal(trm_model_event_text(c.model, 9), "");
    const model_point p = {.t = 0.25, .q = {3, 4}, .x = {1.5}};
    const trm_state view = model_view(&p);
    double value[4];
    assert_int_equal(e->function(&view, value, e->user), 0);
    assert_true(value[0] == 1 && value[1] == 4 && value[2] == -0.25 && value[3] == 0.5);
    // what is set: w is input v[1], c is x[0], two is the only parameter that events set
    const trmi_model_event *hit = &c.model->event[1];
    assert_int_equal(hit->sets, 2);
    assert_int_equal(hit->target[0], c.model->layout.v + 1);
    assert_int_equal(hit->target[1], c.model->layout.parameter);
    assert_int_equal(c.model->event[3].target[0], c.model->layout.x);
    model_close(&c);
    model_read(&c, FREE_MASS "simulate: {end: 1}\n");
    assert_null(trm_instance_events(c.instance));
    model_close(&c);
}

// A rod through its angle and through its length: one row follows from the others, but only on the
// constraints. From starts 1e-6 to 0.6 rad beside them all must assemble with rank 2.
static void test_model_redundant_rows_beside_the_constraints_are_found(void **state)
{
    (void)state;
    static const double angles[] = {0.9272952, 0.92729, 0.93, 1.2, 0.3};
    for (int k = 0; k < 5; k++) {
        char text[500];
        snprintf(
            text, sizeof text,
            "trammel: 1\n"
            "equations:\n"
            "  coordinates: {x: vx, y: vy, phi: om}\n"
            "  mass: [1, 1, 0.1]\n"
            "  force: [0, -9.81, 0]\n"
            "  constraints: {px: \"x - cos(phi)\", py: \"y - sin(phi)\", len: \"x^2 + y^2 - 1\"}\n"
            "initial: {values: {x: 0.6, y: 0.8, phi: %.17g}}\n"
            "simulate: {end: 1}\n",
            angles[k]);
        model_case c;
        model_read(&c, text);
        trm_simulation *s;
        trm_error error;
        assert_int_equal(trm_simulation_create(&s, c.system, trm_model_options(c.model),
                                               trm_instance_initial(c.instance), &error),
                         TRM_OK);
        assert_int_equal(trm_simulation_start(s)->redundant, 1);
        assert_int_equal(trm_simulation_start(s)->mobility, 1);
        const double *q = trm_simulation_state(s)->q;
        // roundoff of the formulas
        assert_true(fabs(q[0] - cos(q[2])) < 1e-13 && fabs(q[1] - sin(q[2])) < 1e-13);
        trm_simulation_destroy(s);
        model_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_model_files_equal_the_problems_in_c),
        cmocka_unit_test(test_model_every_key_of_simulate_arrives),
        cmocka_unit_test(test_model_null_settings_are_defaults),
        cmocka_unit_test(test_model_one_tolerance_serves_both),
        cmocka_unit_test(test_model_tolerances_by_name_become_scales),
        cmocka_unit_test(test_model_differences_leave_derivatives_to_the_library),
        cmocka_unit_test(test_model_overrides_count_last),
        cmocka_unit_test(test_model_hash_leaves_out_end_and_output),
        cmocka_unit_test(test_model_names_and_units_are_kept),
        cmocka_unit_test(test_model_initial_values_are_zero_where_missing),
        cmocka_unit_test(test_model_unused_names_are_warned_about),
        cmocka_unit_test(test_model_problem_takes_options_and_initial_values),
        cmocka_unit_test(test_model_wrong_problem_is_refused),
        cmocka_unit_test(test_model_library_is_loaded),
        cmocka_unit_test(test_model_wrong_library_is_refused),
        cmocka_unit_test(test_model_events_are_read),
        cmocka_unit_test(test_model_redundant_rows_beside_the_constraints_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
