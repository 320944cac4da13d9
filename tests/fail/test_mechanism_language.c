// SPDX-License-Identifier: Apache-2.0
// What is wrong with inputs, definitions, states, points and parts of a mechanism: whole texts, as
// the command prints them. Every expected text was reviewed: it is what one should read.
#include "models.h"

static const char head[] =
    "trammel: 1\n"
    "mechanism:\n"
    "  bodies:\n"
    "    crank: {mass: 1, center: [1, 0, 0], inertia: [1, 1, 1]}\n"
    "  joints:\n"
    "    pivot: {revolute: {between: [ground, crank], at: [0, 0, 0], axis: z}}\n";

// sections of the mechanism and sections beside it around these parts
typedef struct wrong {
    const char *section, *beside, *said;
} wrong;

static void assert_all_said(const wrong *cases, int count)
{
    for (int k = 0; k < count; k++) {
        char text[4000];
        model_case c;
        snprintf(text, sizeof text, "%s%s%s", head, cases[k].section, cases[k].beside);
        model_try(&c, text, "m.yaml", NULL);
        assert_string_equal(c.said, cases[k].said);
        assert_int_equal(c.model == NULL, strstr(cases[k].said, "error:") != NULL);
        model_close(&c);
    }
}

static void test_mechanism_language_inputs_and_definitions(void **state)
{
    (void)state;
    static const wrong cases[] = {
        {"  inputs: {u: \"pivot_angle\"}\n", "simulate: {end: 1}\n",
         "m.yaml:7:16: error: 'pivot_angle' is a measure; input 'u' may depend on t only\n"
         "      inputs: {u: \"pivot_angle\"}\n"
         "                   ^~~~~~~~~~~\n"},
        {"  inputs: {u: {hold: cubic}}\n", "simulate: {end: 1}\n",
         "m.yaml:7:22: error: 'hold' cannot be 'cubic'; it is one of zero, linear\n"
         "      inputs: {u: {hold: cubic}}\n"
         "                         ^~~~~\n"},
        {"  inputs: {u: {start: 1}}\n", "simulate: {end: 1}\n",
         "m.yaml:7:12: error: the key 'hold' is missing: of values from outside "
         "(trm_instance_set_input): constant from then on, or straight to the next one\n"
         "      inputs: {u: {start: 1}}\n"
         "               ^\n"},
        {"  inputs: {t: 1}\n", "simulate: {end: 1}\n",
         "m.yaml:7:12: error: the name 't' is taken by the language\n"
         "      inputs: {t: 1}\n"
         "               ^\n"},
        {"  inputs: {u: \"t\", pivot_rate: \"t\"}\n", "simulate: {end: 1}\n",
         "m.yaml:7:20: error: the name 'pivot_rate' is already that of a rate of the mechanism\n"
         "      inputs: {u: \"t\", pivot_rate: \"t\"}\n"
         "                       ^~~~~~~~~~\n"},
        {"  define: {a: \"b\", b: 2}\n", "simulate: {end: 1}\n",
         "m.yaml:7:16: error: 'b' is defined further down (line 7); a definition may use only "
         "those above it\n"
         "      define: {a: \"b\", b: 2}\n"
         "                   ^\n"},
        {"  define: {a: \"a + 1\"}\n", "simulate: {end: 1}\n",
         "m.yaml:7:16: error: 'a' is defined by itself\n"
         "      define: {a: \"a + 1\"}\n"
         "                   ^\n"},
        {"  define: {n: \"2*t\"}\n", "simulate: {end: 1}\n",
         "m.yaml:7:15: warning: definition 'n' is not used\n"
         "      define: {n: \"2*t\"}\n"
         "                  ^~~~~\n"},
        {"  define: {n: \"2*lambda_pivot_x\"}\n", "simulate: {end: 1}\n",
         "m.yaml:7:18: error: 'lambda_pivot_x' is not defined\n"
         "      define: {n: \"2*lambda_pivot_x\"}\n"
         "                     ^~~~~~~~~~~~~~\n"},
        {"",
         "outputs: {s: \"10*x^3\", x: \"min(t, 1)\"}\n"
         "simulate: {end: 1}\n",
         "m.yaml:7:18: error: 'x' is defined further down (line 7); a definition may use only "
         "those above it\n"
         "    outputs: {s: \"10*x^3\", x: \"min(t, 1)\"}\n"
         "                     ^\n"},
        {"",
         "outputs: {s: \"s + 1\"}\n"
         "simulate: {end: 1}\n",
         "m.yaml:7:15: error: 's' is defined by itself\n"
         "    outputs: {s: \"s + 1\"}\n"
         "                  ^\n"},
    };
    assert_all_said(cases, sizeof cases / sizeof *cases);
}

static void test_mechanism_language_states(void **state)
{
    (void)state;
    static const wrong cases[] = {
        {"  states: {s: \"a(pivot_angle)\"}\n", "simulate: {end: 1}\n",
         "m.yaml:7:16: error: 'a(pivot_angle)' is an acceleration; 's' may depend on t, positions, "
         "velocities, states, algebraic variables and multipliers only\n"
         "      states: {s: \"a(pivot_angle)\"}\n"
         "                   ^~~~~~~~~~~~~~\n"},
        {"  states: {s: {start: 1}}\n", "simulate: {end: 1}\n",
         "m.yaml:7:12: error: the key 'rate' is missing: its rate, a formula of t, inputs, "
         "signals, states\n"
         "      states: {s: {start: 1}}\n"
         "               ^\n"},
        {"  states: {pivot_angle: 1}\n", "simulate: {end: 1}\n",
         "m.yaml:7:12: error: the name 'pivot_angle' is already that of a measure of the "
         "mechanism\n"
         "      states: {pivot_angle: 1}\n"
         "               ^~~~~~~~~~~\n"},
        {"  states: {s: \"s\"}\n"
         "  algebraic: {s: \"s\"}\n",
         "simulate: {end: 1}\n",
         "m.yaml:8:15: error: the name 's' is already that of a state (line 7)\n"
         "      algebraic: {s: \"s\"}\n"
         "                  ^\n"},
        {"  states: {s: \"q\"}\n", "simulate: {end: 1}\n",
         "m.yaml:7:16: error: 'q' is not defined\n"
         "      states: {s: \"q\"}\n"
         "                   ^\n"},
        {"  algebraic: {z: {rate: 1}}\n", "simulate: {end: 1}\n",
         "m.yaml:7:15: error: the key 'zero' is missing: formula that is zero\n"
         "      algebraic: {z: {rate: 1}}\n"
         "                  ^\n"
         "m.yaml:7:19: error: unknown key 'rate'; valid here: zero, start\n"
         "      algebraic: {z: {rate: 1}}\n"
         "                      ^~~~\n"},
        {"  states: {s: {rate: \"1/0\"}}\n", "simulate: {end: 1}\n",
         "m.yaml:7:22: error: this formula is inf whatever the mechanism does\n"
         "      states: {s: {rate: \"1/0\"}}\n"
         "                         ^~~~~\n"},
        {"  states: {s: {rate: 1, start: \"t\"}}\n", "simulate: {end: 1}\n",
         "m.yaml:7:33: error: 't' is the time; 'start' may depend on parameters only\n"
         "      states: {s: {rate: 1, start: \"t\"}}\n"
         "                                    ^\n"},
        {"  states: {s: 1}\n",
         "initial: {values: {r: 1}}\n"
         "simulate: {end: 1}\n",
         "m.yaml:8:20: error: there is no unknown 'r'\n"
         "    initial: {values: {r: 1}}\n"
         "                       ^\n"},
    };
    assert_all_said(cases, sizeof cases / sizeof *cases);
}

static void test_mechanism_language_points(void **state)
{
    (void)state;
    static const wrong cases[] = {
        {"  points: {tip: {body: crank}}\n", "outputs: {a: tip_zyz4}\nsimulate: {end: 1}\n",
         "m.yaml:8:14: error: 'tip_zyz4' is not defined; did you mean 'tip_zyz1'?\n"
         "    outputs: {a: tip_zyz4}\n"
         "                 ^~~~~~~~\n"},
        {"  points: {tip: {body: crank}}\n", "outputs: {a: tip_zzx1}\nsimulate: {end: 1}\n",
         "m.yaml:8:14: error: 'tip_zzx1' is not defined; did you mean 'tip_yzx1'?\n"
         "    outputs: {a: tip_zzx1}\n"
         "                 ^~~~~~~~\n"},
        {"  points: {tip: {body: crank}}\n", "outputs: {a: tip_zyx}\nsimulate: {end: 1}\n",
         "m.yaml:8:14: error: 'tip_zyx' is not defined; did you mean 'tip_zyx1'?\n"
         "    outputs: {a: tip_zyx}\n"
         "                 ^~~~~~~\n"},
        {"  points: {tip: {body: cranc}}\n", "simulate: {end: 1}\n",
         "m.yaml:7:24: error: there is no body 'cranc'; did you mean 'crank'?\n"
         "      points: {tip: {body: cranc}}\n"
         "                           ^~~~~\n"},
        {"  points: {tip: {at: [0, 0, 0]}}\n", "simulate: {end: 1}\n",
         "m.yaml:7:12: error: the key 'body' is missing: where it is fixed\n"
         "      points: {tip: {at: [0, 0, 0]}}\n"
         "               ^~~\n"},
        {"  points: {tip: {body: crank, from: hand}}\n", "simulate: {end: 1}\n",
         "m.yaml:7:37: error: there is no point 'hand'\n"
         "      points: {tip: {body: crank, from: hand}}\n"
         "                                        ^~~~\n"},
        {"  points: {tip: {body: crank, from: other}, other: {body: crank, at: [1, 1, 0]}}\n",
         "simulate: {end: 1}\n",
         "m.yaml:7:37: error: 'other' is a point of the same body: nothing moves\n"
         "      points: {tip: {body: crank, from: other}, other: {body: crank, at: [1, 1, 0]}}\n"
         "                                        ^~~~~\n"},
        {"  points: {crank: {body: crank}}\n", "simulate: {end: 1}\n",
         "m.yaml:7:12: error: point 'crank' has the name of a body; give one of them another, so "
         "that 'crank_x' means one thing\n"
         "      points: {crank: {body: crank}}\n"
         "               ^~~~~\n"},
        {"  points: {tip: {body: crank}}\n",
         "outputs: {x: tip_u}\n"
         "simulate: {end: 1}\n",
         "m.yaml:8:14: error: 'tip_u' is not defined; did you mean 'tip_x'?\n"
         "    outputs: {x: tip_u}\n"
         "                 ^~~~~\n"},
        {"  points: {tip: {body: crank}}\n",
         "outputs: {x: \"a(tip_wx)\"}\n"
         "simulate: {end: 1}\n",
         "m.yaml:8:15: error: a(...) is the acceleration of a position; 'tip_wx' is none\n"
         "    outputs: {x: \"a(tip_wx)\"}\n"
         "                  ^~~~~~~~~\n"},
        {"  points: {tip: {body: crank}}\n"
         "  states: {s: \"tip_x + typ_y\"}\n",
         "simulate: {end: 1}\n",
         "m.yaml:8:24: error: 'typ_y' is not defined; did you mean 'tip_y'?\n"
         "      states: {s: \"tip_x + typ_y\"}\n"
         "                           ^~~~~\n"},
    };
    assert_all_said(cases, sizeof cases / sizeof *cases);
}

static void test_mechanism_language_effects(void **state)
{
    (void)state;
    static const wrong cases[] = {
        {"  forces: {push: {force: {body: crank, on: crank, at: [1, 0, 0], value: [0, 1, 0]}}}\n",
         "simulate: {end: 1}\n",
         "m.yaml:7:40: error: 'on' beside 'body': exactly one of body, on, between is accepted\n"
         "      forces: {push: {force: {body: crank, on: crank, at: [1, 0, 0], value: [0, 1, "
         "0]}}}\n"
         "                                           ^~\n"},
        {"  forces: {push: {torque: {value: [0, 1, 0]}}}\n", "simulate: {end: 1}\n",
         "m.yaml:7:19: error: none of the keys body, on, between is there; exactly one is needed\n"
         "      forces: {push: {torque: {value: [0, 1, 0]}}}\n"
         "                      ^~~~~~\n"},
        {"  forces: {s: {spring: {between: [ground, crank], from: [0, 1, 0], to: [1, 0, 0], force: "
         "\"2*s_force\"}}}\n",
         "simulate: {end: 1}\n",
         "m.yaml:7:90: error: force 's' is defined by itself\n"
         "      forces: {s: {spring: {between: [ground, crank], from: [0, 1, 0], to: [1, 0, 0], "
         "force: \"2*s_force\"}}}\n"
         "                                                                                         "
         "    ^~~~~~~~~~~\n"},
        {"  define: {half: \"0.5*a_effort\"}\n"
         "  forces:\n"
         "    a: {actuator: {joint: pivot, effort: \"b_fx + 1\"}}\n"
         "    b: {force: {body: crank, at: [1, 0, 0], value: [half, 0, 0]}}\n",
         "simulate: {end: 1}\n",
         "m.yaml:9:42: error: cycle in the forces: 'a' needs 'b' (line 10), which leads back to "
         "'a'\n"
         "        a: {actuator: {joint: pivot, effort: \"b_fx + 1\"}}\n"
         "                                             ^~~~~~~~~~\n"},
        {"    c: {relation: {zero: \"pivot_fx\"}}\n", "simulate: {end: 1}\n",
         "m.yaml:7:27: error: 'pivot_fx' is a force of the mechanism; a constraint may depend on t "
         "and positions only\n"
         "        c: {relation: {zero: \"pivot_fx\"}}\n"
         "                              ^~~~~~~~\n"},
        {"  forces: {b: {relation: {positive: \"pivot_angle\"}}}\n", "simulate: {end: 1}\n",
         "m.yaml:7:16: error: 'b' needs a 'stiffness'\n"
         "      forces: {b: {relation: {positive: \"pivot_angle\"}}}\n"
         "                   ^~~~~~~~\n"},
        {"  forces: {b: {relation: {positive: \"pivot_rate\", stiffness: 1}}}\n",
         "simulate: {end: 1}\n",
         "m.yaml:7:38: error: 'pivot_rate' is a rate; a constraint may depend on t and positions "
         "only\n"
         "      forces: {b: {relation: {positive: \"pivot_rate\", stiffness: 1}}}\n"
         "                                         ^~~~~~~~~~\n"},
        {"  forces: {b: {relation: {positive: \"1 - t\", stiffness: 1}}}\n", "simulate: {end: 1}\n",
         "m.yaml:7:37: error: this formula names no measure, point or body: it constrains nothing\n"
         "      forces: {b: {relation: {positive: \"1 - t\", stiffness: 1}}}\n"
         "                                        ^~~~~~~\n"},
        {"  forces: {b: {relation: {positive: \"pivot_angle\", stiffness: 1, exponent: 1}}}\n",
         "simulate: {end: 1}\n",
         "m.yaml:7:76: error: 'exponent' must be above 1, so that the force begins smoothly\n"
         "      forces: {b: {relation: {positive: \"pivot_angle\", stiffness: 1, exponent: 1}}}\n"
         "                                                                               ^\n"},
        {"  forces: {b: {relation: {zero: \"pivot_angle\", stiffness: 1}}}\n",
         "simulate: {end: 1}\n",
         "m.yaml:7:16: error: the key 'positive' is missing: formula of t, inputs, measures, "
         "points and bodies; the force pushes while it is negative\n"
         "      forces: {b: {relation: {zero: \"pivot_angle\", stiffness: 1}}}\n"
         "                   ^~~~~~~~\n"
         "m.yaml:7:27: error: unknown key 'zero'; valid here: positive, stiffness, damping, "
         "exponent\n"
         "      forces: {b: {relation: {zero: \"pivot_angle\", stiffness: 1}}}\n"
         "                              ^~~~\n"},
        {"  inputs: {u: \"2*pivot_fx\"}\n", "simulate: {end: 1}\n",
         "m.yaml:7:18: error: 'pivot_fx' is a force of the mechanism; input 'u' may depend on t "
         "only\n"
         "      inputs: {u: \"2*pivot_fx\"}\n"
         "                     ^~~~~~~~\n"},
        {"  states: {u: \"2*pivot_fxx\"}\n", "simulate: {end: 1}\n",
         "m.yaml:7:18: error: 'pivot_fxx' is not defined; did you mean 'pivot_fx'?\n"
         "      states: {u: \"2*pivot_fxx\"}\n"
         "                     ^~~~~~~~~\n"},
        {"  forces: {s: {spring: {between: [ground, crank], from: [0, 1, 0], to: [1, 0, 0]}}}\n",
         "outputs: {f: s_effort}\n"
         "simulate: {end: 1}\n",
         "m.yaml:8:14: error: 's_effort' is not defined\n"
         "    outputs: {f: s_effort}\n"
         "                 ^~~~~~~~\n"},
    };
    assert_all_said(cases, sizeof cases / sizeof *cases);
}

static void test_mechanism_language_paths(void **state)
{
    (void)state;
    static const wrong cases[] = {
        {"    on: {path: {between: [ground, crank], path: [[0, 0, 0], [1, 0, 0], [2, 1, 0]], at: "
         "[1, 0, 0]}}\n",
         "simulate: {end: 1}\n",
         "m.yaml:7:49: error: 'path' needs at least 4 points\n"
         "        on: {path: {between: [ground, crank], path: [[0, 0, 0], [1, 0, 0], [2, 1, 0]], "
         "at: [1, 0, 0]}}\n"
         "                                                    ^\n"},
        {"    on: {path: {between: [ground, crank], path: [[0, 0, 0], [1, 0, 0], [1, 0, 0], [3, 1, "
         "0]], at: [1, 0, 0]}}\n",
         "simulate: {end: 1}\n",
         "m.yaml:7:49: error: points 2 and 3 of 'path' coincide\n"
         "        on: {path: {between: [ground, crank], path: [[0, 0, 0], [1, 0, 0], [1, 0, 0], "
         "[3, 1, 0]], at: [1, 0, 0]}}\n"
         "                                                    ^\n"},
        {"    on: {path: {between: [ground, crank], path: [[0, 0, 0], [1, 0, 0], [1, 1, 5], [3, 1, "
         "0]], at: [1, 0, 0]}}\n",
         "simulate: {end: 1}\n",
         "m.yaml:7:49: error: point 3 of 'path' is 5 m outside the plane of the curve, which is "
         "normal to 'axis'\n"
         "        on: {path: {between: [ground, crank], path: [[0, 0, 0], [1, 0, 0], [1, 1, 5], "
         "[3, 1, 0]], at: [1, 0, 0]}}\n"
         "                                                    ^\n"},
        {"    on: {path: {between: [ground, crank], path: [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 0, "
         "0]], closed: true, at: [1, 0, 0]}}\n",
         "simulate: {end: 1}\n",
         "m.yaml:7:49: error: the first and the last point of 'path' coincide: it is closed "
         "without that\n"
         "        on: {path: {between: [ground, crank], path: [[0, 0, 0], [1, 0, 0], [1, 1, 0], "
         "[0, 0, 0]], closed: true, at: [1, 0, 0]}}\n"
         "                                                    ^\n"},
        {"    on: {path: {between: [ground, crank], path: [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, "
         "0]]}}\n",
         "simulate: {end: 1}\n",
         "m.yaml:7:10: error: none of the keys at, second_path is there; exactly one is needed\n"
         "        on: {path: {between: [ground, crank], path: [[0, 0, 0], [1, 0, 0], [1, 1, 0], "
         "[0, 1, 0]]}}\n"
         "             ^~~~\n"},
        {"    on: {path: {between: [ground, crank], path: [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, "
         "0]], radius: 0.1, second_path: [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]}}\n",
         "simulate: {end: 1}\n",
         "m.yaml:7:103: error: 'on' has a curve in the place of a roller\n"
         "    ...: {path: {between: [ground, crank], path: [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, "
         "1, 0]], radius: 0.1, second_path: [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]}}\n"
         "                                                                                         "
         "              ^~~\n"},
        {"    on: {path: {between: [ground, crank], path: [0, 1], at: [1, 0, 0]}}\n",
         "simulate: {end: 1}\n",
         "m.yaml:7:50: error: 'a point' must be a list of 3 numbers, not 0\n"
         "        on: {path: {between: [ground, crank], path: [0, 1], at: [1, 0, 0]}}\n"
         "                                                     ^\n"},
        {"    on: {path: {between: [ground, crank], path: [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, "
         "0]], at: [1, 0, 0], closed: 3}}\n",
         "simulate: {end: 1}\n",
         "m.yaml:7:118: error: 'closed' must be true or false, not '3'\n"
         "        on: {path: {between: [ground, crank], path: [[0, 0, 0], [1, 0, 0], [1, 1, 0], "
         "[0, 1, 0]], at: [1, 0, 0], closed: 3}}\n"
         "                                                                                         "
         "                                ^\n"},
        {"    on: {path: {between: [ground, crank], path: [[-1, 1, 0], [-0.2, 0, 0], [0.2, 0, 0], "
         "[1, 1, 0]], at: [0, 1, 0], radius: 1}}\n",
         "simulate: {end: 1}\n",
         "m.yaml:7:49: error: the roller of 'on' is larger than a hollow of the curve: radius 1 m, "
         "that of the curve is 0.9126 m between its points 1 and 2, near [-0.7559, 0.3095, 0]; it "
         "touches there at two places at once\n"
         "        on: {path: {between: [ground, crank], path: [[-1, 1, 0], [-0.2, 0, 0], [0.2, 0, "
         "0], [1, 1, 0]], at: [0, 1, 0], radius: 1}}\n"
         "                                                    ^\n"},
        {"    on: {path: {between: [ground, crank], path: [[-1, 1, 0], [1, -1, 0], [1, 1, 0], [-1, "
         "-1, 0]], at: [1, 0, 0], closed: true}}\n",
         "simulate: {end: 1}\n",
         "m.yaml:7:49: error: the curve of 'on' crosses itself, between its points 1 and 2 and "
         "between its points 3 and 4, near [0, 0, 0]: which branch is followed there is not known; "
         "let it end before that place\n"
         "        on: {path: {between: [ground, crank], path: [[-1, 1, 0], [1, -1, 0], [1, 1, 0], "
         "[-1, -1, 0]], at: [1, 0, 0], closed: true}}\n"
         "                                                    ^\n"},
        {"  forces: {f: {path: {between: [ground, crank], path: [[0, 0, 0], [1, 0, 0], [2, 0, 0], "
         "[2, "
         "1, 0], [1, 1, 0], [1, 0, 0], [1, -1, 0]], at: [0, 1, 0], stiffness: 1000}}}\n",
         "simulate: {end: 1}\n",
         "m.yaml:7:55: warning: the curve of 'f' crosses itself, at its point 2 and at its point "
         "6, near [1, 0, 0]: which branch is followed there is not known; let it end before that "
         "place\n"
         "      forces: {f: {path: {between: [ground, crank], path: [[0, 0, 0], [1, 0, 0], [2, 0, "
         "0], [2, 1, 0], [1, 1, 0], [1, 0, 0], [1, -1, 0]], at: [0, 1, 0], stiffness: ...\n"
         "                                                          ^\n"},
        {"  forces: {f: {path: {between: [ground, crank], path: [[-2, 0, 0], [-1, 0, 0], [0, 0, "
         "0], "
         "[1, 1, 0], [0, 2, 0], [-1, 0.3, 0], [-2, 0.3, 0]], at: [-2, 0.1, 0], radius: 0.2, "
         "stiffness: 1000}}}\n",
         "simulate: {end: 1}\n",
         "m.yaml:7:55: warning: the roller of 'f' does not fit between two arms of the curve: "
         "where "
         "it touches it at its point 2, it also reaches [-1.036, 0.2592, 0], which is 0.08837 m "
         "from its centre, and its radius is 0.2 m; it cannot pass there\n"
         "      forces: {f: {path: {between: [ground, crank], path: [[-2, 0, 0], [-1, 0, 0], [0, "
         "0, "
         "0], [1, 1, 0], [0, 2, 0], [-1, 0.3, 0], [-2, 0.3, 0]], at: [-2, 0.1, 0], r...\n"
         "                                                          ^\n"},
        {"    on: {path: {between: [ground, crank], path: [[-9, 5, 0], [-1, 0.3, 0], [0, 0, 0], "
         "[1, "
         "0.3, 0], [9, 5, 0]], second_path: [[0, 0, 0], [3, 3, 0], [0, 6, 0], [-3, 3, 0]], "
         "second_closed: true}}\n",
         "simulate: {end: 1}\n",
         "m.yaml:7:49: error: the second curve of 'on' is larger than a hollow of the curve: "
         "radius 2.25 m, that of the curve is 1.527 m at its point 3, near [0, 0, 0]; it touches "
         "there at two places at once\n"
         "        on: {path: {between: [ground, crank], path: [[-9, 5, 0], [-1, 0.3, 0], [0, 0, "
         "0], [1, 0.3, 0], [9, 5, 0]], second_path: [[0, 0, 0], [3, 3, 0], [0, 6, 0], [-...\n"
         "                                                    ^\n"},
        {"  forces: {f: {path: {between: [ground, crank], path: [[-1, 1, 0], [-0.2, 0, 0], [0.2, "
         "0, "
         "0], [1, 1, 0]], at: [0, 1, 0], radius: 1, stiffness: 1000}}}\n",
         "simulate: {end: 1}\n",
         "m.yaml:7:55: warning: the roller of 'f' is larger than a hollow of the curve: radius 1 "
         "m, that of the curve is 0.9126 m between its points 1 and 2, near [-0.7559, 0.3095, 0]; "
         "it touches there at two places at once\n"
         "      forces: {f: {path: {between: [ground, crank], path: [[-1, 1, 0], [-0.2, 0, 0], "
         "[0.2, 0, 0], [1, 1, 0]], at: [0, 1, 0], radius: 1, stiffness: 1000}}}\n"
         "                                                          ^\n"},
        {"  forces: {f: {path: {between: [ground, crank], path: [[0, 0, 0], [1, 0, 0], [1, 1, 0], "
         "[0, 1, 0]], at: [1, 0, 0]}}}\n",
         "simulate: {end: 1}\n",
         "m.yaml:7:16: error: 'f' needs a 'stiffness'\n"
         "      forces: {f: {path: {between: [ground, crank], path: [[0, 0, 0], [1, 0, 0], [1, 1, "
         "0], [0, 1, 0]], at: [1, 0, 0]}}}\n"
         "                   ^~~~\n"},
    };
    assert_all_said(cases, sizeof cases / sizeof *cases);
}

static void test_mechanism_language_samples(void **state)
{
    (void)state;
    static const wrong cases[] = {
        {"  samples: {u: {value: 1}}\n", "simulate: {end: 1}\n",
         "m.yaml:7:13: error: the key 'every' is missing: time between samples, s\n"
         "      samples: {u: {value: 1}}\n"
         "                ^\n"},
        {"  samples: {u: {every: 0.1, value: \"2*x\"}}\n"
         "  forces: {f: {actuator: {joint: pivot, effort: u}}}\n",
         "simulate: {end: 1}\n",
         "m.yaml:7:39: error: 'x' is not defined\n"
         "      samples: {u: {every: 0.1, value: \"2*x\"}}\n"
         "                                          ^\n"},
        {"  samples: {u: {every: 0.1, value: \"2*pivot_angel\"}}\n"
         "  forces: {f: {actuator: {joint: pivot, effort: u}}}\n",
         "simulate: {end: 1}\n",
         "m.yaml:7:39: error: 'pivot_angel' is not defined; did you mean 'pivot_angle'?\n"
         "      samples: {u: {every: 0.1, value: \"2*pivot_angel\"}}\n"
         "                                          ^~~~~~~~~~~\n"},
        {"  samples: {u: {every: 0, value: 1}}\n"
         "  forces: {f: {actuator: {joint: pivot, effort: u}}}\n",
         "simulate: {end: 1}\n",
         "m.yaml:7:24: error: 'every' must be above 0, not 0\n"
         "      samples: {u: {every: 0, value: 1}}\n"
         "                           ^\n"},
        {"  samples: {u: {every: 0.1, value: 1}}\n",
         "parameters: {u: 2}\n"
         "simulate: {end: 1}\n",
         "m.yaml:7:13: error: the name 'u' is already that of a parameter\n"
         "      samples: {u: {every: 0.1, value: 1}}\n"
         "                ^\n"},
        {"  samples: {u: 3}\n", "simulate: {end: 1}\n",
         "m.yaml:7:16: error: 'u' must be a map, not '3'\n"
         "      samples: {u: 3}\n"
         "                   ^\n"},
    };
    assert_all_said(cases, sizeof cases / sizeof *cases);
}

static void test_mechanism_language_parts(void **state)
{
    (void)state;
    static const wrong cases[] = {
        {"",
         "parts: {leg: {bodies: {foot: {mass: 1, center: [1, 0, 0], inertia: [1, 1, 1]}}}}\nuse: "
         "{a: {part: leg, for: {n: []}}}\nsimulate: {end: 1}\n",
         "m.yaml:8:22: error: the lists of 'for' have no elements: 'a' would stand for nothing\n"
         "    use: {a: {part: leg, for: {n: []}}}\n"
         "                         ^~~\n"},
        {"",
         "parts: {leg: {bodies: {foot: {mass: 1, center: [1, 0, 0], inertia: [1, 1, 1]}}}}\nuse: "
         "{a: {part: leg, for: {}}}\nsimulate: {end: 1}\n",
         "m.yaml:8:22: error: the lists of 'for' have no elements: 'a' would stand for nothing\n"
         "    use: {a: {part: leg, for: {}}}\n"
         "                         ^~~\n"},
        {"",
         "parts: {leg: {parameters: {l: 1}, bodies: {foot: {mass: 1, center: [1, \"l\", 0], "
         "inertia: [1, 1, 1]}}, joints: {hip: {revolute: {between: [crank, foot], at: [0, 0, 0], "
         "axis: z}}}}}\n"
         "use: {a: {part: log}}\n"
         "simulate: {end: 1}\n",
         "m.yaml:7:9: warning: part 'leg' is not used\n"
         "    parts: {leg: {parameters: {l: 1}, bodies: {foot: {mass: 1, center: [1, \"l\", 0], "
         "inertia: [1, 1, 1]}}, joints: {hip: {revolute: {between: [crank, foot], at: [0, ...\n"
         "            ^~~\n"
         "m.yaml:8:17: error: there is no part 'log'; did you mean 'leg'?\n"
         "    use: {a: {part: log}}\n"
         "                    ^~~\n"},
        {"",
         "parts: {leg: {parameters: {l: 1}, bodies: {foot: {mass: 1, center: [1, \"l\", 0], "
         "inertia: [1, 1, 1]}}, joints: {hip: {revolute: {between: [crank, foot], at: [0, 0, 0], "
         "axis: z}}}}}\n"
         "use: {a: {part: leg, with: {ll: 2}}}\n"
         "simulate: {end: 1}\n",
         "m.yaml:8:33: error: there is no parameter 'll'; did you mean 'l'?\n"
         "    use: {a: {part: leg, with: {ll: 2}}}\n"
         "                                    ^\n"},
        {"",
         "parts: {leg: {parameters: {l: 1}, bodies: {foot: {mass: 1, center: [1, \"l\", 0], "
         "inertia: [1, 1, 1]}}, joints: {hip: {revolute: {between: [crank, foot], at: [0, 0, 0], "
         "axis: z}}}}}\n"
         "use: {a: {with: {l: 2}}}\n"
         "simulate: {end: 1}\n",
         "m.yaml:7:9: warning: part 'leg' is not used\n"
         "    parts: {leg: {parameters: {l: 1}, bodies: {foot: {mass: 1, center: [1, \"l\", 0], "
         "inertia: [1, 1, 1]}}, joints: {hip: {revolute: {between: [crank, foot], at: [0, ...\n"
         "            ^~~\n"
         "m.yaml:8:7: error: the key 'part' is missing: of `parts`\n"
         "    use: {a: {with: {l: 2}}}\n"
         "          ^\n"},
        {"",
         "parts: {leg: {parameters: {l: 1}, bodies: {foot: {mass: 1, center: [1, \"l\", 0], "
         "inertia: [1, 1, 1]}}, joints: {hip: {revolute: {between: [crank, foot], at: [0, 0, 0], "
         "axis: z}}}}}\n"
         "use: {a: {part: leg}}\n"
         "outputs: {x: a.hip_angel}\n"
         "simulate: {end: 1}\n",
         "m.yaml:9:14: error: 'a.hip_angel' is not defined; did you mean 'a.hip_angle'?\n"
         "    outputs: {x: a.hip_angel}\n"
         "                 ^~~~~~~~~~~\n"},
        {"",
         "parts: {leg: {bodies: {foot: {mass: 1}}}}\n"
         "simulate: {end: 1}\n",
         "m.yaml:7:9: warning: part 'leg' is not used\n"
         "    parts: {leg: {bodies: {foot: {mass: 1}}}}\n"
         "            ^~~\n"},
        {"",
         "parts: {leg: {bodies: [1, 2]}}\n"
         "use: {a: {part: leg}}\n"
         "simulate: {end: 1}\n",
         "m.yaml:7:23: error: 'bodies' of a part must be a map, not a list\n"
         "    parts: {leg: {bodies: [1, 2]}}\n"
         "                          ^\n"},
        {"",
         "parts: {leg: {body: {foot: {mass: 1}}}}\n"
         "use: {a: {part: leg}}\n"
         "simulate: {end: 1}\n",
         "m.yaml:7:15: error: unknown key 'body'; valid here: parameters, names, bodies, joints, "
         "forces, "
         "points, inputs, define, states, algebraic, samples, outputs, use\n"
         "    parts: {leg: {body: {foot: {mass: 1}}}}\n"
         "                  ^~~~\n"},
        {"",
         "parts: {leg: {bodies: {foot: {mass: 1, center: [1, \"k\", 0]}}}}\n"
         "use: {a: {part: leg}}\n"
         "simulate: {end: 1}\n",
         "m.yaml:7:53: error: 'k' is not defined\n"
         "    parts: {leg: {bodies: {foot: {mass: 1, center: [1, \"k\", 0]}}}}\n"
         "                                                        ^\n"},
        {"",
         "parts: {leg: {joints: {hip: {revolute: {between: [crank, foot], at: [0, 0, 0], axis: "
         "z}}}}}\n"
         "use: {a: {part: leg}}\n"
         "simulate: {end: 1}\n",
         "m.yaml:7:58: error: there is no body 'foot'\n"
         "    parts: {leg: {joints: {hip: {revolute: {between: [crank, foot], at: [0, 0, 0], axis: "
         "z}}}}}\n"
         "                                                             ^~~~\n"},
    };
    assert_all_said(cases, sizeof cases / sizeof *cases);
}

static void test_mechanism_language_variants(void **state)
{
    (void)state;
    static const wrong cases[] = {
        {"",
         "variants: {wet: {parameters: {mu: 0.1}}, dry: {}}\n"
         "variant: wett\n"
         "simulate: {end: 1}\n",
         "m.yaml:8:10: error: there is no variant 'wett'; this model has 'wet', 'dry'\n"
         "    variant: wett\n"
         "             ^~~~\n"},
        {"",
         "variant: wet\n"
         "simulate: {end: 1}\n",
         "m.yaml:7:10: error: there is no variant 'wet'; this model has none\n"
         "    variant: wet\n"
         "             ^~~\n"},
        {"",
         "variants: {wet: {mechanism: {forces: {brake: null}}}}\n"
         "variant: [wet]\n"
         "simulate: {end: 1}\n",
         "m.yaml:7:39: error: there is no 'brake' that null could remove\n"
         "    variants: {wet: {mechanism: {forces: {brake: null}}}}\n"
         "                                          ^~~~~\n"},
        {"",
         "variants: {wet: 3}\n"
         "variant: wet\n"
         "simulate: {end: 1}\n",
         "m.yaml:7:17: error: variant 'wet' must be a map of sections\n"
         "    variants: {wet: 3}\n"
         "                    ^\n"},
        {"",
         "variants: {wet: {variant: dry}}\n"
         "variant: wet\n"
         "simulate: {end: 1}\n",
         "m.yaml:7:12: error: a variant has no variants and includes no files\n"
         "    variants: {wet: {variant: dry}}\n"
         "               ^~~\n"},
        {"",
         "variants: {wet: {simulate: {ende: 2}}}\n"
         "variant: wet\n"
         "simulate: {end: 1}\n",
         "m.yaml:7:29: error: unknown key 'ende'; did you mean 'end'?\n"
         "    variants: {wet: {simulate: {ende: 2}}}\n"
         "                                ^~~~\n"},
        {"",
         "variants: {wet: {simulate: {end: 2}}}\n"
         "variant: {wet: 1}\n"
         "simulate: {end: 1}\n",
         "m.yaml:8:10: error: 'variant' is the name of one, or a list of names\n"
         "    variant: {wet: 1}\n"
         "             ^\n"},
    };
    assert_all_said(cases, sizeof cases / sizeof *cases);
}

static void test_mechanism_language_placement(void **state)
{
    (void)state;
    static const wrong cases[] = {
        {"",
         "parts:\n"
         "  leg: {bodies: {foot: {mass: 1, center: [1, 0, 0], inertia: 0}}, joints: {hip: "
         "{spherical: {between: [crank, foot], at: [1, 0, 0]}}}}\n"
         "  two: {use: {inner: {part: leg}, again: {part: two}}}\n"
         "use: {a: {part: leg, mirror: w}}\n"
         "simulate: {end: 1}\n",
         "m.yaml:10:30: error: 'mirror' cannot be 'w'; it is one of x, y, z\n"
         "    use: {a: {part: leg, mirror: w}}\n"
         "                                 ^\n"},
        {"",
         "parts:\n"
         "  leg: {bodies: {foot: {mass: 1, center: [1, 0, 0], inertia: 0}}, joints: {hip: "
         "{spherical: {between: [crank, foot], at: [1, 0, 0]}}}}\n"
         "  two: {use: {inner: {part: leg}, again: {part: two}}}\n"
         "use: {a: {part: leg, at: [1, 2]}}\n"
         "simulate: {end: 1}\n",
         "m.yaml:10:26: error: 'at' must be a list of 3 numbers, not 2\n"
         "    use: {a: {part: leg, at: [1, 2]}}\n"
         "                             ^\n"},
        {"",
         "parts:\n"
         "  leg: {bodies: {foot: {mass: 1, center: [1, 0, 0], inertia: 0}}, joints: {hip: "
         "{spherical: {between: [crank, foot], at: [1, 0, 0]}}}}\n"
         "  two: {use: {inner: {part: leg}, again: {part: two}}}\n"
         "use: {a: {part: leg, frame: {x: x, y: y, z: z}}}\n"
         "simulate: {end: 1}\n",
         "m.yaml:10:29: error: a frame needs one or two of x, y and z, or both of axis and angle\n"
         "    use: {a: {part: leg, frame: {x: x, y: y, z: z}}}\n"
         "                                ^\n"},
        {"",
         "parts:\n"
         "  leg: {bodies: {foot: {mass: 1, center: [1, 0, 0], inertia: 0}}, joints: {hip: "
         "{spherical: {between: [crank, foot], at: [1, 0, 0]}}}}\n"
         "  two: {use: {inner: {part: leg}, again: {part: two}}}\n"
         "use: {a: {part: leg, for: {i: [1, 2], j: [1, 2, 3]}}}\n"
         "simulate: {end: 1}\n",
         "m.yaml:10:42: error: the lists of 'for' go along together: this one has 3 elements, 'i' "
         "has 2\n"
         "    use: {a: {part: leg, for: {i: [1, 2], j: [1, 2, 3]}}}\n"
         "                                             ^\n"},
        {"",
         "parts:\n"
         "  leg: {bodies: {foot: {mass: 1, center: [1, 0, 0], inertia: 0}}, joints: {hip: "
         "{spherical: {between: [crank, foot], at: [1, 0, 0]}}}}\n"
         "  two: {use: {inner: {part: leg}, again: {part: two}}}\n"
         "use: {a: {part: leg, for: {i: 3}}}\n"
         "simulate: {end: 1}\n",
         "m.yaml:10:31: error: 'i' must be a list of formulas, not '3'\n"
         "    use: {a: {part: leg, for: {i: 3}}}\n"
         "                                  ^\n"},
        {"",
         "parts:\n"
         "  leg: {bodies: {foot: {mass: 1, center: [1, 0, 0], inertia: 0}}, joints: {hip: "
         "{spherical: {between: [crank, foot], at: [1, 0, 0]}}}}\n"
         "  two: {use: {inner: {part: leg}, again: {part: two}}}\n"
         "use: {a.b: {part: leg}}\n"
         "simulate: {end: 1}\n",
         "m.yaml:10:7: error: 'a.b' is not a valid name: a letter or _, then letters, digits and "
         "_\n"
         "    use: {a.b: {part: leg}}\n"
         "          ^~~\n"},
        {"",
         "parts:\n"
         "  leg: {bodies: {foot: {mass: 1, center: [1, 0, 0], inertia: 0}}, joints: {hip: "
         "{spherical: {between: [crank, foot], at: [1, 0, 0]}}}}\n"
         "  two: {use: {inner: {part: leg}, again: {part: two}}}\n"
         "use: {a: {part: two}}\n"
         "simulate: {end: 1}\n",
         "m.yaml:9:49: error: part 'two' is a part of itself\n"
         "      two: {use: {inner: {part: leg}, again: {part: two}}}\n"
         "                                                    ^~~\n"},
        {"  plane: xy\n",
         "parts:\n"
         "  leg: {bodies: {foot: {mass: 1, center: [1, 0], inertia: 0}}, joints: {hip: {revolute: "
         "{between: [crank, foot], at: [1, 0]}}}}\n"
         "use: {a: {part: leg, mirror: z}}\n"
         "simulate: {end: 1}\n",
         "m.yaml:10:7: error: 'a' is turned or mirrored out of the plane of the model\n"
         "    use: {a: {part: leg, mirror: z}}\n"
         "          ^\n"},
    };
    assert_all_said(cases, sizeof cases / sizeof *cases);
}

static void test_mechanism_language_channels(void **state)
{
    (void)state;
    static const wrong cases[] = {
        {"", "outputs: {t: 1}\nsimulate: {end: 1}\n",
         "m.yaml:7:11: error: 't' is the channel of time: choose another name\n"
         "    outputs: {t: 1}\n"
         "              ^\n"},
        {"",
         "outputs: {channels: [\"output/*\"], x: 1}\n"
         "simulate: {end: 1}\n",
         ""},
        {"",
         "outputs: {channels: [energies/*]}\n"
         "simulate: {end: 1}\n",
         "m.yaml:7:22: error: no channel fits 'energies/*'; groups of channels: position, "
         "velocity, acceleration, state, algebraic, multiplier, output, body, reaction, force, "
         "energy, constraint, such as 'output/*'\n"
         "    outputs: {channels: [energies/*]}\n"
         "                         ^~~~~~~~~~\n"},
        {"",
         "outputs: {channels: \"pivot_*\"}\n"
         "simulate: {end: 1}\n",
         "m.yaml:7:21: error: 'channels' must be a list of texts, not 'pivot_*'\n"
         "    outputs: {channels: \"pivot_*\"}\n"
         "                        ^~~~~~~~~\n"},
        {"",
         "outputs: {channels: [{a: 1}]}\n"
         "simulate: {end: 1}\n",
         "m.yaml:7:22: error: element 1 of 'channels' must be a text, not a map\n"
         "    outputs: {channels: [{a: 1}]}\n"
         "                         ^\n"},
        {"",
         "outputs: {f: pivot_effort}\n"
         "simulate: {end: 1}\n",
         "m.yaml:7:14: error: 'pivot_effort' is not defined\n"
         "    outputs: {f: pivot_effort}\n"
         "                 ^~~~~~~~~~~~\n"},
    };
    assert_all_said(cases, sizeof cases / sizeof *cases);
}

static void test_mechanism_language_relations(void **state)
{
    (void)state;
    static const wrong cases[] = {
        {"    slide: {prismatic: {between: [ground, crank], at: [0, 0, 0], axis: x}, friction: "
         "{static: 0.2, dynamic: 0.5, stribeck: 0}}\n",
         "simulate: {end: 1}\n",
         "m.yaml:7:109: error: 'dynamic' is above 'static' (0.5 and 0.2): with 'stribeck: 0' the "
         "joint would break away and stop again without end; give 'stribeck' a speed\n"
         "        slide: {prismatic: {between: [ground, crank], at: [0, 0, 0], axis: x}, friction: "
         "{static: 0.2, dynamic: 0.5, stribeck: 0}}\n"
         "                                                                                         "
         "                       ^~~\n"},
        {"    r: {relation: {zero: \"pivot_rate - 1\"}}\n", "simulate: {end: 1}\n",
         "m.yaml:7:27: error: 'pivot_rate' is a rate; a constraint may depend on t and positions "
         "only\n"
         "        r: {relation: {zero: \"pivot_rate - 1\"}}\n"
         "                              ^~~~~~~~~~\n"},
        {"    r: {relation: {zero: \"sin(t)\"}}\n", "simulate: {end: 1}\n",
         "m.yaml:7:26: error: this formula names no measure, point or body: it constrains nothing\n"
         "        r: {relation: {zero: \"sin(t)\"}}\n"
         "                             ^~~~~~~~\n"},
        {"    r: {relation: {zero: \"crank_q\"}}\n", "simulate: {end: 1}\n",
         "m.yaml:7:27: error: 'crank_q' is not defined; did you mean 'crank_x'?\n"
         "        r: {relation: {zero: \"crank_q\"}}\n"
         "                              ^~~~~~~\n"},
        {"    r: {relation: {}}\n", "simulate: {end: 1}\n",
         "m.yaml:7:9: error: none of the keys zero, library is there; exactly one is needed\n"
         "        r: {relation: {}}\n"
         "            ^~~~~~~~\n"},
        {"    r: {relation: {zero: \"table(f, pivot_angle)\"}}\n",
         "tables: {f: {points: [[0, 0], [1, 1], [2, 0]]}}\n"
         "simulate: {end: 1}\n",
         "m.yaml:7:26: warning: table 'f' has corners, where the velocity of this constraint "
         "jumps; 'interpolation: spline' makes it smooth\n"
         "        r: {relation: {zero: \"table(f, pivot_angle)\"}}\n"
         "                             ^~~~~~~~~~~~~~~~~~~~~~~\n"},
    };
    assert_all_said(cases, sizeof cases / sizeof *cases);
}

static void test_mechanism_language_units(void **state)
{
    (void)state;
    static const wrong cases[] = {
        {"    slide: {prismatic: {between: [ground, crank], at: [0, 0, 0], axis: x}, start: {rate: "
         "30 deg/s}}\n",
         "simulate: {end: 1}\n",
         "m.yaml:7:90: error: 'deg/s' is an angular velocity or a frequency; this measure is a "
         "travel: a speed (m/s) is needed here\n"
         "        slide: {prismatic: {between: [ground, crank], at: [0, 0, 0], axis: x}, start: "
         "{rate: 30 deg/s}}\n"
         "                                                                                         "
         "    ^\n"},
        {"    slide: {prismatic: {between: [ground, crank], at: [0, 0, 0], axis: x}, motion: 30 "
         "deg}\n",
         "simulate: {end: 1}\n",
         "m.yaml:7:84: error: 'deg' is a number or an angle; this measure is a travel: a length "
         "(m) is needed here\n"
         "        slide: {prismatic: {between: [ground, crank], at: [0, 0, 0], axis: x}, motion: "
         "30 deg}\n"
         "                                                                                       "
         "^\n"},
        {"    air: {yaw-roll-pitch: {between: [ground, crank]}, start: {x: 3 mm, yaw: 20 deg, "
         "pitch_rate: 5 mm/s}, stops: {roll: {low: -20 deg, high: 3 mm, stiffness: 1}}, motion: "
         "{y: "
         "3 deg}}\n",
         "simulate: {end: 1}\n",
         "m.yaml:7:175: error: 'deg' is a number or an angle; this measure is a travel: a length "
         "(m) is needed here\n"
         "    ...tch: {between: [ground, crank]}, start: {x: 3 mm, yaw: 20 deg, pitch_rate: 5 "
         "mm/s}, stops: {roll: {low: -20 deg, high: 3 mm, stiffness: 1}}, motion: {y: 3 deg}}\n"
         "                                                                                         "
         "                                                                       ^\n"
         "m.yaml:7:97: error: 'mm/s' is a speed; this measure is an angle: an angular velocity or "
         "a frequency (rad/s) is needed here\n"
         "    ...ll-pitch: {between: [ground, crank]}, start: {x: 3 mm, yaw: 20 deg, pitch_rate: 5 "
         "mm/s}, stops: {roll: {low: -20 deg, high: 3 mm, stiffness: 1}}, motion: {y: 3 ...\n"
         "                                                                                       "
         "^\n"
         "m.yaml:7:141: error: 'mm' is a length; this measure is an angle: a number or an angle "
         "(rad) is needed here\n"
         "    ...tch: {between: [ground, crank]}, start: {x: 3 mm, yaw: 20 deg, pitch_rate: 5 "
         "mm/s}, stops: {roll: {low: -20 deg, high: 3 mm, stiffness: 1}}, motion: {y: 3 deg}}\n"
         "                                                                                         "
         "                                     ^\n"},
        {"  forces: {f: {actuator: {joint: pivot, effort: 3 N}}}\n", "simulate: {end: 1}\n",
         "m.yaml:7:49: error: 'N' is a force; this measure is an angle: a torque or an energy (N "
         "m) is needed here\n"
         "      forces: {f: {actuator: {joint: pivot, effort: 3 N}}}\n"
         "                                                    ^\n"},
        {"  forces: {f: {actuator: {joint: pivot, stiffness: 1, natural: 5 mm}}}\n",
         "simulate: {end: 1}\n",
         "m.yaml:7:64: error: 'mm' is a length; this measure is an angle: a number or an angle "
         "(rad) is needed here\n"
         "      forces: {f: {actuator: {joint: pivot, stiffness: 1, natural: 5 mm}}}\n"
         "                                                                   ^\n"},
        {"  gravity: [0, 9.81 m/s, 0]\n",
         "outputs: {u: 1}\n"
         "simulate: {end: 1}\n",
         "m.yaml:7:21: error: 'm/s' is a speed; an acceleration (m/s^2) is needed here\n"
         "      gravity: [0, 9.81 m/s, 0]\n"
         "                        ^~~\n"},
        {"  gravity: [0, 9.81 m/s^2, 0]\n",
         "outputs: {u: 1}\n"
         "simulate: {end: 1}\n",
         ""},
        {"  forces: {f: {torque: {body: crank, value: [0, 0, \"5 N\"]}}}\n",
         "outputs: {u: 1}\n"
         "simulate: {end: 1}\n",
         "m.yaml:7:55: error: 'N' is a force; a torque or an energy (N m) is needed here\n"
         "      forces: {f: {torque: {body: crank, value: [0, 0, \"5 N\"]}}}\n"
         "                                                          ^\n"},
        {"  forces: {f: {actuator: {joint: pivot, effort: 3 kg}}}\n",
         "outputs: {u: 1}\n"
         "simulate: {end: 1}\n",
         "m.yaml:7:51: error: 'kg' is a mass; a force (N or N m) is needed here\n"
         "      forces: {f: {actuator: {joint: pivot, effort: 3 kg}}}\n"
         "                                                      ^~\n"},
        {"  forces: {f: {actuator: {joint: pivot, effort: 3 kNm}}}\n",
         "outputs: {u: 1}\n"
         "simulate: {end: 1}\n",
         "m.yaml:7:51: error: 'kNm' is not a known unit; such as mm, kg, s, deg, rpm, N, kN/m, N m "
         "s, "
         "MPa, kg m^2\n"
         "      forces: {f: {actuator: {joint: pivot, effort: 3 kNm}}}\n"
         "                                                      ^~~\n"},
        {"  points: {p: {body: crank, at: [1 m, 0, 0], frame: {x: [1 m, 0, 0]}}}\n",
         "outputs: {u: 1}\n"
         "simulate: {end: 1}\n",
         "m.yaml:7:60: error: 'x' takes plain numbers, without unit\n"
         "      points: {p: {body: crank, at: [1 m, 0, 0], frame: {x: [1 m, 0, 0]}}}\n"
         "                                                               ^\n"},
        {"  forces: {f: {spring: {between: [ground, crank], from: [0, 1, 0], to: [1, 0, 0], "
         "stiffness: 20 N m}}}\n",
         "outputs: {u: 1}\n"
         "simulate: {end: 1}\n",
         "m.yaml:7:97: error: 'N m' is a torque or an energy; a stiffness (N/m) is needed here\n"
         "      forces: {f: {spring: {between: [ground, crank], from: [0, 1, 0], to: [1, 0, 0], "
         "stiffness: 20 N m}}}\n"
         "                                                                                         "
         "           ^~~\n"},
        {"  samples: {u: {every: 5 mm, value: t}}\n", "simulate: {end: 1}\n",
         "m.yaml:7:26: error: 'mm' is a length; a time (s) is needed here\n"
         "      samples: {u: {every: 5 mm, value: t}}\n"
         "                             ^~\n"},
    };
    assert_all_said(cases, sizeof cases / sizeof *cases);
}

static void test_mechanism_language_axes(void **state)
{
    (void)state;
    static const wrong cases[] = {
        {"  points: {eye: {body: crank}, ear: {body: ground, at: [0, 0, 0], from: eye}}\n"
         "  forces: {f: {force: {body: crank, at: [1, 0, 0], value: [1, 2, 3], axes_of: nose}}}\n",
         "simulate: {end: 1}\n",
         "m.yaml:8:79: error: there is no point 'nose'\n"
         "      forces: {f: {force: {body: crank, at: [1, 0, 0], value: [1, 2, 3], axes_of: "
         "nose}}}\n"
         "                                                                                  "
         "^~~~\n"},
        {"  points: {eye: {body: crank}, ear: {body: ground, at: [0, 0, 0], from: eye}}\n"
         "  forces: {f: {force: {body: crank, at: [1, 0, 0], value: 1, axis: x, axes_of: eye}}}\n",
         "simulate: {end: 1}\n",
         "m.yaml:8:80: error: in the axes of a point all components are needed: 'value' as a list\n"
         "      forces: {f: {force: {body: crank, at: [1, 0, 0], value: 1, axis: x, axes_of: "
         "eye}}}\n"
         "                                                                                   "
         "^~~\n"},
        {"  points: {eye: {body: crank}, ear: {body: ground, at: [0, 0, 0], from: eye}}\n"
         "  forces: {f: {force: {body: crank, at: [1, 0, 0], value: [1, 2, 3], axes_of: ear}}}\n",
         "simulate: {end: 1}\n",
         "m.yaml:8:79: error: the axes of 'ear' are seen from 'eye'; name a point without 'from'\n"
         "      forces: {f: {force: {body: crank, at: [1, 0, 0], value: [1, 2, 3], axes_of: "
         "ear}}}\n"
         "                                                                                  ^~~\n"},
        {"  points: {eye: {body: crank}, ear: {body: ground, at: [0, 0, 0], from: eye}}\n"
         "  forces: {f: {force: {body: crank, at: [1, 0, 0], value: [1, 2, 3], axes_of: eye, axes: "
         "body}}}\n",
         "simulate: {end: 1}\n",
         "m.yaml:8:84: error: 'axes' beside 'axes_of': give one of them\n"
         "      forces: {f: {force: {body: crank, at: [1, 0, 0], value: [1, 2, 3], axes_of: eye, "
         "axes: body}}}\n"
         "                                                                                       "
         "^~~~\n"},
    };
    assert_all_said(cases, sizeof cases / sizeof *cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mechanism_language_inputs_and_definitions),
        cmocka_unit_test(test_mechanism_language_states),
        cmocka_unit_test(test_mechanism_language_points),
        cmocka_unit_test(test_mechanism_language_effects),
        cmocka_unit_test(test_mechanism_language_paths),
        cmocka_unit_test(test_mechanism_language_samples),
        cmocka_unit_test(test_mechanism_language_parts),
        cmocka_unit_test(test_mechanism_language_variants),
        cmocka_unit_test(test_mechanism_language_placement),
        cmocka_unit_test(test_mechanism_language_channels),
        cmocka_unit_test(test_mechanism_language_relations),
        cmocka_unit_test(test_mechanism_language_units),
        cmocka_unit_test(test_mechanism_language_axes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
