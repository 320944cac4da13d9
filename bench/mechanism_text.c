// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L // popen
#include "mechanism_text.h"

#include "peer_run.h"

#include <stdio.h>
#include <stdlib.h>

// The output of a command; the caller frees it. NULL: it failed.
static char *read_output(const char *command, size_t *length)
{
    FILE *pipe = popen(command, "r");
    size_t capacity = 1 << 16, size = 0, got;
    char *text = pipe ? malloc(capacity) : NULL;
    while (text && (got = fread(text + size, 1, capacity - size, pipe)) > 0) {
        size += got;
        if (size < capacity)
            continue;
        capacity *= 2;
        char *more = realloc(text, capacity);
        if (!more)
            free(text);
        text = more;
    }
    if (pipe && pclose(pipe) != 0) {
        free(text);
        text = NULL;
    }
    *length = size;
    return text;
}

int mechanism_read(mechanism *m, const char *command, const trm_load *load)
{
    size_t length = 0;
    trm_error error = {.text = ""};
    *m = (mechanism){0};
    char *text = read_output(command, &length);
    if (!text) {
        fprintf(stderr, "%s: failed\n", command);
        return -1;
    }
    double begin = peer_cpu_seconds();
    trm_status status = trm_model_read(&m->model, text, length, command, load, &error);
    if (status == TRM_OK)
        status = trm_instance_create(&m->instance, m->model, &error);
    m->seconds = peer_cpu_seconds() - begin;
    free(text);
    if (status != TRM_OK) {
        fprintf(stderr, "%s: %s\n", command, error.text);
        mechanism_close(m);
        return -1;
    }
    m->bodies = trm_instance_system(m->instance)->n_bodies;
    return 0;
}

int mechanism_open(mechanism *m, const char *script, const char *words, int size)
{
    char command[1024];
    snprintf(command, sizeof command, "%s %s %d", script, words, size);
    return mechanism_read(m, command, NULL);
}

void mechanism_close(mechanism *m)
{
    trm_instance_destroy(m->instance);
    trm_model_destroy(m->model);
    *m = (mechanism){0};
}
