// SPDX-License-Identifier: Apache-2.0
// Forces on random trees and stars: K, D and f_lambda of every law against differences, energy and
// power against the work done, symmetric stiffness of conservative laws, and the beam's matrix.
#include "forces.h"

#include "modelling/multibody/forces/contact.h"
#include "modelling/multibody/forces/tyre_law.h"

// ---- the forces ------------------------------------------------------------------------------

static const double table_x[] = {-2, -0.5, 0, 0.4, 3}, table_y[] = {-5, -1, 0, 2, 3};
static const double damper_x[] = {-10, 0, 10}, damper_y[] = {-3, 0, 8};

typedef void adder(fixture *f);

static void add_spring(fixture *f)
{
    trmi_force *spring = add_force(f, &trmi_force_spring, 5, 4);
    set_number(spring, "stiffness", 3);
    set_number(spring, "damping", 0.7);
    set_number(spring, "length", 1.1);
    set_number(spring, "preload", 0.4);
    trmi_interpolant *curve = parameter_of(spring, "spring_table");
    *curve = (trmi_interpolant){.count = 5, .x = table_x, .y = table_y};
    curve = parameter_of(spring, "damper_table");
    *curve = (trmi_interpolant){.count = 3, .x = damper_x, .y = damper_y};
    *(trmi_interpolation *)parameter_of(spring, "interpolation") = TRMI_INTERPOLATION_SPLINE;
}

static void add_actuator(fixture *f)
{
    trmi_force *motor = add_force(f, &trmi_force_actuator, 0, 0);
    *(trmi_term *)parameter_of(motor, "joint") = (trmi_term){.joint = 2, .measure = 1};
    set_number(motor, "stiffness", 2);
    set_number(motor, "damping", 0.3);
    set_number(motor, "natural", 0.2);
    ((trmi_formula *)parameter_of(motor, "effort"))->constant = -1.5;
}

static void add_bushing(fixture *f)
{
    trmi_force *bushing = add_force(f, &trmi_force_bushing, 2, 5);
    double *stiffness = parameter_of(bushing, "stiffness");
    double *damping = parameter_of(bushing, "damping"), *preload = parameter_of(bushing, "preload");
    bushing->at_second = bushing->at;
    for (int i = 0; i < 6; i++) {
        preload[i] = noise(&f->m);
        for (int j = 0; j <= i; j++) {
            stiffness[6 * i + j] = stiffness[6 * j + i] = noise(&f->m);
            damping[6 * i + j] = noise(&f->m);
        }
        stiffness[7 * i] = 4;
    }
}

static void add_beam(fixture *f)
{
    trmi_force *beam = add_force(f, &trmi_force_beam, 3, 5);
    set_number(beam, "modulus", 3);
    set_number(beam, "shear_modulus", 1.2);
    set_number(beam, "area", 2);
    set_number(beam, "inertia_y", 0.4);
    set_number(beam, "inertia_z", 0.7);
    set_number(beam, "torsion", 1);
    set_number(beam, "shear", 0.8);
    set_number(beam, "damping", 0.1);
}

static void add_bump_stop(fixture *f)
{
    trmi_force *bump = add_force(f, &trmi_force_bump_stop, 5, 4);
    set_number(bump, "gap", 9); // farther than the points are: it pushes
    set_number(bump, "stiffness", 2);
    set_number(bump, "damping", 0.05);
    set_number(bump, "exponent", 1.5);
}

static trmi_contact *add_touching(fixture *f)
{
    trmi_force *contact = add_force(f, &trmi_force_contact, 3, 4);
    set_number(contact, "radius", 6); // larger than the distance from the plane: it touches
    set_number(contact, "stiffness", 2);
    set_number(contact, "damping", 0.3);
    set_number(contact, "exponent", 1.5);
    set_number(contact, "friction", 0.4);
    set_number(contact, "slip", 0.2);
    trmi_contact *c = (trmi_contact *)contact;
    c->spot[c->spots++] = contact->at_second;
    return c;
}

static void add_contact(fixture *f)
{
    add_touching(f);
}

// within its reach, rolling and sliding
static void add_sticking_contact(fixture *f)
{
    add_touching(f)->stick = 40;
}

// a box about one marker and a capsule about the other, both thick enough to touch
static trmi_contact *add_touching_shapes(fixture *f)
{
    static const trmi_form form = {.find = trmi_touch_cores,
                                   .half = {0.3, 0.2, 0.1},
                                   .radius = 4,
                                   .radius_b = 4,
                                   .axis_b = {0.6, 0, 0.8},
                                   .half_b = 0.2};
    trmi_contact *c = add_touching(f);
    c->form = &form;
    return c;
}

static void add_shapes(fixture *f)
{
    add_touching_shapes(f);
}

// within their reach
static void add_sticking_shapes(fixture *f)
{
    add_touching_shapes(f)->stick = 40;
}

// a wheel that is pressed onto a plane, and slips
static trmi_force *add_tyre(fixture *f, const trmi_tyre_law *law, const double *coefficient)
{
    trmi_force *tyre = add_force(f, &trmi_force_tyre, 3, 4);
    trmi_v3 *axis = parameter_of(tyre, "axis");
    *axis = noise_vector(&f->m);
    *axis = trmi_v3_scale(1 / trmi_v3_length(*axis), *axis);
    set_number(tyre, "radius", 6);
    set_number(tyre, "stiffness", 2);
    set_number(tyre, "damping", 0.3);
    set_number(tyre, "low_speed", 0.5);
    set_number(tyre, "relaxation", NAN);
    set_number(tyre, "relaxation_along", NAN);
    *(int *)parameter_of(tyre, "slip") = law->slip;
    *(trmi_tyre_choice *)parameter_of(tyre, "law") = (trmi_tyre_choice){law, coefficient};
    return tyre;
}

static void add_calspan_tyre(fixture *f)
{
    static const double A[] = {0.7, 0.06, 40, 0.3, 50, -0.01, 1.2, 1e-4, 1.1, -0.02, 0.03};
    add_tyre(f, &trmi_tyre_calspan, A);
}

// every coefficient has a value, so that every term counts
static trmi_force *add_pac_of(fixture *f)
{
    static double c[100];
    assert_true(trmi_tyre_pac2002.count <= 100);
    for (int k = 0; k < trmi_tyre_pac2002.count; k++)
        c[k] = 0.2 + 0.01 * k;
    c[0] = 11; // nominal load
    c[1] = c[2] = 1;
    return add_tyre(f, &trmi_tyre_pac2002, c);
}

static void add_pac_tyre(fixture *f)
{
    add_pac_of(f);
}

// weighting functions, and slips that follow with the lengths of the law
static void add_weighted_tyre(fixture *f)
{
    trmi_force *tyre = add_pac_of(f);
    *(int *)parameter_of(tyre, "slip") = TRMI_TYRE_WEIGHTED;
    set_number(tyre, "relaxation", 0);
    set_number(tyre, "relaxation_along", 0);
    tyre->states = 2;
}

static void add_loads(fixture *f)
{
    for (int i = 0; i < 6; i++) {
        trmi_force *load =
            add_force(f, i % 2 ? &trmi_force_torque : &trmi_force_force, i < 2 ? 0 : 2, 4);
        *(int *)parameter_of(load, "axes") = i > 3 ? 2 : i == 1 || i == 2;
        load->at_second = load->at;
        for (int k = 0; k < 3; k++)
            ((trmi_formula *)parameter_of(load, "value"))[k].constant = noise(&f->m);
    }
}

static void add_joint_laws(fixture *f)
{
    trmi_joint *joint = &f->m.joint[0];
    static const trmi_friction friction = {.mu_static = 0.4,
                                           .mu_dynamic = 0.2,
                                           .v_slip = 0.3,
                                           .stick = 2,
                                           .v_stribeck = 0.5,
                                           .radius = 0.6,
                                           .preload = 0.1};
    joint->extra->friction = &friction;
    static const trmi_stop stops[TRMI_MAX_MEASURES] = {
        {true, -2, -1.5, 3, 0, 2}, {true, 0.9, 1.0, 3, 0.5, 1.5}}; // both sides near
    f->m.joint[2].extra->stop = stops;
}

static int pull(double t, const double p[6], const double v[6], double F[6], double F_p[36],
                double F_v[36], void *user)
{
    double c = *(double *)user;
    for (int i = 0; i < 6; i++) {
        F[i] = -c * p[i] * p[i] - 0.3 * v[i] * p[(i + 1) % 6] + cos(t);
        if (F_p) {
            F_p[7 * i] += -2 * c * p[i];
            F_p[6 * i + (i + 1) % 6] += -0.3 * v[i];
            F_v[7 * i] += -0.3 * p[(i + 1) % 6];
        }
    }
    return 0;
}

static double pull_strength = 0.8;
static const trm_user_force exact_pull = {.force = pull, .user = &pull_strength};
static const trm_user_force rough_pull = {.force = pull, .differences = 1, .user = &pull_strength};
static const trm_user_force *const users[] = {&exact_pull, &rough_pull};

static void add_user(fixture *f)
{
    for (int i = 0; i < 2; i++)
        *(const trm_user_force **)parameter_of(add_force(f, &trmi_force_user, i, 4), "library") =
            users[i];
}

static void check(adder *add, bool conservative)
{
    for (int i = 0; i < 4; i++) {
        static fixture f;
        start(&f, (uint32_t)(10 * i + 3));
        add(&f);
        create(&f, i % 2);
        check_all(&f);
        if (conservative)
            check_symmetry(&f);
        end_machine(&f.m);
    }
}

#define FORCE_TEST(name, add, conservative)                                                        \
    static void test_force_##name##_agrees_with_differences(void **state)                          \
    {                                                                                              \
        (void)state;                                                                               \
        check(add, conservative);                                                                  \
    }
FORCE_TEST(spring, add_spring, true)
FORCE_TEST(actuator, add_actuator, true)
FORCE_TEST(bushing, add_bushing, true)
FORCE_TEST(beam, add_beam, true)
FORCE_TEST(bump_stop, add_bump_stop, true)
FORCE_TEST(contact, add_contact, true)
FORCE_TEST(sticking_contact, add_sticking_contact, false)
FORCE_TEST(shapes, add_shapes, true)
FORCE_TEST(sticking_shapes, add_sticking_shapes, false)
FORCE_TEST(calspan_tyre, add_calspan_tyre, false)
FORCE_TEST(pac_tyre, add_pac_tyre, false)
FORCE_TEST(weighted_tyre, add_weighted_tyre, false)
FORCE_TEST(load, add_loads, false)
FORCE_TEST(joint_law, add_joint_laws, false)
FORCE_TEST(user, add_user, false)

// ---- formulas --------------------------------------------------------------------------------

// F = t p0 p1 + 0.3 p0' p2 of three signals, with its slopes
static const trmi_tape *make_tape(trmi_memory *memory)
{
    trmi_graph g = {0};
    trmi_node t = trmi_input(&g, 0), p0 = trmi_input(&g, 1), p1 = trmi_input(&g, 2);
    trmi_node p2 = trmi_input(&g, 3), v0 = trmi_input(&g, 4), c = trmi_constant(&g, 0.3);
    trmi_node zero = trmi_constant(&g, 0);
    trmi_node drag = trmi_multiply(&g, c, v0), tp0 = trmi_multiply(&g, t, p0);
    trmi_node F = trmi_add(&g, trmi_multiply(&g, tp0, p1), trmi_multiply(&g, drag, p2));
    const trmi_tape_output out[] = {
        {F, TRMI_TAPE_VALUES},
        {trmi_multiply(&g, t, p1), TRMI_TAPE_SLOPES},
        {tp0, TRMI_TAPE_SLOPES},
        {drag, TRMI_TAPE_SLOPES},
        {trmi_multiply(&g, c, p2), TRMI_TAPE_SLOPES},
        {zero, TRMI_TAPE_SLOPES},
        {zero, TRMI_TAPE_SLOPES},
    };
    const trmi_tape *tape = trmi_tape_create(memory, &g, out, 7, 7, 7);
    trmi_graph_release(&g);
    assert_non_null(tape);
    return tape;
}

// A spring, an actuator and a following force that depend on an angle, a centre of mass and the
// spring's own length.
static void add_formulas(fixture *f)
{
    static const int uses[] = {0, 1, 2};
    const trmi_formula formula = {.uses = 3, .signal = uses};
    f->signal[0] = (trmi_signal){TRMI_SIGNAL_MEASURE, 2, 1};
    f->signal[1] = (trmi_signal){TRMI_SIGNAL_CENTER, 3, 2};
    f->signal[2] = (trmi_signal){TRMI_SIGNAL_LENGTH, 0, 0};
    add_spring(f);
    add_actuator(f);
    trmi_force *load = add_force(f, &trmi_force_force, 0, 5);
    load->at_second = load->at;
    *(bool *)parameter_of(load, "axes") = true;
    *(trmi_formula *)parameter_of(f->force[0], "force") = formula;
    *(trmi_formula *)parameter_of(f->force[1], "effort") = formula;
    ((trmi_formula *)parameter_of(load, "value"))[1] = formula;
    f->m.mechanism.signal = f->signal;
    f->m.mechanism.signals = 3;
    f->m.mechanism.tape = make_tape(&f->m.memory);
    f->m.mechanism.at =
        (trmi_tape_layout){.other = 1, .u = 1, .signal = 1, .signal_rate = 4, .parameter = 7};
}
FORCE_TEST(formula, add_formulas, false)

// ---- switches --------------------------------------------------------------------------------

static void add_one_sided(fixture *f)
{
    add_bump_stop(f);
    add_contact(f);
    static const trmi_stop stops[TRMI_MAX_MEASURES] = {[1] = {true, 0.9, 1.0, 3, 0.5, 1.5}};
    f->m.joint[2].extra->stop = stops;
}

// bump stop, contact and the two sides of a stop
enum { ONE_SIDED = 4 };

static void find_gaps(fixture *f, double *gap, double *rate, double *second)
{
    trmi_kinematics_move(&f->m.k, &f->m.state);
    if (second)
        trmi_kinematics_accelerate(&f->m.k, &f->m.state, f->m.state.a, false);
    trmi_forces_switches(&f->forces, &f->work, &f->m.k, &f->m.state, gap, rate, second);
}

// to the time t on the motion q + t v + t^2 a/2
static void move_along(fixture *f, const double *q, const double *v, const double *a, double t)
{
    for (int i = 0; i < f->m.tree->n_q; i++) {
        f->m.q[i] = q[i] + t * (v[i] + 0.5 * t * a[i]);
        f->m.v[i] = v[i] + t * a[i];
    }
}

// gap' and gap'' against central differences along a motion, with the h of above
static void test_force_switches_agree_with_differences(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        static fixture f;
        double q[MAX_Q], v[MAX_Q], a[MAX_Q], gap[3][ONE_SIDED], rate[3][ONE_SIDED];
        double second[ONE_SIDED];
        start(&f, (uint32_t)(10 * k + 3));
        add_one_sided(&f);
        create(&f, k % 2);
        assert_int_equal(f.forces.switches, ONE_SIDED);
        for (int i = 0; i < f.m.tree->n_q; i++)
            a[i] = noise(&f.m);
        memcpy(q, f.m.q, sizeof q);
        memcpy(v, f.m.v, sizeof v);
        f.m.state.a = a;
        find_gaps(&f, gap[0], rate[0], second);
        for (int side = 1; side < 3; side++) {
            move_along(&f, q, v, a, side == 1 ? -h : h);
            find_gaps(&f, gap[side], rate[side], NULL);
        }
        for (int i = 0; i < ONE_SIDED; i++) {
            // truncation, h^2/6 times higher derivatives; angles of the star may bend fast, and
            // these are powers of gap'' then
            double bend = fabs(second[i]);
            assert_near(rate[0][i], (gap[2][i] - gap[1][i]) / (2 * h), 1e-8 + 1e-11 * bend * bend);
            assert_near(second[i], (rate[2][i] - rate[1][i]) / (2 * h),
                        1e-7 + 1e-11 * bend * bend * bend);
        }
        end_machine(&f.m);
    }
}

// Bump stop and contact push here; locked they do not, and nothing of K and D is left.
static void test_force_locked_switch_does_not_act(void **state)
{
    (void)state;
    adder *const adders[] = {add_bump_stop, add_contact};
    for (int k = 0; k < 2; k++) {
        static fixture f;
        start(&f, 5);
        adders[k](&f);
        create(&f, false);
        evaluate(&f);
        assert_true(trmi_max_abs(f.f, f.m.tree->n_q) > 0.01);
        f.m.held[f.forces.first_lock] = 1;
        evaluate(&f);
        assert_true(trmi_max_abs(f.f, f.m.tree->n_q) == 0);
        assert_true(trmi_max_abs(&f.k[0][0], MAX_Q * MAX_Q) == 0);
        assert_true(trmi_max_abs(&f.d[0][0], MAX_Q * MAX_Q) == 0);
        end_machine(&f.m);
    }
}

// ---- numbers ---------------------------------------------------------------------------------

// Between two bodies every force in either kind of axes leaves the sum of forces and of moments
// zero.
static void test_force_between_bodies_is_balanced(void **state)
{
    (void)state;
    static fixture f;
    trmi_wrench on_body[BODIES] = {{{0, 0, 0}, {0, 0, 0}}}, sum = on_body[0];
    double on_column[MAX_Q] = {0};
    start(&f, 29);
    add_loads(&f);
    for (int i = 0; i < 4; i++)
        f.force[i]->body[0] = 2;
    create(&f, false);
    memset(f.m.q, 0, sizeof f.m.q); // the reference: the points on both bodies are the same
    trmi_tree_held(f.m.tree, f.m.held);
    move_machine(&f.m);
    assert_int_equal(trmi_forces_load(&f.forces, &f.work, &f.m.k, &f.m.state, on_body, on_column),
                     0);
    for (int b = 0; b < BODIES; b++)
        sum = trmi_wrench_axpy(sum, 1, on_body[b]);
    assert_near(trmi_v3_length(sum.f), 0, 1e-14); // rounding of forces of size 1
    assert_near(trmi_v3_length(sum.n), 0, 1e-14);
    assert_true(trmi_v3_length(on_body[4].f) > 0.1);
    end_machine(&f.m);
}

// A cantilever of length 2 along x on the ground, its tip the centre of a free body: the textbook's
// matrix with 12, 6 and 4 E I.
static void test_force_beam_tip_has_textbook_stiffness(void **state)
{
    (void)state;
    static fixture f;
    const double L = 2, EA = 3 * 2, EIy = 3 * 0.4, EIz = 3 * 0.7, GJ = 1.2;
    start(&f, 1);
    f.m.mechanism.bodies = 2;
    f.m.mechanism.joints = 0;
    add_beam(&f);
    f.force[0]->body[0] = 0;
    f.force[0]->body[1] = 1;
    set_number(f.force[0], "shear", 0);
    f.force[0]->at = trmi_v3_sub(f.m.body[1].center, (trmi_v3){L, 0, 0});
    f.force[0]->at_second = f.m.body[1].center;
    f.force[0]->frame = trmi_m3_unit();
    create(&f, true);
    memset(f.m.q, 0, sizeof f.m.q);
    memset(f.m.v, 0, sizeof f.m.v);
    trmi_tree_held(f.m.tree, f.m.held);
    trmi_tree_reference(f.m.tree, &f.m.mechanism, f.m.q);
    evaluate(&f);
    const double expected[6][6] = {
        {EA / L},
        {0, 12 * EIz / pow(L, 3), 0, 0, 0, -6 * EIz / (L * L)},
        {0, 0, 12 * EIy / pow(L, 3), 0, 6 * EIy / (L * L), 0},
        {0, 0, 0, GJ / L},
        {0, 0, 6 * EIy / (L * L), 0, 4 * EIy / L, 0},
        {0, -6 * EIz / (L * L), 0, 0, 0, 4 * EIz / L},
    };
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            assert_near(f.k[i][j], expected[i][j], 1e-14); // rounding of numbers below 10
    end_machine(&f.m);
}

// Points that coincide give a direction nobody knows: the state is refused, not NaN.
static void test_force_spring_without_length_is_refused(void **state)
{
    (void)state;
    static fixture f;
    trmi_wrench on_body[BODIES] = {{{0, 0, 0}, {0, 0, 0}}};
    double on_column[MAX_Q] = {0};
    start(&f, 1);
    f.m.mechanism.bodies = 2;
    f.m.mechanism.joints = 0;
    add_spring(&f);
    f.force[0]->body[0] = 0;
    f.force[0]->body[1] = 1;
    f.force[0]->at = f.force[0]->at_second = f.m.body[1].center;
    create(&f, true);
    trmi_tree_reference(f.m.tree, &f.m.mechanism, f.m.q);
    move_machine(&f.m);
    assert_int_equal(trmi_forces_load(&f.forces, &f.work, &f.m.k, &f.m.state, on_body, on_column),
                     1);
    for (int i = 0; i < 6; i++)
        assert_true(!isnan(on_column[i]));
    end_machine(&f.m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_force_spring_agrees_with_differences),
        cmocka_unit_test(test_force_actuator_agrees_with_differences),
        cmocka_unit_test(test_force_bushing_agrees_with_differences),
        cmocka_unit_test(test_force_beam_agrees_with_differences),
        cmocka_unit_test(test_force_bump_stop_agrees_with_differences),
        cmocka_unit_test(test_force_contact_agrees_with_differences),
        cmocka_unit_test(test_force_sticking_contact_agrees_with_differences),
        cmocka_unit_test(test_force_sticking_shapes_agrees_with_differences),
        cmocka_unit_test(test_force_shapes_agrees_with_differences),
        cmocka_unit_test(test_force_calspan_tyre_agrees_with_differences),
        cmocka_unit_test(test_force_pac_tyre_agrees_with_differences),
        cmocka_unit_test(test_force_weighted_tyre_agrees_with_differences),
        cmocka_unit_test(test_force_load_agrees_with_differences),
        cmocka_unit_test(test_force_joint_law_agrees_with_differences),
        cmocka_unit_test(test_force_user_agrees_with_differences),
        cmocka_unit_test(test_force_formula_agrees_with_differences),
        cmocka_unit_test(test_force_switches_agree_with_differences),
        cmocka_unit_test(test_force_locked_switch_does_not_act),
        cmocka_unit_test(test_force_between_bodies_is_balanced),
        cmocka_unit_test(test_force_beam_tip_has_textbook_stiffness),
        cmocka_unit_test(test_force_spring_without_length_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
