// SPDX-License-Identifier: Apache-2.0
// Work in a process of its own. A damaged result file, or one made to do harm, can crash the HDF5
// library or keep it busy for ever: then that process ends, and this one reports it.
#ifndef TRMI_PROGRAM_FILES_APART_H
#define TRMI_PROGRAM_FILES_APART_H

#include "trammel/status.h"

#include <sys/types.h>

// act(data) in another process, which has as much time of the processor as reading the files is
// worth (NULL at the end of the list). Returns what act returns, 0 to 127, or minus the number of
// the signal that ended it. Where there are no more processes, act is called in this one.
int trmi_apart(int (*act)(void *data), void *data, const char *const *file);

// Called by a child: it gets this signal when its parent ends, however that is ended. Elsewhere
// than on Linux only when it has ended already.
void trmi_apart_end_with(pid_t parent, int signal_number);

// For programs that a process of its own starts: they have as much time as they need.
void trmi_apart_unlimit(void);

// What a file that ends the process by a signal does: "is damaged: reading it fails (...)".
void trmi_apart_describe(int signal_number, char *text, size_t size);

// Whether the whole of a result file can be read: its texts, values and events. Apart.
trm_status trmi_result_check(const char *path, trm_error *error);

#endif
