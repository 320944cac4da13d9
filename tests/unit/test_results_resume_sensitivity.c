// SPDX-License-Identifier: Apache-2.0
// Runs with sensitivities that go on from a checkpoint: with the same parameters every number is
// that of a run that was never stopped; with others, more or none it is refused, with the advice
// that leads on.
#define _POSIX_C_SOURCE 200809L
#include "program/run/run.h"
#include "trammel/sensitivity.h"
#include "unit/results.h"

#include <string.h>

static const char text[] = "trammel: 1\n"
                           "parameters: {l: 1.2, c: 0.1, mass: 2}\n"
                           "equations:\n"
                           "  coordinates: {phi: omega}\n"
                           "  mass: [\"mass*l^2\"]\n"
                           "  force: [\"-9.81*mass*l*sin(phi) - c*omega\"]\n"
                           "initial: {values: {phi: 1}}\n"
                           "simulate: {end: 2, integrator: bdf, output_interval: 0.1}\n";

// names of parameters, ended by NULL
typedef const char *const names[4];

// A run to `end` with the sensitivities by these parameters and the files NAME.*; where words are
// given it is refused with them, text before advice.
static void run_to(double end, void **state, const char *name, const char *const *by, bool resume,
                   const char *words, const char *advice)
{
    char to[60], table[600], checkpoint[600];
    const char *const set[] = {to, NULL}, *folder = ((test_folder *)*state)->path;
    snprintf(to, sizeof to, "simulate.end=%g", end);
    snprintf(table, sizeof table, "%s/%s.csv", folder, name);
    snprintf(checkpoint, sizeof checkpoint, "%s/%s.checkpoint", folder, name);
    const trm_load load = {.set = set, .vary = by, .sensitive = by != NULL};
    trm_error error;
    trm_model *model;
    trm_neighbours *neighbours = NULL;
    assert_done(trm_model_read(&model, text, strlen(text), "run.yaml", &load, &error), &error);
    if (by)
        assert_done(trm_neighbours_create(&neighbours, model, NULL, &error), &error);
    const trmi_run_request request = {.model = model,
                                      .neighbours = neighbours,
                                      .write = {false, true},
                                      .path = {NULL, table},
                                      .checkpoint = checkpoint,
                                      .resume = resume ? checkpoint : NULL};
    trmi_run *run = trmi_run_create(&request);
    assert_non_null(run);
    trmi_run_go(run);
    if (words) {
        assert_int_equal(run->outcome, TRMI_RUN_FAILED);
        assert_contains(run->error.text, words);
        assert_contains(run->error.advice, advice);
    } else if (run->outcome != TRMI_RUN_DONE) {
        fail_msg("%s: %s", name, run->error.text);
    }
    trmi_run_destroy(run);
    trm_neighbours_destroy(neighbours);
    trm_model_destroy(model);
}

static void assert_same_tables(void **state, const char *a, const char *b)
{
    char lines[2][2000];
    const char *const name[] = {a, b};
    FILE *file[2];
    for (int k = 0; k < 2; k++) {
        file[k] = fopen(in_folder(state, name[k]), "r");
        assert_non_null(file[k]);
    }
    int count = 0;
    for (; fgets(lines[0], sizeof lines[0], file[0]); count++) {
        assert_non_null(fgets(lines[1], sizeof lines[1], file[1]));
        assert_string_equal(lines[0], lines[1]);
    }
    assert_null(fgets(lines[1], sizeof lines[1], file[1]));
    assert_int_equal(count, 22); // the header and the rows from 0 to 2 by 0.1
    fclose(file[0]);
    fclose(file[1]);
}

static void test_resume_sensitivities_are_those_of_one_run(void **state)
{
    static const names one = {"l"}, two = {"l", "c"};
    run_to(2, state, "a", one, false, NULL, NULL);
    run_to(1, state, "b", one, false, NULL, NULL);
    run_to(2, state, "b", one, true, NULL, NULL);
    assert_same_tables(state, "a.csv", "b.csv");
    run_to(2, state, "c", two, false, NULL, NULL);
    run_to(1, state, "d", two, false, NULL, NULL);
    run_to(2, state, "d", two, true, NULL, NULL);
    assert_same_tables(state, "c.csv", "d.csv");
}

static void test_resume_other_sensitivities_are_refused(void **state)
{
    static const names of_l = {"l"}, of_c = {"c"}, of_both = {"l", "c"}, of_mass = {"mass"},
                       turned = {"c", "l"};
    const char *other = "it has other sensitivities";
    run_to(1, state, "a", of_l, false, NULL, NULL);
    // names of the same length, of another one, more of them, none
    run_to(2, state, "a", of_c, true, other, "resume with --sensitivity l, as it was written");
    run_to(2, state, "a", of_mass, true, other, "--sensitivity l,");
    run_to(2, state, "a", of_both, true, other, "--sensitivity l,");
    run_to(2, state, "a", NULL, true, other, "--sensitivity l,");
    run_to(2, state, "a", of_l, true, NULL, NULL); // they have changed nothing
    run_to(1, state, "b", of_both, false, NULL, NULL);
    run_to(2, state, "b", turned, true, other, "--sensitivity l,c, as it was written");
}

static void test_resume_sensitivities_that_were_not_written_are_refused(void **state)
{
    static const names of_l = {"l"};
    run_to(1, state, "a", NULL, false, NULL, NULL);
    run_to(2, state, "a", of_l, true, "it has no sensitivities", "resume without --sensitivity");
    run_to(2, state, "a", NULL, true, NULL, NULL);
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_resume_sensitivities_are_those_of_one_run),
        IN_FOLDER(test_resume_other_sensitivities_are_refused),
        IN_FOLDER(test_resume_sensitivities_that_were_not_written_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
