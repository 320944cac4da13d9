// SPDX-License-Identifier: Apache-2.0
// Commands that are printed so that someone can give them to a shell.
#ifndef TRMI_PROGRAM_FILES_SHELL_H
#define TRMI_PROGRAM_FILES_SHELL_H

#include "program/files/text.h"

// A space and a word: in quotes unless all of its characters mean themselves.
void trmi_shell_add_word(trmi_text *out, const char *word);
// The option before each of the settings "PATH=VALUE", ended by NULL; NULL: there are none.
void trmi_shell_add_settings(trmi_text *out, const char *option, const char *const *set);
// The setting of a parameter, "parameters.NAME=VALUE", with all digits of the value.
void trmi_setting_add_parameter(trmi_text *out, const char *name, double value);
// Whether a setting, or the path of one, "parameters.NAME", is that of a parameter.
bool trmi_setting_is_parameter(const char *setting, const char *name);
// The option and the setting of a parameter.
void trmi_shell_add_parameter(trmi_text *out, const char *option, const char *name, double value);

#endif
