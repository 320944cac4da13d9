// SPDX-License-Identifier: Apache-2.0
// trammel view: results as a page that shows the machine and its curves.
#include "base/error.h"
#include "program/cli/command.h"
#include "program/cli/report.h"
#include "program/view/view_page.h"

#include <stdio.h>
#include <string.h>

static const trmi_flag flags[] = {
    {"out", 'o', "FILE", "the page; by default beside the first RESULT"},
    {"title", '\0', "TEXT", "above the page"},
    {"frames", '\0', "NUMBER", "rows of the result to show at most"},
    {NULL, '\0', NULL, NULL},
};

enum { MAX_RESULTS = 8 };

// adds every result, in the order of the command line; 0 or an exit code
static int add_results(const trmi_arguments *a, trmi_json *json, char *title, size_t size,
                       const trmi_console *console)
{
    trm_error error = trmi_no_error();
    double frames = 0;
    if (!trmi_flag_number(a, "frames", 2, 1e9, "a number of at least 2", &frames))
        return TRMI_EXIT_USAGE;
    for (int i = 0; i < a->count; i++) {
        trmi_result *result = trmi_result_open(a->word[i], &error);
        if (!result)
            return trmi_exit_after(TRMI_EXIT_RESULTS, console, a->word[i], &error);
        const char *name = trmi_result_attribute(result, "title");
        if (i == 0)
            snprintf(title, size, "%s", name && name[0] ? name : a->word[i]);
        trmi_view_limits limits = {(int64_t)frames};
        trm_status status = trmi_view_add_result(json, result, a->word[i], limits, &error);
        trmi_result_close(result);
        if (status != TRM_OK)
            return trmi_exit_after(TRMI_EXIT_RESULTS, console, a->word[i], &error);
    }
    return TRMI_EXIT_DONE;
}

// "results/crank.html" beside "results/crank.h5"
static void name_page(char *page, size_t size, const char *result)
{
    const char *dot = strrchr(result, '.'), *slash = strrchr(result, '/');
    bool suffix = dot && (!slash || dot > slash + 1);
    snprintf(page, size, "%.*s.html", suffix ? (int)(dot - result) : (int)strlen(result), result);
}

static int run(const trmi_arguments *a)
{
    const trmi_console console = trmi_console_of(a);
    if (trmi_viewer_bundle_size == 0)
        return trmi_exit_with(TRMI_EXIT_FAILED,
                              "this trammel was built without the viewer: scripts/install-deps "
                              "installs what it is made from, then build again; trammel plot draws "
                              "curves without it");
    char file[4200], title[300] = "";
    const char *path = trmi_flag_value(a, "out"), *given = trmi_flag_value(a, "title");
    if (!path) {
        name_page(file, sizeof file, a->word[0]);
        path = file;
    }
    trm_error error = trmi_no_error();
    trmi_json json = {0};
    trmi_view_begin(&json);
    int code = add_results(a, &json, title, sizeof title, &console);
    if (code == TRMI_EXIT_DONE &&
        trmi_view_write(&json, given ? given : title, path, &error) != TRM_OK)
        code = trmi_exit_after(TRMI_EXIT_RESULTS, &console, "trammel view", &error);
    trmi_json_free(&json);
    if (code == TRMI_EXIT_DONE && console.level > 0 && strcmp(path, "-") != 0)
        trmi_print("%s\n", path);
    return code;
}

const trmi_command trmi_cmd_view = {
    "view",
    "RESULT...",
    1,
    MAX_RESULTS,
    "write a page that shows the machine in motion and its curves",
    "The page is one file: it opens from disk in any browser, without a server and without a\n"
    "network. Several results are laid over each other.",
    flags,
    run,
};
