// SPDX-License-Identifier: Apache-2.0
// What decides the trajectory, as hashes: of every key of the sections, so that a checkpoint can
// find what has changed since, of the contents of files that the model names (tables.c has its
// own), and of all together. Where the run ends and what is written is not part of it.
#include "modelling/reader/reading.h"

#include "base/hash.h"
#include "modelling/reader/beside.h"

#include <string.h>

enum { MAX_KEYS = 100 }; // of a section; one with more counts as a whole

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return trmi_hash(hash, text, strlen(text) + 1); // with the zero, where one text ends
}

static uint64_t hash_item(uint64_t hash, const trmi_item *item)
{
    if (item->kind == TRMI_SCALAR)
        return hash_text(hash, item->text);
    for (const trmi_item *i = item->child; i; i = i->next) {
        hash = hash_text(hash, i->key ? i->key : "");
        hash = hash_item(hash, i);
    }
    return hash_text(hash, item->kind == TRMI_LIST ? "]" : "}");
}

static bool is_divided(const trmi_item *section)
{
    return section->kind == TRMI_MAP && section->count <= MAX_KEYS;
}

static bool is_free(const trmi_item *section, const trmi_item *item)
{
    static const char *const keys[] = {"end",        "output_times", "output_interval",
                                       "max_output", "max_steps",    "verify"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (strcmp(section->key, "simulate") == 0 && strcmp(item->key, keys[k]) == 0)
            return true;
    return false;
}

static int count_parts(const trmi_item *root)
{
    int count = 1; // of files
    for (const trmi_item *s = root->child; s; s = s->next)
        count += is_divided(s) ? s->count : 1;
    return count;
}

void trmi_read_fingerprint(trmi_reading *r)
{
    trm_model *m = r->model;
    trmi_model_part *part;
    if (r->root->kind != TRMI_MAP)
        return; // which is reported
    if (!TRMI_TAKE(r->memory, part, count_parts(r->root))) {
        r->failed = true;
        return;
    }
    m->part = part;
    m->hash = TRMI_HASH;
    for (const trmi_item *s = r->root->child; s; s = s->next) {
        const trmi_item *i = is_divided(s) ? s->child : s;
        for (; i; i = i == s ? NULL : i->next) {
            if (i != s && is_free(s, i))
                continue;
            trmi_model_part *p = &part[m->parts++];
            p->path =
                i == s ? trmi_keep_text(r, s->key) : TRMI_JOIN(&r->texts, s->key, ".", i->key);
            p->hash = hash_item(TRMI_HASH, i);
            r->failed = r->failed || !p->path;
            m->hash =
                trmi_hash(hash_text(m->hash, p->path ? p->path : ""), &p->hash, sizeof p->hash);
        }
    }
}

static const char FILES[] = "the contents of its files";

static void hash_file(FILE *file, trm_model *m, trmi_model_part *part)
{
    char block[4096];
    for (size_t size; (size = fread(block, 1, sizeof block, file)) > 0;) {
        m->hash = trmi_hash(m->hash, block, size);
        part->hash = trmi_hash(part->hash, block, size);
    }
}

void trmi_fingerprint_file(trmi_reading *r, const char *path)
{
    trm_model *m = r->model;
    trmi_model_part *last = (trmi_model_part *)m->part + m->parts - 1;
    if (!m->part) // which is reported
        return;
    if (m->parts == 0 || !last->path || strcmp(last->path, FILES) != 0) {
        last++;
        m->parts++;
        *last = (trmi_model_part){FILES, TRMI_HASH};
    }
    FILE *file = trmi_open_beside(path);
    if (!file) // nor could its reader open it
        return;
    hash_file(file, m, last);
    fclose(file);
}
