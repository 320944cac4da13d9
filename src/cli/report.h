// SPDX-License-Identifier: Apache-2.0
// Messages of the command: to the standard error, coloured when that is a terminal.
#ifndef TRMI_REPORT_H
#define TRMI_REPORT_H

#include "cli/command.h"
#include "trammel/model.h"

// How messages look and how many there are.
typedef struct trmi_voice {
    bool color;
    int level; // 0 quiet: errors and warnings alone, 1 usual, 2 -v, 3 -vv
} trmi_voice;

// From --quiet, --verbose, --color, NO_COLOR and the terminal.
trmi_voice trmi_voice_of(const trmi_arguments *arguments);

// "trammel: ..." for errors of usage. printf style.
void trmi_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

// The most detailed messages it has a voice for.
trm_log_level trmi_log_level(const trmi_voice *voice);

// For trm_load and trm_options: user is a trmi_voice.
void trmi_print_diagnostic(const trm_diagnostic *diagnostic, void *voice);
void trmi_print_log(trm_log_level level, const char *text, void *voice);

// A whole error with all it knows.
void trmi_print_error(const trmi_voice *voice, const char *subject, const trm_error *error);

// A result that is there but cannot be trusted at its tolerance.
void trmi_print_untrusted(const trmi_voice *voice, const char *subject, const trm_error *error);

// Loads a model with the --set of the command line; on failure NULL and *exit_code.
trm_model *trmi_load_model(const trmi_arguments *arguments, const char *path,
                           const trmi_voice *voice, int *exit_code);

// "slider-crank" of "examples/slider-crank.yaml", in buffer.
const char *trmi_stem(const char *path, char *buffer, int size);

#endif
