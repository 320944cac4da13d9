// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

#include "trammel/version.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

const char *trm_version(void)
{
    return TRM_VERSION;
}

const char *trm_status_text(trm_status status)
{
    switch (status) {
#define STATUS_TEXT(name, value, text)                                                             \
    case name:                                                                                     \
        return text;
        TRM_STATUS_LIST(STATUS_TEXT)
    }
    return "unknown status";
}

const char *trm_status_name(trm_status status)
{
    switch (status) {
#define STATUS_NAME(name, value, text)                                                             \
    case name:                                                                                     \
        return #name;
        TRM_STATUS_LIST(STATUS_NAME)
    }
    return "unknown status";
}

void trmi_error_clear(trm_error *error)
{
    if (!error)
        return;
    *error = (trm_error){.status = TRM_OK, .t = NAN, .h = NAN, .matrix_fresh = -1, .pivot = NAN};
}

trm_error trmi_no_error(void)
{
    trm_error error;
    trmi_error_clear(&error);
    return error;
}

trm_status trmi_error_set(trm_error *error, trm_status status, const char *format, ...)
{
    if (!error)
        return status;
    error->status = status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return status;
}

void trmi_error_advise(trm_error *error, const char *format, ...)
{
    if (!error)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->advice, sizeof error->advice, format, arguments);
    va_end(arguments);
}

void trmi_error_item(trm_error *error, const char *format, ...)
{
    if (!error)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->item, sizeof error->item, format, arguments);
    va_end(arguments);
}

trm_status trmi_refuse_null(trm_error *error, const char *function, const char *argument)
{
    trmi_error_clear(error);
    trmi_error_item(error, "%s", argument);
    return trmi_error_set(error, TRM_ERR_ARGUMENT, "the argument '%s' of %s is NULL", argument,
                          function);
}

// The arguments of "%.*s" for an array of characters: the texts of an error that was never filled
// in may have no end, and nothing outside of it is read.
#define TEXT(array) (int)(sizeof(array) - 1), (array)

// a text that grows like the result of snprintf, cut where the buffer ends
typedef struct report {
    char *buffer;
    size_t size, length;
} report;

__attribute__((format(printf, 2, 3))) static void append(report *r, const char *format, ...)
{
    char *end = r->length < r->size ? r->buffer + r->length : NULL;
    size_t left = end ? r->size - r->length : 0;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(end, left, format, arguments);
    va_end(arguments);
    if (length > 0)
        r->length += (size_t)length;
}

static void append_newton(report *r, const trm_error *e)
{
    append(r, "  iterations (correction in units of the tolerance, contraction):");
    for (int i = 0; i < e->iterations && i < TRM_ERROR_ITERATIONS; i++) {
        if (isfinite(e->correction[i]))
            append(r, " %.3g", e->correction[i]);
        else
            append(r, " not finite");
        if (isfinite(e->rate[i]))
            append(r, " (%.2g)", e->rate[i]);
    }
    append(r, "\n");
}

// of residuals that are not finite no number is given: the text has the first of them
static void append_rows(report *r, const trm_error *e)
{
    const char *label = "worst row";
    for (int i = 0; i < TRM_ERROR_ROWS && e->row[i].name[0]; i++) {
        if (!isfinite(e->row[i].residual))
            continue;
        append(r, "  %s: %.*s, %.3g tolerances\n", label, TEXT(e->row[i].name), e->row[i].residual);
        label = "then";
    }
}

int trm_error_format(const trm_error *error, char *buffer, size_t size)
{
    if (!error)
        return snprintf(buffer, buffer ? size : 0, "%s", "");
    report r = {buffer, buffer ? size : 0, 0};
    bool enough = error->status == TRM_ERR_RESULT && error->text[0]; // "cannot read run.h5: ..."
    append(&r, "%s%s%.*s\n", enough ? "" : trm_status_text(error->status),
           error->text[0] && !enough ? ": " : "", TEXT(error->text));
    if (error->item[0])
        append(&r, "  at: %.*s\n", TEXT(error->item));
    if (!isnan(error->t))
        append(&r, "  t = %.17g\n", error->t);
    if (!isnan(error->h))
        append(&r, "  h = %.6g\n", error->h);
    append_rows(&r, error);
    if (error->iterations > 0)
        append_newton(&r, error);
    if (error->matrix_fresh >= 0)
        append(&r, "  matrix: %s\n", error->matrix_fresh ? "fresh" : "kept from an earlier step");
    if (!isnan(error->pivot))
        append(&r, "  smallest pivot: %.3g%s%.*s\n", error->pivot, error->pivot_row[0] ? ", " : "",
               TEXT(error->pivot_row));
    if (error->advice[0])
        append(&r, "  try: %.*s\n", TEXT(error->advice));
    return (int)r.length;
}
