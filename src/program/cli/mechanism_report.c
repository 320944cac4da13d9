// SPDX-License-Identifier: Apache-2.0
#include "program/cli/mechanism_report.h"

#include "modelling/multibody/machine.h"
#include "program/run/console.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_LINES = 20, MAX_NAMES = 80, WIDTH = 90 };

// "  label          " in front of the first line, blanks in front of the others
static void begin_line(const char *label, bool first)
{
    trmi_print("  %-14s ", first ? label : "");
}

// those of the file: the nodes of beams follow them
static int count_bodies(const trmi_mechanism *m)
{
    int nodes = 0;
    for (int k = 0; k < m->flexibles; k++)
        nodes += m->body[m->flexible[k].body].nodes;
    return m->bodies - 1 - nodes;
}

// "rod on crank by pin"
static void print_tree(const trmi_machine *machine, int bodies)
{
    const trmi_mechanism *m = machine->mechanism;
    for (int b = 1; b <= bodies && b <= MAX_LINES; b++) {
        int edge = machine->edge[b];
        begin_line("tree", b == 1);
        if (edge == TRMI_NOTHING) {
            trmi_print("%s moves freely\n", m->body[b].name);
            continue;
        }
        const trmi_joint *joint = &m->joint[edge];
        bool forward = joint->body[1] == b;
        trmi_print("%s on %s by %s%s\n", m->body[b].name,
                   m->body[joint->body[forward ? 0 : 1]].name, joint->name,
                   forward ? "" : " (reversed)");
    }
    if (bodies > MAX_LINES) {
        begin_line("", false);
        trmi_print("and %d more\n", bodies - MAX_LINES);
    }
}

// Names separated by blanks, broken into lines; of more than MAX_NAMES only the first.
typedef struct name_list {
    const char *label;
    int names, lines, column;
} name_list;

static void print_name(name_list *list, const char *name)
{
    if (list->names++ >= MAX_NAMES) {
        if (list->names > MAX_NAMES + 1)
            return;
        name = "...";
    }
    int length = snprintf(NULL, 0, " %s", name);
    if (list->column == 0 || list->column + length > WIDTH) {
        if (list->column > 0)
            trmi_print("\n");
        if (list->lines++ < MAX_LINES)
            begin_line(list->label, list->lines == 1);
        list->column = 16;
        length--;
        trmi_print("%s", name);
    } else {
        trmi_print(" %s", name);
    }
    list->column += length;
}

static void end_list(name_list *list)
{
    if (list->column == 0)
        begin_line(list->label, true), trmi_print("none");
    trmi_print("\n");
}

void trmi_print_mechanism(const trm_model *model)
{
    const trmi_machine *machine = trmi_model_machine(model);
    if (!machine)
        return;
    static const char *const plane[] = {"", "; plane xy", "; plane yz", "; plane zx"};
    const trmi_mechanism *m = machine->mechanism;
    int bodies = count_bodies(m);
    begin_line("mechanism", true);
    trmi_print("%d %s, %d %s, %d %s%s; gravity %g %g %g\n", bodies, bodies == 1 ? "body" : "bodies",
               m->joints, m->joints == 1 ? "joint" : "joints", m->forces,
               m->forces == 1 ? "force" : "forces", plane[m->plane], m->gravity.x, m->gravity.y,
               m->gravity.z);
    print_tree(machine, bodies);
    name_list cuts = {.label = "cuts"}, coordinates = {.label = "coordinates", .names = -1};
    for (int j = 0; j < m->joints; j++)
        if (!machine->tree->in_tree[j])
            print_name(&cuts, m->joint[j].name);
    end_list(&cuts);
    print_name(&coordinates, m->absolute ? "absolute:" : "joint:");
    for (int i = 0; i < model->system.n_q && i <= MAX_NAMES; i++)
        print_name(&coordinates, trm_model_channel(model, TRM_CHANNEL_POSITION, i));
    end_list(&coordinates);
}

void trmi_print_shared(const trm_model *model, const trm_simulation *simulation)
{
    const trmi_machine *machine = trmi_model_machine(model);
    if (!machine || trm_simulation_start(simulation)->redundant == 0)
        return;
    bool *shared = trmi_model_shared_joints(model, simulation);
    name_list list = {.label = "reactions", .names = INT_MIN}; // all
    print_name(&list, shared ? "not unique, the smallest possible ones:"
                             : "not all unique; no memory to find which");
    const trmi_mechanism *m = machine->mechanism;
    for (int j = 0; j < m->joints && shared; j++)
        if (shared[j])
            print_name(&list, m->joint[j].name);
    end_list(&list);
    free(shared);
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
