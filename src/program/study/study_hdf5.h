// SPDX-License-Identifier: Apache-2.0
// The table of a study as HDF5: a dataset for each column, chunked and compressed, with units.
#ifndef TRMI_PROGRAM_STUDY_STUDY_HDF5_H
#define TRMI_PROGRAM_STUDY_STUDY_HDF5_H

#include "program/study/plan.h"
#include "program/study/study_data.h"

// Writes the file, which replaces what was there when it is complete.
trm_status trmi_study_hdf5_write(const char *path, const trmi_plan *plan,
                                 const trmi_study_data *data, trm_error *error);

#endif
