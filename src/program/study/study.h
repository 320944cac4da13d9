// SPDX-License-Identifier: Apache-2.0
// A study: a model that is simulated with many values of its parameters, one row of results per
// run. Which run has which values follows from the number of the run alone, so that it does not
// matter which worker does it, when, and how many workers there are.
#ifndef TRMI_PROGRAM_STUDY_STUDY_H
#define TRMI_PROGRAM_STUDY_STUDY_H

#include "modelling/reader/keys/keys.h"
#include "modelling/reader/yaml/document.h"

#include <stdint.h>

// The keys of study files (study_keys.c).
extern const trmi_key_table trmi_study_keys;

typedef enum trmi_sampling {
    TRMI_SAMPLING_GRID,  // every value with every value of the others; the last varies fastest
    TRMI_SAMPLING_LIST,  // the first value of all, the second of all, ...
    TRMI_SAMPLING_LATIN, // one point in each of n strata of every parameter
    TRMI_SAMPLING_SOBOL,
    TRMI_SAMPLING_RANDOM,
    TRMI_SAMPLING_SALTELLI, // for indices: blocks of k + 2 runs for k parameters, see sampling.c
    TRMI_SAMPLINGS
} trmi_sampling;
extern const char *const trmi_sampling_names[TRMI_SAMPLINGS];

typedef enum trmi_spread_kind {
    TRMI_SPREAD_VALUES,  // a list of numbers
    TRMI_SPREAD_UNIFORM, // from .. to
    TRMI_SPREAD_LOG,     // from .. to, uniform in the logarithm
    TRMI_SPREAD_NORMAL   // mean, deviation
} trmi_spread_kind;

// How the values of a parameter are spread.
typedef struct trmi_spread {
    trmi_spread_kind kind;
    double a, b;   // from and to, or mean and deviation
    int64_t count; // of values; 0: any
    const double *value;
    const int *stratum; // TRMI_SAMPLING_LATIN: of each run; NULL: too many to keep
} trmi_spread;

typedef struct trmi_study_parameter {
    const char *name; // of a parameter of the model
    trmi_spread spread;
    const trmi_item *item;
} trmi_study_parameter;

// The most numbers that a run may record: its line must be a single message of its worker
// (worker.c).
enum { TRMI_MAX_RESULTS = 7500 };

// What is recorded of channels, and of events.
typedef enum trmi_record_kind {
    TRMI_RECORD_END,
    TRMI_RECORD_MAXIMUM,
    TRMI_RECORD_MINIMUM,
    TRMI_RECORD_INTEGRAL,
    TRMI_RECORD_EVENTS,
    TRMI_RECORD_SUMMARY,  // numbers of the summary of a run
    TRMI_RECORD_CHANNELS, // their values at all of the times of the study
    TRMI_RECORD_KINDS
} trmi_record_kind;
extern const char *const trmi_record_names[TRMI_RECORD_KINDS];

typedef struct trmi_study {
    trmi_memory memory;
    trmi_document *document;
    const char *path, *name;
    const char *model;      // path of its file
    const char *const *set; // overrides of `settings`, ended by NULL
    trmi_sampling sampling;
    uint64_t seed;
    int64_t runs;
    int parameters;
    trmi_study_parameter *parameter;
    const trmi_item *record[TRMI_RECORD_KINDS]; // lists of patterns; NULL: none
    int times;                                  // of whole channels
    bool verify;
    double seconds; // of processor time that a run may take
} trmi_study;

// The names of `record` that are those of measures become outputs of the model: adds to the
// overrides where that is needed (plan.c). Of the model without them. False: no memory.
bool trmi_study_name_measures(trmi_study *study, const trm_model *model);

// Reads a study file. Messages go to report; NULL after errors.
trmi_study *trmi_study_read(const char *path, trm_diagnostic_function *report, void *user);
void trmi_study_destroy(trmi_study *study);

// The values of the parameters of a run, 0 .. runs - 1.
void trmi_study_point(const trmi_study *study, int64_t run, double *value);

// sampling.c: what the points need beyond the study; false: no memory.
bool trmi_sampling_prepare(trmi_study *study);
// The most parameters that Sobol sequences are known for.
enum { TRMI_SOBOL_DIMENSIONS = 37 };

// random.c ----------------------------------------------------------------------------------------

// 64 random bits that are a function of seed and three numbers (Philox 4x32, 10 rounds).
uint64_t trmi_random_bits(uint64_t seed, uint64_t a, uint32_t b, uint32_t c);
// A number in (0, 1) of 64 bits.
double trmi_unit_of_bits(uint64_t bits);
// Where a random permutation of 0 .. n - 1, 1 <= n <= 2^62, that is a function of seed and two
// numbers, puts i.
uint64_t trmi_random_place(uint64_t i, uint64_t n, uint64_t seed, uint32_t b, uint32_t c);
// x with P(X <= x) = p for a standard normal X, 0 < p < 1.
double trmi_normal_quantile(double p);
// Bits of coordinate `dimension` of point `index` of Sobol's sequence, from the top of 32
// (sobol.c).
uint32_t trmi_sobol_bits(int dimension, uint32_t index);

#endif
