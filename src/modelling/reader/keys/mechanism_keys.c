// SPDX-License-Identifier: Apache-2.0
// The keys of the section `mechanism`. Those of joints and forces come from the parameters of their
// types.
#include "modelling/multibody/forces/forces.h"
#include "modelling/multibody/joints/joints.h"
#include "modelling/reader/keys/keys.h"

#define BODY(key) "mechanism.bodies.*." key
#define JOINT(key) "mechanism.joints.*." key
#define AXES TRMI_WORDS("x", "y", "z", "-x", "-y", "-z")

// clang-format off
#define TYPE TRMI_KEY_SECTION, .need = TRMI_KEY_ONE_OF, .is_type = true
#define FROM_TO(type)                                                                              \
    {BODY("shape." type ".from"), TRMI_KEY_NUMBERS, .need = TRMI_KEY_REQUIRED,                     \
     .unit = "m", .help = "one end, or one corner"},                                                            \
    {BODY("shape." type ".to"), TRMI_KEY_NUMBERS, .need = TRMI_KEY_REQUIRED,                       \
     .unit = "m", .help = "the other one"},

// ---- what several keys have below them ----

static const trmi_key point_parts[] = {
    {"body", TRMI_KEY_NAME, .need = TRMI_KEY_REQUIRED, .help = "in the frame of this body"},
    {"point", TRMI_KEY_NUMBERS, .need = TRMI_KEY_REQUIRED, .unit = "m", .help = "coordinates in that frame"},
    {.path = NULL},
};
static const trmi_key direction_parts[] = {
    {"body", TRMI_KEY_NAME, .need = TRMI_KEY_REQUIRED, .help = "in the frame of this body"},
    {"axis", TRMI_KEY_NUMBERS, .choices = AXES, .need = TRMI_KEY_REQUIRED,
     .help = "components in that frame"},
    {.path = NULL},
};
const trmi_key trmi_frame_keys[] = {
    {"x", TRMI_KEY_NUMBERS, .choices = AXES, .help = "direction of its x-axis"},
    {"y", TRMI_KEY_NUMBERS, .choices = AXES, .help = "direction of its y-axis"},
    {"z", TRMI_KEY_NUMBERS, .choices = AXES, .help = "direction of its z-axis"},
    {"axis", TRMI_KEY_NUMBERS, .choices = AXES,
     .help = "instead: global axes turned about this axis"},
    {"angle", TRMI_KEY_NUMBER, .unit = "rad", .help = "by this angle"},
    {.path = NULL},
};
static const trmi_key term_parts[] = {
    {"*", TRMI_KEY_NUMBER, .help = "coefficient of the measure of that name, such as `wheel_angle`"},
    {.path = NULL},
};

static const trmi_key user_parameters[] = {
    {"*", TRMI_KEY_NUMBER, .unit = "?", .help = "what the function gets as its parameter of that name"},
    {.path = NULL},
};
static const trmi_key user_signals[] = {
    {"*", TRMI_KEY_FORMULA, .help = "what it gets as its signal of that name: a formula of t and signals"},
    {.path = NULL},
};

// ---- the table ----

static const trmi_key table[] = {
    {"mechanism.gravity", TRMI_KEY_NUMBERS, .preset = "null",
     .unit = "m/s^2", .help = "acceleration of free fall, global axes; none without it"},
    {"mechanism.plane", TRMI_KEY_CHOICE, .preset = "null", .choices = TRMI_WORDS("xy", "yz", "zx"),
     .help = "plane motion: three coordinates for a free body, joints with their plane rows"},
    {"mechanism.coordinates", TRMI_KEY_CHOICE, .preset = "joint",
     .choices = TRMI_WORDS("joint", "absolute"),
     .help = "joint: along a spanning tree; absolute: of every body"},
    {"mechanism.formalism", TRMI_KEY_CHOICE, .preset = "residual",
     .choices = TRMI_WORDS("residual", "explicit"),
     .help = "residual: M and forces; explicit: accelerations by recursion"},

    // ---- bodies ----
    {"mechanism.points", TRMI_KEY_SECTION, .help = "points of bodies with signals of their own"},
    {"mechanism.points.*", TRMI_KEY_SECTION, .help = "one point, with axes"},
    {"mechanism.points.*.body", TRMI_KEY_NAME, .need = TRMI_KEY_REQUIRED, .help = "where it is fixed"},
    {"mechanism.points.*.at", TRMI_KEY_NUMBERS, .preset = "null", .parts = point_parts,
     .unit = "m", .help = "where it is in the reference configuration; the centre of the body without it"},
    {"mechanism.points.*.frame", TRMI_KEY_SECTION, .parts = trmi_frame_keys,
     .help = "its axes there; global ones without it"},
    {"mechanism.points.*.from", TRMI_KEY_NAME, .preset = "null",
     .help = "the point that it is seen from, with its axes; the ground without it"},
    {"mechanism.inputs", TRMI_KEY_SECTION, .help = "external excitations"},
    {"mechanism.inputs.*", TRMI_KEY_FORMULA,
     .help = "formula of t, used by name; d(NAME) and dd(NAME) are its rates"},
    {"mechanism.inputs.*.hold", TRMI_KEY_CHOICE, .need = TRMI_KEY_REQUIRED, .choices = TRMI_WORDS("zero", "linear"),
     .help = "of values from outside (trm_instance_set_input): constant from then on, or straight to the next one"},
    {"mechanism.inputs.*.start", TRMI_KEY_NUMBER, .preset = "0", .unit = "?", .help = "its value before the first one"},
    {"mechanism.define", TRMI_KEY_SECTION, .help = "intermediate formulas"},
    {"mechanism.define.*", TRMI_KEY_FORMULA,
     .help = "of t, inputs, signals, states; may use those above it"},
    {"mechanism.states", TRMI_KEY_SECTION, .help = "unknowns with a rate, beside the bodies"},
    {"mechanism.states.*", TRMI_KEY_FORMULA, .help = "rate of the state of that name"},
    {"mechanism.states.*.rate", TRMI_KEY_FORMULA, .need = TRMI_KEY_REQUIRED,
     .help = "its rate, a formula of t, inputs, signals, states"},
    {"mechanism.states.*.start", TRMI_KEY_NUMBER, .preset = "0", .unit = "?", .help = "its value at the start"},
    {"mechanism.samples", TRMI_KEY_SECTION,
     .help = "values that are computed every so often and held in between"},
    {"mechanism.samples.*", TRMI_KEY_SECTION, .help = "one value, used by name"},
    {"mechanism.samples.*.every", TRMI_KEY_NUMBER, .need = TRMI_KEY_REQUIRED,
     .unit = "s", .help = "time between samples, s"},
    {"mechanism.samples.*.value", TRMI_KEY_FORMULA, .need = TRMI_KEY_REQUIRED,
     .help = "its new value, a formula of t, signals, states and of what was sampled before"},
    {"mechanism.samples.*.start", TRMI_KEY_NUMBER, .preset = "0",
     .unit = "?", .help = "its value up to the first sample"},
    {"mechanism.algebraic", TRMI_KEY_SECTION, .help = "unknowns without a rate"},
    {"mechanism.algebraic.*", TRMI_KEY_FORMULA, .help = "formula that is zero"},
    {"mechanism.algebraic.*.zero", TRMI_KEY_FORMULA, .need = TRMI_KEY_REQUIRED,
     .help = "formula that is zero"},
    {"mechanism.algebraic.*.start", TRMI_KEY_NUMBER, .preset = "0",
     .unit = "?", .help = "a guess of its value at the start"},
    {"mechanism.bodies", TRMI_KEY_SECTION, .need = TRMI_KEY_REQUIRED,
     .help = "rigid and elastic bodies; `ground` is always there"},
    {"mechanism.bodies.*", TRMI_KEY_SECTION, .help = "one body"},
    {BODY("mass"), TRMI_KEY_NUMBER, .unit = "kg", .help = "kg; required unless there is a `beam`"},
    {BODY("center"), TRMI_KEY_NUMBERS,
     .unit = "m", .help = "centre of mass in the reference configuration, global axes; required unless there is "
             "a `beam`"},
    {BODY("beam"), TRMI_KEY_SECTION,
     .help = "an elastic body instead of a rigid one; its nodes are NAME_1, NAME_2, .."},
    {BODY("beam.from"), TRMI_KEY_NUMBERS, .need = TRMI_KEY_REQUIRED, .unit = "m", .help = "its left end"},
    {BODY("beam.to"), TRMI_KEY_NUMBERS, .need = TRMI_KEY_REQUIRED, .unit = "m", .help = "its right end"},
    {BODY("beam.elements"), TRMI_KEY_WHOLE, .preset = "4",
     .help = "of equal length, each with cubic deflection; joints and forces attach where they end"},
    {BODY("beam.modulus"), TRMI_KEY_NUMBER, .need = TRMI_KEY_REQUIRED, .unit = "Pa", .help = "Young's, N/m^2"},
    {BODY("beam.area"), TRMI_KEY_NUMBER, .need = TRMI_KEY_REQUIRED, .unit = "m^2", .help = "of its section, m^2"},
    {BODY("beam.inertia"), TRMI_KEY_NUMBER, .need = TRMI_KEY_REQUIRED,
     .unit = "m^4", .help = "second moment of area about the normal of the plane, in space about z of the section, m^4"},
    {BODY("beam.inertia_y"), TRMI_KEY_NUMBER, .preset = "null",
     .unit = "m^4", .help = "in space: second moment of area about y, m^4; `inertia` without it"},
    {BODY("beam.torsion"), TRMI_KEY_NUMBER, .preset = "null",
     .unit = "m^4", .help = "in space: torsion constant, m^4; inertia_y + inertia without it"},
    {BODY("beam.shear_modulus"), TRMI_KEY_NUMBER, .preset = "null",
     .unit = "Pa", .help = "in space: N/m^2; modulus/2.6 without it"},
    {BODY("beam.shear"), TRMI_KEY_NUMBER, .preset = "0",
     .help = "in space: shear correction factor; 0: no shear deformation"},
    {BODY("beam.y"), TRMI_KEY_NUMBERS, .choices = AXES, .parts = direction_parts,
     .help = "in space: direction of the y-axis of the section"},
    {BODY("beam.density"), TRMI_KEY_NUMBER, .need = TRMI_KEY_REQUIRED, .unit = "kg/m^3", .help = "kg/m^3"},
    {BODY("beam.frame"), TRMI_KEY_CHOICE, .preset = "tangent",
     .choices = TRMI_WORDS("tangent", "chord"),
     .help = "plane models: deflections are counted from the tangent at the left end, or from the "
             "line between the ends"},
    {BODY("beam.stiffening"), TRMI_KEY_TRUTH, .preset = "true",
     .help = "plane models: whether axial force acts on its bending, and bending shortens it; "
             "false: linear"},
    {BODY("beam.stretching"), TRMI_KEY_TRUTH, .preset = "false",
     .help = "plane models: whether it stretches, by modulus times area; false: it keeps its length"},
    {BODY("beam.damping"), TRMI_KEY_NUMBER, .preset = "0",
     .unit = "s", .help = "of the material, s: bending moments EI (w'' + damping times its rate)"},
    {BODY("inertia"), TRMI_KEY_AMOUNTS, .preset = "0",
     .unit = "kg m^2", .help = "about the centre of mass, in the axes of the body: [xx, yy, zz], a matrix, or (plane) "
             "a number"},
    {BODY("inertia.xx"), TRMI_KEY_NUMBER, .preset = "0", .unit = "kg m^2", .help = "kg m^2"},
    {BODY("inertia.yy"), TRMI_KEY_NUMBER, .preset = "0", .unit = "kg m^2", .help = "kg m^2"},
    {BODY("inertia.zz"), TRMI_KEY_NUMBER, .preset = "0", .unit = "kg m^2", .help = "kg m^2"},
    {BODY("inertia.xy"), TRMI_KEY_NUMBER, .preset = "0", .unit = "kg m^2", .help = "entry of the matrix: - int x y dm"},
    {BODY("inertia.yz"), TRMI_KEY_NUMBER, .preset = "0", .unit = "kg m^2", .help = "entry of the matrix: - int y z dm"},
    {BODY("inertia.zx"), TRMI_KEY_NUMBER, .preset = "0", .unit = "kg m^2", .help = "entry of the matrix: - int z x dm"},
    {BODY("frame"), TRMI_KEY_SECTION, .parts = trmi_frame_keys,
     .help = "axes of the body in the reference configuration; global axes without it"},
    {BODY("frame.origin"), TRMI_KEY_NUMBERS, .preset = "null",
     .unit = "m", .help = "origin for points in this frame; the centre of mass without it"},
    {BODY("shape"), TRMI_KEY_SECTION, .help = "for pictures, and for contacts that use it"},
    {BODY("shape.bar"), TYPE, .help = "a straight bar"},
    FROM_TO("bar")
    {BODY("shape.bar.width"), TRMI_KEY_NUMBER, .preset = "null", .unit = "m", .help = "m"},
    {BODY("shape.box"), TYPE, .help = "a box along the axes of the model, or of the part it is written in"},
    FROM_TO("box")
    {BODY("shape.cylinder"), TYPE, .help = "a cylinder"},
    FROM_TO("cylinder")
    {BODY("shape.cylinder.radius"), TRMI_KEY_NUMBER, .need = TRMI_KEY_REQUIRED, .unit = "m", .help = "its radius, m"},
    {BODY("shape.capsule"), TYPE, .help = "a cylinder with half a sphere at either end"},
    FROM_TO("capsule")
    {BODY("shape.capsule.radius"), TRMI_KEY_NUMBER, .need = TRMI_KEY_REQUIRED, .unit = "m", .help = "its radius, m"},
    {BODY("shape.sphere"), TYPE, .help = "a sphere"},
    {BODY("shape.sphere.radius"), TRMI_KEY_NUMBER, .need = TRMI_KEY_REQUIRED, .unit = "m", .help = "its radius, m"},
    {BODY("shape.sphere.at"), TRMI_KEY_NUMBERS, .preset = "null",
     .unit = "m", .help = "its centre; the centre of mass without it"},
    {BODY("shape.polyline"), TYPE, .help = "a line of bars"},
    {BODY("shape.polyline.width"), TRMI_KEY_NUMBER, .preset = "null", .unit = "m", .help = "m"},
    {BODY("shape.polyline.points"), TRMI_KEY_MATRIX, .need = TRMI_KEY_REQUIRED,
     .unit = "m", .help = "a list of points"},
    {BODY("shape.mesh"), TYPE, .help = "triangles of a file, for pictures only"},
    {BODY("shape.mesh.file"), TRMI_KEY_TEXT, .need = TRMI_KEY_REQUIRED,
     .help = "OBJ, STL or glTF (.obj, .stl, .glb, .gltf), relative to the folder of the model file"},
    {BODY("shape.mesh.scale"), TRMI_KEY_NUMBER, .preset = "1",
     .help = "metres per unit of the file: 0.001 for millimetres"},
    {BODY("shape.mesh.at"), TRMI_KEY_NUMBERS, .preset = "null", .parts = point_parts,
     .unit = "m", .help = "where the origin of the file is; that of the model without it"},
    {BODY("shape.mesh.frame"), TRMI_KEY_SECTION, .parts = trmi_frame_keys,
     .help = "its axes; global ones without it"},
    {BODY("shape.cam"), TYPE, .help = "a disc whose radius a table gives, for pictures only"},
    {BODY("shape.cam.table"), TRMI_KEY_NAME, .need = TRMI_KEY_REQUIRED,
     .help = "what is added to the radius over the angle, rad"},
    {BODY("shape.cam.radius"), TRMI_KEY_NUMBER, .need = TRMI_KEY_REQUIRED, .unit = "m", .help = "its radius, m"},
    {BODY("shape.cam.width"), TRMI_KEY_NUMBER, .preset = "null", .unit = "m", .help = "m"},
    {BODY("shape.cam.at"), TRMI_KEY_NUMBERS, .preset = "null",
     .unit = "m", .help = "its centre; the centre of mass without it"},
    {BODY("shape.cam.axis"), TRMI_KEY_NUMBERS, .choices = AXES, .parts = direction_parts, .preset = "z",
     .help = "about which its angle is counted"},
    {BODY("shape.cam.zero"), TRMI_KEY_NUMBERS, .choices = AXES, .parts = direction_parts, .preset = "x",
     .help = "where the angle is 0"},

    // ---- joints ----
    {"mechanism.joints", TRMI_KEY_SECTION, .help = "what connects them"},
    {"mechanism.joints.*", TRMI_KEY_SECTION, .types = TRMI_KEY_JOINT_TYPES,
     .help = "one joint: its kind, and what follows the kinds"},
    {JOINT("start"), TRMI_KEY_SECTION, .help = "where the joint is at the start"},
    {JOINT("start.*"), TRMI_KEY_NUMBER,
     .unit = "measure", .help = "value of a measure (`angle`, `travel`, ...) or its rate (`rate` where there is one "
             "measure, `angle_rate`)"},
    {JOINT("start.rotation"), TRMI_KEY_NUMBERS, .preset = "null",
     .unit = "rad", .help = "rotation vector, in the axes of the joint"},
    {JOINT("start.spin"), TRMI_KEY_NUMBERS, .preset = "null",
     .unit = "rad/s", .help = "angular velocity, in the axes of the joint on the second body"},
    {JOINT("start.keep"), TRMI_KEY_TRUTH, .preset = "false",
     .help = "true: these values are not changed when the mechanism is assembled"},
    {JOINT("start.guess"), TRMI_KEY_TRUTH, .preset = "true",
     .help = "the opposite of `keep`: they may move, less easily than what is not given"},
    {JOINT("motion"), TRMI_KEY_FORMULA, .preset = "null",
     .unit = "m|rad", .help = "prescribed: the measure as a formula of t, or a map by measure"},
    {JOINT("motion.*"), TRMI_KEY_FORMULA, .unit = "measure", .help = "the measure of that name, a formula of t"},
    {JOINT("friction"), TRMI_KEY_SECTION, .help = "of revolute and prismatic joints"},
    {JOINT("friction.static"), TRMI_KEY_NUMBER, .need = TRMI_KEY_REQUIRED,
     .help = "coefficient at small speeds"},
    {JOINT("friction.dynamic"), TRMI_KEY_NUMBER, .preset = "null",
     .help = "coefficient at large speeds; the static one without it"},
    {JOINT("friction.slip"), TRMI_KEY_NUMBER, .preset = "0.001",
     .unit = "m/s", .help = "speed at which the damper of a joint that sticks carries the static friction, m/s; without `stick` the speed from which friction is fully there"},
    {JOINT("friction.stick"), TRMI_KEY_NUMBER, .preset = "1e-6",
     .unit = "m", .help = "how far it gives way while it sticks, m; 0: it never sticks, and creeps under load"},
    {JOINT("friction.stribeck"), TRMI_KEY_NUMBER, .preset = "0.01",
     .unit = "m/s", .help = "speed at which the static coefficient has faded, m/s; 0: at once"},
    {JOINT("friction.radius"), TRMI_KEY_NUMBER, .preset = "null",
     .unit = "m", .help = "of the pin; required for revolute joints, m"},
    {JOINT("friction.preload"), TRMI_KEY_NUMBER, .preset = "0",
     .unit = "N", .help = "normal force beside the reaction, N"},
    {JOINT("stops"), TRMI_KEY_SECTION, .help = "elastic limits of measures"},
    {JOINT("stops.*"), TRMI_KEY_SECTION, .help = "limits of the measure of that name"},
    {JOINT("stops.*.low"), TRMI_KEY_NUMBER, .preset = "null", .unit = "measure", .help = "least value"},
    {JOINT("stops.*.high"), TRMI_KEY_NUMBER, .preset = "null", .unit = "measure", .help = "greatest value"},
    {JOINT("stops.*.stiffness"), TRMI_KEY_NUMBER, .need = TRMI_KEY_REQUIRED,
     .help = "k in k d^n (1 + c d')"},
    {JOINT("stops.*.damping"), TRMI_KEY_NUMBER, .preset = "0", .help = "c, s/m or s/rad"},
    {JOINT("stops.*.exponent"), TRMI_KEY_NUMBER, .preset = "1.5", .help = "n, above 1"},
    {JOINT("cut"), TRMI_KEY_TRUTH, .preset = "false", .help = "true: never an edge of the tree"},

    // ---- forces ----
    {"mechanism.forces", TRMI_KEY_SECTION, .help = "what acts on bodies, besides gravity"},
    {"mechanism.forces.*", TRMI_KEY_SECTION, .types = TRMI_KEY_FORCE_TYPES, .help = "one force"},
};

// ---- parameters ----

// What is written at the key of a parameter.
static const trmi_key of_kind[TRMI_PARAMETER_KINDS] = {
    [TRMI_PARAMETER_BODIES] = {.kind = TRMI_KEY_NAMES},
    [TRMI_PARAMETER_BODY] = {.kind = TRMI_KEY_NAME},
    [TRMI_PARAMETER_POINT] = {.kind = TRMI_KEY_NUMBERS, .unit = "m", .parts = point_parts},
    [TRMI_PARAMETER_POINTS] = {.kind = TRMI_KEY_MATRIX, .unit = "m"},
    [TRMI_PARAMETER_TRUTH] = {.kind = TRMI_KEY_TRUTH},
    [TRMI_PARAMETER_DIRECTION] = {.kind = TRMI_KEY_NUMBERS, .choices = AXES, .parts = direction_parts},
    [TRMI_PARAMETER_NORMAL] = {.kind = TRMI_KEY_NUMBERS, .choices = AXES, .parts = direction_parts},
    [TRMI_PARAMETER_FRAME] = {.kind = TRMI_KEY_SECTION, .parts = trmi_frame_keys},
    [TRMI_PARAMETER_NUMBER] = {.kind = TRMI_KEY_NUMBER},
    [TRMI_PARAMETER_POSITIVE] = {.kind = TRMI_KEY_NUMBER},
    [TRMI_PARAMETER_NOT_NEGATIVE] = {.kind = TRMI_KEY_NUMBER},
    [TRMI_PARAMETER_SIX] = {.kind = TRMI_KEY_NUMBERS},
    [TRMI_PARAMETER_WRENCH] = {.kind = TRMI_KEY_NUMBERS},
    [TRMI_PARAMETER_MATRIX] = {.kind = TRMI_KEY_AMOUNTS},
    [TRMI_PARAMETER_ROTATIONS] = {.kind = TRMI_KEY_AMOUNTS},
    [TRMI_PARAMETER_CURVE] = {.kind = TRMI_KEY_MATRIX},
    [TRMI_PARAMETER_TABLE] = {.kind = TRMI_KEY_NAME},
    [TRMI_PARAMETER_INTERPOLATION] = {.kind = TRMI_KEY_CHOICE, .choices = TRMI_WORDS("linear", "monotone", "spline")},
    [TRMI_PARAMETER_CHOICE] = {.kind = TRMI_KEY_CHOICE},
    [TRMI_PARAMETER_TYRE_LAW] = {.kind = TRMI_KEY_VALUE},
    [TRMI_PARAMETER_RELAXATION] = {.kind = TRMI_KEY_VALUE},
    [TRMI_PARAMETER_ROAD] = {.kind = TRMI_KEY_FORMULA},
    [TRMI_PARAMETER_FORMULA] = {.kind = TRMI_KEY_FORMULA},
    [TRMI_PARAMETER_EFFORT] = {.kind = TRMI_KEY_FORMULA},
    [TRMI_PARAMETER_FORCE] = {.kind = TRMI_KEY_AMOUNTS, .unit = "N"},
    [TRMI_PARAMETER_TORQUE] = {.kind = TRMI_KEY_AMOUNTS, .unit = "N m"},
    [TRMI_PARAMETER_VALUE_AXIS] = {.kind = TRMI_KEY_NUMBERS, .choices = AXES, .parts = direction_parts},
    [TRMI_PARAMETER_AXES_OF] = {.kind = TRMI_KEY_NAME},
    [TRMI_PARAMETER_MEASURE] = {.kind = TRMI_KEY_NAME},
    [TRMI_PARAMETER_MEASURE_NAME] = {.kind = TRMI_KEY_TEXT},
    [TRMI_PARAMETER_TRAVEL] = {.kind = TRMI_KEY_NAME},
    [TRMI_PARAMETER_ANGLE] = {.kind = TRMI_KEY_NAME},
    [TRMI_PARAMETER_TERMS] = {.kind = TRMI_KEY_SECTION, .parts = term_parts},
    [TRMI_PARAMETER_RELATION] = {.kind = TRMI_KEY_FORMULA},
    [TRMI_PARAMETER_LIBRARY] = {.kind = TRMI_KEY_TEXT},
    [TRMI_PARAMETER_CONSTRAINT_LIBRARY] = {.kind = TRMI_KEY_TEXT},
    [TRMI_PARAMETER_LIBRARY_NAME] = {.kind = TRMI_KEY_NAME},
    [TRMI_PARAMETER_LIBRARY_PARAMETERS] = {.kind = TRMI_KEY_SECTION, .parts = user_parameters},
    [TRMI_PARAMETER_LIBRARY_SIGNALS] = {.kind = TRMI_KEY_SECTION, .parts = user_signals},
};
// clang-format on
enum { KEY_COUNT = sizeof table / sizeof *table };

const trmi_key *trmi_mechanism_key(int index)
{
    return index >= 0 && index < KEY_COUNT ? &table[index] : NULL;
}

static void add_type(trmi_key_builder *b, trmi_key *up, const char *name, const char *help,
                     const char *const *synonyms, const trmi_parameter *const *parameter)
{
    const trmi_key type = {name, TYPE, .help = help, .synonyms = synonyms};
    trmi_key *added = trmi_keys_add(b, up, &type);
    for (int k = 0; parameter[k]; k++) {
        const trmi_parameter *p = parameter[k];
        trmi_key key = of_kind[p->kind];
        key.path = p->key;
        key.help = p->help;
        key.preset = p->preset;
        key.unit = p->unit ? p->unit : key.unit;
        key.choices = p->choices ? p->choices : key.choices;
        key.need = p->required ? TRMI_KEY_REQUIRED
                   : p->one_of ? TRMI_KEY_ONE_OF
                               : TRMI_KEY_OPTIONAL;
        trmi_keys_add(b, added, &key);
    }
}

void trmi_keys_add_types(trmi_key_builder *b, trmi_key *up, trmi_key_types types)
{
    const trmi_joint_type *joint;
    const trmi_force_type *force;
    for (int k = 0; types == TRMI_KEY_JOINT_TYPES && (joint = trmi_joint_type_at(k)); k++)
        add_type(b, up, joint->name, joint->help, joint->synonyms, joint->parameter);
    for (int k = 0; types == TRMI_KEY_FORCE_TYPES && (force = trmi_force_type_at(k)); k++)
        add_type(b, up, force->name, force->help, NULL, force->parameter);
}
