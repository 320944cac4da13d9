// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "program/cli/report.h"
#include "base/error.h"
#include "modelling/reader/model.h"
#include "problems/problems.h"
#include "program/files/disk.h"
#include "program/files/reader.h"
#include "program/files/shell.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

trmi_console trmi_console_of(const trmi_arguments *a)
{
    const char *when = trmi_flag_value(a, "color"), *no_color = getenv("NO_COLOR");
    trmi_console console = {.level = 1 + trmi_flag_count(a, "verbose")};
    if (trmi_flag_value(a, "quiet"))
        console.level = 0;
    bool automatic = !when || strcmp(when, "auto") == 0;
    if (automatic)
        console.color = isatty(STDERR_FILENO) && !(no_color && no_color[0]);
    else
        console.color = strcmp(when, "always") == 0;
    return console;
}

// The user of a trm_load: where messages go, and what may be loaded.
typedef struct loading {
    const trmi_console *console;
    bool allow_code;
    trmi_load_messages shown;
    trmi_document *document; // whose `settings` are among the overrides; NULL: none
} loading;

// Whether an override, "path=value", is that entry of `settings`, with or without quotes.
static bool is_entry(const char *assignment, const trmi_item *entry)
{
    size_t key = strlen(entry->key), length = entry->text ? strlen(entry->text) : 0;
    const char *value = assignment + key + 1;
    if (!entry->text || strncmp(assignment, entry->key, key) != 0 || assignment[key] != '=')
        return false;
    return strncmp(value + entry->quoted, entry->text, length) == 0 &&
           strlen(value) == length + 2 * (size_t)entry->quoted;
}

// A message about an override that is in a document goes to its place there: without a line it
// is about the path, which is the key. False: it is about something else.
static bool report_in_document(const trm_diagnostic *d, trmi_document *document)
{
    static const char set[] = "--set ";
    if (!document || strncmp(d->file, set, strlen(set)) != 0)
        return false;
    const trmi_item *section = trmi_item_find(trmi_document_root(document), "settings");
    const trmi_item *i = section ? section->child : NULL;
    while (i && !is_entry(d->file + strlen(set), i))
        i = i->next;
    if (i && !d->error)
        trmi_warn(document, i, "%s", d->text);
    else if (i && d->line == 0)
        trmi_report_key(document, i, "%s", d->text);
    else if (i && (d->line > 1 || d->column <= i->quoted)) // all of it
        trmi_report(document, i, "%s", d->text);
    else if (i)
        trmi_report_inside(document, i, d->column - 1 - i->quoted, d->length, "%s", d->text);
    return i != NULL;
}

static void print_diagnostic(const trm_diagnostic *diagnostic, void *user)
{
    const loading *l = user;
    bool shown = l->shown == TRMI_LOAD_ALL || (diagnostic->error && l->shown == TRMI_LOAD_ERRORS);
    if (shown && !report_in_document(diagnostic, l->document))
        trmi_print_diagnostic(diagnostic, (void *)l->console);
}

bool trmi_library_allowed(const char *path, bool allow_code)
{
    if (allow_code || !isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
        return allow_code;
    char answer[16] = "";
    trmi_print_to(stderr,
                  "The model loads %s, which is code and can do whatever you can. Run it? [y/N] ",
                  path);
    fflush(stderr);
    return fgets(answer, sizeof answer, stdin) && (answer[0] == 'y' || answer[0] == 'Y');
}

// a trm_library_function
static int allow_library(const char *path, void *user)
{
    const loading *l = user;
    return trmi_library_allowed(path, l->allow_code);
}

trm_model *trmi_load_model_to_vary(const trmi_arguments *a, const char *path, trmi_overrides more,
                                   const char *const *vary, bool sensitive,
                                   trmi_load_messages shown, const trmi_console *console,
                                   int *exit_code)
{
    const char *set[TRMI_MAX_ARGUMENTS + TRMI_MAX_OVERRIDES + 1];
    int count = 0, further = 0;
    *exit_code = TRMI_EXIT_MODEL;
    if (strcmp(path, "-") != 0 && trmi_result_is_hdf5(path)) {
        trmi_usage_error("%s is a result, not a model: trammel view %s shows it, and trammel info "
                         "--model %s prints the model it was made of",
                         path, path, path);
        return NULL;
    }
    trmi_flag_values(a, "set", set, TRMI_MAX_ARGUMENTS);
    while (set[count])
        count++;
    for (; more.set && more.set[further] && further < TRMI_MAX_OVERRIDES; further++)
        set[count + further] = more.set[further];
    set[count + further] = NULL;
    if (more.set && more.set[further]) {
        trmi_usage_error("%s: more than %d settings in place of those of the model", path,
                         TRMI_MAX_OVERRIDES);
        return NULL;
    }
    loading to = {console, trmi_flag_value(a, "allow-code") != NULL, shown, more.document};
    const trm_load load = {.set = set,
                           .report = print_diagnostic,
                           .user = &to,
                           .problem = trp_problem_open,
                           .library = allow_library,
                           .vary = vary,
                           .sensitive = sensitive};
    trm_model *model;
    trm_error error = trmi_no_error();
    trm_status status = trm_model_load(&model, path, &load, &error);
    if (status == TRM_OK && trmi_options_keep_model(a, path, model))
        return model;
    if (status == TRM_OK) {
        trm_model_destroy(model);
        *exit_code = TRMI_EXIT_USAGE;
        return NULL;
    }
    *exit_code = status == TRM_ERR_MODEL     ? TRMI_EXIT_MODEL
                 : status == TRM_ERR_INITIAL ? TRMI_EXIT_INITIAL
                                             : TRMI_EXIT_FAILED;
    if (*exit_code == TRMI_EXIT_FAILED) // else the diagnostics have reported it
        trmi_print_error(console, path, &error);
    return NULL;
}

trm_model *trmi_load_model(const trmi_arguments *a, const char *path, const trmi_console *console,
                           int *exit_code)
{
    return trmi_load_model_to_vary(a, path, (trmi_overrides){0}, NULL, false, TRMI_LOAD_ALL,
                                   console, exit_code);
}

trm_model *trmi_load_model_with(const trmi_arguments *a, const char *path, const char *const *more,
                                const trmi_console *console, int *exit_code)
{
    return trmi_load_model_to_vary(a, path, (trmi_overrides){more, NULL}, NULL, false,
                                   more ? TRMI_LOAD_ERRORS : TRMI_LOAD_ALL, console, exit_code);
}

void trmi_print_model_error(const trmi_console *console, const trm_model *model,
                            const trm_error *error)
{
    char subject[4200];
    trmi_line_column place = trmi_model_error_place(model, error);
    snprintf(subject, sizeof subject, "%.4000s", model->path);
    if (place.line > 0)
        snprintf(subject, sizeof subject, "%.4000s:%d:%d", model->path, place.line, place.column);
    trmi_print_error(console, subject, error);
}

bool trmi_channels_are_named(const trm_model *model)
{
    for (int kind = 0; kind < TRM_CHANNEL_KINDS; kind++)
        if (trm_model_count(model, (trm_channel_kind)kind) > 0 &&
            !trm_model_channel(model, (trm_channel_kind)kind, 0)[0])
            return trmi_usage_error("no memory for the names of the channels");
    return true;
}

bool trmi_make_folder(const char *folder)
{
    char part[4096];
    if (strlen(folder) >= sizeof part)
        return trmi_usage_error("the name of the folder is too long");
    strcpy(part, folder);
    for (char *c = part + 1; part[0] && *c; c++)
        if (*c == '/') {
            *c = '\0';
            mkdir(part, 0777); // what is wrong shows at the end
            *c = '/';
        }
    if (mkdir(part, 0777) == 0 || errno == EEXIST)
        return true;
    return trmi_usage_error("cannot make the folder %s: %s", folder, strerror(errno));
}

// the folder of a path, and its last part
static const char *split_path(const char *path, char *folder, size_t size)
{
    const char *slash = strrchr(path, '/');
    snprintf(folder, size, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    return slash ? slash + 1 : path;
}

static bool same_inode(const char *one, const char *other)
{
    struct stat a, b;
    return stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

// Where links lead, also to a file that is not there yet.
static void follow_links(const char *path, char *out, size_t size)
{
    enum { MOST = 40 }; // as many as the system follows
    char target[4096], folder[4096];
    snprintf(out, size, "%s", path);
    for (int k = 0; k < MOST; k++) {
        ssize_t length = readlink(out, target, sizeof target - 1);
        if (length < 0)
            return;
        target[length] = '\0';
        split_path(out, folder, sizeof folder);
        bool beside = target[0] != '/' && strchr(out, '/');
        snprintf(out, size, "%s%s", beside ? folder : "", target);
    }
}

bool trmi_same_file(const char *one, const char *other)
{
    char path[2][8192], folder[2][8192];
    follow_links(one, path[0], sizeof path[0]);
    follow_links(other, path[1], sizeof path[1]);
    const char *name[] = {split_path(path[0], folder[0], sizeof folder[0]),
                          split_path(path[1], folder[1], sizeof folder[1])};
    return same_inode(one, other) ||
           (strcmp(name[0], name[1]) == 0 && same_inode(folder[0], folder[1]));
}

bool trmi_files_apart(const char *written, const char *other)
{
    struct stat about;
    if (!written || !other || strcmp(written, "-") == 0 || strcmp(other, "-") == 0)
        return true;
    if (stat(written, &about) == 0 && !S_ISREG(about.st_mode)) // such as /dev/null
        return true;
    return !trmi_same_file(written, other) ||
           trmi_usage_error("%s would be written over %s: give another name or folder", written,
                            other);
}

// the file that an option names as one to write; NULL: it names none
static const char *written_by(const trmi_arguments *a, int i)
{
    const char *value = a->flag[i].flag->value;
    return value && strcmp(value, "FILE") == 0 ? a->flag[i].value : NULL;
}

bool trmi_options_apart(const trmi_arguments *a)
{
    for (int i = 0; i < a->given; i++)
        for (int k = 0; k < i; k++) // of one option the last counts
            if (a->flag[i].flag != a->flag[k].flag &&
                !trmi_files_apart(written_by(a, i), written_by(a, k)))
                return false;
    return true;
}

bool trmi_options_keep(const trmi_arguments *a, const char *path)
{
    for (int i = 0; i < a->given && strcmp(path, "-") != 0; i++) {
        const char *file = written_by(a, i);
        if (file && strcmp(file, "-") != 0 && trmi_same_file(file, path))
            return trmi_usage_error("--%s %s would overwrite %s, which is read: give another name",
                                    a->flag[i].flag->name, file, path);
    }
    return true;
}

bool trmi_options_keep_model(const trmi_arguments *a, const char *path, const trm_model *model)
{
    bool kept = trmi_options_keep(a, path);
    for (const trmi_model_source *s = model->sources; s && kept; s = s->next)
        kept = trmi_options_keep(a, s->path);
    return kept;
}

bool trmi_options_leave(const trmi_arguments *a, const char *parameter, const char *reason)
{
    const char *set[TRMI_MAX_ARGUMENTS + 1];
    trmi_flag_values(a, "set", set, TRMI_MAX_ARGUMENTS);
    for (int k = 0; set[k]; k++)
        if (trmi_setting_is_parameter(set[k], parameter))
            return trmi_usage_error("--set %s: '%s' %s; leave one of the two out", set[k],
                                    parameter, reason);
    return true;
}

bool trmi_write_text(const char *path, const char *what, const char *text)
{
    trmi_whole_file file = trmi_whole_file_open(path);
    int reason = errno;
    if (file.out) {
        // of a text that is larger than the buffer the reason is known only now
        if (fputs(text, file.out) < 0)
            file.failure = errno;
        reason = trmi_whole_file_close(&file);
    }
    return reason == 0 ||
           trmi_usage_error("cannot write %s to %s: %s", what, path, strerror(reason));
}
