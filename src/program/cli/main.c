// SPDX-License-Identifier: Apache-2.0
// The command `trammel`.
#define _XOPEN_SOURCE 700 // SIGXFSZ
#include "base/nearest.h"
#include "program/cli/command.h"
#include "program/cli/guard.h"
#include "program/cli/report.h"

#include <hdf5.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int refuse_command(const char *word)
{
    const char *names[32];
    int count = 0;
    const trmi_command *command;
    for (; (command = trmi_command_at(count)) && count < 32; count++)
        names[count] = command->name;
    const char *near = trmi_nearest(word, names, count);
    return trmi_exit_with(TRMI_EXIT_USAGE, "there is no command '%s'%s%s%s", word,
                          near ? "; did you mean '" : "", near ? near : "",
                          near ? "'?" : " (trammel help lists them)");
}

// A reader that has gone needs nothing more.
static int run_and_flush(const trmi_arguments *arguments)
{
    return trmi_flush_output(arguments->command->run(arguments));
}

static int run_command(const trmi_command *command, int argc, char **argv)
{
    trmi_arguments *arguments = malloc(sizeof *arguments);
    int code = TRMI_EXIT_USAGE;
    if (!arguments)
        return trmi_exit_with(TRMI_EXIT_FAILED, "no memory");
    if (trmi_arguments_parse(arguments, command, argc, argv)) {
        code = TRMI_EXIT_DONE;
        if (trmi_flag_value(arguments, "help"))
            trmi_print_usage(command);
        else
            code = trmi_reads_results(arguments) ? trmi_guarded(run_and_flush, arguments)
                                                 : run_and_flush(arguments);
    }
    free(arguments);
    return code;
}

int main(int argc, char **argv)
{
    // files are closed at the exit, and what fails there must not change its code
    H5dont_atexit();
    signal(SIGPIPE, SIG_IGN); // who reads the messages and goes does not end a run
    signal(SIGXFSZ, SIG_IGN); // a limit on file sizes is an error of writing, as a full disk is
    if (argc < 2) {
        trmi_print_usage(NULL);
        return TRMI_EXIT_USAGE;
    }
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        word = "help";
    if (strcmp(word, "--version") == 0)
        word = "version";
    const trmi_command *command = trmi_command_find(word);
    if (command)
        return run_command(command, argc, argv);
    const char *dot = strrchr(word, '.');
    bool model =
        dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0 || strcmp(dot, ".json") == 0);
    if (!model) // else `trammel model.yaml` runs it
        return refuse_command(word);
    char **shifted = calloc((size_t)argc + 2, sizeof *shifted); // trammel run MODEL ...
    if (!shifted)
        return TRMI_EXIT_FAILED;
    shifted[0] = argv[0];
    shifted[1] = "run";
    memcpy(shifted + 2, argv + 1, (size_t)argc * sizeof *argv);
    int code = run_command(&trmi_cmd_run, argc + 1, shifted);
    free(shifted);
    return code;
}
