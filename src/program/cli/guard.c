// SPDX-License-Identifier: Apache-2.0
#define _XOPEN_SOURCE 700
#include "program/cli/guard.h"

#include "program/cli/interrupt.h"
#include "program/cli/report.h"
#include "program/files/apart.h"
#include "program/files/reader.h"

#include <signal.h>
#include <string.h>

bool trmi_reads_results(const trmi_arguments *arguments)
{
    static const char word[] = "RESULT";
    const char *expected = arguments->command->arguments;
    bool some = false;
    if (expected && strncmp(expected, word, sizeof word - 1) == 0)
        for (int i = 0; i < arguments->count; i++)
            some = some || trmi_result_recognise(arguments->word[i]);
    return some;
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
    char what[100];
    if (means_the_command(number))
        trmi_end_by(number);
    trmi_apart_describe(number, what, sizeof what);
    return trmi_exit_with(TRMI_EXIT_RESULTS, "%s %s",
                          a->count == 1 ? a->word[0] : "one of the files", what);
}

typedef struct guarded_command {
    int (*act)(const trmi_arguments *arguments);
    const trmi_arguments *arguments;
} guarded_command;

static int act_of(void *data)
{
    const guarded_command *command = data;
    return command->act(command->arguments);
}

int trmi_guarded(int (*act)(const trmi_arguments *arguments), const trmi_arguments *arguments)
{
    guarded_command command = {act, arguments};
    const char *file[TRMI_MAX_ARGUMENTS + 1] = {NULL};
    for (int i = 0; i < arguments->count; i++)
        file[i] = arguments->word[i];
    int code = trmi_apart(act_of, &command, file);
    return code < 0 ? report(arguments, -code) : code;
}
