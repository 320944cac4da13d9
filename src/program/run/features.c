// SPDX-License-Identifier: Apache-2.0
#include "program/run/features.h"

#include <stdio.h>
#include <suitesparse/klu.h>
#include <yaml.h>

#include <hdf5.h>

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "compiler unknown"
#endif

const char *trmi_features_text(char *text, size_t size, const char *between)
{
    unsigned major = 0, minor = 0, release = 0;
    H5get_libversion(&major, &minor, &release);
    snprintf(text, size, "hdf5 %u.%u.%u%sklu %d.%d.%d%syaml %s%s%s", major, minor, release, between,
             KLU_MAIN_VERSION, KLU_SUB_VERSION, KLU_SUBSUB_VERSION, between,
             yaml_get_version_string(), between, COMPILER);
    return text;
}
