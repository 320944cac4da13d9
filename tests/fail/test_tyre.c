// SPDX-License-Identifier: Apache-2.0
// What is wrong with tyres and their property files: whole texts. And what a tyre does where slips
// have no meaning: in the air, without load, standing still, rolling backward.
#define _XOPEN_SOURCE 700 // mkdtemp
#include "models.h"

#include <unistd.h>

#define CALSPAN                                                                                    \
    "calspan: {A0: 2625, A1: 14.47, A2: 12930, A3: 2.29, A4: 18175, B1: -0.464e-4, B3: 1.216, "    \
    "B4: 2.18e-11}"
#define MODEL(tyre)                                                                                \
    "trammel: 1\n"                                                                                 \
    "name: wheel\n"                                                                                \
    "mechanism:\n"                                                                                 \
    "  gravity: [0, 0, -9.81]\n"                                                                   \
    "  bodies: {wheel: {mass: 40, center: [0, 0, 0.3], inertia: [1, 2, 1]}}\n"                     \
    "  joints: {place: {free: {between: [ground, wheel]}}}\n"                                      \
    "  forces:\n"                                                                                  \
    "    tyre: {tyre: {between: [ground, wheel], center: [0, 0, 0.3], " tyre "}}\n"                \
    "outputs: {load: tyre_load, slip: tyre_slip, angle: tyre_slip_angle, camber: tyre_camber, "    \
    "along: tyre_longitudinal, across: tyre_lateral, moment: tyre_aligning, touches: "             \
    "tyre_contact}\n"                                                                              \
    "simulate: {end: 1}\n"

static void test_tyre_wrong_law_is_explained(void **state)
{
    (void)state;
    model_assert_says(MODEL("radius: 0.31, stiffness: 2e5"),
                      "m.yaml:8:12: error: the key 'law' is missing");
    model_assert_says(MODEL("radius: 0.31, stiffness: 2e5, law: {calpan: {A0: 1}}"),
                      "m.yaml:8:102: error: there is no law of tyres 'calpan'; there are: calspan, "
                      "pac2002\n");
    model_assert_says(MODEL("radius: 0.31, stiffness: 2e5, law: {calspan: {A0: 1, A1: 2, A9: 3}}"),
                      "error: 'calspan' has no coefficient 'A9'; did you mean 'A0'?\n");
    model_assert_says(MODEL("radius: 0.31, stiffness: 2e5, law: {calspan: {A0: 1, A1: 2}}"),
                      "error: coefficients of 'calspan' are missing: A2, A3, A4, B1, B3, B4\n");
    model_assert_says(
        MODEL("radius: 0.31, stiffness: 2e5, law: calspan"),
        "error: 'law' is a map with one law and its coefficients: {calspan: {A0: 2625, "
        "..}}\n");
    model_assert_says(MODEL("stiffness: 2e5, law: {" CALSPAN "}"),
                      "error: 'tyre' needs a 'radius'\n");
    model_assert_says(MODEL("radius: 0.3, law: {" CALSPAN "}"),
                      "error: 'tyre' needs a 'stiffness'\n");
    model_assert_says(MODEL("radius: 0.3, stiffness: 2e5, slip: combined, law: {" CALSPAN "}"),
                      "error: the law 'calspan' has no force along the wheel\n");
    model_assert_says(MODEL("radius: 0.3, stiffness: 2e5, axis: z, law: {" CALSPAN "}"),
                      "error: the axle of 'tyre' points along the normal of the road\n");
    model_assert_says(
        MODEL("radius: 0.3, stiffness: 2e5, slip: along, law: {" CALSPAN "}"),
        "error: 'slip' cannot be 'along'; it is one of lateral, combined, weighted\n");
    model_assert_says(MODEL("radius: 0.3, stiffness: 2e5, relaxation: law, law: {" CALSPAN "}"),
                      "error: the law 'calspan' has no relaxation length; give it in m\n");
    model_assert_says(MODEL("radius: 0.3, stiffness: 2e5, relaxation: 0, law: {" CALSPAN "}"),
                      "error: 'relaxation' must be positive, not 0\n");
    model_assert_says(
        MODEL("radius: 0.3, stiffness: 2e5, relaxation_along: 0.5, law: {" CALSPAN "}"),
        "error: 'relaxation_along' needs a force along the wheel: 'slip: combined' or "
        "'slip: weighted'\n");
    model_assert_says(
        MODEL("radius: 0.3, stiffness: 2e5, road: \"0.1*road_z\", law: {" CALSPAN "}"),
        "error: 'road_z' is not defined; did you mean 'road_x'?\n");
    model_assert_says(
        MODEL("radius: 0.3, stiffness: 2e5, road: 0.1, road_along: \"0.1*road_s\", law: {"
              "" CALSPAN "}"),
        "error: give one of 'road' and 'road_along'\n");
    model_assert_says(MODEL("radius: 0.3, stiffness: 2e5, road: \"0.1*t\", law: {" CALSPAN "}"),
                      "error: 't' is the time; the height of a road may depend on ");
}

// ---- property files ----

static char folder[] = "/tmp/tyre-test-XXXXXX";

static void write_file(const char *text)
{
    char path[100];
    snprintf(path, sizeof path, "%s/a.tir", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void assert_file_says(const char *content, const char *message)
{
    char text[2000];
    write_file(content);
    snprintf(text, sizeof text, MODEL("law: {pac2002: {file: %s/a.tir}}"), folder);
    model_assert_says(text, message);
}

// a whole file for pure slips
#define GIVEN_ALONG "FNOMIN=4000\nUNLOADED_RADIUS=0.3\nVERTICAL_STIFFNESS=2e5\n" SLOPES
#define SLOPES                                                                                     \
    "PCY1=1\nPDY1=1\nPDY2=0\nPEY1=0\n"                                                             \
    "PEY2=0\nPKY1=-20\nPKY2=2\nPCX1=1.6\nPDX1=1\nPDX2=0\nPEX1=0\nPEX2=0\nPEX3=0\nPKX1=20\n"        \
    "PKX2=0\nPKX3=0\nQBZ1=10\nQBZ2=0\nQBZ3=0\nQCZ1=1\nQDZ1=0.1\nQDZ2=0\n"

static void assert_law_says(const char *keys, const char *content, const char *message)
{
    char text[2000];
    write_file(content);
    snprintf(text, sizeof text, MODEL("%slaw: {pac2002: {file: %s/a.tir}}"), keys, folder);
    model_assert_says(text, message);
}

static void test_tyre_property_file_is_strict(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_file_says("[MODEL]\nFNOMIN = 4000 $ nominal\nUNLOADED_RADIUS = 0.3\n",
                     "/a.tir: PCY1, PDY1, PDY2, PEY1, PEY2, PKY1, PKY2, QBZ1, QBZ2, QBZ3, QCZ1, "
                     "QDZ1, QDZ2\n");
    assert_file_says("[MODEL]\nFNOMIN = heavy\n",
                     "/a.tir, line 2: 'FNOMIN' must be a number, not 'heavy'\n");
    assert_file_says("[MODEL]\nFNOMIN 4000\n",
                     "/a.tir, line 2: there is no '=' in 'FNOMIN 4000'\n");
    assert_file_says("", "are missing in ");
    // keys in small letters behind a byte order mark are keys; a spring that pushes apart is none
    assert_file_says("\xEF\xBB\xBF[model]\nfnomin = heavy\n",
                     "/a.tir, line 2: 'FNOMIN' must be a number, not 'heavy'\n");
    assert_file_says("FNOMIN=4000\nUNLOADED_RADIUS=0.3\nVERTICAL_STIFFNESS=-2e5\n" SLOPES,
                     "error: 'tyre' has a negative stiffness of its law, -200000\n");
    assert_file_says("[units]\nlength = 'furlong'\n",
                     "/a.tir, line 2: 'furlong' is not a unit of LENGTH that is known here");
    assert_law_says("slip: weighted, ", GIVEN_ALONG,
                    "/a.tir: RBX1, RBX2, RCX1, RBY1, RBY2, RBY3, RCY1\n");
    assert_law_says("slip: combined, relaxation: law, relaxation_along: law, ", GIVEN_ALONG,
                    "/a.tir: PTX1, PTY1, PTY2\n");
    assert_file_says("[VERTICAL]\nFNOMIN = 4000\n\nFNOMIN = 5000\n",
                     "/a.tir, line 4: 'FNOMIN' is given already in line 2\n");
    assert_file_says("[MODEL]\nPROPERTY_FILE_FORMAT = 'MF-TYRE'\n",
                     "/a.tir, line 2: coefficients of the format 'MF-TYRE'; 'pac2002' reads "
                     "'PAC2002'\n");
    assert_file_says("[MODEL]\nPROPERTY_FILE_FORMAT = 'PAC2002'\nFITTYP = 61 $ version\n",
                     "/a.tir, line 3: FITTYP 61 is MF-Tyre 6, whose formulas are not those of "
                     "'pac2002'\n");
    assert_file_says(GIVEN_ALONG "PKY4 = 2\n",
                     "/a.tir, line 26: 'PKY4' is of MF-Tyre 6, whose formulas are not those of "
                     "'pac2002'\n");
    assert_file_says("[UNITS]\nANGLE = 'degrees'\n",
                     "/a.tir, line 2: coefficients for angles in 'degrees'; those of 'pac2002' are "
                     "for radians\n");
    assert_file_says(
        "[UNITS]\nLENGTH = 'furlong'\n",
        "/a.tir, line 2: 'furlong' is not a unit of LENGTH that is known here; convert "
        "the file to SI units\n");
    assert_file_says("[UNITS]\nFORCE = 'meter'\n", "'meter' is not a unit of FORCE");
    assert_file_says("FNOMIN=0\nUNLOADED_RADIUS=0.3\n" SLOPES,
                     "error: 'FNOMIN' of 'pac2002' must be positive, not 0\n");
    assert_file_says("FNOMIN=1\nUNLOADED_RADIUS=0.3\nLFZO=-1\n" SLOPES,
                     "error: 'LFZO' of 'pac2002' must be positive, not -1\n");
    char path[100];
    snprintf(path, sizeof path, "%s/a.tir", folder);
    remove(path);
    model_assert_says(MODEL("law: {pac2002: {file: no-such.tir}}"),
                      "error: cannot read 'no-such.tir': No such file or directory\n");
    rmdir(folder);
}

// ---- where slips have no meaning ----

enum { LOAD, SLIP, ANGLE, CAMBER, ALONG, ACROSS, MOMENT, TOUCHES, OUTPUTS };

// outputs of a tyre whose centre is at that height, with these speeds along x and y and that spin
static void outputs_at(const char *law, double height, double vx, double vy, double spin,
                       double *value)
{
    char text[3000];
    char start[3][120];
    snprintf(text, sizeof text, MODEL("%s"), law);
    snprintf(start[0], sizeof start[0], "mechanism.joints.place.start.z=%.17g", height - 0.3);
    snprintf(start[1], sizeof start[1], "initial.values={place_x_rate: %.17g, place_y_rate: %.17g}",
             vx, vy);
    snprintf(start[2], sizeof start[2], "mechanism.joints.place.start.spin=[0, %.17g, 0]", spin);
    const char *const set[] = {start[0], start[1], start[2], NULL};
    model_case c;
    trm_simulation *s;
    model_try(&c, text, "examples/vehicles/m.yaml", set);
    model_instantiate(&c);
    assert_int_equal(trm_simulation_create(&s, c.system, trm_model_options(c.model),
                                           trm_instance_initial(c.instance), &c.error),
                     TRM_OK);
    assert_int_equal(trm_instance_outputs(c.instance, trm_simulation_state(s), value), 0);
    for (int i = 0; i < OUTPUTS; i++)
        assert_true(isfinite(value[i]));
    trm_simulation_destroy(s);
    model_close(&c);
}

static void test_tyre_without_meaning_is_defined(void **state)
{
    (void)state;
    static const char *const laws[] = {
        "radius: 0.31, stiffness: 2e5, law: {" CALSPAN "}",
        "slip: combined, radius: 0.31, stiffness: 2e5, law: {pac2002: {file: saloon.tir}}"};
    for (int k = 0; k < 2; k++) {
        double air[OUTPUTS], zero[OUTPUTS], still[OUTPUTS], forward[OUTPUTS], back[OUTPUTS];
        outputs_at(laws[k], 0.5, 20, 1, 60, air); // in the air
        for (int i = 0; i < OUTPUTS; i++)
            assert_true(air[i] == 0);
        outputs_at(laws[k], 0.31, 20, 1, 60, zero); // touches without load
        assert_true(zero[LOAD] == 0 && zero[ACROSS] == 0 && zero[MOMENT] == 0);
        outputs_at(laws[k], 0.29, 0, 0, 0, still); // stands
        assert_true(fabs(still[LOAD] - 4000) < 1e-6 && still[ALONG] == 0 && still[ACROSS] == 0);
        outputs_at(laws[k], 0.29, 0, 1e-3, 0, still); // is pushed aside, and resists
        assert_true(still[ACROSS] < -1 && still[ACROSS] > -1000);
        outputs_at(laws[k], 0.29, 20, 0.2, 20 / 0.31, forward);
        outputs_at(laws[k], 0.29, -20, 0.2, -20 / 0.31,
                   back); // resists alike, its trail is reversed
        assert_true(forward[ACROSS] < -100);
        assert_true(fabs(forward[ACROSS] - back[ACROSS]) < 1e-9 * fabs(forward[ACROSS]));
        assert_true(fabs(forward[MOMENT] + back[MOMENT]) <= 1e-9 * fabs(forward[MOMENT]));
    }
    // a spinning wheel pushes forward, a locked one brakes; also rolling backward
    double drive[OUTPUTS], brake[OUTPUTS], reverse[OUTPUTS];
    outputs_at(laws[1], 0.29, 20, 0, 70, drive);
    outputs_at(laws[1], 0.29, 20, 0, 0, brake);
    outputs_at(laws[1], 0.29, -20, 0, 0, reverse);
    assert_true(drive[ALONG] > 100 && brake[ALONG] < -100);
    assert_true(fabs(reverse[ALONG] + brake[ALONG]) < 1e-9 * fabs(brake[ALONG]));
}

// ---- units, and what cannot be meant ----

// The same tyre in SI units, and in mm, kN, ms: v of 0.5 m/s is below the lowest speed of slips.
static void test_tyre_units_of_a_property_file_are_converted(void **state)
{
    (void)state;
    static const char *const values[] = {
        "FNOMIN=4000\nUNLOADED_RADIUS=0.31\nVERTICAL_STIFFNESS=2e5\nVERTICAL_DAMPING=700\n"
        "VXLOW=2\n",
        "[UNITS]\nLENGTH='mm'\nFORCE = 'kN'\nTIME='millisecond'\nANGLE='radians'\nMASS='kg'\n"
        "[VERTICAL]\nFNOMIN=4\nUNLOADED_RADIUS=310\nVERTICAL_STIFFNESS=0.2\nVERTICAL_DAMPING="
        "0.7\nVXLOW=2\n[INERTIA]\nMASS=9.3\n"};
    char text[1000], law[200];
    double value[2][OUTPUTS];
    snprintf(folder, sizeof folder, "/tmp/tyre-test-XXXXXX");
    assert_non_null(mkdtemp(folder));
    for (int k = 0; k < 2; k++) {
        snprintf(text, sizeof text, "%s%s", values[k], SLOPES);
        write_file(text);
        snprintf(law, sizeof law, "slip: combined, law: {pac2002: {file: %s/a.tir}}", folder);
        outputs_at(law, 0.29, 0.5, 0.1, 3, value[k]);
    }
    assert_true(fabs(value[0][LOAD] - 4000) < 1e-6 && value[0][ACROSS] < -100);
    for (int i = 0; i < OUTPUTS; i++)
        assert_true(fabs(value[0][i] - value[1][i]) <= 1e-12 * fabs(value[0][i]));
    snprintf(text, sizeof text, "%s/a.tir", folder);
    remove(text);
    rmdir(folder);
}

#define CAR(tyre)                                                                                  \
    "trammel: 1\n"                                                                                 \
    "name: car\n"                                                                                  \
    "mechanism:\n"                                                                                 \
    "  gravity: [0, 0, -9.81]\n"                                                                   \
    "  bodies:\n"                                                                                  \
    "    upright: {mass: 280, center: [0, 0, 0.3], inertia: [10, 10, 10]}\n"                       \
    "    wheel: {mass: 20, center: [0, 0, 0.3], inertia: [1, 1.7, 1]}\n"                           \
    "  joints:\n"                                                                                  \
    "    guide: {free: {between: [ground, upright]}, start: {x_rate: 9, keep: true}}\n"            \
    "    axle: {revolute: {between: [upright, wheel], at: [0, 0, 0.3], axis: y}}\n"                \
    "  forces:\n"                                                                                  \
    "    tyre: {tyre: {center: [0, 0, 0.3], " tyre "}}\n"                                          \
    "simulate: {end: 1}\n"
#define SALOON "law: {pac2002: {file: saloon.tir}}"

static void assert_warns(const char *text, const char *warning)
{
    model_case c;
    model_try(&c, text, "examples/vehicles/m.yaml", NULL);
    assert_int_equal(c.status, TRM_OK);
    if (warning ? !strstr(c.said, warning) : strstr(c.said, "warning") != NULL)
        fail_msg("'%s' is not what is said: %s", warning ? warning : "nothing", c.said);
    model_close(&c);
}

static void test_tyre_that_cannot_be_meant_is_a_warning(void **state)
{
    (void)state;
    assert_warns(CAR("between: [ground, wheel], slip: combined, " SALOON), NULL);
    assert_warns(CAR("between: [ground, upright], " SALOON), NULL);
    assert_warns(CAR("between: [ground, upright], slip: combined, " SALOON),
                 "m.yaml:12:5: warning: 'tyre' has slip along the wheel, but 'upright' does not "
                 "spin with it: it carries 'wheel', which turns about the axle by 'axle'; the tyre "
                 "needs 'between: [.., wheel]'\n");
    assert_warns(
        CAR("between: [ground, upright], radius: 344, " SALOON),
        "m.yaml:12:5: warning: 'tyre' has a radius of 344 m, but its centre is 0.3 m above "
        "the road: were millimetres meant? Lengths without a unit are in metres\n");
    assert_warns(CAR("between: [ground, upright], radius: 3.44e-4, " SALOON),
                 "'tyre' has a radius of 0.000344 m, but its centre is 0.3 m above the road");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tyre_wrong_law_is_explained),
        cmocka_unit_test(test_tyre_property_file_is_strict),
        cmocka_unit_test(test_tyre_without_meaning_is_defined),
        cmocka_unit_test(test_tyre_units_of_a_property_file_are_converted),
        cmocka_unit_test(test_tyre_that_cannot_be_meant_is_a_warning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
