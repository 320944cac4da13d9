// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "program/files/hdf5/text.h"

#include "program/files/hdf5/checksum.h"
#include "program/files/hdf5/dataset.h"
#include "program/files/writer.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool trmi_is_ascii(const char *text, size_t length)
{
    bool ascii = true;
    for (size_t k = 0; text && k < length; k++)
        ascii = ascii && (unsigned char)text[k] < 0x80;
    return ascii;
}

hid_t trmi_hdf5_text_type(size_t size, bool ascii)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    if (type >= 0 && H5Tset_size(type, size) >= 0 &&
        H5Tset_cset(type, ascii ? H5T_CSET_ASCII : H5T_CSET_UTF8) >= 0)
        return type;
    trmi_hdf5_close(type);
    return H5I_INVALID_HID;
}

// ---- writing ----

// a new attribute, or the value of one that is there
static bool write_attribute(hid_t object, const char *name, hid_t type, const void *value,
                            bool create)
{
    hid_t space = create ? H5Screate(H5S_SCALAR) : H5I_INVALID_HID;
    hid_t attribute = create ? H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT)
                             : H5Aopen(object, name, H5P_DEFAULT);
    bool done = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
    trmi_hdf5_close(attribute);
    trmi_hdf5_close(space);
    return done;
}

static bool write_text(hid_t object, const char *name, const char *text, bool create)
{
    const char *value = text ? text : "";
    hid_t type = trmi_hdf5_text_type(H5T_VARIABLE, false);
    bool done = type >= 0 && write_attribute(object, name, type, &value, create);
    trmi_hdf5_close(type);
    return done;
}

bool trmi_hdf5_put_text(hid_t object, const char *name, const char *text)
{
    return write_text(object, name, text, true);
}

bool trmi_hdf5_set_text(hid_t object, const char *name, const char *text)
{
    return write_text(object, name, text, false);
}

bool trmi_hdf5_put_integer(hid_t object, const char *name, int value)
{
    return write_attribute(object, name, H5T_NATIVE_INT, &value, true);
}

bool trmi_hdf5_set_integer(hid_t object, const char *name, int value)
{
    return write_attribute(object, name, H5T_NATIVE_INT, &value, false);
}

bool trmi_hdf5_put_text_dataset(hid_t location, const char *name, const char *text, size_t length)
{
    char *value = calloc(length + 1, 1); // ends with a zero byte
    hid_t type = trmi_hdf5_text_type(length + 1, trmi_is_ascii(text, length));
    hid_t space = H5Screate(H5S_SCALAR);
    if (value && text)
        memcpy(value, text, length);
    hid_t dataset = H5Dcreate2(location, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool done =
        value && dataset >= 0 && H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0;
    trmi_hdf5_close(dataset);
    trmi_hdf5_close(space);
    trmi_hdf5_close(type);
    free(value);
    return done;
}

// ---- reading ----

// One text from an attribute (is_dataset false) or a dataset, of fixed or variable length. False:
// no memory.
static bool read_text(hid_t object, hid_t type, bool is_dataset, char **out)
{
    char *text = NULL;
    bool good = true;
    size_t size = H5Tget_size(type);
    bool variable = H5Tis_variable_str(type) > 0;
    if (H5Tget_class(type) != H5T_STRING || (!variable && !trmi_hdf5_can_hold(object, 1, size)))
        return true;
    hid_t memory = trmi_hdf5_text_type(variable ? H5T_VARIABLE : size + 1,
                                       H5Tget_cset(type) == H5T_CSET_ASCII);
    if (variable || (text = calloc(size + 1, 1))) {
        void *to = variable ? (void *)&text : text;
        herr_t result = is_dataset ? H5Dread(object, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, to)
                                   : H5Aread(object, memory, to);
        if (result < 0) {
            free(variable ? NULL : text);
            text = NULL;
        } else if (variable) {
            char *copy = text ? strdup(text) : NULL;
            good = copy || !text;
            H5free_memory(text);
            text = copy;
        }
    } else {
        good = false;
    }
    trmi_hdf5_close(memory);
    *out = text;
    return good;
}

// a dataset or attribute with more than one text is none of ours
static bool is_scalar(hid_t space)
{
    return space >= 0 && H5Sget_simple_extent_npoints(space) == 1;
}

bool trmi_hdf5_get_text(hid_t object, const char *name, char **text)
{
    *text = NULL;
    if (H5Aexists(object, name) <= 0)
        return true;
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    bool good = !is_scalar(space) || read_text(attribute, type, false, text);
    trmi_hdf5_close(space);
    trmi_hdf5_close(type);
    trmi_hdf5_close(attribute);
    return good;
}

bool trmi_hdf5_get_text_dataset(hid_t location, const char *name, char **text)
{
    *text = NULL;
    if (H5Lexists(location, name, H5P_DEFAULT) <= 0)
        return true;
    hid_t dataset = H5Dopen2(location, name, H5P_DEFAULT);
    hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    bool good = !is_scalar(space) || read_text(dataset, type, true, text);
    trmi_hdf5_close(space);
    trmi_hdf5_close(type);
    trmi_hdf5_close(dataset);
    return good;
}

bool trmi_hdf5_get_integer(hid_t object, const char *name, int *value)
{
    if (H5Aexists(object, name) <= 0)
        return false;
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    bool done = is_scalar(space) && H5Tget_class(type) == H5T_INTEGER &&
                H5Aread(attribute, H5T_NATIVE_INT, value) >= 0;
    trmi_hdf5_close(space);
    trmi_hdf5_close(type);
    trmi_hdf5_close(attribute);
    return done;
}

// ---- lists ----

// one chunk, compressed: most texts are much shorter than the longest
static bool write_list(hid_t location, const char *name, const char *data, size_t stride, int count)
{
    hsize_t extent = (hsize_t)count;
    hid_t dataset = H5I_INVALID_HID, space = H5Screate_simple(1, &extent, NULL);
    hid_t type = trmi_hdf5_text_type(stride, trmi_is_ascii(data, stride * (size_t)count));
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    if (space >= 0 && type >= 0 && H5Pset_chunk(creation, 1, &extent) >= 0 &&
        H5Pset_deflate(creation, TRMI_HDF5_DEFLATE) >= 0 && H5Pset_fletcher32(creation) >= 0)
        dataset = H5Dcreate2(location, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    bool done = dataset >= 0 && H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
    trmi_hdf5_close(dataset);
    trmi_hdf5_close(type);
    trmi_hdf5_close(space);
    trmi_hdf5_close(creation);
    return done;
}

bool trmi_hdf5_put_list(hid_t location, const char *name, const char *const *text, int count)
{
    size_t stride = 1;
    for (int k = 0; k < count; k++)
        if (text[k] && strlen(text[k]) + 1 > stride)
            stride = strlen(text[k]) + 1;
    char *data = calloc((size_t)count + 1, stride);
    if (!data)
        return false;
    for (int k = 0; k < count; k++)
        if (text[k])
            strcpy(data + (size_t)k * stride, text[k]);
    bool done = write_list(location, name, data, stride, count);
    free(data);
    return done;
}

// Other programs may have written texts without a zero at the end: in memory there is space for it.
trmi_text_list trmi_hdf5_get_list(hid_t location, const char *path, trmi_memory *memory)
{
    hid_t dataset = H5Dopen2(location, path, H5P_DEFAULT), type = H5I_INVALID_HID;
    hid_t stored = dataset >= 0 ? H5Dget_type(dataset) : H5I_INVALID_HID;
    trmi_text_list list = {.count = -1};
    if (stored >= 0 && H5Tget_class(stored) == H5T_STRING && H5Tis_variable_str(stored) == 0)
        list = (trmi_text_list){NULL, H5Tget_size(stored) + 1, trmi_hdf5_rows(dataset)};
    if (list.count >= 0 && trmi_hdf5_can_hold(dataset, list.count, list.stride) &&
        trmi_hdf5_intact(dataset)) {
        char *data = trmi_memory_take(memory, (size_t)list.count, list.stride);
        type = H5Tcopy(stored);
        if (data && type >= 0 && H5Tset_size(type, list.stride) >= 0 &&
            H5Tset_strpad(type, H5T_STR_NULLTERM) >= 0 &&
            trmi_hdf5_read(dataset, type, &(trmi_hdf5_block){0, list.count, 0, 1}, data))
            list.data = data;
    }
    trmi_hdf5_close(type);
    trmi_hdf5_close(stored);
    trmi_hdf5_close(dataset);
    return list.data ? list : (trmi_text_list){0};
}

const char *trmi_text_list_at(const trmi_text_list *list, int64_t index)
{
    return list->data + (size_t)index * list->stride;
}

// ---- names ----

void trmi_hdf5_add_name(trmi_text *out, const char *name)
{
    if (!*name)
        trmi_text_add(out, "%");
    bool dot = strcmp(name, ".") == 0;
    for (const char *c = name; *c; c++) {
        char escape[4];
        snprintf(escape, sizeof escape, "%%%02X", (unsigned char)*c);
        if (*c == '/' || *c == '%' || dot)
            trmi_text_add(out, escape);
        else
            trmi_text_add_bytes(out, c, 1);
    }
}

void trmi_hdf5_add_group(trmi_text *out, const char *group)
{
    size_t prefix = sizeof TRMI_ERROR_GROUP - 1;
    bool errors = strncmp(group, TRMI_ERROR_GROUP, prefix) == 0;
    trmi_text_add(out, errors ? TRMI_ERROR_GROUP : "");
    trmi_hdf5_add_name(out, errors ? group + prefix : group);
}

void trmi_hdf5_decode_name(char *name)
{
    char *to = name;
    for (const char *c = strcmp(name, "%") == 0 ? "" : name; *c; c++) {
        unsigned code;
        if (*c == '%' && strspn(c + 1, "0123456789ABCDEF") >= 2 &&
            sscanf(c + 1, "%2X", &code) == 1) {
            *to++ = (char)code;
            c += 2;
        } else {
            *to++ = *c;
        }
    }
    *to = '\0';
}

// ---- failures ----

typedef struct reason_text {
    char *out;
    size_t size;
} reason_text;

static herr_t keep_first(unsigned depth, const H5E_error2_t *entry, void *user)
{
    const reason_text *reason = user;
    if (depth == 0 && entry->desc)
        snprintf(reason->out, reason->size, "HDF5: %s", entry->desc);
    return 0;
}

void trmi_hdf5_reason(char *out, size_t size)
{
    reason_text reason = {out, size};
    snprintf(out, size, "unknown reason");
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &reason);
}
