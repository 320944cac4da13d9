// SPDX-License-Identifier: Apache-2.0
// Files that a model file names.
#ifndef TRMI_MODELLING_READER_BESIDE_H
#define TRMI_MODELLING_READER_BESIDE_H

#include "modelling/reader/yaml/document.h"

#include <stddef.h>
#include <stdio.h>

// "road.csv" is relative to the folder of the file that names it, not to the working directory.
void trmi_path_beside(const char *of, const char *given, char *path, size_t size);
// The same for the text of an item of a file `of`; where it cannot be read that is reported there.
void trmi_file_beside(trmi_document *document, const char *of, const trmi_item *given, char *path,
                      size_t size);
// Opens a file for reading; NULL: errno has the reason. A pipe or a device, on which a run would
// wait for ever, is none (ESPIPE).
FILE *trmi_open_beside(const char *path);
// The same for text, after its byte order mark if it has one.
FILE *trmi_open_text(const char *path);
// A text after its byte order mark.
char *trmi_behind_mark(char *text);
// The reason why a file could not be read, from errno, in words.
const char *trmi_read_failure(void);
// The whole of a file, which the caller frees, with a zero after it; NULL: errno has the reason,
// of files larger than TRMI_DOCUMENT_BYTES it is EFBIG.
char *trmi_read_whole(const char *path, size_t *length);

#endif
