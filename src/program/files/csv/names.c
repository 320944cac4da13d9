// SPDX-License-Identifier: Apache-2.0
#include "program/files/csv/names.h"

#include "program/files/csv/part.h"

#include <string.h>

void trmi_csv_add_label(trmi_text *text, const char *group, const char *name, const char *unit)
{
    trmi_text label = {0};
    size_t length = strlen(name);
    TRMI_TEXT_ADD(&label, group, *group ? "/" : "", name);
    if (*unit || (length > 0 && name[length - 1] == ']')) {
        TRMI_TEXT_ADD(&label, " [", unit, "]");
    }
    if (label.failed)
        text->failed = true;
    else
        trmi_csv_add_field(text, label.data);
    trmi_text_free(&label);
}

void trmi_csv_split_label(char *label, const char **group, const char **name, const char **unit)
{
    char *bracket = NULL, *slash; // the last " [" of a label that ends with ']'
    size_t length = strlen(label);
    for (size_t k = length; k-- > 1 && label[length - 1] == ']' && !bracket;)
        if (label[k - 1] == ' ' && label[k] == '[')
            bracket = label + k - 1;
    *unit = *group = "";
    if (bracket) {
        bracket[strlen(bracket) - 1] = '\0';
        *bracket = '\0';
        *unit = bracket + 2;
    }
    *name = label;
    slash = strchr(label, '/');
    if (slash && slash != label) {
        *slash = '\0';
        *group = label;
        *name = slash + 1;
    }
}

char *trmi_csv_part_path(const char *path, trmi_file_part part)
{
    static const char *const suffix[TRMI_ALL_PARTS] = {"", "-steps.csv", "-events.csv",
                                                       "-errors.csv"};
    trmi_text out = {0};
    size_t length = strlen(path);
    bool cut = part != TRMI_PART_ROWS && length > 4 && strcmp(path + length - 4, ".csv") == 0;
    trmi_text_add_bytes(&out, path, cut ? length - 4 : length);
    trmi_text_add(&out, suffix[part]);
    if (!out.failed)
        return out.data;
    trmi_text_free(&out);
    return NULL;
}
