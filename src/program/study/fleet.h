// SPDX-License-Identifier: Apache-2.0
// A study over the processes of a launcher. The first one, rank 0, has the table and hands out the
// numbers of runs; every rank has workers, which are processes of their own. Of a worker that is
// killed the run it was at is done again by whichever worker is free; a run that takes three
// workers with it is a failed row. Runs of a rank whose workers are gone for good go to others.
#ifndef TRMI_PROGRAM_STUDY_FLEET_H
#define TRMI_PROGRAM_STUDY_FLEET_H

#include "program/study/crew.h"
#include "program/study/rank.h"
#include "program/study/transport.h"

// Work of rank 0, with its own workers. As trmi_crew_work.
trm_status trmi_fleet_lead(const trmi_crew_request *request, trmi_transport *transport,
                           trmi_worker *worker, trm_error *error);
// Work of the other ranks, until rank 0 ends it.
void trmi_fleet_follow(const trmi_stop *stop, trmi_transport *transport, trmi_worker *worker,
                       int workers);

// The same with a file of its own, the part of the table with the number of the rank
// (study_parts.h): blocks of runs come, and only that they are done is reported. hdf5: at the end
// it writes the HDF5 file of the part, too. Errors go to the first rank.
typedef struct trmi_fleet_part {
    const trmi_plan *plan;
    const char *table;
    bool hdf5;
    const trmi_stop *stop;
} trmi_fleet_part;
void trmi_fleet_write(const trmi_fleet_part *part, trmi_transport *transport, trmi_worker *worker,
                      int workers);

#endif
