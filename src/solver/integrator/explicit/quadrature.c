// SPDX-License-Identifier: Apache-2.0
#include "solver/integrator/explicit/quadrature.h"

void trmi_quadrature_fill(trmi_quadrature *w, const double *t, int count, double from, double to)
{
    double row[TRMI_MAX_NODES + 3], factorial = 1; // integral[m][i] for one i, all m
    w->count = count;
    w->h = to - from;
    int last = count + 1;
    for (int m = 0; m <= last; m++) {
        factorial *= m + 1;
        row[m] = 1 / factorial;
    }
    for (int i = 0; i < count; i++, last--) {
        for (int m = 0; m < 3; m++)
            w->integral[m][i] = row[m];
        if (i + 1 == count)
            break;
        double reach = (to - t[i]) / w->h;
        for (int m = 0; m < last; m++)
            row[m] = reach * row[m] - (m + 1) * row[m + 1];
    }
}

void trmi_difference_weights(const double *t, int count, double h, double *weight)
{
    for (int j = 0; j < count; j++) {
        double product = 1;
        for (int i = 0; i < count; i++)
            if (i != j)
                product *= (t[j] - t[i]) / h;
        weight[j] = 1 / product;
    }
}

void trmi_quadrature_weights(const trmi_quadrature *w, const double *t, int count, double *v,
                             double *q)
{
    double difference[TRMI_MAX_NODES]; // weights of h^i f[t_0 .. t_i]
    for (int i = 0; i < count; i++) {
        v[i] = q[i] = 0;
        difference[i] = 1;
        for (int j = 0; j < i; j++) {
            double distance = (t[j] - t[i]) / w->h;
            difference[j] /= distance;
            difference[i] /= -distance;
        }
        for (int j = 0; j <= i; j++) {
            v[j] += w->h * w->integral[0][i] * difference[j];
            q[j] += w->h * w->h * w->integral[1][i] * difference[j];
        }
    }
}
