// SPDX-License-Identifier: Apache-2.0
#include "program/files/hdf5/scale.h"

#include "program/files/hdf5/dataset.h"

#include <stdlib.h>
#include <string.h>

// An attribute of HDF5 may have 64 kB, and a user takes 12 bytes. The list is a help for those who
// remove scales: of a file with more users it is left out.
enum { MAX_USERS = 4000 };

typedef struct scale_user {
    hobj_ref_t dataset;
    int dimension;
} scale_user;

// The texts of scales are ASCII of fixed length, as the tools expect it.
static bool put_fixed_text(hid_t object, const char *name, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR), attribute = H5I_INVALID_HID;
    if (type >= 0 && H5Tset_size(type, strlen(text) + 1) >= 0)
        attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool done = attribute >= 0 && H5Awrite(attribute, type, text) >= 0;
    trmi_hdf5_close(attribute);
    trmi_hdf5_close(space);
    trmi_hdf5_close(type);
    return done;
}

// an attribute with several values
static bool put_values(hid_t object, const char *name, hid_t type, const void *value, int count)
{
    hsize_t extent = (hsize_t)count;
    hid_t space = H5Screate_simple(1, &extent, NULL), attribute = H5I_INVALID_HID;
    if (type >= 0 && space >= 0)
        attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool done = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
    trmi_hdf5_close(attribute);
    trmi_hdf5_close(space);
    return done;
}

bool trmi_hdf5_make_scale(hid_t scale, const char *name)
{
    return put_fixed_text(scale, "CLASS", "DIMENSION_SCALE") && put_fixed_text(scale, "NAME", name);
}

bool trmi_hdf5_use_scales(hid_t dataset, hid_t rows, hid_t columns)
{
    const int dimensions = columns >= 0 ? 2 : 1;
    hobj_ref_t reference[2];
    hvl_t list[2] = {{1, &reference[0]}, {1, &reference[1]}};
    if (H5Rcreate(&reference[0], rows, ".", H5R_OBJECT, -1) < 0 ||
        (columns >= 0 && H5Rcreate(&reference[1], columns, ".", H5R_OBJECT, -1) < 0))
        return false;
    hid_t type = H5Tvlen_create(H5T_STD_REF_OBJ);
    bool done = put_values(dataset, "DIMENSION_LIST", type, list, dimensions);
    trmi_hdf5_close(type);
    return done;
}

bool trmi_hdf5_list_users(hid_t scale, const hid_t *dataset, int datasets, int dimension)
{
    if (datasets == 0 || datasets > MAX_USERS)
        return true;
    scale_user *user = calloc((size_t)datasets, sizeof *user);
    bool done = user != NULL;
    for (int k = 0; k < datasets && done; k++) {
        user[k].dimension = dimension;
        done = H5Rcreate(&user[k].dataset, dataset[k], ".", H5R_OBJECT, -1) >= 0;
    }
    hid_t type = H5Tcreate(H5T_COMPOUND, sizeof *user);
    done = done && type >= 0 &&
           H5Tinsert(type, "dataset", HOFFSET(scale_user, dataset), H5T_STD_REF_OBJ) >= 0 &&
           H5Tinsert(type, "dimension", HOFFSET(scale_user, dimension), H5T_NATIVE_INT) >= 0 &&
           put_values(scale, "REFERENCE_LIST", type, user, datasets);
    trmi_hdf5_close(type);
    free(user);
    return done;
}
