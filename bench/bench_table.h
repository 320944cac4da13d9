// SPDX-License-Identifier: Apache-2.0
// Results of the benchmark: points, curves over the tolerance, tables, CSV and verdicts.
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include "peer_run.h"

#include <stdio.h>

enum { BENCH_POINTS = 16 };

/// One code at one tolerance.
typedef struct bench_point {
    double rtol;             ///< step size for codes without error control
    double cpu;              ///< seconds, best of the repetitions
    double error_q, error_v; ///< largest error at the end, NaN when the run failed
    peer_run run;            ///< counters; its q and v are not kept
} bench_point;

/// One code on one problem over its tolerances, loose to tight.
typedef struct bench_curve {
    const char *code;
    int count;
    bench_point point[BENCH_POINTS];
} bench_curve;

/// Where results go: the terminal, and a CSV file when there is one.
typedef struct bench_output {
    FILE *csv;
    const char *problem; ///< "P1"
    char label[32];      ///< "N=100", may be empty
    char title[48];      ///< both: "P1 N=100"
} bench_output;

/// A demand on a ratio: the least that is accepted, and what is aimed at.
typedef struct bench_bar {
    double must, aim;
} bench_bar;

void bench_csv_head(bench_output *out);
void bench_table_head(const bench_output *out, double uncertainty);
void bench_table_row(const bench_output *out, const bench_curve *curve, const bench_point *point);

/// CPU time at an error: log-log interpolation between two neighbours on the curve that enclose it,
/// or a run with a smaller error, whichever is cheapest. NaN when the curve does not reach the
/// error.
double bench_time_at(const bench_curve *curve, double error);

/// CPU time at an error on the least-squares line log cpu over log error. NaN below 2 points.
double bench_fit_at(const bench_curve *curve, double error);

/// Prints "P1 N=100 at 7e-06: trammel 4.4 ms, ida 66 ms, ratio 15.0 (must 8, aim 13)" and whether
/// the bar is reached. With `fit` the times are those of bench_fit_at.
void bench_verdict(const bench_output *out, const bench_curve *ours, const bench_curve *peer,
                   double error, int fit, bench_bar bar);

/// The same without a bar.
void bench_ratio(const bench_output *out, const bench_curve *ours, const bench_curve *peer,
                 double error, int fit);

/// Prints a line, also as a comment into the CSV file.
void bench_line(const bench_output *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
