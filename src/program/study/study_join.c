// SPDX-License-Identifier: Apache-2.0
// The HDF5 files of the parts of a table become one of virtual datasets: every dataset has the rows
// of all parts in the order of the runs, and only refers to them. Runs are handed out in blocks, so
// that the rows of a part are few pieces of the whole.
#include "base/error.h"
#include "program/files/hdf5/dataset.h"
#include "program/files/hdf5/scale.h"
#include "program/files/hdf5/text.h"
#include "program/study/study_data.h"
#include "program/study/study_hdf5.h"
#include "program/study/study_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A row of a part.
typedef struct joined_row {
    int64_t run;
    int source;
    int64_t row; // of the part
} joined_row;

typedef struct source {
    char *path;
    hid_t file;
    int64_t rows;
} source;

typedef struct joining {
    const trmi_plan *plan;
    source *source;
    int sources;
    joined_row *row;
    int64_t rows;
    hid_t file, scale, time;
} joining;

static int compare_rows(const void *a, const void *b)
{
    const joined_row *x = a, *y = b;
    if (x->run != y->run)
        return x->run < y->run ? -1 : 1;
    return x->source - y->source;
}

// the numbers of the runs of a part
static bool add_rows(joining *j, int k)
{
    source *s = &j->source[k];
    s->file = H5Fopen(s->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t dataset = s->file >= 0 ? H5Dopen2(s->file, "run", H5P_DEFAULT) : H5I_INVALID_HID;
    s->rows = dataset >= 0 ? trmi_hdf5_rows(dataset) : -1;
    double *run = s->rows >= 0 ? malloc(((size_t)s->rows + 1) * sizeof *run) : NULL;
    joined_row *more =
        run ? realloc(j->row, ((size_t)(j->rows + s->rows) + 1) * sizeof *more) : NULL;
    j->row = more ? more : j->row;
    bool good =
        more && H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, run) >= 0;
    for (int64_t i = 0; i < s->rows && good; i++)
        j->row[j->rows++] = (joined_row){(int64_t)run[i], k, i};
    free(run);
    trmi_hdf5_close(dataset);
    return good;
}

// a run once
static void sort_rows(joining *j)
{
    int64_t kept = 0;
    if (j->rows > 0)
        qsort(j->row, (size_t)j->rows, sizeof *j->row, compare_rows);
    for (int64_t i = 0; i < j->rows; i++)
        if (kept == 0 || j->row[kept - 1].run != j->row[i].run)
            j->row[kept++] = j->row[i];
    j->rows = kept;
}

// adds `count` rows from `first` on to a selection, all columns of them
static bool select_rows(hid_t space, bool none_yet, int64_t first, int64_t count, int width)
{
    const hsize_t start[] = {(hsize_t)first, 0}, size[] = {(hsize_t)count, (hsize_t)width};
    return H5Sselect_hyperslab(space, none_yet ? H5S_SELECT_SET : H5S_SELECT_OR, start, NULL, size,
                               NULL) >= 0;
}

// the rows of a part in a virtual dataset
static bool map_source(const joining *j, hid_t creation, hid_t whole, int k, const char *name,
                       int width)
{
    const source *s = &j->source[k];
    const char *slash = strrchr(s->path, '/');
    const hsize_t extent[] = {(hsize_t)s->rows, (hsize_t)width};
    hid_t to = H5Scopy(whole), from = H5Screate_simple(width > 1 ? 2 : 1, extent, NULL);
    bool good = to >= 0 && from >= 0, none_yet = true;
    for (int64_t i = 0, end; i < j->rows && good; i = end) {
        end = i + 1;
        if (j->row[i].source != k)
            continue;
        while (end < j->rows && j->row[end].source == k &&
               j->row[end].row == j->row[end - 1].row + 1)
            end++;
        good = select_rows(to, none_yet, i, end - i, width) &&
               select_rows(from, none_yet, j->row[i].row, end - i, width);
        none_yet = false;
    }
    // found beside this file, wherever both are moved to
    if (good && !none_yet)
        good = H5Pset_virtual(creation, to, slash ? slash + 1 : s->path, name, from) >= 0;
    trmi_hdf5_close(to);
    trmi_hdf5_close(from);
    return good;
}

// the type of a dataset; of texts the longest of all parts
static hid_t type_of(const joining *j, const char *name, bool text)
{
    size_t longest = 1;
    for (int k = 0; k < j->sources && text; k++) {
        hid_t dataset = H5Dopen2(j->source[k].file, name, H5P_DEFAULT);
        hid_t type = dataset >= 0 ? H5Dget_type(dataset) : H5I_INVALID_HID;
        size_t size = type >= 0 ? H5Tget_size(type) : 0;
        longest = size > longest ? size : longest;
        trmi_hdf5_close(type);
        trmi_hdf5_close(dataset);
    }
    return text ? trmi_hdf5_text_type(longest, false) : H5Tcopy(H5T_NATIVE_DOUBLE);
}

static bool join_column(joining *j, const trmi_study_column *c)
{
    trmi_text name = {0};
    trmi_study_hdf5_path(&name, c);
    const hsize_t extent[] = {(hsize_t)j->rows, (hsize_t)c->width};
    hid_t space = H5Screate_simple(c->width > 1 ? 2 : 1, extent, NULL), dataset = H5I_INVALID_HID;
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE), links = H5Pcreate(H5P_LINK_CREATE);
    bool text = c->text != NULL;
    hid_t type = name.failed ? H5I_INVALID_HID : type_of(j, name.data, text);
    const double nothing = NAN; // where a part has been removed
    bool good = space >= 0 && creation >= 0 && type >= 0 && links >= 0 &&
                H5Pset_create_intermediate_group(links, 1) >= 0 &&
                (text || H5Pset_fill_value(creation, H5T_NATIVE_DOUBLE, &nothing) >= 0);
    for (int k = 0; k < j->sources && good; k++)
        good = map_source(j, creation, space, k, name.data, c->width);
    if (good)
        dataset = H5Dcreate2(j->file, name.data, type, space, links, creation, H5P_DEFAULT);
    good = dataset >= 0 && trmi_hdf5_put_text(dataset, "units", c->unit);
    if (good && c->kind == TRMI_STUDY_RUN) {
        good = trmi_hdf5_make_scale(dataset, c->name);
        j->scale = H5Dopen2(j->file, name.data, H5P_DEFAULT);
    } else if (good) {
        good = trmi_hdf5_use_scales(dataset, j->scale, c->width > 1 ? j->time : -1);
    }
    trmi_hdf5_close(dataset);
    trmi_hdf5_close(space);
    trmi_hdf5_close(creation);
    trmi_hdf5_close(links);
    trmi_hdf5_close(type);
    trmi_text_free(&name);
    return good;
}

static bool join_columns(joining *j)
{
    trmi_study_data columns;
    bool good = trmi_study_data_columns(&columns, j->plan, 1) &&
                trmi_study_hdf5_head(j->file, j->plan, &j->time);
    for (int k = 0; k < columns.columns && good; k++)
        good = join_column(j, &columns.column[k]);
    trmi_study_data_release(&columns);
    trmi_hdf5_close(j->scale);
    trmi_hdf5_close(j->time);
    return good;
}

// trmi_study_hdf5_put: the whole file
static bool join_all(hid_t file, void *user)
{
    joining *j = user;
    j->file = file;
    for (int k = 0; k < j->sources; k++)
        if (!add_rows(j, k))
            return false;
    sort_rows(j);
    return join_columns(j);
}

static bool name_sources(joining *j, const char *table, const int *part)
{
    int count = 0;
    while (part[count] >= 0)
        count++;
    j->source = calloc((size_t)count + 1, sizeof *j->source);
    for (; j->source && j->sources < count; j->sources++) {
        source *s = &j->source[j->sources];
        *s = (source){trmi_part_path(table, part[j->sources], ".study.h5"), H5I_INVALID_HID, 0};
        if (!s->path)
            return false;
    }
    return j->source != NULL;
}

trm_status trmi_parts_join(const trmi_plan *plan, const char *table, const int *part, int64_t *rows,
                           trm_error *error)
{
    joining j = {.plan = plan, .scale = H5I_INVALID_HID, .time = H5I_INVALID_HID};
    char *path = trmi_part_path(table, -1, ".study.h5");
    trm_status status = path && name_sources(&j, table, part)
                            ? trmi_study_hdf5_replace(path, join_all, &j, error)
                            : trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the study");
    for (int k = 0; k < j.sources; k++) {
        if (j.source[k].file >= 0)
            H5Fclose(j.source[k].file);
        free(j.source[k].path);
    }
    *rows = j.rows;
    free(j.source);
    free(j.row);
    free(path);
    return status;
}
