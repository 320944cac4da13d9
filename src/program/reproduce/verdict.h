// SPDX-License-Identifier: Apache-2.0
// The verdict of an ensemble of runs on a number of a paper, or on one of our own.
//
// Counters of a code with step control are chaotic: another compiler, or a tolerance changed by a
// percent, moves them. So every row is run several times, and a cell agrees when the expected value
// lies in the range of the runs, widened on both sides by a stated share (slack) of its ends. A row
// is reproduced when all of its cells agree and no run failed.
#ifndef TRMI_PROGRAM_REPRODUCE_VERDICT_H
#define TRMI_PROGRAM_REPRODUCE_VERDICT_H

#include "program/reproduce/experiment.h"

typedef enum trmi_verdict {
    TRMI_VERDICT_NONE, // nothing was expected, or nothing is to be judged
    TRMI_VERDICT_REPRODUCED,
    TRMI_VERDICT_DIFFERS,
    TRMI_VERDICT_NOT_REPRODUCIBLE, // differs, and the experiment has the reason
    TRMI_VERDICTS
} trmi_verdict;

// "shown only", "reproduced", "differs", "not reproducible" for rows that are compared with numbers
// printed in a paper; else "shown only", "agrees", "disagrees", "disagrees as explained".
const char *trmi_verdict_text(trmi_verdict verdict, bool published);

typedef struct trmi_cell {
    trmi_expected expected;
    double middle;    // median or geometric mean of the runs that finished, NaN when none did
    double low, high; // their range
    bool judged;      // something was expected that is to be judged
    bool inside;      // it meets the range of the runs
    bool agrees;      // it meets the widened range
} trmi_cell;

// Judges `count` values, which are sorted by this. Their middle is the median, or the geometric
// mean: then they should not be negative.
trmi_cell trmi_cell_judge(double *value, int count, bool geometric, trmi_expected expected,
                          double slack);

// Judges a row by its cells; failed: runs without result, of it and of the row it should be like.
// reason NULL: it should be reproduced.
trmi_verdict trmi_verdict_of(const trmi_cell *cell, int cells, int failed, const char *reason);

#endif
