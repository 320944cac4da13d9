// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "program/cli/interrupt.h"

#include <errno.h>
#include <stddef.h>
#include <unistd.h>

// the only thing a signal handler may touch
static volatile sig_atomic_t stop_asked;

static const int STOPPING[] = {SIGINT, SIGTERM, SIGHUP}; // the last: the terminal is gone
enum { STOPPING_COUNT = sizeof STOPPING / sizeof *STOPPING };

// A step of a large model may take long: that the signal came is reported at once.
static void ask_to_stop(int signal_number)
{
    static const char text[] = "\ntrammel: stops after the present step or row, with its files "
                               "closed; once more: at once\n";
    int kept = errno;
    (void)signal_number;
    stop_asked = 1;
    for (int k = 0; k < STOPPING_COUNT; k++)
        signal(STOPPING[k], SIG_DFL); // whichever comes next ends the program
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written; // without a terminal there is nothing to write to
    errno = kept;
}

const volatile sig_atomic_t *trmi_catch_interrupts(void)
{
    const struct sigaction stop = {.sa_handler = ask_to_stop};
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    for (int k = 0; k < STOPPING_COUNT; k++)
        sigaction(STOPPING[k], &stop, NULL);
    sigaction(SIGXFSZ, &ignore, NULL);
    return &stop_asked;
}
