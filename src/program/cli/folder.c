// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "program/cli/folder.h"

#include "program/cli/report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

bool trmi_make_folder(const char *folder)
{
    char part[4096];
    if (strlen(folder) >= sizeof part)
        return trmi_usage_error("the name of the folder is too long");
    strcpy(part, folder);
    for (char *c = part + 1; part[0] && *c; c++)
        if (*c == '/') {
            *c = '\0';
            mkdir(part, 0777); // what is wrong shows at the end
            *c = '/';
        }
    if (mkdir(part, 0777) == 0 || errno == EEXIST)
        return true;
    return trmi_usage_error("cannot make the folder %s: %s", folder, strerror(errno));
}

bool trmi_write_text(const char *path, const char *what, const char *text)
{
    FILE *file = fopen(path, "w");
    bool good = file && fputs(text, file) >= 0;
    if (file)
        good = fclose(file) == 0 && good;
    if (!good)
        trmi_usage_error("cannot write %s to %s: %s", what, path, strerror(errno));
    return good;
}
