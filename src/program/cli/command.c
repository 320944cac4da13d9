// SPDX-License-Identifier: Apache-2.0
// Parsing of command lines by the tables of the commands.
#include "program/cli/command.h"

#include "base/nearest.h"
#include "modelling/reader/keys/keys.h"
#include "program/cli/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const trmi_command *const commands[] = {
    &trmi_cmd_run,         &trmi_cmd_sweep,   &trmi_cmd_optimize,  &trmi_cmd_check,
    &trmi_cmd_equilibrium, &trmi_cmd_modes,   &trmi_cmd_reproduce, &trmi_cmd_plot,
    &trmi_cmd_view,        &trmi_cmd_info,    &trmi_cmd_new,       &trmi_cmd_problems,
    &trmi_cmd_schema,      &trmi_cmd_version, &trmi_cmd_help,      &trmi_cmd_completion,
};

enum { COMMANDS = sizeof commands / sizeof *commands, MAX_FLAGS = 40 };

static const trmi_flag common[] = {
    {"quiet", 'q', NULL, "nothing besides errors and warnings", NULL},
    {"verbose", 'v', NULL, "more messages; twice: every detail", NULL},
    {"color", '\0', "WHEN", "colours: auto, always or never (NO_COLOR is respected)",
     "auto always never"},
    {"help", 'h', NULL, "how this command is used", NULL},
    {NULL, '\0', NULL, NULL, NULL},
};

const trmi_command *trmi_command_at(int index)
{
    return index >= 0 && index < COMMANDS ? commands[index] : NULL;
}

const trmi_command *trmi_command_find(const char *name)
{
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

const trmi_flag *trmi_command_flag(const trmi_command *command, int index)
{
    int own = 0;
    while (command->flags && command->flags[own].name)
        own++;
    if (index < own)
        return &command->flags[index];
    index -= own;
    return index < (int)(sizeof common / sizeof *common) - 1 ? &common[index] : NULL;
}

const char *trmi_flag_value(const trmi_arguments *a, const char *name)
{
    const char *value = NULL;
    for (int i = 0; i < a->given; i++)
        if (strcmp(a->flag[i].flag->name, name) == 0)
            value = a->flag[i].value;
    return value;
}

bool trmi_flag_number(const trmi_arguments *a, const char *name, double low, double high,
                      const char *what, double *value)
{
    const char *text = trmi_flag_value(a, name);
    if (!text)
        return true;
    char *end;
    double number = strtod(text, &end);
    if (end == text || *end || !(number >= low && number <= high))
        return trmi_usage_error("--%s must be %s, not '%s'", name, what, text);
    *value = number;
    return true;
}

int trmi_flag_count(const trmi_arguments *a, const char *name)
{
    int count = 0;
    for (int i = 0; i < a->given; i++)
        count += strcmp(a->flag[i].flag->name, name) == 0;
    return count;
}

void trmi_flag_values(const trmi_arguments *a, const char *name, const char **list, int size)
{
    int count = 0;
    for (int i = 0; i < a->given && count < size - 1; i++)
        if (strcmp(a->flag[i].flag->name, name) == 0)
            list[count++] = a->flag[i].value;
    list[count] = NULL;
}

// the flag with that letter, or (letter '\0') with that name of `length` bytes
static const trmi_flag *find_flag(const trmi_command *command, char letter, const char *name,
                                  size_t length)
{
    const trmi_flag *flag;
    for (int i = 0; (flag = trmi_command_flag(command, i)); i++)
        if (letter ? flag->letter == letter
                   : strlen(flag->name) == length && strncmp(flag->name, name, length) == 0)
            return flag;
    return NULL;
}

// whether a name begins like another one, but for one edit
static bool begins_like(const char *name, const char *other)
{
    char head[64];
    size_t length = strlen(other);
    if (length < 3 || strlen(name) <= length)
        return false;
    snprintf(head, sizeof head, "%.*s", (int)length, name);
    return trmi_name_distance(head, other) <= TRMI_NAME_EDIT;
}

// The key of `simulate` whose name is nearest to that of a flag ("tolerance", "max-steps"), for
// commands that set keys of models; NULL: none is near.
static const char *find_setting(const trmi_command *command, const char *name)
{
    enum { MAX_SETTINGS = 80 };
    const char *names[MAX_SETTINGS], *prefix = "simulate.";
    char wanted[64];
    int count = 0;
    if (!find_flag(command, '\0', "set", 3))
        return NULL;
    snprintf(wanted, sizeof wanted, "%.*s", (int)strcspn(name, "="), name);
    for (char *dash = wanted; (dash = strchr(dash, '-'));)
        *dash = '_';
    const trmi_key *key;
    for (int i = 0; (key = trmi_key_row(i)) && count < MAX_SETTINGS; i++)
        if (strncmp(key->path, prefix, strlen(prefix)) == 0 &&
            !strchr(key->path + strlen(prefix), '.'))
            names[count++] = key->path + strlen(prefix);
    return trmi_nearest(wanted, names, count);
}

static bool refuse_flag(const trmi_command *command, const char *name)
{
    const char *names[MAX_FLAGS];
    int count = 0;
    const trmi_flag *flag;
    for (int i = 0; (flag = trmi_command_flag(command, i)) && count < MAX_FLAGS; i++)
        names[count++] = flag->name;
    const char *near = trmi_nearest(name, names, count), *setting = find_setting(command, name);
    for (int i = 0; i < count && !near; i++) // a longer word for it: "output" for "out"
        if (begins_like(name, names[i]))
            near = names[i];
    if (near && setting && trmi_name_distance(name, setting) < trmi_name_distance(name, near))
        near = NULL; // "step" is not "set"
    if (near)
        return trmi_usage_error("trammel %s has no option '--%s'; did you mean '--%s'?",
                                command->name, name, near);
    if (setting)
        return trmi_usage_error("trammel %s has no option '--%s'; a key of the model is set by "
                                "--set simulate.%s=VALUE",
                                command->name, name, setting);
    return trmi_usage_error("trammel %s has no option '--%s'; trammel help %s lists them",
                            command->name, name, command->name);
}

// --color is auto, always or never, not 'blue'
static bool refuse_value(const trmi_flag *flag, const char *value)
{
    char list[200] = "";
    size_t used = 0;
    for (const char *word = flag->choices; *word;) {
        size_t length = strcspn(word, " ");
        const char *next = word + length + strspn(word + length, " ");
        const char *before = used == 0 ? "" : *next ? ", " : " or ";
        snprintf(list + used, sizeof list - used, "%s%.*s", before, (int)length, word);
        used = strlen(list);
        word = next;
    }
    return trmi_usage_error("--%s is %s, not '%s'", flag->name, list, value);
}

static bool is_choice(const char *choices, const char *value)
{
    size_t length = strlen(value);
    for (const char *word = choices; *word; word += strcspn(word, " "), word += strspn(word, " "))
        if (strcspn(word, " ") == length && strncmp(word, value, length) == 0)
            return true;
    return false;
}

static bool add_flag(trmi_arguments *out, const trmi_flag *flag, const char *value)
{
    if (out->given == TRMI_MAX_ARGUMENTS)
        return trmi_usage_error("more than %d options", TRMI_MAX_ARGUMENTS);
    if (flag->choices && !is_choice(flag->choices, value))
        return refuse_value(flag, value);
    out->flag[out->given].flag = flag;
    out->flag[out->given++].value = value;
    return true;
}

// "--name", "--name=value", "--name value"
static bool parse_long(trmi_arguments *out, int *i)
{
    const char *name = out->argv[*i] + 2, *equals = strchr(name, '=');
    const trmi_flag *flag =
        find_flag(out->command, '\0', name, equals ? (size_t)(equals - name) : strlen(name));
    if (!flag)
        return refuse_flag(out->command, name);
    if (!flag->value && equals)
        return trmi_usage_error("option '--%s' takes no value", flag->name);
    const char *value = "";
    if (flag->value && equals)
        value = equals + 1;
    else if (flag->value && *i + 1 < out->argc)
        value = out->argv[++*i];
    else if (flag->value)
        return trmi_usage_error("option '--%s' needs a value: %s", flag->name, flag->value);
    return add_flag(out, flag, value);
}

// "-v", "-vv", "-o file", "-ofile"
static bool parse_short(trmi_arguments *out, int *i)
{
    for (const char *letter = out->argv[*i] + 1; *letter; letter++) {
        const trmi_flag *flag = find_flag(out->command, *letter, NULL, 0);
        if (!flag)
            return trmi_usage_error("trammel %s has no option '-%c'", out->command->name, *letter);
        if (!flag->value) {
            if (!add_flag(out, flag, ""))
                return false;
            continue;
        }
        if (letter[1])
            return add_flag(out, flag, letter + 1);
        if (*i + 1 < out->argc)
            return add_flag(out, flag, out->argv[++*i]);
        return trmi_usage_error("option '-%c' needs a value: %s", *letter, flag->value);
    }
    return true;
}

// No command writes over a file that it reads, or has written itself.
static bool files_are_kept(const trmi_arguments *a)
{
    bool kept = trmi_options_apart(a);
    for (int k = 0; k < a->count && kept; k++)
        kept = trmi_options_keep(a, a->word[k]);
    return kept;
}

bool trmi_arguments_parse(trmi_arguments *out, const trmi_command *command, int argc, char **argv)
{
    *out = (trmi_arguments){.command = command, .argc = argc, .argv = argv};
    bool words_only = false;
    for (int i = 2; i < argc; i++) {
        const char *word = argv[i];
        bool good = true;
        if (!words_only && strcmp(word, "--") == 0)
            words_only = true;
        else if (!words_only && word[0] == '-' && word[1] == '-')
            good = parse_long(out, &i);
        else if (!words_only && word[0] == '-' && word[1])
            good = parse_short(out, &i);
        else if (out->count < TRMI_MAX_ARGUMENTS)
            out->word[out->count++] = word;
        if (!good)
            return false;
    }
    if (trmi_flag_value(out, "help"))
        return true;
    if (out->count >= command->minimum && out->count <= command->maximum)
        return files_are_kept(out);
    return trmi_usage_error("usage: trammel %s%s%s", command->name,
                            command->arguments[0] ? " " : "", command->arguments);
}

void trmi_print_usage(const trmi_command *command)
{
    if (!command) {
        trmi_print(
            "usage: trammel COMMAND ...\n       trammel MODEL ...      the same as trammel run "
            "MODEL\n\ncommands\n");
        for (int i = 0; i < COMMANDS; i++)
            trmi_print("  %-12s %s\n", commands[i]->name, commands[i]->summary);
        trmi_print("\ntrammel help COMMAND prints more.\n");
        return;
    }
    trmi_print("usage: trammel %s%s%s\n\n%s.\n", command->name, command->arguments[0] ? " " : "",
               command->arguments, command->summary);
    if (command->text)
        trmi_print("\n%s\n", command->text);
    trmi_print("\noptions\n");
    const trmi_flag *flag;
    for (int i = 0; (flag = trmi_command_flag(command, i)); i++) {
        char left[60];
        snprintf(left, sizeof left, "%s%c%s --%s%s%s", flag->letter ? "-" : " ",
                 flag->letter ? flag->letter : ' ', flag->letter ? "," : " ", flag->name,
                 flag->value ? " " : "", flag->value ? flag->value : "");
        trmi_print("  %-26s %s\n", left, flag->help);
    }
}
