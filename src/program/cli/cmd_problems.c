// SPDX-License-Identifier: Apache-2.0
// trammel problems: the systems written in C.
#include "problems/problems.h"
#include "program/cli/command.h"

#include <stdio.h>

static int run(const trmi_arguments *a)
{
    const trp_problem_info *info;
    (void)a;
    for (int i = 0; (info = trp_problem_list(i)); i++) {
        trmi_print("%-20s %s\n", info->name, info->summary);
        for (const trm_problem_option *o = info->options; o && o->name; o++)
            trmi_print("    %-16s %.10g\n", o->name, o->value);
    }
    return TRMI_EXIT_DONE;
}

const trmi_command trmi_cmd_problems = {
    "problems",
    "",
    0,
    0,
    "list the built-in problems with their options and defaults",
    "A model file uses one by  problem: {name: NAME, OPTION: VALUE}.",
    NULL,
    run,
};
