// SPDX-License-Identifier: Apache-2.0
#include "program/run/features.h"

#include <stdio.h>
#include <suitesparse/klu.h>
#include <yaml.h>

#include <hdf5.h>
#ifdef TRM_NLOPT
#include <nlopt.h>
#endif

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "compiler unknown"
#endif

// " nlopt 2.7.1", or nothing
static void nlopt_text(char *text, size_t size, const char *between)
{
    text[0] = '\0';
#ifdef TRM_NLOPT
    int major, minor, bugfix;
    nlopt_version(&major, &minor, &bugfix);
    snprintf(text, size, "nlopt %d.%d.%d%s", major, minor, bugfix, between);
#else
    (void)size;
    (void)between;
#endif
}

const char *trmi_features_text(char *text, size_t size, const char *between)
{
    unsigned major = 0, minor = 0, release = 0;
    char nlopt[40];
    nlopt_text(nlopt, sizeof nlopt, between);
    H5get_libversion(&major, &minor, &release);
    snprintf(text, size, "hdf5 %u.%u.%u%sklu %d.%d.%d%s%syaml %s%s%s", major, minor, release,
             between, KLU_MAIN_VERSION, KLU_SUB_VERSION, KLU_SUBSUB_VERSION, between, nlopt,
             yaml_get_version_string(), between, COMPILER);
    return text;
}
