// SPDX-License-Identifier: Apache-2.0
// Prescribed motion, assembly, full turns, names and memory of the system of a mechanism.
#include "mechanisms.h"

#include "modelling/multibody/star/star.h"

#include "modelling/expression/graph.h"

static const trmi_m3 plain = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

// u = 4 + t + t^2/2 as the one drive: u(0) = 4 is more than half a turn
static void give_drive(sketch *s, trmi_memory *memory)
{
    trmi_graph graph = {0};
    trmi_node t = trmi_input(&graph, 0), one = trmi_constant(&graph, 1),
              half = trmi_multiply(&graph, trmi_constant(&graph, 0.5), trmi_multiply(&graph, t, t));
    const trmi_tape_output output[] = {
        {trmi_add(&graph, trmi_add(&graph, trmi_constant(&graph, 4), t), half), TRMI_TAPE_DRIVES},
        {trmi_add(&graph, one, t), TRMI_TAPE_DRIVES},
        {one, TRMI_TAPE_DRIVES}};
    s->mechanism.drives = 1;
    s->mechanism.tape = trmi_tape_create(memory, &graph, output, 3, 1, 1);
    assert_non_null(s->mechanism.tape);
    trmi_graph_release(&graph);
}

// a prescribed crank with an arm on a ball joint
static void driven_arm(sketch *s, trmi_memory *memory)
{
    sketch_begin(s, 4);
    give_drive(s, memory);
    int crank = sketch_random_body(s), arm = sketch_random_body(s);
    sketch_joint(s, &trmi_joint_revolute, 0, crank, sketch_vector(s), sketch_rotation(s));
    s->joint[0].extra->drive[0] = 0;
    sketch_joint(s, &trmi_joint_spherical, crank, arm, sketch_vector(s), sketch_rotation(s));
    for (int i = 0; i < 3; i++)
        s->joint[1].extra->start[i].rate = sketch_random(s);
}

// A driven column, and in absolute coordinates a row minus u: the same derivatives, start and
// turns.
static void test_multibody_driven_joint_in_both_coordinates(void **state)
{
    (void)state;
    trmi_memory tape;
    trmi_memory_init(&tape, NULL);
    trmi_pose pose[2];
    for (int absolute = 0; absolute < 2; absolute++) {
        sketch s;
        sketch_machine x;
        trm_error error;
        driven_arm(&s, &tape);
        s.mechanism.absolute = absolute;
        sketch_open(&x, &s);
        assert_int_equal(x.system.n_q, absolute ? 12 : 3);
        assert_int_equal(x.system.n_g, absolute ? 5 + 1 + 3 : 0);
        trmi_machine_drive(x.work, 0, x.u);
        if (absolute) {
            char name[64];
            assert_string_equal(trm_row_name(&x.system, 5, name, sizeof name), "j1_drive");
            double *g = sketch_dense(&x, TRM_QUANTITY_CONSTRAINT);
            for (int r = 0; r < 9; r++)
                assert_true(fabs(g[r]) < 1e-13); // rounding; a lost turn would be 6.28
        }
        trmi_kinematics_move(&x.work->kinematics, &x.state);
        pose[absolute] = trmi_pose_of(&x.work->kinematics, 2);
        sketch_shake(&x, &s, 0.3);
        // two-sided differences of increment eps^(1/3): 1e-9 of the largest entry
        if (trm_system_check_derivatives(&x.system, &x.state, 1e-7, NULL, &error) != TRM_OK)
            fail_msg("%s", error.text);
        sketch_close(&x);
    }
    // rounding of a few rotations
    assert_true(trmi_v3_length(trmi_v3_sub(pose[0].r, pose[1].r)) < 1e-14);
    trmi_memory_release_all(&tape);
}

// ---- assembly ----

// crank 1, coupler 4, rocker 2.5 on pivots 4 apart, drawn with the crank at 90 degrees
static void four_bar(sketch *s)
{
    sketch_begin(s, 1);
    s->mechanism.length = 2;
    const trmi_v3 A = {0, 0, 0}, B = {0, 1, 0}, C = {3.7146658778954493, 2.4836635115817978, 0},
                  D = {4, 0, 0};
    sketch_body(s, 1, (trmi_v3){0, 0.5, 0}, plain);
    sketch_body(s, 2, trmi_v3_scale(0.5, trmi_v3_add(B, C)), plain);
    sketch_body(s, 1, trmi_v3_scale(0.5, trmi_v3_add(C, D)), plain);
    sketch_joint(s, &trmi_joint_revolute, 0, 1, A, plain);
    sketch_joint(s, &trmi_joint_revolute, 1, 2, B, plain);
    sketch_joint(s, &trmi_joint_revolute, 2, 3, C, plain);
    sketch_joint(s, &trmi_joint_revolute, 0, 3, D, plain);
}

static void test_multibody_assembly_keeps_what_is_to_be_kept(void **state)
{
    (void)state;
    trmi_v3 center[2];
    for (int absolute = 0; absolute < 2; absolute++) {
        sketch s;
        sketch_machine x;
        four_bar(&s);
        s.mechanism.absolute = absolute;
        s.joint[0].extra->start[0] = (trmi_start_value){
            .given = true, .rate_given = true, .keep = true, .value = 0.7, .rate = 3};
        sketch_open(&x, &s);
        const trmi_assembly *report = &x.work->assembly;
        // the crank turned alone opens the loop by about 0.7 of its length
        assert_true(report->before > 0.3 && report->after < 1e-12 && report->iterations < 40);
        trmi_kinematics_move(&x.work->kinematics, &x.state);
        // kept exactly: the crank's centre is half way on the circle
        trmi_v3 r = trmi_pose_of(&x.work->kinematics, 1).r;
        assert_true(fabs(r.x + 0.5 * sin(0.7)) < 1e-14 && fabs(r.y - 0.5 * cos(0.7)) < 1e-14);
        assert_true(fabs(trmi_velocity_of(&x.work->kinematics, 1).w.z - 3) < 1e-13);
        center[absolute] = trmi_pose_of(&x.work->kinematics, 2).r;
        double *g = sketch_dense(&x, TRM_QUANTITY_CONSTRAINT);
        for (int i = 0; i < x.system.n_g; i++)
            assert_true(fabs(g[i]) < 1e-12); // rounding of positions of size 4
        sketch_close(&x);
    }
    assert_true(trmi_v3_length(trmi_v3_sub(center[0], center[1])) < 1e-12);
}

// a state within tolerance is not touched, to the last bit
static void test_multibody_assembly_leaves_a_closed_loop_alone(void **state)
{
    (void)state;
    sketch s;
    sketch_machine x;
    four_bar(&s);
    sketch_open(&x, &s);
    assert_true(x.work->assembly.iterations == 0);
    for (int i = 0; i < x.system.n_q; i++)
        assert_true(x.q[i] == 0 && x.v[i] == 0);
    sketch_close(&x);
}

static void test_multibody_assembly_impossible_names_the_row(void **state)
{
    (void)state;
    sketch s;
    trmi_memory memory;
    trm_error error;
    four_bar(&s);
    // crank and rocker kept on the same side: the coupler would have to be much shorter than 4
    s.joint[0].extra->start[0] = (trmi_start_value){.given = true, .keep = true, .value = -1.57};
    s.joint[3].extra->start[0] = (trmi_start_value){.given = true, .keep = true, .value = 1.5};
    trmi_memory_init(&memory, NULL);
    const trmi_machine *machine = trmi_machine_create(&memory, &s.mechanism, false, &error);
    assert_non_null(machine);
    trmi_machine_work *work = trmi_machine_work_create(&memory, machine, NULL);
    assert_non_null(work);
    double q[3], v[3];
    assert_int_equal(trmi_machine_start(work, 0, q, v, &error), TRM_ERR_INITIAL);
    assert_non_null(strstr(error.text, "cannot be assembled"));
    assert_non_null(strstr(error.item, "j3_"));
    trmi_memory_release_all(&memory);
}

// ---- the rest ----

static void test_multibody_coordinates_have_names(void **state)
{
    (void)state;
    sketch s;
    sketch_machine x;
    sketch_begin(&s, 1);
    sketch_body(&s, 1, (trmi_v3){1, 2, 3}, plain);
    sketch_body(&s, 1, (trmi_v3){1, 2, 3}, plain);
    sketch_joint(&s, &trmi_joint_cylindrical, 0, 1, (trmi_v3){0, 0, 0}, plain);
    sketch_open(&x, &s);
    const char *const names[] = {"j1_travel", "j1_angle", "b2_x",  "b2_y",
                                 "b2_z",      "b2_rx",    "b2_ry", "b2_rz"};
    assert_int_equal(x.system.n_q, 8);
    char name[64], cut[4];
    for (int i = 0; i < 8; i++)
        assert_string_equal(trm_coordinate_name(&x.system, i, name, sizeof name), names[i]);
    assert_string_equal(trm_coordinate_name(&x.system, 0, cut, sizeof cut), "j1_");
    // tolerances of angles refer to 1, those of lengths to their size
    const double size[] = {0, 1, 0, 0, 0, 1, 1, 1};
    assert_memory_equal(x.system.q_size, size, sizeof size);
    // a free body stands at its centre of mass
    assert_true(x.q[2] == 1 && x.q[3] == 2 && x.q[4] == 3);
    sketch_close(&x);
}

// every allocation may fail: creation reports it and leaks nothing
static int allocations_left;

static void *allocate(size_t size, void *user)
{
    (void)user;
    return allocations_left-- > 0 ? malloc(size) : NULL;
}

static void release(void *block, void *user)
{
    (void)user;
    free(block);
}

static void test_multibody_without_memory_fails_cleanly(void **state)
{
    (void)state;
    const trm_allocator poor = {allocate, release, NULL};
    bool made = false;
    int needed = 0;
    for (; !made && needed < 1000; needed++) {
        sketch s;
        trmi_memory memory;
        trm_error error = {0};
        four_bar(&s);
        s.mechanism.absolute = true;
        trmi_memory_init(&memory, &poor);
        allocations_left = needed;
        const trmi_machine *machine = trmi_machine_create(&memory, &s.mechanism, false, &error);
        made = machine && trmi_machine_work_create(&memory, machine, NULL);
        if (!machine)
            assert_int_equal(error.status, TRM_ERR_MEMORY);
        trmi_memory_release_all(&memory);
    }
    assert_true(made && needed > 20);
}

// ---- residual and acceleration ----

static void open_random(sketch_machine *x, sketch *s, uint64_t seed, bool absolute, bool explicit)
{
    sketch_begin(s, seed);
    sketch_random_tree(s, 5);
    s->mechanism.absolute = absolute;
    s->mechanism.explicit = explicit;
    sketch_open(x, s);
    sketch_shake(x, s, 0.5);
}

// RESIDUAL is M a - f, by recursion in trees and by closed forms in the star.
static void test_multibody_residual_equals_mass_and_force(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        sketch s;
        sketch_machine x;
        open_random(&x, &s, (uint64_t)(i / 2 + 1), i % 2 == 1, false);
        const double *M = sketch_dense(&x, TRM_QUANTITY_MASS),
                     *f = sketch_dense(&x, TRM_QUANTITY_FORCE);
        const double *r = sketch_dense(&x, TRM_QUANTITY_RESIDUAL);
        for (int j = 0; j < x.system.n_q; j++) {
            double sum = -f[j], size = fabs(f[j]);
            for (int k = 0; k < x.system.n_q; k++) {
                sum += M[j + x.system.n_q * k] * x.state.a[k];
                size += fabs(M[j + x.system.n_q * k] * x.state.a[k]);
            }
            // rounding of sums over five bodies
            assert_true(fabs(r[j] - sum) < 1e-13 * (10 + size));
        }
        sketch_close(&x);
    }
}

// ACCELERATION of the explicit formalism is M^-1 f of the residual one.
static void test_multibody_acceleration_inverts_the_mass(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        sketch s[2];
        sketch_machine x[2];
        for (int i = 0; i < 2; i++)
            open_random(&x[i], &s[i], seed, false, i == 1);
        assert_true(x[1].system.evaluates & TRM_BIT(ACCELERATION));
        const double *M = sketch_dense(&x[0], TRM_QUANTITY_MASS),
                     *f = sketch_dense(&x[0], TRM_QUANTITY_FORCE);
        const double *phi = sketch_dense(&x[1], TRM_QUANTITY_ACCELERATION);
        for (int j = 0; j < x[0].system.n_q; j++) {
            double sum = -f[j], size = fabs(f[j]);
            for (int k = 0; k < x[0].system.n_q; k++) {
                sum += M[j + x[0].system.n_q * k] * phi[k];
                size += fabs(M[j + x[0].system.n_q * k] * phi[k]);
            }
            // rounding of two recursions, of the size of the terms
            assert_true(fabs(sum) < 1e-11 * (1 + size));
        }
        sketch_close(&x[0]);
        sketch_close(&x[1]);
    }
}

// A tree without constraints: adams asks for accelerations only, and factors no matrix on its way.
static void test_multibody_explicit_formalism_spares_the_matrix(void **state)
{
    (void)state;
    double end[2][64];
    long factorizations[2];
    for (int i = 0; i < 2; i++) {
        sketch s;
        sketch_machine x;
        trm_simulation *simulation;
        trm_options options = trm_options_default();
        options.integrator = TRM_INTEGRATOR_ADAMS;
        options.rtol = 1e-8;
        options.atol = 1e-10;
        sketch_begin(&s, 3);
        int crank = sketch_random_body(&s), arm = sketch_random_body(&s);
        sketch_joint(&s, &trmi_joint_revolute, 0, crank, sketch_vector(&s), sketch_rotation(&s));
        sketch_joint(&s, &trmi_joint_revolute, crank, arm, sketch_vector(&s), sketch_rotation(&s));
        s.mechanism.explicit = i == 1;
        sketch_open(&x, &s);
        trm_initial initial = {.q = x.q, .v = x.v};
        assert_int_equal(trm_simulation_create(&simulation, &x.system, &options, &initial, NULL),
                         TRM_OK);
        assert_int_equal(trm_simulation_run(simulation, 1), TRM_OK);
        factorizations[i] = trm_simulation_statistics(simulation)->factorizations;
        memcpy(end[i], trm_simulation_state(simulation)->q, (size_t)x.system.n_q * sizeof(double));
        assert_true(trm_simulation_statistics(simulation)->steps > 20);
        trm_simulation_destroy(simulation);
        sketch_close(&x);
    }
    for (int j = 0; j < 2; j++)
        assert_true(fabs(end[0][j] - end[1][j]) < 1e-6); // a hundred times the tolerance
    // what remains is the start
    assert_true(factorizations[0] > 40 && factorizations[1] < 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_multibody_driven_joint_in_both_coordinates),
        cmocka_unit_test(test_multibody_assembly_keeps_what_is_to_be_kept),
        cmocka_unit_test(test_multibody_assembly_leaves_a_closed_loop_alone),
        cmocka_unit_test(test_multibody_assembly_impossible_names_the_row),
        cmocka_unit_test(test_multibody_coordinates_have_names),
        cmocka_unit_test(test_multibody_without_memory_fails_cleanly),
        cmocka_unit_test(test_multibody_residual_equals_mass_and_force),
        cmocka_unit_test(test_multibody_acceleration_inverts_the_mass),
        cmocka_unit_test(test_multibody_explicit_formalism_spares_the_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
