// SPDX-License-Identifier: Apache-2.0
// Runs of a study on its page: the scatter matrix of parameters and what is recorded, and the
// commands that its points lead to.
#include "program/files/text.h"
#include "program/study/study_report.h"

#include <string.h>

enum { MAX_COLUMNS = 8, MAX_SHOWN = 200 };

// an argument of a shell: in quotes unless all characters mean themselves
static void add_word(trmi_text *out, const char *word)
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

static void add_settings(trmi_text *out, const char *const *set)
{
    for (; set && *set; set++) {
        trmi_text_add(out, " --set");
        add_word(out, *set);
    }
}

void trmi_study_command(trmi_text *out, const trmi_plan *plan, const trmi_study_data *data,
                        const char *const *set, int64_t row)
{
    trmi_text word = {0};
    trmi_text_add(out, "trammel run");
    add_word(out, plan->study->model);
    trmi_text_add(out, " --view");
    add_settings(out, set); // in the order in which the study has loaded the model
    add_settings(out, plan->study->set);
    for (int k = 0; k < data->columns; k++) {
        const trmi_study_column *c = &data->column[k];
        if (c->kind != TRMI_STUDY_PARAMETER)
            continue;
        trmi_text_clear(&word);
        TRMI_TEXT_ADD(&word, "parameters.", c->name, "=");
        trmi_text_add_number(&word, c->value[row]);
        if (word.data)
            add_settings(out, (const char *const[]){word.data, NULL});
    }
    out->failed = out->failed || word.failed;
    trmi_text_free(&word);
}

// parameters, then what is recorded; where there are too many, the first ones of both
static int choose_columns(const trmi_study_data *data, const trmi_study_column *chosen[MAX_COLUMNS])
{
    int count[2] = {0}, columns = 0;
    for (int k = 0; k < data->columns; k++) {
        count[0] += data->column[k].kind == TRMI_STUDY_PARAMETER;
        count[1] += data->column[k].kind == TRMI_STUDY_RECORDED;
    }
    int half = MAX_COLUMNS / 2, recorded = count[1];
    if (count[0] + count[1] > MAX_COLUMNS)
        recorded = count[1] < half ? count[1] : count[0] < half ? MAX_COLUMNS - count[0] : half;
    for (int kind = 0; kind < 2; kind++) {
        int end = kind == 0 ? MAX_COLUMNS - recorded : MAX_COLUMNS;
        for (int k = 0; k < data->columns && columns < end; k++)
            if (data->column[k].kind == (kind == 0 ? TRMI_STUDY_PARAMETER : TRMI_STUDY_RECORDED))
                chosen[columns++] = &data->column[k];
    }
    return columns;
}

static bool write_commands(trmi_memory *memory, const trmi_plan *plan, const trmi_study_data *data,
                           const char *const *set, trmi_page_run *run, int64_t shown)
{
    trmi_text text = {0};
    bool good = true;
    for (int64_t i = 0; i < shown && good; i++) {
        int64_t row = i * data->rows / shown;
        trmi_text_clear(&text);
        trmi_study_command(&text, plan, data, set, row);
        char *kept = text.failed ? NULL : trmi_memory_take(memory, text.length + 1, 1);
        good = kept != NULL;
        if (good)
            memcpy(kept, text.data, text.length + 1);
        run[i] = (trmi_page_run){(int64_t)data->column[0].value[row], kept};
    }
    trmi_text_free(&text);
    return good;
}

bool trmi_study_runs(trmi_memory *memory, const trmi_plan *plan, const trmi_study_data *data,
                     const char *const *set, trmi_page *page)
{
    const trmi_study_column *chosen[MAX_COLUMNS];
    int columns = choose_columns(data, chosen);
    int64_t shown = data->rows < MAX_SHOWN ? data->rows : MAX_SHOWN;
    trmi_page_run *run = trmi_memory_take(memory, (size_t)shown + 1, sizeof *run);
    trmi_scatter_plot *scatter = trmi_memory_take(memory, 1, sizeof *scatter);
    trmi_scatter_plot_column *column = trmi_memory_take(memory, MAX_COLUMNS, sizeof *column);
    int64_t *number = trmi_memory_take(memory, (size_t)shown + 1, sizeof *number);
    if (!run || !scatter || !column || !number ||
        !write_commands(memory, plan, data, set, run, shown))
        return false;
    for (int64_t i = 0; i < shown; i++)
        number[i] = run[i].number;
    for (int k = 0; k < columns; k++) {
        double *value = trmi_memory_take(memory, (size_t)shown + 1, sizeof *value);
        if (!value)
            return false;
        for (int64_t i = 0; i < shown; i++)
            value[i] = chosen[k]->value[i * data->rows / shown];
        column[k] = (trmi_scatter_plot_column){chosen[k]->label, value};
    }
    *scatter = (trmi_scatter_plot){.title = "Scatter matrix",
                                   .column = column,
                                   .columns = columns,
                                   .points = shown,
                                   .number = number};
    page->scatter = scatter;
    page->run = run;
    page->runs = shown;
    page->all_runs = data->rows;
    return true;
}
