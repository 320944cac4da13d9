// SPDX-License-Identifier: Apache-2.0
// Chains of thin rods: an equilibrium and its stability do not depend on inertias, however small
// those about the axes of the rods are.
#include "models.h"

typedef struct chain {
    int rods;
    const char *joint;       // spherical, universal
    const char *coordinates; // joint, absolute
    double spin;             // inertia about the axis
    bool tilted;             // start
} chain;

static const double LENGTH = 0.1, MASS = 0.05;

// inertia = across (1 - d d^T) + spin d d^T; universal joints turn about two axes across
static void write_chain(const chain *c, char *text, size_t size)
{
    const double root = sqrt(0.3 * 0.3 + 0.2 * 0.2 + 0.93 * 0.93);
    const double tilted[3] = {0.3 / root, 0.2 / root, -0.93 / root}, straight[3] = {1, 0, 0};
    const double *d = c->tilted ? tilted : straight;
    const double across = MASS * LENGTH * LENGTH / 12;
    const double h = hypot(d[0], d[1]), a[3] = {-d[1] / h, d[0] / h, 0};
    const double b[3] = {-a[1] * d[2], a[0] * d[2], a[1] * d[0] - a[0] * d[1]};
    size_t n = 0;
#define ADD(...) n += (size_t)snprintf(text + n, size - n, __VA_ARGS__)
    ADD("trammel: 1\nmechanism:\n  gravity: [0, 0, -9.81]\n  coordinates: %s\n  bodies:\n",
        c->coordinates);
    for (int k = 0; k < c->rods; k++) {
        double s = (k + 0.5) * LENGTH, J[3][3];
        for (int i = 0; i < 9; i++)
            J[i / 3][i % 3] = across * (i / 3 == i % 3) + (c->spin - across) * d[i / 3] * d[i % 3];
        ADD("    r%d: {mass: %.17g, center: [%.17g, %.17g, %.17g], inertia: ", k, MASS, s * d[0],
            s * d[1], s * d[2]);
        ADD("[[%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g]]}\n", J[0][0],
            J[0][1], J[0][2], J[1][0], J[1][1], J[1][2], J[2][0], J[2][1], J[2][2]);
    }
    ADD("  joints:\n");
    for (int k = 0; k < c->rods; k++) {
        double s = k * LENGTH;
        char before[16] = "ground";
        if (k > 0)
            snprintf(before, sizeof before, "r%d", k - 1);
        ADD("    j%d: {%s: {between: [%s, r%d], at: [%.17g, %.17g, %.17g]", k, c->joint, before, k,
            s * d[0], s * d[1], s * d[2]);
        if (strcmp(c->joint, "universal") == 0)
            ADD(", axis: [%.17g, %.17g, %.17g], second_axis: [%.17g, %.17g, %.17g]", b[0], b[1],
                b[2], a[0], a[1], a[2]);
        ADD("}}\n");
    }
    ADD("simulate: {end: 1}\n");
#undef ADD
}

// `free` directions, of which a large system lists some only; none is unstable
static void check_chain(const chain *c, int free)
{
    static char text[60000];
    model_case m;
    write_chain(c, text, sizeof text);
    model_read(&m, text);
    trm_equilibrium *rest = NULL;
    if (trm_equilibrium_create(&rest, m.system, trm_model_options(m.model),
                               trm_instance_initial(m.instance), &m.error) != TRM_OK)
        fail_msg("%d rods, %s, %s, spin %g, tilted %d: %s", c->rods, c->joint, c->coordinates,
                 c->spin, c->tilted, m.error.text);
    const trm_equilibrium_report *r = trm_equilibrium_get_report(rest);
    bool listed = r->directions == r->mobility
                      ? r->free == free
                      : r->free == (free < r->directions ? free : r->directions);
    if (r->undecided || r->unstable > 0 || !listed)
        fail_msg("%d rods, %s, %s, spin %g, tilted %d: %d unstable, %d free of %d (%s)", c->rods,
                 c->joint, c->coordinates, c->spin, c->tilted, r->unstable, r->free, r->directions,
                 r->undecided ? r->undecided : "decided");
    trm_equilibrium_destroy(rest);
    model_close(&m);
}

static const int RODS[] = {3, 10, 34, 40};
static const char *const COORDINATES[] = {"joint", "absolute"};

// each rod spins freely about its own axis, which hangs vertically
static void test_equilibrium_chain_of_thin_rods_is_free_about_each_axis(void **state)
{
    (void)state;
    const double spin[] = {1e-9, 1e-6};
    for (int k = 0; k < 32; k++) {
        const chain c = {RODS[k / 8], "spherical", COORDINATES[k % 2], spin[k / 2 % 2], k / 4 % 2};
        check_chain(&c, c.rods);
    }
}

// Universal joints pass the spin on, to the ground: tilted, all is held. Along x the first axis of
// the first joint becomes the vertical, about which the whole chain turns freely.
static void test_equilibrium_universal_chain_without_spin_inertia_is_found(void **state)
{
    (void)state;
    for (int k = 0; k < 16; k++) {
        const chain c = {RODS[k / 4], "universal", COORDINATES[k % 2], 0, k / 2 % 2};
        check_chain(&c, c.tilted ? 0 : 1);
    }
}

// no inertia about a free axis, in any direction: singular up to roundoff, and no wrong sign
static void test_equilibrium_chain_without_spin_inertia_is_singular(void **state)
{
    (void)state;
    static char text[60000];
    for (int k = 0; k < 4; k++) {
        model_case m;
        trm_equilibrium *rest = NULL;
        const chain c = {3, "spherical", COORDINATES[k % 2], 0, k / 2};
        write_chain(&c, text, sizeof text);
        model_read(&m, text);
        trm_status status = trm_equilibrium_create(&rest, m.system, trm_model_options(m.model),
                                                   trm_instance_initial(m.instance), &m.error);
        if (status == TRM_OK && k == 2) { // a pivot may be roundoff above zero
            assert_int_equal(trm_equilibrium_get_report(rest)->unstable, 0);
            trm_equilibrium_destroy(rest);
        } else {
            assert_int_equal(status, TRM_ERR_SINGULAR);
            assert_non_null(strstr(m.error.text, "the mass matrix is singular"));
        }
        model_close(&m);
    }
}

static void test_equilibrium_inertia_may_differ_from_its_transpose_by_roundoff(void **state)
{
    (void)state;
    model_case m;
    // 1.9230769230769255e-07 and 1.923076923076934e-07: 8 eps of the largest entry
    model_read(&m, "trammel: 1\n"
                   "mechanism:\n"
                   "  bodies:\n"
                   "    r: {mass: 1, center: [0, 0, -1], inertia: [[4e-5, 0, 0], [0, 4e-5, "
                   "1.9230769230769255e-07],\n"
                   "                           [0, 1.923076923076934e-07, 4e-5]]}\n"
                   "  joints: {j: {spherical: {between: [ground, r], at: [0, 0, 0]}}}\n"
                   "simulate: {end: 1}\n");
    model_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equilibrium_chain_of_thin_rods_is_free_about_each_axis),
        cmocka_unit_test(test_equilibrium_universal_chain_without_spin_inertia_is_found),
        cmocka_unit_test(test_equilibrium_chain_without_spin_inertia_is_singular),
        cmocka_unit_test(test_equilibrium_inertia_may_differ_from_its_transpose_by_roundoff),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
