// SPDX-License-Identifier: Apache-2.0
#include "program/cli/view_results.h"

#include "base/error.h"
#include "program/view/view_page.h"

#include <stdio.h>

bool trmi_viewer_there(void)
{
    return trmi_viewer_bundle_size > 0 ||
           trmi_usage_error("this trammel was built without the viewer: scripts/install-deps "
                            "installs what it is made from, then build again; trammel plot draws "
                            "curves without it");
}

int trmi_add_results(trmi_json *json, const char *const *path, int count, double frames,
                     char *title, size_t size, const trmi_console *console)
{
    trm_error error = trmi_no_error();
    for (int i = 0; i < count; i++) {
        trmi_result *result = trmi_result_open(path[i], &error);
        if (!result)
            return trmi_exit_after(TRMI_EXIT_RESULTS, console, path[i], &error);
        const char *name = trmi_result_attribute(result, "title");
        if (i == 0)
            snprintf(title, size, "%s", name && name[0] ? name : path[i]);
        trmi_view_limits limits = {(int64_t)frames};
        trm_status status = trmi_view_add_result(json, result, path[i], limits, &error);
        trmi_result_close(result);
        if (status != TRM_OK)
            return trmi_exit_after(TRMI_EXIT_RESULTS, console, path[i], &error);
    }
    return TRMI_EXIT_DONE;
}

int trmi_view_one(const char *result, const char *page, const trmi_console *console)
{
    char title[300] = "";
    trm_error error = trmi_no_error();
    trmi_json json = {0};
    if (!trmi_viewer_there())
        return TRMI_EXIT_FAILED;
    trmi_view_begin(&json);
    int code = trmi_add_results(&json, &result, 1, 0, title, sizeof title, console);
    if (code == TRMI_EXIT_DONE && trmi_view_write(&json, title, page, &error) != TRM_OK)
        code = trmi_exit_after(TRMI_EXIT_RESULTS, console, page, &error);
    trmi_json_free(&json);
    return code;
}
