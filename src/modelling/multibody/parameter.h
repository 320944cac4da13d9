// SPDX-License-Identifier: Apache-2.0
// Parameters of joints and forces: the keys of a type in the model file, and where the value of
// each is stored. The reader walks these tables (reader/mechanism/parameters.c), and so do the
// check of keys, `trammel schema` and the manual (reader/keys/).
#ifndef TRMI_MODELLING_MULTIBODY_PARAMETER_H
#define TRMI_MODELLING_MULTIBODY_PARAMETER_H

#include "base/memory.h"
#include "modelling/multibody/mechanism.h"

#include <stddef.h>

// A number that a joint or a force shows, for outputs and events: NAME_<name>.
typedef struct trmi_shown {
    const char *name, *unit;
} trmi_shown;

// What is written at the key, and the C type of the value.
typedef enum trmi_parameter_kind {
    TRMI_PARAMETER_BODIES,       // int[2]: the names of two bodies
    TRMI_PARAMETER_BODY,         // int[2]: the ground, then the body of that name
    TRMI_PARAMETER_POINT,        // trmi_v3, global axes
    TRMI_PARAMETER_POINTS,       // trmi_point_list
    TRMI_PARAMETER_TRUTH,        // bool
    TRMI_PARAMETER_DIRECTION,    // trmi_v3 of length 1; plane models: in the plane
    TRMI_PARAMETER_NORMAL,       // trmi_v3 of length 1; plane models: normal to the plane
    TRMI_PARAMETER_FRAME,        // trmi_m3: its columns are the axes
    TRMI_PARAMETER_NUMBER,       // double
    TRMI_PARAMETER_POSITIVE,     // double, above 0
    TRMI_PARAMETER_NOT_NEGATIVE, // double, 0 or more
    TRMI_PARAMETER_SIX,          // double[6]
    TRMI_PARAMETER_WRENCH,       // double[6]: forces and moments, turned and mirrored with the part
    TRMI_PARAMETER_MATRIX,       // double[36]: 6 x 6 row by row, or the first half of its diagonal
    TRMI_PARAMETER_ROTATIONS,    // double[36]: the second half, at the key "rotation_<matrix>"
    TRMI_PARAMETER_CURVE,        // trmi_interpolant: pairs [x, y]; not yet created
    TRMI_PARAMETER_TABLE,        // const trmi_interpolant *: the name of a table of the model
    TRMI_PARAMETER_INTERPOLATION, // trmi_interpolation: linear, monotone, spline
    TRMI_PARAMETER_CHOICE,        // int: number of one of the `choices`
    TRMI_PARAMETER_TYRE_LAW,      // trmi_tyre_choice: a map from the name of a law to coefficients
    TRMI_PARAMETER_RELAXATION,    // double: a length above 0, 0 for the word `law`, NAN without it
    TRMI_PARAMETER_ROAD,          // const trmi_road *: a formula of a place, NULL without it
    TRMI_PARAMETER_FORMULA,       // trmi_formula of t and signals
    TRMI_PARAMETER_EFFORT,        // trmi_formula, its negative: laws pull back, efforts push on
    TRMI_PARAMETER_FORCE,         // trmi_formula[3]: components, or one value along `axis`
    TRMI_PARAMETER_TORQUE,        // trmi_formula[3]: likewise, plane models: one about the normal
    TRMI_PARAMETER_VALUE_AXIS,    // nothing: read with FORCE or TORQUE
    TRMI_PARAMETER_AXES_OF,       // nothing: a point, read with FORCE or TORQUE
    TRMI_PARAMETER_MEASURE,       // trmi_term: a joint, and its measure at the key `measure`
    TRMI_PARAMETER_MEASURE_NAME,  // nothing: read with MEASURE
    TRMI_PARAMETER_TRAVEL,        // trmi_term: the first travel of a joint
    TRMI_PARAMETER_ANGLE,         // trmi_term: the first angle of a joint
    TRMI_PARAMETER_TERMS,         // trmi_terms: a map from measures to coefficients
    TRMI_PARAMETER_RELATION,      // const trmi_relation *: a formula of t and positions
    TRMI_PARAMETER_LIBRARY,       // trmi_user_code: a shared object, its function at `name`
    TRMI_PARAMETER_CONSTRAINT_LIBRARY, // const trmi_relation *: likewise
    TRMI_PARAMETER_LIBRARY_NAME,       // nothing: read with the library
    TRMI_PARAMETER_LIBRARY_PARAMETERS, // likewise: a map from its parameters to numbers
    TRMI_PARAMETER_LIBRARY_SIGNALS,    // likewise: a map from its signals to formulas
    TRMI_PARAMETER_KINDS
} trmi_parameter_kind;

// A sum of measures.
typedef struct trmi_terms {
    int count;
    const trmi_term *term;
} trmi_terms;

// A force from a shared object, with what the model file gives it.
typedef struct trmi_user_code {
    const trm_user_force *force;
    int signals, parameters;
    const trmi_formula *argument; // the signals, then the parameters
} trmi_user_code;

// Points, global axes.
typedef struct trmi_point_list {
    int count;
    const trmi_v3 *point;
} trmi_point_list;

typedef struct trmi_parameter {
    const char *key;
    trmi_parameter_kind kind;
    size_t offset;      // of the value in the struct that the parameters of the type are read into
    bool required;      // the key must be there
    bool one_of;        // exactly one of the keys of the type with this mark must be there
    const char *preset; // default as text; "null": `help` describes what happens without the key.
                        // Numbers without a default are NAN, directions and frames likewise
    const char *help;
    const char *const *choices; // NULL at the end
    const char *unit; // of its numbers, several with '|' between them; NULL: they have none
    bool axial;       // a direction that something turns about: a mirror image reverses it
} trmi_parameter;

enum { TRMI_MAX_PARAMETERS = 24 };

// The parameters of a type in the order in which they are read, NULL at the end.
typedef const trmi_parameter *trmi_parameter_list[TRMI_MAX_PARAMETERS + 1];

// Whether a point, direction or frame was given.
static inline bool trmi_given_vector(trmi_v3 value)
{
    return !isnan(value.x);
}
static inline bool trmi_given_frame(trmi_m3 value)
{
    return !isnan(value.row[0].x);
}

// What the functions that finish a joint or a force work with.
typedef enum trmi_notice {
    TRMI_NOTICE_ERROR,     // at the value of the key
    TRMI_NOTICE_KEY_ERROR, // at the key itself
    TRMI_NOTICE_WARNING    // at the value
} trmi_notice;

typedef struct trmi_finish trmi_finish;
struct trmi_finish {
    trmi_memory *memory;
    const trmi_mechanism *mechanism; // bodies are complete, joints and forces up to this one
    // Takes the text of an error or a warning at a key of the type (NULL: at the type itself).
    void (*report)(trmi_finish *finish, const char *key, trmi_notice notice, const char *text);
    void *user;
    bool no_memory; // set where memory was missing
};

// Reports an error in the value of a key. Returns false.
bool trmi_finish_error(trmi_finish *finish, const char *key, const char *format, ...);
// Reports an error and marks the key itself; key NULL: the name of the type. Returns false.
bool trmi_finish_key_error(trmi_finish *finish, const char *key, const char *format, ...);
void trmi_finish_warning(trmi_finish *finish, const char *key, const char *format, ...);

#endif
