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
    trmi_note_source(r, path);
    *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!*handle) {
        trmi_report(r->document, item, "cannot load the library: %s", dlerror());
        return NULL;
    }
    trmi_fingerprint_file(r, path);
    void *found = dlsym(*handle, symbol);
    if (!found)
        trmi_report(r->document, item, "the library does not export %.60s", symbol);
    return found;
}

// ---- forces and constraints ----

struct trmi_force_library {
    trmi_force_library *next;
    void *handle;
    bool constrains;
    union { // a function of the other kind, which is refused by its size, does not write after it
        trm_user_force force;
        trm_user_constraint constraint;
    } is;
};

// the open function of that name; NULL after an error
static void *open_function(trmi_reading *r, const trmi_item *item, const trmi_item *name,
                           trmi_force_library **library)
{
    if (!TRMI_TAKE(r->memory, *library, 1)) {
        r->failed = true;
        return NULL;
    }
    (*library)->next = r->model->force_library;
    r->model->force_library = *library;
    return trmi_library_open(r, item, name->text, &(*library)->handle);
}

// whether what was opened can be used; reported otherwise
static bool accept(trmi_reading *r, const trmi_item *name, trm_error *error, bool opened,
                   const char *lacks, const char *type, size_t size, size_t expected)
{
    if (opened && !lacks && size == expected)
        return true;
    if (opened && lacks)
        trmi_error_set(error, TRM_ERR_MODEL, "it gives %s", lacks);
    else if (opened)
        trmi_error_set(error, TRM_ERR_MODEL,
                       "%s has %zu bytes there, %zu in this version of the library", type, size,
                       expected);
    trmi_report(r->document, name, "%.60s: %s", name->text,
                error->text[0] ? error->text : "failed without a reason");
    return false;
}

const trm_user_force *trmi_library_force(trmi_reading *r, const trmi_item *item,
                                         const trmi_item *name)
{
    trmi_force_library *library;
    trm_force_open_function *open;
    trm_error error;
    trmi_error_clear(&error);
    void *symbol = open_function(r, item, name, &library);
    if (!symbol)
        return NULL;
    memcpy(&open, &symbol, sizeof open); // C has no cast between data and functions
    trm_user_force *out = &library->is.force;
    bool opened = open(out, &error) == TRM_OK;
    bool known = out->size == 0 || out->size == offsetof(trm_user_force, law); // before laws
    if (accept(r, name, &error, opened, out->force || out->law ? NULL : "neither 'force' nor 'law'",
               "trm_user_force", known ? sizeof *out : out->size, sizeof *out))
        return out;
    *out = (trm_user_force){0};
    return NULL;
}

const trm_user_constraint *trmi_library_constraint(trmi_reading *r, const trmi_item *item,
                                                   const trmi_item *name)
{
    trmi_force_library *library;
    trm_constraint_open_function *open;
    trm_error error;
    trmi_error_clear(&error);
    void *symbol = open_function(r, item, name, &library);
    if (!symbol)
        return NULL;
    memcpy(&open, &symbol, sizeof open); // C has no cast between data and functions
    library->constrains = true;
    trm_user_constraint *out = &library->is.constraint;
    bool opened = open(out, &error) == TRM_OK;
    if (accept(r, name, &error, opened, out->constraint ? NULL : "no 'constraint'",
               "trm_user_constraint", out->size == 0 ? sizeof *out : out->size, sizeof *out))
        return out;
    *out = (trm_user_constraint){0};
    return NULL;
}

void trmi_library_release_forces(trm_model *model)
{
    for (trmi_force_library *l = model->force_library; l; l = l->next) {
        if (l->constrains && l->is.constraint.release)
            l->is.constraint.release(&l->is.constraint);
        if (!l->constrains && l->is.force.release)
            l->is.force.release(&l->is.force);
        if (l->handle)
            dlclose(l->handle);
    }
    model->force_library = NULL;
}
