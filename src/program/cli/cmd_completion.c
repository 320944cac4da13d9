// SPDX-License-Identifier: Apache-2.0
// trammel completion: scripts for shells. They ask `trammel completion words -- WORD...` what fits.
#include "program/cli/command.h"
#include "program/cli/complete.h"
#include "program/cli/report.h"

#include <stdio.h>
#include <string.h>

static const char bash[] =
    "# bash completion of trammel:  source <(trammel completion bash)\n"
    "_trammel() {\n"
    "    local line suffix files= word=${COMP_WORDS[COMP_CWORD]}\n"
    "    [ \"$word\" = '=' ] && word=\n"
    "    COMPREPLY=()\n"
    "    while IFS= read -r line; do\n"
    "        case $line in\n"
    "        :folders) files=$(compgen -d -- \"$word\") ;;\n"
    "        :files) files=$(compgen -f -- \"$word\") ;;\n"
    "        :files*)\n"
    "            files=$(printf '%s\\n' \"$files\"; compgen -d -- \"$word\"\n"
    "                for suffix in ${line#:files}; do\n"
    "                    compgen -f -X \"!*.$suffix\" -- \"$word\"; done) ;;\n"
    "        *) COMPREPLY+=(\"${line%%$'\\t'*}\") ;;\n"
    "        esac\n"
    "    done < <(\"${COMP_WORDS[0]}\" completion words -- \"${COMP_WORDS[@]:1:COMP_CWORD}\" "
    "2>/dev/null)\n"
    "    if [ ${#COMPREPLY[@]} -eq 0 ]; then\n"
    "        compopt -o filenames 2>/dev/null\n"
    "    elif [ ${#COMPREPLY[@]} -eq 1 ]; then\n"
    "        case ${COMPREPLY[0]} in *=|*.) compopt -o nospace 2>/dev/null ;; esac\n"
    "    fi\n"
    "    while IFS= read -r line; do\n"
    "        [ -n \"$line\" ] && COMPREPLY+=(\"$line\")\n"
    "    done <<< \"$files\"\n"
    "    return 0\n"
    "}\n"
    "complete -F _trammel trammel\n";

static const char zsh[] =
    "#compdef trammel\n"
    "# zsh completion of trammel:  source <(trammel completion zsh)\n"
    "_trammel() {\n"
    "    local line value\n"
    "    local -a whole whole_text open open_text\n"
    "    for line in \"${(@f)$(\"${words[1]}\" completion words -- \"${(@)words[2,CURRENT]}\" "
    "2>/dev/null)}\"; do\n"
    "        value=${line%%$'\\t'*}\n"
    "        case $value in\n"
    "        :folders) _files -/ ;;\n"
    "        :files) _files ;;\n"
    "        :files*) _files -g \"*.(${(j:|:)${(s: :)line#:files }})\" ;;\n"
    "        (*=|*.) open+=(\"$value\"); open_text+=(\"${line//$'\\t'/  }\") ;;\n"
    "        (?*) whole+=(\"$value\"); whole_text+=(\"${line//$'\\t'/  }\") ;;\n"
    "        esac\n"
    "    done\n"
    "    (( $#whole )) && compadd -l -d whole_text -a whole\n"
    "    (( $#open )) && compadd -S '' -l -d open_text -a open\n"
    "    return 0\n"
    "}\n"
    "if [ \"$funcstack[1]\" = _trammel ]; then _trammel \"$@\"; else compdef _trammel trammel; "
    "fi\n";

static const char fish[] =
    "# fish completion of trammel:  trammel completion fish | source\n"
    "function __trammel_complete\n"
    "    set -l line (commandline -opc) (commandline -ct)\n"
    "    for word in ($line[1] completion words -- $line[2..-1] 2>/dev/null)\n"
    "        switch $word\n"
    "            case ':folders'\n"
    "                __fish_complete_directories (commandline -ct)\n"
    "            case ':files'\n"
    "                __fish_complete_path (commandline -ct)\n"
    "            case ':files *'\n"
    "                for suffix in (string split ' ' (string replace ':files ' '' -- $word))\n"
    "                    __fish_complete_suffix .$suffix\n"
    "                end\n"
    "            case '*'\n"
    "                printf '%s\\n' $word\n"
    "        end\n"
    "    end\n"
    "end\n"
    "complete -c trammel -f -a '(__trammel_complete)'\n";

static int run(const trmi_arguments *a)
{
    static const char *const name[] = {"bash", "zsh", "fish"}, *const script[] = {bash, zsh, fish};
    if (strcmp(a->word[0], "words") == 0) {
        trmi_complete(a->word + 1, a->count - 1);
        return TRMI_EXIT_DONE;
    }
    if (a->count > 1)
        return trmi_exit_with(TRMI_EXIT_USAGE, "usage: trammel completion bash|zsh|fish");
    for (int k = 0; k < 3; k++)
        if (strcmp(a->word[0], name[k]) == 0) {
            fputs(script[k], stdout);
            return TRMI_EXIT_DONE;
        }
    return trmi_exit_with(TRMI_EXIT_USAGE, "completion exists for bash, zsh and fish, not '%s'",
                          a->word[0]);
}

const trmi_command trmi_cmd_completion = {
    "completion",
    "bash|zsh|fish",
    1,
    TRMI_MAX_ARGUMENTS,
    "print the completion script of a shell",
    "It completes commands, options and their values, model files, results, the channels of a\n"
    "result, names of examples, and keys after --set.",
    NULL,
    run,
};
