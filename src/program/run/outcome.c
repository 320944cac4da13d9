// SPDX-License-Identifier: Apache-2.0
// How a run ends.
#include "program/run/run.h"

#include "modelling/reader/model.h"
#include "program/run/console.h"

bool trmi_run_fail(trmi_run *run, trmi_run_stage stage, const trm_error *error)
{
    if (run->outcome != TRMI_RUN_FAILED) {
        run->outcome = TRMI_RUN_FAILED;
        run->stage = stage;
        run->error = *error;
        trmi_instance_explain(run->instance, &run->error);
    }
    return false;
}

const trm_options *trmi_run_options(const trmi_run *run)
{
    return run->request.options ? run->request.options : trm_model_options(run->request.model);
}

const char *trmi_run_outcome_text(const trmi_run *run)
{
    static const char *const text[] = {[TRMI_RUN_DONE] = "done",
                                       [TRMI_RUN_FAILED] = "failed",
                                       [TRMI_RUN_INTERRUPTED] = "interrupted"};
    return text[run->outcome];
}

int trmi_run_exit_code(const trmi_run *run)
{
    static const int code[] = {[TRMI_STAGE_MODEL] = 3,
                               [TRMI_STAGE_INITIAL] = 4,
                               [TRMI_STAGE_SIMULATION] = 1,
                               [TRMI_STAGE_RESULTS] = 5};
    if (run->outcome == TRMI_RUN_FAILED)
        return code[run->stage];
    if (run->outcome == TRMI_RUN_INTERRUPTED)
        return 130;
    return run->error.status == TRM_UNTRUSTED ? TRMI_EXIT_UNTRUSTED : TRMI_EXIT_DONE;
}
