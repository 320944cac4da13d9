// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "program/run/checkpoint.h"

#include "base/error.h"
#include "program/files/disk.h"
#include "program/files/file_error.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { VERSION = 1, ALIGNMENT = 8 };
static const uint32_t byte_order_mark = 0x01020304;
static const char magic[8] = {'T', 'R', 'M', 'C', 'H', 'K', 'P', 'T'};

typedef struct file_head {
    char magic[8];
    uint32_t version, byte_order;
    uint64_t model_hash, blocks;
} file_head;

typedef struct block_head {
    uint64_t name_length, size;
} block_head;

struct trmi_checkpoint {
    char *bytes; // the whole file
    size_t size;
    uint64_t model_hash;
    trmi_checkpoint_block *block; // point into it
    int blocks;
};

// ---- writing ----

// A file under way: what is written goes into the checksum, without a copy of the whole.
typedef struct output {
    int fd;
    int code; // 0 or errno; then nothing more is written
    uint64_t checksum;
} output;

static void put(output *out, const void *bytes, size_t size)
{
    const char *rest = bytes;
    out->checksum = trmi_hash(out->checksum, bytes, size);
    while (size > 0 && out->code == 0) {
        ssize_t done = write(out->fd, rest, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0) {
            out->code = errno;
            return;
        }
        rest += done;
        size -= (size_t)done;
    }
}

static void put_padded(output *out, const void *bytes, size_t size)
{
    static const char zeros[ALIGNMENT] = {0};
    put(out, bytes, size);
    put(out, zeros, (ALIGNMENT - size % ALIGNMENT) % ALIGNMENT);
}

// 0 or errno
static int write_all(int fd, uint64_t model_hash, const trmi_checkpoint_block *block, int blocks)
{
    output out = {.fd = fd, .checksum = TRMI_HASH};
    file_head head = {.version = VERSION,
                      .byte_order = byte_order_mark,
                      .model_hash = model_hash,
                      .blocks = (uint64_t)blocks};
    memcpy(head.magic, magic, sizeof magic);
    put(&out, &head, sizeof head);
    for (int k = 0; k < blocks; k++) {
        block_head part = {strlen(block[k].name) + 1, block[k].size}; // the name with its zero
        put(&out, &part, sizeof part);
        put_padded(&out, block[k].name, part.name_length);
        put_padded(&out, block[k].data, block[k].size);
    }
    uint64_t checksum = out.checksum;
    put(&out, &checksum, sizeof checksum);
    if (out.code != 0)
        return out.code;
    return fsync(fd) == 0 ? 0 : errno;
}

// 0 or errno; nothing is left under the temporary name
static int replace(const char *path, const char *previous, const char *temporary,
                   uint64_t model_hash, const trmi_checkpoint_block *block, int blocks)
{
    int fd = trmi_create_alone(temporary);
    if (fd < 0)
        return errno;
    int code = write_all(fd, model_hash, block, blocks);
    if (close(fd) != 0 && code == 0)
        code = errno;
    if (code == 0 && rename(path, previous) != 0 && errno != ENOENT)
        code = errno;
    if (code == 0 && rename(temporary, path) != 0)
        code = errno;
    if (code != 0)
        unlink(temporary);
    else
        trmi_synchronise_folder(path);
    return code;
}

trm_status trmi_checkpoint_write(const char *path, uint64_t model_hash,
                                 const trmi_checkpoint_block *block, int blocks, trm_error *error)
{
    char *previous = trmi_path_with(path, TRMI_CHECKPOINT_PREVIOUS);
    char *temporary = trmi_path_with(path, ".new");
    int code = previous && temporary ? replace(path, previous, temporary, model_hash, block, blocks)
                                     : ENOMEM;
    free(previous);
    free(temporary);
    return code == 0 ? TRM_OK : trmi_file_error(error, "write checkpoint", path, code);
}

void trmi_checkpoint_remove(const char *path)
{
    char *previous = trmi_path_with(path, TRMI_CHECKPOINT_PREVIOUS);
    if (previous)
        unlink(previous); // the older one first: alone it would be used
    unlink(path);
    free(previous);
}

// ---- reading ----

// the whole file; 0 or errno
static int load(trmi_checkpoint *c, const char *path)
{
    struct stat about;
    int fd = open(path, O_RDONLY | O_NONBLOCK); // a pipe does not wait for its writer
    if (fd < 0)
        return errno;
    int code = fstat(fd, &about) == 0 ? 0 : errno;
    if (code == 0 && !S_ISREG(about.st_mode))
        code = S_ISDIR(about.st_mode) ? EISDIR : ESPIPE;
    size_t capacity = code == 0 ? (size_t)about.st_size : 0;
    if (code == 0 && !(c->bytes = malloc(capacity + 1)))
        code = ENOMEM;
    while (code == 0 && c->size < capacity) {
        ssize_t got = read(fd, c->bytes + c->size, capacity - c->size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            code = errno;
        if (got <= 0)
            break;
        c->size += (size_t)got;
    }
    close(fd);
    return code;
}

// the next `size` bytes before `end`, padding skipped; NULL when there are not so many
static const char *take_bytes(const char **place, const char *end, uint64_t size)
{
    const char *bytes = *place;
    uint64_t left = (uint64_t)(end - bytes);
    if (size > left || size + (ALIGNMENT - size % ALIGNMENT) % ALIGNMENT > left)
        return NULL;
    *place += size + (ALIGNMENT - size % ALIGNMENT) % ALIGNMENT;
    return bytes;
}

// false when the blocks do not fill the file exactly
static bool find_blocks(trmi_checkpoint *c, uint64_t blocks)
{
    const char *place = c->bytes + sizeof(file_head), *end = c->bytes + c->size - sizeof(uint64_t);
    for (uint64_t k = 0; k < blocks; k++) {
        block_head head;
        const char *bytes = take_bytes(&place, end, sizeof head);
        if (!bytes)
            return false;
        memcpy(&head, bytes, sizeof head);
        const char *name = take_bytes(&place, end, head.name_length);
        const char *data = name ? take_bytes(&place, end, head.size) : NULL;
        if (!data || head.name_length == 0 || name[head.name_length - 1] != '\0')
            return false;
        c->block[k] = (trmi_checkpoint_block){name, data, (size_t)head.size};
        c->blocks++;
    }
    return place == end;
}

// bytes that a file with these blocks has, as far as their heads can be read
static uint64_t expected_size(const trmi_checkpoint *c, uint64_t blocks)
{
    uint64_t place = sizeof(file_head), size = 0;
    for (uint64_t k = 0; k < blocks && place + sizeof(block_head) <= c->size; k++) {
        block_head head;
        memcpy(&head, c->bytes + place, sizeof head);
        if (head.name_length > UINT32_MAX || head.size > UINT64_C(1) << 48)
            return 0;
        place += sizeof head;
        place += (head.name_length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        place += (head.size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        size = place + sizeof(uint64_t);
    }
    return size;
}

static trm_status decode(trmi_checkpoint *c, const char *path, trm_error *error)
{
    if (c->size < sizeof magic || memcmp(c->bytes, magic, sizeof magic) != 0)
        return trmi_file_error_text(error, "use checkpoint", path, "it is not a checkpoint");
    file_head head;
    uint64_t checksum;
    if (c->size < sizeof head + sizeof checksum)
        return trmi_file_error_text(error, "use checkpoint", path,
                                    "it is cut off: only %zu bytes are there", c->size);
    memcpy(&head, c->bytes, sizeof head);
    size_t covered = c->size - sizeof checksum;
    memcpy(&checksum, c->bytes + covered, sizeof checksum);
    // another version may compute its checksum differently: that comes first
    if (head.version == VERSION && head.byte_order == byte_order_mark &&
        trmi_hash(TRMI_HASH, c->bytes, covered) != checksum) {
        uint64_t expected = expected_size(c, head.blocks);
        if (expected > c->size)
            return trmi_file_error_text(error, "use checkpoint", path,
                                        "it is cut off: %zu bytes are there, at least %" PRIu64
                                        " were written",
                                        c->size, expected);
        return trmi_file_error_text(error, "use checkpoint", path,
                                    "it is damaged (the checksum does not fit)");
    }
    if (head.byte_order != byte_order_mark)
        return trmi_file_error_text(error, "use checkpoint", path,
                                    "it comes from a machine with another byte order");
    if (head.version != VERSION) {
        trmi_file_error_text(error, "use checkpoint", path,
                             "it has version %u, this program knows version %d", head.version,
                             VERSION);
        trmi_error_advise(error, "continue with the program that wrote it, or start again");
        return TRM_ERR_RESULT;
    }
    c->model_hash = head.model_hash;
    bool possible = head.blocks <= c->size / sizeof(block_head);
    if (possible && !(c->block = calloc((size_t)head.blocks + 1, sizeof *c->block)))
        return trmi_file_error(error, "read checkpoint", path, ENOMEM);
    if (!possible || !find_blocks(c, head.blocks))
        return trmi_file_error_text(error, "use checkpoint", path,
                                    "it is damaged (sizes do not fit)");
    return TRM_OK;
}

trmi_checkpoint *trmi_checkpoint_read(const char *path, trm_error *error)
{
    trmi_checkpoint *c = calloc(1, sizeof *c);
    int code = c ? load(c, path) : ENOMEM;
    if (code == ESPIPE)
        trmi_file_error_text(error, "read checkpoint", path,
                             "it is a pipe or a device, not a file");
    else if (code != 0)
        trmi_file_error(error, "read checkpoint", path, code);
    if (code == ENOENT)
        trmi_error_advise(error, "start without --resume: a checkpoint is written once a minute, "
                                 "at the end and after Ctrl-C");
    if (code == 0 && decode(c, path, error) == TRM_OK)
        return c;
    if (code == 0 && error && !error->advice[0])
        trmi_error_advise(error, "start again without --resume, or with a copy of the checkpoint");
    trmi_checkpoint_free(c);
    return NULL;
}

uint64_t trmi_checkpoint_model(const trmi_checkpoint *checkpoint)
{
    return checkpoint->model_hash;
}

const trmi_checkpoint_block *trmi_checkpoint_find(const trmi_checkpoint *checkpoint,
                                                  const char *name)
{
    for (int k = 0; k < checkpoint->blocks; k++)
        if (strcmp(checkpoint->block[k].name, name) == 0)
            return &checkpoint->block[k];
    return NULL;
}

void trmi_checkpoint_free(trmi_checkpoint *checkpoint)
{
    if (!checkpoint)
        return;
    free(checkpoint->bytes);
    free(checkpoint->block);
    free(checkpoint);
}
