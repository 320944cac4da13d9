// SPDX-License-Identifier: Apache-2.0
// Where experiments are: a NAME is a file, or an experiment of the folder `experiments` here, else
// of the folder in TRM_EXPERIMENTS, else of the installed one, else of the sources this program was
// built from.
#ifndef TRMI_CATALOGUE_H
#define TRMI_CATALOGUE_H

// Paths of experiment files.
typedef struct trmi_catalogue {
    char **path;
    int count, capacity;
} trmi_catalogue;

// The files that are meant: a path; the experiment of that name; all whose names contain the word
// ("5-2"). No names: all there are. An exit code; what was not found has been told. To be released
// in any case.
int trmi_catalogue_find(trmi_catalogue *out, const char *const *name, int names);
void trmi_catalogue_release(trmi_catalogue *catalogue);

#endif
