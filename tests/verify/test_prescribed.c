// SPDX-License-Identifier: Apache-2.0
// Prescribed motion of every measure of every joint: an arm on a hinge carries another body by the
// joint, one measure of which follows a formula. As an edge of the tree, as a cut and in absolute
// coordinates, either body first, in both formalisms, places of all bodies and reactions of all
// joints (the force of the drive among them) are the same.
#include "models.h"

#include "modelling/multibody/joints/joints.h"
#include "modelling/reader/model.h"

enum { VALUES = 64, WAYS = 6 };

// starts at rest in the reference configuration, so that all ways start alike
#define MOTION "0.3*sin(2*t)^2"

static const char spatial[] =
    "trammel: 1\n"
    "mechanism:\n"
    "  gravity: [0, 0, -9.81]\n"
    "  bodies:\n"
    "    arm: {mass: 2, center: [0.5, 0.1, 0], inertia: [0.05, 0.2, 0.22]}\n"
    "    tip: {mass: 1, center: [1.4, 0.3, 0.1], inertia: [0.05, 0.04, 0.03]}\n"
    "  joints:\n"
    "    pivot: {revolute: {between: [ground, arm], at: [0, 0, 0], axis: y}}\n"
    "    joint: {%s: {between: [%s], at: [1, 0, 0]%s}, motion: {%s: \"" MOTION "\"}}\n"
    "outputs: {measure: \"joint_%s\"}\n"
    "simulate: {end: 0.6, tolerance: 1e-9, integrator: radau-adaptive}\n";

static const char plane[] =
    "trammel: 1\n"
    "mechanism:\n"
    "  plane: xy\n"
    "  gravity: [0, -9.81]\n"
    "  bodies:\n"
    "    arm: {mass: 2, center: [0.5, 0.1], inertia: 0.2}\n"
    "    tip: {mass: 1, center: [1.4, 0.3], inertia: 0.05}\n"
    "  joints:\n"
    "    pivot: {revolute: {between: [ground, arm], at: [0, 0]}}\n"
    "    joint: {%s: {between: [%s], at: [1, 0]%s}, motion: {%s: \"" MOTION "\"}}\n"
    "outputs: {measure: \"joint_%s\"}\n"
    "simulate: {end: 0.6, tolerance: 1e-9, integrator: radau-adaptive}\n";

typedef struct driven {
    const trmi_joint_type *type;
    const char *name, *keys, *plane_keys; // NULL: no joint of plane models
} driven;

#define AXIS ", axis: [0.2, 1, 0.3]"
static const driven joints[] = {
    {&trmi_joint_revolute, "revolute", AXIS, ""},
    {&trmi_joint_prismatic, "prismatic", AXIS, ", axis: [0.2, 1]"},
    {&trmi_joint_cylindrical, "cylindrical", AXIS, NULL},
    {&trmi_joint_screw, "screw", AXIS ", pitch: 0.05", NULL},
    {&trmi_joint_universal, "universal", AXIS ", second_axis: [0, 0.3, -1]", NULL},
    {&trmi_joint_spherical, "spherical", "", NULL},
    {&trmi_joint_planar, "planar", AXIS, NULL},
    {&trmi_joint_point_on_line, "point-on-line", AXIS, ", axis: [0.2, 1]"},
    {&trmi_joint_point_on_plane, "point-on-plane", AXIS, NULL},
    {&trmi_joint_free, "free", "", ""},
};

static const char *const ways[WAYS][3] = {
    {"mechanism.coordinates=joint", "mechanism.joints.joint.cut=false", NULL},
    {"mechanism.coordinates=joint", "mechanism.joints.joint.cut=true", NULL},
    {"mechanism.coordinates=absolute", NULL},
    {"mechanism.coordinates=joint", "mechanism.formalism=explicit", NULL},
    {"mechanism.formalism=explicit", "mechanism.joints.joint.cut=true", NULL},
    {"mechanism.coordinates=absolute", "mechanism.formalism=explicit", NULL}};

// Poses and reactions at the end; returns how many.
static int run(const char *text, const char *const *way, double *values)
{
    model_case c;
    trm_simulation *simulation;
    double measure;
    model_try(&c, text, "m.yaml", way);
    model_instantiate(&c);
    int count =
        trm_model_count(c.model, TRM_CHANNEL_BODY) + trm_model_count(c.model, TRM_CHANNEL_REACTION);
    assert_true(count <= VALUES);
    if (trm_simulation_create(&simulation, c.system, trm_model_options(c.model),
                              trm_instance_initial(c.instance), &c.error) != TRM_OK)
        fail_msg("%s%s", text, c.error.text);
    if (trm_simulation_run(simulation, 0.6) != TRM_OK)
        fail_msg("%s%s", text, trm_simulation_error(simulation)->text);
    const trm_state *s = trm_simulation_state(simulation);
    assert_int_equal(trm_instance_outputs(c.instance, s, &measure), 0);
    // rounding of angles and travels below 1
    assert_true(fabs(measure - 0.3 * pow(sin(1.2), 2)) < 1e-13);
    trmi_instance_mechanism(c.instance, s, values);
    trm_simulation_destroy(simulation);
    model_close(&c);
    return count;
}

static void check_motion(const char *format, const driven *j, const char *keys, const char *measure)
{
    for (int order = 0; order < 2; order++) {
        char text[2000];
        double first[VALUES], other[VALUES];
        snprintf(text, sizeof text, format, j->name, order ? "tip, arm" : "arm, tip", keys, measure,
                 measure);
        int count = run(text, ways[0], first);
        for (int w = 1; w < WAYS; w++) {
            assert_int_equal(run(text, ways[w], other), count);
            for (int i = 0; i < count; i++)
                // errors of runs at 1e-9, reactions of size 50 among them; measured 2.4e-9
                if (!(fabs(other[i] - first[i]) < 3e-8 * (1 + fabs(first[i]))))
                    fail_msg("%s%s, %s: %.12g instead of %.12g", text, ways[w][0], ways[w][1],
                             other[i], first[i]);
        }
    }
}

static void test_prescribed_motion_of_every_joint_in_space(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof joints / sizeof *joints; k++)
        for (int i = 0; i < trmi_measure_count(joints[k].type, TRMI_SPATIAL); i++)
            check_motion(spatial, &joints[k], joints[k].keys,
                         trmi_measure_of(joints[k].type, TRMI_SPATIAL, i).name);
}

static void test_prescribed_motion_of_every_joint_in_the_plane(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof joints / sizeof *joints; k++)
        for (int i = 0; i < trmi_measure_count(joints[k].type, TRMI_PLANE_XY); i++)
            if (joints[k].plane_keys)
                check_motion(plane, &joints[k], joints[k].plane_keys,
                             trmi_measure_of(joints[k].type, TRMI_PLANE_XY, i).name);
}

// Three components of a rotation vector, beyond half a turn: the exponential of the vector.
static void test_prescribed_rotation_in_space_is_its_exponential(void **state)
{
    (void)state;
    static const char text[] =
        "trammel: 1\n"
        "mechanism:\n"
        "  bodies:\n"
        "    ball: {mass: 1, center: [0, 0, 0], inertia: [0.1, 0.2, 0.25]}\n"
        "  joints:\n"
        "    socket: {spherical: {between: [ground, ball], at: [0.1, 0, 0]}, motion: "
        "{rotation_x: \"3*t\", rotation_y: \"-2*t^2\", rotation_z: \"sin(3*t)\"}}\n"
        "simulate: {end: 1.2, tolerance: 1e-9}\n";
    const double th[] = {3.6, -2.88, sin(3.6)},
                 angle = sqrt(th[0] * th[0] + th[1] * th[1] + th[2] * th[2]);
    for (int w = 1; w <= 2; w++) {
        model_case c;
        trm_simulation *simulation;
        double values[VALUES];
        model_try(&c, text, "m.yaml", w == 1 ? NULL : ways[w]); // joint, absolute
        model_instantiate(&c);
        assert_int_equal(trm_simulation_create(&simulation, c.system, trm_model_options(c.model),
                                               trm_instance_initial(c.instance), &c.error),
                         TRM_OK);
        assert_int_equal(trm_simulation_run(simulation, 1.2), TRM_OK);
        trmi_instance_mechanism(c.instance, trm_simulation_state(simulation), values);
        const double sign = values[3] * cos(angle / 2) < 0 ? -1 : 1; // e and -e are the same turn
        // constraints hold to roundoff
        assert_true(fabs(sign * values[3] - cos(angle / 2)) < 1e-12);
        for (int i = 0; i < 3; i++)
            assert_true(fabs(sign * values[4 + i] - sin(angle / 2) * th[i] / angle) < 1e-12);
        trm_simulation_destroy(simulation);
        model_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prescribed_motion_of_every_joint_in_space),
        cmocka_unit_test(test_prescribed_motion_of_every_joint_in_the_plane),
        cmocka_unit_test(test_prescribed_rotation_in_space_is_its_exponential),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
