// SPDX-License-Identifier: Apache-2.0
#include "modelling/reader/mesh/mesh.h"

#include "base/grow.h"
#include "base/hash.h"
#include "modelling/reader/beside.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// As many as the largest file may have in floats and integers, also where a file of text or a
// scene that repeats its parts has more.
enum {
    MAX_POINTS = TRMI_DOCUMENT_BYTES / (3 * sizeof(float)),
    MAX_CORNERS = TRMI_DOCUMENT_BYTES / sizeof(int)
};

// ---- for the formats ----

bool trmi_mesh_error(trmi_mesh_draft *d, const char *format, ...)
{
    char text[300];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    trmi_report(d->r->document, d->item, "'%.200s': %s", d->path, text);
    return false;
}

bool trmi_mesh_add_point(trmi_mesh_draft *d, trmi_v3 p)
{
    if (!isfinite(p.x) || !isfinite(p.y) || !isfinite(p.z))
        return trmi_mesh_error(d, "point %d is not finite", d->points + 1);
    if (d->points >= MAX_POINTS)
        return trmi_mesh_error(d, "more than %d points; export it with fewer", MAX_POINTS);
    trmi_v3 *larger = trmi_grow(d->point, &d->point_capacity, d->points + 1, sizeof *larger);
    if (!larger) {
        d->r->failed = true;
        return false;
    }
    d->point = larger;
    d->point[d->points++] = (trmi_v3){p.x + 0.0, p.y + 0.0, p.z + 0.0}; // -0 becomes 0
    return true;
}

bool trmi_mesh_add_triangle(trmi_mesh_draft *d, int a, int b, int c)
{
    if (d->corners >= MAX_CORNERS)
        return trmi_mesh_error(d, "more than %d triangles; export it with fewer", MAX_CORNERS / 3);
    int *larger = trmi_grow(d->corner, &d->corner_capacity, d->corners + 3, sizeof *larger);
    if (!larger) {
        d->r->failed = true;
        return false;
    }
    d->corner = larger;
    d->corner[d->corners++] = a;
    d->corner[d->corners++] = b;
    d->corner[d->corners++] = c;
    return true;
}

char *trmi_mesh_word(char **line)
{
    char *word = *line + strspn(*line, " \t\r");
    size_t length = strcspn(word, " \t\r");
    if (length == 0)
        return NULL;
    *line = word[length] ? word + length + 1 : word + length;
    word[length] = '\0';
    return word;
}

bool trmi_mesh_numbers(char **line, trmi_v3 *p)
{
    double x[3];
    for (int k = 0; k < 3; k++) {
        const trmi_item item = {.kind = TRMI_SCALAR, .text = trmi_mesh_word(line)};
        if (!item.text || !trmi_item_number(&item, &x[k]))
            return false;
    }
    *p = trmi_v3_of(x);
    return true;
}

// ---- points that are the same ----

// Numbers of points that are used, equal ones once, in the order of their first use: *count of them
// at the beginning of d->point. False: no memory.
static bool weld(trmi_mesh_draft *d, int *count)
{
    size_t most = (size_t)(d->corners < d->points ? d->corners : d->points), size = 2;
    while (size < 2 * most)
        size *= 2;
    int *slot = malloc(size * sizeof *slot); // hash table of numbers of new points
    trmi_v3 *kept = malloc(most * sizeof *kept);
    *count = 0;
    for (size_t k = 0; slot && k < size; k++)
        slot[k] = -1;
    for (int c = 0; slot && kept && c < d->corners; c++) {
        const trmi_v3 p = d->point[d->corner[c]];
        size_t at = trmi_hash(TRMI_HASH, &p, sizeof p) & (size - 1);
        while (slot[at] >= 0 && memcmp(&kept[slot[at]], &p, sizeof p) != 0)
            at = (at + 1) & (size - 1);
        if (slot[at] < 0) {
            slot[at] = *count;
            kept[(*count)++] = p;
        }
        d->corner[c] = slot[at];
    }
    bool good = slot && kept;
    free(slot);
    if (good) {
        free(d->point);
        d->point = kept;
    } else {
        free(kept);
    }
    return good;
}

static bool check_corners(trmi_mesh_draft *d)
{
    if (d->corners == 0)
        return trmi_mesh_error(d, "the file has no triangles");
    for (int c = 0; c < d->corners; c++)
        if (d->corner[c] < 0 || d->corner[c] >= d->points)
            return trmi_mesh_error(d, "triangle %d has point %lld of %d", c / 3 + 1,
                                   (long long)d->corner[c] + 1, d->points);
    return true;
}

// into the memory of the model
static bool keep(trmi_mesh_draft *d, trmi_mesh *mesh)
{
    trmi_v3 *point;
    int *corner;
    if (!weld(d, &mesh->points) || !TRMI_TAKE(d->r->memory, point, mesh->points) ||
        !TRMI_TAKE(d->r->memory, corner, d->corners)) {
        d->r->failed = true;
        return false;
    }
    mesh->low = mesh->high = d->point[0];
    for (int k = 0; k < mesh->points; k++) {
        const trmi_v3 p = point[k] = d->point[k];
        mesh->low =
            (trmi_v3){fmin(mesh->low.x, p.x), fmin(mesh->low.y, p.y), fmin(mesh->low.z, p.z)};
        mesh->high =
            (trmi_v3){fmax(mesh->high.x, p.x), fmax(mesh->high.y, p.y), fmax(mesh->high.z, p.z)};
    }
    memcpy(corner, d->corner, (size_t)d->corners * sizeof *corner);
    mesh->triangles = d->corners / 3;
    mesh->point = point;
    mesh->corner = corner;
    return true;
}

// ---- the file ----

static trmi_mesh_format *format_of(const char *path)
{
    static const struct {
        const char *ending;
        trmi_mesh_format *read;
    } formats[] = {{".obj", trmi_mesh_obj},
                   {".stl", trmi_mesh_stl},
                   {".glb", trmi_mesh_gltf},
                   {".gltf", trmi_mesh_gltf}};
    const char *dot = strrchr(path, '.');
    for (size_t k = 0; dot && k < sizeof formats / sizeof *formats; k++) {
        size_t n = strlen(formats[k].ending), i = 0;
        while (i < n && (dot[i] | 0x20) == (formats[k].ending[i] | 0x20)) // of any case
            i++;
        if (i == n && dot[n] == '\0')
            return formats[k].read;
    }
    return NULL;
}

bool trmi_mesh_read(trmi_reading *r, const trmi_item *item, trmi_mesh *mesh)
{
    trmi_mesh_draft d = {.r = r, .item = item, .path = mesh->path};
    trmi_mesh_format *read = format_of(mesh->path);
    if (!read)
        return trmi_mesh_error(&d, "a mesh is a file .obj, .stl, .glb or .gltf");
    trmi_note_source(r, mesh->path);
    d.bytes = trmi_read_whole(mesh->path, &d.length);
    if (!d.bytes && errno == EFBIG)
        return trmi_mesh_error(&d,
                               "cannot read: larger than %d MiB; export it with fewer triangles",
                               TRMI_DOCUMENT_BYTES >> 20);
    if (!d.bytes)
        trmi_report(r->document, item, "cannot read '%.200s': %s", mesh->path, trmi_read_failure());
    bool good = d.bytes && read(&d) && check_corners(&d) && keep(&d, mesh);
    free(d.bytes);
    free(d.point);
    free(d.corner);
    return good;
}
