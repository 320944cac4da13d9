// SPDX-License-Identifier: Apache-2.0
// The constraints of a mechanism as a system sees them: every joint as a cut, prescribed motions,
// couplings, in trees and stars, against differences; the closed blocks of the star against the
// general formulas.
#include "machines.h"

enum { MAX_R = 64 };

// dense copies of what the assembly gives
typedef struct view {
    double g[MAX_R], g_t[MAX_R], a[MAX_R], gamma[MAX_R];
    double G[MAX_R][MAX_Q], A[MAX_R][MAX_Q], Gv[MAX_R][MAX_Q], K[MAX_Q][MAX_Q];
} view;

typedef struct fixture {
    machine m;
    trmi_constraints c;
    trmi_row_workspace workspace;
    double values[8][MAX_R * MAX_Q];
} fixture;

static void create(fixture *f, bool star, bool fast)
{
    finish_machine(&f->m, star);
    assert_int_equal(trmi_constraints_create(&f->c, &f->m.memory, &f->m.mechanism, f->m.tree, fast,
                                             &f->m.n_held, NULL),
                     TRM_OK);
    assert_true(f->c.n_g + f->c.n_a <= MAX_R && f->m.n_held <= MAX_HELD);
    assert_true(trmi_row_workspace_create(&f->workspace, &f->m.memory, f->c.max_columns + 1));
}

static void spread(const trm_pattern *pattern, const double *value, double (*dense)[MAX_Q],
                   int rows)
{
    memset(dense, 0, (size_t)rows * sizeof *dense);
    for (trmi_cursor at = trmi_pattern_begin(pattern); at.k < pattern->count;
         trmi_pattern_next(&at))
        dense[at.row][at.column] = value[at.k];
}

static void evaluate(fixture *f, view *out)
{
    double *want[TRM_QUANTITY_COUNT] = {0};
    memset(out, 0, sizeof *out);
    want[TRM_QUANTITY_CONSTRAINT] = out->g;
    want[TRM_QUANTITY_CONSTRAINT_T] = out->g_t;
    want[TRM_QUANTITY_ROLLING_OFFSET] = out->a;
    want[TRM_QUANTITY_GAMMA] = out->gamma;
    want[TRM_QUANTITY_CONSTRAINT_Q] = f->values[0];
    want[TRM_QUANTITY_ROLLING] = f->values[1];
    want[TRM_QUANTITY_VELOCITY_Q] = f->values[2];
    want[TRM_QUANTITY_GEOMETRIC] = f->values[3];
    move_machine(&f->m);
    trmi_constraints_evaluate(&f->c, &f->workspace, &f->m.k, &f->m.state, want);
    spread(&f->c.G.pattern, f->values[0], out->G, MAX_R);
    spread(&f->c.A.pattern, f->values[1], out->A, MAX_R);
    spread(&f->c.velocity_q, f->values[2], out->Gv, MAX_R);
    spread(&f->c.K.pattern, f->values[3], out->K, MAX_Q);
}

// G over A, and the constant part of the rates
static double gradient(const fixture *f, const view *x, int r, int j)
{
    return r < f->c.n_g ? x->G[r][j] : x->A[r - f->c.n_g][j];
}

static double rate(const fixture *f, const view *x, int r)
{
    double sum = r < f->c.n_g ? x->g_t[r] : x->a[r - f->c.n_g];
    for (int j = 0; j < f->m.tree->n_q; j++)
        sum += gradient(f, x, r, j) * f->m.v[j];
    return sum;
}

static double force_of(const fixture *f, const view *x, int j)
{
    double sum = 0;
    for (int r = 0; r < f->c.n_g + f->c.n_a; r++)
        sum += gradient(f, x, r, j) * f->m.lambda[r % 40];
    return sum;
}

// Central differences with h = 1e-5 of functions of size up to 1e2: truncation 1e-10 times third
// derivatives of up to 1e2, rounding 1e-9.
static const double h = 1e-5;

static void assert_slope(double x, double plus, double minus)
{
    assert_near(x, (plus - minus) / (2 * h), 1e-7 * (1 + fabs(x)));
}

static void check_positions(fixture *f)
{
    view x, plus, minus;
    evaluate(f, &x);
    for (int j = 0; j < f->m.tree->n_q; j++) {
        double kept = f->m.q[j];
        f->m.q[j] = kept + h;
        evaluate(f, &plus);
        f->m.q[j] = kept - h;
        evaluate(f, &minus);
        f->m.q[j] = kept;
        for (int r = 0; r < f->c.n_g; r++)
            assert_slope(x.G[r][j], plus.g[r], minus.g[r]);
        for (int r = 0; r < f->c.n_g + f->c.n_a; r++)
            assert_slope(x.Gv[r][j], rate(f, &plus, r), rate(f, &minus, r));
        for (int i = 0; i < f->m.tree->n_q; i++)
            assert_slope(x.K[i][j], force_of(f, &plus, i), force_of(f, &minus, i));
    }
}

// along q' = v, u' and u'' as given
static void move_in_time(fixture *f, double dt)
{
    machine *m = &f->m;
    for (int j = 0; j < m->tree->n_q; j++)
        m->q[j] += dt * m->v[j];
    for (int i = 0; i < m->tree->n_u; i++) {
        m->u[i] += dt * m->u[m->tree->n_u + i] + dt * dt / 2 * m->u[2 * m->tree->n_u + i];
        m->u[m->tree->n_u + i] += dt * m->u[2 * m->tree->n_u + i];
    }
}

static void check_time(fixture *f)
{
    view x, plus, minus;
    machine kept = f->m;
    evaluate(f, &x);
    move_in_time(f, h);
    evaluate(f, &plus);
    memcpy(f->m.q, kept.q, sizeof kept.q);
    memcpy(f->m.u, kept.u, sizeof kept.u);
    move_in_time(f, -h);
    evaluate(f, &minus);
    memcpy(f->m.q, kept.q, sizeof kept.q);
    memcpy(f->m.u, kept.u, sizeof kept.u);
    for (int r = 0; r < f->c.n_g; r++)
        assert_slope(rate(f, &x, r), plus.g[r], minus.g[r]);
    for (int r = 0; r < f->c.n_g + f->c.n_a; r++)
        assert_slope(x.gamma[r], rate(f, &plus, r), rate(f, &minus, r));
}

// cut joints over the tree of start_machine
static void add_cuts(fixture *f, const trmi_joint_type *const *kind, int count)
{
    static const int pair[][2] = {{4, 5}, {0, 3}, {5, 2}, {3, 5}};
    for (int i = 0; i < count; i++) {
        trmi_joint *joint = add_joint(&f->m, kind[i], pair[i % 4][0], pair[i % 4][1]);
        joint->cut = true;
        joint->extra->second->at = noise_vector(&f->m);
        joint->extra->second->frame = noise_frame(&f->m);
    }
}

// axes as the reader of files chooses them: z normal to the plane, or y normal and z a line in it
static void lie_in_plane(trmi_joint *joint, trmi_plane plane)
{
    int axis[3];
    double angle = joint->at.x;
    trmi_m3 one = trmi_m3_unit();
    trmi_plane_axes(plane, axis);
    trmi_v3 n = one.row[axis[2]];
    trmi_v3 x =
        trmi_v3_axpy(trmi_v3_scale(cos(angle), one.row[axis[0]]), sin(angle), one.row[axis[1]]);
    bool line = joint->type == &trmi_joint_prismatic || joint->type == &trmi_joint_point_on_line;
    trmi_m3 rows = {{x, trmi_v3_cross(n, x), n}};
    if (line)
        rows = (trmi_m3){{trmi_v3_cross(n, x), n, x}};
    joint->extra->second->frame = trmi_m3_transpose(rows);
    joint->frame = &joint->extra->second->frame;
}

static const trmi_joint_type *const types[] = {
    &trmi_joint_fixed,          &trmi_joint_revolute,  &trmi_joint_prismatic,
    &trmi_joint_cylindrical,    &trmi_joint_screw,     &trmi_joint_universal,
    &trmi_joint_spherical,      &trmi_joint_planar,    &trmi_joint_point_on_line,
    &trmi_joint_point_on_plane, &trmi_joint_rod,       &trmi_joint_constant_velocity,
    &trmi_joint_rolling,        &trmi_joint_knife_edge};
enum { ALL = sizeof types / sizeof types[0] };

static void check_cuts(bool star)
{
    static const int rows[] = {6, 5, 5, 4, 5, 4, 3, 3, 2, 1, 1, 4, 3, 1}; // spec of the joints
    for (int i = 0; i < ALL; i += 2) { // two at a time, the last alone where the number is odd
        static fixture f;
        int count = ALL - i < 2 ? ALL - i : 2, wanted = 0;
        start_machine(&f.m, (uint32_t)(i + 3));
        f.m.mechanism.joints = star ? 0 : f.m.mechanism.joints;
        add_cuts(&f, types + i, count);
        create(&f, star, star);
        for (int k = 0; k < count; k++)
            wanted += rows[i + k];
        assert_int_equal(f.c.n_g + f.c.n_a, wanted);
        check_positions(&f);
        check_time(&f);
        end_machine(&f.m);
    }
}

static void test_constraints_cut_in_tree_agree_with_differences(void **state)
{
    (void)state;
    check_cuts(false);
}

static void test_constraints_cut_in_star_agree_with_differences(void **state)
{
    (void)state;
    check_cuts(true);
}

// The closed blocks of slides and dots give what the general formulas give. Points that are held
// along the global axes have other rows; differences check those.
static void compare_blocks(trmi_plane plane, const trmi_joint_type *const *kind, int count)
{
    static fixture fast, general;
    static view x, y;
    for (int i = 0; i < 2; i++) {
        fixture *f = i ? &general : &fast;
        start_machine(&f->m, 5);
        f->m.mechanism.joints = 0;
        f->m.mechanism.plane = plane;
        add_cuts(f, kind, count);
        for (int j = 0; j < count && plane != TRMI_SPATIAL; j++)
            lie_in_plane(&f->m.joint[j], plane);
        create(f, true, i == 0);
        evaluate(f, i ? &y : &x);
        assert_int_equal(!f->c.joint[0].general, i == 0);
    }
    assert_true(fast.c.K.pattern.count < general.c.K.pattern.count);
    for (int r = 0; r < fast.c.n_g; r++) {
        // rounding of some 100 products of size 1
        assert_near(x.g[r], y.g[r], 1e-14);
        assert_near(x.gamma[r], y.gamma[r], 1e-13);
        for (int j = 0; j < fast.m.tree->n_q; j++) {
            assert_near(x.G[r][j], y.G[r][j], 1e-14);
            assert_near(x.Gv[r][j], y.Gv[r][j], 1e-13);
        }
    }
    for (int i = 0; i < fast.m.tree->n_q; i++)
        for (int j = 0; j < fast.m.tree->n_q; j++)
            assert_near(x.K[i][j], y.K[i][j], 1e-13);
    end_machine(&fast.m);
    end_machine(&general.m);
}

static void test_constraints_star_blocks_equal_general_formulas(void **state)
{
    (void)state;
    static const trmi_joint_type *const some[] = {&trmi_joint_cylindrical, &trmi_joint_prismatic,
                                                  &trmi_joint_planar, &trmi_joint_point_on_line,
                                                  &trmi_joint_point_on_plane};
    compare_blocks(TRMI_SPATIAL, some, 5);
}

static void test_constraints_plane_blocks_equal_general_formulas(void **state)
{
    (void)state;
    static const trmi_joint_type *const some[] = {&trmi_joint_prismatic, &trmi_joint_point_on_line};
    for (trmi_plane plane = TRMI_PLANE_XY; plane <= TRMI_PLANE_ZX; plane++)
        compare_blocks(plane, some, 2);
}

// Joints of plane models between free bodies and to the ground.
static void test_constraints_cut_in_plane_star_agree_with_differences(void **state)
{
    (void)state;
    static const trmi_joint_type *const plane_types[] = {
        &trmi_joint_fixed, &trmi_joint_revolute, &trmi_joint_prismatic, &trmi_joint_point_on_line};
    for (int plane = TRMI_PLANE_XY; plane <= TRMI_PLANE_ZX; plane++)
        for (int i = 0; i < 4; i++) {
            static fixture f;
            start_machine(&f.m, (uint32_t)(7 + i));
            f.m.mechanism.joints = 0;
            f.m.mechanism.plane = (trmi_plane)plane;
            add_cuts(&f, plane_types, 4);
            for (int j = 0; j < 4; j++) {
                trmi_joint *joint = &f.m.joint[j];
                joint->body[i % 2] = j == i ? TRMI_GROUND : joint->body[i % 2];
                lie_in_plane(joint, (trmi_plane)plane);
            }
            create(&f, true, true);
            assert_true(!f.c.joint[i].general && f.c.n_g == 3 + 2 + 2 + 1);
            check_positions(&f);
            check_time(&f);
            end_machine(&f.m);
        }
}

// A driven column of the tree and driven measures of cuts.
static void test_constraints_driven_agree_with_differences(void **state)
{
    (void)state;
    for (int star = 0; star < 2; star++) {
        static fixture f;
        static const trmi_joint_type *const cut[] = {&trmi_joint_cylindrical, &trmi_joint_rolling};
        start_machine(&f.m, 11);
        f.m.mechanism.drives = 2;
        f.m.joint[0].extra->drive[0] = 0;
        add_cuts(&f, cut, 2);
        f.m.joint[5].extra->drive[1] = 1;
        create(&f, star, true);
        char name[64];
        trmi_constraints_row_name(&f.c, star ? 5 : 4, name, sizeof name);
        assert_string_equal(name, star ? "joint_drive" : "joint_drive_angle");
        check_positions(&f);
        check_time(&f);
        end_machine(&f.m);
    }
}

// A gear between two joints: a column in the tree, angles between bodies in the star.
static void test_constraints_coupling_agrees_with_differences(void **state)
{
    (void)state;
    for (int star = 0; star < 2; star++) {
        static fixture f;
        static const trmi_term term[] = {{0, 0, 2.0}, {2, 1, -0.7}, {2, 0, 0.3}};
        start_machine(&f.m, 13);
        add_joint(&f.m, &trmi_joint_free, 1, 2); // without rows, just before the gear
        trmi_joint *gear = add_joint(&f.m, &trmi_joint_coupling, 0, 0);
        gear->extra->terms = 3;
        gear->extra->term = term;
        gear->extra->offset = 0.25;
        create(&f, star, true);
        const trmi_constraint *last = &f.c.joint[f.c.joints - 1];
        char name[64];
        trmi_constraints_row_name(&f.c, trmi_constraint_number(last, 0), name, sizeof name);
        assert_string_equal(name, "joint_gear");
        check_positions(&f);
        check_time(&f);
        end_machine(&f.m);
    }
}

// Driving the wheel round and round: the coupling keeps counting, and settling says when.
static void test_constraints_coupling_settles_turns(void **state)
{
    (void)state;
    static fixture f;
    static view x;
    static const trmi_term term[] = {{0, 0, 1.0}};
    start_machine(&f.m, 17);
    f.m.joint[0].cut = true;
    trmi_joint *gear = add_joint(&f.m, &trmi_joint_coupling, 0, 0);
    gear->extra->terms = 1;
    gear->extra->term = term;
    f.m.mechanism.bodies = 2; // ground and the wheel alone, in the star
    f.m.mechanism.joints = 1;
    f.m.joint[1] = *gear;
    f.m.mechanism.joints = 2;
    f.m.mechanism.plane = TRMI_PLANE_XY;
    f.m.frame[0] = f.m.second[0].frame = trmi_m3_unit();
    create(&f, true, true);
    int changes = 0, row = trmi_constraint_number(&f.c.joint[f.c.joints - 1], 0);
    for (double angle = 0; angle < 20; angle += 0.4) {
        f.m.q[2] = angle;
        evaluate(&f, &x);
        assert_near(x.g[row], angle, 1e-13); // atan2 and multiples of 2 pi
        changes += trmi_constraints_settle(&f.c, &f.m.k, &f.m.state, f.m.held);
    }
    assert_int_equal(changes, 51); // the angle is held at every point
    end_machine(&f.m);
}

// An axis that points backwards satisfies ax and ay, and is found.
static void test_constraints_overturned_axis_is_found(void **state)
{
    (void)state;
    static fixture f;
    static view x;
    start_machine(&f.m, 19);
    f.m.mechanism.bodies = 2;
    f.m.mechanism.joints = 1;
    create(&f, true, true);
    trmi_m3 half_turn = f.m.frame[0]; // about its x axis
    memset(f.m.q, 0, sizeof f.m.q);
    trmi_v3 axis = trmi_m3_column(half_turn, 0);
    double upright[4] = {1, 0, 0, 0}, turned[4] = {0, axis.x, axis.y, axis.z};
    memcpy(f.m.held, upright, sizeof upright);
    evaluate(&f, &x);
    assert_int_equal(trmi_constraints_overturned(&f.c, &f.m.k, &f.m.state), TRMI_NOTHING);
    memcpy(f.m.held, turned, sizeof turned);
    evaluate(&f, &x);
    assert_near(x.g[3], 0, 1e-15); // rounding: ax and ay vanish there too
    assert_near(x.g[4], 0, 1e-15);
    assert_int_equal(trmi_constraints_overturned(&f.c, &f.m.k, &f.m.state), 0);
    end_machine(&f.m);
}

// Reactions and loads are G^T lambda, seen from the bodies.
static void test_constraints_load_equals_gradient(void **state)
{
    (void)state;
    for (int star = 0; star < 2; star++) {
        static fixture f;
        static view x;
        static const trmi_joint_type *const cut[] = {&trmi_joint_revolute, &trmi_joint_rod};
        trmi_wrench on_body[BODIES] = {{{0, 0, 0}, {0, 0, 0}}};
        double on_column[MAX_Q] = {0};
        start_machine(&f.m, 23);
        add_cuts(&f, cut, 2);
        create(&f, star, false); // markers that are apart: the point of the force matters
        evaluate(&f, &x);
        trmi_constraints_load(&f.c, &f.workspace, &f.m.k, &f.m.state, on_body, on_column);
        for (int b = BODIES - 1; b > 0 && !star; b--) { // carried down to the ground
            int parent = f.m.tree->parent[b];
            on_body[parent] = trmi_wrench_axpy(on_body[parent], 1, on_body[b]);
        }
        for (int j = 0; j < f.m.tree->columns; j++) {
            const trmi_column c = trmi_column_of(f.m.tree, j);
            // rounding of some 10 products of size 1
            assert_near(trmi_power(f.m.k.s[j], on_body[c.body]), -force_of(&f, &x, c.coordinate),
                        1e-12);
        }
        end_machine(&f.m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constraints_cut_in_tree_agree_with_differences),
        cmocka_unit_test(test_constraints_cut_in_star_agree_with_differences),
        cmocka_unit_test(test_constraints_cut_in_plane_star_agree_with_differences),
        cmocka_unit_test(test_constraints_star_blocks_equal_general_formulas),
        cmocka_unit_test(test_constraints_plane_blocks_equal_general_formulas),
        cmocka_unit_test(test_constraints_driven_agree_with_differences),
        cmocka_unit_test(test_constraints_coupling_agrees_with_differences),
        cmocka_unit_test(test_constraints_coupling_settles_turns),
        cmocka_unit_test(test_constraints_overturned_axis_is_found),
        cmocka_unit_test(test_constraints_load_equals_gradient),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
