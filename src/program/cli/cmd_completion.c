// SPDX-License-Identifier: Apache-2.0
// trammel completion: scripts for shells, from the tables of the commands.
#include "program/cli/command.h"
#include "program/cli/report.h"

#include <stdio.h>
#include <string.h>

// A script that lists the words of each command: what comes before and after the list of commands,
// around the options of a command, and at the end.
typedef struct word_script {
    const char *head, *cases, *open, *close, *tail;
} word_script;

static const word_script bash = {
    "# bash completion of trammel:  source <(trammel completion bash)\n"
    "_trammel() {\n"
    "    local word=${COMP_WORDS[COMP_CWORD]} words=\n"
    "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
    "        words=\"",
    "\"\n    else\n        case ${COMP_WORDS[1]} in\n", "\"", "\" ;;\n",
    "        esac\n    fi\n"
    "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\") $(compgen -f -- \"$word\"))\n"
    "}\n"
    "complete -o filenames -F _trammel trammel\n"};

static const word_script zsh = {
    "#compdef trammel\n"
    "# zsh completion of trammel:  source <(trammel completion zsh)\n"
    "_trammel() {\n    local -a words\n    if (( CURRENT == 2 )); then\n        words=(",
    ")\n    else\n        case $words[2] in\n", "(", ") ;;\n",
    "        esac\n    fi\n    compadd -a words\n    _files\n}\ncompdef _trammel trammel\n"};

static void print_script(const word_script *s)
{
    const trmi_command *command;
    fputs(s->head, stdout);
    for (int i = 0; (command = trmi_command_at(i)); i++)
        printf("%s%s", i ? " " : "", command->name);
    fputs(s->cases, stdout);
    for (int i = 0; (command = trmi_command_at(i)); i++) {
        const trmi_flag *flag;
        printf("        %s) words=%s", command->name, s->open);
        for (int k = 0; (flag = trmi_command_flag(command, k)); k++)
            printf("%s--%s", k ? " " : "", flag->name);
        fputs(s->close, stdout);
    }
    fputs(s->tail, stdout);
}

static void print_fish(void)
{
    const trmi_command *command;
    printf("# fish completion of trammel:  trammel completion fish | source\n");
    for (int i = 0; (command = trmi_command_at(i)); i++) {
        printf("complete -c trammel -n __fish_use_subcommand -a %s -d \"%s\"\n", command->name,
               command->summary);
        const trmi_flag *flag;
        for (int k = 0; (flag = trmi_command_flag(command, k)); k++) {
            printf("complete -c trammel -n \"__fish_seen_subcommand_from %s\" -l %s", command->name,
                   flag->name);
            if (flag->letter)
                printf(" -s %c", flag->letter);
            printf("%s -d \"%s\"\n", flag->value ? " -r" : "", flag->help);
        }
    }
}

static int run(const trmi_arguments *a)
{
    const char *shell = a->word[0];
    if (strcmp(shell, "bash") == 0)
        print_script(&bash);
    else if (strcmp(shell, "zsh") == 0)
        print_script(&zsh);
    else if (strcmp(shell, "fish") == 0)
        print_fish();
    else
        return trmi_exit_with(TRMI_EXIT_USAGE, "completion exists for bash, zsh and fish, not '%s'",
                              shell);
    return TRMI_EXIT_DONE;
}

const trmi_command trmi_cmd_completion = {
    "completion", "bash|zsh|fish", 1, 1, "print the completion script of a shell", NULL, NULL, run,
};
