// SPDX-License-Identifier: Apache-2.0
// Indices of first order from the points of any study. The points are sorted by x and divided into
// groups, between which the same x is not divided; of k groups with n points
//
//     S = (SS_between - (k - 1) s^2)/(SS_total + s^2),   s^2 = SS_within/(n - k),
//
// which is omega^2 of the analysis of variance: without the correction by s^2 every parameter would
// seem to matter.
#include "program/study/study_report.h"

#include <math.h>
#include <stdlib.h>

typedef struct pair {
    double x, y;
} pair;

static int compare_pairs(const void *a, const void *b)
{
    const pair *p = a, *q = b;
    if (p->x != q->x)
        return p->x < q->x ? -1 : 1;
    return (p->y > q->y) - (p->y < q->y); // a sum in one order, whatever that of the runs
}

static int64_t gather(const double *x, const double *y, int64_t count, pair *out)
{
    int64_t n = 0;
    for (int64_t i = 0; i < count; i++)
        if (isfinite(x[i]) && isfinite(y[i]))
            out[n++] = (pair){x[i], y[i]};
    qsort(out, (size_t)n, sizeof *out, compare_pairs);
    return n;
}

// where the group that begins at `first` ends
static int64_t end_of_group(const pair *p, int64_t n, int64_t first, int64_t size)
{
    int64_t end = first + size < n ? first + size : n;
    while (end < n && p[end].x == p[end - 1].x)
        end++;
    return end;
}

double trmi_first_order_index(const double *x, const double *y, int64_t count, double *mean,
                              int *groups)
{
    pair *p = malloc(((size_t)count + 1) * sizeof *p);
    int64_t n = p ? gather(x, y, count, p) : 0;
    // as many groups as points in them, half of them at least
    int64_t wanted = (int64_t)fmin(fmax(floor(sqrt((double)n) / 2), 2), TRMI_MAX_GROUPS);
    int64_t size = (n + wanted - 1) / wanted;
    double total = 0, between = 0, all = 0;
    int k = 0;
    for (int64_t i = 0; i < n; i++)
        all += p[i].y / (double)n;
    for (int64_t i = 0; i < n; i++)
        total += (p[i].y - all) * (p[i].y - all);
    for (int64_t first = 0, end; first < n; first = end) {
        // values of a grid are groups of their own
        bool grid = first + 1 < n && p[first].x == p[first + 1].x;
        end = end_of_group(p, n, first, grid ? 1 : size);
        double here_x = 0, here = 0;
        for (int64_t i = first; i < end; i++) {
            here_x += p[i].x;
            here += p[i].y;
        }
        here_x /= (double)(end - first);
        here /= (double)(end - first);
        between += (double)(end - first) * (here - all) * (here - all);
        if (mean && k < TRMI_MAX_GROUPS) {
            mean[2 * k] = here_x;
            mean[2 * k + 1] = here;
        }
        k++;
    }
    free(p);
    if (groups)
        *groups = k < TRMI_MAX_GROUPS ? k : TRMI_MAX_GROUPS;
    if (n - k < 2 || k < 2)
        return NAN;
    double noise = fmax(total - between, 0) / (double)(n - k);
    return total > 0 ? fmax((between - (k - 1) * noise) / (total + noise), 0) : 0;
}
