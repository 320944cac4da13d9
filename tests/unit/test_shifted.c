// SPDX-License-Identifier: Apache-2.0
// The shifted matrices of declared bodies and joints: in blocks while S is symmetric, whole from
// where it is not, and as a checkpoint says.
#include "solver/integrator/simulation.h"

#include "framework.h"
#include "solver/integrator/radau/radau.h"
#include "trammel/trammel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES = 40, N = 2 * BODIES };

// A hanging chain of unit masses at unit distances, each pulled to the vertical by a spring and
// pushed around by a force across its position, curl t^2: K = [k -curl t^2; curl t^2 k].
typedef struct chain {
    double spring, curl;
    int first[BODIES + 1], joint[BODIES + 1];
    int row_k[4 * BODIES], col_k[4 * BODIES], row_g[4 * BODIES], col_g[4 * BODIES];
    double q[N];
    trm_system system;
} chain;

static int mass(const trm_state *s, double *out, void *user)
{
    (void)s, (void)user;
    for (int i = 0; i < N; i++)
        out[i] = 1;
    return 0;
}

static int force(const trm_state *s, double *out, void *user)
{
    const chain *c = user;
    double curl = c->curl * s->t * s->t;
    for (int b = 0; b < BODIES; b++) {
        const double *q = s->q + 2 * b;
        out[2 * b] = -c->spring * q[0] + curl * (q[1] + b + 1);
        out[2 * b + 1] = -10 - c->spring * (q[1] + b + 1) - curl * q[0];
    }
    return 0;
}

static int stiffness(const trm_state *s, double *out, void *user)
{
    const chain *c = user;
    double curl = c->curl * s->t * s->t;
    for (int b = 0; b < BODIES; b++) {
        out[4 * b] = out[4 * b + 3] = c->spring;
        out[4 * b + 1] = curl;
        out[4 * b + 2] = -curl;
    }
    return 0;
}

static void find_link(const double *q, int j, double d[2])
{
    for (int i = 0; i < 2; i++)
        d[i] = q[2 * j + i] - (j > 0 ? q[2 * j - 2 + i] : 0);
}

static int constraint(const trm_state *s, double *out, void *user)
{
    (void)user;
    for (int j = 0; j < BODIES; j++) {
        double d[2];
        find_link(s->q, j, d);
        out[j] = (d[0] * d[0] + d[1] * d[1] - 1) / 2;
    }
    return 0;
}

// the first link has no body before it
static int constraint_q(const trm_state *s, double *out, void *user)
{
    (void)user;
    find_link(s->q, 0, out);
    out += 2;
    for (int j = 1; j < BODIES; j++, out += 4) {
        find_link(s->q, j, out);
        out[2] = -out[0];
        out[3] = -out[1];
    }
    return 0;
}

static int acceleration(const trm_state *s, double *out, void *user)
{
    (void)user;
    for (int j = 0; j < BODIES; j++) {
        double d[2];
        find_link(s->v, j, d);
        out[j] = d[0] * d[0] + d[1] * d[1];
    }
    return 0;
}

static void list_entries(chain *c)
{
    for (int k = 0; k < 4 * BODIES; k++) {
        int b = k / 4, i = k % 2, j = k / 2 % 2;
        c->row_k[k] = 2 * b + i;
        c->col_k[k] = 2 * b + j;
        int link = (k + 2) / 4, other = k >= 2 && (k + 2) / 2 % 2 == 1;
        c->row_g[k] = link;
        c->col_g[k] = 2 * (link - other) + i;
    }
    for (int b = 0; b <= BODIES; b++) {
        c->first[b] = 2 * b;
        c->joint[b] = b;
    }
}

// 0.5 rad off the vertical
static void make_chain(chain *c, double curl)
{
    *c = (chain){.spring = 3, .curl = curl};
    list_entries(c);
    for (int b = 0; b < BODIES; b++) {
        c->q[2 * b] = (b + 1) * sin(0.5);
        c->q[2 * b + 1] = -(b + 1) * cos(0.5);
    }
    c->system = (trm_system){.n_q = N,
                             .n_g = BODIES,
                             .n_bodies = BODIES,
                             .body_first = c->first,
                             .n_joints = BODIES,
                             .joint_first = c->joint,
                             .user = c};
    trm_function *const function[TRM_QUANTITY_COUNT] = {
        [TRM_QUANTITY_MASS] = mass,           [TRM_QUANTITY_FORCE] = force,
        [TRM_QUANTITY_STIFFNESS] = stiffness, [TRM_QUANTITY_CONSTRAINT] = constraint,
        [TRM_QUANTITY_GAMMA] = acceleration,  [TRM_QUANTITY_CONSTRAINT_Q] = constraint_q};
    memcpy(c->system.function, function, sizeof function);
    c->system.pattern[TRM_QUANTITY_MASS].count = TRM_PATTERN_DIAGONAL;
    c->system.pattern[TRM_QUANTITY_STIFFNESS] =
        (trm_pattern){.count = 4 * BODIES, .row = c->row_k, .column = c->col_k};
    c->system.pattern[TRM_QUANTITY_CONSTRAINT_Q] =
        (trm_pattern){.count = 4 * BODIES - 2, .row = c->row_g, .column = c->col_g};
}

static trm_simulation *create(chain *c, trm_solver solver)
{
    trm_options options = trm_options_default();
    options.integrator = TRM_INTEGRATOR_RADAU_ADAPTIVE;
    options.linear_solver = solver;
    options.rtol = options.atol = 1e-6;
    const trm_initial initial = {.q = c->q};
    trm_simulation *s;
    trm_error error;
    if (trm_simulation_create(&s, &c->system, &options, &initial, &error) < 0)
        fail_msg("%s", error.text);
    return s;
}

static void run(trm_simulation *s, double t)
{
    assert_int_equal(trm_simulation_run(s, t), TRM_OK);
}

// The same motion as with KLU, and the form it ended with. Both have a tolerance of 1e-6, and the
// same steps: measured 2e-12 in blocks.
static void compare_with_klu(double curl, bool blocks)
{
    chain c;
    make_chain(&c, curl);
    trm_simulation *s = create(&c, TRM_SOLVER_AUTO), *klu = create(&c, TRM_SOLVER_SPARSE);
    run(s, 0.5);
    run(klu, 0.5);
    const double *q = trm_simulation_state(s)->q, *exact = trm_simulation_state(klu)->q;
    for (int i = 0; i < N; i++)
        assert_true(fabs(q[i] - exact[i]) < 1e-8);
    assert_int_equal(trm_simulation_statistics(s)->steps, trm_simulation_statistics(klu)->steps);
    assert_true(trmi_shifted_in_blocks(&trmi_radau_of(s)->matrix) == blocks);
    assert_false(trmi_shifted_in_blocks(&trmi_radau_of(klu)->matrix));
    trm_simulation_destroy(s);
    trm_simulation_destroy(klu);
}

static void test_shifted_symmetric_matrix_stays_in_blocks(void **state)
{
    (void)state;
    compare_with_klu(0, true);
}

static void test_shifted_unsymmetric_matrix_leaves_blocks(void **state)
{
    (void)state;
    compare_with_klu(3000, false);
}

// a checkpoint taken in blocks leads back to them, and on to the same bits
static void test_shifted_checkpoint_before_leaving_returns_to_blocks(void **state)
{
    (void)state;
    chain c;
    make_chain(&c, 3000);
    trm_simulation *s = create(&c, TRM_SOLVER_AUTO), *other = create(&c, TRM_SOLVER_AUTO);
    double q[N];
    run(s, 0.01);
    assert_true(trmi_shifted_in_blocks(&trmi_radau_of(s)->matrix));
    size_t size = trm_simulation_save(s, NULL, 0);
    void *buffer = malloc(size);
    assert_non_null(buffer);
    assert_int_equal(trm_simulation_save(s, buffer, size), size);
    run(s, 0.5);
    assert_false(trmi_shifted_in_blocks(&trmi_radau_of(s)->matrix));
    memcpy(q, trm_simulation_state(s)->q, sizeof q);
    size_t later = trm_simulation_save(s, NULL, 0);
    void *whole = malloc(later);
    assert_int_equal(trm_simulation_save(s, whole, later), later);
    trm_simulation *both[] = {s, other};
    for (int k = 0; k < 2; k++) {
        assert_int_equal(trm_simulation_load(both[k], buffer, size), TRM_OK);
        assert_true(trmi_shifted_in_blocks(&trmi_radau_of(both[k])->matrix));
        run(both[k], 0.5);
        assert_memory_equal(trm_simulation_state(both[k])->q, q, sizeof q);
    }
    assert_int_equal(trm_simulation_load(s, whole, later), TRM_OK);
    assert_false(trmi_shifted_in_blocks(&trmi_radau_of(s)->matrix));
    free(buffer);
    free(whole);
    trm_simulation_destroy(s);
    trm_simulation_destroy(other);
}

// what is left out, in units of the masses: curl t^2 of each body
static void test_shifted_asymmetry_is_that_of_the_stiffness(void **state)
{
    (void)state;
    chain c;
    make_chain(&c, 7);
    trm_simulation *s = create(&c, TRM_SOLVER_AUTO);
    trmi_radau *r = trmi_radau_of(s);
    s->now.t = 2;
    uint64_t want = TRMI_POSITION_QUANTITIES | trmi_saddle_derivatives(&r->matrix.form->saddle);
    for (int pass = 0; pass < 2; pass++) { // the scratch is clean again
        assert_int_equal(trmi_evaluate(&s->e, &s->now, want, &s->values), 0);
        trmi_shifted_take(&r->matrix, 0);
        // 7 * 2^2; N is symmetric. Exact numbers, one product
        assert_true(fabs(r->matrix.asymmetry[0] - 28) < 1e-14 * 28);
        assert_true(r->matrix.asymmetry[1] == 0);
    }
    assert_int_equal(trmi_shifted_factor(&r->matrix, 10, NULL, 0), TRMI_FACTOR_WRONG_SIGN);
    // 28/1e6^2 is nothing
    assert_int_equal(trmi_shifted_factor(&r->matrix, 1e6, NULL, 0), TRMI_FACTOR_OK);
    trm_simulation_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shifted_symmetric_matrix_stays_in_blocks),
        cmocka_unit_test(test_shifted_unsymmetric_matrix_leaves_blocks),
        cmocka_unit_test(test_shifted_checkpoint_before_leaving_returns_to_blocks),
        cmocka_unit_test(test_shifted_asymmetry_is_that_of_the_stiffness),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
