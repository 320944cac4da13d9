// SPDX-License-Identifier: Apache-2.0
// Model files as `trammel run` treats them: loaded, simulated with the options they give, sampled
// at given times. Digits against references; every formulation and control on every file.
#include "models.h"

enum { COLUMNS = 24, ROWS = 64 };

// ---- references ----

// Numbers of a file: rows of times and values.
typedef struct table {
    int rows, columns;
    double value[ROWS][COLUMNS];
} table;

static void open_table(table *t, const char *path, FILE **file, char *line, size_t size)
{
    memset(t, 0, sizeof *t);
    if (!(*file = fopen(path, "r")))
        fail_msg("%s cannot be read", path);
    do // comments and the line of names
        if (!fgets(line, (int)size, *file))
            fail_msg("%s is empty", path);
    while (line[0] == '#');
}

// t, then one value per column; rows up to a time
static void read_trajectory(table *t, const char *path, double end)
{
    FILE *file;
    char line[2000];
    for (open_table(t, path, &file, line, sizeof line); fgets(line, sizeof line, file); t->rows++) {
        assert_true(t->rows < ROWS);
        t->columns = 0;
        for (char *at = strtok(line, ","); at && t->columns < COLUMNS; at = strtok(NULL, ","))
            t->value[t->rows][t->columns++] = strtod(at, NULL);
        if (t->value[t->rows][0] > end)
            break;
    }
    fclose(file);
}

// index, name, value: one row at a time that the caller knows
static void read_end(table *t, const char *path, double end)
{
    FILE *file;
    char line[2000];
    open_table(t, path, &file, line, sizeof line);
    t->rows = t->columns = 1;
    t->value[0][0] = end;
    while (fgets(line, sizeof line, file) && t->columns < COLUMNS) {
        strtok(line, ",");
        strtok(NULL, ",");
        t->value[0][t->columns++] = strtod(strtok(NULL, ","), NULL);
    }
    fclose(file);
}

// ---- runs ----

typedef struct model_run {
    model_case model;
    trm_options options;
    trm_simulation *simulation;
    trm_status status;
    trm_error error;
} model_run;

static void start_run(model_run *run, const char *path, const char *const *set)
{
    model_open(&run->model, path, set);
    run->options = *trm_model_options(run->model.model);
}

static trm_status create_simulation(model_run *run)
{
    run->simulation = NULL;
    run->status = trm_simulation_create(&run->simulation, run->model.system, &run->options,
                                        trm_instance_initial(run->model.instance), &run->error);
    return run->status;
}

static void end_run(model_run *run)
{
    trm_simulation_destroy(run->simulation);
    model_close(&run->model);
}

// The state at t, as a sample of the results; the steps do not know about it.
static const trm_state *state_at(model_run *run, double t, double end)
{
    const trm_state *now = trm_simulation_state(run->simulation);
    while (now->t < t) {
        trm_status status = trm_simulation_step(run->simulation, end, NULL);
        if (status != TRM_OK)
            fail_msg("%s: %s", trm_model_name(run->model.model),
                     trm_simulation_error(run->simulation)->text);
        now = trm_simulation_state(run->simulation);
    }
    assert_int_equal(trm_simulation_sample(run->simulation, t, &now), TRM_OK);
    return now;
}

// The fewest correct digits over all times: -log10 of the error of a value over its largest size in
// the reference. columns from `first` on (1: the first behind t) against values of the state.
static double digits(const table *reference, int row, const double *is, int first, int count)
{
    double least = 16;
    for (int i = 0; i < count; i++) {
        double size = 0, error = fabs(is[i] - reference->value[row][first + i]);
        for (int k = 0; k < reference->rows; k++)
            size = fmax(size, fabs(reference->value[k][first + i]));
        least = fmin(least, -log10(error / size + 1e-16));
    }
    return least;
}

// Positions and (when the reference has them behind) velocities with the wanted digits.
static void check_digits(const char *path, const char *const *set, const table *reference,
                         double digits_q, double digits_v)
{
    model_run run;
    start_run(&run, path, set);
    if (create_simulation(&run) != TRM_OK)
        fail_msg("%s: %s", path, run.error.text);
    const int n = run.model.system->n_q;
    const double end = trm_model_schedule(run.model.model)->end;
    double q = 16, v = 16;
    for (int k = 0; k < reference->rows; k++) {
        const trm_state *now = state_at(&run, reference->value[k][0], end);
        q = fmin(q, digits(reference, k, now->q, 1, n));
        if (digits_v > 0)
            v = fmin(v, digits(reference, k, now->v, 1 + n, n));
    }
    print_message("%-40s %6.2f digits of positions, %6.2f of velocities\n", path, q,
                  digits_v > 0 ? v : NAN);
    if (!(q >= digits_q) || (digits_v > 0 && !(v >= digits_v)))
        fail_msg("%s: %.2f digits of the positions (needed %.1f), %.2f of the velocities (%.1f)",
                 path, q, digits_q, v, digits_v);
    assert_int_equal(trm_simulation_trust(run.simulation), TRM_OK);
    end_run(&run);
}

// measured 5.98 and 3.92 at the end (of each value its own size), 5.73 and 5.06 on the way
static void test_models_andrews_has_five_digits(void **state)
{
    (void)state;
    table reference;
    read_end(&reference, "tests/references/andrews-end.csv", 0.03);
    check_digits("examples/andrews.yaml", NULL, &reference, 5, 3);
    read_trajectory(&reference, "tests/references/andrews.csv", 0.03);
    check_digits("examples/andrews.yaml", NULL, &reference, 5, 3);
}

// measured 6.64 and 4.71 at the end, 6.83 and 5.46 on the way
static void test_models_car_axis_has_six_digits(void **state)
{
    (void)state;
    table reference;
    const char *set[] = {"simulate.error_test=qv", NULL};
    read_end(&reference, "tests/references/car-axis-end.csv", 3);
    check_digits("examples/car-axis.yaml", set, &reference, 6, 4);
    read_trajectory(&reference, "tests/references/car-axis.csv", 3);
    check_digits("examples/car-axis.yaml", set, &reference, 6, 4);
}

// measured 7.10 and 6.82; IDA prints five digits
static void test_models_sundials_crank_has_five_digits_at_all_points(void **state)
{
    (void)state;
    table reference;
    read_trajectory(&reference, "tests/references/slider-crank-sundials.csv", 10);
    assert_int_equal(reference.rows, 41);
    check_digits("examples/slider-crank-sundials.yaml", NULL, &reference, 5, 5);
}

// measured 6.97 and 6.77
static void test_models_pendulum_follows_elliptic_functions(void **state)
{
    (void)state;
    table reference;
    read_trajectory(&reference, "tests/references/pendulum.csv", 10);
    check_digits("examples/pendulum.yaml", NULL, &reference, 6, 6);
}

// measured 4.07 and 2.16: the axial coordinates are of size 1e-5 and vibrate
static void test_models_flexible_crank_follows_reference(void **state)
{
    (void)state;
    table reference;
    read_trajectory(&reference, "tests/references/flexible-slider-crank.csv", 0.1);
    check_digits("examples/flexible-slider-crank.yaml", NULL, &reference, 3.5, 1.6);
}

// measured 3.64: 48 turns of the top, whose phase counts
static void test_models_heavy_top_follows_reference(void **state)
{
    (void)state;
    table reference;
    read_trajectory(&reference, "tests/references/heavy-top.csv", 2);
    check_digits("examples/heavy-top.yaml", NULL, &reference, 3.1, 0);
}

// measured 4.9 and 5.3 to 5.9, according to the method that `auto` takes; the reference has seven
// digits
static void test_models_wheelset_follows_reference(void **state)
{
    (void)state;
    table reference;
    read_end(&reference, "tests/references/wheelset-end.csv", 10);
    const char *loose[] = {"simulate.tolerance.relative=1e-6", NULL};
    const char *tight[] = {"simulate.tolerance.relative=1e-7", NULL};
    check_digits("examples/wheelset.yaml", loose, &reference, 4.4, 0);
    check_digits("examples/wheelset.yaml", tight, &reference, 5.1, 0);
}

// ---- nine digits ----

// The bar is 9 digits of the positions; measured 10.6 and 10.4, 12.2, 9.3
static void test_models_explicit_at_1e_11_has_nine_digits(void **state)
{
    (void)state;
    table reference;
    const char *set[] = {"simulate.integrator=explicit", "simulate.tolerance=1e-11", NULL};
    read_trajectory(&reference, "tests/references/pendulum.csv", 10);
    check_digits("examples/pendulum.yaml", set, &reference, 9, 9);
    read_end(&reference, "tests/references/andrews-end.csv", 0.03);
    check_digits("examples/andrews.yaml", set, &reference, 9, 0);
    read_trajectory(&reference, "tests/references/heavy-top.csv", 2);
    check_digits("examples/heavy-top.yaml", set, &reference, 9, 0);
}

// measured 10.0 and 9.8, 10.8, 6.6: many fast oscillations are not for adams
static void test_models_adams_at_1e_11_follows_references(void **state)
{
    (void)state;
    table reference;
    const char *set[] = {"simulate.integrator=adams", "simulate.tolerance=1e-11", NULL};
    read_trajectory(&reference, "tests/references/pendulum.csv", 10);
    check_digits("examples/pendulum.yaml", set, &reference, 9.5, 9.3);
    read_end(&reference, "tests/references/andrews-end.csv", 0.03);
    check_digits("examples/andrews.yaml", set, &reference, 9.5, 0);
    read_trajectory(&reference, "tests/references/heavy-top.csv", 2);
    check_digits("examples/heavy-top.yaml", set, &reference, 6, 0);
}

// ---- every formulation and control ----

enum { SAMPLES = 5 };

typedef struct file_case {
    const char *path;
    double end;    // 0: that of the file
    double spread; // of the formulations, in tolerances
} file_case;

// spread: measured at 1e-6, times about three. Large ones belong to motions that magnify errors: a
// top with 150 rad/s, a mechanism with seven turns, a shaken pendulum, stiff oscillations.
static const file_case files[] = {
    {"examples/andrews.yaml", 0, 1},
    {"examples/bouncing-ball.yaml", 0, 1},
    {"examples/car-axis.yaml", 0, 20},
    {"examples/excited-pendulum.yaml", 0, 50},
    {"examples/flexible-slider-crank.yaml", 0, 30},
    {"examples/heavy-top.yaml", 0, 3000},
    {"examples/knife-edge.yaml", 0, 1},
    {"examples/motor.yaml", 0, 1},
    {"examples/pendulum.yaml", 0, 10},
    {"examples/slider-crank-sundials.yaml", 0, 1},
    {"examples/slider-crank-equations.yaml", 0, 3},
    {"examples/wheelset.yaml", 0.5, 3},
    {"experiments/models/bushing.yaml", 0, 1},
    {"experiments/models/linear-oscillator.yaml", 0, 120},
    {"experiments/models/normal-stiff.yaml", 0, 2},
    {"experiments/models/rotation.yaml", 0, 2},
    {"experiments/models/spring-pendulum.yaml", 0, 120},
};

typedef struct combination {
    trm_formulation formulation;
    trm_control control;
    const char *name;
} combination;

static const combination combinations[] = {
    {TRM_FORMULATION_CS, TRM_CONTROL_DEFAULT, "cs"},
    {TRM_FORMULATION_CM, TRM_CONTROL_DEFAULT, "cm"},
    {TRM_FORMULATION_GGL, TRM_CONTROL_DEFAULT, "ggl"},
    {TRM_FORMULATION_GGL_STAR, TRM_CONTROL_DEFAULT, "ggl-star"},
    {TRM_FORMULATION_GGL_UNTESTED, TRM_CONTROL_DEFAULT, "ggl-untested"},
    {TRM_FORMULATION_INDEX1_PROJECTED, TRM_CONTROL_DEFAULT, "index1-projected"},
    {TRM_FORMULATION_INDEX1, TRM_CONTROL_DEFAULT, "index1"},
    {TRM_FORMULATION_INDEX2, TRM_CONTROL_DEFAULT, "index2"},
    {TRM_FORMULATION_INDEX3, TRM_CONTROL_DEFAULT, "index3"},
    {TRM_FORMULATION_BAUMGARTE, TRM_CONTROL_DEFAULT, "baumgarte"},
    {TRM_FORMULATION_CS, TRM_CONTROL_CLASSIC, "cs classic"},
    {TRM_FORMULATION_CM, TRM_CONTROL_CLASSIC, "cm classic"},
    {TRM_FORMULATION_GGL, TRM_CONTROL_CLASSIC, "ggl classic"},
    {TRM_FORMULATION_GGL_STAR, TRM_CONTROL_CLASSIC, "ggl-star classic"},
    {TRM_FORMULATION_GGL_UNTESTED, TRM_CONTROL_CLASSIC, "ggl-untested classic"},
    {TRM_FORMULATION_CM_FROZEN, TRM_CONTROL_CLASSIC, "cm-frozen classic"},
};
enum { COMBINATIONS = sizeof combinations / sizeof *combinations };

static const double TOLERANCE = 1e-6; // of these runs, whatever the files say

typedef struct outcome {
    trm_status status;
    char text[256];
    double q[SAMPLES][MODEL_LARGEST];
    int n;
} outcome;

static outcome run_combination(const file_case *file, const combination *c)
{
    model_run run;
    outcome out = {0};
    start_run(&run, file->path, NULL);
    run.options.integrator = TRM_INTEGRATOR_BDF; // the same steps, but for the formulation
    run.options.formulation = c->formulation;
    run.options.control = c->control;
    run.options.rtol = run.options.atol = TOLERANCE;
    run.options.baumgarte_alpha = run.options.baumgarte_beta = 10;
    const double end = file->end > 0 ? file->end : trm_model_schedule(run.model.model)->end;
    const trm_error *error = &run.error;
    out.n = run.model.system->n_q;
    out.status = create_simulation(&run);
    for (int k = 0; k < SAMPLES && out.status == TRM_OK; k++) {
        const double t = end * (k + 1) / SAMPLES;
        while (out.status == TRM_OK && trm_simulation_state(run.simulation)->t < t)
            out.status = trm_simulation_step(run.simulation, end, NULL);
        error = trm_simulation_error(run.simulation);
        if (out.status == TRM_OK)
            out.status =
                trm_simulation_interpolate(run.simulation, t, out.q[k], NULL, NULL, NULL, NULL);
    }
    if (out.status != TRM_OK)
        snprintf(out.text, sizeof out.text, "%s", error->text);
    end_run(&run);
    return out;
}

// largest difference of two runs in units of tol (1 + |q|)
static double spread(const outcome *a, const outcome *b)
{
    double most = 0;
    for (int k = 0; k < SAMPLES; k++)
        for (int i = 0; i < a->n; i++)
            most = fmax(most, fabs(a->q[k][i] - b->q[k][i]) / (TOLERANCE * (1 + fabs(a->q[k][i]))));
    return most;
}

// The printed methods of control classic do not come through everywhere, and say so: cm-frozen is
// no consistent iteration, and ggl does not get away from the start of two files, nor of the same
// problems in C.
static bool may_fail(const file_case *file, const combination *c)
{
    return c->control == TRM_CONTROL_CLASSIC &&
           (c->formulation == TRM_FORMULATION_CM_FROZEN ||
            (c->formulation == TRM_FORMULATION_GGL &&
             (strstr(file->path, "andrews") || strstr(file->path, "linear-oscillator"))));
}

static void check_status(const file_case *file, const combination *c, const outcome *out)
{
    bool plain = out->status == TRM_OK;
    bool refused = out->status == TRM_ERR_OPTION && c->formulation == TRM_FORMULATION_CM_FROZEN &&
                   strstr(out->text, "forces that depend on the multipliers");
    bool failed = out->status == TRM_ERR_NEWTON || out->status == TRM_ERR_ERROR_TEST;
    bool good = plain || (refused && c->control == TRM_CONTROL_CLASSIC) ||
                (failed && out->text[0] && may_fail(file, c));
    print_message("%-42s %-18s %s %s\n", file->path, c->name, trm_status_name(out->status),
                  out->text);
    if (!good)
        fail_msg("%s with %s: %s %s", file->path, c->name, trm_status_name(out->status), out->text);
}

static void test_models_every_formulation_runs_or_is_refused(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        outcome first = {0};
        for (int i = 0; i < COMBINATIONS; i++) {
            const outcome out = run_combination(&files[k], &combinations[i]);
            check_status(&files[k], &combinations[i], &out);
            if (i == 0)
                first = out;
            // those that test velocities are closer to the truth than to cs, or drift
            if (combinations[i].control != TRM_CONTROL_DEFAULT ||
                (combinations[i].formulation > TRM_FORMULATION_GGL_STAR &&
                 combinations[i].formulation != TRM_FORMULATION_GGL_UNTESTED))
                continue;
            const double apart = spread(&first, &out);
            print_message("%61s %.1f tolerances from cs\n", "", apart);
            if (!(apart <= files[k].spread))
                fail_msg("%s: %s lies %.1f tolerances from cs", files[k].path, combinations[i].name,
                         apart);
        }
    }
}

// States, algebraic variables, multipliers in forces, velocity constraints: the formulations at
// other levels go where cs goes. Bounds in tolerances: measured (0.5 to 1.6, 0.1, 6.7, 1.9) times
// three.
static void test_models_other_levels_cover_the_system_class(void **state)
{
    (void)state;
    static const file_case classes[] = {{"examples/knife-edge.yaml", 0, 5},
                                        {"examples/motor.yaml", 0, 1},
                                        {"examples/wheelset.yaml", 0.5, 20},
                                        {"experiments/models/bushing.yaml", 0, 6}};
    static const combination levels[] = {
        {TRM_FORMULATION_INDEX1_PROJECTED, TRM_CONTROL_DEFAULT, "index1-projected"},
        {TRM_FORMULATION_INDEX2, TRM_CONTROL_DEFAULT, "index2"},
        {TRM_FORMULATION_INDEX3, TRM_CONTROL_DEFAULT, "index3"},
        {TRM_FORMULATION_BAUMGARTE, TRM_CONTROL_DEFAULT, "baumgarte"}};
    for (int k = 0; k < 4; k++) {
        const outcome first = run_combination(&classes[k], &combinations[0]);
        for (int i = 0; i < 4; i++) {
            const outcome out = run_combination(&classes[k], &levels[i]);
            assert_int_equal(out.status, TRM_OK);
            if (!(spread(&first, &out) <= classes[k].spread))
                fail_msg("%s: %s lies %.1f tolerances from cs", classes[k].path, levels[i].name,
                         spread(&first, &out));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_models_andrews_has_five_digits),
        cmocka_unit_test(test_models_car_axis_has_six_digits),
        cmocka_unit_test(test_models_sundials_crank_has_five_digits_at_all_points),
        cmocka_unit_test(test_models_pendulum_follows_elliptic_functions),
        cmocka_unit_test(test_models_flexible_crank_follows_reference),
        cmocka_unit_test(test_models_heavy_top_follows_reference),
        cmocka_unit_test(test_models_wheelset_follows_reference),
        cmocka_unit_test(test_models_explicit_at_1e_11_has_nine_digits),
        cmocka_unit_test(test_models_adams_at_1e_11_follows_references),
        cmocka_unit_test(test_models_every_formulation_runs_or_is_refused),
        cmocka_unit_test(test_models_other_levels_cover_the_system_class),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
