// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "program/cli/progress.h"
#include "base/clock.h"
#include "program/run/console.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// seconds between updates of a line, and between lines of a log
static const double LINE_EVERY = 0.1, LOG_EVERY = 10;
// the clock is read after so many steps only
enum { CLOCK_EVERY = 8 };

bool trmi_progress_begin(trmi_progress *p, const char *when, const char *name, double start)
{
    *p = (trmi_progress){.name = name, .start = start, .shown = trmi_clock_seconds()};
    bool terminal = isatty(STDERR_FILENO);
    p->interval = LINE_EVERY;
    if (!when || strcmp(when, "auto") == 0) {
        p->mode = terminal ? TRMI_PROGRESS_LINE : TRMI_PROGRESS_NEVER;
    } else if (strcmp(when, "always") == 0) {
        p->mode = terminal ? TRMI_PROGRESS_LINE : TRMI_PROGRESS_LINES;
        p->interval = terminal ? LINE_EVERY : LOG_EVERY;
    } else if (strcmp(when, "json") == 0) {
        p->mode = TRMI_PROGRESS_JSON;
    } else if (strcmp(when, "never") != 0) {
        return false;
    }
    return true;
}

// "0:07", "1:02:03"; "?" when not known
static void format_left(double seconds, char *text, size_t size)
{
    if (!isfinite(seconds) || seconds > 3.6e6) {
        snprintf(text, size, "?");
        return;
    }
    long s = lround(seconds);
    if (s >= 3600)
        snprintf(text, size, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    else
        snprintf(text, size, "%ld:%02ld", s / 60, s % 60);
}

// Time left from the simulated time per second over the moving window, not over the whole run.
static double time_left(trmi_progress *p, const trm_progress *now, double clock)
{
    long i = p->samples % TRMI_PROGRESS_WINDOW;
    long oldest = p->samples < TRMI_PROGRESS_WINDOW ? 0 : i;
    double dt = now->t - p->t[oldest], seconds = clock - p->clock[oldest];
    bool known = p->samples > 0 && dt > 0;
    p->t[i] = now->t;
    p->clock[i] = clock;
    p->samples++;
    return known ? (now->t_end - now->t) * seconds / dt : INFINITY;
}

int trmi_progress_update(const trm_progress *now, void *user)
{
    trmi_progress *p = user;
    if (p->mode == TRMI_PROGRESS_NEVER || ++p->calls % CLOCK_EVERY != 0)
        return 0;
    double clock = trmi_clock_seconds(), passed = clock - p->shown;
    if (passed < p->interval)
        return 0;
    char left[32];
    double remaining = time_left(p, now, clock);
    double range = now->t_end - p->start, share = range > 0 ? (now->t - p->start) / range : 1;
    double speed = (double)(now->steps - p->steps_shown) / passed;
    format_left(remaining, left, sizeof left);
    p->shown = clock;
    p->steps_shown = now->steps;
    if (p->mode == TRMI_PROGRESS_JSON) {
        if (isfinite(remaining))
            snprintf(left, sizeof left, "%.0f", remaining);
        trmi_print_to(stderr,
                      "{\"t\": %.9g, \"t_end\": %.9g, \"h\": %.3g, \"order\": %d, \"steps\": %ld, "
                      "\"rejected\": %ld, \"steps_per_second\": %.3g, \"seconds_left\": %s}\n",
                      now->t, now->t_end, now->h, now->order, now->steps, now->rejected, speed,
                      isfinite(remaining) ? left : "null");
        return 0;
    }
    bool line = p->mode == TRMI_PROGRESS_LINE;
    fputs(line ? "\r\033[K" : "", stderr);
    trmi_print_to(stderr,
                  "%s  %2.0f %%  t %.4g/%.4g s  h %.1e  order %d  rejected %ld  %.1e steps/s  left "
                  "%s%s",
                  p->name, 100 * share, now->t, now->t_end, now->h, now->order, now->rejected,
                  speed, left, line ? "" : "\n");
    fflush(stderr);
    p->open = line;
    return 0;
}

void trmi_progress_end(trmi_progress *p, bool good)
{
    if (!p->open)
        return;
    if (good)
        fputs("\r\033[K", stderr); // the summary has it all
    else
        fputc('\n', stderr); // the line stays where the run stopped
    p->open = false;
}
