// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "program/cli/interrupt.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

// all that a signal handler may touch
static trmi_stop stop_asked;
static const char *volatile kept_text = ""; // set before the handler is there

static const int STOPPING[] = {SIGINT, SIGTERM, SIGHUP}; // the last: the terminal is gone
enum { STOPPING_COUNT = sizeof STOPPING / sizeof *STOPPING };

static void print(const char *text, size_t size)
{
    ssize_t written = write(STDERR_FILENO, text, size);
    (void)written; // without a terminal there is nothing to write to
}

void trmi_end_by(int signal_number)
{
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

// The second signal: the system ends the program as if it had not been caught.
static void end_at_once(int signal_number)
{
    static const char text[] = "\ntrammel: ended at once; ";
    const char *kept = kept_text;
    size_t length = 0;
    while (kept[length])
        length++;
    print(text, sizeof text - 1);
    print(kept, length);
    print("\n", 1);
    trmi_end_by(signal_number);
}

// whichever of the signals comes; those that are ignored, as under nohup, stay so
static void on_signals(void (*act)(int))
{
    struct sigaction next = {.sa_handler = act}, now;
    for (int k = 0; k < STOPPING_COUNT; k++)
        if (sigaction(STOPPING[k], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaction(STOPPING[k], &next, NULL);
}

// A step of a large model may take long: that the signal came is reported at once.
static void ask_to_stop(int signal_number)
{
    static const char text[] = "\ntrammel: stops after the present step or row, with its files "
                               "closed; once more: at once\n";
    int kept = errno;
    (void)signal_number;
    stop_asked = 1;
    on_signals(end_at_once);
    print(text, sizeof text - 1);
    errno = kept;
}

const trmi_stop *trmi_catch_interrupts(const char *kept)
{
    kept_text = kept;
    on_signals(ask_to_stop);
    return &stop_asked;
}

static void note(int signal_number)
{
    stop_asked = signal_number;
}

const trmi_stop *trmi_note_interrupts(void)
{
    on_signals(note);
    return &stop_asked;
}
