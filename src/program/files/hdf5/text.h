// SPDX-License-Identifier: Apache-2.0
// Texts in HDF5 files: attributes, lists, names of objects, reasons of failures.
#ifndef TRMI_PROGRAM_FILES_HDF5_TEXT_H
#define TRMI_PROGRAM_FILES_HDF5_TEXT_H

#include "base/memory.h"
#include "program/files/text.h"

#include <stdint.h>

#include <hdf5.h>

enum { TRMI_HDF5_DEFLATE = 4 }; // level of compression

// The type of texts with at most size - 1 bytes, or H5T_VARIABLE for any (UTF-8, with a zero at the
// end); to be closed, negative when there is no memory. Octave reads lists of texts only where they
// are marked as ASCII: so are those that are.
hid_t trmi_hdf5_text_type(size_t size, bool ascii);
bool trmi_is_ascii(const char *text, size_t length); // NULL: yes

// A new attribute with text of any length (UTF-8). NULL text: "".
bool trmi_hdf5_put_text(hid_t object, const char *name, const char *text);
// A new attribute with a number.
bool trmi_hdf5_put_integer(hid_t object, const char *name, int value);
// Other values of attributes that are there. The text is stored beside the old one, and then the
// attribute, whose size does not change, leads to it.
bool trmi_hdf5_set_text(hid_t object, const char *name, const char *text);
bool trmi_hdf5_set_integer(hid_t object, const char *name, int value);
// A dataset that holds one text. NULL: "".
bool trmi_hdf5_put_text_dataset(hid_t location, const char *name, const char *text, size_t length);

// The text of an attribute. Owned by the caller (free); NULL when there is no such text. False: no
// memory.
bool trmi_hdf5_get_text(hid_t object, const char *name, char **text);
// The text of a dataset, likewise.
bool trmi_hdf5_get_text_dataset(hid_t location, const char *name, char **text);
// The number of an attribute; false when there is none.
bool trmi_hdf5_get_integer(hid_t object, const char *name, int *value);

// A dataset with one dimension whose texts have one length.
typedef struct trmi_text_list {
    const char *data; // NULL: there is none
    size_t stride;    // bytes from one text to the next
    int64_t count;
} trmi_text_list;

// Writes a list as a new dataset, as long as the longest text needs. NULL texts: "".
bool trmi_hdf5_put_list(hid_t location, const char *name, const char *const *text, int count);
// Reads a list into the memory. Without data when there is no such list, it cannot be read, or
// there is no memory.
trmi_text_list trmi_hdf5_get_list(hid_t location, const char *path, trmi_memory *memory);
const char *trmi_text_list_at(const trmi_text_list *list, int64_t index);

// Links cannot hold '/' and cannot be "." or empty. They are written like in addresses of the web:
// "a/b" as "a%2Fb", "%" as "%25", "." as "%2E", and "" as "%".
void trmi_hdf5_add_name(trmi_text *out, const char *name);
// The path of a group; that of a group of errors lies in the group error.
void trmi_hdf5_add_group(trmi_text *out, const char *group);
// The other way round, in place; what is not an escape stays as it is.
void trmi_hdf5_decode_name(char *name);

// The message of HDF5 about its last failure, "unknown reason" when nothing.
void trmi_hdf5_reason(char *out, size_t size);

#endif
