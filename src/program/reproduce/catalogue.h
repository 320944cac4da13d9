// SPDX-License-Identifier: Apache-2.0
// Where the files are that come with the program: a NAME is a file, or one of the folder of that
// shelf here, else of the folder that an environment variable names, else of the installed one,
// else of the sources this program was built from.
#ifndef TRMI_PROGRAM_REPRODUCE_CATALOGUE_H
#define TRMI_PROGRAM_REPRODUCE_CATALOGUE_H

// A kind of files.
typedef struct trmi_shelf {
    const char *what;     // "experiment"
    const char *folder;   // "experiments"
    const char *variable; // "TRM_EXPERIMENTS"
} trmi_shelf;

extern const trmi_shelf trmi_experiments, trmi_mechanisms;

// Paths of such files.
typedef struct trmi_catalogue {
    char **path;
    int count, capacity;
} trmi_catalogue;

// The files that are meant: a path; the one of that name; all whose names contain the word
// ("5-2"). No names: all there are. An exit code; what was not found has been reported. To be
// released in any case.
int trmi_catalogue_find(trmi_catalogue *out, const trmi_shelf *shelf, const char *const *name,
                        int names);
// The files in the folder `name` beside a file, by name; none when there is no such folder.
int trmi_catalogue_beside(trmi_catalogue *out, const char *file, const char *name);
void trmi_catalogue_release(trmi_catalogue *catalogue);

#endif
