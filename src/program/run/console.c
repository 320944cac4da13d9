// SPDX-License-Identifier: Apache-2.0
#include "program/run/console.h"

#include "base/characters.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char *const RED = "\033[1;31m", *const YELLOW = "\033[1;33m", *const PLAIN = "\033[0m";

// ---- texts as they may be shown ----

static const char LINES[] = "\n\t"; // the structure of our own texts

static void write_shown(FILE *out, const char *text)
{
    char cut[400], *shown = NULL;
    size_t length = trmi_show(NULL, 0, text, LINES);
    if (length > strlen(text)) { // nearly never
        shown = malloc(length + 1);
        trmi_show(shown ? shown : cut, shown ? length + 1 : sizeof cut, text, LINES);
        text = shown ? shown : cut;
    }
    fputs(text, out);
    free(shown);
}

static void print_shown(FILE *out, const char *format, va_list arguments)
{
    char buffer[1000], *text = buffer;
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(buffer, sizeof buffer, format, arguments);
    if (length >= (int)sizeof buffer && (text = malloc((size_t)length + 1)) != NULL)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    write_shown(out, text ? text : buffer);
    if (text != buffer)
        free(text);
}

int trmi_flush_output(int code)
{
    if (fflush(stdout) == 0 || errno == EPIPE || code != TRMI_EXIT_DONE)
        return code;
    perror("trammel: standard output");
    return TRMI_EXIT_RESULTS;
}

void trmi_print(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_shown(stdout, format, arguments);
    va_end(arguments);
}

void trmi_print_to(FILE *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_shown(out, format, arguments);
    va_end(arguments);
}

// ---- messages ----

static void print_line(const char *format, va_list arguments)
{
    fputs("trammel: ", stderr);
    print_shown(stderr, format, arguments);
    fputc('\n', stderr);
}

bool trmi_usage_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line(format, arguments);
    va_end(arguments);
    return false;
}

int trmi_exit_with(int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line(format, arguments);
    va_end(arguments);
    return code;
}

// text without the end of its line, its first `error:` or `warning:` coloured
static void print_colored(const trmi_console *console, char *text)
{
    size_t size = strlen(text);
    if (size > 0 && text[size - 1] == '\n')
        text[size - 1] = '\0';
    const char *error = strstr(text, "error:"), *warning = strstr(text, "warning:");
    const char *word = error && (!warning || error < warning) ? error : warning;
    if (!console->color || !word) {
        trmi_print_to(stderr, "%s\n", text);
        return;
    }
    int length = word == error ? 6 : 8;
    trmi_print_to(stderr, "%.*s", (int)(word - text), text);
    fputs(word == error ? RED : YELLOW, stderr);
    trmi_print_to(stderr, "%.*s", length, word);
    fputs(PLAIN, stderr);
    trmi_print_to(stderr, "%s\n", word + length);
}

void trmi_print_diagnostic(const trm_diagnostic *diagnostic, void *user)
{
    const trmi_console *console = user;
    char text[2000];
    trm_diagnostic_format(diagnostic, text, sizeof text);
    print_colored(console, text);
}

trm_log_level trmi_log_level(const trmi_console *console)
{
    static const trm_log_level levels[] = {TRM_LOG_WARNING, TRM_LOG_WARNING, TRM_LOG_INFO};
    return console->level < 3 ? levels[console->level] : TRM_LOG_TRACE;
}

void trmi_print_log(trm_log_level level, const char *text, void *user)
{
    const trmi_console *console = user;
    char line[600];
    if (level > trmi_log_level(console))
        return;
    snprintf(line, sizeof line, "%s%.500s", level == TRM_LOG_WARNING ? "warning: " : "", text);
    print_colored(console, line);
}

void trmi_print_error(const trmi_console *console, const char *subject, const trm_error *error)
{
    char text[4000], line[4200];
    trm_error_format(error, text, sizeof text);
    snprintf(line, sizeof line, "%s: %s: %s", subject,
             error->status == TRM_UNTRUSTED ? "warning" : "error", text);
    print_colored(console, line);
}

int trmi_exit_after(int code, const trmi_console *console, const char *subject,
                    const trm_error *error)
{
    trmi_print_error(console, subject, error);
    return code;
}

const char *trmi_stem(const char *path, char *buffer, int size)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    if (strcmp(base, "-") == 0)
        base = "model";
    snprintf(buffer, (size_t)size, "%s", base);
    char *dot = strrchr(buffer, '.');
    if (dot && dot != buffer)
        *dot = '\0';
    return buffer;
}
