// SPDX-License-Identifier: Apache-2.0
// glTF 2.0: JSON that describes nodes, meshes and accessors to numbers in buffers. In a .glb file
// the JSON and the first buffer are chunks of the file; buffers of a .gltf file are files beside it
// or base64 inside it. All triangles of the scene are taken, where its nodes put them.
#include "modelling/reader/beside.h"
#include "modelling/reader/mesh/bytes.h"
#include "modelling/reader/mesh/mesh.h"
#include "modelling/reader/yaml/source.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BUFFERS = 64, FLOAT = 5126, UINT8 = 5121, UINT16 = 5123, UINT32 = 5125 };
enum { TRIANGLES = 4, STRIP = 5, FAN = 6 };

typedef struct buffer {
    const char *bytes; // NULL: not yet read
    size_t length;
    char *owned; // to be freed
} buffer;

typedef struct gltf {
    trmi_mesh_draft *d;
    const trmi_item *root;
    buffer buffer[MAX_BUFFERS];
    int visits; // nodes that may still be visited: they are a tree
} gltf;

// ---- values of the JSON ----

// a whole number of a map, *value is left alone where it has none
static bool find_whole(gltf *g, const trmi_item *map, const char *key, int64_t *value)
{
    double x;
    const trmi_item *item = trmi_item_find(map, key);
    if (!item)
        return true;
    if (!trmi_item_number(item, &x) || x < 0 || x > INT_MAX || x != (double)(int64_t)x)
        return trmi_mesh_error(g->d, "line %d: '%s' must be a whole number", item->line, key);
    *value = (int64_t)x;
    return true;
}

// an element of one of the lists at the top
static const trmi_item *find_element(gltf *g, const char *list, int64_t index)
{
    const trmi_item *item = trmi_item_at(trmi_item_find(g->root, list), (int)index);
    if (!item || item->kind != TRMI_MAP)
        trmi_mesh_error(g->d, "there is no element %lld of '%s'", (long long)index, list);
    return item && item->kind == TRMI_MAP ? item : NULL;
}

// n numbers of a list; false: the map has none, or (reported by the caller) others
static bool find_numbers(const trmi_item *map, const char *key, int n, double *x)
{
    const trmi_item *list = trmi_item_find(map, key), *i = list ? list->child : NULL;
    for (int k = 0; k < n; k++, i = i->next)
        if (!i || !trmi_item_number(i, &x[k]))
            return false;
    return true;
}

// ---- buffers ----

static int base64_digit(char c)
{
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+' || c == '-' ? 62
           : c == '/' || c == '_' ? 63
                                  : -1;
}

// what a text of base64 stands for, up to its first other character; NULL: no memory
static char *decode_base64(const char *text, size_t *length)
{
    char *out = malloc(strlen(text) / 4 * 3 + 3);
    unsigned bits = 0;
    int count = 0, digit;
    *length = 0;
    for (; out && (digit = base64_digit(*text)) >= 0; text++) {
        bits = bits << 6 | (unsigned)digit;
        count += 6;
        if (count >= 8) {
            count -= 8;
            out[(*length)++] = (char)(bits >> count & 255);
        }
    }
    return out;
}

// a buffer inside of the JSON or in a file of its own
static bool read_buffer(gltf *g, const trmi_item *item, buffer *b)
{
    const trmi_item *uri = trmi_item_find(item, "uri");
    char path[4096];
    if (!uri || uri->kind != TRMI_SCALAR)
        return trmi_mesh_error(g->d, "a buffer has no 'uri'");
    const char *data = strncmp(uri->text, "data:", 5) == 0 ? strchr(uri->text, ',') : NULL;
    if (data) {
        b->owned = decode_base64(data + 1, &b->length);
    } else {
        trmi_path_beside(g->d->path, uri->text, path, sizeof path);
        trmi_note_source(g->d->r, path);
        b->owned = trmi_read_whole(path, &b->length);
        if (!b->owned)
            return trmi_mesh_error(g->d, "cannot read its buffer '%.150s': %s", path,
                                   trmi_read_failure());
    }
    g->d->r->failed = g->d->r->failed || !b->owned;
    b->bytes = b->owned;
    return b->owned != NULL;
}

static const buffer *find_buffer(gltf *g, int64_t index)
{
    const trmi_item *item = find_element(g, "buffers", index);
    if (!item)
        return NULL;
    if (index >= MAX_BUFFERS) {
        trmi_mesh_error(g->d, "it has more than %d buffers", MAX_BUFFERS);
        return NULL;
    }
    buffer *b = &g->buffer[index];
    return b->bytes || read_buffer(g, item, b) ? b : NULL;
}

// ---- accessors ----

// Numbers in a buffer: `count` of them, or of triples.
typedef struct accessor {
    const char *at;
    int64_t count, stride, type;
} accessor;

static int size_of(int64_t type)
{
    return type == UINT8 ? 1 : type == UINT16 ? 2 : type == UINT32 || type == FLOAT ? 4 : 0;
}

static bool open_accessor(gltf *g, int64_t index, const char *kind, accessor *a)
{
    const trmi_item *item = find_element(g, "accessors", index), *view;
    const trmi_item *type = trmi_item_find(item, "type");
    int64_t view_index = -1, number = -1, offset = 0, view_offset = 0, view_length = 0;
    *a = (accessor){0};
    if (!item || !find_whole(g, item, "bufferView", &view_index) ||
        !find_whole(g, item, "byteOffset", &offset) || !find_whole(g, item, "count", &a->count) ||
        !find_whole(g, item, "componentType", &a->type))
        return false;
    bool triple = strcmp(kind, "VEC3") == 0;
    if (!type || type->kind != TRMI_SCALAR || strcmp(type->text, kind) != 0 ||
        (triple ? a->type != FLOAT : a->type == FLOAT || !size_of(a->type)))
        return trmi_mesh_error(g->d, "accessor %lld is not of %s", (long long)index,
                               triple ? "points (VEC3 of floats)" : "numbers of points");
    if (view_index < 0 || trmi_item_find(item, "sparse"))
        return trmi_mesh_error(g->d,
                               "accessor %lld is sparse or compressed, which is not read; export "
                               "the file without compression",
                               (long long)index);
    if (!(view = find_element(g, "bufferViews", view_index)) ||
        !find_whole(g, view, "buffer", &number) ||
        !find_whole(g, view, "byteOffset", &view_offset) ||
        !find_whole(g, view, "byteLength", &view_length) ||
        !find_whole(g, view, "byteStride", &a->stride))
        return false;
    const buffer *b = find_buffer(g, number);
    if (!b)
        return false;
    int64_t size = (triple ? 3 : 1) * size_of(a->type);
    a->stride = a->stride > 0 ? a->stride : size;
    int64_t end = a->count > 0 ? offset + (a->count - 1) * a->stride + size : 0;
    if (end > view_length || view_offset + view_length > (int64_t)b->length)
        return trmi_mesh_error(g->d, "damaged: accessor %lld needs %lld bytes of a buffer of %zu",
                               (long long)index, (long long)(view_offset + end), b->length);
    a->at = b->bytes + view_offset + offset;
    return true;
}

static int index_at(const accessor *a, int64_t k)
{
    const char *at = a->at + k * a->stride;
    uint32_t value = a->type == UINT8    ? (unsigned char)*at
                     : a->type == UINT16 ? trmi_uint16_at(at)
                                         : trmi_uint32_at(at);
    return value < INT_MAX ? (int)value : INT_MAX;
}

// ---- meshes ----

// Where a node puts its points: A p + t.
typedef struct place {
    trmi_m3 A;
    trmi_v3 t;
} place;

static bool add_triangles(gltf *g, const accessor *index, int first, int64_t count, int64_t mode)
{
    int64_t triangles = mode == TRIANGLES ? count / 3 : count - 2;
    for (int64_t k = 0; k < triangles; k++) {
        int64_t at = mode == TRIANGLES ? 3 * k : k;
        int64_t corner[3] = {mode == FAN ? 0 : at, at + 1, at + 2};
        for (int i = 0; i < 3; i++) {
            corner[i] = index->at ? index_at(index, corner[i]) : corner[i];
            if (corner[i] >= g->d->points - first)
                return trmi_mesh_error(g->d, "damaged: there is no point %lld of %d",
                                       (long long)corner[i], g->d->points - first);
        }
        bool flip = mode == STRIP && k % 2 == 1;
        if (!trmi_mesh_add_triangle(g->d, first + (int)corner[0], first + (int)corner[flip ? 2 : 1],
                                    first + (int)corner[flip ? 1 : 2]))
            return false;
    }
    return true;
}

static bool add_primitive(gltf *g, const trmi_item *item, const place *p)
{
    int64_t points = -1, indices = -1, mode = TRIANGLES;
    accessor position, index = {0};
    if (!find_whole(g, trmi_item_find(item, "attributes"), "POSITION", &points) ||
        !find_whole(g, item, "indices", &indices) || !find_whole(g, item, "mode", &mode))
        return false;
    if (points < 0 || mode < TRIANGLES || mode > FAN) // lines, single points
        return true;
    if (!open_accessor(g, points, "VEC3", &position) ||
        (indices >= 0 && !open_accessor(g, indices, "SCALAR", &index)))
        return false;
    int first = g->d->points;
    for (int64_t k = 0; k < position.count; k++) {
        trmi_v3 x = trmi_floats_at(position.at + k * position.stride);
        if (!trmi_mesh_add_point(g->d, trmi_v3_add(p->t, trmi_m3_times(p->A, x))))
            return false;
    }
    return add_triangles(g, &index, first, indices >= 0 ? index.count : position.count, mode);
}

static bool add_mesh(gltf *g, int64_t number, const place *p)
{
    const trmi_item *mesh = find_element(g, "meshes", number);
    const trmi_item *list = trmi_item_find(mesh, "primitives");
    for (const trmi_item *i = list ? list->child : NULL; i; i = i->next)
        if (!add_primitive(g, i, p))
            return false;
    return mesh != NULL;
}

// ---- nodes ----

// `matrix`, column by column, or `translation`, `rotation` (x, y, z, s) and `scale`
static place place_of(const trmi_item *node)
{
    double m[16], t[3] = {0, 0, 0}, q[4] = {0, 0, 0, 1}, s[3] = {1, 1, 1};
    if (find_numbers(node, "matrix", 16, m))
        return (place){{{{m[0], m[4], m[8]}, {m[1], m[5], m[9]}, {m[2], m[6], m[10]}}},
                       {m[12], m[13], m[14]}};
    find_numbers(node, "translation", 3, t);
    find_numbers(node, "rotation", 4, q);
    find_numbers(node, "scale", 3, s);
    trmi_m3 R = trmi_quaternion_matrix((trmi_quaternion){q[3], {q[0], q[1], q[2]}});
    trmi_m3 S = {{{s[0], 0, 0}, {0, s[1], 0}, {0, 0, s[2]}}};
    return (place){trmi_m3_mul(R, S), trmi_v3_of(t)};
}

static bool add_node(gltf *g, int64_t number, const place *outer);

static bool add_nodes(gltf *g, const trmi_item *list, const place *p)
{
    for (const trmi_item *i = list ? list->child : NULL; i; i = i->next) {
        double number;
        if (!trmi_item_number(i, &number) || number < 0 || number > INT_MAX)
            return trmi_mesh_error(g->d, "line %d: this is not a number of a node", i->line);
        if (!add_node(g, (int64_t)number, p))
            return false;
    }
    return true;
}

static bool add_node(gltf *g, int64_t number, const place *outer)
{
    const trmi_item *node = find_element(g, "nodes", number);
    int64_t mesh = -1;
    if (!node || !find_whole(g, node, "mesh", &mesh))
        return false;
    if (g->visits-- <= 0)
        return trmi_mesh_error(g->d, "damaged: its nodes are not a tree");
    place own = place_of(node);
    own.t = trmi_v3_add(outer->t, trmi_m3_times(outer->A, own.t));
    own.A = trmi_m3_mul(outer->A, own.A);
    return (mesh < 0 || add_mesh(g, mesh, &own)) &&
           add_nodes(g, trmi_item_find(node, "children"), &own);
}

// the scene that the file begins with; without scenes all meshes, each once
static bool add_scene(gltf *g)
{
    const place origin = {trmi_m3_unit(), {0, 0, 0}};
    const trmi_item *nodes = trmi_item_find(g->root, "nodes"),
                    *meshes = trmi_item_find(g->root, "meshes");
    int64_t number = 0;
    if (!find_whole(g, g->root, "scene", &number))
        return false;
    g->visits = nodes ? nodes->count : 0;
    if (trmi_item_find(g->root, "scenes")) {
        const trmi_item *scene = find_element(g, "scenes", number);
        return scene && add_nodes(g, trmi_item_find(scene, "nodes"), &origin);
    }
    for (int k = 0; meshes && k < meshes->count; k++)
        if (!add_mesh(g, k, &origin))
            return false;
    return true;
}

// ---- the file ----

// where the JSON is, and in a .glb file the first buffer
static bool find_chunks(gltf *g, const char **json, size_t *length)
{
    enum { HEADER = 12, CHUNK = 8, JSON = 0x4E4F534A, BIN = 0x004E4942 };
    const char *bytes = g->d->bytes;
    size_t end = g->d->length, at = HEADER;
    *json = bytes;
    *length = end;
    if (end < 4 || memcmp(bytes, "glTF", 4) != 0)
        return true;
    *json = NULL;
    if (end < HEADER || trmi_uint32_at(bytes + 4) != 2)
        return trmi_mesh_error(g->d, "not of version 2 of glTF");
    if (trmi_uint32_at(bytes + 8) > end)
        return trmi_mesh_error(g->d, "damaged: it has %zu bytes of %u", end,
                               trmi_uint32_at(bytes + 8));
    while (at + CHUNK <= end) {
        size_t size = trmi_uint32_at(bytes + at);
        uint32_t type = trmi_uint32_at(bytes + at + 4);
        at += CHUNK;
        if (size > end - at)
            break;
        if (type == JSON && !*json) {
            *json = bytes + at;
            *length = size;
        } else if (type == BIN && !g->buffer[0].bytes) {
            g->buffer[0] = (buffer){bytes + at, size, NULL};
        }
        at += size;
    }
    return *json || trmi_mesh_error(g->d, "damaged: it has no JSON");
}

// what the file cannot be understood without
static bool check_extensions(gltf *g)
{
    const trmi_item *list = trmi_item_find(g->root, "extensionsRequired");
    for (const trmi_item *i = list ? list->child : NULL; i; i = i->next)
        if (i->kind == TRMI_SCALAR && (strstr(i->text, "_mesh_") || strstr(i->text, "meshopt")))
            return trmi_mesh_error(g->d,
                                   "it needs %.60s, which is not read; export the file "
                                   "without compression",
                                   i->text);
    return true;
}

bool trmi_mesh_gltf(trmi_mesh_draft *d)
{
    gltf g = {.d = d};
    const char *json;
    size_t length;
    trmi_item *root = NULL;
    if (!find_chunks(&g, &json, &length))
        return false;
    int source = trmi_document_add(d->r->document, d->path, json, length);
    if (source < 0 || trmi_yaml_read(d->r->document, source, 0, &root) == TRMI_READING_NO_MEMORY) {
        d->r->failed = true;
        return false;
    }
    g.root = root;
    bool good = root && root->kind == TRMI_MAP ? check_extensions(&g) && add_scene(&g)
                                               : trmi_mesh_error(d, "no glTF file");
    for (int k = 0; k < MAX_BUFFERS; k++)
        free(g.buffer[k].owned);
    return good;
}
