// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "program/cli/report.h"
#include "base/error.h"
#include "problems/problems.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

trmi_console trmi_console_of(const trmi_arguments *a)
{
    const char *when = trmi_flag_value(a, "color"), *no_color = getenv("NO_COLOR");
    trmi_console console = {.level = 1 + trmi_flag_count(a, "verbose")};
    if (trmi_flag_value(a, "quiet"))
        console.level = 0;
    bool automatic = !when || strcmp(when, "auto") == 0;
    if (automatic)
        console.color = isatty(STDERR_FILENO) && !(no_color && no_color[0]);
    else
        console.color = strcmp(when, "always") == 0;
    return console;
}

trm_model *trmi_load_model(const trmi_arguments *a, const char *path, const trmi_console *console,
                           int *exit_code)
{
    const char *set[TRMI_MAX_ARGUMENTS];
    trmi_flag_values(a, "set", set, TRMI_MAX_ARGUMENTS);
    const trm_load load = {set, trmi_print_diagnostic, (void *)console, trp_problem_open};
    trm_model *model;
    trm_error error = trmi_no_error();
    trm_status status = trm_model_load(&model, path, &load, &error);
    if (status == TRM_OK)
        return model;
    *exit_code = status == TRM_ERR_MODEL     ? TRMI_EXIT_MODEL
                 : status == TRM_ERR_INITIAL ? TRMI_EXIT_INITIAL
                                             : TRMI_EXIT_FAILED;
    if (*exit_code == TRMI_EXIT_FAILED) // else the diagnostics have reported it
        trmi_print_error(console, path, &error);
    return NULL;
}
