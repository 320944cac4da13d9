// SPDX-License-Identifier: Apache-2.0
// What a shell may offer for the word under the cursor. The scripts of all shells ask the program
// itself, which knows its tables, the channels of results and the examples.
#ifndef TRMI_PROGRAM_CLI_COMPLETE_H
#define TRMI_PROGRAM_CLI_COMPLETE_H

// Prints a line for each word that fits the last of these (those after "trammel" on the command
// line), with a tab and its meaning where there is one. ":files yaml json" stands for files with
// these suffixes, ":files" for any, ":folders" for folders: those the shell finds better.
void trmi_complete(const char *const *word, int count);

#endif
