// SPDX-License-Identifier: Apache-2.0
// One CSV file (RFC 4180, lines end with \n): a header and lines, collected in memory, written
// whole. Whatever fails, the file ends with a complete line.
#ifndef TRMI_PROGRAM_FILES_CSV_PART_H
#define TRMI_PROGRAM_FILES_CSV_PART_H

#include "program/files/text.h"

#include <stdint.h>
#include <sys/types.h>

typedef struct trmi_csv_part {
    char *path; // NULL: lines are dropped
    int fd;
    trmi_text pending; // complete lines that are not in the file
    off_t end;         // after the last complete line in the file
    int failure;       // errno of the first failure, 0: none
} trmi_csv_part;

// Opens the file, or with `create` creates it, cutting nothing off yet: 0 or errno. The path
// becomes the part's own.
int trmi_csv_part_open(trmi_csv_part *part, char *path, bool create);
// Empties the file and writes the header.
int trmi_csv_part_begin(trmi_csv_part *part, const trmi_text *header);
// Finds the end of the first `lines` lines after the header: -1 when that header is not there,
// otherwise the number of complete lines found, at most `lines`. *end := where they end.
int64_t trmi_csv_part_find(const trmi_csv_part *part, const trmi_text *header, int64_t lines,
                           off_t *end);
// Number of complete lines after the header of a file, and the first field of the last one as a
// number. The file may be long: it is read through, not into memory. 0 or errno.
int trmi_csv_measure(const char *path, int64_t *lines, double *last);
// Cuts the file there and goes on.
int trmi_csv_part_continue(trmi_csv_part *part, off_t end);
// After a line was added to pending: writes when there is much of it.
int trmi_csv_part_line(trmi_csv_part *part);
int trmi_csv_part_flush(trmi_csv_part *part);
// What was flushed is on the disk after this.
int trmi_csv_part_synchronise(trmi_csv_part *part);
int trmi_csv_part_close(trmi_csv_part *part); // a zeroed part is allowed
// Writes what is pending to the disk and closes the part.
int trmi_csv_part_finish(trmi_csv_part *part);

// A field, quoted where it must be.
void trmi_csv_add_field(trmi_text *text, const char *field);

#endif
