// SPDX-License-Identifier: Apache-2.0
// The constants of a beam, assembled from its elements.
#include "modelling/multibody/beams/beam.h"

#include <math.h>
#include <string.h>

enum { ENDS = 2, DOFS = ENDS * TRMI_BEAM_DOFS, BENT = 4 }; // of an element; of them w and w'

// the place of a deflection or slope (w, w' left, w, w' right) among the dofs of an element
static const int bent[BENT] = {TRMI_BEAM_DEFLECTION, TRMI_BEAM_SLOPE,
                               TRMI_BEAM_DOFS + TRMI_BEAM_DEFLECTION,
                               TRMI_BEAM_DOFS + TRMI_BEAM_SLOPE};

// One element: length l, left end at x.
typedef struct element {
    double mass[DOFS][DOFS], stiffness[DOFS][DOFS], turning[DOFS][DOFS];
    double bubble[2][DOFS][DOFS];
    double c[2][DOFS], d[2][DOFS];
} element;

// N and N' at s in 0 .. 1 of an element
static void evaluate_shapes(double l, double s, double *shape, double *slope)
{
    const double s2 = s * s, s3 = s2 * s;
    const double n[BENT] = {1 - 3 * s2 + 2 * s3, l * (s - 2 * s2 + s3), 3 * s2 - 2 * s3,
                            l * (s3 - s2)};
    const double dn[BENT] = {6 * (s2 - s) / l, 1 - 4 * s + 3 * s2, 6 * (s - s2) / l,
                             3 * s2 - 2 * s};
    memcpy(shape, n, sizeof n);
    memcpy(slope, dn, sizeof dn);
}

// what deflections and slopes have
static void enter_bending(const trmi_beam_data *data, double l, double x, element *e)
{
    const double m = data->line_mass * l / 420, k = data->stiffness / (l * l * l);
    const double first = data->line_mass * l;
    const double mass[BENT][BENT] = {{156 * m, 22 * l * m, 54 * m, -13 * l * m},
                                     {22 * l * m, 4 * l * l * m, 13 * l * m, -3 * l * l * m},
                                     {54 * m, 13 * l * m, 156 * m, -22 * l * m},
                                     {-13 * l * m, -3 * l * l * m, -22 * l * m, 4 * l * l * m}};
    const double stiffness[BENT][BENT] = {{12 * k, 6 * l * k, -12 * k, 6 * l * k},
                                          {6 * l * k, 4 * l * l * k, -6 * l * k, 2 * l * l * k},
                                          {-12 * k, -6 * l * k, 12 * k, -6 * l * k},
                                          {6 * l * k, 2 * l * l * k, -6 * l * k, 4 * l * l * k}};
    const double c[BENT] = {first / 2, first * l / 12, first / 2, -first * l / 12};
    const double d[BENT] = {first * l * 3 / 20, first * l * l / 30, first * l * 7 / 20,
                            -first * l * l / 20};
    for (int i = 0; i < BENT; i++) {
        e->c[1][bent[i]] = c[i];
        e->d[1][bent[i]] = d[i] + x * c[i];
        for (int j = 0; j < BENT; j++) {
            e->mass[bent[i]][bent[j]] = mass[i][j];
            e->stiffness[bent[i]][bent[j]] = stiffness[i][j];
        }
    }
}

// what shifts have, and where both meet: int rA (1 - s) N, int rA s N
static void enter_shifts(const trmi_beam_data *data, double l, double x, element *e)
{
    const double m = data->line_mass * l;
    const double meet[ENDS][BENT] = {{7. / 20, l / 20, 3. / 20, -l / 30},
                                     {3. / 20, l / 30, 7. / 20, -l / 20}};
    for (int i = 0; i < ENDS; i++) {
        int at = TRMI_BEAM_DOFS * i + TRMI_BEAM_SHIFT;
        e->c[0][at] = m / 2;
        e->d[0][at] = m * (x / 2 + l * (1 + i) / 6);
        for (int j = 0; j < ENDS; j++)
            e->mass[at][TRMI_BEAM_DOFS * j + TRMI_BEAM_SHIFT] = m * (i == j ? 2 : 1) / 6;
        for (int j = 0; j < BENT; j++) {
            e->turning[at][bent[j]] = m * meet[i][j];
            e->turning[bent[j]][at] = -m * meet[i][j];
        }
    }
}

// Q0 = int rA (l/2 - x) N' N'^T and Q1 = int rA (l^2/6 - x^2/2) N' N'^T, plus what Q0 has about the
// left end of the beam: of degree 6, four points are exact
static void enter_bubble(const trmi_beam_data *data, double l, double x, element *e)
{
    static const double place[] = {0.33998104358485626, 0.86113631159405258};
    static const double weight[] = {0.65214515486254614, 0.34785484513745386};
    for (int point = 0; point < 4; point++) {
        double shape[BENT], slope[BENT], s = 0.5 * (1 + (point % 2 ? -1 : 1) * place[point / 2]);
        double mass = 0.5 * l * weight[point / 2] * data->line_mass;
        double first = mass * l * (0.5 - s), second = mass * l * l * (1. / 6 - 0.5 * s * s);
        evaluate_shapes(l, s, shape, slope);
        for (int i = 0; i < BENT; i++)
            for (int j = 0; j < BENT; j++) {
                e->bubble[0][bent[i]][bent[j]] += first * slope[i] * slope[j];
                e->bubble[1][bent[i]][bent[j]] += (x * first + second) * slope[i] * slope[j];
            }
    }
}

// numbers the coordinates; the fixed ones belong to the frame
static void number_coordinates(trmi_beam *b)
{
    int last = b->data.elements;
    bool tangent = b->data.frame == TRMI_BEAM_TANGENT;
    for (int node = 0; node <= last; node++) {
        const bool fixed[TRMI_BEAM_DOFS] = {
            [TRMI_BEAM_SHIFT] = node == 0 || !b->data.shortens,
            [TRMI_BEAM_DEFLECTION] = node == 0 || (!tangent && node == last),
            [TRMI_BEAM_SLOPE] = node == 0 && tangent};
        for (int i = 0; i < TRMI_BEAM_DOFS; i++)
            b->coordinate[TRMI_BEAM_DOFS * node + i] = fixed[i] ? -1 : b->n++;
    }
}

// Dof i has slots for those of the nodes before, at and behind its own.
enum { NEAR = 3 * TRMI_BEAM_DOFS };

static int first_near(int i)
{
    return TRMI_BEAM_DOFS * (i / TRMI_BEAM_DOFS - 1);
}

// the pattern of all matrices, in order of rows; where[slot] is the entry, -1: none
static void find_pattern(trmi_beam *b, int *where)
{
    int dofs = TRMI_BEAM_DOFS * (b->data.elements + 1);
    for (int slot = 0; slot < NEAR * dofs; slot++) {
        int i = slot / NEAR, j = slot % NEAR + first_near(i);
        bool used = j >= 0 && j < dofs && b->coordinate[i] >= 0 && b->coordinate[j] >= 0;
        where[slot] = used ? b->count : -1;
        if (used) {
            b->row[b->count] = b->coordinate[i];
            b->column[b->count++] = b->coordinate[j];
        }
    }
}

static void add_element(trmi_beam *b, const int *where, int index, const element *e)
{
    for (int i = 0; i < DOFS; i++) {
        int dof = TRMI_BEAM_DOFS * index + i, at = b->coordinate[dof];
        if (at < 0)
            continue;
        for (int axis = 0; axis < 2; axis++) {
            b->c[axis][at] += e->c[axis][i];
            b->d[axis][at] += e->d[axis][i];
        }
        for (int j = 0; j < DOFS; j++) {
            int entry = where[NEAR * dof + TRMI_BEAM_DOFS * index + j - first_near(dof)];
            if (entry < 0)
                continue;
            b->mass_u[entry] += e->mass[i][j];
            b->stiffness_u[entry] += e->stiffness[i][j];
            if (!b->turning_u)
                continue;
            b->turning_u[entry] += e->turning[i][j];
            b->bubble_u[0][entry] += e->bubble[0][i][j];
            b->bubble_u[1][entry] += e->bubble[1][i][j];
        }
    }
}

bool trmi_beam_create(trmi_beam *b, trmi_memory *memory, const trmi_beam_data *data)
{
    const int k = data->elements, dofs = TRMI_BEAM_DOFS * (k + 1), slots = NEAR * dofs;
    const double length = data->length, l = length / k;
    int *where;
    *b = (trmi_beam){.data = *data};
    for (int axis = 0; axis < 2; axis++)
        if (!TRMI_TAKE(memory, b->c[axis], dofs) || !TRMI_TAKE(memory, b->d[axis], dofs))
            return false;
    if (!TRMI_TAKE(memory, b->coordinate, dofs) || !TRMI_TAKE(memory, b->row, slots) ||
        !TRMI_TAKE(memory, b->column, slots) || !TRMI_TAKE(memory, b->mass_u, slots) ||
        !TRMI_TAKE(memory, b->stiffness_u, slots) || !TRMI_TAKE(memory, where, slots) ||
        (data->shortens && (!TRMI_TAKE(memory, b->turning_u, slots) ||
                            !TRMI_TAKE(memory, b->bubble_u[0], slots) ||
                            !TRMI_TAKE(memory, b->bubble_u[1], slots))))
        return false;
    b->mass = data->mass > 0 ? data->mass : data->line_mass * length;
    b->moment = 0.5 * b->mass * length;
    b->inertia = data->inertia > 0 ? data->inertia : b->mass * length * length / 3;
    number_coordinates(b);
    find_pattern(b, where);
    for (int i = 0; i < k; i++) {
        element e = {0};
        enter_bending(data, l, i * l, &e);
        enter_shifts(data, l, i * l, &e);
        enter_bubble(data, l, i * l, &e);
        add_element(b, where, i, &e);
    }
    return true;
}

void trmi_beam_multiply(const trmi_beam *b, const double *a, double factor, const double *x,
                        double *restrict y)
{
    for (int k = 0; k < b->count; k++)
        y[b->row[k]] += factor * a[k] * x[b->column[k]];
}

// where the deflections and slopes of an element are among the elastic coordinates
static void find_bent(const trmi_beam *b, int index, int at[BENT])
{
    for (int j = 0; j < BENT; j++)
        at[j] = b->coordinate[TRMI_BEAM_DOFS * index + bent[j]];
}

void trmi_beam_bend(const trmi_beam *b, double factor, const double *u, double *restrict y)
{
    const double l = b->data.length / b->data.elements, k = 2 * factor * b->data.stiffness / l;
    for (int i = 0; i < b->data.elements; i++) {
        int at[BENT];
        double dof[BENT];
        find_bent(b, i, at);
        for (int j = 0; j < BENT; j++)
            dof[j] = at[j] >= 0 ? u[at[j]] : 0;
        const double chord = (dof[2] - dof[0]) / l, left = dof[1] - chord, right = dof[3] - chord;
        const double moment[] = {k * (2 * left + right), k * (left + 2 * right)};
        const double shear = (moment[0] + moment[1]) / l;
        const double force[BENT] = {shear, moment[0], -shear, moment[1]};
        for (int j = 0; j < BENT; j++)
            if (at[j] >= 0)
                y[at[j]] += force[j];
    }
}

double trmi_beam_product(const trmi_beam *b, const double *a, const double *x, const double *y)
{
    double sum = 0;
    for (int k = 0; k < b->count; k++)
        sum += x[b->row[k]] * a[k] * y[b->column[k]];
    return sum;
}

trmi_beam_marker trmi_beam_mark(const trmi_beam *b, double x)
{
    const int k = b->data.elements;
    const double l = b->data.length / k;
    int index = (int)floor(x / l);
    index = index < 0 ? 0 : index > k - 1 ? k - 1 : index;
    trmi_beam_marker m = {.x = x};
    evaluate_shapes(l, x / l - index, m.shape, m.slope);
    find_bent(b, index, m.coordinate);
    return m;
}

// sum over the coordinates that are free
static double weigh(const trmi_beam_marker *m, const double *weight, const double *u)
{
    double sum = 0;
    for (int i = 0; i < BENT; i++)
        if (m->coordinate[i] >= 0)
            sum += weight[i] * u[m->coordinate[i]];
    return sum;
}

double trmi_beam_deflection(const trmi_beam_marker *m, const double *u)
{
    return weigh(m, m->shape, u);
}

double trmi_beam_slope(const trmi_beam_marker *m, const double *u)
{
    return weigh(m, m->slope, u);
}
