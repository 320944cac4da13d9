// SPDX-License-Identifier: Apache-2.0
// A study over the processes of a launcher. The first one, rank 0, has the table and hands out the
// numbers of runs; every rank has workers, which are processes of their own. Of a worker that is
// killed the run it was at is done again by whichever worker is free; a run that takes three
// workers with it is a failed row.
#ifndef TRMI_PROGRAM_STUDY_FLEET_H
#define TRMI_PROGRAM_STUDY_FLEET_H

#include "program/study/crew.h"
#include "program/study/transport.h"
#include "program/study/worker.h"

// Work of rank 0, with its own workers. As trmi_crew_work.
trm_status trmi_fleet_lead(const trmi_crew_request *request, trmi_transport *transport,
                           trmi_worker *worker, trm_error *error);
// Work of the other ranks, until rank 0 ends it.
void trmi_fleet_follow(const volatile sig_atomic_t *stop, trmi_transport *transport,
                       trmi_worker *worker, int workers);

#endif
