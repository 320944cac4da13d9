// SPDX-License-Identifier: Apache-2.0
// Beams as bodies: exact derivatives, reactions and energy in joint and absolute coordinates, and
// where joints attach.
#include "models.h"

#include "modelling/multibody/machine.h"
#include "modelling/reader/model.h"

// A beam behind an arm, another one behind its middle, a mass at its end; every way of attaching.
#define ARM                                                                                        \
    "trammel: 1\n"                                                                                 \
    "mechanism:\n"                                                                                 \
    "  gravity: [1, -9.81]\n"                                                                      \
    "  bodies:\n"                                                                                  \
    "    ball: {mass: 0.5, center: [2, 1], inertia: 0.1}\n"                                        \
    "    arm: {mass: 2, center: [0.5, 0], inertia: 0.2}\n"                                         \
    "    rod: {beam: {from: [1, 0], to: [2, 1], elements: 2, modulus: 100, area: 0.5,\n"           \
    "          inertia: 0.2, density: 2, frame: tangent}}\n"                                       \
    "    tail: {beam: {from: [1.5, 0.5], to: [1.5, -1], elements: 3, modulus: 80, area: 0.4,\n"    \
    "          inertia: 0.2, density: 3, frame: chord}}\n"                                         \
    "  joints:\n"                                                                                  \
    "    pivot: {revolute: {between: [ground, arm], at: [0, 0]}}\n"                                \
    "    pin: {revolute: {between: [arm, rod], at: [1, 0]}}\n"                                     \
    "    weld: {fixed: {between: [rod, ball], at: [2, 1]}}\n"                                      \
    "    hinge: {revolute: {between: [rod, tail], at: [1.5, 0.5]}}\n"                              \
    "    slot: {prismatic: {between: [ground, tail_3], at: [1.5, -1], axis: y}}\n"                 \
    "  forces:\n"                                                                                  \
    "    wind: {force: {on: tail, at: [1.5, 0], value: [3, 1]}}\n"                                 \
    "    spring: {spring: {between: [ground, rod], from: [3, 3], to: [2, 1], stiffness: 5}}\n"     \
    "simulate: {end: 1}\n"

static void open_arm(model_case *c, const char *plane, bool absolute, const char *frame)
{
    char plane_set[80], frame_set[80];
    snprintf(plane_set, sizeof plane_set, "mechanism.plane=%s", plane);
    snprintf(frame_set, sizeof frame_set, "mechanism.bodies.rod.beam.frame=%s", frame);
    const char *const set[] = {
        plane_set, frame_set,
        absolute ? "mechanism.coordinates=absolute" : "mechanism.coordinates=joint", NULL};
    // axes of joints are named after the plane: the slot goes along its second axis
    char text[sizeof ARM];
    memcpy(text, ARM, sizeof ARM);
    *(strstr(text, "axis: y") + 6) = plane[1];
    model_try(c, text, "m.yaml", set);
    model_instantiate(c);
}

// a random state at which every term counts
static model_point shake(const model_case *c, uint64_t seed)
{
    return model_near(c->system, trm_instance_initial(c->instance), 0.4, seed);
}

static trm_state held_view(const model_case *c, const model_point *p)
{
    trm_state s = model_view(p);
    s.held = c->system->held;
    return s;
}

static void test_flexible_derivatives_agree_with_differences(void **state)
{
    (void)state;
    static const char *const planes[] = {"xy", "yz", "zx"}, *const frames[] = {"tangent", "chord"};
    for (int k = 0; k < 12; k++) {
        model_case c;
        trm_error error;
        open_arm(&c, planes[k / 4], k % 2, frames[k / 2 % 2]);
        model_point p = shake(&c, (uint64_t)k + 1);
        trm_state s = held_view(&c, &p);
        // two-sided differences of increment eps^(1/3): some 1e-9 of the largest entry
        if (trm_system_check_derivatives(c.system, &s, 1e-7, NULL, &error) != TRM_OK)
            fail_msg("%s, %s, %s: %s", planes[k / 4], frames[k / 2 % 2],
                     k % 2 ? "absolute" : "joint", error.text);
        model_close(&c);
    }
}

static int index_of(const trm_system *s, const char *name)
{
    char buffer[64];
    for (int i = 0; i < s->n_q; i++)
        if (strcmp(trm_coordinate_name(s, i, buffer, sizeof buffer), name) == 0)
            return i;
    fail_msg("there is no coordinate %s", name);
    return -1;
}

// v.(M a - f) at q, v with q' = v, v' = a is the change of energy, without loads that have no
// potential
static void test_flexible_work_is_change_of_energy(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        model_case c;
        open_arm(&c, "xy", k % 2, k / 2 ? "chord" : "tangent");
        model_point p = shake(&c, (uint64_t)k + 1), before = p, after = p;
        const trm_system *s = c.system;
        const int n = s->n_q;
        const double h = 1e-5;
        double power = 0, energy[2];
        for (int i = 0; i < n; i++) {
            before.q[i] = p.q[i] - h * p.v[i] + h * h / 2 * p.a[i];
            after.q[i] = p.q[i] + h * p.v[i] + h * h / 2 * p.a[i];
            before.v[i] = p.v[i] - h * p.a[i];
            after.v[i] = p.v[i] + h * p.a[i];
        }
        double *M = model_dense(s, TRM_QUANTITY_MASS, &p),
               *f = model_dense(s, TRM_QUANTITY_FORCE, &p);
        for (int i = 0; i < n; i++) {
            power -= p.v[i] * f[i];
            for (int j = 0; j < n; j++)
                power += p.v[i] * M[i + n * j] * p.a[j];
        }
        // wind on node tail_1, which the energy does not know: its velocity by differences
        double place[2][128];
        const model_point *at[] = {&before, &after};
        for (int e = 0; e < 2; e++) {
            trm_state view = held_view(&c, at[e]);
            trmi_instance_mechanism(c.instance, &view, place[e]);
            model_call(s, TRM_QUANTITY_ENERGY, at[e], &energy[e]);
        }
        const trmi_mechanism *m = c.model->mechanism;
        int node = 0;
        while (strcmp(m->body[node].name, "tail_1") != 0)
            node++;
        const int x = 3 * (node - 1);
        double wind = (3 * (place[1][x] - place[0][x]) + (place[1][x + 1] - place[0][x + 1]));
        // differences over 2 h with h = 1e-5: h^2 and eps/h, both 1e-10 of numbers up to 1e2
        double found = (energy[1] - energy[0]) / (2 * h), wanted = power + wind / (2 * h);
        if (!(fabs(found - wanted) < 1e-7 * (1 + fabs(wanted))))
            fail_msg("case %d: energy changes by %.10g instead of %.10g", k, found, wanted);
        free(M);
        free(f);
        model_close(&c);
    }
}

static void test_flexible_mass_is_that_of_the_beam(void **state)
{
    (void)state;
    model_case c;
    open_arm(&c, "xy", true, "tangent");
    model_point p = model_near(c.system, trm_instance_initial(c.instance), 0, 1);
    int x = index_of(c.system, "rod_x"), phi = index_of(c.system, "rod_angle");
    const double mass = 2 * 0.5 * sqrt(2), length = sqrt(2); // density area length
    // rounding of sums of a few terms
    assert_true(fabs(model_value(c.system, TRM_QUANTITY_MASS, &p, x, x) - mass) < 1e-14);
    assert_true(fabs(model_value(c.system, TRM_QUANTITY_MASS, &p, phi, phi) -
                     mass * length * length / 12) < 1e-14);
    // a translation across the beam is one of its nodes: c.w over a unit deflection = mass less the
    // part of the first element that the frame carries, 1/2 of its mass
    double across = 0;
    for (int node = 1; node <= 2; node++) {
        char name[20];
        snprintf(name, sizeof name, "rod_%d_w", node);
        across += model_value(c.system, TRM_QUANTITY_MASS, &p, x, index_of(c.system, name));
    }
    // n = (-1, 1)/sqrt(2); 3/4 of the mass
    assert_true(fabs(across + 0.75 * mass / sqrt(2)) < 1e-14);
    model_close(&c);
}

// A cantilever under its own weight: cubic elements are exact at the nodes, so that Euler's curve
// is an equilibrium, and the wall carries the weight.
static void test_flexible_own_weight_bends_as_euler_says(void **state)
{
    (void)state;
    static const char text[] =
        "trammel: 1\n"
        "mechanism:\n"
        "  plane: xy\n"
        "  gravity: [0, -10]\n"
        "  bodies:\n"
        "    arm: {beam: {from: [0, 0], to: [2, 0], elements: 5, modulus: 50, area: 0.5,\n"
        "                 inertia: 2, density: 6, stiffening: false}}\n"
        "  joints:\n"
        "    wall: {fixed: {between: [ground, arm], at: [0, 0]}}\n"
        "simulate: {end: 1}\n";
    const double l = 2, EI = 100, load = 0.5 * 6 * 10;
    for (int absolute = 0; absolute < 2; absolute++) {
        const char *const set[] = {
            absolute ? "mechanism.coordinates=absolute" : "mechanism.coordinates=joint", NULL};
        model_case c;
        double place[64];
        model_try(&c, text, "m.yaml", set);
        model_instantiate(&c);
        model_point p = model_near(c.system, trm_instance_initial(c.instance), 0, 1);
        p.t = 0;
        const int first = index_of(c.system, "arm_1_w");
        for (int node = 1; node <= 5; node++) {
            const double x = l * node / 5;
            p.q[first + 2 * node - 2] = -load / (24 * EI) * x * x * (6 * l * l - 4 * l * x + x * x);
            p.q[first + 2 * node - 1] = -load / (6 * EI) * x * (3 * l * l - 3 * l * x + x * x);
        }
        double *f = model_dense(c.system, TRM_QUANTITY_FORCE, &p);
        for (int i = first; i < first + 10; i++)
            assert_true(fabs(f[i]) < 1e-11); // rounding of stiffness (1e4) times deflection
        // multipliers of the wall in absolute coordinates: - G^T lambda balances f
        if (absolute) {
            double *G = model_dense(c.system, TRM_QUANTITY_CONSTRAINT_Q, &p);
            // x, y and angle of the frame, whose centre is l/2 from the wall
            assert_int_equal(c.system->n_g, 3);
            p.lambda[1] = f[1] / G[1 + 3 * 1];
            p.lambda[2] = (f[2] - G[1 + 3 * 2] * p.lambda[1]) / G[2 + 3 * 2];
            free(G);
        }
        trm_state s = held_view(&c, &p);
        trmi_instance_mechanism(c.instance, &s, place);
        const double *wall = &place[3 * 6]; // behind the poses of the frame and five nodes
        // weight, and its moment about the wall; rounding
        assert_true(fabs(wall[0]) < 1e-11);
        assert_true(fabs(wall[1] - load * l) < 1e-11);
        assert_true(fabs(wall[2] - load * l * l / 2) < 1e-11);
        free(f);
        model_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flexible_derivatives_agree_with_differences),
        cmocka_unit_test(test_flexible_work_is_change_of_energy),
        cmocka_unit_test(test_flexible_mass_is_that_of_the_beam),
        cmocka_unit_test(test_flexible_own_weight_bends_as_euler_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
