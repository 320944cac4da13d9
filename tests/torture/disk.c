// SPDX-License-Identifier: Apache-2.0
// A layer below a program, loaded before it (LD_PRELOAD): records every change of the files in a
// folder, makes one of them fail, kills the program after one of them, gives it a clock of its own.
// power.py makes from a record the states that a kill or a power failure could have left.
//     DISK_FOLDER   the folder, as realpath prints it
//     DISK_RECORD   file for the record: entries of u32 kind, u32 length of the name, u64 object,
//                   i64 offset, u64 size, then name and bytes
//     DISK_COUNT    file for the number of changes so far
//     DISK_FAIL     n: the n-th change fails with DISK_ERRNO (ENOSPC), with DISK_FAIL_ALL all later
//     DISK_KILL     n: SIGKILL right after the n-th change; DISK_SIGNAL: another signal
//     DISK_KILL_AT  word: only changes of names that end with it count for DISK_KILL
//     DISK_CLOCK    milliseconds that pass with every reading of the clock, instead of those that
//                   pass: how often a run saves does not depend on how fast the machine is
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { CREATE, WRITE, CUT, SYNC, RENAME, UNLINK, LINK, SYNC_FOLDER };

typedef struct entry {
    uint32_t kind, name;
    uint64_t object;
    int64_t offset;
    uint64_t size;
} entry;

enum { FILES = 1024 };
static struct {
    bool ready, fail_all;
    char folder[PATH_MAX];
    const char *kill_at;
    int record, count_file;
    long count, fail, kill, matched;
    int code, signal;
    long clock;
    atomic_long readings;
    struct {
        bool watched, is_folder;
        char name[NAME_MAX + 1];
    } file[FILES];
} disk;

static long number(const char *name)
{
    const char *text = getenv(name);
    return text ? atol(text) : 0;
}

static void prepare(void)
{
    if (disk.ready)
        return;
    disk.ready = true;
    unsetenv("LD_PRELOAD"); // programs that this one starts are not tried
    const char *folder = getenv("DISK_FOLDER"), *record = getenv("DISK_RECORD");
    snprintf(disk.folder, sizeof disk.folder, "%s", folder ? folder : "");
    disk.record = record ? (int)syscall(SYS_openat, AT_FDCWD, record,
                                        O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)
                         : -1;
    const char *count = getenv("DISK_COUNT");
    disk.count_file = count ? (int)syscall(SYS_openat, AT_FDCWD, count,
                                           O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)
                            : -1;
    disk.fail = number("DISK_FAIL");
    disk.fail_all = number("DISK_FAIL_ALL") != 0;
    disk.kill = number("DISK_KILL");
    disk.kill_at = getenv("DISK_KILL_AT");
    disk.signal = getenv("DISK_SIGNAL") ? (int)number("DISK_SIGNAL") : SIGKILL;
    disk.code = (int)number("DISK_ERRNO");
    disk.clock = number("DISK_CLOCK");
}

// the name in the folder, NULL for a path elsewhere
static const char *name_in_folder(const char *path)
{
    char folder[PATH_MAX], found[PATH_MAX];
    prepare();
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;
    if (!disk.folder[0] || length >= sizeof folder)
        return NULL;
    memcpy(folder, path, length);
    folder[length] = '\0';
    if (!realpath(slash ? (length ? folder : "/") : ".", found) || strcmp(found, disk.folder) != 0)
        return NULL;
    return slash ? slash + 1 : path;
}

// after each change: a process may end without its exit handlers
static void report(long count)
{
    char text[32]; // of one length: it replaces the one before
    int length = snprintf(text, sizeof text, "%-20ld\n", count);
    syscall(SYS_pwrite64, disk.count_file, text, (size_t)length, 0);
}

// true: the change fails, errno is set
static bool fails(void)
{
    prepare();
    long n = __atomic_add_fetch(&disk.count, 1, __ATOMIC_SEQ_CST);
    if (disk.count_file >= 0)
        report(n);
    if (disk.fail == 0 || (disk.fail_all ? n < disk.fail : n != disk.fail))
        return false;
    errno = disk.code ? disk.code : ENOSPC;
    return true;
}

static void put(const void *bytes, size_t size)
{
    for (const char *at = bytes; size > 0;) {
        long done = syscall(SYS_write, disk.record, at, size);
        if (done <= 0)
            _exit(99);
        at += done;
        size -= (size_t)done;
    }
}

static void note(uint32_t kind, const char *name, uint64_t object, int64_t offset,
                 const void *bytes, size_t size)
{
    int kept = errno;
    const entry e = {kind, (uint32_t)strlen(name), object, offset, size};
    if (disk.record >= 0) {
        put(&e, sizeof e);
        put(name, e.name);
        if (bytes)
            put(bytes, size);
    }
    size_t end = disk.kill_at ? strlen(disk.kill_at) : 0;
    bool match =
        e.name >= end && strcmp(name + e.name - end, disk.kill_at ? disk.kill_at : "") == 0;
    if (disk.kill > 0 && match && ++disk.matched == disk.kill)
        kill(getpid(), disk.signal);
    errno = kept;
}

static uint64_t object_of(int fd)
{
    struct stat about;
    return fstat(fd, &about) == 0 ? (uint64_t)about.st_ino : 0;
}

static bool watched(int fd)
{
    prepare();
    return fd >= 0 && fd < FILES && disk.file[fd].watched;
}

// ---- what programs call ----

int open(const char *path, int flags, ...)
{
    mode_t mode = 0;
    if (flags & (O_CREAT | O_TMPFILE)) {
        va_list more;
        va_start(more, flags);
        mode = (mode_t)va_arg(more, int);
        va_end(more);
    }
    const char *name = name_in_folder(path);
    bool exists = name && access(path, F_OK) == 0;
    bool creates = name && (flags & O_CREAT) && !exists;
    if (creates && fails())
        return -1;
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    if (fd < 0 || fd >= FILES)
        return fd;
    char found[PATH_MAX];
    disk.file[fd].is_folder =
        (flags & O_DIRECTORY) && realpath(path, found) && strcmp(found, disk.folder) == 0;
    disk.file[fd].watched = name != NULL || disk.file[fd].is_folder;
    snprintf(disk.file[fd].name, sizeof disk.file[fd].name, "%.*s", NAME_MAX, name ? name : "");
    if (creates)
        note(CREATE, name, object_of(fd), 0, NULL, 0);
    else if (name && (flags & O_TRUNC))
        note(CUT, name, object_of(fd), 0, NULL, 0);
    return fd;
}

int open64(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & O_CREAT ? (mode_t)va_arg(more, int) : 0;
    va_end(more);
    return open(path, flags, mode);
}

// The streams of the C library call write of their own: those that write into the folder get a
// stream that calls ours.
static ssize_t write_stream(void *cookie, const char *bytes, size_t size)
{
    ssize_t done = write((int)(intptr_t)cookie, bytes, size);
    return done < 0 ? 0 : done; // 0 is the failure of such streams, with errno
}

static int close_stream(void *cookie)
{
    return (int)syscall(SYS_close, (int)(intptr_t)cookie);
}

FILE *fdopen(int fd, const char *mode)
{
    static FILE *(*own)(int, const char *);
    if (!own)
        *(void **)&own = dlsym(RTLD_NEXT, "fdopen");
    const cookie_io_functions_t functions = {.write = write_stream, .close = close_stream};
    return strchr("wa", mode[0]) && watched(fd) ? fopencookie((void *)(intptr_t)fd, mode, functions)
                                                : own(fd, mode);
}

FILE *fopen(const char *path, const char *mode)
{
    static FILE *(*own)(const char *, const char *);
    if (!own)
        *(void **)&own = dlsym(RTLD_NEXT, "fopen");
    if (!strchr("wa", mode[0]) || strchr(mode, '+') || !name_in_folder(path))
        return own(path, mode);
    int alone = strchr(mode, 'x') ? O_EXCL : 0, from = mode[0] == 'a' ? O_APPEND : O_TRUNC;
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | alone | from, 0666);
    FILE *file = fd >= 0 ? fdopen(fd, mode) : NULL;
    if (fd >= 0 && !file)
        syscall(SYS_close, fd);
    return file;
}

FILE *fopen64(const char *path, const char *mode)
{
    return fopen(path, mode);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset)
{
    if (watched(fd) && fails())
        return -1;
    ssize_t done = syscall(SYS_pwrite64, fd, bytes, size, offset);
    if (done > 0 && watched(fd))
        note(WRITE, disk.file[fd].name, object_of(fd), offset, bytes, (size_t)done);
    return done;
}

ssize_t write(int fd, const void *bytes, size_t size)
{
    if (watched(fd) && fails())
        return -1;
    off_t offset = watched(fd) ? lseek(fd, 0, SEEK_CUR) : 0;
    ssize_t done = syscall(SYS_write, fd, bytes, size);
    if (done > 0 && watched(fd))
        note(WRITE, disk.file[fd].name, object_of(fd), offset, bytes, (size_t)done);
    return done;
}

int ftruncate(int fd, off_t size)
{
    if (watched(fd) && fails())
        return -1;
    int result = (int)syscall(SYS_ftruncate, fd, size);
    if (result == 0 && watched(fd))
        note(CUT, disk.file[fd].name, object_of(fd), size, NULL, 0);
    return result;
}

static int synchronise(int fd, long call)
{
    if (watched(fd) && fails())
        return -1;
    int result = (int)syscall(call, fd);
    if (result == 0 && watched(fd))
        note(disk.file[fd].is_folder ? SYNC_FOLDER : SYNC, disk.file[fd].name, object_of(fd), 0,
             NULL, 0);
    return result;
}

int fsync(int fd)
{
    return synchronise(fd, SYS_fsync);
}

int fdatasync(int fd)
{
    return synchronise(fd, SYS_fdatasync);
}

// the name that changes in `name`, the other one as the bytes
static int change_names(uint32_t kind, const char *from, const char *to, long call)
{
    const char *source = name_in_folder(from), *target = name_in_folder(to);
    if (target && fails())
        return -1;
    int result =
        call == SYS_rename ? (int)syscall(SYS_rename, from, to) : (int)syscall(SYS_link, from, to);
    if (result == 0 && source && target)
        note(kind, target, 0, 0, source, strlen(source));
    return result;
}

int rename(const char *from, const char *to)
{
    return change_names(RENAME, from, to, SYS_rename);
}

int link(const char *from, const char *to)
{
    return change_names(LINK, from, to, SYS_link);
}

int unlink(const char *path)
{
    const char *name = name_in_folder(path);
    bool exists = name && access(path, F_OK) == 0;
    if (exists && fails())
        return -1;
    int result = (int)syscall(SYS_unlink, path);
    if (result == 0 && name)
        note(UNLINK, name, 0, 0, NULL, 0);
    return result;
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
    prepare();
    int result = (int)syscall(SYS_clock_gettime, clock, t);
    if (result == 0 && disk.clock > 0 && clock == CLOCK_MONOTONIC) {
        long milliseconds = atomic_fetch_add(&disk.readings, 1) * disk.clock;
        t->tv_sec = milliseconds / 1000;
        t->tv_nsec = milliseconds % 1000 * 1000000;
    }
    return result;
}
