// SPDX-License-Identifier: Apache-2.0
// The browser prints the document in which the page has put its pictures as lines of base64.
#define _XOPEN_SOURCE 700
#include "program/cli/film.h"

#include "base/error.h"
#include "program/files/apart.h"
#include "program/files/file_error.h"
#include "program/files/text.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// ---- programs ----

// whether a program of that name is in the path, or the path of one exists
static bool is_program(const char *name)
{
    const char *path = getenv("PATH");
    if (strchr(name, '/'))
        return access(name, X_OK) == 0;
    while (path && *path) {
        size_t length = strcspn(path, ":");
        char file[PATH_MAX];
        snprintf(file, sizeof file, "%.*s/%.200s", (int)length, path, name);
        if (access(file, X_OK) == 0)
            return true;
        path += length + (path[length] == ':');
    }
    return false;
}

static const char *find_browser(void)
{
    static const char *const names[] = {"chromium", "chromium-browser", "google-chrome", "chrome"};
    const char *given = getenv("TRM_BROWSER");
    if (given && given[0])
        return is_program(given) ? given : NULL;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (is_program(names[k]))
            return names[k];
    return NULL;
}

// Runs a program, its messages thrown away, its output into `out` (NULL: thrown away as well).
static bool run_program(const char *const *word, trmi_text *out)
{
    int ends[2];
    if (pipe(ends) != 0)
        return false;
    pid_t child = fork();
    if (child == 0) {
        FILE *nothing = fopen("/dev/null", "r+");
        if (nothing) {
            dup2(fileno(nothing), STDIN_FILENO);
            dup2(fileno(nothing), STDERR_FILENO);
            dup2(out ? ends[1] : fileno(nothing), STDOUT_FILENO);
        }
        close(ends[0]);
        close(ends[1]);
        trmi_apart_unlimit();
        execvp(word[0], (char *const *)word);
        _exit(127);
    }
    close(ends[1]);
    char buffer[65536];
    ssize_t count;
    while (child > 0 && (count = read(ends[0], buffer, sizeof buffer)) != 0) {
        if (count < 0 && errno != EINTR)
            break;
        if (count > 0 && out)
            trmi_text_add_bytes(out, buffer, (size_t)count);
    }
    close(ends[0]);
    int status = -1;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// ---- pictures ----

static int value_of(char letter)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = letter ? strchr(letters, letter) : NULL;
    return at ? (int)(at - letters) : -1;
}

// writes what a line of base64 stands for; false: the disk is full
static bool write_picture(const char *path, const char *line, size_t length)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        return false;
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
            fputc((int)(bits >> have & 255), file);
        }
    }
    bool good = !ferror(file);
    return fclose(file) == 0 && good;
}

// a name in the folder, or the file that was asked for
static void picture_path(char *path, size_t size, const char *folder, int index)
{
    snprintf(path, size, "%s/%05d.png", folder, index);
}

// the pictures of the document into files of the folder, or the first into `only`; their number
static int write_pictures(const trmi_text *document, const char *folder, const char *only)
{
    const char *at = document->data ? strstr(document->data, "<pre id=\"film\">") : NULL;
    int count = 0;
    for (at = at ? at + strlen("<pre id=\"film\">") : NULL; at && *at && *at != '<'; count++) {
        size_t length = strcspn(at, "\n<");
        char path[PATH_MAX];
        picture_path(path, sizeof path, folder, count);
        if (!write_picture(only ? only : path, at, length))
            return -1;
        at += length + (at[length] == '\n');
    }
    return count;
}

static bool ask_browser(const trmi_film *film, const char *browser, trmi_text *document)
{
    char *page = realpath(film->page, NULL);
    char address[PATH_MAX + 300], size[60], data[PATH_MAX + 30];
    if (!page)
        return false;
    snprintf(address, sizeof address, "file://%s#theme=%s&show=%s&film=%s:%.17g%s:%d:%d:%d:%d",
             page, film->theme ? film->theme : "light", film->show ? film->show : "",
             film->movie ? "movie" : "still", film->at, film->percent ? "%25" : "", film->fps,
             film->width, film->height, film->most);
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
    bool done = run_program(word, document) && !document->failed;
    free(page);
    return done;
}

// ---- movies ----

static bool make_movie(const trmi_film *film)
{
    char input[PATH_MAX], rate[20];
    snprintf(input, sizeof input, "%s/%%05d.png", film->folder);
    snprintf(rate, sizeof rate, "%d", film->fps);
    const char *dot = strrchr(film->path, '.');
    bool gif = dot && strcmp(dot, ".gif") == 0;
    // a palette of its own makes small GIF files with clean colours
    const char *filter = gif ? "split[a][b];[a]palettegen=stats_mode=diff[p];"
                               "[b][p]paletteuse=dither=none:diff_mode=rectangle"
                             : "format=yuv420p";
    const char *const word[] = {"ffmpeg", "-y",   "-framerate", rate, "-i",       input,
                                "-vf",    filter, "-loop",      "0",  film->path, NULL};
    const char *const video[] = {"ffmpeg", "-y",   "-framerate", rate,         "-i",       input,
                                 "-vf",    filter, "-movflags",  "+faststart", film->path, NULL};
    return run_program(gif ? word : video, NULL);
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
        run_program(word, NULL);
    free(folder);
}

static trm_status refuse(trm_error *error, const char *advice, const char *text)
{
    trmi_error_advise(error, "%s", advice);
    return trmi_error_set(error, TRM_ERR_RESULT, "%s", text);
}

trm_status trmi_film_take(const trmi_film *film, trm_error *error)
{
    const char *browser = find_browser();
    bool movie = film->movie;
    if (!browser)
        return refuse(error, "install chromium, or name another browser of its kind in TRM_BROWSER",
                      "there is no browser to take pictures with");
    if (movie && !is_program("ffmpeg"))
        return refuse(error, "install ffmpeg", "there is no ffmpeg to make a movie with");
    trmi_text document = {0};
    trm_status status = TRM_OK;
    errno = 0;
    int count = ask_browser(film, browser, &document)
                    ? write_pictures(&document, film->folder, movie ? NULL : film->path)
                    : 0;
    if (count < 0)
        status = trmi_file_error(error, "write", film->path, errno);
    else if (count == 0)
        status = trmi_file_error_text(error, "write", film->path, "%s drew no picture of the page",
                                      browser);
    else if (movie && !make_movie(film))
        status = trmi_file_error_text(error, "write", film->path, "ffmpeg failed");
    trmi_text_free(&document);
    return status;
}
