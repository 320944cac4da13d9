// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "cli/interrupt.h"

#include <stddef.h>

// the only thing a signal handler may touch
static volatile sig_atomic_t stop_asked;

static void ask_to_stop(int signal_number)
{
    (void)signal_number;
    stop_asked = 1;
}

const volatile sig_atomic_t *trmi_catch_interrupts(void)
{
    const struct sigaction stop = {.sa_handler = ask_to_stop, .sa_flags = (int)SA_RESETHAND};
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGINT, &stop, NULL);
    sigaction(SIGTERM, &stop, NULL);
    sigaction(SIGHUP, &stop, NULL); // the terminal is gone
    sigaction(SIGXFSZ, &ignore, NULL);
    return &stop_asked;
}
