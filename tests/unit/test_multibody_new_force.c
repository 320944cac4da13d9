// SPDX-License-Identifier: Apache-2.0
// How a force is added, the example of CONTRIBUTING.md: two points that attract each other as
// magnets or masses do, with a drag. Its row is the distance of the points, that of springs.
#include "forces.h"

static void attract(const trmi_element *element, const trmi_law_input *in, trmi_law *out)
{
    double k = element->force->stiffness[0], c = element->force->damping[0];
    double p = in->p[0], v = in->v[0];
    out->F[0] = k / (p * p) + c * v;
    out->F_p[0][0] = -2 * k / (p * p * p);
    out->F_v[0][0] = c;
    out->potential = -k / p;
    out->dissipated = c * v * v;
    out->failed = !(p > 0);
}

// What force_create.c would have as [TRMI_FORCE_ATTRACTION] = {{&trmi_plain_length}, attract}: the
// recipe of a spring has this row, the element gets the law.
static void use_attraction(fixture *f, trmi_element *element)
{
    *element = f->forces.element[0];
    element->law = attract;
    f->forces.element = element;
}

static trmi_force *add_attraction(fixture *f, double k, double c)
{
    trmi_force *force = add_force(f, TRMI_FORCE_SPRING, 5, 4);
    force->stiffness[0] = k;
    force->damping[0] = c;
    return force;
}

static void test_new_force_law_agrees_with_differences(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        static fixture f;
        trmi_element element;
        start(&f, (uint32_t)(10 * i + 3));
        add_attraction(&f, 3, 0.7);
        create(&f, i % 2);
        use_attraction(&f, &element);
        check_all(&f);
        check_symmetry(&f);
        end_machine(&f.m);
    }
}

// two free bodies whose points, their centres, are this far apart along x
static void set_apart(fixture *f, trmi_element *element, double distance)
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
    use_attraction(f, element);
    memset(f->m.q, 0, sizeof f->m.q);
    memset(f->m.v, 0, sizeof f->m.v);
    trmi_tree_held(f->m.tree, f->m.held);
    trmi_tree_reference(f->m.tree, &f->m.mechanism, f->m.q);
}

static void test_new_force_pulls_the_points_together(void **state)
{
    (void)state;
    static fixture f;
    trmi_element element;
    set_apart(&f, &element, 2);
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
    trmi_element element;
    trmi_wrench on_body[BODIES] = {{{0, 0, 0}, {0, 0, 0}}};
    double on_column[MAX_Q] = {0};
    set_apart(&f, &element, 0);
    move_machine(&f.m);
    assert_int_equal(trmi_forces_load(&f.forces, &f.work, &f.m.k, &f.m.state, on_body, on_column),
                     1);
    end_machine(&f.m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_new_force_law_agrees_with_differences),
        cmocka_unit_test(test_new_force_pulls_the_points_together),
        cmocka_unit_test(test_new_force_at_distance_zero_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
