// SPDX-License-Identifier: Apache-2.0
// Texts in HDF5 files: attributes, names of objects, reasons of failures.
#ifndef TRMI_PROGRAM_FILES_HDF5_TEXT_H
#define TRMI_PROGRAM_FILES_HDF5_TEXT_H

#include "program/files/text.h"

#include <hdf5.h>

// The type of texts with at most size - 1 bytes, or H5T_VARIABLE for any (UTF-8, with a zero at the
// end); to be closed, negative when there is no memory.
hid_t trmi_hdf5_text_type(size_t size);

// An attribute with text of any length (UTF-8), replaced if it exists. NULL text: "".
bool trmi_hdf5_put_text(hid_t object, const char *name, const char *text);
bool trmi_hdf5_put_integer(hid_t object, const char *name, int value);
// A dataset that holds one text. NULL: "".
bool trmi_hdf5_put_text_dataset(hid_t location, const char *name, const char *text, size_t length);

// Owned by the caller (free); NULL when there is no such text or no memory.
char *trmi_hdf5_get_text(hid_t object, const char *name);
char *trmi_hdf5_get_text_dataset(hid_t location, const char *name);
bool trmi_hdf5_get_integer(hid_t object, const char *name, int *value);

// Links cannot hold '/' and cannot be "." or empty. They are written like in addresses of the web:
// "a/b" as "a%2Fb", "%" as "%25", "." as "%2E", and "" as "%".
void trmi_hdf5_add_name(trmi_text *out, const char *name);
// The other way round, in place; what is no escape stays as it is.
void trmi_hdf5_decode_name(char *name);

// What HDF5 says about its last failure, "unknown reason" when nothing.
void trmi_hdf5_reason(char *out, size_t size);

#endif
