// SPDX-License-Identifier: Apache-2.0
// trammel info: what is in a result file.
#include "base/characters.h"
#include "base/error.h"
#include "program/cli/command.h"
#include "program/cli/report.h"
#include "program/files/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const trmi_flag flags[] = {
    {"names", '\0', NULL, "the names of all channels only", NULL},
    {"model", '\0', NULL, "the text of the model file", NULL},
    {"options", '\0', NULL, "the options of the run as JSON", NULL},
    {"summary", '\0', NULL, "the summary of the run as JSON", NULL},
    {NULL, '\0', NULL, NULL, NULL},
};

// "group/name"; names of CSV files may have no group
static const char *full_name(const trmi_channel *c, char *text, size_t size)
{
    char name[200];
    snprintf(name, sizeof name, "%s%s%s", c->group, c->group[0] ? "/" : "", c->name);
    trmi_show(text, size, name, "");
    return text;
}

// largest := the largest value of the channel with the errors of another; NaN: there is none. False
// after a message when it cannot be read.
static bool find_largest_error(trmi_result *r, int index, double *largest,
                               const trmi_console *console)
{
    const double *t, *value;
    int64_t count = 0;
    trm_error error = trmi_no_error();
    int errors = trmi_result_error_of(r, index);
    *largest = NAN;
    if (errors >= 0 && trmi_result_read(r, errors, &t, &value, &count, &error) != TRM_OK) {
        trmi_print_error(console, trmi_result_channel(r, index)->name, &error);
        return false;
    }
    for (int64_t i = 0; i < count; i++)
        *largest = fmax(*largest, value[i]);
    return true;
}

// one line: name, unit, number of values, range, largest error
static bool print_channel(trmi_result *r, int index, int width, const trmi_console *console)
{
    const trmi_channel *c = trmi_result_channel(r, index);
    const double *t, *value;
    int64_t count;
    trm_error error = trmi_no_error();
    if (trmi_result_read(r, index, &t, &value, &count, &error) != TRM_OK) {
        trmi_print_error(console, c->name, &error);
        return false;
    }
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < count; i++) {
        low = value[i] < low ? value[i] : low;
        high = value[i] > high ? value[i] : high;
    }
    char name[200], unit[40];
    trmi_show(unit, sizeof unit, c->unit && c->unit[0] ? c->unit : "-", "");
    trmi_print("  %-*s %-8s %8lld", width, full_name(c, name, sizeof name), unit, (long long)count);
    if (low <= high)
        trmi_print("  %.6g .. %.6g", low, high);
    else if (count > 0)
        trmi_print("  not known");
    double largest;
    bool good = find_largest_error(r, index, &largest, console);
    if (!isnan(largest))
        trmi_print("  error %.2g", largest);
    trmi_print("\n");
    return good;
}

// characters of the longest name
static int widest_name(const trmi_result *r)
{
    char name[200];
    size_t width = 28;
    for (int i = 0; i < trmi_result_channels(r); i++) {
        size_t length = strlen(full_name(trmi_result_channel(r, i), name, sizeof name));
        width = length > width ? length : width;
    }
    return (int)width;
}

static bool print_channels(trmi_result *r, const trmi_console *console)
{
    enum { SHOWN = 100 }; // of a group
    bool good = true;
    const int width = widest_name(r);
    trmi_print("%-*s unit       values  range\n", width + 2, "channels");
    for (int first = 0, end; first < trmi_result_channels(r); first = end) {
        const char *group = trmi_result_channel(r, first)->group;
        for (end = first + 1; end < trmi_result_channels(r); end++)
            if (strcmp(trmi_result_channel(r, end)->group, group) != 0)
                break;
        if (trmi_channel_is_error(trmi_result_channel(r, first)))
            continue; // in the lines of their channels
        int more = end - first > SHOWN ? end - first - SHOWN : 0;
        for (int i = first; i < end - more; i++)
            good = print_channel(r, i, width, console) && good;
        if (more > 0)
            trmi_print("  ... and %d more\n", more);
    }
    return good;
}

static void print_events(const trmi_result *r)
{
    enum { SHOWN = 20 };
    int64_t events = trmi_result_events(r);
    if (events > 0)
        trmi_print("events\n");
    for (int64_t i = 0; i < events && i < SHOWN; i++) {
        double t;
        const char *name, *text;
        trmi_result_event(r, i, &t, &name, &text);
        trmi_print("  t = %-14.9g %s%s%s\n", t, name, text && text[0] ? ": " : "",
                   text ? text : "");
    }
    if (events > SHOWN)
        trmi_print("  ... and %lld more\n", (long long)(events - SHOWN));
}

static int run(const trmi_arguments *a)
{
    static const char *const texts[] = {"model", "options", "summary"};
    const trmi_console console = trmi_console_of(a);
    trm_error error = trmi_no_error();
    trmi_result *r = trmi_result_open(a->word[0], &error);
    if (!r)
        return trmi_exit_after(TRMI_EXIT_RESULTS, &console, a->word[0], &error);
    bool good = true, whole = true;
    char name[200];
    for (int k = 0; k < 3; k++)
        if (trmi_flag_value(a, texts[k])) {
            const char *text = trmi_result_attribute(r, texts[k]);
            trmi_print("%s\n", text ? text : "");
            whole = false;
        }
    if (trmi_flag_value(a, "names")) {
        for (int i = 0; i < trmi_result_channels(r); i++)
            trmi_print("%s\n", full_name(trmi_result_channel(r, i), name, sizeof name));
        whole = false;
    }
    if (whole) {
        static const char *const attributes[][2] = {{"model", "title"},
                                                    {"status", "status"},
                                                    {"message", "text"},
                                                    {"command", "command_line"},
                                                    {"version", "version"}};
        trmi_print("%s\n", a->word[0]);
        for (int k = 0; k < 5; k++) {
            const char *text = trmi_result_attribute(r, attributes[k][1]);
            if (text && text[0])
                trmi_print("  %-12s %s\n", attributes[k][0], text);
        }
        good = print_channels(r, &console);
        print_events(r);
    }
    trmi_result_close(r);
    return good ? TRMI_EXIT_DONE : TRMI_EXIT_RESULTS;
}

const trmi_command trmi_cmd_info = {
    "info", "RESULT", 1, 1, "print what is in a result file", NULL, flags, run,
};
