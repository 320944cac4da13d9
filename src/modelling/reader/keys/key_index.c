// SPDX-License-Identifier: Apache-2.0
// Which rows of the table are below which. The table is searched once for every path that a
// document uses: a mechanism of many parts asks for the same few paths again and again.
#include "modelling/reader/yaml/source.h"

#include "modelling/reader/keys/keys.h"

#include <string.h>

enum { MAX_BELOW = 64 };

bool trmi_key_index_create(trmi_key_index *index, trmi_document *document)
{
    int rows = 0;
    while (trmi_key_row(rows))
        rows++;
    *index = (trmi_key_index){.document = document};
    index->map = trmi_document_take(document, ((size_t)rows + 1) * sizeof *index->map);
    return index->map != NULL;
}

// the rows below a path, the free name apart; how many
static int collect_below(const char *path, int *below, int *free_name)
{
    int count = 0;
    *free_name = TRMI_KEY_NONE;
    for (int k = 0; (k = trmi_key_below(path, k)) >= 0 && count < MAX_BELOW; k++) {
        if (strcmp(trmi_key_name(trmi_key_row(k)), "*") == 0)
            *free_name = k;
        else
            below[count++] = k;
    }
    return count;
}

const trmi_key_map *trmi_key_index_below(trmi_key_index *index, int row)
{
    const trmi_key_map **known = &index->map[row + 1]; // TRMI_KEY_NONE: the top
    int below[MAX_BELOW], free_name;
    if (*known)
        return *known;
    int count = collect_below(row < 0 ? "" : trmi_key_row(row)->path, below, &free_name);
    trmi_key_map *map =
        trmi_document_take(index->document, sizeof *map + (size_t)count * sizeof *map->key);
    if (!map)
        return NULL;
    *map = (trmi_key_map){.count = count, .free_name = free_name};
    for (int k = 0; k < count; k++) {
        const trmi_key *key = trmi_key_row(below[k]);
        map->key[k] = (trmi_key_entry){trmi_key_name(key), below[k], key->need};
        map->needs[key->need]++;
    }
    return *known = map;
}

int trmi_key_map_find(const trmi_key_map *map, const char *name)
{
    for (int k = 0; k < map->count; k++)
        if (strcmp(map->key[k].name, name) == 0)
            return map->key[k].row;
    return map->free_name;
}
