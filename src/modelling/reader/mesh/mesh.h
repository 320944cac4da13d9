// SPDX-License-Identifier: Apache-2.0
// Triangles from files: Wavefront OBJ, STL (text and binary), glTF 2.0 (.glb, .gltf). Only points
// and faces are read; colours, textures, normals and animations are skipped.
#ifndef TRMI_MODELLING_READER_MESH_MESH_H
#define TRMI_MODELLING_READER_MESH_MESH_H

#include "modelling/expression/interpolant.h"
#include "modelling/multibody/mechanism.h"
#include "modelling/reader/reading.h"

// Reads the file at mesh->path, which `item` of the model names. False: reported, or no memory.
bool trmi_mesh_read(trmi_reading *r, const trmi_item *item, trmi_mesh *mesh);

// Fills a mesh with a disc about z, `width` thick, whose radius at the angle phi from x is radius +
// lift(phi). False: no memory.
bool trmi_mesh_cam(trmi_memory *memory, const trmi_interpolant *lift, double radius, double width,
                   trmi_mesh *mesh);

// For the readers of formats ----------------------------------------------------------------------

// A mesh under reading.
typedef struct trmi_mesh_draft {
    trmi_reading *r;
    const trmi_item *item;
    const char *path;
    char *bytes; // of the file, a zero after them; readers may write into them
    size_t length;
    trmi_v3 *point;
    int points, point_capacity;
    int *corner; // numbers of points, from 0 on
    int corners, corner_capacity;
} trmi_mesh_draft;

// Reads from d->bytes. False: reported, or no memory.
typedef bool trmi_mesh_format(trmi_mesh_draft *d);

trmi_mesh_format trmi_mesh_obj;
trmi_mesh_format trmi_mesh_stl;
trmi_mesh_format trmi_mesh_gltf;

// Adds a point; false: no memory, or it is not finite, or there are too many.
bool trmi_mesh_add_point(trmi_mesh_draft *d, trmi_v3 p);
// Adds a triangle of points, which may come later.
bool trmi_mesh_add_triangle(trmi_mesh_draft *d, int a, int b, int c);
// Reports an error of the file; printf style. Returns false.
bool trmi_mesh_error(trmi_mesh_draft *d, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// The next word of a line, ended by a zero in place, *line after it; NULL: there is none.
char *trmi_mesh_word(char **line);
// Three numbers from the words of a line.
bool trmi_mesh_numbers(char **line, trmi_v3 *p);

#endif
