// SPDX-License-Identifier: Apache-2.0
// Values of a row by the names of their channels. A rotation in space has parameters about a centre
// that moves along; their channels have the names that formulas have for the components of the
// rotation vector, so only with their group are they what is meant.
#include "program/run/values.h"

#include "modelling/reader/model.h"

#include <stdlib.h>
#include <string.h>

bool *trmi_values_parameters(const trm_model *model)
{
    int count = trmi_values_count(model);
    const char **text = calloc((size_t)count + 1, sizeof *text);
    bool *hidden = calloc((size_t)count + 1, sizeof *hidden);
    if (text && hidden)
        trmi_model_describe(model, NULL, text);
    for (int k = 0; k < count && text && hidden; k++)
        hidden[k] = text[k] != NULL;
    if (!text) {
        free(hidden);
        hidden = NULL;
    }
    free(text);
    return hidden;
}

// whether a value has that name, with or without its group
static bool is_named(const trm_model *m, int index, const char *text, bool *output)
{
    int within = index;
    trm_channel_kind kind = trmi_values_kind(m, &within);
    const char *name = trm_model_channel(m, kind, within), *slash = strchr(text, '/');
    size_t length = strlen(trmi_channel_group[kind]);
    *output = kind == TRM_CHANNEL_OUTPUT;
    if (!slash)
        return strcmp(name, text) == 0;
    return (size_t)(slash - text) == length &&
           strncmp(text, trmi_channel_group[kind], length) == 0 && strcmp(name, slash + 1) == 0;
}

// *parameter: a plain name that only parameters of rotations have
static int find(const trm_model *m, const bool *hidden, const char *text, bool *parameter)
{
    bool plain = !strchr(text, '/');
    int count = trmi_values_count(m), found = -1;
    *parameter = false;
    for (int k = 0; k < count; k++) {
        bool output;
        if (!is_named(m, k, text, &output))
            continue;
        if (plain && hidden[k])
            *parameter = true;
        else if (found < 0 || output)
            found = k;
    }
    *parameter = *parameter && found < 0;
    return found;
}

int trmi_values_find(const trm_model *model, const bool *hidden, const char *text)
{
    bool parameter;
    return find(model, hidden, text, &parameter);
}

const char *trmi_values_override(const trm_model *model, const bool *hidden, const char *text,
                                 trmi_texts *texts)
{
    bool parameter;
    find(model, hidden, text, &parameter);
    return parameter ? TRMI_JOIN(texts, "outputs.", text, "=", text) : NULL;
}
