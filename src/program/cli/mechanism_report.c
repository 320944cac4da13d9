// SPDX-License-Identifier: Apache-2.0
#include "program/cli/mechanism_report.h"

#include "modelling/multibody/machine.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_LINES = 20, WIDTH = 90 };

// "  label          " in front of the first line, blanks in front of the others
static void begin_line(const char *label, bool first)
{
    printf("  %-14s ", first ? label : "");
}

// those of the file: behind them stand the nodes of beams
static int count_bodies(const trmi_mechanism *m)
{
    int nodes = 0;
    for (int k = 0; k < m->flexibles; k++)
        nodes += m->body[m->flexible[k].body].nodes;
    return m->bodies - 1 - nodes;
}

static void print_sizes(const trmi_mechanism *m)
{
    static const char *const plane[] = {"", "; plane xy", "; plane yz", "; plane zx"};
    begin_line("mechanism", true);
    int bodies = count_bodies(m);
    printf("%d %s, %d %s, %d %s%s; gravity %g %g %g\n", bodies, bodies == 1 ? "body" : "bodies",
           m->joints, m->joints == 1 ? "joint" : "joints", m->forces,
           m->forces == 1 ? "force" : "forces", plane[m->plane], m->gravity.x, m->gravity.y,
           m->gravity.z);
}

// "rod on crank by pin"
static void print_tree(const trmi_machine *machine)
{
    const trmi_mechanism *m = machine->mechanism;
    int bodies = count_bodies(m);
    for (int b = 1; b <= bodies && b <= MAX_LINES; b++) {
        int edge = machine->edge[b];
        begin_line("tree", b == 1);
        if (edge == TRMI_NOTHING) {
            printf("%s moves freely\n", m->body[b].name);
            continue;
        }
        const trmi_joint *joint = &m->joint[edge];
        bool forward = joint->body[1] == b;
        printf("%s on %s by %s%s\n", m->body[b].name, m->body[joint->body[forward ? 0 : 1]].name,
               joint->name, forward ? "" : " (reversed)");
    }
    if (bodies > MAX_LINES) {
        begin_line("", false);
        printf("and %d more\n", bodies - MAX_LINES);
    }
}

// names separated by blanks, broken into lines
typedef struct name_list {
    const char *label;
    int lines, column;
} name_list;

static void print_name(name_list *list, const char *name)
{
    int length = snprintf(NULL, 0, " %s", name);
    if (list->column == 0 || list->column + length > WIDTH) {
        if (list->column > 0)
            printf("\n");
        if (list->lines++ < MAX_LINES)
            begin_line(list->label, list->lines == 1);
        list->column = 16;
        length--;
        printf("%s", name);
    } else {
        printf(" %s", name);
    }
    list->column += length;
}

static void end_list(name_list *list)
{
    if (list->column == 0)
        begin_line(list->label, true), printf("none");
    printf("\n");
}

static void print_cuts(const trmi_machine *machine)
{
    const trmi_mechanism *m = machine->mechanism;
    name_list list = {.label = "cuts"};
    int count = 0, maximum = MAX_LINES * 4;
    for (int j = 0; j < m->joints; j++)
        if (!machine->tree->in_tree[j] && count++ < maximum)
            print_name(&list, m->joint[j].name);
    if (count > maximum)
        print_name(&list, "...");
    end_list(&list);
}

static void print_coordinates(const trm_model *model, bool absolute)
{
    name_list list = {.label = "coordinates"};
    int n = model->system.n_q, maximum = MAX_LINES * 4;
    print_name(&list, absolute ? "absolute:" : "joint:");
    for (int i = 0; i < n && i < maximum; i++)
        print_name(&list, trm_model_channel(model, TRM_CHANNEL_POSITION, i));
    if (n > maximum)
        print_name(&list, "...");
    end_list(&list);
}

void trmi_print_mechanism(const trm_model *model)
{
    const trmi_machine *machine = trmi_model_machine(model);
    if (!machine)
        return;
    print_sizes(machine->mechanism);
    print_tree(machine);
    print_cuts(machine);
    print_coordinates(model, machine->mechanism->absolute);
}

void trmi_print_shared(const trm_model *model, const trm_simulation *simulation)
{
    bool *shared = trmi_model_shared_joints(model, simulation);
    if (!shared)
        return;
    name_list list = {.label = "reactions"};
    print_name(&list, "not unique, the smallest possible ones:");
    const trmi_mechanism *m = trmi_model_machine(model)->mechanism;
    for (int j = 0; j < m->joints; j++)
        if (shared[j])
            print_name(&list, m->joint[j].name);
    end_list(&list);
    free(shared);
}

void trmi_print_locked(const trm_model *m, const trm_start_report *start,
                       const trmi_console *console)
{
    if (!trmi_model_machine(m) || start->mobility > 0 || m->system.n_u > 0)
        return;
    char text[200];
    snprintf(text, sizeof text,
             "nothing can move: %d constraints of rank %d hold %d coordinates (mobility 0)",
             m->system.n_g + m->system.n_a, start->rank, m->system.n_q);
    const trm_diagnostic d = {.file = m->path, .text = text};
    trmi_print_diagnostic(&d, (void *)console);
}

void trmi_print_placed_log(trm_log_level level, const char *text, void *user)
{
    const trmi_model_console *v = user;
    trmi_print_log(level, text, (void *)v->console);
}

void trmi_print_placed_row(trm_log_level level, int row, const char *text, void *user)
{
    const trmi_model_console *v = user;
    trmi_line_column place = trmi_model_row_place(v->model, row);
    if (level != TRM_LOG_WARNING) {
        trmi_print_log(level, text, (void *)v->console);
        return;
    }
    const trm_diagnostic d = {
        .file = v->model->path, .line = place.line, .column = place.column, .text = text};
    trmi_print_diagnostic(&d, (void *)v->console);
}
