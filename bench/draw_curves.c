// SPDX-License-Identifier: Apache-2.0
// Work-precision pictures of docs/which-integrator.md from the CSV of bench_core: per problem one
// of CPU times and one of steps over the error, a panel for each size.
//
//     draw_curves bench_core.csv docs/figures
#include "program/plot/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ROWS = 1000, MAX_PANELS = 8, CODES = 5, MAX_POINTS = 16 };

typedef struct row {
    char problem[8], size[16], code[16];
    double cpu_ms, steps, error;
} row;

typedef struct rows {
    int count;
    row row[MAX_ROWS];
} rows;

// codes as bench_core and as readers call them
static const struct {
    const char *key, *label;
} codes[CODES] = {{"trammel", "bdf"},
                  {"radau", "radau-adaptive"},
                  {"adams", "adams"},
                  {"explicit", "explicit"},
                  {"ida", "SUNDIALS IDA"}};

// the memory of one panel
typedef struct curves {
    trmi_curve curve[CODES];
    double x[CODES][MAX_POINTS], y[CODES][MAX_POINTS];
    char title[64];
} curves;

// The next field of a line, without the comma; "" past the end. strtok would skip empty ones.
static char *next_field(char **line)
{
    char *field = *line, *comma = field + strcspn(field, ",\n");
    *line = *comma == '\0' ? comma : comma + 1;
    *comma = '\0';
    return field;
}

// columns: problem, size, code, rtol, cpu_s, steps, six more counters, error_q, ..
static void read_row(char *line, rows *all)
{
    char *field[12];
    for (int k = 0; k < 12; k++)
        field[k] = next_field(&line);
    if (field[0][0] != 'P' || all->count == MAX_ROWS)
        return;
    row *r = &all->row[all->count++];
    snprintf(r->problem, sizeof r->problem, "%.7s", field[0]);
    snprintf(r->size, sizeof r->size, "%.15s", field[1]);
    snprintf(r->code, sizeof r->code, "%.15s", field[2]);
    r->cpu_ms = 1e3 * strtod(field[4], NULL);
    r->steps = strtod(field[5], NULL);
    r->error = strtod(field[11], NULL); // NaN: the run failed, no point
}

// The curves of one problem and size; their number, 0 where only single points were measured.
static int fill_panel(curves *c, const rows *all, const row *like, bool steps)
{
    int drawn = 0;
    snprintf(c->title, sizeof c->title, "%s %s", like->problem, like->size);
    for (int k = 0; k < CODES; k++) {
        int n = 0;
        for (int i = 0; i < all->count && n < MAX_POINTS; i++) {
            const row *r = &all->row[i];
            if (strcmp(r->problem, like->problem) || strcmp(r->size, like->size) ||
                strcmp(r->code, codes[k].key) || !(r->error > 0))
                continue;
            c->x[drawn][n] = r->error;
            c->y[drawn][n++] = steps ? r->steps : r->cpu_ms;
        }
        if (n < 2)
            continue;
        c->curve[drawn] = (trmi_curve){codes[k].label, c->x[drawn], c->y[drawn], n, .marked = true};
        drawn++;
    }
    return drawn;
}

static bool is_first(const rows *all, int i)
{
    for (int k = 0; k < i; k++)
        if (!strcmp(all->row[k].problem, all->row[i].problem) &&
            !strcmp(all->row[k].size, all->row[i].size))
            return false;
    return true;
}

static bool draw(const rows *all, const char *problem, bool steps, const char *folder)
{
    static curves memory[MAX_PANELS]; // too much for the stack
    trmi_panel panel[MAX_PANELS];
    int panels = 0;
    for (int i = 0; i < all->count && panels < MAX_PANELS; i++) {
        if (strcmp(all->row[i].problem, problem) != 0 || !is_first(all, i))
            continue;
        curves *c = &memory[panels];
        int n = fill_panel(c, all, &all->row[i], steps);
        if (n > 0)
            panel[panels++] = (trmi_panel){.title = c->title,
                                           .x_label = "largest error of a position at the end",
                                           .y_label = steps ? "accepted steps" : "CPU time [ms]",
                                           .log_x = true,
                                           .log_y = true,
                                           .curve = c->curve,
                                           .curves = n};
    }
    if (panels == 0)
        return true;
    char path[4096];
    snprintf(path, sizeof path, "%.4000s/which-integrator-%s-%s.svg", folder, problem,
             steps ? "steps" : "time");
    FILE *out = fopen(path, "w");
    if (out == NULL)
        return false;
    trmi_plot_svg(out, &(trmi_plot){.panel = panel, .panels = panels});
    bool good = ferror(out) == 0;
    return fclose(out) == 0 && good;
}

int main(int argc, char **argv)
{
    static const char *const problems[] = {"P1", "P2", "P4"};
    static rows all; // too much for the stack
    char line[1024];
    FILE *in = argc == 3 ? fopen(argv[1], "r") : NULL;
    if (in == NULL) {
        fputs("usage: draw_curves CSV FOLDER, where CSV is that of bench_core --csv\n", stderr);
        return 2;
    }
    while (fgets(line, sizeof line, in) != NULL)
        read_row(line, &all);
    fclose(in);
    for (int k = 0; k < 3; k++)
        if (!draw(&all, problems[k], false, argv[2]) || !draw(&all, problems[k], true, argv[2])) {
            fprintf(stderr, "cannot write into %s\n", argv[2]);
            return 1;
        }
    return 0;
}
