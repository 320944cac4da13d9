// SPDX-License-Identifier: Apache-2.0
#define _XOPEN_SOURCE 700 // strsignal
#include "program/cli/guard.h"

#include "program/cli/report.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// Of the processor, for reading and drawing: a whole file takes less than a tenth of this.
static const double SECONDS = 20, SECONDS_PER_BYTE = 1e-6;

bool trmi_reads_results(const trmi_command *command)
{
    static const char word[] = "RESULT";
    return command->arguments && strncmp(command->arguments, word, sizeof word - 1) == 0;
}

// in the child: no more time than the files are worth, and no file with its memory after a crash
static void limit(const trmi_arguments *a)
{
    double seconds = SECONDS;
    struct stat about;
    for (int i = 0; i < a->count; i++)
        if (stat(a->word[i], &about) == 0)
            seconds += SECONDS_PER_BYTE * (double)about.st_size;
    const struct rlimit time = {(rlim_t)seconds, (rlim_t)seconds + 1}, none = {0, 0};
    setrlimit(RLIMIT_CPU, &time);
    setrlimit(RLIMIT_CORE, &none);
}

// whoever ends the child by a signal means the command
static bool means_the_command(int number)
{
    static const int meant[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGKILL};
    for (size_t k = 0; k < sizeof meant / sizeof *meant; k++)
        if (meant[k] == number)
            return true;
    return false;
}

static int report(const trmi_arguments *a, int number)
{
    if (means_the_command(number)) {
        signal(number, SIG_DFL);
        raise(number);
    }
    return trmi_exit_with(TRMI_EXIT_RESULTS, "%s is damaged: reading it %s%s%s",
                          a->count == 1 ? a->word[0] : "one of the files",
                          number == SIGXCPU ? "does not come to an end" : "fails (",
                          number == SIGXCPU ? "" : strsignal(number), number == SIGXCPU ? "" : ")");
}

int trmi_guarded(int (*act)(const trmi_arguments *arguments), const trmi_arguments *arguments)
{
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) // no more processes: without the guard
        return act(arguments);
    if (child == 0) {
        limit(arguments);
        int code = act(arguments);
        fflush(NULL);
        _exit(code);
    }
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return trmi_exit_with(TRMI_EXIT_FAILED, "%s", strerror(errno));
    return WIFEXITED(status) ? WEXITSTATUS(status) : report(arguments, WTERMSIG(status));
}
