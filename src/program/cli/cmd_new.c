// SPDX-License-Identifier: Apache-2.0
// trammel new: one of the example mechanisms as the beginning of a model of one's own.
#include "modelling/multibody/machine.h"
#include "modelling/reader/beside.h"
#include "modelling/reader/model.h"
#include "program/cli/command.h"
#include "program/cli/report.h"
#include "program/reproduce/catalogue.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 256, LINE_BYTES = 512, COPY_BYTES = 4096 };

static const trmi_flag flags[] = {
    {"out", 'o', "FILE", "the file to write; NAME.yaml by default", NULL},
    {NULL, '\0', NULL, NULL, NULL},
};

// the first line of a file, which describes it, without "# "
static const char *read_title(const char *path, char *line, int size)
{
    FILE *file = fopen(path, "r");
    line[0] = '\0';
    if (file) {
        if (!fgets(line, size, file))
            line[0] = '\0';
        fclose(file);
    }
    line[strcspn(line, "\r\n")] = '\0';
    return line + strspn(line, "# ");
}

static int list_examples(void)
{
    trmi_catalogue all;
    char name[NAME_BYTES], line[LINE_BYTES];
    int code = trmi_catalogue_find(&all, &trmi_mechanisms, NULL, 0);
    for (int i = 0; i < all.count && code == TRMI_EXIT_DONE; i++)
        trmi_print("%-22s %s\n", trmi_stem(all.path[i], name, sizeof name),
                   read_title(all.path[i], line, sizeof line));
    trmi_catalogue_release(&all);
    return code;
}

// "x": a file that is there already is not overwritten
static int copy_file(const char *from, const char *to)
{
    FILE *in = fopen(from, "rb"), *out = in ? fopen(to, "wbx") : NULL;
    char part[COPY_BYTES];
    size_t n = 0;
    if (!in)
        trmi_usage_error("cannot read %s: %s", from, strerror(errno));
    else if (!out && errno == EEXIST)
        trmi_usage_error("%s is there already; --out gives another name", to);
    else if (!out)
        trmi_usage_error("cannot write %s: %s", to, strerror(errno));
    bool good = in && out;
    while (good && (n = fread(part, 1, sizeof part, in)) > 0)
        good = fwrite(part, 1, n, out) == n;
    if (in)
        fclose(in);
    if (out && (fclose(out) != 0 || !good)) {
        trmi_usage_error("cannot write %s: %s", to, strerror(errno));
        good = false;
    }
    return good ? TRMI_EXIT_DONE : TRMI_EXIT_RESULTS;
}

// the files of meshes that an example names, beside the copy as they are beside the example
static int copy_meshes(const char *from, const char *to)
{
    trm_model *model = NULL;
    char path[COPY_BYTES];
    int code = TRMI_EXIT_DONE;
    if (trm_model_load(&model, from, NULL, NULL) != TRM_OK)
        return code; // which `check` reports
    const trmi_machine *machine = trmi_model_machine(model);
    const char *slash = strrchr(from, '/');
    size_t folder = slash ? (size_t)(slash - from) + 1 : 0;
    for (const trmi_mesh *m = machine ? machine->mechanism->mesh : NULL; m && !code; m = m->next) {
        if (!m->path)
            continue;
        trmi_path_beside(to, m->path + folder, path, sizeof path);
        FILE *there = fopen(path, "rb"); // another copy of the example has brought it
        if (there)
            fclose(there);
        else if ((code = copy_file(m->path, path)) == TRMI_EXIT_DONE)
            trmi_print("%s\n", path);
    }
    trm_model_destroy(model);
    return code;
}

static int run(const trmi_arguments *a)
{
    if (a->count == 0)
        return list_examples();
    trmi_catalogue found;
    char name[NAME_BYTES], path[NAME_BYTES + 5];
    int code = trmi_catalogue_find(&found, &trmi_mechanisms, a->word, 1);
    if (code == TRMI_EXIT_DONE && found.count > 1) {
        trmi_usage_error("'%s' is part of several names; give one of them", a->word[0]);
        for (int i = 0; i < found.count; i++)
            trmi_print_to(stderr, "  %s\n", trmi_stem(found.path[i], name, sizeof name));
        code = TRMI_EXIT_USAGE;
    }
    if (code == TRMI_EXIT_DONE) {
        const char *given = trmi_flag_value(a, "out");
        snprintf(path, sizeof path, "%s.yaml", trmi_stem(found.path[0], name, sizeof name));
        code = copy_file(found.path[0], given ? given : path);
        if (code == TRMI_EXIT_DONE) {
            trmi_print("%s\n", given ? given : path);
            code = copy_meshes(found.path[0], given ? given : path);
        }
    }
    trmi_catalogue_release(&found);
    return code;
}

const trmi_command trmi_cmd_new = {
    "new",
    "[NAME]",
    0,
    1,
    "write an example mechanism as the beginning of a model; without NAME list them",
    "The file is a complete model with comments: change it and  trammel check  it.",
    flags,
    run,
};
