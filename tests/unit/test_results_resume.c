// SPDX-License-Identifier: Apache-2.0
// Runs that go on from a checkpoint, in this process: every number is that of a run that was never
// stopped; what does not belong together is refused with the reason, and nothing is changed.
#define _POSIX_C_SOURCE 200809L
#include "modelling/reader/model.h"
#include "program/run/checkpoint.h"
#include "program/run/run.h"
#include "unit/results.h"

#include <string.h>

static const char text[] =
    "trammel: 1\n"
    "parameters: {k: 1, kk: 1}\n"
    "equations:\n"
    "  coordinates: {x: vx, y: vy}\n"
    "  mass: [1, 1]\n"
    "  energy: {potential: \"9.81*y\"}\n"
    "  force: [\"-0.1*k*vx + sin(3*t)\", \"-9.81 - 0.1*kk*vy\"]\n"
    "  constraints: {rod: \"(x^2 + y^2 - 1)/2\"}\n"
    "initial: {values: {x: 1}}\n"
    "outputs: {angle: \"atan2(x, -y)\"}\n"
    "events: {pass: {when: x, set: {k: \"k + 1\"}}}\n"
    "simulate: {end: 4, output_interval: 0.1, tolerance: 1e-6, output_times: [0.5, 1, 3.5]}\n";

enum { HDF5 = 1, CSV = 2 };

typedef struct part {
    trm_model *model;
    trmi_run *run;
    char file[4][600]; // results, and the checkpoint
    char said[2000];   // the lines of the log
} part;

static void keep_line(trm_log_level level, const char *line, void *user)
{
    part *p = user;
    (void)level;
    size_t used = strlen(p->said);
    snprintf(p->said + used, sizeof p->said - used, "%s\n", line);
}

// a run of the model with its files NAME.*, before its first step
static void open_part(part *p, void **state, const char *name, int formats, bool resume,
                      const char *const *set)
{
    const trm_load load = {.set = set};
    trm_error error;
    const char *folder = ((test_folder *)*state)->path;
    memset(p, 0, sizeof *p);
    assert_done(trm_model_read(&p->model, text, strlen(text), "run.yaml", &load, &error), &error);
    for (int k = 0; k < TRMI_FORMATS; k++)
        snprintf(p->file[k], sizeof p->file[k], "%s/%s%s", folder, name, trmi_formats[k].suffix);
    snprintf(p->file[3], sizeof p->file[3], "%s/%s.checkpoint", folder, name);
    const trmi_run_request request = {.model = p->model,
                                      .write = {(formats & HDF5) != 0, (formats & CSV) != 0},
                                      .path = {p->file[0], p->file[1]},
                                      .checkpoint = p->file[3],
                                      .resume = resume ? p->file[3] : NULL,
                                      .log = keep_line,
                                      .log_level = TRM_LOG_WARNING,
                                      .log_user = p};
    p->run = trmi_run_create(&request);
    assert_non_null(p->run);
}

static void go(part *p, void **state, const char *name, int formats, bool resume,
               const char *const *set)
{
    open_part(p, state, name, formats, resume, set);
    trmi_run_go(p->run);
}

static void end(part *p)
{
    trmi_run_destroy(p->run);
    trm_model_destroy(p->model);
}

static void complete(void **state, const char *name, int formats, bool resume,
                     const char *const *set)
{
    part p;
    go(&p, state, name, formats, resume, set);
    if (p.run->outcome != TRMI_RUN_DONE)
        fail_msg("%s: %s", name, p.run->error.text);
    end(&p);
}

// A run that is refused with these words; the files of the folder stay as they are.
static void refused(void **state, const char *name, int formats, const char *const *set,
                    const char *words)
{
    part p;
    go(&p, state, name, formats, true, set);
    if (p.run->outcome != TRMI_RUN_FAILED || !strstr(p.run->error.text, words))
        fail_msg("not refused because of '%s': %s", words, p.run->error.text);
    assert_int_equal(p.run->stage, TRMI_STAGE_MODEL);
    assert_true(p.run->error.advice[0] != '\0');
    end(&p);
}

static char *content(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *bytes = calloc(1, 1 << 20);
    assert_non_null(file);
    *size = fread(bytes, 1, (1 << 20) - 1, file);
    fclose(file);
    return bytes;
}

static void assert_same_file(void **state, const char *a, const char *b)
{
    size_t sizes[2];
    char *x = content(in_folder(state, a), &sizes[0]), *y = content(in_folder(state, b), &sizes[1]);
    if (sizes[0] != sizes[1] || memcmp(x, y, sizes[0]) != 0)
        fail_msg("%s and %s differ", a, b);
    assert_true(sizes[0] > 100);
    free(x);
    free(y);
}

static const char *const to_two[] = {"simulate.end=2", NULL};

// ---- going on ----

static void test_resume_gives_the_numbers_of_one_run(void **state)
{
    part whole, rest;
    go(&whole, state, "a", CSV, false, NULL);
    part first;
    go(&first, state, "b", CSV, false, to_two);
    assert_true(first.run->outcome == TRMI_RUN_DONE && first.run->sampled == 2);
    end(&first);
    go(&rest, state, "b", CSV, true, NULL);
    assert_true(whole.run->outcome == TRMI_RUN_DONE && rest.run->outcome == TRMI_RUN_DONE);
    assert_same_file(state, "a.csv", "b.csv");
    assert_same_file(state, "a-steps.csv", "b-steps.csv");
    const trmi_run *a = whole.run, *b = rest.run;
    assert_int_equal(a->sampled, 3);
    assert_int_equal(b->sampled, 3);
    for (int k = 0; k < 3; k++) {
        assert_true(a->sample[k].t == b->sample[k].t);
        assert_memory_equal(a->sample[k].value, b->sample[k].value,
                            (size_t)a->sample_size * sizeof(double));
    }
    assert_true(a->events > 1 && a->events == b->events);
    assert_true(a->energy_start == b->energy_start && a->energy_end == b->energy_end);
    assert_int_equal(a->last.steps, b->last.steps);
    end(&whole);
    end(&rest);
}

// Output times that have passed meanwhile: those of the checkpoint keep their values, new ones have
// none, later ones follow.
static void test_resume_output_times_may_change(void **state)
{
    const char *const other[] = {"simulate.output_times=[0.25, 0.5, 0.75, 1, 3]", NULL};
    part first, rest;
    double kept[2][20];
    go(&first, state, "a", CSV, false, to_two);
    size_t bytes = (size_t)first.run->sample_size * sizeof(double);
    assert_in_range(bytes, 1, sizeof kept[0]);
    for (int k = 0; k < 2; k++)
        memcpy(kept[k], first.run->sample[k].value, bytes);
    end(&first);
    go(&rest, state, "a", CSV, true, other);
    const bool known[] = {false, true, false, true, true};
    assert_int_equal(rest.run->sampled, 5);
    for (int k = 0; k < 5; k++)
        for (int i = 0; i < rest.run->sample_size; i++)
            if (isnan(rest.run->sample[k].value[i]) == known[k])
                fail_msg("value %d of output time %d", i, k);
    for (int k = 0; k < 2; k++)
        assert_memory_equal(rest.run->sample[2 * k + 1].value, kept[k], bytes);
    end(&rest);
}

// no output time has passed yet
static void test_resume_before_the_first_output_time(void **state)
{
    const char *const early[] = {"simulate.end=2", "simulate.output_times=[3.5]", NULL},
                      *const late[] = {"simulate.output_times=[3.5]", NULL};
    part p;
    complete(state, "a", CSV, false, early);
    go(&p, state, "a", CSV, true, late);
    assert_int_equal(p.run->outcome, TRMI_RUN_DONE);
    assert_true(p.run->sampled == 1 && p.run->sample[0].t == 3.5);
    end(&p);
}

static void test_resume_end_before_the_checkpoint_is_refused(void **state)
{
    const char *const earlier[] = {"simulate.end=1", NULL};
    complete(state, "a", CSV, false, to_two);
    refused(state, "a", CSV, earlier, "beyond the end 1");
    complete(state, "a", CSV, true, NULL);
}

// ---- of another model ----

static void test_resume_names_what_changed(void **state)
{
    const struct {
        const char *set[6], *words;
    } cases[] = {
        {{"parameters.k=2"}, ": parameters.k changed since"},
        {{"parameters.k=2", "initial.values.x=0.5"}, " and "},
        {{"parameters.k=2", "parameters.kk=2", "simulate.tolerance=1e-5"},
         ": parameters.k, parameters.kk and simulate.tolerance changed since"},
        {{"parameters.k=2", "parameters.kk=2", "simulate.tolerance=1e-5", "simulate.integrator=bdf",
          "outputs.angle=x"},
         " and 2 more changed since"},
        {{"parameters.a_name_that_is_longer_than_forty_characters_by_far=2"},
         ": parameters.a_name_that_is_longer_than_fo changed since"},
    };
    complete(state, "a", CSV, false, to_two);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        refused(state, "a", CSV, cases[k].set, cases[k].words);
    complete(state, "a", CSV, true, NULL);
}

// writes the checkpoint again, with other blocks
static void change_checkpoint(void **state, uint64_t hash_shift, const char *leave_out,
                              const char *changed,
                              void (*change)(unsigned char *block, size_t *size, int how), int how)
{
    trm_error error;
    const char *path = in_folder(state, "a.checkpoint");
    trmi_checkpoint *c = trmi_checkpoint_read(path, &error);
    assert_non_null(c);
    const char *const names[] = {"run", "model"};
    trmi_checkpoint_block block[2];
    unsigned char *copy[2];
    int blocks = 0;
    for (int k = 0; k < 2; k++) {
        const trmi_checkpoint_block *b = trmi_checkpoint_find(c, names[k]);
        assert_non_null(b);
        copy[k] = malloc(b->size + 100);
        memcpy(copy[k], b->data, b->size);
        size_t size = b->size;
        if (change && strcmp(names[k], changed) == 0)
            change(copy[k], &size, how);
        if (!leave_out || strcmp(names[k], leave_out) != 0)
            block[blocks++] = (trmi_checkpoint_block){names[k], copy[k], size};
    }
    assert_done(
        trmi_checkpoint_write(path, trmi_checkpoint_model(c) + hash_shift, block, blocks, &error),
        &error);
    trmi_checkpoint_free(c);
    free(copy[0]);
    free(copy[1]);
}

static void test_resume_without_the_keys_of_the_model_says_so(void **state)
{
    complete(state, "a", CSV, false, to_two);
    change_checkpoint(state, 1, "model", NULL, NULL, 0);
    refused(state, "a", CSV, NULL, "it belongs to another model");
}

// ---- sizes that do not fit ----

// where the sizes of the parts are in the block, behind what is fixed
typedef struct sizes {
    size_t parameters, samples, simulation;
} sizes;

enum { PARAMETERS = 1 };

static size_t place_of_sizes(const unsigned char *block, size_t size)
{
    for (size_t at = 0; at + sizeof(sizes) <= size; at += sizeof(size_t)) {
        sizes s;
        memcpy(&s, block + at, sizeof s);
        // the parameter that events set; the rest ends with the block
        if (s.parameters == PARAMETERS * sizeof(double) && s.samples < size &&
            s.simulation < size && at + sizeof s + s.parameters + s.samples + s.simulation == size)
            return at;
    }
    fail_msg("the sizes were not found");
    return 0;
}

static void change_sizes(unsigned char *block, size_t *size, int how)
{
    size_t at = place_of_sizes(block, *size);
    sizes s;
    int64_t sampled;
    memcpy(&s, block + at, sizeof s);
    memcpy(&sampled, block, sizeof sampled);
    switch (how) {
    case 0: // one parameter less, one double more of samples: the whole stays
        s.parameters -= sizeof(double);
        s.samples += sizeof(double);
        break;
    case 1:
        s.samples -= sizeof(double);
        s.simulation += sizeof(double);
        break;
    case 2: // bytes are missing at the end
        *size -= sizeof(double);
        break;
    case 3:
        *size += sizeof(double);
        break;
    case 4:
        *size = at;
        break;
    case 5:
        sampled = -1;
        break;
    case 6:
        sampled++;
        break;
    case 7:
        *size = at + sizeof s - 1;
        break;
    case 8: // the parameter belongs to the simulation
        s.parameters -= sizeof(double);
        s.simulation += sizeof(double);
        break;
    case 9: // so many samples that their bytes are counted from 0 again
        sampled += INT64_MAX / 8 + 1;
        break;
    case 10: // more bytes than there are, and the rest as many less
        sampled += 1000;
        s.samples += 1000 * (s.samples / (size_t)(sampled - 1000));
        s.simulation -= 1000 * (s.samples / (size_t)sampled);
        break;
    default: // a byte of the simulation: its own checksum
        block[*size - 1] ^= 1;
    }
    memcpy(block, &sampled, sizeof sampled);
    memcpy(block + at, &s, sizeof s);
}

static void test_resume_sizes_that_do_not_fit_are_refused(void **state)
{
    for (int how = 0; how < 12; how++) {
        complete(state, "a", CSV, false, to_two);
        change_checkpoint(state, 0, NULL, "run", change_sizes, how);
        refused(state, "a", CSV, NULL, "does not fit this model: ");
    }
    complete(state, "a", CSV, false, to_two);
    change_checkpoint(state, 0, "run", NULL, NULL, 0);
    refused(state, "a", CSV, NULL, "does not fit this model: sizes differ");
}

// Each number of the part that is fixed in size, in turn, is negative or as large as it can be:
// refused, or without harm. (Steps that were never made had been written one by one, and rows of
// the grid up to a time beyond all counted.)
static void change_number(unsigned char *block, size_t *size, int how)
{
    const int64_t values[] = {INT64_MIN, -1, INT64_MAX};
    size_t place = (size_t)(how / 3) * sizeof(int64_t);
    assert_true(place < *size);
    memcpy(block + place, &values[how % 3], sizeof *values);
}

static size_t fixed_size; // of the block of a run

static void find_fixed_size(unsigned char *block, size_t *size, int how)
{
    (void)how;
    fixed_size = place_of_sizes(block, *size);
}

static void test_resume_numbers_that_cannot_be_do_no_harm(void **state)
{
    complete(state, "a", CSV, false, to_two);
    change_checkpoint(state, 0, NULL, "run", find_fixed_size, 0);
    int refusals = 0;
    for (int how = 0; how < 3 * (int)(fixed_size / sizeof(int64_t)); how++) {
        part p;
        complete(state, "a", CSV, false, to_two);
        change_checkpoint(state, 0, NULL, "run", change_number, how);
        go(&p, state, "a", CSV, true, NULL);
        refusals += p.run->outcome != TRMI_RUN_DONE;
        end(&p);
    }
    assert_true(refusals > 10); // samples, events, rows, steps, events of a file, work
}

// The counters of the last row that was written, behind the numbers of samples, events and rows:
// none may be negative or beyond that of the simulation.
static void change_counter(unsigned char *block, size_t *size, int how)
{
    static const size_t counter[] = {
        offsetof(trm_statistics, steps), offsetof(trm_statistics, newton_iterations),
        offsetof(trm_statistics, rejected_error), offsetof(trm_statistics, rejected_newton)};
    const size_t last = 2 * sizeof(int64_t) + TRMI_FORMATS * sizeof(trmi_resume);
    unsigned char *at = block + last + counter[how / 3];
    long value;
    assert_true((size_t)(at - block) + sizeof value <= *size);
    memcpy(&value, at, sizeof value);
    value = how % 3 == 2 ? 0 : how % 3 ? -1 : value + 1000000;
    memcpy(at, &value, sizeof value);
}

static void test_resume_work_that_was_never_done_is_refused(void **state)
{
    for (int how = 0; how < 12; how++) {
        complete(state, "a", CSV, false, to_two);
        change_checkpoint(state, 0, NULL, "run", change_counter, how);
        if (how % 3 != 2 || how == 2) { // all steps were written, but none need have been rejected
            refused(state, "a", CSV, NULL, "does not fit this model: ");
            continue;
        }
        part p;
        go(&p, state, "a", CSV, true, NULL);
        assert_int_equal(p.run->outcome, TRMI_RUN_DONE);
        end(&p);
    }
}

// The times of the simulation, between 1 and 2, are beyond all; its own checksum fits.
static void change_times(unsigned char *block, size_t *size, int how)
{
    enum { HEADER = 48 }; // of an archive (base/archive.c); its end is the hash of the rest
    sizes s;
    memcpy(&s, block + place_of_sizes(block, *size), sizeof s);
    unsigned char *archive = block + *size - s.simulation;
    for (size_t at = HEADER; at + sizeof(double) <= s.simulation; at++) {
        double t;
        memcpy(&t, archive + at, sizeof t);
        if (t > 1 && t <= 2)
            memcpy(archive + at, (const double[]){1e300, -1e300, NAN} + how, sizeof t);
    }
    uint64_t hash = trmi_hash(TRMI_HASH, archive + HEADER, s.simulation - HEADER);
    memcpy(archive + HEADER - sizeof hash, &hash, sizeof hash);
}

static void test_resume_at_times_beyond_all_ends(void **state)
{
    for (int how = 0; how < 3; how++) {
        part p;
        complete(state, "a", CSV, false, to_two);
        change_checkpoint(state, 0, NULL, "run", change_times, how);
        go(&p, state, "a", CSV, true, NULL);
        assert_int_equal(p.run->outcome, TRMI_RUN_FAILED);
        assert_true(p.run->error.text[0] != '\0');
        end(&p);
    }
}

// A name with a zero in it, in a checkpoint of another model.
static void cut_name(unsigned char *block, size_t *size, int how)
{
    (void)how;
    block[0] ^= 1; // another hash of the first key
    block[20] = 0;
    assert_true(*size > 21);
}

static void test_resume_names_with_zeros_are_harmless(void **state)
{
    complete(state, "a", CSV, false, to_two);
    change_checkpoint(state, 1, NULL, "model", cut_name, 0);
    refused(state, "a", CSV, NULL, "changed since it was written");
}

// ---- the previous one ----

// cuts a table behind its first lines
static void keep_lines(const char *path, int lines)
{
    size_t size;
    char *bytes = content(path, &size), *at = bytes;
    for (int k = 0; k < lines; k++)
        at = strchr(at, '\n') + 1;
    FILE *file = fopen(path, "wb");
    fwrite(bytes, 1, (size_t)(at - bytes), file);
    fclose(file);
    free(bytes);
}

static void damage(const char *path)
{
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, 100, SEEK_SET);
    int c = getc(file);
    fseek(file, 100, SEEK_SET);
    putc(c ^ 1, file);
    fclose(file);
}

static void test_resume_takes_the_previous_one_for_a_damaged_one(void **state)
{
    const char *const to_three[] = {"simulate.end=3", NULL};
    complete(state, "whole", CSV, false, NULL);
    complete(state, "a", CSV, false, to_two);
    complete(state, "a", CSV, true, to_three);
    damage(in_folder(state, "a.checkpoint"));
    part p;
    go(&p, state, "a", CSV, true, NULL);
    assert_int_equal(p.run->outcome, TRMI_RUN_DONE);
    assert_non_null(strstr(p.said, "it is damaged"));
    assert_non_null(strstr(p.said, "; going on from the checkpoint before it, at t = 1."));
    end(&p);
    assert_same_file(state, "whole.csv", "a.csv");
    // the one that was used is the previous one still, and can be used again
    unlink(in_folder(state, "a.checkpoint"));
    complete(state, "a", CSV, true, NULL);
    // both are damaged, or there is none: the reason of the newer one
    damage(in_folder(state, "a.checkpoint"));
    damage(in_folder(state, "a.checkpoint.previous"));
    refused(state, "a", CSV, NULL, "a.checkpoint: it is damaged");
    unlink(in_folder(state, "a.checkpoint.previous"));
    refused(state, "a", CSV, NULL, "a.checkpoint: it is damaged");
}

// The first checkpoint of such a run keeps the one that was used, the second one replaces it.
static void test_resume_saves_beside_the_one_that_was_used(void **state)
{
    const char *const to_three[] = {"simulate.end=3", NULL};
    complete(state, "a", CSV, false, to_two);
    complete(state, "a", CSV, true, to_three);
    damage(in_folder(state, "a.checkpoint"));
    size_t size[3];
    char *older[3];
    part p;
    open_part(&p, state, "a", CSV, true, NULL);
    assert_int_equal(p.run->outcome, TRMI_RUN_DONE);
    for (int k = 0; k < 3; k++) {
        older[k] = content(in_folder(state, "a.checkpoint.previous"), &size[k]);
        p.run->wall_seconds += 1; // no two are equal
        assert_true(trmi_resume_save(p.run));
        assert_null(p.run->free_point); // nothing is kept in memory
    }
    assert_true(size[0] == size[1] && memcmp(older[0], older[1], size[0]) == 0);
    assert_true(size[0] != size[2] || memcmp(older[0], older[2], size[0]) != 0);
    trmi_run_go(p.run);
    assert_int_equal(p.run->outcome, TRMI_RUN_DONE);
    for (int k = 0; k < 3; k++)
        free(older[k]);
    end(&p);
}

// the result has the rows of the older checkpoint only
static void test_resume_takes_the_previous_one_for_missing_rows(void **state)
{
    const char *const to_three[] = {"simulate.end=3", NULL};
    complete(state, "whole", CSV, false, NULL);
    complete(state, "a", CSV, false, to_two);
    size_t size;
    char *early = content(in_folder(state, "a.csv"), &size);
    complete(state, "a", CSV, true, to_three);
    FILE *file = fopen(in_folder(state, "a.csv"), "wb");
    fwrite(early, 1, size, file);
    fclose(file);
    free(early);
    part p;
    go(&p, state, "a", CSV, true, NULL);
    assert_int_equal(p.run->outcome, TRMI_RUN_DONE);
    assert_non_null(strstr(p.said, "needs"));
    assert_non_null(strstr(p.said, "going on from the checkpoint before it"));
    end(&p);
    assert_same_file(state, "whole.csv", "a.csv");
    // those of the older one are missing too: the reason of the newer one, and nothing is changed
    complete(state, "b", CSV, false, to_two);
    complete(state, "b", CSV, true, to_three);
    keep_lines(in_folder(state, "b.csv"), 3);
    refused(state, "b", CSV, NULL, "b.csv: it has 2 rows, up to t = 0.1; the checkpoint at t = 2.");
}

// ---- the files ----

static void test_resume_outputs_are_those_of_the_first_part(void **state)
{
    complete(state, "a", CSV | HDF5, false, to_two);
    refused(state, "a", CSV, NULL, "cannot go on without");
    refused(state, "a", HDF5, NULL, "a.csv: the run wrote 15 rows to it");
    complete(state, "b", CSV, false, to_two);
    refused(state, "b", CSV | HDF5, NULL, "b.h5: the run up to the checkpoint at t = 1.");
    complete(state, "b", HDF5, false, to_two); // and its checkpoint
    refused(state, "b", CSV | HDF5, NULL, "b.csv: it has 25 rows, up to t = 2, but the run up to");
    complete(state, "a", CSV | HDF5, true, NULL);
    complete(state, "b", HDF5, true, NULL);
}

static void test_resume_missing_rows_are_counted(void **state)
{
    const struct {
        const char *file;
        int lines;
        const char *words;
    } cases[] = {{"a.csv", 11, "a.csv: it has 10 rows, up to t = 0.7; the checkpoint at t = 1."},
                 {"a.csv", 1, "a.csv: it has 0 rows; the checkpoint"},
                 {"a-steps.csv", 2, "a-steps.csv: it has 1 rows, up to t = "},
                 {"a-events.csv", 1, "a-events.csv: it has 0 rows; the checkpoint"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        complete(state, "a", CSV, false, to_two);
        keep_lines(in_folder(state, cases[k].file), cases[k].lines);
        refused(state, "a", CSV, NULL, cases[k].words);
    }
    complete(state, "a", CSV, false, to_two); // exactly the rows that are needed, see above
    keep_lines(in_folder(state, "a.csv"), 1 + 15);
    complete(state, "a", CSV, true, NULL);
    complete(state, "a", CSV, false, to_two);
    unlink(in_folder(state, "a.csv"));
    part p;
    go(&p, state, "a", CSV, true, NULL);
    assert_int_equal(p.run->stage, TRMI_STAGE_RESULTS);
    assert_non_null(strstr(p.run->error.text, "a.csv"));
    end(&p);
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_resume_gives_the_numbers_of_one_run),
        IN_FOLDER(test_resume_output_times_may_change),
        IN_FOLDER(test_resume_before_the_first_output_time),
        IN_FOLDER(test_resume_end_before_the_checkpoint_is_refused),
        IN_FOLDER(test_resume_names_what_changed),
        IN_FOLDER(test_resume_without_the_keys_of_the_model_says_so),
        IN_FOLDER(test_resume_sizes_that_do_not_fit_are_refused),
        IN_FOLDER(test_resume_numbers_that_cannot_be_do_no_harm),
        IN_FOLDER(test_resume_work_that_was_never_done_is_refused),
        IN_FOLDER(test_resume_at_times_beyond_all_ends),
        IN_FOLDER(test_resume_names_with_zeros_are_harmless),
        IN_FOLDER(test_resume_takes_the_previous_one_for_a_damaged_one),
        IN_FOLDER(test_resume_saves_beside_the_one_that_was_used),
        IN_FOLDER(test_resume_takes_the_previous_one_for_missing_rows),
        IN_FOLDER(test_resume_outputs_are_those_of_the_first_part),
        IN_FOLDER(test_resume_missing_rows_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
