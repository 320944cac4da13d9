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

static const char prefix[] = "parameters.";

void trmi_setting_add_parameter(trmi_text *out, const char *name, double value)
{
    TRMI_TEXT_ADD(out, prefix, name, "=");
    trmi_text_add_number(out, value);
}

bool trmi_setting_is_parameter(const char *setting, const char *name)
{
    const size_t before = sizeof prefix - 1, length = strlen(name);
    if (strncmp(setting, prefix, before) != 0 || strncmp(setting + before, name, length) != 0)
        return false;
    const char behind = setting[before + length];
    return behind == '=' || behind == '\0';
}

void trmi_shell_add_parameter(trmi_text *out, const char *option, const char *name, double value)
{
    trmi_text word = {0};
    trmi_setting_add_parameter(&word, name, value);
    out->failed = out->failed || word.failed;
    if (!word.failed)
        trmi_shell_add_settings(out, option, (const char *const[]){word.data, NULL});
    trmi_text_free(&word);
}
