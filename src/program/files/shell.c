// SPDX-License-Identifier: Apache-2.0
#include "program/files/shell.h"

#include <string.h>

void trmi_shell_add_word(trmi_text *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=./:,@%";
    trmi_text_add(out, " ");
    if (*word && strspn(word, plain) == strlen(word)) {
        trmi_text_add(out, word);
        return;
    }
    trmi_text_add(out, "'");
    for (; *word; word++)
        trmi_text_add_bytes(out, *word == '\'' ? "'\\''" : word, *word == '\'' ? 4 : 1);
    trmi_text_add(out, "'");
}

void trmi_shell_add_settings(trmi_text *out, const char *option, const char *const *set)
{
    for (; set && *set; set++) {
        TRMI_TEXT_ADD(out, " ", option);
        trmi_shell_add_word(out, *set);
    }
}

void trmi_shell_add_parameter(trmi_text *out, const char *option, const char *name, double value)
{
    trmi_text word = {0};
    TRMI_TEXT_ADD(&word, "parameters.", name, "=");
    trmi_text_add_number(&word, value);
    out->failed = out->failed || word.failed;
    if (!word.failed)
        trmi_shell_add_settings(out, option, (const char *const[]){word.data, NULL});
    trmi_text_free(&word);
}
