// SPDX-License-Identifier: Apache-2.0
// What commands share: the console and the model of a command line, folders and texts they write.
#ifndef TRMI_PROGRAM_CLI_REPORT_H
#define TRMI_PROGRAM_CLI_REPORT_H

#include "modelling/reader/yaml/document.h"
#include "program/cli/command.h"
#include "program/run/console.h"

// From --quiet, --verbose, --color, NO_COLOR and the terminal.
trmi_console trmi_console_of(const trmi_arguments *arguments);

// Loads a model with the --set of the command line; on failure NULL and *exit_code.
trm_model *trmi_load_model(const trmi_arguments *arguments, const char *path,
                           const trmi_console *console, int *exit_code);
enum { TRMI_MAX_OVERRIDES = 64 };
// The same with further overrides, ended by NULL, at most TRMI_MAX_OVERRIDES. Warnings, which
// loading the model alone has shown, are not repeated.
trm_model *trmi_load_model_with(const trmi_arguments *arguments, const char *path,
                                const char *const *more, const trmi_console *console,
                                int *exit_code);

// What is printed about a model while it is loaded.
typedef enum trmi_load_messages {
    TRMI_LOAD_ALL,
    TRMI_LOAD_ERRORS, // its warnings have been shown
    TRMI_LOAD_NOTHING // another process prints it
} trmi_load_messages;
// Overrides, ended by NULL. Where they are the section `settings` of a document, what is wrong with
// one is reported there; NULL: as of --set.
typedef struct trmi_overrides {
    const char *const *set;
    trmi_document *document;
} trmi_overrides;
// The same with overrides, for trm_model_vary of these parameters, ended by NULL; sensitive: as
// trm_load.sensitive.
trm_model *trmi_load_model_to_vary(const trmi_arguments *arguments, const char *path,
                                   trmi_overrides more, const char *const *vary, bool sensitive,
                                   trmi_load_messages shown, const trmi_console *console,
                                   int *exit_code);

// Prints an error that the model is to blame for, with its place in the file where that is known.
void trmi_print_model_error(const trmi_console *console, const trm_model *model,
                            const trm_error *error);

// Whether the code of a library may run: with --allow-code, or after the user was asked, which
// needs a terminal. Nothing is remembered.
bool trmi_library_allowed(const char *path, bool allow_code);

// Whether the names of all channels are there, which a mechanism makes when the first one is asked
// for; false after the message "no memory for the names".
bool trmi_channels_are_named(const trm_model *model);

// Makes a folder and those above it; true when it is there in the end. What is wrong is reported.
bool trmi_make_folder(const char *folder);

// Whether two paths name one file, also one that is not there yet.
bool trmi_same_file(const char *one, const char *other);
// Whether a file that is written is not another one; reported otherwise. NULL, "-" and what is not
// a regular file are no such files.
bool trmi_files_apart(const char *written, const char *other);
// Whether no two options name the same file to write; reported otherwise.
bool trmi_options_apart(const trmi_arguments *arguments);
// Whether no option names `path`, which is read, as the file to write; reported otherwise.
bool trmi_options_keep(const trmi_arguments *arguments, const char *path);
// The same for the model of that path and all files that it was read from.
bool trmi_options_keep_model(const trmi_arguments *arguments, const char *path,
                             const trm_model *model);

// Whether no --set gives that parameter a value, for the reason that is reported otherwise.
bool trmi_options_leave(const trmi_arguments *arguments, const char *parameter, const char *reason);

// Writes a text to a file, which is replaced only when the new one is complete; "-" is the standard
// output. False after the message "cannot write WHAT to PATH: ...".
bool trmi_write_text(const char *path, const char *what, const char *text);

#endif
