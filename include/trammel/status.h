// SPDX-License-Identifier: Apache-2.0
/// Status codes, the one error type, and the log hook.
#ifndef TRAMMEL_STATUS_H
#define TRAMMEL_STATUS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define TRM_API
#else
#define TRM_API __attribute__((visibility("default")))
#endif

/// Every status of the library: name, value, one sentence.
/// 0 done, > 0 a normal stop that wants attention, < 0 failed.
#define TRM_STATUS_LIST(X)                                                                         \
    X(TRM_OK, 0, "success")                                                                        \
    X(TRM_STOP_USER, 1, "stopped by the progress callback")                                        \
    X(TRM_UNTRUSTED, 2, "finished, but the result cannot be trusted at this tolerance")            \
    X(TRM_STOP_EVENT, 3, "stopped at an event")                                                    \
    X(TRM_ERR_MEMORY, -1, "out of memory")                                                         \
    X(TRM_ERR_OPTION, -2, "an option is out of range")                                             \
    X(TRM_ERR_SYSTEM, -3, "the system description is invalid")                                     \
    X(TRM_ERR_INITIAL, -4, "no consistent initial state was found")                                \
    X(TRM_ERR_CONTRADICTION, -5, "constraint rows contradict each other")                          \
    X(TRM_ERR_SINGULAR, -6, "the constraints lost rank or the matrix is singular")                 \
    X(TRM_ERR_NEWTON, -7, "the Newton iteration did not converge")                                 \
    X(TRM_ERR_ERROR_TEST, -8, "the error test failed at the smallest step")                        \
    X(TRM_ERR_CALLBACK, -9, "a value could not be computed")                                       \
    X(TRM_ERR_STEPS, -10, "the number of steps reached its limit")                                 \
    X(TRM_ERR_RANGE, -11, "a time or an index is outside the valid range")                         \
    X(TRM_ERR_DERIVATIVE, -12, "a derivative disagrees with differences")                          \
    X(TRM_ERR_MODEL, -13, "the model file is invalid")                                             \
    X(TRM_ERR_RESULT, -14, "results could not be written or read")                                 \
    X(TRM_ERR_CHATTER, -15, "an event fires again and again")                                      \
    X(TRM_ERR_ARGUMENT, -16, "an argument is NULL that must not be")

#define TRM_STATUS_ENUM(name, value, text) name = value,
typedef enum trm_status { TRM_STATUS_LIST(TRM_STATUS_ENUM) } trm_status;
#undef TRM_STATUS_ENUM

/// The sentence that belongs to a status. Never NULL.
TRM_API const char *trm_status_text(trm_status status);

/// The name of a status, for example "TRM_ERR_NEWTON". Never NULL.
TRM_API const char *trm_status_name(trm_status status);

enum { TRM_ERROR_ROWS = 3, TRM_ERROR_ITERATIONS = 8 };

/// One of the largest rows of the residual in a failure.
typedef struct trm_error_row {
    char name[64];   ///< "dynamics of x", "constraint circle", ...; empty when unused
    double residual; ///< in units of the tolerance
} trm_error_row;

/// What went wrong, where, how much, and what to try.
typedef struct trm_error {
    trm_status status;
    double t;                          ///< time of the last good state, NaN before the first step
    double h;                          ///< step that was tried, NaN before the first step
    char item[64];                     ///< item at fault by name, empty when none
    char text[256];                    ///< one sentence on the cause
    char advice[160];                  ///< one sentence on what to try
    trm_error_row row[TRM_ERROR_ROWS]; ///< worst rows first
    int iterations;                    ///< valid entries of the two histories below
    double correction[TRM_ERROR_ITERATIONS]; ///< norm of each Newton correction, tolerance = 1
    double rate[TRM_ERROR_ITERATIONS];       ///< contraction, NaN for the first
    int matrix_fresh;                        ///< 1 fresh, 0 kept from an earlier step, -1 unknown
    double pivot;                            ///< smallest relative pivot, NaN when unknown
    char pivot_row[64];                      ///< its row by name
} trm_error;

/// Writes the whole error as readable lines into buffer, like snprintf: returns the length needed.
TRM_API int trm_error_format(const trm_error *error, char *buffer, size_t size);

typedef enum trm_log_level {
    TRM_LOG_WARNING = 0,
    TRM_LOG_INFO = 1,
    TRM_LOG_DEBUG = 2,
    TRM_LOG_TRACE = 3 ///< why each matrix of a step was formed
} trm_log_level;

/// Receives messages of the library; the library itself never prints. Of warnings of one kind that
/// a simulation has only the first five are logged; how many more there were when it is destroyed.
typedef void trm_log_function(trm_log_level level, const char *text, void *user);

/// Receives a message about one constraint row: its number among the rows of g and A, full
/// numbering.
typedef void trm_row_log_function(trm_log_level level, int row, const char *text, void *user);

/// Where memory comes from. Both functions NULL: malloc and free. Blocks need the alignment of
/// malloc.
typedef struct trm_allocator {
    void *(*allocate)(size_t size, void *user);
    void (*release)(void *block, void *user);
    void *user;
} trm_allocator;

#ifdef __cplusplus
}
#endif
#endif
