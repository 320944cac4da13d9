// SPDX-License-Identifier: Apache-2.0
// Nodes and shifts are tabulated to 22 digits; everything else follows from them by formulas that
// lose no digits:
//
//     w_j = 1 / prod_{k != j} (x_j - x_k) over the nodes x_0 = 0, x_i = c_i
//     Gamma_ij = (w_j / w_i) / (x_i - x_j),   Gamma_ii = sum_{k != i} 1 / (x_i - x_k)
//
// The eigenvector of the shift y has the entries t_i(y) = sum_{j=0..s} N^(j)(c_i) y^-j, where
// N = prod (x - c_i); divided by its last one. Columns of T: t(g), Re t(a + ib), Im t(a + ib), ..
// Roundoff in T changes the contraction of Newton, never its result.
#include "solver/integrator/radau/tableau.h"

#include <math.h>
#include <string.h>

// Zeros of the polynomials of the heading, and eigenvalues of Gamma (zeros of
// sum_j N^(j)(0) y^(s-j)), computed with 60 digits.
static const struct family {
    int s;
    double c[TRMI_MAX_STAGES];
    double g;
    double pair[TRMI_MAX_PAIRS][2]; // a, b
} families[] = {
    {.s = 3,
     .c = {0.1550510257216821901803, 0.6449489742783178098197, 1},
     .g = 3.637834252744495732208,
     .pair = {{2.681082873627752133896, 3.050430199247410569426}}},
    {.s = 5,
     .c = {0.05710419611451768219312, 0.2768430136381238276800, 0.5835904323689168200567,
           0.8602401356562194478479, 1},
     .g = 6.286704751729276645173,
     .pair = {{5.700953298671789419170, 3.210265600308549888425},
              {3.655694325463572258243, 6.543736899360077294021}}},
    {.s = 7,
     .c = {0.02931642715978489197205, 0.1480785996684842918500, 0.3369846902811542990971,
           0.5586715187715501320814, 0.7692338620300545009169, 0.9269456713197411148519, 1},
     .g = 8.936832788405216337302,
     .pair = {{8.511834825102945723051, 3.281013624325058830036},
              {7.141055219187640105775, 6.623045922639275970621},
              {4.378693561506806002523, 10.16969328379501162732}}},
};

// Gamma from the differentiation matrix of the polynomial through all nodes
static void fill_gamma(trmi_radau_tableau *t)
{
    double w[TRMI_MAX_STAGES + 1];
    for (int j = 0; j <= t->s; j++) {
        double product = 1;
        for (int k = 0; k <= t->s; k++)
            product *= k == j ? 1 : t->node[j] - t->node[k];
        w[j] = 1 / product;
    }
    for (int i = 1; i <= t->s; i++)
        for (int j = 1; j <= t->s; j++) {
            double sum = 0;
            for (int k = 0; k <= t->s && j == i; k++)
                sum += k == i ? 0 : 1 / (t->node[i] - t->node[k]);
            t->gamma[i - 1][j - 1] = j == i ? sum : w[j] / w[i] / (t->node[i] - t->node[j]);
        }
}

// derivative[j] = N^(j)(x), j = 0 .. s, by multiplying the factors x - c_k one after the other
static void derive_node_polynomial(const trmi_radau_tableau *t, double x, double *derivative)
{
    memset(derivative, 0, (size_t)(t->s + 1) * sizeof *derivative);
    derivative[0] = 1;
    for (int k = 1; k <= t->s; k++)
        for (int j = k; j >= 0; j--) // (N (x - c))^(j) = N^(j) (x - c) + j N^(j-1)
            derivative[j] = derivative[j] * (x - t->node[k]) + (j > 0 ? j * derivative[j - 1] : 0);
}

// t_i(y) / t_s(y)
static void find_eigenvector(const trmi_radau_tableau *t, double complex y, double complex *vector)
{
    for (int i = 0; i < t->s; i++) {
        double derivative[TRMI_MAX_STAGES + 1];
        derive_node_polynomial(t, t->node[i + 1], derivative);
        vector[i] = 0;
        for (int j = t->s; j >= 0; j--) // Horner in 1/y
            vector[i] = vector[i] / y + derivative[j];
    }
    for (int i = 0; i < t->s; i++)
        vector[i] /= vector[t->s - 1];
}

static void fill_transformation(trmi_radau_tableau *t)
{
    double complex vector[TRMI_MAX_STAGES];
    find_eigenvector(t, t->real_shift, vector);
    for (int i = 0; i < t->s; i++)
        t->to_stages[i][0] = creal(vector[i]);
    for (int k = 0; k < (t->s - 1) / 2; k++) {
        find_eigenvector(t, t->shift[k], vector);
        for (int i = 0; i < t->s; i++) {
            t->to_stages[i][1 + 2 * k] = creal(vector[i]);
            t->to_stages[i][2 + 2 * k] = cimag(vector[i]);
        }
    }
}

// out = in^-1 by Gauss and Jordan with pivots from the column
static void invert(int s, double in[TRMI_MAX_STAGES][TRMI_MAX_STAGES],
                   double out[TRMI_MAX_STAGES][TRMI_MAX_STAGES])
{
    double a[TRMI_MAX_STAGES][2 * TRMI_MAX_STAGES] = {{0}};
    for (int i = 0; i < s; i++) {
        memcpy(a[i], in[i], (size_t)s * sizeof(double));
        a[i][s + i] = 1;
    }
    for (int k = 0; k < s; k++) {
        int pivot = k;
        for (int i = k + 1; i < s; i++)
            pivot = fabs(a[i][k]) > fabs(a[pivot][k]) ? i : pivot;
        for (int j = 0; j < 2 * s; j++) {
            double other = a[k][j];
            a[k][j] = a[pivot][j];
            a[pivot][j] = other;
        }
        for (int i = 0; i < s; i++) {
            double factor = i == k ? 0 : a[i][k] / a[k][k];
            for (int j = k; j < 2 * s; j++)
                a[i][j] -= factor * a[k][j];
        }
    }
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++)
            out[i][j] = a[i][s + j] / a[i][i];
}

// defect_j = -sum_i l_i(0) Gamma_ij with the Lagrange polynomials l_i on c_1 .. c_s: minus the
// derivative at 0 of the polynomial through the stages' slopes
static void fill_defect(trmi_radau_tableau *t)
{
    for (int i = 1; i <= t->s; i++) {
        double l = 1;
        for (int k = 1; k <= t->s; k++)
            l *= k == i ? 1 : -t->node[k] / (t->node[i] - t->node[k]);
        for (int j = 0; j < t->s; j++)
            t->defect[j] -= l * t->gamma[i - 1][j];
    }
}

bool trmi_radau_tableau_fill(trmi_radau_tableau *t, int s)
{
    const struct family *family = NULL;
    for (size_t k = 0; k < sizeof families / sizeof *families; k++)
        if (families[k].s == s)
            family = &families[k];
    if (!family)
        return false;
    *t = (trmi_radau_tableau){.s = s, .real_shift = family->g};
    memcpy(t->node + 1, family->c, (size_t)s * sizeof *t->node);
    for (int k = 0; k < (s - 1) / 2; k++)
        t->shift[k] = family->pair[k][0] + family->pair[k][1] * I;
    fill_gamma(t);
    fill_transformation(t);
    invert(s, t->to_stages, t->from_stages);
    invert(s, t->gamma, t->integral);
    fill_defect(t);
    return true;
}

void trmi_radau_weights(const trmi_radau_tableau *t, double x, double *weight)
{
    for (int j = 0; j <= t->s; j++) {
        weight[j] = 1;
        for (int k = 0; k <= t->s; k++)
            weight[j] *= k == j ? 1 : (x - t->node[k]) / (t->node[j] - t->node[k]);
    }
}

// Inlined with a constant count: one pass over all vectors.
static inline void combine(int count, const double *weight, double *const *in, int n,
                           double *restrict out)
{
    for (int k = 0; k < n; k++) {
        double sum = weight[0] * in[0][k] + weight[1] * in[1][k];
        for (int j = 2; j + 1 < count; j += 2)
            sum += weight[j] * in[j][k] + weight[j + 1] * in[j + 1][k];
        out[k] = count % 2 == 0 ? sum : sum + weight[count - 1] * in[count - 1][k];
    }
}

void trmi_combine(int count, const double *weight, double *const *in, int n, double *restrict out)
{
    switch (count) { // stages, or stages and the beginning of the step
    case 3:
        combine(3, weight, in, n, out);
        break;
    case 4:
        combine(4, weight, in, n, out);
        break;
    case 5:
        combine(5, weight, in, n, out);
        break;
    case 6:
        combine(6, weight, in, n, out);
        break;
    case 7:
        combine(7, weight, in, n, out);
        break;
    case 8:
        combine(8, weight, in, n, out);
        break;
    default:
        combine(count, weight, in, n, out);
    }
}

void trmi_combine_all(int s, const double m[][TRMI_MAX_STAGES], double factor, double *const *in,
                      double *origin, int n, double *const *out)
{
    enum { PIECE = 256 }; // all pieces together stay in the cache next to the processor
    double weight[TRMI_MAX_STAGES][TRMI_MAX_STAGES + 1], *from[TRMI_MAX_STAGES + 1];
    int vectors = origin ? s + 1 : s;
    for (int i = 0; i < s; i++) {
        weight[i][s] = 0;
        for (int j = 0; j < s; j++) {
            weight[i][j] = factor * m[i][j];
            weight[i][s] -= weight[i][j];
        }
    }
    for (int first = 0; first < n; first += PIECE) {
        int count = n - first < PIECE ? n - first : PIECE;
        for (int j = 0; j < vectors; j++)
            from[j] = (j < s ? in[j] : origin) + first;
        for (int i = 0; i < s; i++)
            trmi_combine(vectors, weight[i], from, count, out[i] + first);
    }
}
