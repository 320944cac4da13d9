// SPDX-License-Identifier: Apache-2.0
// The model that a checkpoint belongs to: the keys that decide the trajectory, each with its hash,
// and which of them have changed since it was written.
#include "program/run/run.h"

#include "base/error.h"
#include "modelling/reader/model.h"
#include "program/files/file_error.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { HASH_LENGTH = 17, MAX_CHANGES = 3, LONGEST_PATH = 40 };

void trmi_resume_keys(const trm_model *model, trmi_text *text)
{
    char hash[HASH_LENGTH + 1];
    for (int k = 0; k < model->parts; k++) {
        snprintf(hash, sizeof hash, "%016" PRIx64 " ", model->part[k].hash);
        TRMI_TEXT_ADD(text, hash, model->part[k].path, "\n");
    }
}

// whether the text has a line with these characters
static bool has_line(const char *text, size_t length, const char *line, size_t size)
{
    for (const char *end = text + length; text < end;) {
        const char *next = memchr(text, '\n', (size_t)(end - text));
        if (!next)
            return false;
        if ((size_t)(next - text) == size && memcmp(text, line, size) == 0)
            return true;
        text = next + 1;
    }
    return false;
}

// The keys of one list that differ or are missing in the other; those in `list` already are
// left out. Their number.
static int add_changes(trmi_text *list, const char *text, size_t length, const char *other,
                       size_t other_length, int count)
{
    for (const char *line = text, *end = text + length; line < end;) {
        const char *next = memchr(line, '\n', (size_t)(end - line));
        if (!next || next - line <= HASH_LENGTH)
            return count;
        size_t size = (size_t)(next - line), path = size - HASH_LENGTH;
        if (!has_line(other, other_length, line, size) &&
            !has_line(list->data, list->length, line + HASH_LENGTH, path)) {
            trmi_text_add_bytes(list, line + HASH_LENGTH, path);
            trmi_text_add(list, "\n");
            count++;
        }
        line = next + 1;
    }
    return count;
}

// "parameters.g and simulate.tolerance": the first of the lines, which may have any characters
static void join_lines(const trmi_text *list, int count, char *text, size_t size)
{
    const char *lines = list->data, *end = list->data + list->length;
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0; k < count && k < MAX_CHANGES; k++) {
        const char *next = memchr(lines, '\n', (size_t)(end - lines));
        const char *between = k == 0 ? "" : k == count - 1 ? " and " : ", ";
        int done =
            snprintf(text + used, size - used, "%s%.*s", between,
                     next - lines < LONGEST_PATH ? (int)(next - lines) : LONGEST_PATH, lines);
        used += done > 0 ? (size_t)done : 0;
        lines = next + 1;
    }
    if (count > MAX_CHANGES && used < size)
        snprintf(text + used, size - used, " and %d more", count - MAX_CHANGES);
}

bool trmi_resume_check_model(const trmi_run *run, const trmi_checkpoint *c, trm_error *error)
{
    const trm_model *model = run->request.model;
    const trmi_checkpoint_block *then = trmi_checkpoint_find(c, "model");
    trmi_text now = {0}, list = {0};
    char changed[MAX_CHANGES * (LONGEST_PATH + 8) + 40] = "";
    int count = 0;
    if (trmi_checkpoint_model(c) == model->hash)
        return true;
    trmi_resume_keys(model, &now);
    if (then && now.data) {
        count = add_changes(&list, now.data, now.length, then->data, then->size, 0);
        count = add_changes(&list, then->data, then->size, now.data, now.length, count);
    }
    if (count > 0 && !list.failed && !now.failed) {
        join_lines(&list, count, changed, sizeof changed);
        trmi_file_error_text(error, "use checkpoint", run->request.resume,
                             "%s changed since it was written", changed);
    } else {
        trmi_file_error_text(error, "use checkpoint", run->request.resume,
                             "it belongs to another model");
    }
    trmi_error_advise(error, "resume with the model file and the --set of the run that wrote it");
    trmi_text_free(&now);
    trmi_text_free(&list);
    return false;
}
