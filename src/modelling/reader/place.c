// SPDX-License-Identifier: Apache-2.0
// Where in its file a model has what an error of the solver is about: the file is read again for
// the option or the name that the error has. Nothing of this is kept while all goes well.
#include "modelling/reader/keys/keys.h"
#include "modelling/reader/model.h"

#include <stdio.h>
#include <string.h>

// "h" of "constraint h", the option of "linear_solver = block needs ..."
static const char *find_word(const trm_error *error, char *buffer, size_t size)
{
    const char *space = strrchr(error->item, ' '), *equals = strstr(error->text, " = ");
    if (error->item[0])
        snprintf(buffer, size, "%s", space ? space + 1 : error->item);
    else
        snprintf(buffer, size, "%.*s", equals ? (int)(equals - error->text) : 0, error->text);
    return buffer;
}

// the part with that name, or the one whose coordinate or row it is: "pivot" of "pivot_angle"
static const trmi_item *find_part(const trmi_item *root, const char *name)
{
    static const char *const sections[] = {"equations.coordinates",
                                           "equations.states",
                                           "equations.algebraic",
                                           "equations.constraints",
                                           "equations.velocity_constraints",
                                           "mechanism.joints",
                                           "mechanism.bodies",
                                           "mechanism.forces",
                                           "mechanism.states",
                                           "mechanism.algebraic",
                                           "parameters",
                                           "use"};
    const trmi_item *best = NULL;
    size_t longest = 0;
    for (size_t k = 0; k < sizeof sections / sizeof *sections; k++) {
        const trmi_item *section = trmi_item_path(root, sections[k]);
        bool map = section && section->kind == TRMI_MAP;
        for (const trmi_item *i = map ? section->child : NULL; i; i = i->next) {
            size_t length = strlen(i->key);
            bool begins = strncmp(name, i->key, length) == 0 && strchr("_.", name[length]);
            if (begins && length > longest) {
                longest = length;
                best = i;
            }
        }
    }
    return best;
}

// the section that defines the model
static const trmi_item *find_section(const trmi_item *root)
{
    static const char *const sections[] = {"mechanism", "equations", "problem"};
    const trmi_item *section = NULL;
    for (size_t k = 0; k < sizeof sections / sizeof *sections && !section; k++)
        section = trmi_item_path(root, sections[k]);
    return section;
}

trmi_line_column trmi_model_error_place(const trm_model *m, const trm_error *error)
{
    char word[80];
    trmi_memory memory;
    trmi_memory_init(&memory, NULL);
    trmi_line_column place = {0};
    trmi_document *document =
        trmi_document_read(&memory, m->path, m->text, m->text_length, NULL, NULL);
    const trmi_item *root = document ? trmi_document_root(document) : NULL;
    bool named = root && find_word(error, word, sizeof word)[0];
    const trmi_item *option = named ? trmi_item_of_option(root, word) : NULL;
    const trmi_item *part = named && !option ? find_part(root, word) : NULL;
    if (root && !part)
        part = find_section(root);
    if (option)
        place = (trmi_line_column){option->line, option->column};
    else if (part)
        place = (trmi_line_column){part->key_line, part->key_column};
    trmi_memory_release_all(&memory);
    return place;
}
