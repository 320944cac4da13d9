// SPDX-License-Identifier: Apache-2.0
// The pattern of a Newton matrix as SVG: with its blocks on the left, with its columns in the order
// of their groups on the right; columns of a group have the same colour.
#ifndef TRMI_PROGRAM_PLOT_MATRIX_PICTURE_H
#define TRMI_PROGRAM_PLOT_MATRIX_PICTURE_H

#include "program/plot/plot.h"
#include "solver/system/newton_pattern.h"

// Writes a complete SVG document; ferror(out) reports failures. title may be NULL. False: no
// memory.
bool trmi_matrix_picture(FILE *out, const trmi_newton_pattern *pattern, const char *title,
                         trmi_theme theme);

// The same into a file.
trm_status trmi_matrix_picture_write(const char *path, const trmi_newton_pattern *pattern,
                                     const char *title, trm_error *error);

#endif
