// SPDX-License-Identifier: Apache-2.0
// trammel equilibrium: where a model stays at rest.
#include "program/cli/command.h"
#include "program/cli/equilibrium_report.h"
#include "program/cli/report.h"
#include "program/cli/rest.h"

#include <stdio.h>
#include <string.h>

static const trmi_flag flags[] = {
    {"set", 's', "PATH=VALUE", "override a key of the file", NULL},
    TRMI_FLAG_ALLOW_CODE,
    {"out", 'o', "FILE", "write the section `initial` of a run that starts there", NULL},
    {NULL, '\0', NULL, NULL, NULL},
};

static int report(const trmi_rest *rest, const char *out, const trmi_console *console)
{
    trmi_text text = {0};
    bool memory = console->level == 0 || trmi_rest_print(rest);
    if (out)
        trmi_rest_write(rest, &text);
    memory = memory && !text.failed;
    int code = memory ? TRMI_EXIT_DONE : TRMI_EXIT_FAILED;
    if (!memory)
        trmi_usage_error("no memory for the equilibrium");
    else if (out && !trmi_write_text(out, "the equilibrium", text.data))
        code = TRMI_EXIT_RESULTS;
    trmi_text_free(&text);
    return code;
}

static int run(const trmi_arguments *a)
{
    const trmi_console console = trmi_console_of(a);
    trmi_rest rest;
    int code = TRMI_EXIT_MODEL;
    if (trmi_rest_find(&rest, a, a->word[0], &console, &code))
        code = trmi_channels_are_named(rest.model)
                   ? report(&rest, trmi_flag_value(a, "out"), &console)
                   : TRMI_EXIT_FAILED;
    trmi_rest_release(&rest);
    return code;
}

const trmi_command trmi_cmd_equilibrium = {
    "equilibrium",
    "MODEL",
    1,
    1,
    "find where a model stays at rest or moves steadily, and whether it is stable",
    "From the start of the model, whose velocities are ignored, the forces lead downhill to an\n"
    "equilibrium; prescribed motions stand still. The section `equilibrium` of the file may hold\n"
    "coordinates, ask for a steady motion with the velocities of the start, or find parameters\n"
    "(--set 'equilibrium={speeds: start, hold: [x]}'). Prints positions, multipliers and\n"
    "reactions, and the directions in which nothing drives the model back. A start in an\n"
    "unstable equilibrium stays there; one on the way is left again. In a singular position the\n"
    "stability is not decided, which is reported. Exit code 1 when there is no equilibrium.",
    flags,
    run,
};
