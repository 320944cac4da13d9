// SPDX-License-Identifier: Apache-2.0
// Tables from CSV files: columns by name and number, units, and what is wrong with a file.
#define _POSIX_C_SOURCE 200809L
#include "models.h"

#include <unistd.h>

typedef struct folder {
    char path[100], csv[200];
} folder;

static void make_folder(folder *f, const char *content)
{
    snprintf(f->path, sizeof f->path, "/tmp/trammel-tables-XXXXXX");
    assert_non_null(mkdtemp(f->path));
    snprintf(f->csv, sizeof f->csv, "%s/road.csv", f->path);
    FILE *file = fopen(f->csv, "w");
    assert_non_null(file);
    fputs(content, file);
    fclose(file);
}

static void remove_folder(const folder *f)
{
    unlink(f->csv);
    rmdir(f->path);
}

// reads a model in that folder whose only output is the table at 1.5
static void try_table(model_case *c, const folder *f, const char *keys)
{
    char text[1000], path[200];
    snprintf(path, sizeof path, "%s/m.yaml", f->path);
    snprintf(text, sizeof text,
             "trammel: 1\n"
             "tables: {road: {file: road.csv%s}}\n"
             "equations: {coordinates: {x: v}, mass: [1], force: [0]}\n"
             "outputs: {at: \"table(road, 1.5 + 0*x)\"}\n"
             "simulate: {end: 1}\n",
             keys);
    model_try(c, text, path, NULL);
}

static double value_at(const char *content, const char *keys)
{
    folder f;
    model_case c;
    const double zero[1] = {0};
    const trm_state state = {.q = zero, .v = zero, .a = zero};
    double value = NAN;
    make_folder(&f, content);
    try_table(&c, &f, keys);
    model_instantiate(&c);
    trm_instance_outputs(c.instance, &state, &value);
    model_close(&c);
    remove_folder(&f);
    return value;
}

// half way between the rows of 1 and 2: 5 and 9 give 7
static void test_reader_tables_columns_are_found(void **state)
{
    (void)state;
    assert_true(value_at("0,1\n1,5\n2,9\n", "") == 7);
    assert_true(value_at("# a comment\n\n0;1\n1; 5\n2;9", "") == 7);
    assert_true(value_at("s,y,z\n0,0,1\n1,0,5\n2,0,9\n", ", x: s, y: z") == 7);
    assert_true(value_at("y\tz\ts\n0\t1\t0\n0\t5\t1\n0\t9\t2\n", ", x: 3, y: 2") == 7);
    assert_true(value_at("\"s [km]\",\"z [mm]\"\r\n0,1000\r\n0.001,5000\r\n0.002,9000\r\n", "") ==
                7);
}

static void assert_refused(const char *content, const char *keys, const char *expected)
{
    folder f;
    model_case c;
    make_folder(&f, content);
    try_table(&c, &f, keys);
    assert_int_equal(c.status, TRM_ERR_MODEL);
    const char *text = strstr(c.said, "error: ");
    assert_non_null(text);
    if (strncmp(text + 7, expected, strlen(expected)) != 0 || text[7 + strlen(expected)] != '\n')
        fail_msg("%s", c.said);
    model_close(&c);
    remove_folder(&f);
}

static void test_reader_tables_wrong_files_are_refused(void **state)
{
    (void)state;
    assert_refused("s,z\n", "", "the file has no rows below its names");
    assert_refused("s,z\n0,1\n1,abc\n", "",
                   "line 3 of the file has no number in column 2, but 'abc'");
    assert_refused("s,z\n0,1\n1\n", "", "line 3 of the file has no number in column 2, but ''");
    assert_refused("s,z\n0,1\n0,2\n", "",
                   "the table must ascend: in line 3 of the file 0 comes after 0");
    assert_refused("s,z\n0,1\n1,2\n", ", x: s, y: zz",
                   "the file has no column 'zz'; did you mean 'z'?");
    assert_refused("s,height\n0,1\n1,2\n", ", x: s, y: heigt",
                   "the file has no column 'heigt'; did you mean 'height'?");
    assert_refused("0,1\n1,2\n", ", x: s, y: z",
                   "the file has no line of names; give the number of the column");
    assert_refused("0,1\n1,2\n", ", y: 3", "the file has columns 1 to 2, not 3");
    assert_refused("s [furlong],z\n0,1\n1,2\n", "",
                   "the unit 'furlong' in line 1 of the file is not known");
    assert_refused("", "", "the file has no values");
    assert_refused("s,z\n0,1\n", "", "table 'road' has 1 point; it needs at least two");
    assert_refused("s,z\n0,nan\n1,2\n", "",
                   "line 2 of the file has no number in column 2, but 'nan'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reader_tables_columns_are_found),
        cmocka_unit_test(test_reader_tables_wrong_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
