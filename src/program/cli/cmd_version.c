// SPDX-License-Identifier: Apache-2.0
// trammel version
#include "program/cli/command.h"
#include "program/run/features.h"
#include "program/study/transport.h"
#include "trammel/version.h"

#include <stdio.h>

static const trmi_flag flags[] = {
    {"features", '\0', NULL, "the libraries inside, too", NULL},
    {NULL, '\0', NULL, NULL, NULL},
};

static int run(const trmi_arguments *a)
{
    trmi_print("trammel %s\n", trm_version());
    if (trmi_flag_value(a, "features")) {
        char text[200];
        trmi_print("%s\n", trmi_features_text(text, sizeof text, "\n"));
        trmi_print("mpi %s\n", trmi_transport_kinds()[0] ? trmi_transport_kinds() : "none");
    }
    return TRMI_EXIT_DONE;
}

const trmi_command trmi_cmd_version = {
    "version", "", 0, 0, "print the version", NULL, flags, run,
};
