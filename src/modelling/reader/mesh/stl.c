// SPDX-License-Identifier: Apache-2.0
// STL. Binary: 80 bytes of any text, the number n of triangles, and for each of them normal, three
// points (floats) and two bytes. Text: `vertex x y z` between `facet` and `endfacet`. The text of a
// binary file may begin with `solid` as well, so that its size decides.
#include "modelling/reader/mesh/bytes.h"
#include "modelling/reader/mesh/mesh.h"

#include <string.h>

enum { HEADER = 84, TRIANGLE = 50, COUNT_AT = 80 };

static bool read_binary(trmi_mesh_draft *d, uint32_t count)
{
    for (uint32_t t = 0; t < count; t++) {
        const char *at = d->bytes + HEADER + (size_t)t * TRIANGLE + 12;
        int first = d->points;
        for (int k = 0; k < 3; k++)
            if (!trmi_mesh_add_point(d, trmi_floats_at(at + 12 * k)))
                return false;
        if (!trmi_mesh_add_triangle(d, first, first + 1, first + 2))
            return false;
    }
    return true;
}

static bool read_text(trmi_mesh_draft *d)
{
    int number = 1;
    bool complete = false; // the last solid has ended
    for (char *line = d->bytes, *end; line; line = end, number++) {
        trmi_v3 p;
        end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        const char *key = trmi_mesh_word(&line);
        if (key)
            complete = strcmp(key, "endsolid") == 0;
        if (key && strcmp(key, "vertex") == 0) {
            if (!trmi_mesh_numbers(&line, &p))
                return trmi_mesh_error(d, "line %d: 'vertex' needs three numbers", number);
            if (!trmi_mesh_add_point(d, p))
                return false;
        } else if (key && strcmp(key, "endfacet") == 0) {
            int count = d->points - d->corners;
            if (count != 3)
                return trmi_mesh_error(d, "line %d: the facet has %d of 3 points", number, count);
            if (!trmi_mesh_add_triangle(d, d->points - 3, d->points - 2, d->points - 1))
                return false;
        }
    }
    if (d->points != d->corners)
        return trmi_mesh_error(d, "the file ends inside a facet");
    return complete || trmi_mesh_error(d, "the file has no 'endsolid' at its end: it is cut off");
}

bool trmi_mesh_stl(trmi_mesh_draft *d)
{
    uint64_t count = d->length >= HEADER ? trmi_uint32_at(d->bytes + COUNT_AT) : 0;
    if (d->length >= HEADER && d->length == HEADER + count * TRIANGLE)
        return read_binary(d, (uint32_t)count);
    if (strncmp(d->bytes, "solid", 5) == 0)
        return read_text(d);
    if (d->length < HEADER)
        return trmi_mesh_error(d, "no STL file: %zu bytes without the word 'solid'", d->length);
    return trmi_mesh_error(d, "damaged STL file: %llu triangles take %llu bytes, it has %zu",
                           (unsigned long long)count,
                           (unsigned long long)(HEADER + count * TRIANGLE), d->length);
}
