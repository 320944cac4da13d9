// SPDX-License-Identifier: Apache-2.0
// Assembly from far: a cut joint is closed the short way from any start below half a turn.
#include "mechanisms.h"

// a free body that a cut of this kind holds, turned by `angle` about a random axis and moved
static void turned_body(sketch *s, uint64_t seed, const trmi_joint_type *type, double angle)
{
    sketch_begin(s, seed);
    int b = sketch_random_body(s);
    trmi_joint *place = sketch_joint(s, &trmi_joint_free, 0, b, s->body[b].center, trmi_m3_unit());
    trmi_v3 axis = sketch_vector(s);
    double scale = angle / trmi_v3_length(axis);
    const double turn[] = {scale * axis.x, scale * axis.y, scale * axis.z};
    for (int i = 0; i < 3; i++) {
        place->extra->start[i] = (trmi_start_value){.given = true, .value = 0.3 * sketch_random(s)};
        place->extra->start[3 + i] = (trmi_start_value){.given = true, .value = turn[i]};
    }
    trmi_v3 at = sketch_vector(s);
    sketch_joint(s, type, 0, b, at, sketch_rotation(s))->cut = true;
}

// The spec asks for it; with the sines of the angles 0 of 25 fixed and 6 of 25 revolute joints were
// closed from starts between 150 and 179 degrees.
static void test_multibody_assembly_from_below_half_a_turn_goes_the_short_way(void **state)
{
    (void)state;
    static const trmi_joint_type *const types[] = {&trmi_joint_fixed, &trmi_joint_revolute,
                                                   &trmi_joint_prismatic, &trmi_joint_cylindrical,
                                                   &trmi_joint_planar};
    for (int k = 0; k < 5; k++)
        for (int i = 0; i < 60; i++) {
            sketch s;
            sketch_machine x;
            double angle = (5 + 174.0 * i / 59) * acos(-1.0) / 180; // 5 to 179 degrees
            turned_body(&s, (uint64_t)(100 * k + i + 1), types[k], angle);
            sketch_open(&x, &s); // fails where it closes the wrong way round
            // within the bound of the assembly for a mechanism of 1 m
            assert_true(x.work->assembly.before > 1e-3 && x.work->assembly.after < 1e-8);
            trmi_machine_set_state(x.work, &x.state);
            trmi_v3 r = trmi_machine_body(x.work, 1).r;
            double off = trmi_v3_length(trmi_v3_sub(r, s.body[1].center));
            if (types[k] == &trmi_joint_fixed)
                assert_true(off < 1e-8); // where the file has it
            sketch_close(&x);
        }
}

// plane models: the angle in place of its sine, with which half of these ended upside down
static void test_multibody_assembly_in_the_plane_goes_the_short_way(void **state)
{
    (void)state;
    static const trmi_joint_type *const types[] = {&trmi_joint_fixed, &trmi_joint_prismatic};
    // prismatic joints of the plane: y is the normal, z the axis
    const trmi_m3 frames[] = {trmi_m3_unit(), {{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}}};
    for (int k = 0; k < 2; k++)
        for (int i = 1; i < 60; i++) {
            sketch s;
            sketch_machine x;
            const trmi_m3 J = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
            sketch_begin(&s, (uint64_t)i);
            s.mechanism.plane = TRMI_PLANE_XY;
            s.mechanism.gravity.z = 0;
            int b = sketch_body(&s, 1, (trmi_v3){0.4, 0.1, 0}, J);
            trmi_joint *pin = sketch_joint(&s, &trmi_joint_revolute, 0, b, (trmi_v3){0.1, 0.2, 0},
                                           trmi_m3_unit());
            pin->extra->start[0] =
                (trmi_start_value){.given = true, .value = 0.05 * i}; // to 2.95 rad
            sketch_joint(&s, types[k], 0, b, (trmi_v3){0.1, 0.2, 0}, frames[k])->cut = true;
            sketch_open(&x, &s);
            assert_true(fabs(x.q[0]) < 1e-8);
            sketch_close(&x);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_multibody_assembly_from_below_half_a_turn_goes_the_short_way),
        cmocka_unit_test(test_multibody_assembly_in_the_plane_goes_the_short_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
