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
                           .vary = names,
                           .sensitive = 1};
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
    if (neighbours)
        assert_int_equal(trm_neighbours_attach(neighbours, instance), TRM_OK);
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

// A stiffness 4 exp(1e4 (k - 4)), which differences over k (1 +- 6e-6) would have wrong by 1 %: the
// formulas have exact derivatives. x = cos(t w), w = 2, w_k = 5e3 w; tolerances as above.
static void test_sensitivity_by_equations_is_no_difference(void **state)
{
    (void)state;
    static const char text[] =
        "trammel: 1\nparameters: {k: 4}\n"
        "equations: {coordinates: {x: vx}, mass: [1], force: ['-4*exp(1e4*(k - 4))*x']}\n"
        "initial: {values: {x: 1}}\nsimulate: {end: 3, tolerance: 1e-11}\n";
    static result r;
    const char *const names[] = {"k", NULL};
    for (size_t i = 0; i < METHODS; i++) {
        model_case c;
        trm_neighbours *n;
        load_to_vary(&c, NULL, text, NULL, names);
        trm_options options = *trm_model_options(c.model);
        options.integrator = methods[i];
        assert_int_equal(trm_neighbours_create(&n, c.model, NULL, &c.error), TRM_OK);
        run_model(c.model, &options, 3, n, &r);
        double expected = -3 * sin(6) * 5e3 * 2;
        assert_near(r.by[0][0], expected, 1e-8 * fabs(expected));
        trm_neighbours_destroy(n);
        trm_model_destroy(c.model);
    }
}

// ---- differences ----

typedef struct difference_case {
    const char *file, *name[MAX_PARAMETERS];
    double end, tolerance;
    const char *set;   // an override of the file
    const char *text;  // instead of a file, which is a name then
    bool outputs_only; // others are coordinates of charts that other runs centre at other times
    double bdf;        // tolerance for bdf; 0: the same
} difference_case;

// Six digits of the largest value of each kind at rtol 1e-11, and 1e-8 of the value, noise.
// The stiff bushing loses one: its force is the product of a stiffness 1e6 and a small length. The
// table of the damper has kinks, where the accelerations of sensitivities jump.
static const difference_case cases[] = {
    {"examples/pendulum.yaml", {"m", "grav", "length"}, 2, 1e-6, .set = NULL},
    {"examples/slider-crank.yaml", {"torque", "r", "l"}, 1, 1e-6, .set = NULL},
    {"examples/andrews.yaml", {"m1", "I1", "m7"}, 0.03, 1e-6, .set = NULL},
    {"examples/mechanisms/double-wishbone.yaml",
     {"m", "kt"},
     0.5,
     1e-6,
     .set = "mechanism.forces.strut.spring.damper_table=[[-1, -3000], [1, 3000]]"},
    {"examples/mechanisms/double-wishbone.yaml", {"m"}, 0.5, 3e-4, .set = NULL},
    // four hits, whose times depend on the parameters
    {"examples/bouncing-ball.yaml", {"grav", "height", "bounce"}, 2.6, 1e-6, .set = NULL},
    {"examples/mechanisms/bushing-pendulum.yaml", {"eps"}, 1, 1e-5, .set = NULL},
};

static void compare(const difference_case *d, int method, const trm_system *y, int k,
                    const result *r, const double *expected)
{
    const int size[] = {y->n_q, y->n_q, y->n_q, y->n_x, y->n_z, y->n_g + y->n_a, MAX_VALUES};
    const double tolerance = method == 0 && d->bdf > 0 ? d->bdf : d->tolerance;
    for (int part = 0, i = 0; part < 7; part++) {
        int end = i + size[part] < r->count ? i + size[part] : r->count;
        double scale = 0, size = 1;
        for (int j = i; j < end; j++) {
            scale = fmax(scale, fabs(expected[j]));
            size = fmax(size, fabs(r->value[j]));
        }
        for (; i < end; i++)
            if (!(d->outputs_only && part < 6) &&
                !(fabs(r->by[k][i] - expected[i]) <= tolerance * scale + 1e-8 * size))
                fail_msg("%s, method %d: by %s: value %d is %.10g, not %.10g (scale %g)", d->file,
                         method, d->name[k], i, r->by[k][i], expected[i], scale);
    }
}

static void check_differences(const difference_case *cases, size_t count)
{
    static result r[METHODS];
    static double expected[MAX_VALUES];
    for (size_t i = 0; i < count; i++) {
        const difference_case *d = &cases[i];
        model_case c;
        trm_neighbours *n;
        load_to_vary(&c, d->text ? NULL : d->file, d->text, d->set, d->name);
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

static void test_sensitivities_agree_with_differences_of_tight_runs(void **state)
{
    (void)state;
    check_differences(cases, sizeof cases / sizeof *cases);
}

// ---- jumps ----

#define MOVES(force, start, end)                                                                   \
    "equations: {coordinates: {x: v}, mass: [1], force: ['" force "']}\n"                          \
    "initial: {values: {" start "}}\n"                                                             \
    "simulate: {end: " end "}\n"
#define OF_TIME(force)                                                                             \
    "trammel: 1\nparameters: {t0: 0.5, a: 2}\n" MOVES(force, "x: 0.1, v: 1", "1.9")

#define OF_TABLE(points)                                                                           \
    OF_TIME("a*table(f, t) - x") "tables: {f: {points: [[0, 0], " points ", [2, 0]]}}\n"

static const char slope[] =
    "trammel: 1\n"
    "parameters: {mu: 0.3, v0: 2, mus: 0.4}\n"
    "simulate: {end: 2.5}\n"
    "mechanism:\n"
    "  plane: xy\n"
    "  gravity: [0, -9.81]\n"
    "  bodies: {block: {mass: 3, center: [0, 0], inertia: 0.1}}\n"
    "  joints:\n"
    "    g: {prismatic: {between: [ground, block], at: [0, 0], axis: x},\n"
    "        start: {rate: v0, keep: true}, friction: {static: mus, dynamic: mu}}\n"
    "outputs: {x: block_x}\n";
static const char belt[] =
    "trammel: 1\n"
    "parameters: {k: 100, v: 0.1, m: 1, mus: 0.4}\n"
    "simulate: {end: 2.5}\n"
    "mechanism:\n"
    "  plane: xy\n"
    "  gravity: [0, -9.81]\n"
    "  bodies: {belt: {mass: 1, center: [0, -0.1], inertia: 0.1},\n"
    "           block: {mass: m, center: [0, 0], inertia: 0.1}}\n"
    "  joints:\n"
    "    b: {prismatic: {between: [ground, belt], at: [0, -0.1], axis: x}, motion: v*t}\n"
    "    g: {prismatic: {between: [belt, block], at: [0, 0], axis: x},\n"
    "        friction: {static: mus, dynamic: 0.3}}\n"
    "  forces:\n"
    "    s: {spring: {between: [ground, block], from: [-1, 0], to: [0, 0], stiffness: k}}\n"
    "outputs: {x: block_x}\n";
static const char loop[] =
    "trammel: 1\n"
    "parameters: {L: 0.4, r: 0.15, a0: 60 deg, mo: 0.5}\n"
    "simulate: {end: 2.5}\n"
    "mechanism:\n"
    "  plane: xy\n"
    "  gravity: [0, -9.81]\n"
    "  bodies:\n"
    "    crank: {mass: 1, center: [0, 0], inertia: 0.01}\n"
    "    rod: {mass: 0.3, center: ['r + L/2', 0], inertia: 0.004}\n"
    "    slider: {mass: 0.6, center: ['r + L', 0], inertia: 1e-3}\n"
    "  joints:\n"
    "    shaft: {revolute: {between: [ground, crank], at: [0, 0]}, start: {angle: a0, keep: "
    "true},\n"
    "            friction: {static: 0.2, dynamic: 0.2, radius: 0.01}}\n"
    "    pin: {revolute: {between: [crank, rod], at: [r, 0]}, start: {angle: '-80*pi/180'}}\n"
    "    wrist: {revolute: {between: [rod, slider], at: ['r + L', 0]}}\n"
    "    guide: {prismatic: {between: [ground, slider], at: ['r + L', 0], axis: x}}\n"
    "  forces: {motor: {actuator: {joint: shaft, effort: mo}}}\n"
    "outputs: {x: guide_travel}\n";
static const char impulse[] = "trammel: 1\n"
                              "parameters: {t0: 0.5, a: 2}\n"
                              "simulate: {end: 2.5}\n"
                              "mechanism:\n"
                              "  plane: xy\n"
                              "  gravity: [0, -9.81]\n"
                              "  bodies: {cart: {mass: 1, center: [0, 0], inertia: 1},\n"
                              "           bob: {mass: 1, center: [0, -1], inertia: 0.1}}\n"
                              "  joints:\n"
                              "    g: {prismatic: {between: [ground, cart], at: [0, 0], axis: x}, "
                              "motion: 'a*max(t - t0, 0)'}\n"
                              "    p: {revolute: {between: [cart, bob], at: [0, 0]}}\n"
                              "outputs: {angle: p_angle}\n";
#define BALL(contact)                                                                              \
    "trammel: 1\n"                                                                                 \
    "parameters: {vx: 1, k: 1e5, h: 0.2, rest: 0.7}\n"                                             \
    "simulate: {end: 2.5}\n"                                                                       \
    "mechanism:\n"                                                                                 \
    "  gravity: [0, 0, -9.81]\n"                                                                   \
    "  bodies: {ball: {mass: 0.5, center: [0, 0, h], inertia: [5e-4, 5e-4, 5e-4]}}\n"              \
    "  joints: {f: {free: {between: [ground, ball]}, start: {x_rate: vx}}}\n"                      \
    "  forces:\n"                                                                                  \
    "    top: {contact: {between: [ground, ball], at: [0, 0, 0], normal: z, center: [0, 0, h],\n"  \
    "          radius: 0.05, stiffness: k, " contact "}}\n"                                        \
    "outputs: {x: ball_x, z: ball_z}\n"
static const char stop[] =
    "trammel: 1\n"
    "parameters: {v: 1, lim: 0.2, k: 1e4, c: 0.3}\n"
    "simulate: {end: 2.5}\n"
    "mechanism:\n"
    "  plane: xy\n"
    "  bodies: {b: {mass: 1, center: [0, 0], inertia: 0.01}}\n"
    "  joints:\n"
    "    w: {prismatic: {between: [ground, b], at: [0, 0], axis: x}, start: {rate: v, keep: "
    "true},\n"
    "        stops: {travel: {low: -0.1, high: lim, stiffness: k, damping: c}}}\n";

// Five digits; fewer where the differences have no more (friction gives by 1e-6 m, of which runs at
// 1e-12 know six digits), and with bdf, whose sensitivities are not in its error test. The speed of
// an impact that restitution needs is the largest of those at the ends of steps.
static const difference_case jumps[] = {
    {"step", {"t0", "a"}, 1.9, 1e-5, .text = OF_TIME("if(t > t0, a, 0)")},
    {"kink", {"t0", "a"}, 1.9, 1e-5, .text = OF_TIME("a*max(t - t0, 0) - x")},
    {"floor", {"t0", "a"}, 1.9, 1e-5, .text = OF_TIME("a*floor(t/t0) - x")},
    {"abs", {"t0", "a"}, 1.9, 1e-4, .text = OF_TIME("a*abs(x - t0)")},
    {"min", {"t0", "a"}, 1.9, 1e-5, .text = OF_TIME("-a*min(x, t0)")},
    {"mod", {"t0", "a"}, 1.9, 1e-5, .text = OF_TIME("a*mod(t, t0) - x")},
    {"corner", {"t0", "a"}, 1.9, 1e-5, .text = OF_TABLE("[t0, 1], ['2*t0', -1]")},
    {"steep", {"t0", "a"}, 1.9, 1e-5, .text = OF_TABLE("[t0, 0], ['t0 + 1e-9', 1]")},
    {"state",
     {"x0", "a", "v0"},
     2,
     1e-4,
     .text = "trammel: 1\nparameters: {x0: 0.5, a: 2, v0: 1}\n" MOVES("if(x > x0, -a, 1)", "v: v0",
                                                                      "2")},
    // bdf has one digit, and says so: steps of 1e-9 at reversals
    {"sign",
     {"c", "k", "x0"},
     2.3,
     1e-4,
     .text =
         "trammel: 1\nparameters: {c: 1, k: 10, x0: 1}\n" MOVES("-k*x - c*sign(v)", "x: x0", "2.3"),
     .bdf = 0.5},
    {"slope", {"mu", "v0", "mus"}, 1.5, 1e-5, .text = slope, .outputs_only = true},
    {"belt", {"v", "m", "mus"}, 2.5, 1e-4, .text = belt, .bdf = 2e-2, .outputs_only = true},
    {"loop", {"L", "a0", "mo"}, 1, 3e-4, .text = loop},
    {"impulse", {"t0", "a"}, 2, 1e-5, .text = impulse},
    {"impact",
     {"k", "h", "rest"},
     0.4,
     1e-3,
     .text = BALL("restitution: rest, friction: 0"),
     .bdf = 1e-2,
     .outputs_only = true},
    {"spin",
     {"vx", "h", "rest"},
     0.4,
     1e-3,
     .text = BALL("restitution: rest, friction: 0.3"),
     .bdf = 1e-2,
     .outputs_only = true},
    {"stop", {"v", "lim", "c"}, 1.2, 1e-4, .text = stop, .bdf = 1e-3},
};

static void test_sensitivities_jump_where_forces_do(void **state)
{
    (void)state;
    check_differences(jumps, sizeof jumps / sizeof *jumps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sensitivity_of_an_oscillator_is_that_of_its_formula),
        cmocka_unit_test(test_sensitivity_by_equations_is_no_difference),
        cmocka_unit_test(test_sensitivities_agree_with_differences_of_tight_runs),
        cmocka_unit_test(test_sensitivities_jump_where_forces_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
