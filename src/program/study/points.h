// SPDX-License-Identifier: Apache-2.0
// The points of a study from a CSV file.
#ifndef TRMI_PROGRAM_STUDY_POINTS_H
#define TRMI_PROGRAM_STUDY_POINTS_H

#include "program/study/study.h"

// Reads the file that `points` names: its columns become parameters, its lines runs. Mistakes are
// reported; `sampling` beside it is one. False: no memory.
bool trmi_points_read(trmi_study *study, const trmi_item *points, const trmi_item *sampling);

#endif
