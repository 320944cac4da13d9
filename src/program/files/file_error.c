// SPDX-License-Identifier: Apache-2.0
#include "program/files/file_error.h"

#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_PATH = 110 }; // of it the end is shown, to leave space for the reason

static const char *advice_for(int code, bool reads)
{
    switch (code) {
    case ENOSPC:
    case EDQUOT:
        return "free space on the disk, or write to another one";
    case EFBIG:
        return "the size of files is limited (ulimit -f); raise the limit or write fewer channels";
    case EACCES:
    case EPERM:
    case EROFS:
        return reads ? "ask its owner to let you read it" : "write to a folder of your own";
    case ENOENT:
        return reads ? "check the spelling; results are written by  trammel run MODEL"
                     : "check the spelling of folder and file; folders are not created";
    case ENOTDIR:
        return "a part of the path is a file where a folder is needed";
    case EISDIR:
        return "the path is a folder; add a file name";
    case ENAMETOOLONG:
        return "choose a shorter file name";
    case ENOMEM:
        return "there is not enough memory; choose fewer channels";
    default:
        return "";
    }
}

trm_status trmi_file_error_text(trm_error *error, const char *action, const char *path,
                                const char *format, ...)
{
    char reason[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    size_t length = strlen(path);
    bool cut = length > LONGEST_PATH;
    trmi_error_clear(error);
    return trmi_error_set(error, TRM_ERR_RESULT, "cannot %s %s%s: %s", action, cut ? "..." : "",
                          cut ? path + (length - LONGEST_PATH) : path, reason);
}

trm_status trmi_file_error(trm_error *error, const char *action, const char *path, int code)
{
    trmi_file_error_text(error, action, path, "%s",
                         code == EAGAIN ? "another run is writing it" : strerror(code));
    trmi_error_advise(error, "%s", advice_for(code, strcmp(action, "read") == 0));
    return TRM_ERR_RESULT;
}
