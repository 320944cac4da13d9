// SPDX-License-Identifier: Apache-2.0
// Shared objects that a model file names.
#define _POSIX_C_SOURCE 200809L
#include "model/reading.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

// "./mine.so" is looked for beside the model file, not beside whoever runs it
static void library_path(const trmi_reading *r, const char *given, char *path, size_t size)
{
    const char *slash = strrchr(r->model->path, '/');
    int folder = slash && given[0] != '/' ? (int)(slash - r->model->path) + 1 : 0;
    bool bare = !strchr(given, '/');
    snprintf(path, size, "%.*s%s%s", folder, r->model->path, bare && !folder ? "./" : "", given);
}

bool trmi_open_library(trmi_reading *r, const trmi_item *item, const char *name, void **handle,
                       void *function, size_t size)
{
    char path[4096];
    library_path(r, item->text ? item->text : "", path, sizeof path);
    *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!*handle) {
        trmi_report(r->document, item, "cannot load the library: %s", dlerror());
        return false;
    }
    void *symbol = dlsym(*handle, name);
    memcpy(function, &symbol, size); // C has no cast between data and functions
    if (!symbol)
        trmi_report(r->document, item, "the library does not export %.60s", name);
    return symbol != NULL;
}
