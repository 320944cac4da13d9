// SPDX-License-Identifier: Apache-2.0
#include "program/cli/sweep_progress.h"

#include "base/clock.h"
#include "program/run/console.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void trmi_sweep_progress_begin(trmi_sweep_progress *p, const char *when, const char *name)
{
    double now = trmi_clock_seconds();
    *p = (trmi_sweep_progress){.name = name, .began = now, .shown = now};
    p->mode = trmi_progress_mode_of(when, &p->interval);
}

static void print_json(const trmi_study_progress *now, double speed, double seconds_left)
{
    char left[32] = "null";
    if (isfinite(seconds_left))
        snprintf(left, sizeof left, "%.0f", seconds_left);
    trmi_print_to(stderr,
                  "{\"runs\": %" PRId64 ", \"done\": %" PRId64 ", \"failed\": %" PRId64
                  ", \"runs_per_second\": %.3g, \"seconds_left\": %s}\n",
                  now->runs, now->done, now->failed, speed, left);
}

void trmi_sweep_progress_update(const trmi_study_progress *now, void *user)
{
    trmi_sweep_progress *p = user;
    double clock = trmi_clock_seconds();
    if (p->mode == TRMI_PROGRESS_NEVER || clock - p->shown < p->interval)
        return;
    p->shown = clock;
    double speed = (double)(now->done - now->found) / (clock - p->began);
    double seconds_left = speed > 0 ? (double)(now->runs - now->done) / speed : INFINITY;
    if (p->mode == TRMI_PROGRESS_JSON) {
        print_json(now, speed, seconds_left);
        return;
    }
    char line[400], left[32], failed[64] = "";
    trmi_format_left(seconds_left, left, sizeof left);
    if (now->failed > 0)
        snprintf(failed, sizeof failed, "  failed %" PRId64, now->failed);
    snprintf(line, sizeof line,
             "%.60s  %2.0f %%  %" PRId64 "/%" PRId64 " runs  left %s%s  %.3g runs/s", p->name,
             floor(100 * (double)now->done / (double)now->runs), now->done, now->runs, left, failed,
             speed);
    bool renewed = p->mode == TRMI_PROGRESS_LINE;
    int width = trmi_terminal_width() - 1;
    if (renewed && width > 0 && (size_t)width < strlen(line))
        line[width] = '\0';
    fputs(renewed ? "\r\033[K" : "", stderr);
    trmi_print_to(stderr, "%s%s", line, renewed ? "" : "\n");
    fflush(stderr);
    p->open = renewed;
}

void trmi_sweep_progress_end(trmi_sweep_progress *p)
{
    if (p->open)
        fputs("\r\033[K", stderr); // the summary has it all
    p->open = false;
}
