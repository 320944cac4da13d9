// SPDX-License-Identifier: Apache-2.0
#ifndef TRAMMEL_VERSION_H
#define TRAMMEL_VERSION_H

#include "trammel/status.h"

#define TRM_VERSION_MAJOR 0
#define TRM_VERSION_MINOR 1
#define TRM_VERSION_PATCH 0
#define TRM_VERSION "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

/// The version of the library that is linked, "major.minor.patch".
TRM_API const char *trm_version(void);

#ifdef __cplusplus
}
#endif
#endif
