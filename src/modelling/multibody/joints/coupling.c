// SPDX-License-Identifier: Apache-2.0
// Joints between joints: a sum of measures is constant, or a formula of signals is zero.
#include "modelling/multibody/joints/joints.h"

// ---- coupling --------------------------------------------------------------------------------

typedef struct coupling_input {
    trmi_joint_input joint;
    trmi_terms terms;
    double offset;
} coupling_input;

static const trmi_parameter terms = {"terms", TRMI_PARAMETER_TERMS, offsetof(coupling_input, terms),
                                     .required = true,
                                     .help = "sum of coefficients times measures = offset"};
static const trmi_parameter offset = {
    "offset",      TRMI_PARAMETER_NUMBER,      offsetof(coupling_input, offset),
    .preset = "0", .help = "value of the sum", .unit = "m|rad"};

static bool finish_coupling(trmi_finish *finish, void *input, trmi_joint *joint)
{
    const coupling_input *in = input;
    (void)finish;
    joint->extra->terms = in->terms.count;
    joint->extra->term = in->terms.term;
    joint->extra->offset = in->offset;
    return true;
}

const trmi_joint_type trmi_joint_coupling = {
    .name = "coupling",
    .help = "gears: a weighted sum of measures of joints is constant",
    .synonyms = (const char *const[]){"gear", NULL},
    .in_plane = true,
    .sum = "gear",
    .parameter = {&terms, &offset},
    .input_size = sizeof(coupling_input),
    .finish = finish_coupling,
};

// ---- rack and pinion -------------------------------------------------------------------------

typedef struct rack_input {
    trmi_joint_input joint;
    trmi_term rack, pinion;
} rack_input;

static const trmi_parameter rack = {"rack", TRMI_PARAMETER_TRAVEL, offsetof(rack_input, rack),
                                    .required = true, .help = "joint with a travel"};
static const trmi_parameter pinion = {"pinion", TRMI_PARAMETER_ANGLE, offsetof(rack_input, pinion),
                                      .required = true,
                                      .help = "joint with an angle: travel = radius times angle"};

// travel - radius angle = 0
static bool finish_rack(trmi_finish *finish, void *input, trmi_joint *joint)
{
    const rack_input *in = input;
    trmi_term *term;
    if (!TRMI_SHARE(finish->memory, term, 2)) {
        finish->no_memory = true;
        return false;
    }
    term[0] = in->rack;
    term[0].coefficient = 1;
    term[1] = in->pinion;
    term[1].coefficient = -in->joint.size;
    joint->extra->size = in->joint.size;
    joint->extra->terms = 2;
    joint->extra->term = term;
    return true;
}

const trmi_joint_type trmi_joint_rack_pinion = {
    .name = "rack-pinion",
    .help = "travel of one joint = radius times angle of another",
    .in_plane = true,
    .sum = "rack",
    .parameter = {&rack, &pinion, &trmi_joint_radius},
    .input_size = sizeof(rack_input),
    .finish = finish_rack,
};

// ---- relation --------------------------------------------------------------------------------

typedef struct relation_input {
    trmi_joint_input joint;
    const trmi_relation *relation;
} relation_input;

static const trmi_parameter zero = {
    "zero", TRMI_PARAMETER_RELATION, offsetof(relation_input, relation), .one_of = true,
    .help = "formula of t, inputs, measures, points and bodies that is zero"};
static const trmi_parameter library = {
    "library", TRMI_PARAMETER_CONSTRAINT_LIBRARY, offsetof(relation_input, relation),
    .one_of = true, .help = "path of a shared object with a function that is zero"};
static const trmi_parameter name = {"name", TRMI_PARAMETER_LIBRARY_NAME,
                                    .help = "the function it exports"};
static const trmi_parameter parameters = {"parameters", TRMI_PARAMETER_LIBRARY_PARAMETERS,
                                          .help = "numbers it gets, by the names it exports"};
static const trmi_parameter signals = {
    "signals", TRMI_PARAMETER_LIBRARY_SIGNALS,
    .help = "formulas of t and positions whose values it gets, likewise"};

static bool finish_relation(trmi_finish *finish, void *input, trmi_joint *joint)
{
    (void)finish;
    joint->extra->relation = ((const relation_input *)input)->relation;
    return joint->extra->relation != NULL;
}

const trmi_joint_type trmi_joint_relation = {
    .name = "relation",
    .help = "a formula of positions is zero: cams, curves, couplings",
    .synonyms = (const char *const[]){"constraint", "cam", NULL},
    .in_plane = true,
    .sum = "zero",
    .parameter = {&zero, &library, &name, &parameters, &signals},
    .input_size = sizeof(relation_input),
    .finish = finish_relation,
};
