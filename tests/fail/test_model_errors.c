// SPDX-License-Identifier: Apache-2.0
// What is wrong in a model file is said with place, line and caret: whole texts, as the command
// prints them. Every expected text was reviewed: it is what one should read.
#include "models.h"

static void assert_said(const char *text, const char *expected)
{
    model_case c;
    model_try(&c, text, "m.yaml", NULL);
    assert_string_equal(c.said, expected);
    assert_int_equal(c.status, TRM_ERR_MODEL);
    assert_int_equal(c.error.status, TRM_ERR_MODEL);
    assert_null(c.model);
    // the first message is also that of the error
    const char *first = strstr(expected, "error: ") + strlen("error: ");
    assert_int_equal(strncmp(first, c.error.text, strlen(c.error.text)), 0);
}

static void test_model_errors_misspelt_key_names_the_nearest(void **state)
{
    (void)state;
    assert_said("trammel: 1\n"
                "equations:\n"
                "  coordinates: {x: vx, y: vy}\n"
                "  mas: [1, 1]\n"
                "  force: [0, 0]\n"
                "simulate: {end: 1}\n",
                "m.yaml:4:3: error: unknown key 'mas'; did you mean 'mass'?\n"
                "      mas: [1, 1]\n"
                "      ^~~\n");
}

static void test_model_errors_missing_parenthesis_points_at_the_end(void **state)
{
    (void)state;
    assert_said("trammel: 1\n"
                "equations:\n"
                "  coordinates: {x: vx, y: vy}\n"
                "  mass: [1, 1]\n"
                "  force: [\"sin(x\", 0]\n"
                "simulate: {end: 1}\n",
                "m.yaml:5:17: error: missing ')' for the '(' at column 4\n"
                "      force: [\"sin(x\", 0]\n"
                "                    ^\n");
}

static void test_model_errors_wrong_length_counts_entries(void **state)
{
    (void)state;
    assert_said("trammel: 1\n"
                "equations:\n"
                "  coordinates: {x: vx, y: vy}\n"
                "  mass: [1, 1, 1]\n"
                "  force: [0]\n"
                "simulate: {end: 1}\n",
                "m.yaml:4:9: error: mass has 3 entries; it needs 2, one for each coordinate\n"
                "      mass: [1, 1, 1]\n"
                "            ^\n"
                "m.yaml:5:10: error: force has 1 entry; it needs 2, one for each coordinate\n"
                "      force: [0]\n"
                "             ^\n");
}

static void test_model_errors_undefined_name_names_the_nearest(void **state)
{
    (void)state;
    assert_said("trammel: 1\n"
                "equations:\n"
                "  define: {spring_force: \"2*x\"}\n"
                "  coordinates: {x: vx, y: vy}\n"
                "  mass: [1, 1]\n"
                "  force: [\"-spring_fore\", 0]\n"
                "simulate: {end: 1}\n",
                "m.yaml:6:13: error: 'spring_fore' is not defined; did you mean 'spring_force'?\n"
                "      force: [\"-spring_fore\", 0]\n"
                "                ^~~~~~~~~~~\n");
}

static void test_model_errors_cycle_shows_both_names(void **state)
{
    (void)state;
    assert_said("trammel: 1\n"
                "equations:\n"
                "  define:\n"
                "    a1: \"b1 + 1\"\n"
                "    b1: \"2*c1\"\n"
                "    c1: \"a1\"\n"
                "  coordinates: {x: vx, y: vy}\n"
                "  mass: [1, 1]\n"
                "  force: [0, 0]\n"
                "simulate: {end: 1}\n",
                "m.yaml:4:10: error: cycle in the definitions: 'a1' needs 'b1' (line 5), which "
                "leads back to 'a1'\n"
                "        a1: \"b1 + 1\"\n"
                "             ^~\n"
                "m.yaml:5:12: error: 'c1' is defined further down (line 6); a definition may use "
                "only those above it\n"
                "        b1: \"2*c1\"\n"
                "               ^~\n");
}

static void test_model_errors_own_definition_is_refused(void **state)
{
    (void)state;
    assert_said("trammel: 1\n"
                "equations:\n"
                "  define: {loop: \"loop + 1\"}\n"
                "  coordinates: {x: vx, y: vy}\n"
                "  mass: [1, 1]\n"
                "  force: [0, 0]\n"
                "simulate: {end: 1}\n",
                "m.yaml:3:19: error: 'loop' is defined by itself\n"
                "      define: {loop: \"loop + 1\"}\n"
                "                      ^~~~\n");
}

static void test_model_errors_later_definition_names_its_line(void **state)
{
    (void)state;
    assert_said("trammel: 1\n"
                "equations:\n"
                "  define:\n"
                "    first: \"2*second\"\n"
                "    second: 3\n"
                "  coordinates: {x: vx, y: vy}\n"
                "  mass: [\"first\", 1]\n"
                "  force: [0, 0]\n"
                "simulate: {end: 1}\n",
                "m.yaml:4:15: error: 'second' is defined further down (line 5); a definition may "
                "use only those above it\n"
                "        first: \"2*second\"\n"
                "                  ^~~~~~\n");
}

static void test_model_errors_name_twice_names_both(void **state)
{
    (void)state;
    assert_said("trammel: 1\n"
                "parameters: {x: 1}\n"
                "equations:\n"
                "  coordinates: {x: vx, y: vy}\n"
                "  mass: [1, 1]\n"
                "  force: [0, 0]\n"
                "simulate: {end: 1}\n",
                "m.yaml:4:17: error: the name 'x' is already that of a parameter (line 2)\n"
                "      coordinates: {x: vx, y: vy}\n"
                "                    ^\n");
}

static void test_model_errors_velocity_name_twice_points_at_the_velocity(void **state)
{
    (void)state;
    assert_said("trammel: 1\n"
                "equations:\n"
                "  coordinates: {x: v, y: v}\n"
                "  mass: [1, 1]\n"
                "  force: [0, 0]\n"
                "simulate: {end: 1}\n",
                "m.yaml:3:26: error: the name 'v' is already that of a velocity (line 3)\n"
                "      coordinates: {x: v, y: v}\n"
                "                             ^\n");
}

static void test_model_errors_reserved_name_is_refused(void **state)
{
    (void)state;
    assert_said("trammel: 1\n"
                "parameters: {pi: 3}\n"
                "equations:\n"
                "  coordinates: {x: vx, y: vy}\n"
                "  mass: [1, 1]\n"
                "  force: [0, 0]\n"
                "simulate: {end: 1}\n",
                "m.yaml:2:14: error: the name 'pi' is taken by the language\n"
                "    parameters: {pi: 3}\n"
                "                 ^~\n");
}

static void test_model_errors_mass_of_velocity_says_what_is_allowed(void **state)
{
    (void)state;
    assert_said("trammel: 1\n"
                "equations:\n"
                "  coordinates: {x: vx, y: vy}\n"
                "  mass: [\"1 + vx\", 1]\n"
                "  force: [0, 0]\n"
                "simulate: {end: 1}\n",
                "m.yaml:4:15: error: 'vx' is a velocity; mass may depend on t and positions only\n"
                "      mass: [\"1 + vx\", 1]\n"
                "                  ^~\n");
}

static void test_model_errors_mass_of_hidden_velocity_says_what_the_definition_uses(void **state)
{
    (void)state;
    assert_said("trammel: 1\n"
                "equations:\n"
                "  define: {speed: \"hypot(vx, vy)\"}\n"
                "  coordinates: {x: vx, y: vy}\n"
                "  mass: [\"speed\", 1]\n"
                "  force: [0, 0]\n"
                "simulate: {end: 1}\n",
                "m.yaml:5:11: error: 'speed' is a definition that depends on velocities; mass may "
                "depend on t and positions only\n"
                "      mass: [\"speed\", 1]\n"
                "              ^~~~~\n");
}

static void test_model_errors_rates_are_those_of_inputs(void **state)
{
    (void)state;
    assert_said("trammel: 1\n"
                "parameters: {m: 1}\n"
                "equations:\n"
                "  inputs: {early: \"d(pivot)\", pivot: \"sin(m*t)\", wrong: \"x\"}\n"
                "  define: {reach: \"x^2\"}\n"
                "  coordinates: {x: v, y: w}\n"
                "  mass: [\"d(m)\", 1]\n"
                "  force: [\"dd(x) + early\", \"d(reach)\"]\n"
                "  states: {s: \"dd(pivo)\", r: \"ddd(pivot)\"}\n"
                "initial: {values: {x: \"d(pivot)\"}}\n"
                "simulate: {end: 1}\n",
                "m.yaml:4:20: error: 'pivot' is defined further down (line 4); a definition may "
                "use only those above it\n"
                "      inputs: {early: \"d(pivot)\", pivot: \"sin(m*t)\", wrong: \"x\"}\n"
                "                       ^~~~~~~~\n"
                "m.yaml:4:58: error: 'x' is a position; input 'wrong' may depend on t only\n"
                "      inputs: {early: \"d(pivot)\", pivot: \"sin(m*t)\", wrong: \"x\"}\n"
                "                                                             ^\n"
                "m.yaml:7:11: error: d(...) is a rate of an input or a definition of t alone; 'm' "
                "is a parameter\n"
                "      mass: [\"d(m)\", 1]\n"
                "              ^~~~\n"
                "m.yaml:8:12: error: dd(...) is a rate of an input or a definition of t alone; 'x' "
                "is a position\n"
                "      force: [\"dd(x) + early\", \"d(reach)\"]\n"
                "               ^~~~~\n"
                "m.yaml:8:29: error: d(...) is a rate of an input or a definition of t alone; "
                "'reach' is a definition that depends on positions\n"
                "      force: [\"dd(x) + early\", \"d(reach)\"]\n"
                "                                ^~~~~~~~\n"
                "m.yaml:9:16: error: dd(...) is a rate of an input or a definition of t alone; "
                "'pivo' is not defined; did you mean 'pivot'?\n"
                "      states: {s: \"dd(pivo)\", r: \"ddd(pivot)\"}\n"
                "                   ^~~~~~~~\n"
                "m.yaml:9:31: error: there is no function 'ddd'\n"
                "      states: {s: \"dd(pivo)\", r: \"ddd(pivot)\"}\n"
                "                                  ^~~~~~~~~~\n"
                "m.yaml:10:24: error: 'pivot' is an input; 'x' may depend on parameters only\n"
                "    initial: {values: {x: \"d(pivot)\"}}\n"
                "                           ^~~~~~~~\n");
}

static void test_model_errors_constraint_of_velocity_says_what_is_allowed(void **state)
{
    (void)state;
    assert_said("trammel: 1\n"
                "equations:\n"
                "  coordinates: {x: vx, y: vy}\n"
                "  mass: [1, 1]\n"
                "  force: [0, 0]\n"
                "  constraints: {wall: \"x - vy\"}\n"
                "simulate: {end: 1}\n",
                "m.yaml:6:28: error: 'vy' is a velocity; constraint 'wall' may depend on t, "
                "positions and algebraic variables only\n"
                "      constraints: {wall: \"x - vy\"}\n"
                "                               ^~\n");
}

static void test_model_errors_asymmetric_mass_names_the_entries(void **state)
{
    (void)state;
    assert_said("trammel: 1\n"
                "equations:\n"
                "  coordinates: {x: vx, y: vy}\n"
                "  mass: [[1, \"sin(x)\"], [\"cos(x)\", 1]]\n"
                "  force: [0, 0]\n"
                "simulate: {end: 1}\n",
                "m.yaml:4:26: error: the mass matrix is not symmetric: row 2, column 1 differs "
                "from row 1, column 2\n"
                "      mass: [[1, \"sin(x)\"], [\"cos(x)\", 1]]\n"
                "                             ^~~~~~~~\n");
}

static void test_model_errors_ragged_mass_names_the_row(void **state)
{
    (void)state;
    assert_said("trammel: 1\n"
                "equations:\n"
                "  coordinates: {x: vx, y: vy}\n"
                "  mass: [[1, 0], 1]\n"
                "  force: [0, 0]\n"
                "simulate: {end: 1}\n",
                "m.yaml:4:18: error: row 2 of the mass matrix must be a list of 2 formulas\n"
                "      mass: [[1, 0], 1]\n"
                "                     ^\n");
}

static void test_model_errors_nonlinear_velocity_constraint_names_the_velocity(void **state)
{
    (void)state;
    assert_said(
        "trammel: 1\n"
        "equations:\n"
        "  coordinates: {x: vx, y: vy}\n"
        "  mass: [1, 1]\n"
        "  force: [0, 0]\n"
        "  velocity_constraints: {roll: \"vx*vy - x\"}\n"
        "simulate: {end: 1}\n",
        "m.yaml:6:32: error: velocity constraint 'roll' is not linear in the velocity 'vx'\n"
        "      velocity_constraints: {roll: \"vx*vy - x\"}\n"
        "                                   ^~~~~~~~~~~\n");
}

static void test_model_errors_constraint_over_velocities_names_the_equation(void **state)
{
    (void)state;
    assert_said("trammel: 1\n"
                "equations:\n"
                "  coordinates: {x: vx, y: vy}\n"
                "  mass: [1, 1]\n"
                "  force: [0, 0]\n"
                "  algebraic: {s: \"s - vx\"}\n"
                "  constraints: {c: \"x - s\"}\n"
                "simulate: {end: 1}\n",
                "m.yaml:6:18: error: 'vx' is a velocity; constraints depend on 's', so its "
                "equation may depend on t, positions and algebraic variables only\n"
                "      algebraic: {s: \"s - vx\"}\n"
                "                     ^~~~~~~~\n");
}

static void test_model_errors_missing_end_is_asked_for(void **state)
{
    (void)state;
    assert_said("trammel: 1\n"
                "equations:\n"
                "  coordinates: {x: vx, y: vy}\n"
                "  mass: [1, 1]\n"
                "  force: [0, 0]\n",
                "m.yaml:1:1: error: simulate.end is missing: the time at which the run ends\n"
                "    trammel: 1\n"
                "    ^\n");
}

static void test_model_errors_end_before_start_gives_both(void **state)
{
    (void)state;
    assert_said("trammel: 1\n"
                "equations:\n"
                "  coordinates: {x: vx, y: vy}\n"
                "  mass: [1, 1]\n"
                "  force: [0, 0]\n"
                "simulate: {start: 2, end: 1}\n",
                "m.yaml:6:27: error: the run ends at 1, before its start at 2\n"
                "    simulate: {start: 2, end: 1}\n"
                "                              ^\n");
}

// a run that ends earlier than the file says (--set simulate.end) need not lose its other times
static void test_model_errors_output_time_outside_is_left_out(void **state)
{
    (void)state;
    model_case c;
    model_try(&c,
              "trammel: 1\n"
              "equations:\n"
              "  coordinates: {x: vx}\n"
              "  mass: [1]\n"
              "  force: [0]\n"
              "simulate: {end: 1, output_times: [1.5, 0.5]}\n",
              "m.yaml", NULL);
    assert_string_equal(c.said,
                        "m.yaml:6:35: warning: output time 1.5 lies outside the run from 0 to 1\n"
                        "    simulate: {end: 1, output_times: [1.5, 0.5]}\n"
                        "                                      ^~~\n");
    assert_int_equal(c.status, TRM_OK);
    assert_int_equal(trm_model_schedule(c.model)->output_count, 1);
    assert_true(trm_model_schedule(c.model)->output_times[0] == 0.5);
    model_close(&c);
}

static void test_model_errors_negative_output_interval_is_refused(void **state)
{
    (void)state;
    assert_said("trammel: 1\n"
                "equations:\n"
                "  coordinates: {x: vx, y: vy}\n"
                "  mass: [1, 1]\n"
                "  force: [0, 0]\n"
                "simulate: {end: 1, output_interval: -1}\n",
                "m.yaml:6:37: error: the output interval must be positive, not -1\n"
                "    simulate: {end: 1, output_interval: -1}\n"
                "                                        ^~\n");
}

#define FREE_PLANE                                                                                 \
    "trammel: 1\n"                                                                                 \
    "equations:\n"                                                                                 \
    "  coordinates: {x: vx, y: vy}\n"                                                              \
    "  mass: [1, 1]\n"                                                                             \
    "  force: [0, 0]\n"

static void test_model_errors_tiny_output_interval_tells_rows_and_bytes(void **state)
{
    (void)state;
    // channels: x, y, vx, vy, their accelerations, time, 3 energies, 2 residuals: 96 bytes a row
    assert_said(FREE_PLANE "simulate: {end: 10, output_interval: 1e-12}\n",
                "m.yaml:6:38: error: 1e+13 rows of 12 channels are 9.6e+05 GB, more than the 10 GB "
                "of max_output; use an output_interval of 9.6e-08, or max_output: 9.6e+14 if so "
                "much is meant\n"
                "    simulate: {end: 10, output_interval: 1e-12}\n"
                "                                         ^~~~~\n");
    assert_said(FREE_PLANE "simulate: {end: 1e9, output_interval: 1e-12}\n",
                "m.yaml:6:39: error: an output interval of 1e-12 cannot be resolved at t = 1e+09, "
                "where numbers lie 2.2e-07 apart\n"
                "    simulate: {end: 1e9, output_interval: 1e-12}\n"
                "                                          ^~~~~\n");
}

static void test_model_errors_lifted_limit_accepts_rows(void **state)
{
    (void)state;
    model_case c;
    model_try(&c, FREE_PLANE "simulate: {end: 10, output_interval: 1e-12, max_output: 9.6e14}\n",
              "m.yaml", NULL);
    assert_string_equal(c.said, ""); // 1e13 + 1 rows are 1e-13 more
    assert_int_equal(c.status, TRM_OK);
    model_close(&c);
    assert_said(FREE_PLANE "simulate: {end: 10, max_output: -1}\n",
                "m.yaml:6:33: error: max_output must be a positive number of bytes, not -1\n"
                "    simulate: {end: 10, max_output: -1}\n"
                "                                    ^~\n");
}

static void test_model_errors_unit_of_nothing_is_refused(void **state)
{
    (void)state;
    assert_said("trammel: 1\n"
                "equations:\n"
                "  coordinates: {x: vx, y: vy}\n"
                "  mass: [1, 1]\n"
                "  force: [0, 0]\n"
                "simulate: {end: 1}\n"
                "units: {z: m}\n",
                "m.yaml:7:9: error: there is nothing called 'z' that could have a unit\n"
                "    units: {z: m}\n"
                "            ^\n");
}

// A place without coordinates has no output: its unit is that of nothing. (It had a name of NULL.)
static void test_model_errors_drawing_with_too_few_coordinates_is_refused(void **state)
{
    (void)state;
    model_case c;
    model_try(&c,
              "trammel: 1\n"
              "equations: {coordinates: {x: v, y: w}, mass: [1, 1], force: [0, 0]}\n"
              "simulate: {end: 1}\n"
              "outputs: {height: \"2*y\"}\n"
              "draw: {arm: {line: [[0, 0], [x y]]}}\n"
              "units: {height: m}\n",
              "m.yaml", NULL);
    assert_int_not_equal(c.status, TRM_OK);
    assert_contains(c.said, "m.yaml:5:29: error: a place of drawing 'arm' has 1 coordinates: all "
                            "places have two, or all three");
    model_close(&c);
}

static void test_model_errors_event_without_when_is_refused(void **state)
{
    (void)state;
    assert_said("trammel: 1\n"
                "equations:\n"
                "  coordinates: {x: vx, y: vy}\n"
                "  mass: [1, 1]\n"
                "  force: [0, 0]\n"
                "simulate: {end: 1}\n"
                "events: {hit: {action: stop}}\n",
                "m.yaml:7:10: error: the key 'when' is missing: formula that crosses zero\n"
                "    events: {hit: {action: stop}}\n"
                "             ^~~\n");
}

static void test_model_errors_event_sets_position_is_refused(void **state)
{
    (void)state;
    assert_said(
        "trammel: 1\n"
        "equations:\n"
        "  coordinates: {x: vx, y: vy}\n"
        "  mass: [1, 1]\n"
        "  force: [0, 0]\n"
        "simulate: {end: 1}\n"
        "events: {hit: {when: \"x\", set: {y: 0}}}\n",
        "m.yaml:7:33: error: 'y' is a position; an event sets velocities, states or parameters\n"
        "    events: {hit: {when: \"x\", set: {y: 0}}}\n"
        "                                    ^\n");
}

static void test_model_errors_initial_value_of_nothing_names_the_nearest(void **state)
{
    (void)state;
    assert_said("trammel: 1\n"
                "equations:\n"
                "  coordinates: {x: vx, y: vy}\n"
                "  mass: [1, 1]\n"
                "  force: [0, 0]\n"
                "simulate: {end: 1}\n"
                "initial: {values: {xv: 1}}\n",
                "m.yaml:7:20: error: there is no unknown 'xv'; did you mean 'vx'?\n"
                "    initial: {values: {xv: 1}}\n"
                "                       ^~\n");
}

static void test_model_errors_initial_value_of_parameter_is_refused(void **state)
{
    (void)state;
    assert_said("trammel: 1\n"
                "parameters: {k: 1}\n"
                "equations:\n"
                "  coordinates: {x: vx, y: vy}\n"
                "  mass: [1, 1]\n"
                "  force: [0, 0]\n"
                "initial: {values: {k: 2}}\n"
                "simulate: {end: \"k\"}\n",
                "m.yaml:7:20: error: 'k' is a parameter and has no initial value\n"
                "    initial: {values: {k: 2}}\n"
                "                       ^\n");
}

static void test_model_errors_acceleration_in_force_is_refused(void **state)
{
    (void)state;
    assert_said("trammel: 1\n"
                "equations:\n"
                "  coordinates: {x: vx, y: vy}\n"
                "  mass: [1, 1]\n"
                "  force: [\"a(x)\", 0]\n"
                "simulate: {end: 1}\n",
                "m.yaml:5:12: error: 'a(x)' is an acceleration; force may depend on t, positions, "
                "velocities, states, algebraic variables and multipliers only\n"
                "      force: [\"a(x)\", 0]\n"
                "               ^~~~\n");
}

static void test_model_errors_infinite_parameter_is_refused(void **state)
{
    (void)state;
    assert_said("trammel: 1\n"
                "parameters: {k: \"1/0\"}\n"
                "equations:\n"
                "  coordinates: {x: vx, y: vy}\n"
                "  mass: [1, 1]\n"
                "  force: [0, 0]\n"
                "simulate: {end: 1}\n",
                "m.yaml:2:17: error: parameter 'k' is inf: division of 1 by 0\n"
                "    parameters: {k: \"1/0\"}\n"
                "                    ^~~~~\n");
}

static void test_model_errors_list_for_simulate_is_refused(void **state)
{
    (void)state;
    assert_said("trammel: 1\n"
                "equations:\n"
                "  coordinates: {x: vx, y: vy}\n"
                "  mass: [1, 1]\n"
                "  force: [0, 0]\n"
                "simulate: [1]\n",
                "m.yaml:6:11: error: 'simulate' must be a map, not a list\n"
                "    simulate: [1]\n"
                "              ^\n");
}

static void test_model_errors_options_that_contradict_are_refused(void **state)
{
    (void)state;
    assert_said("trammel: 1\n"
                "equations:\n"
                "  coordinates: {x: vx, y: vy}\n"
                "  mass: [1, 1]\n"
                "  force: [0, 0]\n"
                "simulate: {end: 1, step: {min: 1, max: 0.1}}\n",
                "m.yaml:6:11: error: h_min = 1 exceeds h_max = 0.1\n"
                "    simulate: {end: 1, step: {min: 1, max: 0.1}}\n"
                "              ^\n");
}

static void test_model_errors_frozen_without_classic_is_refused(void **state)
{
    (void)state;
    assert_said("trammel: 1\n"
                "equations:\n"
                "  coordinates: {x: vx, y: vy}\n"
                "  mass: [1, 1]\n"
                "  force: [0, 0]\n"
                "simulate: {end: 1, formulation: cm-frozen}\n",
                "m.yaml:6:33: error: formulation = cm-frozen does not go with integrator auto: "
                "cm-frozen keeps the direction of an old matrix, which only control = classic has; "
                "set control = classic, or use formulation cs\n"
                "    simulate: {end: 1, formulation: cm-frozen}\n"
                "                                    ^~~~~~~~~\n");
}

static void test_model_errors_number_out_of_range_is_reported_once(void **state)
{
    (void)state;
    assert_said("trammel: 1\n"
                "equations:\n"
                "  coordinates: {x: vx, y: vy}\n"
                "  mass: [1, 1]\n"
                "  force: [0, 0]\n"
                "simulate: {end: 1, max_order: 19, step: {initial: \"0 - 1\"}}\n",
                "m.yaml:6:31: error: 'max_order' must be from 0 to 13, not 19\n"
                "    simulate: {end: 1, max_order: 19, step: {initial: \"0 - 1\"}}\n"
                "                                  ^~\n"
                "m.yaml:6:51: error: h_initial = '-1' is not a number in [0, inf]\n"
                "    simulate: {end: 1, max_order: 19, step: {initial: \"0 - 1\"}}\n"
                "                                                      ^~~~~~~\n");
}

static void test_model_errors_tolerance_of_nothing_is_refused(void **state)
{
    (void)state;
    assert_said("trammel: 1\n"
                "equations:\n"
                "  coordinates: {x: vx, y: vy}\n"
                "  mass: [1, 1]\n"
                "  force: [0, 0]\n"
                "simulate: {end: 1, tolerance: {relative: 1e-5, absolute: {z: 1, x: 0}}}\n",
                "m.yaml:6:68: error: 'x' must be from 1e-16 to 1e+06, not 0\n"
                "    simulate: {end: 1, tolerance: {relative: 1e-5, absolute: {z: 1, x: 0}}}\n"
                "                                                                       ^\n"
                "m.yaml:6:59: error: 'z' is not a position, velocity, state or algebraic variable\n"
                "    simulate: {end: 1, tolerance: {relative: 1e-5, absolute: {z: 1, x: 0}}}\n"
                "                                                              ^\n");
}

static void test_model_errors_several_errors_are_all_reported_in_order(void **state)
{
    (void)state;
    assert_said("trammel: 1\n"
                "parameters: {k: \"2*\"}\n"
                "equations:\n"
                "  define: {pull: \"k*z\"}\n"
                "  coordinates: {x: vx, y: vy}\n"
                "  mass: [1]\n"
                "  force: [\"pull\", \"qq\"]\n"
                "  constraints: {rod: \"x^2 + vy\"}\n"
                "initial: {values: {u: 1}}\n"
                "simulate: {end: -1}\n"
                "units: {w: m}\n",
                "m.yaml:2:20: error: the formula ends where a number, a name or '(' is expected\n"
                "    parameters: {k: \"2*\"}\n"
                "                       ^\n"
                "m.yaml:4:21: error: 'z' is not defined\n"
                "      define: {pull: \"k*z\"}\n"
                "                        ^\n"
                "m.yaml:6:9: error: mass has 1 entry; it needs 2, one for each coordinate\n"
                "      mass: [1]\n"
                "            ^\n"
                "m.yaml:7:20: error: 'qq' is not defined\n"
                "      force: [\"pull\", \"qq\"]\n"
                "                       ^~\n"
                "m.yaml:8:29: error: 'vy' is a velocity; constraint 'rod' may depend on t, "
                "positions and algebraic variables only\n"
                "      constraints: {rod: \"x^2 + vy\"}\n"
                "                                ^~\n"
                "m.yaml:9:20: error: there is no unknown 'u'\n"
                "    initial: {values: {u: 1}}\n"
                "                       ^\n"
                "m.yaml:10:17: error: the run ends at -1, before its start at 0\n"
                "    simulate: {end: -1}\n"
                "                    ^~\n"
                "m.yaml:11:9: error: there is nothing called 'w' that could have a unit\n"
                "    units: {w: m}\n"
                "            ^\n");
}

// Whatever stands in place of a section is refused, and nothing is read from it.
static void test_model_errors_lists_for_sections_are_refused(void **state)
{
    (void)state;
    static const char *const sections[] = {"parameters",
                                           "units",
                                           "equations",
                                           "equations.define",
                                           "equations.inputs",
                                           "equations.coordinates",
                                           "equations.states",
                                           "equations.algebraic",
                                           "equations.constraints",
                                           "equations.velocity_constraints",
                                           "equations.energy",
                                           "initial",
                                           "initial.values",
                                           "simulate",
                                           "simulate.step",
                                           "simulate.newton",
                                           "simulate.jacobian",
                                           "outputs",
                                           "events",
                                           "events.hit",
                                           "events.hit.set"};
    static const char *const values[] = {"[1]", "[[1]]", "[{a: 1}]", "[null]", "text"};
    const char *text = "trammel: 1\n"
                       "equations: {coordinates: {x: v}, mass: [1], force: [0]}\n"
                       "simulate: {end: 1}\n"
                       "events: {hit: {when: \"x\"}}\n";
    for (size_t k = 0; k < sizeof sections / sizeof *sections; k++)
        for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
            char assignment[80], expected[80];
            snprintf(assignment, sizeof assignment, "%s=%s", sections[k], values[i]);
            const char *set[] = {assignment, NULL}, *dot = strrchr(sections[k], '.');
            snprintf(expected, sizeof expected, "'%s' must be a map, not",
                     dot ? dot + 1 : sections[k]);
            model_case c;
            model_try(&c, text, "m.yaml", set);
            if (c.status != TRM_ERR_MODEL || !strstr(c.said, expected))
                fail_msg("%s: %s", assignment, c.said);
        }
}

#define TABLE_HEAD                                                                                 \
    "trammel: 1\n"                                                                                 \
    "equations: {coordinates: {x: v}, mass: [1], force: [\"table(a, x)\"]}\n"                      \
    "simulate: {end: 1}\n"                                                                         \
    "tables:\n"

static void test_model_errors_tables_are_checked(void **state)
{
    (void)state;
    assert_said(TABLE_HEAD "  a: [[0, 1], [1, 2], [1, 3]]\n",
                "m.yaml:5:23: error: the table must ascend: 1 comes after 1\n"
                "      a: [[0, 1], [1, 2], [1, 3]]\n"
                "                          ^\n");
    assert_said(TABLE_HEAD "  a: [[0, 1]]\n",
                "m.yaml:5:3: error: table 'a' has 1 point; it needs at least two\n"
                "      a: [[0, 1]]\n"
                "      ^\n");
    assert_said(TABLE_HEAD "  a: [[0, 1], [1, 2, 3]]\n",
                "m.yaml:5:15: error: a point of a table is a pair [x, y]\n"
                "      a: [[0, 1], [1, 2, 3]]\n"
                "                  ^\n");
    assert_said(TABLE_HEAD "  a: {points: [[0, 1], [1, 2]], beyond: repeat}\n",
                "m.yaml:5:3: error: table 'a' repeats, but ends with 2 where it begins with 1\n"
                "      a: {points: [[0, 1], [1, 2]], beyond: repeat}\n"
                "      ^\n");
    assert_said(TABLE_HEAD "  a: {interpolation: spline}\n",
                "m.yaml:5:3: error: table 'a' needs 'points' or 'file'\n"
                "      a: {interpolation: spline}\n"
                "      ^\n");
    assert_said(TABLE_HEAD "  a: {points: [[0, 1], [1, 2]], file: none.csv}\n",
                "m.yaml:5:33: error: 'file' beside 'points': exactly one is accepted\n"
                "      a: {points: [[0, 1], [1, 2]], file: none.csv}\n"
                "                                    ^~~~\n");
    assert_said(TABLE_HEAD "  a: {points: [[0, 1], [1, 2]], interpolation: cubic}\n",
                "m.yaml:5:48: error: 'interpolation' cannot be 'cubic'; it is one of linear, "
                "monotone, spline\n"
                "      a: {points: [[0, 1], [1, 2]], interpolation: cubic}\n"
                "                                                   ^~~~~\n");
    assert_said(TABLE_HEAD "  a: {file: no/such.csv}\n",
                "m.yaml:5:13: error: cannot read 'no/such.csv': No such file or directory\n"
                "      a: {file: no/such.csv}\n"
                "                ^~~~~~~~~~~\n");
}

static void assert_formula_said(const char *formula, const char *error, const char *caret)
{
    char text[1000], expected[1000];
    snprintf(text, sizeof text,
             "trammel: 1\n"
             "tables: {lift: [[0, 1], [1, 2]]}\n"
             "equations: {coordinates: {x: v}, mass: [1], force: [\"%s\"]}\n"
             "simulate: {end: 1}\n",
             formula);
    snprintf(expected, sizeof expected,
             "m.yaml:3:%d: error: %s\n"
             "    equations: {coordinates: {x: v}, mass: [1], force: [\"%s\"]}\n"
             "    %52s%s\n",
             53 + (int)strspn(caret, " "), error, formula, "  ", caret);
    assert_said(text, expected);
}

static void test_model_errors_uses_of_tables_are_checked(void **state)
{
    (void)state;
    assert_formula_said(
        "table(lift)", "'table' takes the name of a table and a formula: table(NAME, x)", " ^~~~~");
    assert_formula_said("table(lyft, x)", "there is no table 'lyft'; did you mean 'lift'?",
                        "       ^~~~");
    assert_formula_said("table(x, lift)", "there is no table 'x'", "       ^");
    assert_formula_said("table(lift, x, 2)", "'table' takes 2 arguments", " ^~~~~");
    assert_formula_said("integral(lift, 2*y)", "'y' is not defined", "                  ^");
    assert_formula_said("1 + table(lift, x", "missing ')' for the '(' at column 10",
                        "                  ^");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_model_errors_tables_are_checked),
        cmocka_unit_test(test_model_errors_uses_of_tables_are_checked),
        cmocka_unit_test(test_model_errors_lists_for_sections_are_refused),
        cmocka_unit_test(test_model_errors_misspelt_key_names_the_nearest),
        cmocka_unit_test(test_model_errors_missing_parenthesis_points_at_the_end),
        cmocka_unit_test(test_model_errors_wrong_length_counts_entries),
        cmocka_unit_test(test_model_errors_undefined_name_names_the_nearest),
        cmocka_unit_test(test_model_errors_cycle_shows_both_names),
        cmocka_unit_test(test_model_errors_own_definition_is_refused),
        cmocka_unit_test(test_model_errors_later_definition_names_its_line),
        cmocka_unit_test(test_model_errors_name_twice_names_both),
        cmocka_unit_test(test_model_errors_velocity_name_twice_points_at_the_velocity),
        cmocka_unit_test(test_model_errors_reserved_name_is_refused),
        cmocka_unit_test(test_model_errors_mass_of_velocity_says_what_is_allowed),
        cmocka_unit_test(test_model_errors_mass_of_hidden_velocity_says_what_the_definition_uses),
        cmocka_unit_test(test_model_errors_rates_are_those_of_inputs),
        cmocka_unit_test(test_model_errors_constraint_of_velocity_says_what_is_allowed),
        cmocka_unit_test(test_model_errors_asymmetric_mass_names_the_entries),
        cmocka_unit_test(test_model_errors_ragged_mass_names_the_row),
        cmocka_unit_test(test_model_errors_nonlinear_velocity_constraint_names_the_velocity),
        cmocka_unit_test(test_model_errors_constraint_over_velocities_names_the_equation),
        cmocka_unit_test(test_model_errors_missing_end_is_asked_for),
        cmocka_unit_test(test_model_errors_end_before_start_gives_both),
        cmocka_unit_test(test_model_errors_output_time_outside_is_left_out),
        cmocka_unit_test(test_model_errors_negative_output_interval_is_refused),
        cmocka_unit_test(test_model_errors_tiny_output_interval_tells_rows_and_bytes),
        cmocka_unit_test(test_model_errors_lifted_limit_accepts_rows),
        cmocka_unit_test(test_model_errors_unit_of_nothing_is_refused),
        cmocka_unit_test(test_model_errors_drawing_with_too_few_coordinates_is_refused),
        cmocka_unit_test(test_model_errors_event_without_when_is_refused),
        cmocka_unit_test(test_model_errors_event_sets_position_is_refused),
        cmocka_unit_test(test_model_errors_initial_value_of_nothing_names_the_nearest),
        cmocka_unit_test(test_model_errors_initial_value_of_parameter_is_refused),
        cmocka_unit_test(test_model_errors_acceleration_in_force_is_refused),
        cmocka_unit_test(test_model_errors_infinite_parameter_is_refused),
        cmocka_unit_test(test_model_errors_list_for_simulate_is_refused),
        cmocka_unit_test(test_model_errors_options_that_contradict_are_refused),
        cmocka_unit_test(test_model_errors_frozen_without_classic_is_refused),
        cmocka_unit_test(test_model_errors_number_out_of_range_is_reported_once),
        cmocka_unit_test(test_model_errors_tolerance_of_nothing_is_refused),
        cmocka_unit_test(test_model_errors_several_errors_are_all_reported_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
