// SPDX-License-Identifier: Apache-2.0
#define _XOPEN_SOURCE 700 // strsignal
#include "program/files/apart.h"

#include "base/error.h"
#include "program/files/file_error.h"
#include "program/files/reader.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// Of the processor, for reading and drawing: a whole file takes less than a tenth of this.
static const double SECONDS = 5, SECONDS_PER_BYTE = 1e-6;

// No more seconds than these, or than whoever started us allows: that limit cannot be raised.
static void limit_processor(rlim_t seconds)
{
    struct rlimit time;
    if (getrlimit(RLIMIT_CPU, &time) != 0)
        time.rlim_max = RLIM_INFINITY;
    time.rlim_cur = seconds < time.rlim_max ? seconds : time.rlim_max;
    setrlimit(RLIMIT_CPU, &time);
}

// in the child: no more time than the files are worth, and no file with its memory after a crash
static void limit(const char *const *file)
{
    double seconds = SECONDS;
    struct stat about;
    for (; *file; file++)
        if (stat(*file, &about) == 0)
            seconds += SECONDS_PER_BYTE * (double)about.st_size;
    const struct rlimit none = {0, 0};
    signal(SIGXCPU, SIG_DFL);
    limit_processor((rlim_t)seconds);
    setrlimit(RLIMIT_CORE, &none);
}

void trmi_apart_end_with(pid_t parent, int signal_number)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, signal_number);
#endif
    if (getppid() != parent) // it has ended since
        raise(signal_number);
}

void trmi_apart_unlimit(void)
{
    limit_processor(RLIM_INFINITY);
}

// ---- signals ----

// What would end the command is passed on to the process that works for it, so that this one
// cleans up: it may have started programs.
static const int PASSED_ON[] = {SIGINT, SIGTERM, SIGHUP};
enum { PASSED_COUNT = sizeof PASSED_ON / sizeof *PASSED_ON };

static volatile sig_atomic_t worker; // the only thing the handler may touch

static void pass_on(int signal_number)
{
    int kept = errno;
    kill((pid_t)worker, signal_number);
    errno = kept;
}

static void block(bool on, sigset_t *before)
{
    sigset_t some;
    sigemptyset(&some);
    for (int k = 0; k < PASSED_COUNT; k++)
        sigaddset(&some, PASSED_ON[k]);
    if (on)
        sigprocmask(SIG_BLOCK, &some, before);
    else
        sigprocmask(SIG_SETMASK, before, NULL);
}

// The end of a child. Signals that the program catches or ignores already are left alone.
static int wait_passing(pid_t child, const sigset_t *before)
{
    struct sigaction old[PASSED_COUNT];
    const struct sigaction passing = {.sa_handler = pass_on};
    sigset_t mask = *before;
    int status = 0;
    worker = (sig_atomic_t)child;
    for (int k = 0; k < PASSED_COUNT; k++) {
        sigaction(PASSED_ON[k], NULL, &old[k]);
        if (old[k].sa_handler == SIG_DFL)
            sigaction(PASSED_ON[k], &passing, NULL);
    }
    block(false, &mask);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    for (int k = 0; k < PASSED_COUNT; k++)
        if (old[k].sa_handler == SIG_DFL)
            sigaction(PASSED_ON[k], &old[k], NULL);
    return status;
}

int trmi_apart(int (*act)(void *data), void *data, const char *const *file)
{
    sigset_t before;
    fflush(NULL);
    block(true, &before); // until it is known whom they mean
    pid_t parent = getpid(), child = fork();
    if (child <= 0)
        block(false, &before);
    if (child < 0)
        return act(data);
    if (child == 0) {
        trmi_apart_end_with(parent, SIGTERM); // it ends the programs that it has started
        limit(file);
        int code = act(data);
        fflush(NULL);
        _exit(code);
    }
    int status = wait_passing(child, &before);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

void trmi_apart_describe(int signal_number, char *text, size_t size)
{
    if (signal_number == SIGXCPU)
        snprintf(text, size, "is damaged: reading it does not come to an end");
    else
        snprintf(text, size, "is damaged: reading it fails (%s)", strsignal(signal_number));
}

// ---- a whole result ----

typedef struct result_check {
    const char *path;
    int to; // where the error is written
} result_check;

static trm_status read_whole(const char *path, trm_error *error)
{
    trmi_result *result = trmi_result_open(path, error);
    trm_status status = result ? TRM_OK : TRM_ERR_RESULT;
    const double *t, *value;
    int64_t count;
    for (int axis = 0; axis < 2 && status == TRM_OK; axis++)
        status = trmi_result_time(result, axis == 1, &t, &count, error);
    for (int k = 0; status == TRM_OK && k < trmi_result_channels(result); k++)
        status = trmi_result_read(result, k, &t, &value, &count, error);
    trmi_result_close(result);
    return status;
}

static int report_whole(void *data)
{
    const result_check *check = data;
    trm_error error = trmi_no_error();
    trm_status status = read_whole(check->path, &error);
    bool written = status == TRM_OK || write(check->to, &error, sizeof error) == sizeof error;
    return status == TRM_OK ? 0 : written ? 1 : 2;
}

trm_status trmi_result_check(const char *path, trm_error *error)
{
    int ends[2];
    if (pipe(ends) != 0)
        return trmi_file_error(error, "read", path, errno);
    result_check check = {path, ends[1]};
    int code = trmi_apart(report_whole, &check, (const char *const[]){path, NULL});
    close(ends[1]); // a process that ended without a word leaves nothing to be read
    char text[100];
    trm_status status = TRM_OK;
    if (code < 0) {
        trmi_apart_describe(-code, text, sizeof text);
        status = trmi_file_error_text(error, "read", path, "it %s", text);
    } else if (code > 0 && read(ends[0], error, sizeof *error) == sizeof *error) {
        status = error->status;
    } else if (code > 0) {
        status = trmi_file_error(error, "read", path, EIO);
    }
    close(ends[0]);
    return status;
}
