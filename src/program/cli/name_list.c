// SPDX-License-Identifier: Apache-2.0
#include "program/cli/name_list.h"

#include "program/cli/command.h"

#include <stdlib.h>
#include <string.h>

// the names of the text, whose commas become ends
static bool split(trmi_name_list *list, const char *option)
{
    for (char *at = list->text; at;) {
        char *comma = strchr(at, ',');
        if (comma)
            *comma = '\0';
        at += strspn(at, " "); // "mass, length"
        for (char *end = strrchr(at, '\0'); end > at && end[-1] == ' ';)
            *--end = '\0';
        if (!*at)
            return trmi_usage_error("--%s: a name is missing; write it as in mass,length", option);
        for (int k = 0; k < list->count; k++)
            if (strcmp(list->name[k], at) == 0)
                return trmi_usage_error("--%s names %.60s twice", option, at);
        list->name[list->count++] = at;
        at = comma ? comma + 1 : NULL;
    }
    return true;
}

bool trmi_name_list_split(trmi_name_list *list, const char *names, const char *option)
{
    size_t most = 2;
    for (const char *c = names; *c; c++)
        most += *c == ',';
    *list = (trmi_name_list){.name = calloc(most, sizeof *list->name),
                             .text = malloc(strlen(names) + 1)};
    bool good = list->name && list->text;
    if (good)
        strcpy(list->text, names);
    if (!good)
        trmi_usage_error("no memory");
    else
        good = split(list, option);
    if (!good)
        trmi_name_list_free(list);
    return good;
}

void trmi_name_list_free(trmi_name_list *list)
{
    free(list->name);
    free(list->text);
    *list = (trmi_name_list){0};
}
