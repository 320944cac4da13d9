// SPDX-License-Identifier: Apache-2.0
// What the program was built with.
#ifndef TRMI_PROGRAM_RUN_FEATURES_H
#define TRMI_PROGRAM_RUN_FEATURES_H

#include <stddef.h>

// "hdf5 1.10.8, klu 1.3.9, ...": the libraries and the compiler, with a text between them.
const char *trmi_features_text(char *text, size_t size, const char *between);

#endif
