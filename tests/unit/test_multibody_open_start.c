// SPDX-License-Identifier: Apache-2.0
// What is cut does not matter to the start: open chains start by their tree, whichever joints are
// cut, and in either choice of coordinates.
#include "mechanisms.h"

enum { BODIES = 7, NUMBERS = 6 };

// start values of all joints; every third one has none, and starts at 0
static void give_values(sketch *s)
{
    for (int j = 0; j < s->mechanism.joints; j++) {
        int n = trmi_measure_count(s->joint[j].type, TRMI_SPATIAL);
        for (int i = 0; i < n && j % 3 != 2; i++)
            s->start[j][i] =
                (trmi_start_value){true, true, false, sketch_random(s), sketch_random(s)};
    }
}

// centre of mass, its velocity, rotation and angular velocity of every body at the start
static void start_of(const sketch *s, trmi_body_motion *motion)
{
    sketch_machine x;
    sketch_open(&x, s);
    trmi_machine_set_state(x.work, &x.state);
    for (int b = 1; b <= BODIES; b++)
        motion[b] = trmi_machine_body(x.work, b);
    sketch_close(&x);
}

static double distance(trmi_v3 a, trmi_v3 b)
{
    return trmi_v3_length(trmi_v3_sub(a, b));
}

// Closed form: the motion without cuts. The same products of rotations in other coordinates: a few
// units of rounding per body; 1e-12 of lengths and rates of about 1.
static void check_same(const trmi_body_motion *a, const trmi_body_motion *b, int which)
{
    double far = 0, dot = 0;
    for (int i = 1; i <= BODIES; i++) {
        far = fmax(far, distance(a[i].r, b[i].r));
        far = fmax(far, distance(a[i].velocity, b[i].velocity));
        far = fmax(far, distance(a[i].w, b[i].w));
        dot = a[i].rotation.s * b[i].rotation.s + trmi_v3_dot(a[i].rotation.v, b[i].rotation.v);
        far = fmax(far, 1 - fabs(dot));
    }
    if (!(far < 1e-12))
        fail_msg("mechanism %d starts %g away from where it does without cuts", which, far);
}

static void test_multibody_open_chains_start_by_their_tree_whatever_is_cut(void **state)
{
    (void)state;
    for (int which = 0; which < 30; which++) {
        trmi_body_motion whole[BODIES + 1], cut[BODIES + 1];
        sketch s;
        sketch_begin(&s, (uint64_t)which + 1);
        sketch_random_tree(&s, BODIES);
        give_values(&s);
        start_of(&s, whole);
        for (int j = 0; j < s.mechanism.joints; j++)
            s.joint[j].cut = (which + j * j) % 3 == 0;
        for (int absolute = 0; absolute < 2; absolute++) {
            s.mechanism.absolute = absolute == 1;
            start_of(&s, cut);
            check_same(whole, cut, which);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_multibody_open_chains_start_by_their_tree_whatever_is_cut)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
