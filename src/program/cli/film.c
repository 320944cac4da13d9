// SPDX-License-Identifier: Apache-2.0
// The browser prints the document in which the page has put its pictures as lines of base64.
#define _XOPEN_SOURCE 700
#include "program/cli/film.h"

#include "base/error.h"
#include "program/cli/outside.h"
#include "program/files/disk.h"
#include "program/files/file_error.h"
#include "program/files/text.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double REMOVE_SECONDS = 60; // for the folder, however slow the disk is

// ---- programs ----

static const char *find_browser(void)
{
    static const char *const names[] = {"chromium", "chromium-browser", "google-chrome", "chrome"};
    const char *given = getenv("TRM_BROWSER");
    if (given && given[0])
        return trmi_outside_there(given) ? given : NULL;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (trmi_outside_there(names[k]))
            return names[k];
    return NULL;
}

// ---- pictures ----

static int value_of(char letter)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = letter ? strchr(letters, letter) : NULL;
    return at ? (int)(at - letters) : -1;
}

// Writes what a line of base64 stands for: 0 or errno.
static int write_picture(const char *path, const char *line, size_t length)
{
    trmi_whole_file file = trmi_whole_file_open(path);
    if (!file.out)
        return errno;
    unsigned bits = 0;
    int have = 0;
    for (size_t k = 0; k < length; k++) {
        int value = value_of(line[k]);
        if (value < 0)
            continue;
        bits = bits << 6 | (unsigned)value;
        have += 6;
        if (have >= 8) {
            have -= 8;
            fputc((int)(bits >> have & 255), file.out);
        }
    }
    return trmi_whole_file_close(&file);
}

// What the page has put into the document: pictures, a line each, or after a "!" why there are
// none; NULL: neither, as its script did not run to its end.
static const char *find_film(const trmi_text *document)
{
    static const char mark[] = "<pre id=\"film\">";
    const char *at = document->data ? strstr(document->data, mark) : NULL;
    at = at ? at + sizeof mark - 1 : NULL;
    return at && *at && *at != '<' ? at : NULL;
}

// the pictures into files of the folder, or the first into `only`: 0 or errno
static int write_pictures(const char *at, const char *folder, const char *only)
{
    int reason = 0;
    for (int index = 0; *at && *at != '<' && reason == 0; index++) {
        size_t length = strcspn(at, "\n<");
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/%05d.png", folder, index);
        reason = write_picture(only ? only : path, at, length);
        at += length + (at[length] == '\n');
    }
    return reason;
}

static trmi_outside_end ask_browser(const trmi_film *film, const char *browser, trmi_text *document)
{
    char *page = realpath(film->page, NULL);
    char address[PATH_MAX + 300], size[60], data[PATH_MAX + 30];
    if (!page)
        return TRMI_OUTSIDE_FAILED;
    snprintf(address, sizeof address, "file://%s#theme=%s&show=%s&film=%s:%.17g%s:%d:%d:%d:%d",
             page, film->theme ? film->theme : "light", film->show ? film->show : "",
             strcmp(film->kind, "png") != 0 ? "movie" : "still", film->at,
             film->percent ? "%25" : "", film->fps, film->width, film->height, film->most);
    snprintf(size, sizeof size, "--window-size=%d,%d", film->width, film->height);
    snprintf(data, sizeof data, "--user-data-dir=%s/profile", film->folder);
    // as administrator a browser runs only without its sandbox; the page is our own
    const char *const word[] = {browser,
                                "--headless",
                                "--dump-dom",
                                "--hide-scrollbars",
                                "--use-gl=angle",
                                "--use-angle=swiftshader",
                                "--enable-unsafe-swiftshader",
                                "--ignore-gpu-blocklist",
                                size,
                                data,
                                geteuid() == 0 ? "--no-sandbox" : "--disable-sync",
                                address,
                                NULL};
    trmi_outside_end end = trmi_outside_run(word, film->seconds, film->stop, document);
    free(page);
    return document->failed ? TRMI_OUTSIDE_FAILED : end;
}

// ---- movies ----

// the bytes of one file into another, which is replaced when it is complete: 0 or errno
static int copy_whole(const char *from, const char *to)
{
    char part[65536];
    size_t count;
    FILE *in = fopen(from, "rb");
    if (!in)
        return errno;
    trmi_whole_file file = trmi_whole_file_open(to);
    int reason = errno;
    if (file.out) {
        while ((count = fread(part, 1, sizeof part, in)) > 0)
            fwrite(part, 1, count, file.out); // what fails is found when it is closed
        reason = trmi_whole_file_close(&file);
    }
    fclose(in);
    return reason;
}

static trmi_outside_end ask_ffmpeg(const trmi_film *film, const char *movie)
{
    char input[PATH_MAX], rate[20];
    snprintf(input, sizeof input, "%s/%%05d.png", film->folder);
    snprintf(rate, sizeof rate, "%d", film->fps);
    bool gif = strcmp(film->kind, "gif") == 0;
    // a palette of its own makes small GIF files with clean colours; videos need even sizes
    const char *filter = gif ? "split[a][b];[a]palettegen=stats_mode=diff[p];"
                               "[b][p]paletteuse=dither=none:diff_mode=rectangle"
                             : "crop=trunc(iw/2)*2:trunc(ih/2)*2,format=yuv420p";
    const char *const word[] = {"ffmpeg", "-y",   "-framerate", rate, "-i",  input,
                                "-vf",    filter, "-loop",      "0",  movie, NULL};
    const char *const video[] = {"ffmpeg", "-y",   "-framerate", rate,         "-i",  input,
                                 "-vf",    filter, "-movflags",  "+faststart", movie, NULL};
    return trmi_outside_run(gif ? word : video, film->seconds, film->stop, NULL);
}

char *trmi_film_folder(void)
{
    const char *base = getenv("TMPDIR");
    trmi_text path = {0};
    TRMI_TEXT_ADD(&path, base && base[0] ? base : "/tmp", "/trammel-film-XXXXXX");
    if (!path.failed && mkdtemp(path.data))
        return path.data;
    trmi_text_free(&path);
    return NULL;
}

// with what the browser has left there
void trmi_film_remove(char *folder)
{
    const char *const word[] = {"rm", "-rf", "--", folder, NULL};
    if (folder)
        trmi_outside_run(word, REMOVE_SECONDS, NULL, NULL);
    free(folder);
}

static trm_status refuse(trm_error *error, const char *advice, const char *text)
{
    trmi_error_advise(error, "%s", advice);
    return trmi_error_set(error, TRM_ERR_RESULT, "%s", text);
}

// a program that has not done its work
static trm_status blame(const trmi_film *film, const char *program, trmi_outside_end end,
                        trm_error *error)
{
    if (end == TRMI_OUTSIDE_STOPPED)
        return TRM_STOP_USER;
    if (end == TRMI_OUTSIDE_FAILED)
        return trmi_file_error_text(error, "write", film->path, "%s failed", program);
    trmi_file_error_text(error, "write", film->path, "%s was not done after %.4g s and was ended",
                         program, film->seconds);
    trmi_error_advise(error, "--wait gives it longer, --frames and --size make less of it");
    return TRM_ERR_RESULT;
}

static trm_status make_movie(const trmi_film *film, trm_error *error)
{
    char movie[PATH_MAX];
    snprintf(movie, sizeof movie, "%s/movie.%s", film->folder, film->kind);
    trmi_outside_end end = ask_ffmpeg(film, movie);
    if (end != TRMI_OUTSIDE_DONE)
        return blame(film, "ffmpeg", end, error);
    int reason = copy_whole(movie, film->path);
    return reason == 0 ? TRM_OK : trmi_file_error(error, "write", film->path, reason);
}

static trm_status use_document(const trmi_film *film, const char *browser,
                               const trmi_text *document, trm_error *error)
{
    const char *found = find_film(document);
    bool movie = strcmp(film->kind, "png") != 0;
    if (!found)
        return trmi_file_error_text(error, "write", film->path, "%s drew no picture of the page",
                                    browser);
    if (found[0] == '!')
        return trmi_error_set(error, TRM_ERR_RESULT, "%.*s", (int)strcspn(found + 1, "\n<"),
                              found + 1);
    int reason = write_pictures(found, film->folder, movie ? NULL : film->path);
    if (reason != 0)
        return trmi_file_error(error, "write", film->path, reason);
    return movie ? make_movie(film, error) : TRM_OK;
}

trm_status trmi_film_take(const trmi_film *film, trm_error *error)
{
    const char *browser = find_browser();
    if (!browser)
        return refuse(error, "install chromium, or name another browser of its kind in TRM_BROWSER",
                      "there is no browser to take pictures with");
    if (strcmp(film->kind, "png") != 0 && !trmi_outside_there("ffmpeg"))
        return refuse(error, "install ffmpeg", "there is no ffmpeg to make a movie with");
    trmi_text document = {0};
    trmi_outside_end end = ask_browser(film, browser, &document);
    trm_status status = end == TRMI_OUTSIDE_DONE ? use_document(film, browser, &document, error)
                                                 : blame(film, browser, end, error);
    trmi_text_free(&document);
    return status;
}
