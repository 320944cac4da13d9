// SPDX-License-Identifier: Apache-2.0
#ifndef TRMI_FOLDER_H
#define TRMI_FOLDER_H

#include <stdbool.h>

// Makes a folder and those above it; true when it is there in the end. What is wrong is told.
bool trmi_make_folder(const char *folder);

#endif
