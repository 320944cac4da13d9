// SPDX-License-Identifier: Apache-2.0
// trammel help [COMMAND]
#include "program/cli/command.h"
#include "program/cli/man_page.h"
#include "program/cli/report.h"

#include <stddef.h>

static const trmi_flag flags[] = {
    {"man", '\0', "FOLDER", "write the manual pages of all commands into this folder", NULL},
    {NULL, '\0', NULL, NULL, NULL},
};

static int run(const trmi_arguments *a)
{
    const char *folder = trmi_flag_value(a, "man");
    if (folder)
        return trmi_man_pages_write(folder) ? TRMI_EXIT_DONE : TRMI_EXIT_RESULTS;
    const trmi_command *command = a->count > 0 ? trmi_command_find(a->word[0]) : NULL;
    if (a->count > 0 && !command)
        return trmi_exit_with(TRMI_EXIT_USAGE, "there is no command '%s' (trammel help lists them)",
                              a->word[0]);
    trmi_print_usage(command);
    return TRMI_EXIT_DONE;
}

const trmi_command trmi_cmd_help = {
    "help", "[COMMAND]", 0, 1, "list the commands, or print more about one", NULL, flags, run,
};
