// SPDX-License-Identifier: Apache-2.0
// trammel schema: the table of the model file as JSON Schema, or as the manual.
#include "modelling/reader/keys/keys.h"
#include "program/cli/command.h"
#include "program/optimize/optimize.h"
#include "program/study/study.h"

static const trmi_flag flags[] = {
    {"markdown", '\0', NULL, "the reference manual of the file instead", NULL},
    {"study", '\0', NULL, "of study files (trammel sweep) instead of model files", NULL},
    {"optimization", '\0', NULL, "of files of trammel optimize instead of model files", NULL},
    {NULL, '\0', NULL, NULL, NULL},
};

static int run(const trmi_arguments *a)
{
    const trmi_key_table *table = trmi_flag_value(a, "study")          ? &trmi_study_keys
                                  : trmi_flag_value(a, "optimization") ? &trmi_optimize_keys
                                                                       : &trmi_model_keys;
    bool done = trmi_flag_value(a, "markdown") ? trmi_keys_manual(stdout, table)
                                               : trmi_keys_schema(stdout, table);
    return done ? TRMI_EXIT_DONE : trmi_exit_with(TRMI_EXIT_FAILED, "no memory for the keys");
}

const trmi_command trmi_cmd_schema = {
    "schema",
    "",
    0,
    0,
    "print the JSON Schema of the model file",
    "Editors complete and check model files with it: save it as trammel.schema.json and begin\n"
    "the file with  # yaml-language-server: $schema=trammel.schema.json",
    flags,
    run,
};
