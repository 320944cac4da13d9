// SPDX-License-Identifier: Apache-2.0
// Messages about files: which one, why, what to try.
#ifndef TRMI_PROGRAM_FILES_FILE_ERROR_H
#define TRMI_PROGRAM_FILES_FILE_ERROR_H

#include "trammel/status.h"

// "cannot write PATH: No space left on device" with advice that fits. action: "write", "read";
// code: errno. Returns TRM_ERR_RESULT. error may be NULL.
trm_status trmi_file_error(trm_error *error, const char *action, const char *path, int code);

// The same with a reason in words and no advice (printf style).
trm_status trmi_file_error_text(trm_error *error, const char *action, const char *path,
                                const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
