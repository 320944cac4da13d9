// SPDX-License-Identifier: Apache-2.0
// Uses of parts. Items that were copied for a use point to it; where its places are, is read with
// the mechanism, once parameters have values (mechanism/placement.c):
//
//     p -> shift + axes p,   axes = R M:   mirrored first, then turned, then moved
//
// M changes the sign of one coordinate. Frames stay right-handed: one with the axes F becomes
// axes F L, L = M, whose coordinates are mirrored as those of points. A use inside of a part is
// placed by that of the part, too: axes = axes_outer R M, L = L_outer M.
#ifndef TRMI_MODELLING_READER_PARTS_H
#define TRMI_MODELLING_READER_PARTS_H

#include "base/space.h"
#include "modelling/reader/yaml/document.h"

typedef struct trmi_use trmi_use;
struct trmi_use {
    const trmi_item *item; // in the section `use`
    const trmi_item *part; // in the section `parts`
    const char *name;      // that goes before those of the part
    trmi_use *outer;       // the use of the part that it is in; NULL: it is in the model
    bool read;             // the rest is known
    trmi_m3 axes;
    trmi_v3 shift;
    double local[3]; // the diagonal of L
    double sign;     // -1: it is a mirror image, det(axes)
};

// Writes out the sections `parts` and `use` as parts of the mechanism. False: no memory.
bool trmi_expand_parts(trmi_document *document);

#endif
