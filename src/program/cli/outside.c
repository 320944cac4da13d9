// SPDX-License-Identifier: Apache-2.0
#define _XOPEN_SOURCE 700
#include "program/cli/outside.h"

#include "base/clock.h"
#include "program/files/apart.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { GLANCE_MS = 50 }; // between two checks of the clock and of *stop

bool trmi_outside_there(const char *name)
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

// the child, which does not come back
static void become(const char *const *word, int output, pid_t parent)
{
    FILE *nothing = fopen("/dev/null", "r+");
    setpgid(0, 0);
    trmi_apart_end_with(parent, SIGKILL);
    if (nothing) {
        dup2(fileno(nothing), STDIN_FILENO);
        dup2(fileno(nothing), STDERR_FILENO);
        dup2(output >= 0 ? output : fileno(nothing), STDOUT_FILENO);
    }
    trmi_apart_unlimit();
    execvp(word[0], (char *const *)word);
    _exit(127);
}

// Takes what comes through the pipe within so many milliseconds; false: nothing came.
static bool take_output(int from, int patience, trmi_text *out)
{
    char buffer[65536];
    struct pollfd ready = {.fd = from, .events = POLLIN};
    if (poll(&ready, 1, patience) <= 0)
        return false;
    ssize_t count = read(from, buffer, sizeof buffer);
    if (count > 0 && out)
        trmi_text_add_bytes(out, buffer, (size_t)count);
    if (count == 0 && patience > 0) // closed, while the program goes on
        poll(NULL, 0, patience);
    return count > 0;
}

// The output of a program until it has ended, of which others that it started may still hold the
// pipe.
static trmi_outside_end wait_for(pid_t child, int from, double seconds, const trmi_stop *stop,
                                 trmi_text *out)
{
    const double limit = trmi_clock_seconds() + seconds;
    for (;;) {
        int status;
        take_output(from, GLANCE_MS, out);
        if (waitpid(child, &status, WNOHANG) == child) {
            while (take_output(from, 0, out))
                ;
            return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? TRMI_OUTSIDE_DONE
                                                                 : TRMI_OUTSIDE_FAILED;
        }
        if (stop && *stop)
            return TRMI_OUTSIDE_STOPPED;
        if (trmi_clock_seconds() > limit)
            return TRMI_OUTSIDE_LATE;
    }
}

trmi_outside_end trmi_outside_run(const char *const *word, double seconds, const trmi_stop *stop,
                                  trmi_text *out)
{
    int ends[2];
    if (pipe(ends) != 0)
        return TRMI_OUTSIDE_FAILED;
    pid_t parent = getpid(), child = fork();
    if (child == 0) {
        close(ends[0]);
        become(word, out ? ends[1] : -1, parent);
    }
    close(ends[1]);
    trmi_outside_end end = TRMI_OUTSIDE_FAILED;
    if (child > 0) {
        setpgid(child, child); // here too: whichever of the two comes first
        end = wait_for(child, ends[0], seconds, stop, out);
        kill(-child, SIGKILL); // what it has left too
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    close(ends[0]);
    return end;
}
