// SPDX-License-Identifier: Apache-2.0
// Derivatives of forces by parameters that enter their laws alone, against differences between
// neighbours of the mechanism; parameters that enter anything else have none.
#include "models.h"

#include <string.h>

static const char text[] =
    "trammel: 1\n"
    "parameters: {k: 3000, c: 20, l: 0.4, E: 1e9, eps: 1e-3, twice: '2*k'}\n"
    "mechanism:\n"
    "  bodies:\n"
    "    a: {mass: 1, center: [0, 0, 0], inertia: [0.1, 0.2, 0.3]}\n"
    "    b: {mass: 2, center: [1, 0, 0], inertia: [0.2, 0.2, 0.1]}\n"
    "  joints:\n"
    "    pin: {revolute: {between: [ground, a], at: [-0.5, 0, 0], axis: z}}\n"
    "    place: {free: {between: [ground, b]}}\n"
    "  forces:\n"
    "    pull: {spring: {between: [a, b], from: [0, 0.1, 0], to: [1, 0.2, 0.3], stiffness: twice,\n"
    "                    damping: c, length: l, preload: k/100}}\n"
    "    turn: {actuator: {joint: pin, stiffness: k, natural: 0.1*l, damping: c^2}}\n"
    "    bush: {bushing: {between: [a, b], at: [0.5, 0, 0], stiffness: [1/eps, k, 200],\n"
    "                     damping: c, rotation_stiffness: 1/eps, preload: [1, k, 0, 0, 0, l]}}\n"
    "    beam: {beam: {between: [ground, b], from: [2, 0, 0], to: [1, 0, 0], area: 1e-4,\n"
    "                  modulus: E, inertia_y: 1e-8, inertia_z: 1e-8, torsion: 1e-8}}\n"
    "simulate: {end: 1}\n";
static const char *const names[] = {"k", "c", "l", "E", "eps", NULL};
enum { NAMES = 5 };

typedef struct fixture {
    model_case c;
    trm_neighbours *neighbours;
    const trm_parameter *parameter;
} fixture;

// the model with two settings more (NULL: none), its neighbours, and an instance that has them
static void open_model(fixture *f, const char *set, const char *also)
{
    const char *const sets[] = {set, also, NULL};
    const trm_load load = {
        .set = sets, .report = model_collect, .user = &f->c, .vary = names, .sensitive = 1};
    memset(f, 0, sizeof *f);
    f->c.status = trm_model_read(&f->c.model, text, strlen(text), "m.yaml", &load, &f->c.error);
    model_instantiate(&f->c);
    assert_int_equal(trm_neighbours_create(&f->neighbours, f->c.model, NULL, &f->c.error), TRM_OK);
    assert_int_equal(trm_neighbours_attach(f->neighbours, f->c.instance), TRM_OK);
    f->parameter = trm_neighbours_parameters(f->neighbours, NULL);
}

static void close_model(fixture *f)
{
    trm_neighbours_destroy(f->neighbours);
    model_close(&f->c);
}

static void evaluate(const trm_system *s, trm_quantity quantity, const model_point *p, double *out)
{
    trm_state state = model_view(p);
    double *want[TRM_QUANTITY_COUNT] = {NULL};
    want[quantity] = out;
    state.held = s->held;
    assert_int_equal(s->evaluate(&state, want, s->user), 0);
}

// The noise moves the bodies by 0.1 m and rad, where all terms are of the size of the forces. The
// residuals of neighbours have roundoff 1e-16 of forces up to 1e5 N, over a width of 1e-5 of the
// parameter: 1e-6 of the derivatives, which are about the forces over the parameter.
static void test_force_derivative_by_numbers_of_laws_is_that_of_neighbours(void **state)
{
    (void)state;
    fixture f;
    open_model(&f, NULL, NULL);
    const trm_system *s = f.c.system;
    const int n = s->n_q;
    double f_p[NAMES * MODEL_LARGEST], above[MODEL_LARGEST], below[MODEL_LARGEST];
    assert_int_equal(s->n_p, NAMES);
    for (uint64_t seed = 1; seed <= 5; seed++) {
        const model_point p = model_near(s, trm_instance_initial(f.c.instance), 0.1, seed);
        evaluate(s, TRM_QUANTITY_FORCE_P, &p, f_p);
        for (int k = 0; k < NAMES; k++) {
            const trm_parameter *by = &f.parameter[k];
            double largest = 0, *column = f_p + n * (by->force_column - 1);
            evaluate(by->above, TRM_QUANTITY_RESIDUAL, &p, above);
            evaluate(by->below, TRM_QUANTITY_RESIDUAL, &p, below);
            for (int i = 0; i < n; i++)
                largest = fmax(largest, fabs(column[i]));
            assert_true(largest > 0);
            for (int i = 0; i < n; i++) {
                double difference = (below[i] - above[i]) / by->width;
                if (!(fabs(column[i] - difference) <= 1e-6 * largest))
                    fail_msg("by %s: %.12g instead of %.12g", names[k], column[i], difference);
            }
        }
    }
    close_model(&f);
}

// Together with K and D, whose rows serve both, it is the same number.
static void test_force_derivative_with_others_is_that_alone(void **state)
{
    (void)state;
    fixture f;
    open_model(&f, NULL, NULL);
    const trm_system *s = f.c.system;
    const size_t count = (size_t)(s->n_q * s->n_p);
    const model_point p = model_near(s, trm_instance_initial(f.c.instance), 0.1, 7);
    double alone[NAMES * MODEL_LARGEST], with[NAMES * MODEL_LARGEST];
    double *K = calloc((size_t)model_entries(s, TRM_QUANTITY_STIFFNESS), sizeof *K);
    double *D = calloc((size_t)model_entries(s, TRM_QUANTITY_DAMPING), sizeof *D);
    double *want[TRM_QUANTITY_COUNT] = {
        [TRM_QUANTITY_STIFFNESS] = K, [TRM_QUANTITY_DAMPING] = D, [TRM_QUANTITY_FORCE_P] = with};
    trm_state at = model_view(&p);
    at.held = s->held;
    evaluate(s, TRM_QUANTITY_FORCE_P, &p, alone);
    assert_int_equal(s->evaluate(&at, want, s->user), 0);
    assert_memory_equal(alone, with, count * sizeof *alone);
    free(K);
    free(D);
    close_model(&f);
}

// A parameter that enters more than laws, or a law that is not smooth in it, has neighbours only;
// those beside it keep their columns.
static void test_parameter_that_enters_more_than_laws_has_no_force_column(void **state)
{
    (void)state;
    static const struct {
        const char *set;
        bool others;
        const char *also;
    } more[] = {
        {"mechanism.bodies.b.mass=k/1000", true, NULL},
        {"mechanism.bodies.b.mass=twice/1000", true, NULL},
        {"mechanism.forces.pull.spring.from=[0, k/1e5, 0]", true, NULL},
        {"mechanism.forces.turn.actuator.effort=k*sin(t)", true, NULL},
        {"mechanism.forces.pull.spring.spring_table=[[-1, -k], [0, 0], [1, 2*k]]", true, NULL},
        {"mechanism.gravity=[0, 0, -k/300]", true, NULL},
        {"mechanism.joints.place.start={x: k/1e5}", true, NULL},
        {"mechanism.joints.pin.motion=sin(k*t/1000)", true, NULL},
        {"mechanism.states={w: k*(1 - w)}", true, NULL},
        {"mechanism.define={half: k/2}", true, "mechanism.forces.turn.actuator.effort=half*t"},
        {"outputs={half: k*b_x}", true, "mechanism.forces.turn.actuator.effort=half*t"},
        {"parameters.half=k/2", true, "mechanism.bodies.b.mass=half"},
        {"mechanism.states={w: pull_force - w}", false, NULL}, // a rate that follows from laws
        {"mechanism.formalism=explicit", false, NULL},
    };
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        fixture f;
        open_model(&f, more[i].set, more[i].also);
        if (f.parameter[0].force_column != 0)
            fail_msg("%s: column %d", more[i].set, f.parameter[0].force_column);
        if ((f.parameter[1].force_column > 0) != more[i].others)
            fail_msg("%s: c has column %d", more[i].set, f.parameter[1].force_column);
        close_model(&f);
    }
}

// Outputs, events that stop, and tolerances are no part of the system.
static void test_parameter_of_outputs_keeps_its_force_column(void **state)
{
    (void)state;
    static const char *const sets[] = {"outputs={work: k*b_x}",
                                       "events={far: {when: b_x - k, action: stop}}",
                                       "simulate.end=k/1000", "mechanism.define={half: k/2}"};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        fixture f;
        open_model(&f, sets[i], NULL);
        if (f.parameter[0].force_column == 0)
            fail_msg("%s", sets[i]);
        close_model(&f);
    }
}

// A column that the system does not have is refused; without the quantity it is not used.
static void test_force_column_outside_the_system_is_refused(void **state)
{
    (void)state;
    fixture f;
    trm_simulation *s;
    open_model(&f, NULL, NULL);
    trm_parameter wrong = f.parameter[0];
    trm_options options = *trm_model_options(f.c.model);
    trm_system bare = *f.c.system;
    const trm_initial *initial = trm_instance_initial(f.c.instance);
    options.integrator = TRM_INTEGRATOR_RADAU_ADAPTIVE;
    wrong.force_column = NAMES + 1;
    assert_int_equal(
        trm_simulation_create_sensitive(&s, f.c.system, &options, initial, &wrong, 1, &f.c.error),
        TRM_ERR_RANGE);
    assert_non_null(strstr(f.c.error.text, "force_column"));
    bare.evaluates &= ~TRM_BIT(FORCE_P);
    assert_int_equal(
        trm_simulation_create_sensitive(&s, &bare, &options, initial, &wrong, 1, &f.c.error),
        TRM_OK);
    trm_simulation_destroy(s);
    close_model(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_force_derivative_by_numbers_of_laws_is_that_of_neighbours),
        cmocka_unit_test(test_force_derivative_with_others_is_that_alone),
        cmocka_unit_test(test_parameter_that_enters_more_than_laws_has_no_force_column),
        cmocka_unit_test(test_parameter_of_outputs_keeps_its_force_column),
        cmocka_unit_test(test_force_column_outside_the_system_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
