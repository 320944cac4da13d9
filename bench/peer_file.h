// SPDX-License-Identifier: Apache-2.0
// The mechanism of a problem from a model file, as a user writes it.
#ifndef PEER_FILE_H
#define PEER_FILE_H

#include "mechanism_text.h"

/// A mechanism whose bodies are those of a problem in absolute coordinates, in the same order.
typedef struct peer_file {
    mechanism mechanism;
    int n;          ///< coordinates of the problem: x, y and angle of every body
    double *value;  ///< poses and reactions of the mechanism
    double *offset; ///< added to the poses: angles of files count from the reference configuration
} peer_file;

/// The file that a command prints, with changes "path=value" ended by NULL, for the problem that
/// starts at q. Returns 0, or -1 after a message.
int peer_file_open(peer_file *file, const char *command, const char *const *set, int n,
                   const double *q);
void peer_file_close(peer_file *file);

/// x, y and angle of every body at a state of the mechanism, as the problem has them.
void peer_file_places(const peer_file *file, const trm_state *state, double *q);

#endif
