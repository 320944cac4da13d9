// SPDX-License-Identifier: Apache-2.0
// Laws of six rows, three displacements and three rotations: bushing, linear with cubic terms, and
// beam.
#include "modelling/multibody/forces/forces.h"

#include "modelling/multibody/frames.h"

#define ROTATION_ROWS &trmi_rotation[0], &trmi_rotation[1], &trmi_rotation[2]

// What the law needs.
typedef struct linear {
    int rows, axis[6];                 // of the bushing: the axes that matter
    const double *stiffness, *damping; // 6 x 6, row by row
    double natural[6], preload[6], cubic[6];
    const trmi_interpolant *table[3]; // of the displacements, NULL: none
} linear;

// F_i = (K x + C v + F_0)_i + c_i x_i^3 + T_i(x_i), x = p
static void law(const trmi_element *element, const trmi_law_input *in, trmi_law *out)
{
    const linear *l = element->data;
    for (int i = 0; i < l->rows; i++) {
        const int axis = l->axis[i];
        const double *K = l->stiffness + 6 * axis, *C = l->damping + 6 * axis;
        double elastic = 0, drag = 0, preload = l->preload[axis], x = in->p[i];
        for (int j = 0; j < l->rows; j++) {
            const int other = l->axis[j];
            elastic += K[other] * in->p[j];
            drag += C[other] * in->v[j];
            out->F_p[i][j] = K[other];
            out->F_v[i][j] = C[other];
        }
        double cube = l->cubic[axis] * x * x * x;
        out->F[i] = elastic + preload + drag + cube;
        out->F_p[i][i] += 3 * l->cubic[axis] * x * x;
        out->potential += x * (elastic / 2 + preload + cube / 4);
        out->dissipated += drag * in->v[i];
    }
    for (int i = 0; i < l->rows; i++) {
        const trmi_interpolant *T = l->axis[i] < 3 ? l->table[l->axis[i]] : NULL;
        double x = in->p[i];
        if (!T)
            continue;
        out->F[i] += trmi_interpolant_at(T, TRMI_INTERPOLANT_VALUE, x);
        out->F_p[i][i] += trmi_interpolant_at(T, 1, x);
        out->potential += trmi_interpolant_at(T, TRMI_INTERPOLANT_INTEGRAL, x);
    }
}

// ---- bushing ---------------------------------------------------------------------------------

typedef struct bushing {
    trmi_force force;
    double stiffness[36], damping[36], preload[6], cubic[36];
    const trmi_interpolant *table[3];
} bushing;

static const trmi_parameter stiffness = {
    "stiffness",
    TRMI_PARAMETER_MATRIX,
    offsetof(bushing, stiffness),
    .preset = "0",
    .help = "N/m: one for all axes, one for each, or a 6 x 6 matrix with the rotations",
    .unit = "N/m"};
static const trmi_parameter damping = {
    "damping",     TRMI_PARAMETER_MATRIX,     offsetof(bushing, damping),
    .preset = "0", .help = "N s/m, likewise", .unit = "N s/m"};
static const trmi_parameter rotation_stiffness = {"rotation_stiffness",
                                                  TRMI_PARAMETER_ROTATIONS,
                                                  offsetof(bushing, stiffness),
                                                  .preset = "0",
                                                  .help = "N m: one for all axes or one for each",
                                                  .unit = "N m"};
static const trmi_parameter rotation_damping = {
    "rotation_damping", TRMI_PARAMETER_ROTATIONS, offsetof(bushing, damping),
    .preset = "0",      .help = "N m s",          .unit = "N m s"};
static const trmi_parameter preload = {"preload", TRMI_PARAMETER_WRENCH, offsetof(bushing, preload),
                                       .preset = "null",
                                       .help = "forces and moments without deformation"};
static const trmi_parameter cubic = {
    "cubic", TRMI_PARAMETER_MATRIX, offsetof(bushing, cubic), .preset = "0",
    .help = "c in c x^3 beside the stiffness, N/m^3: one for all axes or one for each"};

#define TABLE(key, axis)                                                                           \
    {                                                                                              \
        key, TRMI_PARAMETER_TABLE, offsetof(bushing, table[axis]),                                 \
            .preset = "null",                                                                      \
            .help = "table of the force over the displacement along this axis, added"              \
    }
static const trmi_parameter table[3] = {TABLE("table_x", 0), TABLE("table_y", 1),
                                        TABLE("table_z", 2)};

static bool finish_bushing(trmi_finish *finish, trmi_force *force)
{
    const bushing *b = (const bushing *)force;
    for (int k = 0; k < 36; k++)
        if (k % 7 != 0 && b->cubic[k] != 0)
            return trmi_finish_error(finish, "cubic",
                                     "'cubic' has one number for each axis: a matrix has no "
                                     "meaning for it");
    return trmi_finish_at(finish, force);
}

// The axis of the frame that is the normal of the plane; TRMI_NOTHING: in space.
static int normal_axis(const trmi_force_maker *m, const trmi_force *force)
{
    const trmi_plane plane = m->mechanism->plane;
    int axis = TRMI_NOTHING;
    for (int i = 0; i < 3 && plane != TRMI_SPATIAL; i++)
        if (fabs(trmi_v3_dot(trmi_plane_normal(plane), trmi_m3_column(force->frame, i))) > 0.5)
            axis = i;
    return axis;
}

// The rows of a bushing. In plane models nothing moves along the normal, and the only rotation is
// an angle about it, whose turns count.
static void choose_rows(const trmi_force_maker *m, const trmi_force *force, bool turns, linear *l,
                        const trmi_row_type *row[7])
{
    const int normal = normal_axis(m, force);
    l->rows = 0;
    for (int i = 0; i < (turns ? 6 : 3); i++) {
        const bool plane = i < 3 ? i != normal : i == 3 + normal;
        if (normal != TRMI_NOTHING && !plane)
            continue;
        row[l->rows] = normal != TRMI_NOTHING && i >= 3 ? &trmi_turn[i - 3] : force->type->row[i];
        l->axis[l->rows++] = i;
    }
    row[l->rows] = NULL;
}

// whether forces or moments depend on rotations, or there are moments
static bool turns(const bushing *b)
{
    bool any = b->preload[3] != 0 || b->preload[4] != 0 || b->preload[5] != 0;
    for (int k = 0; k < 36; k++)
        if (k / 6 >= 3 || k % 6 >= 3)
            any = any || b->stiffness[k] != 0 || b->damping[k] != 0 || b->cubic[k] != 0;
    return any;
}

static bool make_bushing(trmi_force_maker *m, const trmi_force *force)
{
    const bushing *b = (const bushing *)force;
    trmi_element *e = trmi_force_add(m, force);
    const trmi_row_type *row[7];
    linear *l;
    if (!TRMI_TAKE(m->memory, l, 1))
        return false;
    l->stiffness = b->stiffness;
    l->damping = b->damping;
    for (int i = 0; i < 6; i++) {
        l->preload[i] = b->preload[i];
        l->cubic[i] = b->cubic[7 * i];
    }
    for (int i = 0; i < 36; i++)
        e->damped = e->damped || b->damping[i] != 0;
    for (int i = 0; i < 3; i++)
        l->table[i] = b->table[i];
    e->data = l;
    choose_rows(m, force, turns(b), l, row);
    return trmi_force_rows(m, e, force->body, force->at, force->at_second, force->frame, row);
}

const trmi_force_type trmi_force_bushing = {
    .name = "bushing",
    .help = "six axes of stiffness and damping",
    .holds = true,
    .numbers_in_law = true,
    .row = {&trmi_slide[0], &trmi_slide[1], &trmi_slide[2], ROTATION_ROWS},
    .acts = TRMI_ACTS_WITH_BOTH,
    .law = law,
    .parameter = {&trmi_force_between, &trmi_force_at, &trmi_force_frame, &stiffness, &damping,
                  &rotation_stiffness, &rotation_damping, &preload, &cubic, &table[0], &table[1],
                  &table[2]},
    .size = sizeof(bushing),
    .finish = finish_bushing,
    .make = make_bushing,
};

// ---- beam ------------------------------------------------------------------------------------

typedef struct beam {
    trmi_force force; // its frame has x along the beam
    double area, e_modulus, g_modulus, i_y, i_z, j_torsion, shear;
    double damping; // times the stiffness
    trmi_v3 y;      // direction of the y-axis of its section
} beam;

static const trmi_parameter area = {
    "area",           TRMI_PARAMETER_POSITIVE,          offsetof(beam, area),
    .required = true, .help = "its cross section, m^2", .unit = "m^2"};
static const trmi_parameter modulus = {
    "modulus",        TRMI_PARAMETER_POSITIVE,  offsetof(beam, e_modulus),
    .required = true, .help = "Young's, N/m^2", .unit = "Pa"};
static const trmi_parameter shear_modulus = {"shear_modulus",
                                             TRMI_PARAMETER_POSITIVE,
                                             offsetof(beam, g_modulus),
                                             .preset = "null",
                                             .help = "N/m^2; modulus/2.6 without it",
                                             .unit = "Pa"};
static const trmi_parameter inertia_y = {
    "inertia_y",
    TRMI_PARAMETER_POSITIVE,
    offsetof(beam, i_y),
    .preset = "null",
    .help = "second moment of area about y, m^4; inertia_z without it",
    .unit = "m^4"};
static const trmi_parameter inertia_z = {
    "inertia_z",
    TRMI_PARAMETER_POSITIVE,
    offsetof(beam, i_z),
    .required = true,
    .help = "second moment of area about z (plane: the normal), m^4",
    .unit = "m^4"};
static const trmi_parameter torsion = {"torsion",
                                       TRMI_PARAMETER_POSITIVE,
                                       offsetof(beam, j_torsion),
                                       .preset = "null",
                                       .help = "m^4; inertia_y + inertia_z without it",
                                       .unit = "m^4"};
static const trmi_parameter shear = {"shear", TRMI_PARAMETER_NOT_NEGATIVE, offsetof(beam, shear),
                                     .preset = "0",
                                     .help = "shear correction factor; 0: no shear deformation"};
static const trmi_parameter beam_damping = {"damping",
                                            TRMI_PARAMETER_NOT_NEGATIVE,
                                            offsetof(beam, damping),
                                            .preset = "0",
                                            .help = "damping = this times stiffness, s",
                                            .unit = "s"};
static const trmi_parameter y_axis = {"y", TRMI_PARAMETER_DIRECTION, offsetof(beam, y),
                                      .help = "direction of the y-axis of its section"};

// x along it; y as given, in plane models in the plane
static bool finish_beam_frame(trmi_finish *finish, beam *b, double length)
{
    trmi_v3 x = trmi_v3_scale(1 / length, trmi_v3_sub(b->force.at_second, b->force.at)), y;
    if (finish->mechanism->plane != TRMI_SPATIAL) {
        y = trmi_v3_cross(trmi_plane_normal(finish->mechanism->plane), x);
    } else if (trmi_given_vector(b->y)) {
        y = trmi_v3_axpy(b->y, -trmi_v3_dot(x, b->y), x);
        double size = trmi_v3_length(y);
        if (size < 1e-3)
            return trmi_finish_error(finish, "y", "'y' points along the beam '%.60s'",
                                     b->force.name);
        y = trmi_v3_scale(1 / size, y);
    } else {
        y = trmi_m3_column(trmi_frame_about(x), 0);
    }
    b->force.frame = trmi_frame_of(x, y, trmi_v3_cross(x, y));
    return true;
}

static bool finish_beam(trmi_finish *finish, trmi_force *force)
{
    beam *b = (beam *)force;
    double length = trmi_finish_ends(finish, force);
    if (isnan(b->g_modulus))
        b->g_modulus = b->e_modulus / 2.6; // Poisson's ratio 0.3
    if (isnan(b->i_y))
        b->i_y = b->i_z;
    if (isnan(b->j_torsion))
        b->j_torsion = b->i_y + b->i_z;
    return length > 0 && finish_beam_frame(finish, b, length);
}

// diag(EA/L, 12 E I_z/L^3, 12 E I_y/L^3, GJ/L, E I_y/L, E I_z/L); with shear the two bending terms
// are divided by 1 + 12 E I/(k G A L^2)
static void find_stiffness(const beam *b, double L, double K[36])
{
    double E = b->e_modulus, G = b->g_modulus;
    double soft = b->shear > 0 ? 12 * E / (b->shear * G * b->area * L * L) : 0;
    const double diagonal[6] = {
        E * b->area / L,
        12 * E * b->i_z / (L * L * L) / (1 + soft * b->i_z),
        12 * E * b->i_y / (L * L * L) / (1 + soft * b->i_y),
        G * b->j_torsion / L,
        E * b->i_y / L,
        E * b->i_z / L,
    };
    for (int i = 0; i < 6; i++)
        K[7 * i] = diagonal[i];
}

// Against the mean axes of its ends, which are turned by -theta/2 and theta/2, the beam is a cubic
// from 0 to (p_x, p_y, p_z); bent, it is longer than p_x by int w'^2/2. Its stretching is
//
//     e = p_x - L + 3 (p_y^2 + p_z^2)/(5 L) + L (theta_y^2 + theta_z^2)/24
//
// and with V = (EA/L e^2 + sum of the other K_i p_i^2)/2, the axial force N = EA/L (e + c e')
//
//     F_i = N e_i + K_i (p_i + c v_i) (i > 0),   F_i,j = EA/L e_i e_j + N e_ij + K_i
static void beam_law(const trmi_element *element, const trmi_law_input *in, trmi_law *out)
{
    const linear *l = element->data;
    const double *p = in->p, *v = in->v, L = l->natural[0], c = l->damping[0] / l->stiffness[0];
    const double second[6] = {0, 1.2 / L, 1.2 / L, 0, L / 12, L / 12};
    double e = p[0] - L, rate = v[0], slope[6] = {1}, moving[6] = {0};
    for (int i = 1; i < 6; i++) {
        slope[i] = second[i] * p[i];
        moving[i] = second[i] * v[i];
        e += 0.5 * slope[i] * p[i];
        rate += slope[i] * v[i];
    }
    const double EA = l->stiffness[0], N = EA * (e + c * rate);
    out->potential = 0.5 * EA * e * e;
    out->dissipated = c * EA * rate * rate;
    for (int i = 0; i < 6; i++) {
        const double K = i == 0 ? 0 : l->stiffness[7 * i];
        out->F[i] = N * slope[i] + K * (p[i] + c * v[i]);
        out->potential += 0.5 * K * p[i] * p[i];
        out->dissipated += c * K * v[i] * v[i];
        for (int j = 0; j < 6; j++) {
            out->F_p[i][j] = EA * slope[i] * (slope[j] + c * moving[j]);
            out->F_v[i][j] = EA * c * slope[i] * slope[j];
        }
        out->F_p[i][i] += N * second[i] + K;
        out->F_v[i][i] += c * K;
    }
}

static bool make_beam(trmi_force_maker *m, const trmi_force *force)
{
    const beam *b = (const beam *)force;
    trmi_element *e = trmi_force_add(m, force);
    double *K, *C;
    linear *l;
    if (!TRMI_TAKE(m->memory, K, 36) || !TRMI_TAKE(m->memory, C, 36) || !TRMI_TAKE(m->memory, l, 1))
        return false;
    l->natural[0] = trmi_v3_length(trmi_v3_sub(force->at_second, force->at));
    find_stiffness(b, l->natural[0], K);
    for (int i = 0; i < 36; i++)
        C[i] = b->damping * K[i];
    l->stiffness = K;
    l->damping = C;
    e->data = l;
    e->damped = b->damping != 0;
    return trmi_force_own_rows(m, e);
}

const trmi_force_type trmi_force_beam = {
    .name = "beam",
    .help = "a massless elastic beam between two bodies",
    .holds = true,
    .numbers_in_law = true,
    .row = {&trmi_mean_slide[0], &trmi_mean_slide[1], &trmi_mean_slide[2], ROTATION_ROWS},
    .acts = TRMI_ACTS_WITH_BOTH,
    .law = beam_law,
    .parameter = {&trmi_force_between, &trmi_force_from, &trmi_force_to, &area, &modulus,
                  &inertia_z, &shear_modulus, &inertia_y, &torsion, &shear, &beam_damping, &y_axis},
    .size = sizeof(beam),
    .finish = finish_beam,
    .make = make_beam,
};
