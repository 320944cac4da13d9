// SPDX-License-Identifier: Apache-2.0
// The key `include`: sections of other files come before those of this one. Maps are joined, to any
// depth; what both files give is an error, but for `trammel` and `name`.
#include "modelling/reader/reading.h"

#include "modelling/reader/beside.h"
#include "modelling/reader/yaml/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// the tree of a file; NULL: reported, or (failed) no memory
static trmi_item *read_tree(trmi_reading *r, const trmi_item *item)
{
    char path[4096];
    trmi_path_beside(r->model->path, item->text, path, sizeof path);
    size_t length;
    trmi_note_source(r, path);
    char *text = trmi_read_whole(path, &length);
    if (!text) {
        trmi_report(r->document, item, "cannot read '%.200s': %s", path, trmi_read_failure());
        return NULL;
    }
    trmi_item *root = NULL;
    int source = trmi_document_add(r->document, path, text, length);
    free(text);
    if (source < 0 || trmi_yaml_read(r->document, source, 0, &root) == TRMI_READING_NO_MEMORY)
        r->failed = true;
    else if (root && root->kind != TRMI_MAP)
        trmi_report(r->document, item, "'%.200s' is not a map of sections", path);
    return root && root->kind == TRMI_MAP ? root : NULL;
}

static bool is_of_each(const char *key)
{
    return strcmp(key, "trammel") == 0 || strcmp(key, "name") == 0;
}

// what `from` has and `into` has not, before what that has
static void join(trmi_reading *r, trmi_item *into, const trmi_item *from, bool top)
{
    trmi_item *first = NULL, **end = &first;
    for (trmi_item *i = from->child, *next; i; i = next) {
        next = i->next;
        trmi_item *own = trmi_item_find(into, i->key);
        if (!own) {
            *end = i;
            end = &i->next;
            into->count++;
        } else if (own->kind == TRMI_MAP && i->kind == TRMI_MAP) {
            join(r, own, i, false);
        } else if (top && strcmp(i->key, "include") == 0) {
            trmi_report_key(r->document, i, "a file that is included cannot include others");
        } else if (!top || !is_of_each(i->key)) {
            trmi_report_key(r->document, own, "'%.60s' is also in an included file (line %d there)",
                            own->key, i->key_line);
        }
    }
    *end = into->child;
    into->child = first;
}

void trmi_include_files(trmi_reading *r)
{
    trmi_item *root = trmi_document_root(r->document);
    const trmi_item *include = trmi_item_find(root, "include");
    if (!include || root->kind != TRMI_MAP)
        return;
    const trmi_item *item = include->kind == TRMI_LIST ? include->child : include;
    for (; item && !r->failed; item = include->kind == TRMI_LIST ? item->next : NULL) {
        if (item->kind != TRMI_SCALAR || trmi_item_null(item)) {
            trmi_report(r->document, item,
                        "'include' takes the path of a file, or a list of paths");
            continue;
        }
        trmi_item *from = read_tree(r, item);
        if (from)
            join(r, root, from, true);
    }
}
