// SPDX-License-Identifier: Apache-2.0
// Manual pages from the tables of the commands.
#ifndef TRMI_PROGRAM_CLI_MAN_PAGE_H
#define TRMI_PROGRAM_CLI_MAN_PAGE_H

#include <stdbool.h>

// Writes trammel.1 and trammel-COMMAND.1 of every command into a folder, which is made; false after
// a message.
bool trmi_man_pages_write(const char *folder);

#endif
