// SPDX-License-Identifier: Apache-2.0
// trammel view: results, or a model, as a page that shows the machine and its curves; or as a
// picture or movie of the machine.
#include "base/error.h"
#include "program/cli/command.h"
#include "program/cli/film.h"
#include "program/cli/interrupt.h"
#include "program/cli/report.h"
#include "program/cli/view_results.h"
#include "program/cli/view_start.h"
#include "program/view/view_page.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const trmi_flag flags[] = {
    {"out", 'o', "FILE", "the file to write; by default beside the first RESULT", NULL},
    {"set", 's', "PATH=VALUE", "override a key of the model file", NULL},
    TRMI_FLAG_ALLOW_CODE,
    {"title", '\0', "TEXT", "above the page", NULL},
    {"frames", '\0', "NUMBER", "rows of the result, or pictures of a movie, at most", NULL},
    {"png", '\0', "TIME", "a picture of the machine at t=0.5, or 50%, instead of a page", NULL},
    {"gif", '\0', NULL, "a movie that repeats itself instead of a page", NULL},
    {"mp4", '\0', NULL, "a movie instead of a page", NULL},
    {"show", '\0', "WORDS", "names, reactions, trails, ghost, joints: on or off in pictures", NULL},
    {"size", '\0', "WIDTHxHEIGHT", "of pictures, in pixels (800x500)", NULL},
    {"theme", '\0', "WORD", "of pictures: light or dark", "light dark"},
    {"wait", '\0', "SECONDS", "for the browser, and for ffmpeg, at most (300)", NULL},
    {NULL, '\0', NULL, NULL, NULL},
};

enum { MAX_RESULTS = 8 };

// "results/crank.html" beside "results/crank.h5"
static void name_file(char *file, size_t size, const char *result, const char *kind)
{
    const char *dot = strrchr(result, '.'), *slash = strrchr(result, '/');
    bool has = dot && (!slash || dot > slash + 1);
    snprintf(file, size, "%.*s.%s", has ? (int)(dot - result) : (int)strlen(result), result, kind);
}

// a file that is there and no result
static bool is_model(const char *path)
{
    FILE *file = fopen(path, "r");
    bool there = file && fgetc(file) != EOF;
    if (file)
        fclose(file);
    return there && !trmi_result_recognise(path);
}

// Writes the page; *found is the exit code of what is wrong with a model that is shown all the
// same.
static int write_page(const trmi_arguments *a, const char *page, const trmi_console *console,
                      int *found)
{
    char title[300] = "";
    const char *given = trmi_flag_value(a, "title");
    double frames = 0;
    trm_error error = trmi_no_error();
    trmi_json json = {0};
    if (!trmi_flag_number(a, "frames", 2, 1e9, "a number of at least 2", &frames))
        return TRMI_EXIT_USAGE;
    trmi_view_begin(&json);
    int code =
        a->count == 1 && is_model(a->word[0])
            ? trmi_view_start(a, console, &json, title, sizeof title, found)
            : trmi_add_results(&json, a->word, a->count, frames, title, sizeof title, console);
    if (code == TRMI_EXIT_DONE &&
        trmi_view_write(&json, given ? given : title, page, &error) != TRM_OK)
        code = trmi_exit_after(TRMI_EXIT_RESULTS, console, "trammel view", &error);
    trmi_json_free(&json);
    return code;
}

// ---- pictures ----

static const char *const kinds[] = {"html", "png", "gif", "mp4"};
enum { KINDS = sizeof kinds / sizeof *kinds };

// "png", "gif", "mp4", or "html" for a page; NULL after a message
static const char *chosen_kind(const trmi_arguments *a)
{
    const char *chosen = kinds[0];
    for (int k = 1; k < KINDS; k++) {
        if (!trmi_flag_value(a, kinds[k]))
            continue;
        if (chosen != kinds[0]) {
            trmi_usage_error("--%s and --%s exclude each other", chosen, kinds[k]);
            return NULL;
        }
        chosen = kinds[k];
    }
    return chosen;
}

// Whether the name of the file is that of what is written: one that ends differently would be
// opened by the wrong program.
static bool check_name(const char *path, const char *kind)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    bool page = kind == kinds[0], stream = strcmp(path, "-") == 0;
    if (stream)
        return page || strcmp(kind, "png") == 0 ||
               trmi_usage_error("--%s needs a file: --out NAME.%s", kind, kind);
    if (dot && (strcmp(dot + 1, kind) == 0 || (page && strcmp(dot, ".htm") == 0)))
        return true;
    for (int k = 1; k < KINDS && dot; k++)
        if (strcmp(dot + 1, kinds[k]) == 0)
            return trmi_usage_error("%s is the name of a %s: --%s%s makes one", path,
                                    k == 1 ? "picture" : "movie", kinds[k], k == 1 ? " TIME" : "");
    return trmi_usage_error(
        "%s: trammel view%s%s writes a .%s file; pages are .html, pictures .png "
        "(--png TIME), movies .gif or .mp4",
        path, page ? "" : " --", page ? "" : kind, kind);
}

// "names,trails": what can be switched on or off in a picture
static bool check_show(const char *words)
{
    static const char *const known[] = {"names", "reactions", "trails",
                                        "ghost", "joints",    "follow"};
    enum { KNOWN = sizeof known / sizeof *known };
    for (const char *at = words; *at; at += strcspn(at, ","), at += *at == ',') {
        size_t length = strcspn(at, ",");
        int k = 0;
        while (k < KNOWN && !(strlen(known[k]) == length && strncmp(known[k], at, length) == 0))
            k++;
        if (k == KNOWN)
            return trmi_usage_error(
                "--show takes names, reactions, trails, ghost, joints, follow, separated by "
                "commas, not '%.*s'",
                (int)length, at);
    }
    return true;
}

static bool read_film(const trmi_arguments *a, trmi_film *film)
{
    const char *time = trmi_flag_value(a, "png"), *size = trmi_flag_value(a, "size");
    film->show = trmi_flag_value(a, "show");
    film->theme = trmi_flag_value(a, "theme");
    if (film->show && !check_show(film->show))
        return false;
    char rest;
    if (size &&
        (sscanf(size, "%dx%d%c", &film->width, &film->height, &rest) != 2 || film->width < 50 ||
         film->height < 50 || film->width > 8000 || film->height > 8000))
        return trmi_usage_error("--size is like 800x500, from 50 to 8000 pixels, not '%s'", size);
    if (!trmi_flag_number(a, "wait", 1, 1e6, "seconds from 1 to 1000000", &film->seconds))
        return false;
    if (!time)
        return true;
    const char *number = strncmp(time, "t=", 2) == 0 ? time + 2 : time;
    char *end;
    film->at = strtod(number, &end);
    film->percent = strcmp(end, "%") == 0;
    return (end != number && isfinite(film->at) && (!*end || film->percent)) ||
           trmi_usage_error("--png takes a time like t=0.5, or 50%% of the run, not '%s'", time);
}

// through a page that is thrown away
static int take_film(const trmi_arguments *a, const char *path, const char *kind,
                     const trmi_console *console, int *found)
{
    trmi_film film = {.path = path,
                      .kind = kind,
                      .width = 800,
                      .height = 500,
                      .fps = 25,
                      .most = 400,
                      .seconds = 300,
                      .stop = trmi_note_interrupts()};
    trm_error error = trmi_no_error();
    double most = film.most;
    if (!read_film(a, &film) ||
        !trmi_flag_number(a, "frames", 2, 1e5, "a number from 2 to 100000", &most))
        return TRMI_EXIT_USAGE;
    film.most = (int)most;
    char page[4200], *folder = trmi_film_folder();
    if (!folder)
        return trmi_exit_with(TRMI_EXIT_RESULTS, "cannot make a folder in $TMPDIR or /tmp: %s",
                              strerror(errno));
    snprintf(page, sizeof page, "%.4000s/page.html", folder);
    film.folder = folder;
    film.page = page;
    int code = write_page(a, page, console, found);
    trm_status status = code == TRMI_EXIT_DONE ? trmi_film_take(&film, &error) : TRM_OK;
    trmi_film_remove(folder);
    if (*film.stop)
        trmi_end_by((int)*film.stop);
    return status == TRM_OK ? code
                            : trmi_exit_after(TRMI_EXIT_RESULTS, console, "trammel view", &error);
}

static int run(const trmi_arguments *a)
{
    const trmi_console console = trmi_console_of(a);
    char file[4200];
    const char *path = trmi_flag_value(a, "out"), *kind = chosen_kind(a);
    if (!kind || (path && !check_name(path, kind)))
        return TRMI_EXIT_USAGE;
    if (!trmi_viewer_there())
        return TRMI_EXIT_FAILED;
    if (!path) {
        name_file(file, sizeof file, a->word[0], kind);
        path = file;
    }
    int found = TRMI_EXIT_DONE;
    int code = kind == kinds[0] ? write_page(a, path, &console, &found)
                                : take_film(a, path, kind, &console, &found);
    if (code == TRMI_EXIT_DONE && console.level > 0 && strcmp(path, "-") != 0)
        trmi_print("%s\n", path);
    return code == TRMI_EXIT_DONE ? found : code;
}

const trmi_command trmi_cmd_view = {
    "view",
    "RESULT... | MODEL",
    1,
    MAX_RESULTS,
    "write a page that shows the machine in motion and its curves",
    "The page is one file: it opens from disk in any browser, without a server and without a\n"
    "network. Several results are laid over each other. Of a model file it shows the assembled\n"
    "machine with the names of its parts, its tree and cuts, and what trammel check reports in\n"
    "colour; one that cannot be assembled is shown as the file describes it (exit code 4).\n\n"
    "Pictures and movies are taken by a browser without a window: chromium, or the one that\n"
    "TRM_BROWSER names; movies need ffmpeg too. Each is ended after --wait seconds.",
    flags,
    run,
};
