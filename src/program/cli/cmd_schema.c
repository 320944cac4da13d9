// SPDX-License-Identifier: Apache-2.0
// trammel schema: the table of the model file as JSON Schema, or as the manual.
#include "modelling/reader/keys/keys.h"
#include "program/cli/command.h"

static const trmi_flag flags[] = {
    {"markdown", '\0', NULL, "the reference manual of the model file instead", NULL},
    {NULL, '\0', NULL, NULL, NULL},
};

static int run(const trmi_arguments *a)
{
    bool done =
        trmi_flag_value(a, "markdown") ? trmi_keys_manual(stdout) : trmi_keys_schema(stdout);
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
