// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"
#include <stddef.h>
static int run(const trmi_arguments *a)
{
    (void)a;
    return 0;
}
const trmi_command trmi_cmd_reproduce = {"reproduce", "[NAME]", 0, 1, "x", NULL, NULL, run};
