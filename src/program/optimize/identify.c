// SPDX-License-Identifier: Apache-2.0
// Combinations of parameters that data do not determine. With the columns of J = dr/dp scaled to
// length 1, J = J' D, they are the eigenvectors z of C = J'^T J' whose length
// |J' z| = sqrt(eigenvalue) is not larger than the errors of the derivatives: along dp = D^-1 z no
// residual is known to change.
#include "program/optimize/optimize.h"

#include "base/lapack.h"
#include "trammel/model.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

// Sensitivities are as exact as the tolerance of the run; lengths have the root of the roundoff
// in C.
static double min_length(const trmi_search_state *s, int m)
{
    return fmax(trm_model_options(s->model)->rtol, 10 * sqrt(m * DBL_EPSILON));
}

// dp as shares of the parameters, or itself of those that are 0, the largest 1; what is small
// against it are errors of the derivatives
static void take_combination(const trmi_search_state *s, const double *z, const double *A,
                             const int *number, int m, double *out)
{
    static const double SMALL = 1e-3;
    int n = s->o->parameters;
    double most = 0;
    for (int i = 0; i < m; i++) {
        int k = number[i];
        out[k] = z[i] / sqrt(A[k * n + k]) / (s->p[k] != 0 ? s->p[k] : 1);
        most = fabs(out[k]) > fabs(most) ? out[k] : most;
    }
    for (int k = 0; k < n; k++)
        out[k] = fabs(out[k]) < SMALL * fabs(most) ? 0 : out[k] / most;
}

void trmi_search_identify(trmi_search_state *s, const double *A, const int *number, int m)
{
    int n = s->o->parameters, size = 3 * m, info = 0;
    double *C = calloc((size_t)(m * m) + (size_t)(4 * m), sizeof *C);
    bool good = m > 0 && C && TRMI_TAKE(&s->memory, s->undetermined, m * n);
    double *eigenvalue = good ? C + m * m : NULL, *work = good ? eigenvalue + m : NULL;
    for (int i = 0; i < m && good; i++)
        for (int j = 0; j < m; j++) {
            int a = number[i], b = number[j];
            C[i * m + j] = A[a * n + b] / (sqrt(A[a * n + a]) * sqrt(A[b * n + b]));
        }
    if (good)
        dsyev_("V", "L", &m, C, &m, eigenvalue, work, &size, &info);
    for (int i = 0; i < m && good && info == 0; i++)
        if (sqrt(fmax(eigenvalue[i], 0)) <= min_length(s, m))
            take_combination(s, C + i * m, A, number, m, s->undetermined + n * s->undetermineds++);
    free(C);
}
