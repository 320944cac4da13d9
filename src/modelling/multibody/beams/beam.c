// SPDX-License-Identifier: Apache-2.0
// The constants of a beam, assembled from its elements.
#include "modelling/multibody/beams/beam.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DOFS = 4 }; // of an element: w, w' left, w, w' right

// One element: length l, left end at x.
typedef struct element {
    double mass[DOFS][DOFS], stiffness[DOFS][DOFS], stiffening[DOFS][DOFS];
    double c[DOFS], d[DOFS];
} element;

// N and N' at s in 0 .. 1 of an element
static void evaluate_shapes(double l, double s, double *shape, double *slope)
{
    const double s2 = s * s, s3 = s2 * s;
    const double n[DOFS] = {1 - 3 * s2 + 2 * s3, l * (s - 2 * s2 + s3), 3 * s2 - 2 * s3,
                            l * (s3 - s2)};
    const double dn[DOFS] = {6 * (s2 - s) / l, 1 - 4 * s + 3 * s2, 6 * (s - s2) / l,
                             3 * s2 - 2 * s};
    memcpy(shape, n, sizeof n);
    memcpy(slope, dn, sizeof dn);
}

// int rA (L^2 - x^2)/2 N' N'^T: of degree 6, four points are exact
static void fill_stiffening(element *e, double l, double x, double line_mass, double length)
{
    static const double place[] = {0.33998104358485626, 0.86113631159405258};
    static const double weight[] = {0.65214515486254614, 0.34785484513745386};
    for (int point = 0; point < 4; point++) {
        double shape[DOFS], slope[DOFS];
        double s = 0.5 * (1 + (point % 2 ? -1 : 1) * place[point / 2]), at = x + s * l;
        double force = 0.5 * line_mass * (length - at) * (length + at);
        evaluate_shapes(l, s, shape, slope);
        for (int i = 0; i < DOFS; i++)
            for (int j = 0; j < DOFS; j++)
                e->stiffening[i][j] += 0.5 * l * weight[point / 2] * force * slope[i] * slope[j];
    }
}

static element make_element(const trmi_beam_data *data, double l, double x)
{
    const double m = data->line_mass * l / 420, k = data->stiffness / (l * l * l);
    const double first = data->line_mass * l;
    element e = {
        .mass = {{156 * m, 22 * l * m, 54 * m, -13 * l * m},
                 {22 * l * m, 4 * l * l * m, 13 * l * m, -3 * l * l * m},
                 {54 * m, 13 * l * m, 156 * m, -22 * l * m},
                 {-13 * l * m, -3 * l * l * m, -22 * l * m, 4 * l * l * m}},
        .stiffness = {{12 * k, 6 * l * k, -12 * k, 6 * l * k},
                      {6 * l * k, 4 * l * l * k, -6 * l * k, 2 * l * l * k},
                      {-12 * k, -6 * l * k, 12 * k, -6 * l * k},
                      {6 * l * k, 2 * l * l * k, -6 * l * k, 4 * l * l * k}},
        .c = {first / 2, first * l / 12, first / 2, -first * l / 12},
        .d = {first * l * 3 / 20, first * l * l / 30, first * l * 7 / 20, -first * l * l / 20}};
    for (int i = 0; i < DOFS; i++)
        e.d[i] += x * e.c[i];
    if (data->stiffening)
        fill_stiffening(&e, l, x, data->line_mass, data->length);
    return e;
}

// numbers the coordinates; the fixed ones belong to the frame
static void number_coordinates(trmi_beam *b)
{
    int last = b->data.elements, dofs = 2 * (last + 1);
    for (int i = 0; i < dofs; i++) {
        bool tangent = b->data.frame == TRMI_BEAM_TANGENT;
        bool fixed = i == 0 || (tangent ? i == 1 : i == 2 * last);
        b->coordinate[i] = fixed ? -1 : b->n++;
    }
}

// The entry of dofs (i, j) of neighbouring nodes: dof i has entries for the 6 dofs of the nodes
// before, at and behind its own.
static int slot_of(int i, int j)
{
    return 6 * i + (j - 2 * (i / 2 - 1));
}

// the pattern of all matrices, in order of rows; where[slot] is the entry, -1: none
static void find_pattern(trmi_beam *b, int *where)
{
    int dofs = 2 * (b->data.elements + 1);
    for (int slot = 0; slot < 6 * dofs; slot++) {
        int i = slot / 6, j = slot % 6 + 2 * (i / 2 - 1);
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
        int dof = 2 * index + i, at = b->coordinate[dof];
        if (at < 0)
            continue;
        b->c[at] += e->c[i];
        b->d[at] += e->d[i];
        for (int j = 0; j < DOFS; j++) {
            int entry = where[slot_of(dof, 2 * index + j)];
            if (entry < 0)
                continue;
            b->mass_u[entry] += e->mass[i][j];
            b->stiffness_u[entry] += e->stiffness[i][j];
            if (b->stiffening_u)
                b->stiffening_u[entry] += e->stiffening[i][j];
        }
    }
}

// ---- mean rotation ----

// the node next to the end of interval i
static int chosen_node(const trmi_beam *b, int i)
{
    return (int)(((long)i * b->data.elements + TRMI_BEAM_COUPLED / 2) / TRMI_BEAM_COUPLED);
}

// t from the deflections of a few nodes: weights g_i (x_i - x)/sum g_j (x_j - x)^2 of velocities
// across the beam give 1 for a rotation about any point
static void take_nodes(trmi_beam *b)
{
    enum { P = TRMI_BEAM_COUPLED };
    const double l = b->data.length / b->data.elements;
    double x[P + 1], g[P + 1], sum = 0, first = 0, second = 0;
    for (int i = 0; i <= P; i++)
        x[i] = l * chosen_node(b, i);
    for (int i = 0; i <= P; i++) {
        g[i] = 0.5 * (x[i < P ? i + 1 : P] - x[i > 0 ? i - 1 : 0]);
        sum += g[i];
        first += g[i] * x[i];
    }
    for (int i = 0; i <= P; i++)
        second += g[i] * (x[i] - first / sum) * (x[i] - first / sum);
    for (int i = 0; i <= P; i++) {
        int at = b->coordinate[2 * chosen_node(b, i)];
        if (at >= 0)
            b->t[at] = g[i] * (x[i] - first / sum) / second;
    }
}

static void find_rotation(trmi_beam *b)
{
    const double l = b->data.length, Jc = b->data.line_mass * l * l * l / 12;
    if (!b->data.stiffening)
        return;
    if (b->data.elements > TRMI_BEAM_COUPLED)
        take_nodes(b);
    else
        for (int i = 0; i < b->n; i++)
            b->t[i] = (b->d[i] - 0.5 * l * b->c[i]) / Jc;
}

// numbers of rows of t that are not zero, at most
static int max_coupled(const trmi_beam_data *data)
{
    if (!data->stiffening)
        return 0;
    return data->elements > TRMI_BEAM_COUPLED ? TRMI_BEAM_COUPLED + 1 : 2 * data->elements;
}

// whether rotation gives coordinate i a full row and column
static bool is_coupled(const trmi_beam *b, int i)
{
    return b->stiffening_u && (b->data.elements <= TRMI_BEAM_COUPLED || b->t[i] != 0);
}

// rows and columns outside of the band: nodes that are not neighbours
static void find_border(trmi_beam *b)
{
    const int dofs = 2 * (b->data.elements + 1);
    b->entries = b->count;
    for (int i = 0; i < dofs; i++) {
        const int row = b->coordinate[i];
        for (int j = 0; row >= 0 && is_coupled(b, row) && j < dofs; j++) {
            const int column = b->coordinate[j];
            if (column < 0 || abs(i / 2 - j / 2) <= 1)
                continue;
            b->row[b->entries] = row;
            b->column[b->entries++] = column;
            if (is_coupled(b, column))
                continue; // its own row has it
            b->row[b->entries] = column;
            b->column[b->entries++] = row;
        }
    }
}

bool trmi_beam_create(trmi_beam *b, trmi_memory *memory, const trmi_beam_data *data)
{
    const int k = data->elements, dofs = 2 * (k + 1), slots = 6 * dofs;
    const int most = slots + 2 * dofs * max_coupled(data);
    const double length = data->length, l = length / k;
    int *where;
    *b = (trmi_beam){.data = *data};
    if (!TRMI_TAKE(memory, b->coordinate, dofs) || !TRMI_TAKE(memory, b->c, dofs) ||
        !TRMI_TAKE(memory, b->d, dofs) || !TRMI_TAKE(memory, b->t, dofs) ||
        !TRMI_TAKE(memory, b->row, most) || !TRMI_TAKE(memory, b->column, most) ||
        !TRMI_TAKE(memory, b->mass_u, slots) || !TRMI_TAKE(memory, b->stiffness_u, slots) ||
        !TRMI_TAKE(memory, where, slots) ||
        (data->stiffening && !TRMI_TAKE(memory, b->stiffening_u, slots)))
        return false;
    b->mass = data->mass > 0 ? data->mass : data->line_mass * length;
    b->moment = 0.5 * b->mass * length;
    b->inertia = data->inertia > 0 ? data->inertia : b->mass * length * length / 3;
    number_coordinates(b);
    find_pattern(b, where);
    for (int i = 0; i < k; i++) {
        const element e = make_element(data, l, i * l);
        add_element(b, where, i, &e);
    }
    find_rotation(b);
    find_border(b);
    return true;
}

void trmi_beam_multiply(const trmi_beam *b, const double *a, double factor, const double *x,
                        double *restrict y)
{
    for (int k = 0; k < b->count; k++)
        y[b->row[k]] += factor * a[k] * x[b->column[k]];
}

void trmi_beam_bend(const trmi_beam *b, const double *u, double *restrict y)
{
    const double l = b->data.length / b->data.elements, k = 2 * b->data.stiffness / l;
    for (int i = 0; i < b->data.elements; i++) {
        const int *at = b->coordinate + 2 * i;
        double dof[DOFS];
        for (int j = 0; j < DOFS; j++)
            dof[j] = at[j] >= 0 ? u[at[j]] : 0;
        const double chord = (dof[2] - dof[0]) / l, left = dof[1] - chord, right = dof[3] - chord;
        const double moment[] = {k * (2 * left + right), k * (left + 2 * right)};
        const double shear = (moment[0] + moment[1]) / l;
        const double force[DOFS] = {shear, moment[0], -shear, moment[1]};
        for (int j = 0; j < DOFS; j++)
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
    for (int i = 0; i < DOFS; i++)
        m.coordinate[i] = b->coordinate[2 * index + i];
    return m;
}

// sum over the coordinates that are free
static double weigh(const trmi_beam_marker *m, const double *weight, const double *u)
{
    double sum = 0;
    for (int i = 0; i < DOFS; i++)
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
