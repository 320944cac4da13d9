// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // F_OFD_SETLK, which POSIX has since 2024
#include "program/files/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// A lock of the open file. The older kind belongs to the process, and ends when the process closes
// any other descriptor of the file.
#ifdef F_OFD_SETLK
static const int set_lock = F_OFD_SETLK;
#else
static const int set_lock = F_SETLK;
#endif

char *trmi_path_with(const char *path, const char *suffix)
{
    size_t length = strlen(path), more = strlen(suffix) + 1;
    char *text = malloc(length + more);
    if (!text)
        return NULL;
    memcpy(text, path, length);
    memcpy(text + length, suffix, more);
    return text;
}

// ---- claims ----

// Whether the name still leads to the open file: its last holder removes it.
static bool is_there(int fd, const char *path)
{
    struct stat open_file, named;
    return fstat(fd, &open_file) == 0 && stat(path, &named) == 0 &&
           open_file.st_ino == named.st_ino && open_file.st_dev == named.st_dev;
}

// a descriptor with the lock, or -1 with errno
static int open_locked(const char *path)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    for (;;) {
        int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (fd < 0)
            return -1;
        bool taken = fcntl(fd, set_lock, &lock) != 0 && (errno == EAGAIN || errno == EACCES);
        if (!taken && is_there(fd, path))
            return fd; // also on file systems without locks
        close(fd);
        if (taken) {
            errno = EAGAIN;
            return -1;
        }
    }
}

int trmi_file_claim_take(trmi_file_claim *claim, const char *path)
{
    struct stat about;
    *claim = (trmi_file_claim){.fd = -1};
    bool exists = stat(path, &about) == 0;
    if (exists && !S_ISREG(about.st_mode))
        return 0;
    char *target = exists ? realpath(path, NULL) : strdup(path); // links to one file are one file
    char *name = target ? trmi_path_with(target, ".lock") : NULL;
    free(target);
    if (!name)
        return ENOMEM;
    claim->fd = open_locked(name);
    if (claim->fd >= 0) {
        claim->path = name;
        return 0;
    }
    int code = errno;
    free(name);
    return code;
}

void trmi_file_claim_release(trmi_file_claim *claim)
{
    if (!claim->path)
        return;
    unlink(claim->path); // before the lock ends
    close(claim->fd);
    free(claim->path);
    *claim = (trmi_file_claim){.fd = -1};
}

// ---- files ----

int trmi_create_alone(const char *path)
{
    if (unlink(path) != 0 && errno != ENOENT)
        return -1;
    return open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
}

// a temporary file that has no stream; errno stays
static void abandon(trmi_whole_file *file)
{
    int reason = errno;
    if (file->fd >= 0) {
        close(file->fd);
        unlink(file->temporary);
    }
    free(file->temporary);
    file->temporary = NULL;
    errno = reason;
}

trmi_whole_file trmi_whole_file_open(const char *path)
{
    trmi_whole_file file = {.path = path};
    struct stat about;
    if (strcmp(path, "-") == 0) {
        file.out = stdout;
    } else if (lstat(path, &about) == 0 && !S_ISREG(about.st_mode)) {
        file.out = fopen(path, "w");
    } else if ((file.temporary = trmi_path_with(path, ".new")) != NULL) {
        file.fd = trmi_create_alone(file.temporary);
        file.out = file.fd >= 0 ? fdopen(file.fd, "w") : NULL;
        if (!file.out)
            abandon(&file);
    }
    return file;
}

int trmi_whole_file_close(trmi_whole_file *file)
{
    int code = file->failure;
    errno = 0;
    if ((fflush(file->out) != 0 || ferror(file->out)) && code == 0)
        code = errno != 0 ? errno : EIO;
    bool waits = file->synchronised && file->temporary;
    if (code == 0 && waits && fsync(file->fd) != 0)
        code = errno;
    if (file->out != stdout && fclose(file->out) != 0 && code == 0)
        code = errno;
    if (code == 0 && file->temporary && rename(file->temporary, file->path) != 0)
        code = errno;
    if (code != 0 && file->temporary)
        unlink(file->temporary);
    if (code == 0 && waits)
        trmi_synchronise_folder(file->path);
    bool left = !file->temporary && code == EPIPE; // the reader of the pipe had enough
    free(file->temporary);
    return left ? 0 : code;
}

void trmi_synchronise_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = strdup(slash ? path : ".");
    if (!folder)
        return;
    if (slash)
        folder[slash == path ? 1 : slash - path] = '\0';
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(folder);
    if (fd < 0)
        return;
    fsync(fd);
    close(fd);
}
