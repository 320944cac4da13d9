// SPDX-License-Identifier: Apache-2.0
// Chains of thin rods, hanging from one end or between two supports: an equilibrium and its
// stability do not depend on inertias, however small those about the axes of the rods are.
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

// ---- between two supports ----

// rods of 1 m and 1 kg between supports at one height, n * SPAN apart
typedef struct festoon {
    int rods;
    const char *coordinates;
    double spin;   // inertia about the axis
    double turn;   // of the plane of the start about the line between the supports
    bool stateful; // beside a state
} festoon;

static const double SPAN = 0.7;
enum { FESTOON_RODS = 34 };

// the root of a function of one number that falls from one sign to the other
static double bisect(double (*f)(double x, int n), int n, double low, double high)
{
    for (int i = 0; i < 200; i++) {
        double middle = 0.5 * (low + high);
        *(f(middle, n) > 0 ? &low : &high) = middle;
    }
    return low;
}

// Hinged rods of one weight w: horizontal forces w H are the same in all, vertical ones grow by w,
// and of each the moment about its middle vanishes, tan(angle_k) = (k - (n - 1)/2) / H.
static double hanging_angle(int k, int n, double H)
{
    return atan((k - 0.5 * (n - 1)) / H);
}

static double too_wide(double H, int n) // falls with 1/H
{
    double width = 0;
    for (int k = 0; k < n; k++)
        width += cos(hanging_angle(k, n, 1 / H));
    return width - n * SPAN;
}

// the rods of the start go round a circle
static double round_angle(int k, int n, double half)
{
    return half * (2.0 * k / (n - 1) - 1);
}

static double too_wide_circle(double half, int n)
{
    double width = 0;
    for (int k = 0; k < n; k++)
        width += cos(round_angle(k, n, half));
    return width - n * SPAN;
}

// the ends of the rods at the start
static void place_festoon(const festoon *c, double joint[][3])
{
    const double half = bisect(too_wide_circle, c->rods, 0, 3.14);
    memset(joint[0], 0, sizeof joint[0]);
    for (int k = 0; k < c->rods; k++) {
        const double angle = round_angle(k, c->rods, half);
        joint[k + 1][0] = joint[k][0] + cos(angle);
        joint[k + 1][1] = joint[k][1] - sin(angle) * sin(c->turn);
        joint[k + 1][2] = joint[k][2] + sin(angle) * cos(c->turn);
    }
}

static void write_festoon(const festoon *c, char *text, size_t size)
{
    const double across = 1.0 / 12;
    double joint[FESTOON_RODS + 1][3];
    char before[16] = "ground", after[16];
    size_t n = 0;
    place_festoon(c, joint);
#define ADD(...) n += (size_t)snprintf(text + n, size - n, __VA_ARGS__)
    ADD("trammel: 1\nmechanism:\n  gravity: [0, 0, -9.81]\n  coordinates: %s\n  bodies:\n",
        c->coordinates);
    for (int k = 0; k < c->rods; k++) {
        const double *a = joint[k], *b = joint[k + 1];
        ADD("    r%d: {mass: 1, center: [%.17g, %.17g, %.17g], inertia: [", k, (a[0] + b[0]) / 2,
            (a[1] + b[1]) / 2, (a[2] + b[2]) / 2);
        for (int i = 0; i < 9; i++)
            ADD("%s%.17g%s", i % 3 ? ", " : "[",
                across * (i / 3 == i % 3) +
                    (c->spin - across) * (b[i / 3] - a[i / 3]) * (b[i % 3] - a[i % 3]),
                i == 8       ? "]]}\n"
                : i % 3 == 2 ? "], "
                             : "");
    }
    ADD("  joints:\n");
    for (int k = 0; k <= c->rods; k++, memcpy(before, after, sizeof before)) {
        snprintf(after, sizeof after, k < c->rods ? "r%d" : "ground", k);
        ADD("    j%d: {spherical: {between: [%s, %s], at: [%.17g, %.17g, %.17g]}}\n", k, before,
            after, joint[k][0], joint[k][1], joint[k][2]);
    }
    ADD("%soutputs: {", c->stateful ? "  states: {s: {rate: 1 - s}}\n" : "");
    for (int k = 0; k < c->rods; k++)
        ADD("%sy%d: r%d_y, z%d: r%d_z", k > 0 ? ", " : "", k, k, k, k);
    ADD("}\nsimulate: {end: 1}\n");
#undef ADD
}

static void check_festoon(const festoon *c)
{
    static char text[FESTOON_RODS * 500];
    model_case m;
    trm_equilibrium *rest = NULL;
    double place[2 * FESTOON_RODS], H = 1 / bisect(too_wide, c->rods, 1e-6, 1e3), z = 0;
    write_festoon(c, text, sizeof text);
    model_read(&m, text);
    if (trm_equilibrium_create(&rest, m.system, trm_model_options(m.model),
                               trm_instance_initial(m.instance), &m.error) != TRM_OK)
        fail_msg("%d rods, %s, spin %g, turn %g: %s", c->rods, c->coordinates, c->spin, c->turn,
                 m.error.text);
    assert_int_equal(trm_equilibrium_get_report(rest)->unstable, 0);
    assert_int_equal(trm_instance_outputs(m.instance, trm_equilibrium_state(rest), place), 0);
    for (int k = 0; k < c->rods; k++) {
        const double rise = sin(hanging_angle(k, c->rods, H));
        z += 0.5 * rise;
        // a millionth of the forces may be left, against pendulums of the length of the sag
        if (!(fabs(place[2 * k]) <= 1e-6 * c->rods && fabs(place[2 * k + 1] - z) <= 1e-6 * c->rods))
            fail_msg("%d rods, %s, spin %g, turn %g: rod %d at y = %g, z = %.10g, not 0, %.10g",
                     c->rods, c->coordinates, c->spin, c->turn, k, place[2 * k], place[2 * k + 1],
                     z);
        z += 0.5 * rise;
    }
    trm_equilibrium_destroy(rest);
    model_close(&m);
}

static void test_equilibrium_chain_between_supports_hangs_in_closed_form(void **state)
{
    (void)state;
    const int rods[] = {2, 3, 10};
    const double spin[] = {1e-9, 1e-6, 1e-3}, turn[] = {0.3, 1.5707963267948966};
    for (int k = 0; k < 36; k++)
        check_festoon(&(festoon){.rods = rods[k / 12],
                                 .coordinates = COORDINATES[k % 2],
                                 .spin = spin[k / 4 % 3],
                                 .turn = turn[k / 2 % 2]});
    for (int k = 0; k < 4; k++)
        check_festoon(
            &(festoon){FESTOON_RODS, COORDINATES[k % 2], k < 2 ? 1e-9 : 1e-6, 1.2, false});
}

// with a state the stiffness has no potential, and the search another way
static void test_equilibrium_chain_with_a_state_hangs_as_without(void **state)
{
    (void)state;
    const double turn[] = {0, 0.3, 1.5707963267948966};
    for (int k = 0; k < 24; k++)
        check_festoon(&(festoon){.rods = k < 12 ? 3 : 5,
                                 .coordinates = COORDINATES[k % 2],
                                 .spin = k / 2 % 2 ? 1e-9 : 1e-6,
                                 .turn = turn[k / 4 % 3],
                                 .stateful = true});
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
        cmocka_unit_test(test_equilibrium_chain_between_supports_hangs_in_closed_form),
        cmocka_unit_test(test_equilibrium_chain_with_a_state_hangs_as_without),
        cmocka_unit_test(test_equilibrium_inertia_may_differ_from_its_transpose_by_roundoff),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
