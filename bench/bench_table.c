// SPDX-License-Identifier: Apache-2.0
#include "bench_table.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#ifdef HAVE_SUNDIALS
#include <sundials/sundials_version.h>
#endif

// The processor as the system names it, so that numbers of different machines stay apart.
static void processor_name(char *name, size_t size)
{
    char line[256];
    snprintf(name, size, "unknown");
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon != NULL) {
            colon[strcspn(colon, "\n")] = '\0';
            snprintf(name, size, "%s", colon + 2);
            break;
        }
    }
    if (file != NULL)
        fclose(file);
}

void bench_csv_head(bench_output *out)
{
    char sundials[32] = "", processor[128];
#ifdef HAVE_SUNDIALS
    SUNDIALSGetVersion(sundials, sizeof sundials);
#endif
    processor_name(processor, sizeof processor);
    bench_line(out, "trammel %s, SUNDIALS %s, %s", trm_version(), sundials, processor);
#ifndef __OPTIMIZE__
    bench_line(out, "built without optimization: the times mean nothing");
#endif
    if (out->csv != NULL)
        fprintf(out->csv, "problem,size,code,rtol,cpu_s,steps,iterations,residuals,jacobians,"
                          "factorizations,rejected,error_q,error_v,heap_bytes,status\n");
}

void bench_table_head(const bench_output *out, double uncertainty)
{
    printf("\n%s (reference known to %.0e)\n", out->title, uncertainty);
    printf("%-12s %8s %10s %7s %7s %9s %6s %7s %6s %9s %9s %8s  %s\n", "code", "rtol", "cpu ms",
           "steps", "iter", "residuals", "jac", "factor", "reject", "error q", "error v", "heap kB",
           "status");
}

void bench_table_row(const bench_output *out, const bench_curve *curve, const bench_point *point)
{
    const peer_run *run = &point->run;
    const char *status = run->note[0] != '\0' ? run->note : "ok";
    printf("%-12s %8.1e %10.3f %7ld %7ld %9ld %6ld %7ld %6ld %9.1e %9.1e %8.0f  %s\n", curve->code,
           point->rtol, 1e3 * point->cpu, run->steps, run->iterations, run->residuals,
           run->jacobians, run->factorizations, run->rejected, point->error_q, point->error_v,
           (double)run->heap / 1024.0, status);
    fflush(stdout);
    if (out->csv == NULL)
        return;
    fprintf(out->csv, "%s,%s,%s,%g,%.6g,%ld,%ld,%ld,%ld,%ld,%ld,%.4g,%.4g,%zu,%s\n", out->problem,
            out->label, curve->code, point->rtol, point->cpu, run->steps, run->iterations,
            run->residuals, run->jacobians, run->factorizations, run->rejected, point->error_q,
            point->error_v, run->heap, status);
    fflush(out->csv);
}

double bench_time_at(const bench_curve *curve, double error)
{
    double best = HUGE_VAL;
    const bench_point *before = NULL;
    for (int k = 0; k < curve->count; k++) {
        const bench_point *point = &curve->point[k];
        if (!(point->error_q > 0.0)) // failed
            continue;
        if (point->error_q <= error)
            best = fmin(best, point->cpu);
        if (before != NULL && before->error_q > error && point->error_q <= error) {
            double share = log(before->error_q / error) / log(before->error_q / point->error_q);
            best = fmin(best, before->cpu * pow(point->cpu / before->cpu, share));
        }
        before = point;
    }
    return best < HUGE_VAL ? best : NAN;
}

double bench_fit_at(const bench_curve *curve, double error)
{
    double n = 0.0, sum_x = 0.0, sum_y = 0.0, sum_xx = 0.0, sum_xy = 0.0;
    for (int k = 0; k < curve->count; k++) {
        const bench_point *point = &curve->point[k];
        if (!(point->error_q > 0.0))
            continue;
        double x = log(point->error_q), y = log(point->cpu);
        n += 1.0;
        sum_x += x;
        sum_y += y;
        sum_xx += x * x;
        sum_xy += x * y;
    }
    if (n < 2.0)
        return NAN;
    double slope = (n * sum_xy - sum_x * sum_y) / (n * sum_xx - sum_x * sum_x);
    return exp((sum_y - slope * sum_x) / n + slope * log(error));
}

// "P1 N=100 at 7e-06: trammel 4.4 ms, ida 66 ms, ratio 15.0" into text; the ratio
static double compare(const bench_output *out, const bench_curve *ours, const bench_curve *peer,
                      double error, int fit, char text[256])
{
    double (*time_at)(const bench_curve *, double) = fit ? bench_fit_at : bench_time_at;
    double mine = time_at(ours, error), other = time_at(peer, error), ratio = other / mine;
    snprintf(text, 256, "%s at %.0e%s: %s %.3g ms, %s %.3g ms, ratio %.1f", out->title, error,
             fit ? " (fit)" : "", ours->code, 1e3 * mine, peer->code, 1e3 * other, ratio);
    return ratio;
}

void bench_verdict(const bench_output *out, const bench_curve *ours, const bench_curve *peer,
                   double error, int fit, bench_bar bar)
{
    char text[256];
    double ratio = compare(out, ours, peer, error, fit, text);
    const char *verdict = isnan(ratio)        ? "no number"
                          : ratio >= bar.aim  ? "aim reached"
                          : ratio >= bar.must ? "must reached"
                                              : "MISSED";
    bench_line(out, "%s (must %g, aim %g): %s", text, bar.must, bar.aim, verdict);
}

void bench_ratio(const bench_output *out, const bench_curve *ours, const bench_curve *peer,
                 double error, int fit)
{
    char text[256];
    compare(out, ours, peer, error, fit, text);
    bench_line(out, "%s", text);
}

void bench_line(const bench_output *out, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    printf("%s\n", text);
    fflush(stdout);
    if (out->csv != NULL)
        fprintf(out->csv, "# %s\n", text);
}
