// SPDX-License-Identifier: Apache-2.0
// simulate.accuracy: runs with tolerances that are searched until the companion confirms the
// accuracy that was asked for. The logarithm of the error over that of the tolerance is close to a
// line: the first run gives a point of it, with slope 1, two give the third.
#ifndef TRMI_PROGRAM_RUN_SEARCH_H
#define TRMI_PROGRAM_RUN_SEARCH_H

#include "program/run/run.h"

typedef struct trmi_search {
    trmi_run_request request; // of the next run
    trm_options options;      // with its tolerance
    double accuracy;          // 0: there is nothing to search, the model has a tolerance
    int runs;
    double rtol, error; // of the run before, NaN: none
    bool returned;      // to the tolerance of the run before: a tighter one failed
} trmi_search;

// The first run. The request is copied; its texts are borrowed.
void trmi_search_begin(trmi_search *search, const trmi_run_request *request);

// Judges a run. True: another one is needed, with search->request. Otherwise a run that is done but
// does not have the accuracy is not trusted from now on, and its error has what was reached.
bool trmi_search_again(trmi_search *search, trmi_run *run);

#endif
