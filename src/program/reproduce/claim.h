// SPDX-License-Identifier: Apache-2.0
// Claims of a paper: the verdict is a judgement written in the experiment, its evidence is measured
// in every run.
#ifndef TRMI_PROGRAM_REPRODUCE_CLAIM_H
#define TRMI_PROGRAM_REPRODUCE_CLAIM_H

#include "program/reproduce/measure.h"

// Whether a piece of evidence is true of our medians (or means); false also where a run failed.
bool trmi_evidence_holds(const trmi_measured *measured, const trmi_evidence *evidence);

// Whether all of the evidence is true: then the verdict is confirmed. True when there is none.
bool trmi_claim_confirmed(const trmi_measured *measured, const trmi_claim *claim);

// Number of claims whose evidence is not true.
int trmi_claims_unconfirmed(const trmi_measured *measured);

#endif
