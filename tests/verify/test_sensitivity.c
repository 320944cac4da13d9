// SPDX-License-Identifier: Apache-2.0
// Sensitivities against closed forms, and against central differences of tight runs by another
// method.
#include "models.h"

#include <string.h>

enum { MAX_VALUES = 200, MAX_PARAMETERS = 4 };

// [q | v | a | x | z | lambda | outputs] at the end, and their derivatives
typedef struct result {
    int count;
    double value[MAX_VALUES], by[MAX_PARAMETERS][MAX_VALUES];
} result;

static void load_to_vary(model_case *c, const char *file, const char *text, const char *set,
                         const char *const *names)
{
    const char *const sets[] = {set, NULL};
    const trm_load load = {.set = sets,
                           .report = model_collect,
                           .user = c,
                           .problem = trp_problem_open,
                           .library = model_allow,
                           .vary = names};
    memset(c, 0, sizeof *c);
    text = text ? text : "";
    c->status = file ? trm_model_load(&c->model, file, &load, &c->error)
                     : trm_model_read(&c->model, text, strlen(text), "test", &load, &c->error);
    if (c->status != TRM_OK)
        fail_msg("%s", c->said);
}

static int copy_state(const trm_system *y, const trm_state *s, double *out)
{
    const double *part[] = {s->q, s->v, s->a, s->x, s->z, s->lambda};
    const int size[] = {y->n_q, y->n_q, y->n_q, y->n_x, y->n_z, y->n_g + y->n_a};
    int count = 0;
    for (int k = 0; k < 6; k++)
        for (int i = 0; i < size[k]; i++)
            out[count++] = part[k][i];
    return count;
}

// the run of a model to `end`; neighbours NULL: without sensitivities
static void run_model(const trm_model *model, const trm_options *options, double end,
                      trm_neighbours *neighbours, result *r)
{
    trm_error error;
    trm_instance *instance;
    trm_simulation *s;
    int count = 0;
    const trm_parameter *p = trm_neighbours_parameters(neighbours, &count);
    assert_int_equal(trm_instance_create(&instance, model, &error), TRM_OK);
    const trm_system *y = trm_instance_system(instance);
    const trm_initial *initial = trm_instance_initial(instance);
    trm_status status =
        neighbours ? trm_simulation_create_sensitive(&s, y, options, initial, p, count, &error)
                   : trm_simulation_create(&s, y, options, initial, &error);
    if (status != TRM_OK)
        fail_msg("%s", error.text);
    trm_simulation_watch(s, trm_instance_events(instance));
    while ((status = trm_simulation_run(s, end)) == TRM_STOP_EVENT)
        for (int k = 0; k < trm_instance_events(instance)->count; k++)
            if (trm_simulation_fired(s, k)) {
                status = neighbours ? trm_neighbours_event(neighbours, instance, s, k)
                                    : trm_instance_event(instance, s, k);
                break;
            }
    if (status < 0)
        fail_msg("%s", trm_simulation_error(s)->text);
    const trm_state *state, *along;
    assert_int_equal(trm_simulation_sample(s, end, &state), TRM_OK);
    r->count = copy_state(y, state, r->value);
    trm_instance_outputs(instance, state, r->value + r->count);
    for (int k = 0; k < count; k++) {
        assert_int_equal(trm_simulation_sensitivity(s, end, k, &along), TRM_OK);
        copy_state(y, along, r->by[k]);
        trm_neighbours_outputs(neighbours, k, instance, state, along, r->by[k] + r->count);
    }
    r->count += trm_model_count(model, TRM_CHANNEL_OUTPUT);
    assert_true(r->count <= MAX_VALUES);
    trm_simulation_destroy(s);
    trm_instance_destroy(instance);
}

// d (run) / d (parameter k) by central differences, extrapolated: error h^4
static void difference(const trm_model *model, int k, double end, double *out)
{
    static result one, other;
    trm_options options = *trm_model_options(model);
    options.integrator = TRM_INTEGRATOR_RADAU_ADAPTIVE;
    options.rtol = options.atol = 1e-12;
    double value[MAX_PARAMETERS], at = 0;
    trm_model_varied(model, k, &at);
    for (int step = 1; step <= 2; step++) {
        double h = step * 3e-4 * fabs(at);
        for (int side = 0; side < 2; side++) {
            trm_model *varied;
            trm_error error;
            for (int i = 0; trm_model_varied(model, i, &value[i]); i++)
                ;
            value[k] = at + (side ? -h : h);
            assert_int_equal(trm_model_vary(&varied, model, value, &error), TRM_OK);
            run_model(varied, &options, end, NULL, side ? &other : &one);
            trm_model_destroy(varied);
        }
        for (int i = 0; i < one.count; i++) {
            double d = (one.value[i] - other.value[i]) / (2 * h);
            out[i] = step == 1 ? 4 * d / 3 : out[i] - d / 3;
        }
    }
}

static const trm_integrator methods[] = {TRM_INTEGRATOR_BDF, TRM_INTEGRATOR_RADAU,
                                         TRM_INTEGRATOR_RADAU_ADAPTIVE};
enum { METHODS = sizeof methods / sizeof *methods };

// ---- closed forms ----

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.12g instead of %.12g", value, expected);
}

static const char oscillator[] = "trammel: 1\n"
                                 "parameters: {k: 4, m: 1, x0: 1.5, gain: 0.5}\n"
                                 "equations:\n"
                                 "  coordinates: {x: vx}\n"
                                 "  mass: [m]\n"
                                 "  force: ['-k*x']\n"
                                 "  states: {w: '-gain*w'}\n"
                                 "initial: {values: {x: x0, w: 2}}\n"
                                 "simulate: {end: 3, tolerance: 1e-11}\n"
                                 "outputs: {energy: 'k*x^2/2 + m*vx^2/2'}\n";

// x = x0 cos(t w), w = sqrt(k/m); state 2 exp(-gain t). The tolerance is that of the run, 1e-11,
// times 1000 for accumulation over about 500 steps and the factors below.
static void test_sensitivity_of_an_oscillator_is_that_of_its_formula(void **state)
{
    (void)state;
    static result r;
    const char *const names[] = {"k", "m", "x0", "gain", NULL};
    for (size_t i = 0; i < METHODS; i++) {
        model_case c;
        trm_neighbours *n;
        load_to_vary(&c, NULL, oscillator, NULL, names);
        trm_options options = *trm_model_options(c.model);
        options.integrator = methods[i];
        assert_int_equal(trm_neighbours_create(&n, c.model, NULL, &c.error), TRM_OK);
        run_model(c.model, &options, 3, n, &r);
        double k = 4, m = 1, x0 = 1.5, t = 3, w = 2, dx = -x0 * t * sin(t * w);
        double by[4] = {dx / (2 * m * w), -dx * w / (2 * m), cos(t * w), 0};
        for (int p = 0; p < 4; p++)
            assert_near(r.by[p][0], by[p], 1e-8);
        assert_near(r.by[3][3], -3 * 2 * exp(-0.5 * 3), 1e-8); // state
        // E = k x0^2/2 is constant
        assert_near(r.by[0][4], x0 * x0 / 2, 1e-7);
        assert_near(r.by[1][4], 0, 1e-7);
        assert_near(r.by[2][4], k * x0, 1e-7);
        trm_neighbours_destroy(n);
        trm_model_destroy(c.model);
    }
}

// ---- differences ----

typedef struct difference_case {
    const char *file, *name[MAX_PARAMETERS];
    double end, tolerance;
    const char *set; // an override of the file
} difference_case;

// Six digits of the largest value of each kind at rtol 1e-11, and 1e-8 of the value, noise.
// The stiff bushing loses one: its force is the product of a stiffness 1e6 and a small length. The
// table of the damper has kinks, where the accelerations of sensitivities jump.
static const difference_case cases[] = {
    {"examples/pendulum.yaml", {"m", "grav", "length"}, 2, 1e-6, NULL},
    {"examples/slider-crank.yaml", {"torque", "r", "l"}, 1, 1e-6, NULL},
    {"examples/andrews.yaml", {"m1", "I1", "m7"}, 0.03, 1e-6, NULL},
    {"examples/mechanisms/double-wishbone.yaml",
     {"m", "kt"},
     0.5,
     1e-6,
     "mechanism.forces.strut.spring.damper_table=[[-1, -3000], [1, 3000]]"},
    {"examples/mechanisms/double-wishbone.yaml", {"m"}, 0.5, 3e-4, NULL},
    // four hits, whose times depend on the parameters
    {"examples/bouncing-ball.yaml", {"grav", "height", "bounce"}, 2.6, 1e-6, NULL},
    {"examples/mechanisms/bushing-pendulum.yaml", {"eps"}, 1, 1e-5, NULL},
};

static void compare(const difference_case *d, int method, const trm_system *y, int k,
                    const result *r, const double *expected)
{
    const int size[] = {y->n_q, y->n_q, y->n_q, y->n_x, y->n_z, y->n_g + y->n_a, MAX_VALUES};
    for (int part = 0, i = 0; part < 7; part++) {
        int end = i + size[part] < r->count ? i + size[part] : r->count;
        double scale = 0, size = 1;
        for (int j = i; j < end; j++) {
            scale = fmax(scale, fabs(expected[j]));
            size = fmax(size, fabs(r->value[j]));
        }
        for (; i < end; i++)
            if (fabs(r->by[k][i] - expected[i]) > d->tolerance * scale + 1e-8 * size)
                fail_msg("%s, method %d: by %s: value %d is %.10g, not %.10g (scale %g)", d->file,
                         method, d->name[k], i, r->by[k][i], expected[i], scale);
    }
}

static void test_sensitivities_agree_with_differences_of_tight_runs(void **state)
{
    (void)state;
    static result r[METHODS];
    static double expected[MAX_VALUES];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const difference_case *d = &cases[i];
        model_case c;
        trm_neighbours *n;
        load_to_vary(&c, d->file, NULL, d->set, d->name);
        trm_options options = *trm_model_options(c.model);
        assert_int_equal(trm_neighbours_create(&n, c.model, NULL, &c.error), TRM_OK);
        for (int m = 0; m < METHODS; m++) {
            options.integrator = methods[m];
            options.rtol = options.atol = methods[m] == TRM_INTEGRATOR_BDF ? 1e-11 : 1e-10;
            run_model(c.model, &options, d->end, n, &r[m]);
        }
        trm_instance *instance;
        assert_int_equal(trm_instance_create(&instance, c.model, &c.error), TRM_OK);
        for (int k = 0; d->name[k]; k++) {
            difference(c.model, k, d->end, expected);
            for (int m = 0; m < METHODS; m++)
                compare(d, m, trm_instance_system(instance), k, &r[m], expected);
        }
        trm_instance_destroy(instance);
        trm_neighbours_destroy(n);
        trm_model_destroy(c.model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sensitivity_of_an_oscillator_is_that_of_its_formula),
        cmocka_unit_test(test_sensitivities_agree_with_differences_of_tight_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
