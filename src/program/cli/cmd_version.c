// SPDX-License-Identifier: Apache-2.0
// trammel version
#include "program/cli/command.h"
#include "trammel/version.h"

#include <stdio.h>
#include <suitesparse/klu.h>
#include <yaml.h>

#include <hdf5.h>

static const trmi_flag flags[] = {
    {"features", '\0', NULL, "the libraries inside, too"},
    {NULL, '\0', NULL, NULL},
};

static int run(const trmi_arguments *a)
{
    trmi_print("trammel %s\n", trm_version());
    if (trmi_flag_value(a, "features")) {
        unsigned major, minor, release;
        H5get_libversion(&major, &minor, &release);
        trmi_print("hdf5 %u.%u.%u\nklu %d.%d.%d\nyaml %s\n", major, minor, release,
                   KLU_MAIN_VERSION, KLU_SUB_VERSION, KLU_SUBSUB_VERSION,
                   yaml_get_version_string());
    }
    return TRMI_EXIT_DONE;
}

const trmi_command trmi_cmd_version = {
    "version", "", 0, 0, "print the version", NULL, flags, run,
};
