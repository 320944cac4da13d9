// SPDX-License-Identifier: Apache-2.0
#define _DEFAULT_SOURCE // TIOCGWINSZ
#include "program/cli/progress.h"
#include "base/clock.h"
#include "program/run/console.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

// seconds between updates of a line, and between lines of a log
static const double LINE_EVERY = 0.1, LOG_EVERY = 10;

trmi_progress_mode trmi_progress_mode_of(const char *when, double *interval)
{
    *interval = LINE_EVERY;
    if (when && strcmp(when, "never") == 0)
        return TRMI_PROGRESS_NEVER;
    if (when && strcmp(when, "json") == 0)
        return TRMI_PROGRESS_JSON;
    if (isatty(STDERR_FILENO))
        return TRMI_PROGRESS_LINE;
    *interval = LOG_EVERY;
    return when && strcmp(when, "always") == 0 ? TRMI_PROGRESS_LINES : TRMI_PROGRESS_NEVER;
}

void trmi_progress_begin(trmi_progress *p, const char *when, const char *name, double start)
{
    *p = (trmi_progress){.name = name, .start = start, .shown = trmi_clock_seconds()};
    p->mode = trmi_progress_mode_of(when, &p->interval);
}

void trmi_format_left(double seconds, char *text, size_t size)
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

int trmi_terminal_width(void)
{
    struct winsize size;
    bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return known ? size.ws_col : 80;
}

// A time with as many decimals as show a thousandth of the run.
static void format_time(double t, double range, char *text, size_t size)
{
    int decimals = 2 - (int)floor(log10(range > 0 ? range : 1));
    if (decimals < -4 || decimals > 6)
        snprintf(text, size, "%.3e", t);
    else
        snprintf(text, size, "%.*f", decimals > 0 ? decimals : 0, t);
}

// characters of UTF-8
static int count_characters(const char *text)
{
    int count = 0;
    for (; *text; text++)
        count += ((unsigned char)*text & 0xC0) != 0x80;
    return count;
}

// the name, with an ellipsis where it has more than `width` characters
static void fit_name(const char *name, int width, char *text, size_t size)
{
    size_t bytes = 0;
    if (count_characters(name) <= width) {
        snprintf(text, size, "%s", name);
        return;
    }
    for (int count = 0; name[bytes] && count < width; bytes++)
        count += ((unsigned char)name[bytes + 1] & 0xC0) != 0x80;
    snprintf(text, size, "%.*s...", (int)bytes, name);
}

void trmi_progress_format(const trmi_progress *p, const trm_progress *now, double speed,
                          double seconds_left, int width, char *line, size_t size)
{
    enum { PARTS = 6 };
    char part[PARTS][80], t[32], end[32], left[32];
    double range = now->t_end - p->start, share = range > 0 ? (now->t - p->start) / range : 1;
    format_time(now->t, range, t, sizeof t);
    snprintf(end, sizeof end, "%.6g", now->t_end);
    trmi_format_left(seconds_left, left, sizeof left);
    snprintf(part[0], sizeof part[0], "  %2.0f %%  t %s/%s s", floor(100 * share), t, end);
    snprintf(part[1], sizeof part[1], "  left %s", left);
    snprintf(part[2], sizeof part[2], "  h %.1e", now->h);
    snprintf(part[3], sizeof part[3], "  order %d", now->order);
    snprintf(part[4], sizeof part[4], "  rejected %ld", now->rejected);
    snprintf(part[5], sizeof part[5], "  %.1e steps/s", speed);
    // the name may take a third; what it leaves is for the parts, the first of them in any case
    int space = width - (int)strlen(part[0]), parts = 1;
    int name = count_characters(p->name), most = space < width / 3 ? space : width / 3;
    int shown = name <= most ? name : most > 8 ? most - 3 : 0;
    for (space -= shown < name && shown > 0 ? shown + 3 : shown; parts < PARTS; parts++) {
        space -= (int)strlen(part[parts]);
        if (space < 0)
            break;
    }
    line[0] = '\0';
    if (shown > 0)
        fit_name(p->name, shown, line, size);
    for (int k = 0; k < parts; k++) {
        size_t used = strlen(line);
        snprintf(line + used, size - used, "%s", part[k] + (used ? 0 : 2));
    }
}

static void print_json(const trm_progress *now, double speed, double seconds_left)
{
    char left[32] = "null";
    if (isfinite(seconds_left))
        snprintf(left, sizeof left, "%.0f", seconds_left);
    trmi_print_to(stderr,
                  "{\"t\": %.9g, \"t_end\": %.9g, \"h\": %.3g, \"order\": %d, \"steps\": %ld, "
                  "\"rejected\": %ld, \"steps_per_second\": %.3g, \"seconds_left\": %s}\n",
                  now->t, now->t_end, now->h, now->order, now->steps, now->rejected, speed, left);
}

int trmi_progress_update(const trm_progress *now, void *user)
{
    trmi_progress *p = user;
    if (p->mode == TRMI_PROGRESS_NEVER)
        return 0;
    double clock = trmi_clock_seconds(), passed = clock - p->shown;
    if (passed < p->interval)
        return 0;
    double seconds_left = time_left(p, now, clock);
    double speed = (double)(now->steps - p->steps_shown) / passed;
    p->shown = clock;
    p->steps_shown = now->steps;
    if (p->mode == TRMI_PROGRESS_JSON) {
        print_json(now, speed, seconds_left);
        return 0;
    }
    char line[600];
    bool renewed = p->mode == TRMI_PROGRESS_LINE;
    // the last column stays free: some terminals go to the next line there
    int width = renewed ? trmi_terminal_width() - 1 : INT_MAX;
    trmi_progress_format(p, now, speed, seconds_left, width, line, sizeof line);
    fputs(renewed ? "\r\033[K" : "", stderr);
    trmi_print_to(stderr, "%s%s", line, renewed ? "" : "\n");
    fflush(stderr);
    p->open = renewed;
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
