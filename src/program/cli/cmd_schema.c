// SPDX-License-Identifier: Apache-2.0
// trammel schema: the table of the model file as JSON Schema, or as the manual.
#include "modelling/reader/keys/keys.h"
#include "program/cli/command.h"

static const trmi_flag flags[] = {
    {"markdown", '\0', NULL, "the reference manual of the model file instead"},
    {NULL, '\0', NULL, NULL},
};

static int run(const trmi_arguments *a)
{
    if (trmi_flag_value(a, "markdown"))
        trmi_keys_manual(stdout);
    else
        trmi_keys_schema(stdout);
    return TRMI_EXIT_DONE;
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
