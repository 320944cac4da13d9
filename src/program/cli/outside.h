// SPDX-License-Identifier: Apache-2.0
// Programs of others that a command starts and waits for.
#ifndef TRMI_PROGRAM_CLI_OUTSIDE_H
#define TRMI_PROGRAM_CLI_OUTSIDE_H

#include "base/stop.h"
#include "program/files/text.h"

#include <stdbool.h>

// Whether a program of that name is in the path, or the path of one exists.
bool trmi_outside_there(const char *name);

typedef enum trmi_outside_end {
    TRMI_OUTSIDE_DONE,
    TRMI_OUTSIDE_FAILED,  // it cannot be started, or reports a failure
    TRMI_OUTSIDE_LATE,    // it was ended after the time it had
    TRMI_OUTSIDE_STOPPED, // it was ended because *stop was set
} trmi_outside_end;

// Runs a program in a process group of its own, its messages thrown away, its output into `out`
// (NULL: thrown away as well). When *stop is set (NULL: never) or after so many seconds it is
// ended with all that it has started.
trmi_outside_end trmi_outside_run(const char *const *word, double seconds, const trmi_stop *stop,
                                  trmi_text *out);

#endif
