// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "program/files/hdf5/driver.h"

#include "program/files/disk.h"
#include "program/files/hdf5/held_writes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// HDF5 1.14 declares H5FD_class_t in a header of its own. The struct then starts with its version,
// which H5FDregister checks, and a number from the range that is free for any driver, 256 to 511.
#if H5_VERSION_GE(1, 14, 0)
#include <H5FDdevelop.h>
#define DRIVER_IDENTITY .version = H5FD_CLASS_VERSION, .value = 500, .name = "trammel"
#else
#define DRIVER_IDENTITY .name = "trammel"
#endif

typedef struct driver_info {
    trmi_hdf5_disk *disk;
    bool ordered;
} driver_info;

typedef struct driver_file {
    H5FD_t base; // what HDF5 knows of it
    trmi_ordered_file to;
    trmi_hdf5_disk *disk;
    bool ordered;
    trmi_held_writes held;              // waiting for a flush, or after a failure never written
    haddr_t end_allocated, end_of_file; // the second as if all were written
    dev_t device;
    ino_t inode;
} driver_file;

// ---- open and close ----

// a descriptor, or -1 with errno
static int open_descriptor(const char *name, unsigned flags)
{
    if (flags & H5F_ACC_CREAT)
        return trmi_create_alone(name);
    return open(name, (flags & H5F_ACC_RDWR ? O_RDWR : O_RDONLY) | O_CLOEXEC);
}

static H5FD_t *open_file(const char *name, unsigned flags, hid_t access, haddr_t maximum)
{
    (void)maximum;
    const driver_info *info = H5Pget_driver_info(access);
    driver_file *file = info ? calloc(1, sizeof *file) : NULL;
    if (!file)
        return NULL;
    struct stat about;
    file->disk = info->disk;
    file->ordered = info->ordered;
    file->to.durable = info->disk->durable;
    file->to.fd = open_descriptor(name, flags);
    if (file->to.fd < 0 || fstat(file->to.fd, &about) != 0) {
        file->disk->failure = errno;
        if (file->to.fd >= 0)
            close(file->to.fd);
        free(file);
        return NULL;
    }
    file->disk->failure = 0; // HDF5 tries a file that is to be created without creating it first
    file->end_of_file = (haddr_t)about.st_size;
    file->device = about.st_dev;
    file->inode = about.st_ino;
    return &file->base;
}

// What waited is written, in its order.
static void apply_held(driver_file *file)
{
    if (file->disk->failure != 0 || !file->ordered)
        return;
    trmi_hdf5_disk *disk = file->disk;
    disk->failure = trmi_held_writes_apply(&file->held, &file->to, disk->ending);
    if (disk->failure == 0)
        trmi_held_writes_free(&file->held);
}

static herr_t flush_file(H5FD_t *base, hid_t transfer, hbool_t closing)
{
    (void)transfer, (void)closing;
    driver_file *file = (driver_file *)base;
    if (!file->disk->ending)
        apply_held(file);
    return 0;
}

static herr_t close_file(H5FD_t *base)
{
    driver_file *file = (driver_file *)base;
    int *failure = &file->disk->failure;
    apply_held(file);
    if (*failure == 0 && ftruncate(file->to.fd, (off_t)file->end_of_file) != 0)
        *failure = errno;
    file->to.dirty = true; // by the new size
    if (*failure == 0)
        *failure = trmi_barrier(&file->to);
    if (close(file->to.fd) != 0 && *failure == 0)
        *failure = errno; // some network file systems report a full disk only here
    trmi_held_writes_free(&file->held);
    free(file);
    return 0;
}

// which of two open files comes first; 0: they are the same
static int compare_files(const H5FD_t *a, const H5FD_t *b)
{
    const driver_file *x = (const driver_file *)a, *y = (const driver_file *)b;
    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    return (x->inode > y->inode) - (x->inode < y->inode);
}

static herr_t get_features(const H5FD_t *base, unsigned long *flags)
{
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA |
             H5FD_FEAT_POSIX_COMPAT_HANDLE | H5FD_FEAT_SUPPORTS_SWMR_IO |
             H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    // the accumulator would join blocks of different ranks into one write
    if (base && !((const driver_file *)base)->ordered)
        *flags |= H5FD_FEAT_ACCUMULATE_METADATA;
    return 0;
}

static herr_t get_handle(H5FD_t *base, hid_t access, void **handle)
{
    (void)access;
    *handle = &((driver_file *)base)->to;
    return 0;
}

// HDF5 marks a file as being written only when its driver has a lock. Ours is that of the writer.
static herr_t lock_file(H5FD_t *base, hbool_t to_write)
{
    (void)base, (void)to_write;
    return 0;
}

static herr_t unlock_file(H5FD_t *base)
{
    (void)base;
    return 0;
}

// ---- sizes ----

static haddr_t get_end_allocated(const H5FD_t *base, H5FD_mem_t type)
{
    (void)type;
    return ((const driver_file *)base)->end_allocated;
}

static herr_t set_end_allocated(H5FD_t *base, H5FD_mem_t type, haddr_t end)
{
    (void)type;
    ((driver_file *)base)->end_allocated = end;
    return 0;
}

static haddr_t get_end_of_file(const H5FD_t *base, H5FD_mem_t type)
{
    (void)type;
    return ((const driver_file *)base)->end_of_file;
}

static herr_t cut_file(H5FD_t *base, hid_t transfer, hbool_t closing)
{
    (void)transfer, (void)closing;
    driver_file *file = (driver_file *)base;
    bool grows = file->end_allocated > file->end_of_file; // it is cut when it is closed
    file->end_of_file = file->end_allocated;
    if (grows && file->disk->failure == 0 && ftruncate(file->to.fd, (off_t)file->end_of_file) != 0)
        file->disk->failure = errno;
    return 0;
}

// ---- data ----

static herr_t read_file(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size,
                        void *buffer)
{
    (void)type, (void)transfer;
    const driver_file *file = (const driver_file *)base;
    char *to = buffer;
    size_t done = 0;
    while (done < size) {
        ssize_t got = pread(file->to.fd, to + done, size - done, (off_t)(address + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        done += (size_t)got;
    }
    memset(to + done, 0, size - done); // behind the end: zeros, as HDF5 expects
    trmi_held_writes_overlay(&file->held, address, buffer, size);
    return 0;
}

// Values pass: nothing in the file leads to them yet, or they are what was there with rows added.
static herr_t write_file(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t address,
                         size_t size, const void *buffer)
{
    (void)transfer;
    driver_file *file = (driver_file *)base;
    int *failure = &file->disk->failure;
    bool waits = file->ordered && type != H5FD_MEM_DRAW;
    if (address + size > file->end_of_file)
        file->end_of_file = address + size;
    if (*failure == 0 && !waits)
        *failure = trmi_write_at(&file->to, address, buffer, size);
    bool to_memory = *failure != 0 || waits;
    if (to_memory && !trmi_held_writes_add(&file->held, address, buffer, size) && *failure == 0)
        *failure = ENOMEM;
    return 0;
}

static const H5FD_class_t driver = {DRIVER_IDENTITY,
                                    .maxaddr = (haddr_t)INT64_MAX,
                                    .fc_degree = H5F_CLOSE_WEAK,
                                    .fapl_size = sizeof(driver_info),
                                    .open = open_file,
                                    .close = close_file,
                                    .cmp = compare_files,
                                    .query = get_features,
                                    .get_eoa = get_end_allocated,
                                    .set_eoa = set_end_allocated,
                                    .get_eof = get_end_of_file,
                                    .get_handle = get_handle,
                                    .read = read_file,
                                    .write = write_file,
                                    .flush = flush_file,
                                    .truncate = cut_file,
                                    .lock = lock_file,
                                    .unlock = unlock_file,
                                    .fl_map = H5FD_FLMAP_DICHOTOMY};

// ---- interface ----

hid_t trmi_hdf5_access(trmi_hdf5_disk *disk, bool ordered)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), id = H5FDregister(&driver);
    driver_info info = {disk, ordered};
    bool done = access >= 0 && id >= 0 && H5Pset_driver(access, id, &info) >= 0 &&
                H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST) >= 0;
    if (id >= 0)
        H5FDunregister(id); // the properties keep it
    if (done)
        return access;
    if (access >= 0)
        H5Pclose(access);
    return H5I_INVALID_HID;
}

int trmi_hdf5_synchronise(hid_t file)
{
    void *handle; // the descriptor is the first member
    if (H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) < 0)
        return EIO;
    return trmi_barrier((trmi_ordered_file *)handle);
}
