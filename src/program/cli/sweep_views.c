// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "program/cli/sweep_views.h"

#include "base/error.h"
#include "base/texts.h"
#include "program/cli/view_results.h"
#include "program/run/search.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// simulates a run into a result file; false: there is none
static bool write_result(const trmi_sweep_views *r, int64_t run, const char *path)
{
    double *value = malloc(((size_t)r->plan->study->parameters + 1) * sizeof *value);
    trm_model *model = NULL;
    if (value)
        trmi_study_point(r->plan->study, run - 1, value);
    bool good = value && trm_model_vary(&model, r->plan->model, value, NULL) == TRM_OK;
    free(value);
    if (!good)
        return false;
    trmi_run_request request = {.model = model, .verify = TRMI_VERIFY_NEVER, .stop = r->stop};
    request.write[TRMI_FORMAT_hdf5] = true;
    request.path[TRMI_FORMAT_hdf5] = path;
    trmi_search search;
    trmi_run *result = NULL;
    trmi_search_begin(&search, &request);
    do {
        trmi_run_destroy(result);
        result = trmi_run_create(&search.request);
        if (result)
            trmi_run_go(result);
    } while (result && trmi_search_again(&search, result));
    good = result && result->outcome != TRMI_RUN_INTERRUPTED && access(path, F_OK) == 0;
    trmi_run_destroy(result);
    trm_model_destroy(model);
    return good;
}

// "page.run-17" of "page.html", and a suffix
static const char *name_of(const trmi_sweep_views *r, trmi_texts *texts, int64_t run,
                           const char *suffix)
{
    char stem[4000], number[40];
    const char *dot = strrchr(r->report, '.'), *slash = strrchr(r->report, '/');
    size_t length = dot && (!slash || dot > slash) ? (size_t)(dot - r->report) : strlen(r->report);
    snprintf(stem, sizeof stem, "%.*s", (int)length, r->report);
    snprintf(number, sizeof number, ".run-%" PRId64, run);
    return TRMI_JOIN(texts, stem, number, suffix);
}

int trmi_sweep_views_write(const trmi_sweep_views *r, trmi_memory *memory, trmi_study_view **view,
                           int *views)
{
    trmi_texts texts = {.memory = memory};
    int64_t *row;
    int code = TRMI_EXIT_DONE;
    *views = 0;
    if (!TRMI_TAKE(memory, *view, r->count) || !TRMI_TAKE(memory, row, r->count))
        return trmi_exit_with(TRMI_EXIT_FAILED, "no memory for the pages");
    if (r->count > 0 && !trmi_viewer_there())
        return TRMI_EXIT_FAILED;
    int chosen = trmi_study_choose(r->data, r->count, row);
    for (int k = 0; k < chosen && code == TRMI_EXIT_DONE && !(r->stop && *r->stop); k++) {
        int64_t run = (int64_t)r->data->column[0].value[row[k]];
        const char *page = name_of(r, &texts, run, ".html"),
                   *result = name_of(r, &texts, run, ".h5");
        if (!page || !result)
            return trmi_exit_with(TRMI_EXIT_FAILED, "no memory for the pages");
        const char *slash = strrchr(page, '/');
        if (write_result(r, run, result)) {
            code = trmi_view_one(result, page, r->console);
            if (code == TRMI_EXIT_DONE)
                (*view)[(*views)++] = (trmi_study_view){run, slash ? slash + 1 : page};
        }
        unlink(result);
    }
    return code;
}
