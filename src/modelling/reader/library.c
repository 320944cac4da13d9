// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "modelling/reader/library.h"

#include "base/error.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

// "./mine.so" is relative to the folder of the model file, not to the working directory
static void library_path(const trmi_reading *r, const char *given, char *path, size_t size)
{
    const char *slash = strrchr(r->model->path, '/');
    int folder = slash && given[0] != '/' ? (int)(slash - r->model->path) + 1 : 0;
    bool bare = !strchr(given, '/');
    snprintf(path, size, "%.*s%s%s", folder, r->model->path, bare && !folder ? "./" : "", given);
}

void *trmi_library_open(trmi_reading *r, const trmi_item *item, const char *symbol, void **handle)
{
    char path[4096];
    library_path(r, item->text ? item->text : "", path, sizeof path);
    *handle = NULL;
    if (!r->load || !r->load->library || !r->load->library(path, r->load->user)) {
        trmi_report(r->document, item,
                    "the library is code that would run with your rights, and was not allowed "
                    "(trammel: --allow-code, C: trm_load.library)");
        return NULL;
    }
    *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!*handle) {
        trmi_report(r->document, item, "cannot load the library: %s", dlerror());
        return NULL;
    }
    void *found = dlsym(*handle, symbol);
    if (!found)
        trmi_report(r->document, item, "the library does not export %.60s", symbol);
    return found;
}

// ---- forces ----

struct trmi_force_library {
    void *handle;
    trm_user_force force;
    trmi_force_library *next;
};

const trm_user_force *trmi_library_force(trmi_reading *r, const trmi_item *item,
                                         const trmi_item *name)
{
    trmi_force_library *library;
    trm_force_open_function *open;
    trm_error error;
    trmi_error_clear(&error);
    if (!TRMI_TAKE(r->memory, library, 1)) {
        r->failed = true;
        return NULL;
    }
    library->next = r->model->force_library;
    r->model->force_library = library;
    void *symbol = trmi_library_open(r, item, name->text, &library->handle);
    if (!symbol)
        return NULL;
    memcpy(&open, &symbol, sizeof open); // C has no cast between data and functions
    bool opened = open(&library->force, &error) == TRM_OK;
    bool has = library->force.force || library->force.law;
    bool fits = library->force.size == 0 || library->force.size == sizeof library->force ||
                library->force.size == offsetof(trm_user_force, law); // before there were laws
    if (opened && has && fits)
        return &library->force;
    if (opened && !has)
        trmi_error_set(&error, TRM_ERR_MODEL, "it gives neither 'force' nor 'law'");
    else if (opened)
        trmi_error_set(&error, TRM_ERR_MODEL,
                       "trm_user_force has %zu bytes there, %zu in this version of the library",
                       library->force.size, sizeof library->force);
    trmi_report(r->document, name, "%.60s: %s", name->text,
                error.text[0] ? error.text : "failed without a reason");
    library->force = (trm_user_force){0};
    return NULL;
}

void trmi_library_release_forces(trm_model *model)
{
    for (trmi_force_library *l = model->force_library; l; l = l->next) {
        if (l->force.release)
            l->force.release(&l->force);
        if (l->handle)
            dlclose(l->handle);
    }
    model->force_library = NULL;
}
