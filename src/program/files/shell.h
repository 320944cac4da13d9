// SPDX-License-Identifier: Apache-2.0
// Commands that are printed so that someone can give them to a shell.
#ifndef TRMI_PROGRAM_FILES_SHELL_H
#define TRMI_PROGRAM_FILES_SHELL_H

#include "program/files/text.h"

// A space and a word: in quotes unless all of its characters mean themselves.
void trmi_shell_add_word(trmi_text *out, const char *word);
// The option before each of the settings "PATH=VALUE", ended by NULL; NULL: there are none.
void trmi_shell_add_settings(trmi_text *out, const char *option, const char *const *set);
// The same for the value of a parameter, with all of its digits.
void trmi_shell_add_parameter(trmi_text *out, const char *option, const char *name, double value);

#endif
