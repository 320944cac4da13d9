// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "cli/catalogue.h"

#include "base/grow.h"
#include "base/nearest.h"
#include "cli/report.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { NAME_BYTES = 256 };

static int fail_memory(void)
{
    trmi_complain("no memory for the list of experiments");
    return TRMI_EXIT_FAILED;
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

static int is_experiment(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return entry->d_name[0] != '.' && dot && strcmp(dot, ".yaml") == 0;
}

// all experiments of a folder by name; a folder that is not there has none
static bool add_folder(trmi_catalogue *c, const char *folder)
{
    struct dirent **entry;
    int count = folder && folder[0] ? scandir(folder, &entry, is_experiment, alphasort) : -1;
    bool good = true;
    for (int i = 0; i < count; i++) {
        good = good && add_path(c, folder, entry[i]->d_name);
        free(entry[i]);
    }
    if (count >= 0)
        free(entry);
    return good;
}

// everything there is, from the first folder that has something
static int list_all(trmi_catalogue *c)
{
    const char *const folders[] = {"experiments", getenv("TRM_EXPERIMENTS"),
                                   TRM_DATA_DIR "/experiments", TRM_SOURCE_DIR "/experiments"};
    for (size_t k = 0; k < sizeof folders / sizeof *folders && c->count == 0; k++)
        if (!add_folder(c, folders[k]))
            return fail_memory();
    if (c->count > 0)
        return TRMI_EXIT_DONE;
    trmi_complain("no experiments in ./experiments, in the folder TRM_EXPERIMENTS (%s) or in %s; "
                  "name a file, or set TRM_EXPERIMENTS",
                  folders[1] ? folders[1] : "not set", folders[2]);
    return TRMI_EXIT_USAGE;
}

// ---- names ----

static int refuse_name(const trmi_catalogue *all, const char *name)
{
    char(*stem)[NAME_BYTES] = calloc((size_t)all->count, sizeof *stem);
    const char **names = calloc((size_t)all->count, sizeof *names);
    if (stem && names) {
        for (int i = 0; i < all->count; i++)
            names[i] = trmi_stem(all->path[i], stem[i], NAME_BYTES);
        const char *near = trmi_nearest(name, names, all->count);
        trmi_complain("there is no experiment '%s'%s%s%s", name, near ? "; did you mean '" : "",
                      near ? near : "", near ? "'?" : "; these are there:");
        for (int i = 0; i < all->count && !near; i++)
            fprintf(stderr, "  %s\n", names[i]);
    }
    bool memory = stem && names;
    free(stem);
    free(names);
    return memory ? TRMI_EXIT_USAGE : fail_memory();
}

// the one of that name, else all that contain it
static int add_named(trmi_catalogue *c, const trmi_catalogue *all, const char *name)
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
    return c->count > before ? TRMI_EXIT_DONE : refuse_name(all, name);
}

// names of experiments have no suffix and no folder
static bool is_file(const char *name)
{
    struct stat status;
    const char *dot = strrchr(name, '.');
    return strchr(name, '/') || (dot && strcmp(dot, ".yaml") == 0) ||
           (stat(name, &status) == 0 && S_ISREG(status.st_mode));
}

int trmi_catalogue_find(trmi_catalogue *out, const char *const *name, int names)
{
    *out = (trmi_catalogue){0};
    if (names == 0)
        return list_all(out);
    trmi_catalogue all = {0};
    int code = TRMI_EXIT_DONE;
    for (int i = 0; i < names && code == TRMI_EXIT_DONE; i++) {
        bool file = is_file(name[i]);
        if (file && !add_path(out, NULL, name[i]))
            code = fail_memory();
        if (!file && all.count == 0)
            code = list_all(&all);
        if (!file && code == TRMI_EXIT_DONE)
            code = add_named(out, &all, name[i]);
    }
    trmi_catalogue_release(&all);
    return code;
}
