// SPDX-License-Identifier: Apache-2.0
#ifndef TRMI_PROGRAM_CLI_FOLDER_H
#define TRMI_PROGRAM_CLI_FOLDER_H

#include <stdbool.h>

// Makes a folder and those above it; true when it is there in the end. What is wrong is reported.
bool trmi_make_folder(const char *folder);

// Writes a text to a file; false after the message "cannot write WHAT to PATH: ...".
bool trmi_write_text(const char *path, const char *what, const char *text);

#endif
