// SPDX-License-Identifier: Apache-2.0
// A run that is watched: another process serves the page of its result file on 127.0.0.1 while it
// grows. The run itself never waits for it.
#ifndef TRMI_PROGRAM_CLI_WATCH_H
#define TRMI_PROGRAM_CLI_WATCH_H

#include <stdbool.h>

typedef struct trmi_live_watch {
    int process; // 0: there is none
    int pipe;    // its other end is read by the process: closed when the run has ended
    int port;
} trmi_live_watch;

// Begins to serve the page of the result at `path`, which need not be there yet; before the run
// creates threads. False after a message.
bool trmi_live_watch_begin(trmi_live_watch *watch, const char *path);
// After the run: whoever has the page open gets the end of it, for which this waits some seconds at
// most.
void trmi_live_watch_end(trmi_live_watch *watch);

#endif
