// SPDX-License-Identifier: Apache-2.0
// Long mechanisms from scripts/make-mechanism, read as any model file is.
#ifndef MECHANISM_TEXT_H
#define MECHANISM_TEXT_H

#include <trammel/trammel.h>

/// A mechanism ready to be simulated.
typedef struct mechanism {
    trm_model *model;
    trm_instance *instance;
    int bodies;
    double seconds; ///< CPU time of reading and creation
} mechanism;

/// Reads the model file that a command prints. load may be NULL. Returns 0, or -1 after a message.
int mechanism_read(mechanism *m, const char *command, const trm_load *load);
/// The same for the command `script words size`.
int mechanism_open(mechanism *m, const char *script, const char *words, int size);
void mechanism_close(mechanism *m);

#endif
