// SPDX-License-Identifier: Apache-2.0
// Where HDF5 writes to. HDF5 does not get along with a full disk: what it could not write stays in
// its caches, closing fails, and at exit it tries again without end. This file driver takes every
// write: after the first that fails it remembers errno, and what follows goes to memory only. The
// file then holds what was written up to there, which in the mode for one writer and many readers
// (SWMR) is always readable, and HDF5 closes in peace. Whoever writes asks for the failure after
// each call.
#ifndef TRMI_PROGRAM_FILES_HDF5_DRIVER_H
#define TRMI_PROGRAM_FILES_HDF5_DRIVER_H

#include <stdbool.h>

#include <hdf5.h>

// Access properties for a file written through the driver; negative when there is no memory.
// *failure := errno of the first write (or open) that failed, it must outlive the file. hold: all
// writes wait in memory until the file is closed; before that a kill changes nothing. Close the
// properties after the file: HDF5 1.10 forgets the driver too early when the file is its last user.
hid_t trmi_hdf5_access(int *failure, bool hold);

// EAGAIN when another process writes the file through this driver, else 0.
int trmi_hdf5_in_use(const char *path);

// Makes sure that `bytes` more can be written at the end of a closed file: 0 or errno.
int trmi_hdf5_reserve(const char *path, size_t bytes);

#endif
