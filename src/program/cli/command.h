// SPDX-License-Identifier: Apache-2.0
// Commands and their flags as tables: parsing, usage texts and completion come from them.
#ifndef TRMI_PROGRAM_CLI_COMMAND_H
#define TRMI_PROGRAM_CLI_COMMAND_H

#include "program/run/console.h"

typedef struct trmi_flag {
    const char *name;  // without dashes; NULL ends a table
    char letter;       // '\0': none
    const char *value; // placeholder of its value, NULL: takes none; "FILE" is a file to write
    const char *help;
    const char *choices; // "auto always never": its value is one of these words; NULL: any
} trmi_flag;

// Of the commands that read models (trmi_load_model).
#define TRMI_FLAG_ALLOW_CODE                                                                       \
    {                                                                                              \
        "allow-code", '\0', NULL, "run the code of libraries that the model names", NULL           \
    }

enum { TRMI_MAX_ARGUMENTS = 1000 };

// A parsed command line.
typedef struct trmi_arguments {
    const struct trmi_command *command;
    int count, given; // plain words, flags
    const char *word[TRMI_MAX_ARGUMENTS];
    struct {
        const trmi_flag *flag;
        const char *value;
    } flag[TRMI_MAX_ARGUMENTS];
    int argc; // the whole line, for result files
    char **argv;
} trmi_arguments;

typedef struct trmi_command {
    const char *name;
    const char *arguments; // "MODEL", "RESULT CHANNEL..."
    int minimum, maximum;  // number of plain words
    const char *summary;   // one line
    const char *text;      // more lines, may be NULL
    const trmi_flag *flags;
    int (*run)(const trmi_arguments *arguments);
} trmi_command;

// The command with that number, NULL past the end.
const trmi_command *trmi_command_at(int index);
const trmi_command *trmi_command_find(const char *name);

// The value of a flag given last ("" for one without value); NULL when it was not given.
const char *trmi_flag_value(const trmi_arguments *arguments, const char *name);
int trmi_flag_count(const trmi_arguments *arguments, const char *name);
// The number given with a flag; *value stays as it is when the flag was not given. False after the
// message "--NAME must be WHAT, not '...'" when it is not a number in [low, high].
bool trmi_flag_number(const trmi_arguments *arguments, const char *name, double low, double high,
                      const char *what, double *value);
// All values of a flag, ended by NULL, in `list`, which has `size` elements.
void trmi_flag_values(const trmi_arguments *arguments, const char *name, const char **list,
                      int size);

// Flags of a command, then those every command has. NULL past the end.
const trmi_flag *trmi_command_flag(const trmi_command *command, int index);

// Parses argv[2 ...]; false after a message (exit 2).
bool trmi_arguments_parse(trmi_arguments *out, const trmi_command *command, int argc, char **argv);

// Prints how a command is used; all commands when it is NULL.
void trmi_print_usage(const trmi_command *command);

// The commands, each in cmd_<name>.c
extern const trmi_command trmi_cmd_run, trmi_cmd_sweep, trmi_cmd_optimize, trmi_cmd_check,
    trmi_cmd_equilibrium, trmi_cmd_modes, trmi_cmd_reproduce, trmi_cmd_plot, trmi_cmd_view,
    trmi_cmd_info, trmi_cmd_new, trmi_cmd_problems, trmi_cmd_schema, trmi_cmd_version,
    trmi_cmd_help, trmi_cmd_completion;

#endif
