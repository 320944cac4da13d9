// SPDX-License-Identifier: Apache-2.0
// Files that are written safely: by one run alone, under a temporary name of its own, and
// so that a power failure does not undo it.
#ifndef TRMI_PROGRAM_FILES_DISK_H
#define TRMI_PROGRAM_FILES_DISK_H

#include <stdbool.h>
#include <stdio.h>

// The right to write a file, which one process has at a time. It is a lock on the file PATH.lock,
// which is there as long as the right is held; one that a killed run has left means nothing.
typedef struct trmi_file_claim {
    int fd;
    char *path; // of the lock; NULL: nothing is held
} trmi_file_claim;

// 0; EAGAIN when another run has it; else errno. What is not a regular file needs no claim.
int trmi_file_claim_take(trmi_file_claim *claim, const char *path);
void trmi_file_claim_release(trmi_file_claim *claim);

// Opens a new file for writing that no other process has, in place of what is left: a descriptor,
// or -1 with errno. For temporary names of files that are claimed.
int trmi_create_alone(const char *path);

// A file that has its name only when it is complete: what was there before is kept until then, and
// after a failure. "-" is the standard output; links and what is not a regular file are
// written at once.
typedef struct trmi_whole_file {
    FILE *out;       // NULL: it could not be opened, errno
    char *temporary; // NULL: written under its own name
    const char *path;
    int fd;            // of the temporary file
    int failure;       // errno of who writes it: the file is not complete and does not get its name
    bool synchronised; // the bytes are on the disk before it gets its name
} trmi_whole_file;

trmi_whole_file trmi_whole_file_open(const char *path);
// 0 or errno, that of file->failure first. Not for one that could not be opened. A reader of a pipe
// who goes is not a failure.
int trmi_whole_file_close(trmi_whole_file *file);

// After this the names of the files in the folder of `path` survive a power failure too. Where
// folders cannot be synchronised, they survive all the same a little later.
void trmi_synchronise_folder(const char *path);

// The rest of the text is NULL-terminated and lies in memory of its own (free): path and suffix,
// NULL without memory.
char *trmi_path_with(const char *path, const char *suffix);

#endif
