// SPDX-License-Identifier: Apache-2.0
// The section `mechanism` of a file against the description it becomes.
#define _POSIX_C_SOURCE 200809L // open_memstream
#include "models.h"
#include "unit/parameters.h"

#include "modelling/multibody/joints/joints.h"
#include "modelling/multibody/machine.h"
#include "modelling/reader/model.h"

#define HEAD "trammel: 1\nmechanism:\n"
#define CRANK "  bodies:\n    crank: {mass: 2, center: [1, 0, 0], inertia: [1, 2, 2.5]}\n"
#define END "simulate: {end: 1}\n"

static const trmi_mechanism *read_mechanism(model_case *c, const char *text)
{
    model_read(c, text);
    assert_non_null(c->model->mechanism);
    return c->model->mechanism;
}

// exact but for the rounding of a few products
static void assert_vector(trmi_v3 v, double x, double y, double z)
{
    assert_true(trmi_v3_length(trmi_v3_sub(v, (trmi_v3){x, y, z})) < 1e-14);
}

static const trmi_joint *joint_named(const trmi_mechanism *m, const char *name)
{
    for (int j = 0; j < m->joints; j++)
        if (strcmp(m->joint[j].name, name) == 0)
            return &m->joint[j];
    fail_msg("no joint %s", name);
    return NULL;
}

// ---- bodies ----

static void test_mechanism_reader_body_frame_turns_inertia(void **state)
{
    (void)state;
    model_case c;
    const trmi_mechanism *m = read_mechanism(
        &c,
        HEAD "  bodies:\n"
             "    crank: {mass: 2, center: [1, 0, 0], inertia: [1, 2, 2.5], frame: {x: y, z: z}}\n"
             "  joints:\n    pivot: {revolute: {between: [ground, crank], at: [0, 0, 0], axis: "
             "z}}\n" END);
    const trmi_body *crank = &m->body[1];
    assert_int_equal(m->bodies, 2);
    assert_string_equal(m->body[TRMI_GROUND].name, "ground");
    assert_true(crank->mass == 2);
    // a quarter turn about z exchanges the moments about x and y
    assert_vector(trmi_s3_matrix(crank->inertia).row[0], 2, 0, 0);
    assert_vector(trmi_s3_matrix(crank->inertia).row[1], 0, 1, 0);
    assert_vector(trmi_s3_matrix(crank->inertia).row[2], 0, 0, 2.5);
    model_close(&c);
}

static void test_mechanism_reader_inertia_has_four_forms(void **state)
{
    (void)state;
    static const char *const forms[] = {"[1, 1.5, 2]", "{xx: 1, yy: 1.5, zz: 2}",
                                        "[[1, 0, 0], [0, 1.5, 0], [0, 0, 2]]"};
    for (int k = 0; k < 3; k++) {
        char text[1000];
        snprintf(
            text, sizeof text,
            HEAD
            "  bodies:\n    crank: {mass: 2, center: [1, 0, 0], inertia: %s}\n"
            "  joints:\n    ball: {spherical: {between: [ground, crank], at: [0, 0, 0]}}\n" END,
            forms[k]);
        model_case c;
        const trmi_mechanism *m = read_mechanism(&c, text);
        assert_vector(trmi_s3_matrix(m->body[1].inertia).row[1], 0, 1.5, 0);
        model_close(&c);
    }
    model_case c; // of a plane model: one number, about the normal
    const trmi_mechanism *m = read_mechanism(
        &c, HEAD "  plane: zx\n  bodies:\n    crank: {mass: 2, center: [1, 3], inertia: 4}\n"
                 "  joints:\n    pivot: {revolute: {between: [ground, crank], at: [0, 0]}}\n" END);
    assert_vector(trmi_s3_matrix(m->body[1].inertia).row[1], 0, 4, 0);
    assert_vector(m->body[1].center, 3, 0, 1); // the plane is z, x in this order
    model_close(&c);
}

static void test_mechanism_reader_points_may_be_in_body_frames(void **state)
{
    (void)state;
    model_case c;
    const trmi_mechanism *m = read_mechanism(
        &c, HEAD
        "  bodies:\n"
        "    crank: {mass: 2, center: [1, 0, 0], inertia: [1, 1, 1],\n"
        "            frame: {axis: z, angle: \"pi/2\", origin: [5, 0, 0]}}\n"
        "  joints:\n"
        "    pivot: {revolute: {between: [ground, crank], at: {body: crank, point: [1, 2, 3]},\n"
        "                       axis: {body: crank, axis: x}}}\n" END);
    assert_vector(m->joint[0].at, 5 - 2, 1, 3); // turned by 90 degrees: (1, 2) -> (-2, 1)
    assert_vector(trmi_m3_column(*m->joint[0].frame, 2), 0, 1, 0);
    model_close(&c);
}

static void test_mechanism_reader_shapes_are_kept(void **state)
{
    (void)state;
    model_case c;
    const trmi_mechanism *m = read_mechanism(
        &c, HEAD
        "  bodies:\n"
        "    a: {mass: 1, center: [1, 0, 0], inertia: [1, 1, 1], shape: {sphere: {radius: 0.3}}}\n"
        "    b: {mass: 1, center: [1, 0, 0], inertia: [1, 1, 1], shape: {polyline: {points: [[0, "
        "0, 0], [1, 0, 0], [1, 2, 0]]}}}\n"
        "  joints:\n    p: {free: {between: [ground, a]}}\n    r: {free: {between: [ground, "
        "b]}}\n" END);
    assert_int_equal(m->body[1].shape->kind, TRMI_SHAPE_SPHERE);
    assert_vector(m->body[1].shape->point[0], 1, 0, 0);
    assert_true(m->body[1].shape->size == 0.3);
    assert_int_equal(m->body[2].shape->points, 3);
    assert_vector(m->body[2].shape->point[2], 1, 2, 0);
    model_close(&c);
}

// ---- joints ----

static void test_mechanism_reader_frame_from_an_axis_is_near_the_global_one(void **state)
{
    (void)state;
    model_case c;
    const trmi_mechanism *m = read_mechanism(
        &c, HEAD CRANK "  joints:\n    pivot: {revolute: {between: [ground, crank], at: [0, 0, 0], "
                       "axis: [0, 3, 4]}}\n" END);
    const trmi_joint *pivot = &m->joint[0];
    assert_ptr_equal(pivot->type, &trmi_joint_revolute);
    assert_int_equal(pivot->body[1], 1);
    assert_vector(trmi_m3_column(*pivot->frame, 2), 0, 0.6, 0.8);
    assert_vector(trmi_m3_column(*pivot->frame, 0), 1, 0, 0); // x has the smallest share of z
    assert_vector(trmi_m3_column(*pivot->frame, 1), 0, 0.8, -0.6);
    assert_int_equal(trmi_drive_of(pivot, 0), TRMI_NOTHING);
    model_close(&c);
}

static void test_mechanism_reader_plane_lines_have_the_normal_as_y(void **state)
{
    (void)state;
    model_case c;
    const trmi_mechanism *m = read_mechanism(
        &c, HEAD "  plane: xy\n  bodies:\n    slider: {mass: 2, center: [1, 0], inertia: 1}\n"
                 "  joints:\n    guide: {prismatic: {between: [ground, slider], at: [0, 0], axis: "
                 "[3, 4]}}\n" END);
    assert_vector(trmi_m3_column(*m->joint[0].frame, 2), 0.6, 0.8, 0);
    assert_vector(trmi_m3_column(*m->joint[0].frame, 1), 0, 0, 1);
    model_close(&c);
}

static void test_mechanism_reader_rolling_touches_below_the_centre(void **state)
{
    (void)state;
    model_case c;
    const trmi_mechanism *m = read_mechanism(
        &c, HEAD
        "  bodies:\n    disc: {mass: 2, center: [1, 0, 0.4], inertia: [1, 1, 1]}\n"
        "  joints:\n    place: {free: {between: [ground, disc]}}\n"
        "    table: {rolling: {between: [ground, disc], at: [1, 0, 0.4], axis: [0, 0.8, 0.6],\n"
        "                      normal: z, radius: 0.5}}\n" END);
    const trmi_joint *table = joint_named(m, "table");
    // rim below the centre: z - (z.a) a = (0, -0.48, 0.64), of length 0.8
    assert_vector(table->at, 1, 0.5 * 0.6, 0.4 - 0.5 * 0.8);
    assert_vector(table->extra->second->at, 1, 0, 0.4);
    assert_vector(trmi_m3_column(*table->frame, 2), 0, 0, 1);
    assert_vector(trmi_m3_column(table->extra->second->frame, 2), 0, 0.8, 0.6);
    model_close(&c);
}

static void test_mechanism_reader_couplings_have_terms(void **state)
{
    (void)state;
    model_case c;
    const trmi_mechanism *m = read_mechanism(
        &c, HEAD CRANK
        "    rack: {mass: 1, center: [0, 1, 0], inertia: [1, 1, 1]}\n"
        "  joints:\n"
        "    mesh: {rack-pinion: {rack: slide, pinion: pivot, radius: 0.2}}\n"
        "    gear: {coupling: {terms: {pivot_angle: 2, slide_travel: -5}, offset: 0.5}}\n"
        "    pivot: {revolute: {between: [ground, crank], at: [0, 0, 0], axis: z}}\n"
        "    slide: {prismatic: {between: [ground, rack], at: [0, 1, 0], axis: x}}\n" END);
    const trmi_joint *gear = joint_named(m, "gear"), *mesh = joint_named(m, "mesh");
    assert_int_equal(gear->extra->terms, 2);
    assert_int_equal(gear->extra->term[1].joint, 3);
    assert_true(gear->extra->term[0].coefficient == 2 && gear->extra->term[1].coefficient == -5);
    assert_true(gear->extra->offset == 0.5);
    assert_int_equal(mesh->extra->term[0].joint, 3);
    assert_true(mesh->extra->term[1].coefficient == -0.2); // travel - radius angle = 0
    model_close(&c);
}

static void test_mechanism_reader_start_values_find_their_measures(void **state)
{
    (void)state;
    model_case c;
    const trmi_mechanism *m = read_mechanism(
        &c,
        HEAD CRANK "  joints:\n"
                   "    pole: {cylindrical: {between: [ground, crank], at: [0, 0, 0], axis: z},\n"
                   "           start: {angle: 0.3, travel_rate: 2, keep: true}}\n"
                   "initial: {values: {pole_travel: 0.1}}\n" END);
    const trmi_start_value *travel = &m->joint[0].extra->start[0],
                           *angle = &m->joint[0].extra->start[1];
    assert_true(angle->given && angle->keep && angle->value == 0.3 && !angle->rate_given);
    assert_true(travel->rate_given && travel->rate == 2 && travel->value == 0.1);
    model_close(&c);
}

// `guess` is the opposite of `keep`, and what holds without either
static void test_mechanism_reader_start_values_are_kept_or_guesses(void **state)
{
    (void)state;
    const struct {
        const char *said;
        bool keep;
    } cases[] = {{"", false},
                 {", keep: true", true},
                 {", keep: false", false},
                 {", guess: true", false},
                 {", guess: false", true},
                 {", guess: true, keep: false", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        model_case c;
        char text[600];
        snprintf(text, sizeof text,
                 HEAD CRANK
                 "  joints:\n"
                 "    pole: {revolute: {between: [ground, crank], at: [0, 0, 0], axis: z},\n"
                 "           start: {angle: 0.3%s}}\n" END,
                 cases[i].said);
        const trmi_mechanism *m = read_mechanism(&c, text);
        assert_true(m->joint[0].extra->start[0].keep == cases[i].keep);
        model_close(&c);
    }
}

// ---- formulas ----

// All outputs of a group of the tape at t, p, p'.
static void run_tape(const trmi_mechanism *m, int group, const double *input, int inputs,
                     double *out)
{
    double *reg = calloc((size_t)trmi_tape_registers(m->tape), sizeof *reg);
    memcpy(reg, input, (size_t)inputs * sizeof *reg);
    trmi_tape_prepare(m->tape, reg);
    trmi_tape_run(m->tape, reg, UINT64_C(1) << group);
    trmi_tape_fetch(m->tape, reg, group, out);
    free(reg);
}

static void test_mechanism_reader_motions_have_exact_derivatives(void **state)
{
    (void)state;
    model_case c;
    const trmi_mechanism *m = read_mechanism(
        &c, HEAD
        "  coordinates: absolute\n" CRANK
        "  joints:\n    pivot: {cylindrical: {between: [ground, crank], at: [0, 0, 0], axis: z},\n"
        "            motion: {angle: \"sin(3*t)\", travel: \"t^2\"}}\n" END);
    const double t = 0.7;
    double u[6];
    assert_int_equal(m->drives, 2);
    run_tape(m, TRMI_TAPE_DRIVES, &t, 1, u);
    int angle = m->joint[0].extra->drive[1], travel = m->joint[0].extra->drive[0];
    // by hand; the tape rounds a few operations
    assert_true(fabs(u[angle] - sin(3 * t)) < 1e-15);
    assert_true(fabs(u[2 + angle] - 3 * cos(3 * t)) < 1e-15);
    assert_true(fabs(u[4 + angle] + 9 * sin(3 * t)) < 1e-14);
    assert_true(fabs(u[travel] - t * t) < 1e-15 && fabs(u[2 + travel] - 2 * t) < 1e-15);
    assert_true(u[4 + travel] == 2);
    model_close(&c);
}

static void test_mechanism_reader_laws_have_slopes_of_their_signals(void **state)
{
    (void)state;
    model_case c;
    const trmi_mechanism *m = read_mechanism(
        &c, HEAD CRANK
        "  joints:\n    pivot: {revolute: {between: [ground, crank], at: [0, 0, 0], axis: z}}\n"
        "  forces:\n"
        "    motor: {actuator: {joint: pivot, effort: \"5 - 2*pivot_angle*pivot_rate + "
        "t*crank_x\"}}\n"
        "    push: {force: {on: crank, at: [1, 0, 0], value: \"3*crank_y_rate\", axis: [0, 0.6, "
        "0.8]}}\n" END);
    const trmi_formula *law = parameter_of(m->force[0], "effort");
    const trmi_formula *push = parameter_of(m->force[1], "value");
    double input[7] = {2}, value[3], slope[20];
    assert_int_equal(m->signals, 3); // pivot angle, crank x, crank y
    for (int k = 0; k < 3; k++) {
        input[1 + k] = 0.1 * (k + 1); // p
        input[4 + k] = 1.5 * (k + 1); // p'
    }
    run_tape(m, TRMI_TAPE_VALUES, input, 7, value);
    run_tape(m, TRMI_TAPE_SLOPES, input, 7, slope);
    assert_int_equal(law->uses, 2);
    assert_int_equal(m->signal[law->signal[0]].kind, TRMI_SIGNAL_MEASURE);
    assert_int_equal(m->signal[law->signal[1]].kind, TRMI_SIGNAL_CENTER);
    // laws pull back: minus the effort 5 - 2 * 0.1 * 1.5 + 2 * 0.2; exact but for rounding
    assert_true(fabs(value[law->value] + 5 - 0.3 + 0.4) < 1e-14);
    const double *d = slope + law->slope; // dF/dp of both, then dF/dp' of both
    assert_true(fabs(d[0] - 2 * 1.5) < 1e-14 && fabs(d[1] + 2) < 1e-14);
    assert_true(fabs(d[2] - 2 * 0.1) < 1e-14 && d[3] == 0);
    // along (0, 0.6, 0.8)
    assert_int_equal(push[0].value, TRMI_NOTHING);
    assert_true(push[0].constant == 0);
    assert_true(fabs(value[push[1].value] - 0.6 * 3 * 4.5) < 1e-14);
    assert_true(fabs(slope[push[2].slope + 1] - 0.8 * 3) < 1e-14);
    model_close(&c);
}

// An output in the formula of a force is its formula.
static void test_mechanism_reader_forces_may_use_outputs(void **state)
{
    (void)state;
    static const char *const words[][2] = {
        {"-3*height", "speed*height"},
        {"-3*(crank_z + 0.1*t*pivot_rate)", "pivot_rate*(crank_z + 0.1*t*pivot_rate)"}};
    double a[2];
    for (int k = 0; k < 2; k++) {
        char text[900];
        model_case c;
        snprintf(text, sizeof text,
                 HEAD CRANK
                 "  joints:\n    pivot: {revolute: {between: [ground, crank], at: [0, 0, 0], axis: "
                 "y}, start: {angle: 0.3, rate: 2}}\n"
                 "  forces:\n    push: {force: {on: crank, at: [1, 0, 0], value: [0, 1, \"%s\"]}}\n"
                 "    motor: {actuator: {joint: pivot, effort: \"%s\"}}\n"
                 "outputs: {height: \"crank_z + 0.1*t*pivot_rate\", speed: pivot_rate, other: "
                 "\"a(pivot_angle)\"}\nsimulate: {start: 1, end: 2}\n",
                 words[k][0], words[k][1]);
        read_mechanism(&c, text);
        trm_derivative_report report;
        trm_simulation *simulation;
        assert_int_equal(trm_simulation_create(&simulation, c.system, trm_model_options(c.model),
                                               trm_instance_initial(c.instance), NULL),
                         TRM_OK);
        const trm_state *at = trm_simulation_state(simulation);
        // two-sided differences: 1e-9 of the largest entry
        assert_int_equal(trm_system_check_derivatives(c.system, at, 1e-7, &report, NULL), TRM_OK);
        assert_int_equal(trm_simulation_accelerations(simulation, &a[k], NULL), TRM_OK);
        trm_simulation_destroy(simulation);
        model_close(&c);
    }
    assert_true(a[0] == a[1] && a[0] != 0);
}

static void test_mechanism_reader_names_with_underscores_are_understood(void **state)
{
    (void)state;
    model_case c;
    const trmi_mechanism *m = read_mechanism(
        &c, HEAD "  bodies:\n    left_arm_x: {mass: 1, center: [1, 0, 0], inertia: [1, 1, 1]}\n"
                 "  joints:\n    left_rate: {cylindrical: {between: [ground, left_arm_x], at: [0, "
                 "0, 0], axis: z}}\n"
                 "outputs: {a1: \"left_arm_x_y\", b1: \"left_rate_angle_rate\", c1: "
                 "\"left_rate_travel\"}\n" END);
    assert_int_equal(m->signals, 0); // no force uses them
    assert_int_equal(m->watched, 3);
    assert_true(m->signal[0].kind == TRMI_SIGNAL_CENTER && m->signal[0].part == 1);
    assert_true(m->signal[1].kind == TRMI_SIGNAL_MEASURE && m->signal[1].part == 1);
    model_close(&c);
}

static void test_mechanism_reader_bushings_have_short_and_full_forms(void **state)
{
    (void)state;
    model_case c;
    const trmi_mechanism *m =
        read_mechanism(&c, HEAD CRANK "  joints:\n    place: {free: {between: [ground, crank]}}\n"
                                      "  forces:\n"
                                      "    soft: {bushing: {between: [ground, crank], at: [0, 0, "
                                      "0], stiffness: 3, rotation_damping: [1, 2, 4]}}\n" END);
    const double *stiffness = parameter_of(m->force[0], "stiffness");
    const double *damping = parameter_of(m->force[0], "damping");
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            const double d[] = {0, 0, 0, 1, 2, 4};
            assert_true(stiffness[6 * i + j] == (i == j && i < 3 ? 3 : 0));
            assert_true(damping[6 * i + j] == (i == j ? d[i] : 0));
        }
    model_close(&c);
}

// ---- the model ----

// outputs at the start of an instance
static void start_outputs(const char *text, const char *coordinates, double *out)
{
    const char *const set[] = {coordinates, NULL};
    model_case c;
    trm_simulation *simulation;
    model_try(&c, text, "m.yaml", set);
    model_instantiate(&c);
    assert_int_equal(trm_simulation_create(&simulation, c.system, trm_model_options(c.model),
                                           trm_instance_initial(c.instance), &c.error),
                     TRM_OK);
    assert_int_equal(trm_instance_outputs(c.instance, trm_simulation_state(simulation), out), 0);
    trm_simulation_destroy(simulation);
    model_close(&c);
}

// The example of the file format: a plane bushing with the three numbers of one in space. The third
// acts along the normal, where nothing moves.
static void test_mechanism_reader_plane_bushings_may_have_all_axes(void **state)
{
    (void)state;
    static const char *const axes[] = {"[1e6, 2e6, 1e5], rotation_stiffness: [0, 0, 5]",
                                       "[1e6, 2e6], rotation_stiffness: [5]",
                                       "[1e6, 2e6], rotation_stiffness: 5"};
    double a[3][3];
    for (int k = 0; k < 3; k++) {
        char text[800];
        model_case c;
        snprintf(text, sizeof text,
                 "trammel: 1\nmechanism:\n  plane: xy\n  gravity: [0, -9.81, 0]\n  bodies:\n"
                 "    crank: {mass: 0.36, center: [0.075, 0, 0], inertia: {zz: 0.002727}}\n"
                 "  joints:\n    place: {free: {between: [ground, crank]}, start: {x: 0.01, y: "
                 "0.02, angle: 0.1}}\n"
                 "  forces:\n    mount: {bushing: {between: [ground, crank], at: [0.1, 0, 0], "
                 "stiffness: %s}}\n" END,
                 axes[k]);
        read_mechanism(&c, text);
        trm_simulation *simulation;
        assert_int_equal(trm_simulation_create(&simulation, c.system, trm_model_options(c.model),
                                               trm_instance_initial(c.instance), NULL),
                         TRM_OK);
        assert_int_equal(trm_simulation_accelerations(simulation, a[k], NULL), TRM_OK);
        assert_true(fabs(a[k][0]) > 1e3);
        for (int i = 0; i < 3; i++)
            assert_true(a[k][i] == a[0][i]);
        trm_simulation_destroy(simulation);
        model_close(&c);
    }
}

static void test_mechanism_reader_outputs_do_not_depend_on_coordinates(void **state)
{
    (void)state;
    static const char text[] = HEAD "  gravity: [0, 0, -9.81]\n" CRANK "  joints:\n"
                                    "    pivot: {revolute: {between: [ground, crank], at: [0, 0, "
                                    "0], axis: y}, start: {angle: 0.4, rate: 3}}\n"
                                    "  forces:\n"
                                    "    strut: {spring: {between: [ground, crank], from: [0, 0, "
                                    "2], to: [1, 0, 0], stiffness: 7, force: \"t + strut_rate\"}}\n"
                                    "outputs: {angle: \"pivot_angle\", rate: \"pivot_rate\", z: "
                                    "\"crank_z\", vz: \"crank_z_rate\",\n"
                                    "          length: \"strut_length\", acceleration: "
                                    "\"a(pivot_angle)\", az: \"a(crank_z)\"}\n" END;
    double joint[7], absolute[7];
    start_outputs(text, "mechanism.coordinates=joint", joint);
    start_outputs(text, "mechanism.coordinates=absolute", absolute);
    for (int k = 0; k < 7; k++) // the absolute ones solve for the reactions: a few more roundings
        assert_true(fabs(joint[k] - absolute[k]) < 1e-12 * (1 + fabs(joint[k])));
    assert_true(fabs(joint[2] + sin(0.4)) < 1e-15);     // z = -sin(angle), turned about y
    assert_true(fabs(joint[3] + 3 * cos(0.4)) < 1e-14); // its rate
    double w = joint[5];
    assert_true(fabs(joint[6] - (9 * sin(0.4) - w * cos(0.4))) < 1e-13); // its second derivative
}

// The free joint has no rows, and must leave no trace in those of the coupling behind it.
static void test_mechanism_reader_coupling_behind_a_free_joint_holds(void **state)
{
    (void)state;
    model_case c;
    model_point p = {.q = {0.1, 0.2, 0.3}};
    model_read(&c, HEAD "  plane: xy\n  coordinates: absolute\n"
                        "  bodies:\n    disc: {mass: 1, center: [1, 0], inertia: 1}\n"
                        "  joints:\n    place: {free: {between: [ground, disc]}}\n"
                        "    level: {coupling: {terms: {place_angle: 2}}}\n" END);
    double held[4] = {0}, g = 0, *want[TRM_QUANTITY_COUNT] = {[TRM_QUANTITY_CONSTRAINT] = &g};
    trm_state at = model_view(&p);
    at.held = held;
    assert_int_equal(c.system->n_held, 4); // angle, time, rate, turn of the coordinates
    assert_int_equal(c.system->evaluate(&at, want, c.system->user), 0);
    assert_true(fabs(g - 2 * 0.3) < 1e-15); // twice the angle
    model_close(&c);
}

static void test_mechanism_reader_events_change_parameters_of_forces(void **state)
{
    (void)state;
    model_case c;
    model_read(
        &c,
        "trammel: 1\nparameters: {torque: 3}\nmechanism:\n" CRANK
        "  joints:\n    pivot: {revolute: {between: [ground, crank], at: [0, 0, 0], axis: z}}\n"
        "  forces:\n    motor: {actuator: {joint: pivot, effort: \"torque*(1 + 0*pivot_angle)\"}}\n"
        "events: {off: {when: \"t - 0.5\", set: {torque: 0}}}\n" END);
    model_point p = {0};
    const double off = 0.25;
    double f;
    model_call(c.system, TRM_QUANTITY_FORCE, &p, &f);
    assert_true(fabs(f - 3) < 1e-14);
    trm_instance_set_parameters(c.instance, &off);
    model_call(c.system, TRM_QUANTITY_FORCE, &p, &f);
    assert_true(fabs(f - 0.25) < 1e-14);
    model_close(&c);
}

static void test_mechanism_reader_channels_have_poses_and_reactions(void **state)
{
    (void)state;
    model_case c;
    model_read(&c, HEAD CRANK "  joints:\n    pivot: {revolute: {between: [ground, crank], at: [0, "
                              "0, 0], axis: z}}\n" END);
    assert_int_equal(trm_model_count(c.model, TRM_CHANNEL_BODY), 7);
    assert_int_equal(trm_model_count(c.model, TRM_CHANNEL_REACTION), 6);
    assert_string_equal(trm_model_channel(c.model, TRM_CHANNEL_BODY, 3), "crank_e0");
    assert_string_equal(trm_model_channel(c.model, TRM_CHANNEL_REACTION, 5), "pivot_mz");
    assert_string_equal(trm_model_channel(c.model, TRM_CHANNEL_POSITION, 0), "pivot_angle");
    assert_string_equal(trm_model_channel(c.model, TRM_CHANNEL_VELOCITY, 0), "pivot_rate");
    assert_string_equal(trm_model_unit(c.model, TRM_CHANNEL_VELOCITY, 0), "rad/s");
    model_close(&c);
}

// a chain of bodies on spherical joints, in absolute coordinates; b0_x has a unit of its own
static char *write_chain(int bodies)
{
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    fputs(HEAD "  coordinates: absolute\n  bodies:\n", out);
    for (int b = 0; b < bodies; b++)
        fprintf(out, "    b%d: {mass: 1, center: [%d.5, 0, 0], inertia: [1, 1, 1]}\n", b, b);
    fputs("  joints:\n", out);
    fputs("    j0: {spherical: {between: [ground, b0], at: [0, 0, 0]}}\n", out);
    for (int b = 1; b < bodies; b++)
        fprintf(out, "    j%d: {spherical: {between: [b%d, b%d], at: [%d, 0, 0]}}\n", b, b - 1, b,
                b);
    fputs("units: {b0_x: mm}\n" END, out);
    fclose(out);
    return text;
}

static void test_mechanism_reader_units_repeat_but_where_the_file_says_otherwise(void **state)
{
    (void)state;
    static const char *const rate[] = {"m/s", "m/s", "m/s", "rad/s", "rad/s", "rad/s"};
    static const char *const load[] = {"N", "N", "N", "N m", "N m", "N m"};
    char *text = write_chain(3);
    model_case c;
    read_mechanism(&c, text);
    for (int i = 0; i < 18; i++) {
        const char *turned = i % 6 < 3 ? "m" : "rad";
        assert_string_equal(trm_model_unit(c.model, TRM_CHANNEL_POSITION, i), i ? turned : "mm");
        assert_string_equal(trm_model_unit(c.model, TRM_CHANNEL_VELOCITY, i),
                            i ? rate[i % 6] : "mm/s");
        assert_string_equal(trm_model_unit(c.model, TRM_CHANNEL_REACTION, i), load[i % 6]);
    }
    assert_string_equal(trm_model_channel(c.model, TRM_CHANNEL_VELOCITY, 17), "b2_rz_rate");
    assert_string_equal(trm_model_channel(c.model, TRM_CHANNEL_BODY, 20), "b2_e3");
    assert_string_equal(trm_model_channel(c.model, TRM_CHANNEL_REACTION, 6), "j1_fx");
    assert_string_equal(trm_model_channel(c.model, TRM_CHANNEL_MULTIPLIER, 3), "j1_x");
    assert_null(trm_model_channel(c.model, TRM_CHANNEL_BODY, 21));
    assert_null(trm_model_unit(c.model, TRM_CHANNEL_BODY, -1));
    model_close(&c);
    free(text);
}

// Measured: 0.92 kB for a body of a long chain, description, text of the file and machine together;
// it was 4.0 kB with all names and lists of entries.
static void test_mechanism_reader_large_models_stay_small(void **state)
{
    (void)state;
    enum { BODIES = 500 };
    char *text = write_chain(BODIES);
    model_case c;
    read_mechanism(&c, text);
    assert_in_range(c.model->memory.total / BODIES, 300, 1200);
    model_close(&c);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mechanism_reader_body_frame_turns_inertia),
        cmocka_unit_test(test_mechanism_reader_inertia_has_four_forms),
        cmocka_unit_test(test_mechanism_reader_points_may_be_in_body_frames),
        cmocka_unit_test(test_mechanism_reader_shapes_are_kept),
        cmocka_unit_test(test_mechanism_reader_frame_from_an_axis_is_near_the_global_one),
        cmocka_unit_test(test_mechanism_reader_plane_lines_have_the_normal_as_y),
        cmocka_unit_test(test_mechanism_reader_rolling_touches_below_the_centre),
        cmocka_unit_test(test_mechanism_reader_couplings_have_terms),
        cmocka_unit_test(test_mechanism_reader_start_values_find_their_measures),
        cmocka_unit_test(test_mechanism_reader_start_values_are_kept_or_guesses),
        cmocka_unit_test(test_mechanism_reader_motions_have_exact_derivatives),
        cmocka_unit_test(test_mechanism_reader_laws_have_slopes_of_their_signals),
        cmocka_unit_test(test_mechanism_reader_forces_may_use_outputs),
        cmocka_unit_test(test_mechanism_reader_names_with_underscores_are_understood),
        cmocka_unit_test(test_mechanism_reader_bushings_have_short_and_full_forms),
        cmocka_unit_test(test_mechanism_reader_plane_bushings_may_have_all_axes),
        cmocka_unit_test(test_mechanism_reader_outputs_do_not_depend_on_coordinates),
        cmocka_unit_test(test_mechanism_reader_coupling_behind_a_free_joint_holds),
        cmocka_unit_test(test_mechanism_reader_events_change_parameters_of_forces),
        cmocka_unit_test(test_mechanism_reader_channels_have_poses_and_reactions),
        cmocka_unit_test(test_mechanism_reader_units_repeat_but_where_the_file_says_otherwise),
        cmocka_unit_test(test_mechanism_reader_large_models_stay_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
