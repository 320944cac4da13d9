// SPDX-License-Identifier: Apache-2.0
// Where HDF5 writes to. Two things are added to plain writing.
//
// Failures. HDF5 does not get along with a full disk: what it could not write stays in its caches,
// closing fails, and at exit it tries again without end. This file driver takes every write: after
// the first that fails it remembers errno, and what follows goes to memory only. The file then
// holds what was written up to there, and HDF5 closes in peace. Whoever writes asks for the failure
// after each call.
//
// Order. Of an ordered file every state between two writes is readable, and with `durable` also
// every state that a power failure can leave: any of the writes since the last fdatasync done or
// not, page by page. Values go to the file at once. All else waits in memory for a flush, and is
// then written by rank: indexes of chunks and heaps; the superblock with the end of the file;
// object headers, whose extents and attributes make visible what was written before. Blocks that
// are changed where they lie are smaller than a page, carry their own checksum and hold earlier
// rows as before, so it does not matter which of a rank are there.
#ifndef TRMI_PROGRAM_FILES_HDF5_DRIVER_H
#define TRMI_PROGRAM_FILES_HDF5_DRIVER_H

#include <stdbool.h>

#include <hdf5.h>

typedef struct trmi_hdf5_disk {
    int failure;  // errno of the first write (or open) that failed
    bool durable; // the order holds on the disk too, by fdatasync before the headers
    // From now on flushes wait until the file is closed: readers of a file that is being written
    // find nothing behind the end that is in the superblock, except values.
    bool ending;
} trmi_hdf5_disk;

// Access properties for a file written through the driver; negative when there is no memory. The
// disk must outlive the file. Close the properties after the file: HDF5 1.10 forgets the driver too
// early when the file is its last user.
hid_t trmi_hdf5_access(trmi_hdf5_disk *disk, bool ordered);

// What was flushed is on the disk after this: 0 or errno.
int trmi_hdf5_synchronise(hid_t file);

#endif
