// SPDX-License-Identifier: Apache-2.0
// What the program prints: messages to the standard error, coloured when that is a terminal, and
// texts of others without their control characters.
#ifndef TRMI_PROGRAM_RUN_CONSOLE_H
#define TRMI_PROGRAM_RUN_CONSOLE_H

#include "trammel/model.h"

#include <stdbool.h>
#include <stdio.h>

// Exit codes of the program.
enum {
    TRMI_EXIT_DONE = 0,
    TRMI_EXIT_FAILED = 1,
    TRMI_EXIT_USAGE = 2,
    TRMI_EXIT_MODEL = 3,
    TRMI_EXIT_INITIAL = 4,
    TRMI_EXIT_RESULTS = 5,
    TRMI_EXIT_UNTRUSTED = 6 // done, but the result cannot be trusted
};

// How messages are printed and how many.
typedef struct trmi_console {
    bool color;
    int level; // 0 quiet: errors and warnings alone, 1 usual, 2 -v, 3 -vv
} trmi_console;

// Writes what was printed so far. The code that a command ends with: TRMI_EXIT_RESULTS, with a
// message, where everything went well but that; who reads no more is not a failure.
int trmi_flush_output(int code);

// printf and fprintf of the program: names, units, paths come from others, so control characters,
// but ends of lines and tabs, are printed as \xNN and never reach a terminal.
void trmi_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
void trmi_print_to(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Prints "trammel: ..." (printf style) and returns false.
bool trmi_usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
// The same, and returns the exit code.
int trmi_exit_with(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The most detailed messages that are printed.
trm_log_level trmi_log_level(const trmi_console *console);

// For trm_load and trm_options: user is a trmi_console.
void trmi_print_diagnostic(const trm_diagnostic *diagnostic, void *console);
void trmi_print_log(trm_log_level level, const char *text, void *console);

// Prints an error with all its parts; a result that cannot be trusted (TRM_UNTRUSTED) as a warning.
void trmi_print_error(const trmi_console *console, const char *subject, const trm_error *error);
// The same, and returns the exit code.
int trmi_exit_after(int code, const trmi_console *console, const char *subject,
                    const trm_error *error);

// "slider-crank" of "examples/slider-crank.yaml", in buffer.
const char *trmi_stem(const char *path, char *buffer, int size);

#endif
