// SPDX-License-Identifier: Apache-2.0
#include "program/files/hdf5/text.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- types ----

hid_t trmi_hdf5_text_type(size_t size)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    if (type >= 0 && H5Tset_size(type, size) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0)
        return type;
    if (type >= 0)
        H5Tclose(type);
    return H5I_INVALID_HID;
}

// ---- writing ----

static bool put_attribute(hid_t object, const char *name, hid_t type, const void *value)
{
    if (H5Aexists(object, name) > 0 && H5Adelete(object, name) < 0)
        return false;
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool done = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
    H5Aclose(attribute);
    H5Sclose(space);
    return done;
}

bool trmi_hdf5_put_text(hid_t object, const char *name, const char *text)
{
    const char *value = text ? text : "";
    hid_t type = trmi_hdf5_text_type(H5T_VARIABLE);
    bool done = type >= 0 && put_attribute(object, name, type, &value);
    H5Tclose(type);
    return done;
}

bool trmi_hdf5_put_integer(hid_t object, const char *name, int value)
{
    return put_attribute(object, name, H5T_NATIVE_INT, &value);
}

bool trmi_hdf5_put_text_dataset(hid_t location, const char *name, const char *text, size_t length)
{
    char *value = calloc(length + 1, 1); // ends with a zero byte
    hid_t type = trmi_hdf5_text_type(length + 1), space = H5Screate(H5S_SCALAR);
    if (value && text)
        memcpy(value, text, length);
    hid_t dataset = H5Dcreate2(location, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool done =
        value && dataset >= 0 && H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0;
    H5Dclose(dataset);
    H5Sclose(space);
    H5Tclose(type);
    free(value);
    return done;
}

// ---- reading ----

// one text from an attribute (is_dataset false) or a dataset, of fixed or variable length
static char *read_text(hid_t object, hid_t type, bool is_dataset)
{
    char *text = NULL;
    size_t size = H5Tget_size(type);
    bool variable = H5Tis_variable_str(type) > 0;
    hid_t memory = trmi_hdf5_text_type(variable ? H5T_VARIABLE : size + 1);
    if (H5Tget_class(type) == H5T_STRING && (variable || (text = calloc(size + 1, 1)))) {
        void *to = variable ? (void *)&text : text;
        herr_t result = is_dataset ? H5Dread(object, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, to)
                                   : H5Aread(object, memory, to);
        if (result < 0) {
            free(variable ? NULL : text);
            text = NULL;
        } else if (variable) {
            char *copy = text ? malloc(strlen(text) + 1) : NULL;
            if (copy)
                strcpy(copy, text);
            H5free_memory(text);
            text = copy;
        }
    }
    H5Tclose(memory);
    return text;
}

// a dataset or attribute with more than one text is none of ours
static bool is_scalar(hid_t space)
{
    return space >= 0 && H5Sget_simple_extent_npoints(space) == 1;
}

char *trmi_hdf5_get_text(hid_t object, const char *name)
{
    if (H5Aexists(object, name) <= 0)
        return NULL;
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    char *text = is_scalar(space) ? read_text(attribute, type, false) : NULL;
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
    return text;
}

char *trmi_hdf5_get_text_dataset(hid_t location, const char *name)
{
    if (H5Lexists(location, name, H5P_DEFAULT) <= 0)
        return NULL;
    hid_t dataset = H5Dopen2(location, name, H5P_DEFAULT);
    hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    char *text = is_scalar(space) ? read_text(dataset, type, true) : NULL;
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(dataset);
    return text;
}

bool trmi_hdf5_get_integer(hid_t object, const char *name, int *value)
{
    if (H5Aexists(object, name) <= 0)
        return false;
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    bool done = is_scalar(space) && H5Tget_class(type) == H5T_INTEGER &&
                H5Aread(attribute, H5T_NATIVE_INT, value) >= 0;
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
    return done;
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
