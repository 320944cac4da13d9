// SPDX-License-Identifier: Apache-2.0
// The table of options from inside the library.
#ifndef TRMI_BASE_OPTIONS_H
#define TRMI_BASE_OPTIONS_H

#include "trammel/options.h"

// The option of that name; NULL: there is none, or no name.
const trm_option_info *trmi_option_named(const char *name);

#endif
