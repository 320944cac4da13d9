// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "modelling/reader/beside.h"

#include "modelling/reader/yaml/document.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void trmi_path_beside(const char *of, const char *given, char *path, size_t size)
{
    const char *slash = strrchr(of, '/');
    int folder = slash && given[0] != '/' ? (int)(slash - of) + 1 : 0;
    snprintf(path, size, "%.*s%s", folder, of, given);
}

FILE *trmi_open_beside(const char *path)
{
    struct stat about;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); // a pipe does not wait for its writer
    if (fd < 0)
        return NULL;
    int wrong = fstat(fd, &about) != 0    ? errno
                : S_ISDIR(about.st_mode)  ? EISDIR
                : !S_ISREG(about.st_mode) ? ESPIPE
                                          : 0;
    FILE *file = wrong ? NULL : fdopen(fd, "rb");
    if (!file) {
        wrong = wrong ? wrong : errno;
        close(fd);
        errno = wrong;
    }
    return file;
}

static const char MARK[] = "\xEF\xBB\xBF"; // byte order mark of UTF-8

FILE *trmi_open_text(const char *path)
{
    char head[3];
    FILE *file = trmi_open_beside(path);
    if (file && (fread(head, 1, 3, file) != 3 || memcmp(head, MARK, 3) != 0))
        rewind(file);
    return file;
}

char *trmi_behind_mark(char *text)
{
    return strncmp(text, MARK, 3) == 0 ? text + 3 : text;
}

const char *trmi_read_failure(void)
{
    return errno == ESPIPE ? "it is a pipe or a device, not a file" : strerror(errno);
}

// the rest of an open file; NULL: errno has the reason
static char *read_stream(FILE *file, size_t *length)
{
    size_t capacity = 1 << 16;
    char *text = NULL;
    *length = 0;
    for (;;) {
        char *larger = realloc(text, capacity + 1);
        if (!larger)
            break;
        text = larger;
        *length += fread(text + *length, 1, capacity - *length, file);
        if (ferror(file))
            break;
        if (*length < capacity) {
            text[*length] = '\0';
            return text;
        }
        if (capacity > TRMI_DOCUMENT_BYTES) {
            errno = EFBIG;
            break;
        }
        capacity *= 2;
    }
    free(text);
    return NULL;
}

char *trmi_read_whole(const char *path, size_t *length)
{
    FILE *file = trmi_open_beside(path);
    char *text = file ? read_stream(file, length) : NULL;
    int reason = errno;
    if (text && *length > TRMI_DOCUMENT_BYTES) {
        free(text);
        text = NULL;
        reason = EFBIG;
    }
    if (file)
        fclose(file);
    errno = reason;
    return text;
}

void trmi_file_beside(trmi_document *document, const char *of, const trmi_item *given, char *path,
                      size_t size)
{
    trmi_path_beside(of, given->text, path, size);
    FILE *file = trmi_open_beside(path);
    if (file)
        fclose(file);
    else
        trmi_report(document, given, "cannot read '%.200s': %s", path, trmi_read_failure());
}
