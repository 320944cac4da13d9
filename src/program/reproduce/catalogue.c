// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "program/reproduce/catalogue.h"

#include "base/grow.h"
#include "base/nearest.h"
#include "program/run/console.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { NAME_BYTES = 256, PATH_BYTES = 4096 };

const trmi_shelf trmi_experiments = {"experiment", "experiments", "TRM_EXPERIMENTS"};
const trmi_shelf trmi_mechanisms = {"example", "examples/mechanisms", "TRM_MECHANISMS"};

static int fail_memory(void)
{
    return trmi_exit_with(TRMI_EXIT_FAILED, "no memory for the list of files");
}

// folder/file, or file alone
static bool add_path(trmi_catalogue *c, const char *folder, const char *file)
{
    size_t size = (folder ? strlen(folder) + 1 : 0) + strlen(file) + 1;
    char **more = trmi_grow(c->path, &c->capacity, c->count + 1, sizeof *more);
    if (!more)
        return false;
    c->path = more;
    char *path = malloc(size);
    if (!path)
        return false;
    snprintf(path, size, "%s%s%s", folder ? folder : "", folder ? "/" : "", file);
    c->path[c->count++] = path;
    return true;
}

void trmi_catalogue_release(trmi_catalogue *c)
{
    for (int i = 0; i < c->count; i++)
        free(c->path[i]);
    free(c->path);
    *c = (trmi_catalogue){0};
}

// ---- folders ----

static int is_model(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return entry->d_name[0] != '.' && dot && strcmp(dot, ".yaml") == 0;
}

// all files of a folder by name; a folder that is not there has none
static bool add_folder(trmi_catalogue *c, const char *folder)
{
    struct dirent **entry;
    int count = folder && folder[0] ? scandir(folder, &entry, is_model, alphasort) : -1;
    bool good = true;
    for (int i = 0; i < count; i++) {
        good = good && add_path(c, folder, entry[i]->d_name);
        free(entry[i]);
    }
    if (count >= 0)
        free(entry);
    return good;
}

int trmi_catalogue_beside(trmi_catalogue *out, const char *file, const char *name)
{
    char folder[PATH_BYTES];
    const char *slash = strrchr(file, '/');
    *out = (trmi_catalogue){0};
    snprintf(folder, sizeof folder, "%.*s%s", slash ? (int)(slash + 1 - file) : 0, file, name);
    return add_folder(out, folder) ? TRMI_EXIT_DONE : fail_memory();
}

// everything there is, from the first folder that has something; a folder that was named is not
// passed over
static int list_all(trmi_catalogue *c, const trmi_shelf *shelf)
{
    const char *named = getenv(shelf->variable);
    char installed[PATH_BYTES], sources[PATH_BYTES];
    snprintf(installed, sizeof installed, "%s/%s", TRM_DATA_DIR, shelf->folder);
    snprintf(sources, sizeof sources, "%s/%s", TRM_SOURCE_DIR, shelf->folder);
    const char *const folders[] = {shelf->folder, named, installed, sources};
    int count = named && named[0] ? 2 : 4;
    for (int k = 0; k < count && c->count == 0; k++)
        if (!add_folder(c, folders[k]))
            return fail_memory();
    if (c->count > 0)
        return TRMI_EXIT_DONE;
    if (named && named[0])
        return trmi_exit_with(TRMI_EXIT_USAGE, "no %ss (*.yaml) in %s, which %s names", shelf->what,
                              named, shelf->variable);
    return trmi_exit_with(
        TRMI_EXIT_USAGE,
        "no %ss (*.yaml) in ./%s or in %s/%s; name a file, or set %s to their folder", shelf->what,
        shelf->folder, TRM_DATA_DIR, shelf->folder, shelf->variable);
}

// ---- names ----

static int refuse_name(const trmi_catalogue *all, const trmi_shelf *shelf, const char *name)
{
    char(*stem)[NAME_BYTES] = calloc((size_t)all->count, sizeof *stem);
    const char **names = calloc((size_t)all->count, sizeof *names);
    if (stem && names) {
        for (int i = 0; i < all->count; i++)
            names[i] = trmi_stem(all->path[i], stem[i], NAME_BYTES);
        const char *near = trmi_nearest(name, names, all->count);
        trmi_usage_error("there is no %s '%s'%s%s%s", shelf->what, name,
                         near ? "; did you mean '" : "", near ? near : "",
                         near ? "'?" : "; these are there:");
        for (int i = 0; i < all->count && !near; i++)
            fprintf(stderr, "  %s\n", names[i]);
    }
    bool memory = stem && names;
    free(stem);
    free(names);
    return memory ? TRMI_EXIT_USAGE : fail_memory();
}

// the one of that name, else all that contain it
static int add_named(trmi_catalogue *c, const trmi_catalogue *all, const trmi_shelf *shelf,
                     const char *name)
{
    int before = c->count;
    for (int exact = 1; exact >= 0 && c->count == before; exact--)
        for (int i = 0; i < all->count; i++) {
            char stem[NAME_BYTES];
            trmi_stem(all->path[i], stem, sizeof stem);
            bool meant = exact ? strcmp(stem, name) == 0 : strstr(stem, name) != NULL;
            if (meant && !add_path(c, NULL, all->path[i]))
                return fail_memory();
        }
    return c->count > before ? TRMI_EXIT_DONE : refuse_name(all, shelf, name);
}

int trmi_catalogue_find(trmi_catalogue *out, const trmi_shelf *shelf, const char *const *name,
                        int names)
{
    *out = (trmi_catalogue){0};
    if (names == 0)
        return list_all(out, shelf);
    trmi_catalogue all = {0};
    int code = TRMI_EXIT_DONE;
    for (int i = 0; i < names && code == TRMI_EXIT_DONE; i++) {
        struct stat status;
        const char *dot = strrchr(name[i], '.');
        bool file = strchr(name[i], '/') || (dot && strcmp(dot, ".yaml") == 0) ||
                    (stat(name[i], &status) == 0 && S_ISREG(status.st_mode)); // else a name
        if (file && !add_path(out, NULL, name[i]))
            code = fail_memory();
        if (!file && all.count == 0)
            code = list_all(&all, shelf);
        if (!file && code == TRMI_EXIT_DONE)
            code = add_named(out, &all, shelf, name[i]);
    }
    trmi_catalogue_release(&all);
    return code;
}
