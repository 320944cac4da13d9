// SPDX-License-Identifier: Apache-2.0
// The constants of a beam, assembled from its elements.
#include "modelling/multibody/beams/beam.h"

#include <math.h>
#include <string.h>

enum { BENT = 4 }; // w, w' left, w, w' right of an element

// One element: length l, left end at x. For displacements along and across the beam alike.
typedef struct element {
    double mass[BENT][BENT], stiffness[BENT][BENT], c[BENT], d[BENT];
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
    for (int i = 0; i < BENT; i++)
        e.d[i] += x * e.c[i];
    return e;
}

// ---- coordinates and points ----

// numbers the coordinates; the fixed ones belong to the frame
static void number_coordinates(trmi_beam *b)
{
    int last = b->data.elements;
    bool tangent = b->data.frame == TRMI_BEAM_TANGENT;
    for (int node = 0; node <= last; node++) {
        const bool fixed[TRMI_BEAM_DOFS] = {[TRMI_BEAM_SHIFT] = node == 0 || !b->data.shortens,
                                            [TRMI_BEAM_DEFLECTION] =
                                                node == 0 || (!tangent && node == last),
                                            [TRMI_BEAM_SLOPE] = node == 0 && tangent};
        for (int i = 0; i < TRMI_BEAM_DOFS; i++)
            b->coordinate[TRMI_BEAM_DOFS * node + i] = fixed[i] ? -1 : b->n++;
    }
}

enum { PARTS = 4 }; // of a node: displacement and tangent along, across

// which part of a point is displacement or tangent, along or across the beam
static const int part_of[PARTS] = {TRMI_BEAM_SHIFT, TRMI_BEAM_COSINE, TRMI_BEAM_DEFLECTION,
                                   TRMI_BEAM_SLOPE};

// the coordinate of a node that a part depends on
static int dof_of(int part)
{
    return part == TRMI_BEAM_COSINE ? TRMI_BEAM_SLOPE : part;
}

// numbers the points; point[PARTS node + ..], -1: it stays where it is
static void number_points(trmi_beam *b, int *point)
{
    for (int i = 0; i < PARTS * (b->data.elements + 1); i++) {
        int part = part_of[i % PARTS];
        int at = b->coordinate[TRMI_BEAM_DOFS * (i / PARTS) + dof_of(part)];
        bool moves = at >= 0 && (b->data.shortens || part != TRMI_BEAM_COSINE);
        point[i] = moves ? b->points : -1;
        if (moves) {
            b->of[b->points] = at;
            b->part[b->points++] = part;
        }
    }
}

// ---- patterns ----

// Entries of neighbouring nodes: number i of one has slots for those of the nodes before, at and
// after it, `parts` each.
static int slot_of(int parts, int i, int j)
{
    return 3 * parts * i + j - parts * (i / parts - 1);
}

// lists the pairs of neighbours among numbers (-1: fixed) in order of rows; where[slot] is the
// entry, -1: none
static int list_entries(int nodes, int parts, const int *number, int *row, int *column, int *where)
{
    int count = 0;
    for (int i = 0; i < parts * nodes; i++)
        for (int k = 0; k < 3 * parts; k++) {
            int j = parts * (i / parts - 1) + k;
            bool used = j >= 0 && j < parts * nodes && number[i] >= 0 && number[j] >= 0;
            where[3 * parts * i + k] = used ? count : -1;
            if (used) {
                row[count] = number[i];
                column[count++] = number[j];
            }
        }
    return count;
}

// the entry of u that each of U adds to
static void match_entries(trmi_beam *b, const int *of_points, const int *of_coordinates)
{
    for (int i = 0; i < PARTS * (b->data.elements + 1); i++)
        for (int k = 0; k < 3 * PARTS; k++) {
            int entry = of_points[3 * PARTS * i + k], j = PARTS * (i / PARTS - 1) + k;
            if (entry < 0)
                continue;
            int row = TRMI_BEAM_DOFS * (i / PARTS) + dof_of(part_of[i % PARTS]);
            int column = TRMI_BEAM_DOFS * (j / PARTS) + dof_of(part_of[j % PARTS]);
            b->entry[entry] = of_coordinates[slot_of(TRMI_BEAM_DOFS, row, column)];
        }
}

// ---- assembly ----

// What is used while the beam is created.
typedef struct plan {
    int *point;                      // PARTS of every node
    int *of_points, *of_coordinates; // entries by slot
} plan;

// of the element: displacement and tangent of either end, along (0) or across (1)
static int part_at(int index, int i, int axis)
{
    return PARTS * (index + i / 2) + 2 * axis + i % 2;
}

static void add_inertia(trmi_beam *b, const plan *p, int index, const element *e)
{
    for (int i = 0; i < BENT; i++)
        for (int axis = 0; axis < 2; axis++) {
            int row = part_at(index, i, axis), at = p->point[row];
            if (at < 0)
                continue;
            b->c[axis][at] += e->c[i];
            b->d[axis][at] += e->d[i];
            for (int j = 0; j < BENT; j++) {
                int same = p->of_points[slot_of(PARTS, row, part_at(index, j, axis))];
                int other = p->of_points[slot_of(PARTS, row, part_at(index, j, 1 - axis))];
                if (same >= 0)
                    b->mass_U[same] += e->mass[i][j];
                if (other >= 0 && b->turning_U)
                    b->turning_U[other] += (axis ? -1 : 1) * e->mass[i][j];
            }
        }
}

static void add_stiffness(trmi_beam *b, const plan *p, int index, const element *e)
{
    for (int i = 0; i < BENT; i++)
        for (int j = 0; j < BENT; j++) {
            int row = TRMI_BEAM_DOFS * (index + i / 2) + TRMI_BEAM_DEFLECTION + i % 2;
            int column = TRMI_BEAM_DOFS * (index + j / 2) + TRMI_BEAM_DEFLECTION + j % 2;
            int entry = p->of_coordinates[slot_of(TRMI_BEAM_DOFS, row, column)];
            if (entry >= 0)
                b->stiffness_u[entry] += e->stiffness[i][j];
        }
}

static bool take_arrays(trmi_beam *b, trmi_memory *memory, plan *p)
{
    const int nodes = b->data.elements + 1, dofs = TRMI_BEAM_DOFS * nodes, parts = PARTS * nodes;
    const int of_u = 3 * TRMI_BEAM_DOFS * dofs, of_U = 3 * PARTS * parts;
    for (int axis = 0; axis < 2; axis++)
        if (!TRMI_TAKE(memory, b->c[axis], parts) || !TRMI_TAKE(memory, b->d[axis], parts))
            return false;
    return TRMI_TAKE(memory, b->coordinate, dofs) && TRMI_TAKE(memory, b->of, parts) &&
           TRMI_TAKE(memory, b->part, parts) && TRMI_TAKE(memory, p->point, parts) &&
           TRMI_TAKE(memory, b->row, of_U) && TRMI_TAKE(memory, b->column, of_U) &&
           TRMI_TAKE(memory, b->entry, of_U) && TRMI_TAKE(memory, b->mass_U, of_U) &&
           (!b->data.shortens || TRMI_TAKE(memory, b->turning_U, of_U)) &&
           TRMI_TAKE(memory, b->u_row, of_u) && TRMI_TAKE(memory, b->u_column, of_u) &&
           TRMI_TAKE(memory, b->stiffness_u, of_u) && TRMI_TAKE(memory, p->of_points, of_U) &&
           TRMI_TAKE(memory, p->of_coordinates, of_u);
}

bool trmi_beam_create(trmi_beam *b, trmi_memory *memory, const trmi_beam_data *data)
{
    const int k = data->elements;
    const double length = data->length, l = length / k;
    plan p;
    *b = (trmi_beam){.data = *data};
    if (!take_arrays(b, memory, &p))
        return false;
    b->mass = data->mass > 0 ? data->mass : data->line_mass * length;
    b->moment = 0.5 * b->mass * length;
    b->inertia = data->inertia > 0 ? data->inertia : b->mass * length * length / 3;
    number_coordinates(b);
    number_points(b, p.point);
    b->count = list_entries(k + 1, PARTS, p.point, b->row, b->column, p.of_points);
    b->entries =
        list_entries(k + 1, TRMI_BEAM_DOFS, b->coordinate, b->u_row, b->u_column, p.of_coordinates);
    match_entries(b, p.of_points, p.of_coordinates);
    for (int i = 0; i < k; i++) {
        const element e = make_element(data, l, i * l);
        add_inertia(b, &p, i, &e);
        add_stiffness(b, &p, i, &e);
    }
    return true;
}

// ---- products ----

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
        at[j] = b->coordinate[TRMI_BEAM_DOFS * (index + j / 2) + TRMI_BEAM_DEFLECTION + j % 2];
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

double trmi_beam_bending(const trmi_beam *b, const double *u)
{
    double sum = 0;
    for (int k = 0; k < b->entries; k++)
        sum += u[b->u_row[k]] * b->stiffness_u[k] * u[b->u_column[k]];
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
