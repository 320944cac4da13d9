// SPDX-License-Identifier: Apache-2.0
// Wavefront OBJ: lines `v x y z` and `f a b c ...`, where a corner is `point`, `point/texture` or
// `point/texture/normal`, counted from 1, or backwards from -1. Faces of more corners are fans of
// triangles. All other lines are skipped; a \ at the end of a line goes on in the next.
#include "modelling/reader/mesh/mesh.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// "12/3/4" is point 11; -1 the last one so far
static bool read_corner(const trmi_mesh_draft *d, const char *word, int *corner)
{
    char *end;
    long number = strtol(word, &end, 10);
    if (end == word || (*end != '\0' && *end != '/') || number == 0 || number > INT_MAX ||
        number < -d->points)
        return false;
    *corner = number > 0 ? (int)number - 1 : d->points + (int)number;
    return true;
}

static bool read_face(trmi_mesh_draft *d, char *line, int number)
{
    int first = 0, last = 0, count = 0, corner;
    char *word;
    for (; (word = trmi_mesh_word(&line)); count++) {
        if (!read_corner(d, word, &corner))
            return trmi_mesh_error(d, "line %d: '%.40s' is not a corner of a face", number, word);
        if (count == 0)
            first = corner;
        if (count >= 2 && !trmi_mesh_add_triangle(d, first, last, corner))
            return false;
        last = corner;
    }
    return count >= 3 ||
           trmi_mesh_error(d, "line %d: a face needs three corners, not %d", number, count);
}

static bool read_line(trmi_mesh_draft *d, char *line, int number)
{
    trmi_v3 p;
    const char *key = trmi_mesh_word(&line);
    if (key && strcmp(key, "v") == 0)
        return trmi_mesh_numbers(&line, &p)
                   ? trmi_mesh_add_point(d, p)
                   : trmi_mesh_error(d, "line %d: 'v' needs three numbers", number);
    return !key || strcmp(key, "f") != 0 || read_face(d, line, number);
}

// the end of a line, with those it goes on in; NULL: it is the last
static char *end_of_line(char *line, int *number)
{
    char *end = strchr(line, '\n');
    for (; end; end = strchr(end, '\n')) {
        ++*number;
        char *back = end > line && end[-1] == '\r' ? end - 2 : end - 1;
        if (back < line || *back != '\\')
            break;
        *back = *end = ' ';
    }
    return end;
}

bool trmi_mesh_obj(trmi_mesh_draft *d)
{
    int number = 1, next = 1;
    for (char *line = d->bytes, *end; line; line = end, number = next) {
        end = end_of_line(line, &next);
        if (end)
            *end++ = '\0';
        if (!read_line(d, line, number))
            return false;
    }
    return true;
}
