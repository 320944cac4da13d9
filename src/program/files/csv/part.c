// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "program/files/csv/part.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MUCH = 65536, LONGEST_NUMBER = 40 }; // bytes

void trmi_csv_add_field(trmi_text *text, const char *field)
{
    if (!strpbrk(field, ",\"\r\n")) {
        trmi_text_add(text, field);
        return;
    }
    trmi_text_add(text, "\"");
    for (const char *c = field; *c; c++)
        trmi_text_add_bytes(text, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
    trmi_text_add(text, "\"");
}

int trmi_csv_part_open(trmi_csv_part *part, char *path, bool create)
{
    *part = (trmi_csv_part){.path = path};
    if (!path)
        return ENOMEM;
    part->fd = open(path, O_WRONLY | O_CLOEXEC | (create ? O_CREAT : 0), 0666);
    if (part->fd < 0)
        part->failure = errno;
    return part->failure;
}

// devices and pipes have no size to change
static int cut(trmi_csv_part *part, off_t end)
{
    if (ftruncate(part->fd, end) != 0 && errno != EINVAL)
        return errno;
    if (lseek(part->fd, end, SEEK_SET) < 0 && errno != ESPIPE)
        return errno;
    part->end = end;
    return 0;
}

int trmi_csv_part_begin(trmi_csv_part *part, const trmi_text *header)
{
    if (!part->path)
        return 0;
    trmi_text_add_bytes(&part->pending, header->data, header->length);
    part->failure = header->failed ? ENOMEM : cut(part, 0);
    return part->failure;
}

int trmi_csv_part_continue(trmi_csv_part *part, off_t end)
{
    part->failure = part->path ? cut(part, end) : 0;
    return part->failure;
}

// whether the file begins with the header, up to whose end it is read
static bool has_header(FILE *file, const trmi_text *header)
{
    size_t i = 0;
    while (i < header->length && getc(file) == (unsigned char)header->data[i])
        i++;
    return i == header->length;
}

// The next complete line, its first field cut to `size` bytes; *place moves after it.
static bool next_line(FILE *file, char *field, size_t size, off_t *place)
{
    bool quoted = false, first = true;
    size_t length = 0;
    for (int c; (c = getc(file)) != EOF;) {
        ++*place;
        quoted ^= c == '"'; // a doubled quote changes it twice
        first = first && c != ',' && c != '\n';
        if (first && length + 1 < size)
            field[length++] = (char)c;
        if (c == '\n' && !quoted) {
            field[length] = '\0';
            return true;
        }
    }
    return false;
}

int64_t trmi_csv_part_find(const trmi_csv_part *part, const trmi_text *header, int64_t lines,
                           off_t *end)
{
    char field[LONGEST_NUMBER];
    FILE *file = part->path ? fopen(part->path, "r") : NULL;
    bool ours = file && has_header(file, header);
    off_t place = *end = (off_t)header->length;
    int64_t found = 0;
    for (; ours && found < lines && next_line(file, field, sizeof field, &place); found++)
        *end = place;
    if (file)
        fclose(file);
    return ours ? found : -1;
}

int trmi_csv_measure(const char *path, int64_t *lines, double *last)
{
    char field[LONGEST_NUMBER];
    off_t place = 0;
    FILE *file = fopen(path, "r");
    if (!file)
        return errno;
    next_line(file, field, sizeof field, &place); // the header
    for (*lines = 0; next_line(file, field, sizeof field, &place); ++*lines)
        *last = strtod(field, NULL);
    int code = ferror(file) ? EIO : 0;
    fclose(file);
    return code;
}

// 0 or errno
static int write_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t done = write(fd, bytes, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return errno;
        bytes += done;
        size -= (size_t)done;
    }
    return 0;
}

int trmi_csv_part_flush(trmi_csv_part *part)
{
    if (!part->path)
        trmi_text_clear(&part->pending);
    if (part->pending.failed && part->failure == 0)
        part->failure = ENOMEM;
    if (part->failure || part->pending.length == 0)
        return part->failure;
    part->failure = write_all(part->fd, part->pending.data, part->pending.length);
    if (part->failure) {
        int code = part->failure;
        cut(part, part->end); // a piece of a line may be there
        return part->failure = code;
    }
    part->end += (off_t)part->pending.length;
    trmi_text_clear(&part->pending);
    return 0;
}

// pipes and devices have nothing to synchronise
int trmi_csv_part_synchronise(trmi_csv_part *part)
{
    if (part->path && part->failure == 0 && fdatasync(part->fd) != 0 && errno != EINVAL)
        part->failure = errno;
    return part->failure;
}

int trmi_csv_part_line(trmi_csv_part *part)
{
    bool enough = part->pending.length >= MUCH || part->pending.failed || !part->path;
    return enough ? trmi_csv_part_flush(part) : part->failure;
}

int trmi_csv_part_close(trmi_csv_part *part)
{
    int code = part->failure;
    if (part->path && part->fd >= 0 && close(part->fd) != 0 && code == 0)
        code = errno;
    trmi_text_free(&part->pending);
    free(part->path);
    *part = (trmi_csv_part){0};
    return code;
}

int trmi_csv_part_finish(trmi_csv_part *part)
{
    trmi_csv_part_flush(part); // what fails is kept, and is what closing returns
    trmi_csv_part_synchronise(part);
    return trmi_csv_part_close(part);
}
