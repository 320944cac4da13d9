// SPDX-License-Identifier: Apache-2.0
// How a force is added, the example of CONTRIBUTING.md: its file, and a line in the list of types.
// The list of this program replaces that of the library.
#define TRMI_MORE_FORCES(X) X(attraction)
#include "modelling/multibody/forces/forces.c"
#include "unit/example/attraction.c"

#include "forces.h"
#include "models.h"

static trmi_force *add_attraction(fixture *f, double k, double c)
{
    trmi_force *force = add_force(f, &trmi_force_attraction, 5, 4);
    set_number(force, "strength", k);
    set_number(force, "drag", c);
    return force;
}

static void test_new_force_law_agrees_with_differences(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        static fixture f;
        start(&f, (uint32_t)(10 * i + 3));
        add_attraction(&f, 3, 0.7);
        create(&f, i % 2);
        check_all(&f);
        check_symmetry(&f);
        end_machine(&f.m);
    }
}

// two free bodies whose points, their centres, are this far apart along x
static void set_apart(fixture *f, double distance)
{
    start(f, 1);
    f->m.mechanism.bodies = 3;
    f->m.mechanism.joints = 0;
    trmi_force *force = add_attraction(f, 8, 0);
    force->body[0] = 1;
    force->body[1] = 2;
    force->at = f->m.body[1].center;
    f->m.body[2].center = trmi_v3_add(force->at, (trmi_v3){distance, 0, 0});
    force->at_second = f->m.body[2].center;
    create(f, true);
    memset(f->m.q, 0, sizeof f->m.q);
    memset(f->m.v, 0, sizeof f->m.v);
    trmi_tree_held(f->m.tree, f->m.held);
    trmi_tree_reference(f->m.tree, &f->m.mechanism, f->m.q);
}

static void test_new_force_pulls_the_points_together(void **state)
{
    (void)state;
    static fixture f;
    set_apart(&f, 2);
    evaluate(&f);
    // k/p^2 = 8/2^2 on the first body, the opposite on the second, -k/p stored; rounding of 2 = p
    // as a difference of centres of size 1
    assert_near(f.f[0], 2, 1e-14);
    assert_near(f.f[6], -2, 1e-14);
    assert_near(f.energy.potential, -4, 1e-14);
    end_machine(&f.m);
}

// Points that coincide have no direction: the state is refused.
static void test_new_force_at_distance_zero_is_refused(void **state)
{
    (void)state;
    static fixture f;
    trmi_wrench on_body[BODIES] = {{{0, 0, 0}, {0, 0, 0}}};
    double on_column[MAX_Q] = {0};
    set_apart(&f, 0);
    move_machine(&f.m);
    assert_int_equal(trmi_forces_load(&f.forces, &f.work, &f.m.k, &f.m.state, on_body, on_column),
                     1);
    end_machine(&f.m);
}

// Two masses 2 m apart: f = k/p^2 on the first, the opposite on the second.
static void test_new_force_is_read_from_a_file(void **state)
{
    (void)state;
    model_case c;
    model_read(&c, "trammel: 1\n"
                   "mechanism:\n"
                   "  bodies:\n"
                   "    a: {mass: 1, center: [0, 0, 0], inertia: [1, 1, 1]}\n"
                   "    b: {mass: 1, center: [2, 0, 0], inertia: [1, 1, 1]}\n"
                   "  joints: {one: {free: {between: [ground, a]}}, two: {free: {between: [ground, "
                   "b]}}}\n"
                   "  forces: {pull: {attraction: {between: [a, b], from: [0, 0, 0], to: [2, 0, "
                   "0], strength: 8}}}\n"
                   "simulate: {end: 1}\n");
    model_point start = model_near(c.system, trm_instance_initial(c.instance), 0, 1);
    double f[12] = {0}, held[16] = {0}, *want[TRM_QUANTITY_COUNT] = {[TRM_QUANTITY_FORCE] = f};
    trm_state at = model_view(&start);
    assert_in_range(c.system->n_held, 0, 16);
    if (c.system->held)
        memcpy(held, c.system->held, (size_t)c.system->n_held * sizeof *held);
    at.held = held;
    assert_int_equal(c.system->evaluate(&at, want, c.system->user), 0);
    assert_near(f[0], 2, 1e-14);
    assert_near(f[6], -2, 1e-14);
    model_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_new_force_law_agrees_with_differences),
        cmocka_unit_test(test_new_force_pulls_the_points_together),
        cmocka_unit_test(test_new_force_at_distance_zero_is_refused),
        cmocka_unit_test(test_new_force_is_read_from_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
