// SPDX-License-Identifier: Apache-2.0
// The table of keys: consistent in itself, checked against documents, printed as schema and manual.
#define _POSIX_C_SOURCE 200809L
#include "unit/collected.h"

#include "modelling/multibody/forces/forces.h"
#include "modelling/multibody/joints/joints.h"
#include "modelling/reader/keys/keys.h"

// model-format.md, the example of the common part and that of equation models
static const char example[] =
    "trammel: 1                         # version of this format, required\n"
    "name: Point mass on a circle       # free text\n"
    "parameters:\n"
    "  eps: 1e-4\n"
    "  k: \"1/eps^2\"\n"
    "equations:\n"
    "  define:\n"
    "    l: \"sqrt((x - x0)^2 + (y - y0)^2)\"\n"
    "  inputs: {u: \"0.1*sin(2*pi*t)\"}\n"
    "  coordinates: {x: w, y: z}\n"
    "  mass: [1, 1]\n"
    "  force: [\"-x*k\", \"-(y + 1)*k - 1\"]\n"
    "  states: {s: \"w - s\"}\n"
    "  algebraic: {xi: \"xi^3 + xi - x\"}\n"
    "  constraints:\n"
    "    circle: \"(x^2 + y^2 - 1)/2\"\n"
    "  velocity_constraints: {}\n"
    "  energy: {potential: \"x^2*k/2\"}\n"
    "initial:\n"
    "  values: {x: 0, y: -1, w: 1}\n"
    "  consistent: project\n"
    "simulate:\n"
    "  start: 0\n"
    "  end: 0.25\n"
    "  integrator: bdf\n"
    "  formulation: cs\n"
    "  tolerance: 1e-3\n"
    "  max_order: 5\n"
    "  control: default\n"
    "  step: {initial: null, min: null, max: null, fixed: null}\n"
    "  rho: 0.8\n"
    "  newton: {tolerance: null, max_iterations: null}\n"
    "  jacobian: {source: auto, update: auto}\n"
    "  linear_solver: auto\n"
    "  output_times: [0.1, 0.2]\n"
    "  output_interval: null\n"
    "outputs:\n"
    "  height: \"y + 1\"\n";

// Checks the example after some --set, ended by NULL; must give exactly these diagnostics.
static void assert_set_gives(const char *const *set, const char *expected)
{
    collected c;
    read_text(&c, example);
    for (; *set; set++)
        trmi_document_set(c.document, *set);
    trmi_keys_check(c.document, &trmi_model_keys);
    assert_string_equal(c.text, expected);
    release(&c);
}

#define ASSERT_SET(assignment, expected)                                                           \
    assert_set_gives((const char *const[]){assignment, NULL}, expected)
#define ASSERT_ACCEPTED(assignment) ASSERT_SET(assignment, "")

static void assert_check_gives(const char *text, const char *expected)
{
    collected c;
    read_text(&c, text);
    assert_non_null(c.document);
    trmi_keys_check(c.document, &trmi_model_keys);
    assert_string_equal(c.text, expected);
    release(&c);
}

// ---- the table ----

// The tree of all keys, to be freed.
static trmi_key *build_tree(void)
{
    trmi_key *tree = calloc((size_t)trmi_keys_count(&trmi_model_keys), sizeof *tree);
    assert_non_null(tree);
    assert_ptr_equal(trmi_keys_build(&trmi_model_keys, tree), tree);
    return tree;
}

// The key of a path of the tree, NULL when there is none.
static const trmi_key *find(const trmi_key *tree, const char *path)
{
    char text[200], *part = text;
    snprintf(text, sizeof text, "%s.", path);
    for (char *dot; tree && (dot = strchr(part, '.')); part = dot + 1) {
        *dot = '\0';
        tree = trmi_key_find(tree, part);
    }
    return tree;
}

static void test_keys_table_is_consistent(void **state)
{
    (void)state;
    trmi_key *tree = build_tree();
    for (int k = 1; k < trmi_keys_count(&trmi_model_keys); k++) {
        const trmi_key *key = &tree[k];
        char buffer[40];
        const char *name = trmi_key_name(key),
                   *preset = trmi_key_preset(key, buffer, sizeof buffer);
        bool free_name = strcmp(name, "*") == 0;
        assert_ptr_equal(trmi_key_find(key->up, free_name ? "no such key" : name), key);
        assert_true(trmi_key_help(key)[0] != '\0');
        if (key->option)
            assert_non_null(trmi_key_option(key)); // the option exists
        if (key->kind == TRMI_KEY_SECTION)
            assert_true(key->below && !preset);
        if (key->kind == TRMI_KEY_CHOICE) {
            const char *const *choices = trmi_key_choices(key);
            bool among = !preset || strcmp(preset, "null") == 0;
            for (int i = 0; choices[i]; i++)
                among = among || strcmp(choices[i], preset) == 0;
            assert_true(among);
        }
    }
    assert_null(trmi_key_row(-1));
    free(tree);
}

// every type of joint and force has its parameters below it, in their order
static void test_keys_of_types_are_their_parameters(void **state)
{
    (void)state;
    trmi_key *tree = build_tree();
    for (int k = 0; trmi_joint_type_at(k); k++) {
        const trmi_joint_type *type = trmi_joint_type_at(k);
        const trmi_key *key = trmi_key_find(find(tree, "mechanism.joints.j"), type->name)->below;
        for (int i = 0; type->parameter[i]; i++, key = key->next)
            assert_string_equal(key->path, type->parameter[i]->key);
        assert_null(key);
    }
    for (int k = 0; trmi_force_type_at(k); k++) {
        const trmi_force_type *type = trmi_force_type_at(k);
        const trmi_key *key = trmi_key_find(find(tree, "mechanism.forces.f"), type->name)->below;
        for (int i = 0; type->parameter[i]; i++, key = key->next)
            assert_string_equal(key->path, type->parameter[i]->key);
        assert_null(key);
    }
    free(tree);
}

static void test_keys_every_option_has_a_key(void **state)
{
    (void)state;
    for (int i = 0; trm_option(i); i++) {
        bool found = false;
        for (int k = 0; trmi_key_row(k); k++)
            found = found || trmi_key_option(trmi_key_row(k)) == trm_option(i);
        if (!found)
            fail_msg("no key sets the option %s", trm_option(i)->name);
    }
}

static void test_keys_choices_contain_those_of_the_option(void **state)
{
    (void)state;
    for (int k = 0; trmi_key_row(k); k++) {
        const trmi_key *row = trmi_key_row(k);
        const trm_option_info *option = trmi_key_option(row);
        for (int i = 0; option && option->choices && option->choices[i]; i++) {
            bool found = false;
            for (int j = 0; trmi_key_choices(row)[j]; j++)
                found = found || strcmp(trmi_key_choices(row)[j], option->choices[i]) == 0;
            assert_true(found);
        }
    }
}

static void test_keys_find_knows_fixed_and_free_names(void **state)
{
    (void)state;
    trmi_key *tree = build_tree();
    assert_string_equal(find(tree, "simulate")->path, "simulate");
    assert_string_equal(find(tree, "parameters.k")->path, "parameters.*");
    assert_string_equal(find(tree, "problem.name")->path, "problem.name");
    assert_string_equal(find(tree, "problem.links")->path, "problem.*");
    assert_string_equal(find(tree, "events.floor.when")->path, "events.*.when");
    assert_string_equal(find(tree, "mechanism.joints.j.revolute.at.body")->path, "body");
    assert_null(find(tree, "simulat"));
    assert_null(trmi_key_find(tree, "simulate.end")); // dots are not a way down
    assert_null(find(tree, "simulate.*"));
    free(tree);
}

static void test_keys_presets_come_from_options(void **state)
{
    (void)state;
    char buffer[40];
    trmi_key *tree = build_tree();
    const trmi_key *row = find(tree, "simulate.tolerance.relative");
    assert_string_equal(trmi_key_preset(row, buffer, sizeof buffer), "1e-06"); // TRM_OPTION_LIST
    assert_string_equal(trmi_key_help(row), "relative tolerance");
    row = find(tree, "simulate.formulation");
    assert_string_equal(trmi_key_preset(row, buffer, sizeof buffer), "cs");
    row = find(tree, "simulate.step.max"); // infinite
    assert_string_equal(trmi_key_preset(row, buffer, sizeof buffer), "null");
    assert_null(trmi_key_preset(find(tree, "simulate.end"), buffer, sizeof buffer));
    free(tree);
}

// ---- accepted ----

static void test_keys_examples_of_the_format_pass(void **state)
{
    (void)state;
    assert_check_gives(example, "");
    assert_check_gives("trammel: 1\nproblem: {name: pendulum-chain, links: 16}\n", "");
    assert_check_gives("trammel: 1\nproblem: {library: ./mine.so, x: {y: [1]}}\n", "");
    assert_check_gives("trammel: 1\nmechanism:\n  gravity: [0, -9.81, 0]\n  bodies:\n"
                       "    crank: {mass: 0.36, center: [0.075, 0, 0], inertia: {zz: 0.002727}}\n"
                       "  joints:\n    pivot: {revolute: {between: [ground, crank], at: [0, 0, 0], "
                       "axis: z}, start: {angle: 0, rate: 150}}\n  forces:\n    mount: {bushing: "
                       "{between: [crank, ground], at: [0.1, 0, 0], stiffness: [1e6, 1e6, 1e5], "
                       "damping: [10, 10, 10]}}\n",
                       "");
    assert_check_gives("{\"trammel\": 1, \"problem\": {\"name\": \"andrews\"}}", "");
}

static void test_keys_other_forms_pass(void **state)
{
    (void)state;
    ASSERT_ACCEPTED("simulate.tolerance={relative: 1e-6, absolute: 1e-9}");
    ASSERT_ACCEPTED("simulate.tolerance={absolute: {x: 1e-9, y: \"eps/10\"}}");
    ASSERT_ACCEPTED("simulate.tolerance=\"eps/10\"");
    ASSERT_ACCEPTED("simulate.output_interval=steps");
    ASSERT_ACCEPTED("simulate.output_interval=0.01");
    ASSERT_ACCEPTED("simulate.end=2*pi");
    ASSERT_ACCEPTED("simulate.formulation=index1-projected");
    ASSERT_ACCEPTED("equations.mass=[[1, 0], [0, x]]");
    ASSERT_ACCEPTED("equations.states=");
    ASSERT_ACCEPTED("units={x: m, w: m/s, n: 1}");
    ASSERT_ACCEPTED("events.floor={when: y, direction: falling, action: restart, "
                    "set: {z: -0.8*z}, log: bounce}");
    ASSERT_ACCEPTED("events.floor.when=y - 1");
}

// ---- refused ----

static void test_keys_unknown_key_names_the_nearest(void **state)
{
    (void)state;
    assert_check_gives("trammel: 1\nproblem: {name: x}\nsimulat:\n  end: 1\n",
                       "m.yaml:3:1: error: unknown key 'simulat'; did you mean 'simulate'?\n"
                       "    simulat:\n"
                       "    ^~~~~~~\n");
    assert_check_gives("trammel: 1\nproblem: {name: x}\nevents: {floor: {when: y, actoin: stop}}\n",
                       "m.yaml:3:27: error: unknown key 'actoin'; did you mean 'action'?\n"
                       "    events: {floor: {when: y, actoin: stop}}\n"
                       "                              ^~~~~~\n");
    ASSERT_SET("simulate.stpe.min=1",
               "--set simulate.stpe.min=1: error: unknown key 'stpe'; did you mean 'step'?\n");
}

static void test_keys_unknown_key_lists_the_valid_ones(void **state)
{
    (void)state;
    assert_check_gives("trammel: 1\nproblem: {name: x}\nsimulate: {newton: {foobar: 1}}\n",
                       "m.yaml:3:21: error: unknown key 'foobar'; valid here: tolerance, "
                       "max_iterations\n"
                       "    simulate: {newton: {foobar: 1}}\n"
                       "                        ^~~~~~\n");
}

static void test_keys_wrong_kind_says_both(void **state)
{
    (void)state;
    assert_check_gives("trammel: 1\nproblem: {name: x}\nsimulate:\n  end: [1, 2]\n",
                       "m.yaml:4:8: error: 'end' must be a number or a formula, not a list\n"
                       "      end: [1, 2]\n"
                       "           ^\n");
    ASSERT_SET("simulate=3", "--set simulate=3:1:1: error: 'simulate' must be a map, not '3'\n"
                             "    3\n"
                             "    ^\n");
    ASSERT_SET("simulate.tolerance=[1]",
               "--set simulate.tolerance=[1]:1:1: error: 'tolerance' must be a number or a "
               "formula, or a map, not a list\n"
               "    [1]\n"
               "    ^\n");
    ASSERT_SET("simulate.output_interval={}",
               "--set simulate.output_interval={}:1:1: error: 'output_interval' must be a number "
               "or a formula, or the word steps, not a map\n"
               "    {}\n"
               "    ^\n");
    ASSERT_SET("simulate.control=[]",
               "--set simulate.control=[]:1:1: error: 'control' must be one of default, classic, "
               "not a list\n"
               "    []\n"
               "    ^\n");
    ASSERT_SET("name={a: b}", "--set name={a: b}:1:1: error: 'name' must be a text, not a map\n"
                              "    {a: b}\n"
                              "    ^\n");
    ASSERT_SET("simulate.max_order=2.5",
               "--set simulate.max_order=2.5:1:1: error: 'max_order' must be a whole number, not "
               "'2.5'\n"
               "    2.5\n"
               "    ^~~\n");
    ASSERT_SET("equations.coordinates.x=2w",
               "--set equations.coordinates.x=2w:1:1: error: 'x' must be a name of letters, digits "
               "and _, not '2w'\n"
               "    2w\n"
               "    ^~\n");
}

static void test_keys_wrong_elements_are_counted(void **state)
{
    (void)state;
    ASSERT_SET("simulate.output_times=[1, {}, nan]",
               "--set simulate.output_times=[1, {}, nan]:1:5: error: element 2 of 'output_times' "
               "must be a number or a formula, not a map\n"
               "    [1, {}, nan]\n"
               "        ^\n"
               "--set simulate.output_times=[1, {}, nan]:1:9: error: element 3 of 'output_times' "
               "must be a number or a formula, not 'nan'; numbers are decimal, such as 16 or "
               "1.5e-3\n"
               "    [1, {}, nan]\n"
               "            ^~~\n");
    ASSERT_SET("equations.mass=[[1, [2]], 1]",
               "--set equations.mass=[[1, [2]], 1]:1:6: error: element 2 of element 1 of 'mass' "
               "must be a formula or a number, not a list\n"
               "    [[1, [2]], 1]\n"
               "         ^\n");
    ASSERT_SET("equations.force=[1, ~]",
               "--set equations.force=[1, ~]:1:5: error: element 2 of 'force' must be a formula or "
               "a number, not nothing\n"
               "    [1, ~]\n"
               "        ^\n");
    ASSERT_SET("equations.mass=1",
               "--set equations.mass=1:1:1: error: 'mass' must be a list of formulas or a list of "
               "lists of formulas, not '1'\n"
               "    1\n"
               "    ^\n");
}

static void test_keys_foreign_numbers_are_refused(void **state)
{
    (void)state;
    const char *const foreign[] = {"0x10", "0b1",   "0o7", "1_000", "nan", ".nan", "NaN",  "inf",
                                   ".inf", "-.Inf", "yes", "no",    "on",  "off",  "true", "False"};
    for (size_t k = 0; k < sizeof foreign / sizeof *foreign; k++) {
        collected c;
        char assignment[100], expected[200];
        snprintf(assignment, sizeof assignment, "simulate.end=%s", foreign[k]);
        snprintf(expected, sizeof expected,
                 ":1:1: error: 'end' must be a number or a formula, not '%s'; numbers are decimal, "
                 "such as 16 or 1.5e-3\n",
                 foreign[k]);
        read_text(&c, example);
        trmi_document_set(c.document, assignment);
        trmi_keys_check(c.document, &trmi_model_keys);
        assert_contains(c.text, expected);
        assert_int_equal(c.count, 1);
        release(&c);
    }
    ASSERT_SET("simulate.end=1e999",
               "--set simulate.end=1e999:1:1: error: 'end' is a number that is too large or too "
               "long\n"
               "    1e999\n"
               "    ^~~~~\n");
    ASSERT_SET("simulate.end=''", "--set simulate.end='':1:1: error: 'end' is empty\n"
                                  "    ''\n"
                                  "    ^\n");
}

static void test_keys_ranges_are_those_of_the_options(void **state)
{
    (void)state;
    ASSERT_SET("simulate.max_order=14",
               "--set simulate.max_order=14:1:1: error: 'max_order' must be from 0 to 13, not 14\n"
               "    14\n"
               "    ^~\n");
    ASSERT_SET("simulate.tolerance={absolute: {x: -1}}",
               "--set simulate.tolerance={absolute: {x: -1}}:1:16: error: 'x' must be from 1e-16 "
               "to 1e+06, not -1\n"
               "    {absolute: {x: -1}}\n"
               "                   ^~\n");
    ASSERT_SET("simulate.step.fixed=-1",
               "--set simulate.step.fixed=-1:1:1: error: 'fixed' must be at least 0, not -1\n"
               "    -1\n"
               "    ^~\n");
}

static void test_keys_wrong_word_names_the_nearest(void **state)
{
    (void)state;
    ASSERT_SET("simulate.integrator=bdff",
               "--set simulate.integrator=bdff:1:1: error: 'integrator' cannot be 'bdff'; did you "
               "mean 'bdf'?\n"
               "    bdff\n"
               "    ^~~~\n");
    ASSERT_SET("initial.consistent=whatever",
               "--set initial.consistent=whatever:1:1: error: 'consistent' cannot be 'whatever'; "
               "it is one of project, keep, raw\n"
               "    whatever\n"
               "    ^~~~~~~~\n");
}

static void test_keys_null_needs_a_default(void **state)
{
    (void)state;
    ASSERT_ACCEPTED("simulate.integrator=null");
    ASSERT_ACCEPTED("events=");
    assert_check_gives("trammel: 1\nproblem: {name: x}\nsimulate:\n  end:\n",
                       "m.yaml:4:3: error: 'end' has no value\n"
                       "      end:\n"
                       "      ^~~\n");
}

static void test_keys_version_is_required(void **state)
{
    (void)state;
    assert_check_gives("problem: {name: x}\n",
                       "m.yaml:1:1: error: the key 'trammel' is missing; add 'trammel: 1' (version "
                       "of this format)\n"
                       "    problem: {name: x}\n"
                       "    ^\n");
    assert_check_gives("trammel: 2\nproblem: {name: x}\n",
                       "m.yaml:1:10: error: 'trammel' must be 1, not '2': version of this format\n"
                       "    trammel: 2\n"
                       "             ^\n");
    assert_check_gives("tramel: 1\nproblem: {name: x}\n", // said once
                       "m.yaml:1:1: error: unknown key 'tramel'; did you mean 'trammel'?\n"
                       "    tramel: 1\n"
                       "    ^~~~~~\n");
}

static void test_keys_exactly_one_kind_of_model(void **state)
{
    (void)state;
    assert_check_gives("trammel: 1\n",
                       "m.yaml:1:1: error: none of the keys equations, mechanism, problem is "
                       "there; exactly one is needed\n"
                       "    trammel: 1\n"
                       "    ^\n");
    assert_check_gives("trammel: 1\nmechanism: {bodies: {}}\nproblem: {name: x}\n",
                       "m.yaml:3:1: error: 'problem' beside 'mechanism': exactly one of equations, "
                       "mechanism, problem is accepted\n"
                       "    problem: {name: x}\n"
                       "    ^~~~~~~\n");
    assert_check_gives("trammel: 1\nproblem: {links: 3}\n",
                       "m.yaml:2:1: error: none of the keys name, library is there; exactly one is "
                       "needed\n"
                       "    problem: {links: 3}\n"
                       "    ^~~~~~~\n");
}

static void test_keys_event_needs_a_formula(void **state)
{
    (void)state;
    assert_check_gives("trammel: 1\nproblem: {name: x}\nevents:\n  floor: {action: stop}\n",
                       "m.yaml:4:3: error: the key 'when' is missing: formula that crosses zero\n"
                       "      floor: {action: stop}\n"
                       "      ^~~~~\n");
}

static void test_keys_root_must_be_a_map(void **state)
{
    (void)state;
    assert_check_gives("- trammel: 1\n",
                       "m.yaml:1:1: error: a model is a map that begins with 'trammel: 1', not a "
                       "list\n"
                       "    - trammel: 1\n"
                       "    ^\n");
    assert_check_gives("trammel 1\n",
                       "m.yaml:1:1: error: a model is a map that begins with 'trammel: 1', not a "
                       "text\n"
                       "    trammel 1\n"
                       "    ^~~~~~~~~\n");
}

static void test_keys_all_errors_in_one_go(void **state)
{
    (void)state;
    collected c;
    read_text(&c, "trammel: 3\nname: []\nfoo: 1\nsimulate: {end: yes, tolerance: 7}\n");
    trmi_keys_check(c.document, &trmi_model_keys);
    assert_int_equal(c.count, 6); // version, name, foo, end, tolerance, no kind of model
    release(&c);
    char text[4000] = "trammel: 1\nproblem: {name: x}\n";
    for (int k = 0; k < 60; k++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "wrong%d: 1\n", k);
    read_text(&c, text);
    trmi_keys_check(c.document, &trmi_model_keys);
    assert_int_equal(c.count, TRMI_DOCUMENT_ERRORS + 1);
    assert_contains(c.text, "m.yaml: error: more than 50 errors; the rest is not shown\n");
    release(&c);
}

// ---- printed ----

static void test_keys_schema_accepts_the_example(void **state)
{
    (void)state;
    if (system("python3 -c 'import json' >/dev/null 2>&1") != 0)
        skip();
    FILE *checker = popen("python3 tests/unit/check_schema.py", "w");
    assert_non_null(checker);
    trmi_keys_schema(checker, &trmi_model_keys);
    assert_int_equal(pclose(checker), 0);
}

// the whole of what a printer writes
static void print_into(char *text, size_t size, bool (*print)(FILE *, const trmi_key_table *))
{
    FILE *file = tmpfile();
    assert_non_null(file);
    print(file, &trmi_model_keys);
    rewind(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    assert_true(feof(file));
    fclose(file);
}

static void test_keys_schema_is_read_by_our_reader(void **state)
{
    (void)state;
    static char text[400000];
    collected c;
    print_into(text, sizeof text, trmi_keys_schema);
    read_text(&c, text);
    assert_string_equal(c.text, "");
    const trmi_item *root = trmi_document_root(c.document);
    const char *order = "properties.simulate.properties.max_order.maximum";
    assert_string_equal(trmi_item_path(root, order)->text, "13"); // TRM_OPTION_LIST
    release(&c);
}

static void test_keys_manual_has_every_key(void **state)
{
    (void)state;
    static char text[400000];
    print_into(text, sizeof text, trmi_keys_manual);
    assert_contains(text, "# Keys of the model file\n");
    assert_contains(text,
                    "\n## simulate\n\n| key | value | default | meaning |\n|---|---|---|---|\n");
    assert_contains(text,
                    "| `simulate.step.max` | a number or a formula |  | largest step (s) |\n");
    assert_contains(text, "| `events.NAME.direction` | `both`, `rising`, `falling` | `both` | "
                          "crossings that count |\n");
    assert_contains(text, "| `trammel` | `1` | required | version of this format |\n");
    trmi_key *tree = build_tree();
    for (int k = 1; k < trmi_keys_count(&trmi_model_keys); k++)
        assert_contains(text, trmi_key_help(&tree[k]));
    free(tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys_table_is_consistent),
        cmocka_unit_test(test_keys_every_option_has_a_key),
        cmocka_unit_test(test_keys_choices_contain_those_of_the_option),
        cmocka_unit_test(test_keys_find_knows_fixed_and_free_names),
        cmocka_unit_test(test_keys_of_types_are_their_parameters),
        cmocka_unit_test(test_keys_presets_come_from_options),
        cmocka_unit_test(test_keys_examples_of_the_format_pass),
        cmocka_unit_test(test_keys_other_forms_pass),
        cmocka_unit_test(test_keys_unknown_key_names_the_nearest),
        cmocka_unit_test(test_keys_unknown_key_lists_the_valid_ones),
        cmocka_unit_test(test_keys_wrong_kind_says_both),
        cmocka_unit_test(test_keys_wrong_elements_are_counted),
        cmocka_unit_test(test_keys_foreign_numbers_are_refused),
        cmocka_unit_test(test_keys_ranges_are_those_of_the_options),
        cmocka_unit_test(test_keys_wrong_word_names_the_nearest),
        cmocka_unit_test(test_keys_null_needs_a_default),
        cmocka_unit_test(test_keys_version_is_required),
        cmocka_unit_test(test_keys_exactly_one_kind_of_model),
        cmocka_unit_test(test_keys_event_needs_a_formula),
        cmocka_unit_test(test_keys_root_must_be_a_map),
        cmocka_unit_test(test_keys_all_errors_in_one_go),
        cmocka_unit_test(test_keys_schema_accepts_the_example),
        cmocka_unit_test(test_keys_schema_is_read_by_our_reader),
        cmocka_unit_test(test_keys_manual_has_every_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
