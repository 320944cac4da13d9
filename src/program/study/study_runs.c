// SPDX-License-Identifier: Apache-2.0
// Runs of a study on its page: the scatter matrix of parameters and what is recorded, and the
// commands that its points lead to.
#include "program/files/shell.h"
#include "program/study/study_report.h"

#include <math.h>
#include <string.h>

enum { MAX_COLUMNS = 8, MAX_SHOWN = 200 };

void trmi_study_command(trmi_text *out, const trmi_study_pages *pages, int64_t row)
{
    const trmi_study_data *data = pages->data;
    const trmi_study *study = pages->plan->study;
    trmi_text_add(out, "trammel run");
    trmi_shell_add_word(out, study->model);
    trmi_text_add(out, " --view");
    // in the order in which the study has loaded the model
    trmi_shell_add_settings(out, "--set", pages->set);
    trmi_shell_add_settings(out, "--set", study->set);
    for (int k = 0; k < data->columns; k++)
        if (data->column[k].kind == TRMI_STUDY_PARAMETER)
            trmi_shell_add_parameter(out, "--set", data->column[k].name,
                                     data->column[k].value[row]);
}

// ---- which have pages of their own ----

const char *trmi_study_link(const trmi_study_pages *pages, int64_t run)
{
    for (int k = 0; k < pages->views; k++)
        if (pages->view[k].run == run)
            return pages->view[k].link;
    return NULL;
}

// once; how many there are
static int add_choice(int64_t *row, int chosen, int count, int64_t further)
{
    for (int k = 0; k < chosen; k++)
        if (row[k] == further)
            return chosen;
    if (chosen < count && further >= 0)
        row[chosen++] = further;
    return chosen;
}

int trmi_study_choose(const trmi_study_data *data, int count, int64_t *row)
{
    int chosen = 0;
    for (int k = 0; k < data->columns; k++) {
        const trmi_study_column *c = &data->column[k];
        int64_t low = -1, high = -1;
        for (int64_t i = 0; i < data->rows && c->kind == TRMI_STUDY_RECORDED; i++) {
            if (!isfinite(c->value[i]))
                continue;
            low = low < 0 || c->value[i] < c->value[low] ? i : low;
            high = high < 0 || c->value[i] > c->value[high] ? i : high;
        }
        chosen = add_choice(row, chosen, count, low);
        chosen = add_choice(row, chosen, count, high);
    }
    int64_t shown = data->rows < MAX_SHOWN ? data->rows : MAX_SHOWN;
    for (int k = 0; k < count && chosen < count; k++)
        chosen = add_choice(row, chosen, count, k * shown / count * data->rows / shown);
    return chosen;
}

// ---- all that are listed ----

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

static bool write_commands(trmi_memory *memory, const trmi_study_pages *pages, trmi_page_run *run,
                           int64_t shown)
{
    const trmi_study_data *data = pages->data;
    trmi_text text = {0};
    bool good = true;
    for (int64_t i = 0; i < shown && good; i++) {
        int64_t row = i * data->rows / shown;
        trmi_text_clear(&text);
        trmi_study_command(&text, pages, row);
        char *kept = text.failed ? NULL : trmi_memory_take(memory, text.length + 1, 1);
        good = kept != NULL;
        if (good)
            memcpy(kept, text.data, text.length + 1);
        int64_t number = (int64_t)data->column[0].value[row];
        run[i] = (trmi_page_run){number, kept, trmi_study_link(pages, number)};
    }
    trmi_text_free(&text);
    return good;
}

bool trmi_study_runs(trmi_memory *memory, const trmi_study_pages *pages, trmi_page *page)
{
    const trmi_study_data *data = pages->data;
    const trmi_study_column *chosen[MAX_COLUMNS];
    int columns = choose_columns(data, chosen);
    int64_t shown = data->rows < MAX_SHOWN ? data->rows : MAX_SHOWN;
    trmi_page_run *run = trmi_memory_take(memory, (size_t)shown + 1, sizeof *run);
    trmi_scatter_plot *scatter = trmi_memory_take(memory, 1, sizeof *scatter);
    trmi_scatter_plot_column *column = trmi_memory_take(memory, MAX_COLUMNS, sizeof *column);
    int64_t *number = trmi_memory_take(memory, (size_t)shown + 1, sizeof *number);
    if (!run || !scatter || !column || !number || !write_commands(memory, pages, run, shown))
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
