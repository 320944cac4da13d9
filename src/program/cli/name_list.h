// SPDX-License-Identifier: Apache-2.0
// Names with commas between them, as in --sensitivity mass,length.
#ifndef TRMI_PROGRAM_CLI_NAME_LIST_H
#define TRMI_PROGRAM_CLI_NAME_LIST_H

#include <stdbool.h>

typedef struct trmi_name_list {
    const char **name; // ended by NULL
    int count;
    char *text; // where they lie
} trmi_name_list;

// False after a message about the option: no name, an empty one, or one twice.
bool trmi_name_list_split(trmi_name_list *list, const char *names, const char *option);
void trmi_name_list_free(trmi_name_list *list);

#endif
