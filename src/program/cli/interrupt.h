// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and its relatives: a run ends between two steps, with its files closed.
#ifndef TRMI_PROGRAM_CLI_INTERRUPT_H
#define TRMI_PROGRAM_CLI_INTERRUPT_H

#include "base/stop.h"

// From now on SIGINT, SIGTERM and SIGHUP print a message and set the flag that is returned; a
// second one of them ends the program at once, and prints what is kept, a text that lives as long
// as the program. Those that are ignored already (nohup, jobs in the background of a script) stay
// ignored.
const trmi_stop *trmi_catch_interrupts(const char *kept);

// From now on they set the flag that is returned to their number, once or several times, without a
// message: for commands that clean up and then end by the same signal.
const trmi_stop *trmi_note_interrupts(void);
// Ends the program by the signal, as if it had not been caught.
void trmi_end_by(int signal_number);

#endif
