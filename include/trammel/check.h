// SPDX-License-Identifier: Apache-2.0
/// Compares every derivative a system supplies with differences of what it belongs to.
#ifndef TRAMMEL_CHECK_H
#define TRAMMEL_CHECK_H

#include "trammel/system.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The largest disagreement found.
typedef struct trm_derivative_report {
    int quantities;        ///< how many supplied derivatives were compared
    trm_quantity quantity; ///< where the worst entry is
    int row, column;       ///< of the worst entry
    double supplied;       ///< its supplied value
    double difference;     ///< the value by differences
    double error;          ///< |supplied - difference| relative to the size of the matrix
} trm_derivative_report;

/// Compares at the given state (a and lambda included). Returns TRM_ERR_DERIVATIVE, with the entry
/// named in error, when the worst relative error exceeds tolerance (1e-6 is a good value).
/// Differences that disagree are formed with steps of many sizes; where these agree with each other
/// less than with the supplied value, the entry does not count.
/// report and error may be NULL.
TRM_API trm_status trm_system_check_derivatives(const trm_system *system, const trm_state *state,
                                                double tolerance, trm_derivative_report *report,
                                                trm_error *error);

#ifdef __cplusplus
}
#endif
#endif
