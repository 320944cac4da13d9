// SPDX-License-Identifier: Apache-2.0
// Filling the one error type.
#ifndef TRMI_BASE_ERROR_H
#define TRMI_BASE_ERROR_H

#include "trammel/status.h"

// Messages of one kind that are shown; further ones are counted.
enum { TRMI_SHOWN_OF_A_KIND = 5 };

// Clears an error: status TRM_OK, numbers NaN, texts empty. error may be NULL.
void trmi_error_clear(trm_error *error);

// A cleared error.
trm_error trmi_no_error(void);

// Sets status and text (printf style) and returns the status. error may be NULL.
trm_status trmi_error_set(trm_error *error, trm_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Sets the advice (printf style). error may be NULL.
void trmi_error_advise(trm_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Sets the item at fault (printf style). error may be NULL.
void trmi_error_item(trm_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Refuses an argument of a public function that is NULL: status, text with both names, item.
trm_status trmi_refuse_null(trm_error *error, const char *function, const char *argument);

// TRMI_REQUIRE(error, pointer, "name of the argument"), in a public function that returns a status
#define TRMI_REQUIRE(error, pointer, argument)                                                     \
    do {                                                                                           \
        if (!(pointer))                                                                            \
            return trmi_refuse_null((error), __func__, (argument));                                \
    } while (0)

#endif
