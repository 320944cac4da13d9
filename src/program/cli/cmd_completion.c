// SPDX-License-Identifier: Apache-2.0
// trammel completion: scripts for shells, from the tables of the commands.
#include "program/cli/command.h"
#include "program/cli/report.h"

#include <stdio.h>
#include <string.h>

static void print_words(const trmi_command *command)
{
    const trmi_flag *flag;
    for (int i = 0; (flag = trmi_command_flag(command, i)); i++)
        printf("%s--%s", i ? " " : "", flag->name);
}

static void print_commands(void)
{
    const trmi_command *command;
    for (int i = 0; (command = trmi_command_at(i)); i++)
        printf("%s%s", i ? " " : "", command->name);
}

static void print_bash(void)
{
    const trmi_command *command;
    printf("# bash completion of trammel:  source <(trammel completion bash)\n"
           "_trammel() {\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} words=\n"
           "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
           "        words=\"");
    print_commands();
    printf("\"\n    else\n        case ${COMP_WORDS[1]} in\n");
    for (int i = 0; (command = trmi_command_at(i)); i++) {
        printf("        %s) words=\"", command->name);
        print_words(command);
        printf("\" ;;\n");
    }
    printf("        esac\n    fi\n"
           "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\") $(compgen -f -- \"$word\"))\n"
           "}\n"
           "complete -o filenames -F _trammel trammel\n");
}

static void print_zsh(void)
{
    const trmi_command *command;
    printf("#compdef trammel\n"
           "# zsh completion of trammel:  source <(trammel completion zsh)\n"
           "_trammel() {\n    local -a words\n    if (( CURRENT == 2 )); then\n        words=(");
    print_commands();
    printf(")\n    else\n        case $words[2] in\n");
    for (int i = 0; (command = trmi_command_at(i)); i++) {
        printf("        %s) words=(", command->name);
        print_words(command);
        printf(") ;;\n");
    }
    printf("        esac\n    fi\n    compadd -a words\n    _files\n}\ncompdef _trammel trammel\n");
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
    static const struct {
        const char *shell;
        void (*print)(void);
    } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
    for (size_t k = 0; k < sizeof shells / sizeof *shells; k++)
        if (strcmp(shells[k].shell, a->word[0]) == 0) {
            shells[k].print();
            return TRMI_EXIT_DONE;
        }
    return trmi_exit_with(TRMI_EXIT_USAGE, "completion exists for bash, zsh and fish, not '%s'",
                          a->word[0]);
}

const trmi_command trmi_cmd_completion = {
    "completion", "bash|zsh|fish", 1, 1, "print the completion script of a shell", NULL, NULL, run,
};
