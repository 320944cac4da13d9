// SPDX-License-Identifier: Apache-2.0
// The rows of the section `mechanism`. Kinds of joints and forces come from the lists of
// multibody/mechanism.h; a key that several kinds have is one row with the set of them.
#include "modelling/multibody/mechanism.h"
#include "modelling/reader/keys/keys.h"

#define BODY(key) "mechanism.bodies.*." key
#define SHAPE(kinds, key) BODY("shape.{" kinds "}." key)
#define JOINT(key) "mechanism.joints.*." key
#define JOINTS(kinds, key) JOINT("{" kinds "}." key)
#define FORCE(key) "mechanism.forces.*." key
#define FORCES(kinds, key) FORCE("{" kinds "}." key)

// between two bodies, at one point, about or along an axis
#define AXIS_ALONE "revolute,prismatic,cylindrical,screw,planar,point-on-line,point-on-plane"
#define AXIS_ALSO "universal,constant-velocity,rolling,knife-edge"
#define AT_POINT "fixed,spherical,free," AXIS_ALONE "," AXIS_ALSO
#define PAIRS AT_POINT ",rod"
#define FRAMES "fixed,spherical,free," AXIS_ALONE
#define TWO_POINTS "spring,beam,bump-stop"
#define AXES TRMI_WORDS("x", "y", "z", "-x", "-y", "-z")

// clang-format off
#define JOINT_ROW(name, text, freedoms, rows, meaning)                                             \
    {JOINT(text), TRMI_KEY_SECTION, .need = TRMI_KEY_ONE_OF, .help = meaning},
#define FORCE_ROW(name, text, meaning)                                                             \
    {FORCE(text), TRMI_KEY_SECTION, .need = TRMI_KEY_ONE_OF, .help = meaning},

// a point in global axes, or in those of a body
#define POINT(path, required, text)                                                                \
    {path, TRMI_KEY_NUMBERS, .need = required, .help = text},                                      \
    {path ".body", TRMI_KEY_NAME, .need = TRMI_KEY_REQUIRED, .help = "in the frame of this body"}, \
    {path ".point", TRMI_KEY_NUMBERS, .need = TRMI_KEY_REQUIRED,                                   \
     .help = "coordinates in that frame"},
#define DIRECTION(path, required, text)                                                            \
    {path, TRMI_KEY_NUMBERS, .choices = AXES, .need = required, .help = text},                     \
    {path ".body", TRMI_KEY_NAME, .need = TRMI_KEY_REQUIRED, .help = "in the frame of this body"}, \
    {path ".axis", TRMI_KEY_NUMBERS, .choices = AXES, .need = TRMI_KEY_REQUIRED,                   \
     .help = "components in that frame"},
#define TURNED(path, text)                                                                         \
    {path, TRMI_KEY_SECTION, .help = text},                                                        \
    {path ".x", TRMI_KEY_NUMBERS, .choices = AXES, .help = "direction of its x-axis"},             \
    {path ".y", TRMI_KEY_NUMBERS, .choices = AXES, .help = "direction of its y-axis"},             \
    {path ".z", TRMI_KEY_NUMBERS, .choices = AXES, .help = "direction of its z-axis"},             \
    {path ".axis", TRMI_KEY_NUMBERS, .choices = AXES,                                              \
     .help = "instead: global axes turned about this axis"},                                       \
    {path ".angle", TRMI_KEY_NUMBER, .help = "by this angle"},

static const trmi_key table[] = {
    {"mechanism.gravity", TRMI_KEY_NUMBERS, .preset = "null",
     .help = "acceleration of free fall, global axes; none without it"},
    {"mechanism.plane", TRMI_KEY_CHOICE, .preset = "null", .choices = TRMI_WORDS("xy", "yz", "zx"),
     .help = "plane motion: three coordinates for a free body, joints with their plane rows"},
    {"mechanism.coordinates", TRMI_KEY_CHOICE, .preset = "joint",
     .choices = TRMI_WORDS("joint", "absolute"),
     .help = "joint: along a spanning tree; absolute: of every body"},
    {"mechanism.formalism", TRMI_KEY_CHOICE, .preset = "residual",
     .choices = TRMI_WORDS("residual", "explicit"),
     .help = "residual: M and forces; explicit: accelerations by recursion"},

    // ---- bodies ----
    {"mechanism.bodies", TRMI_KEY_SECTION, .need = TRMI_KEY_REQUIRED,
     .help = "rigid and elastic bodies; `ground` is always there"},
    {"mechanism.bodies.*", TRMI_KEY_SECTION, .help = "one body"},
    {BODY("mass"), TRMI_KEY_NUMBER, .help = "kg; required unless there is a `beam`"},
    {BODY("center"), TRMI_KEY_NUMBERS,
     .help = "centre of mass in the reference configuration, global axes; required unless there is "
             "a `beam`"},
    {BODY("beam"), TRMI_KEY_SECTION,
     .help = "an elastic body (plane models) instead of a rigid one; its nodes are NAME_1, NAME_2, .."},
    {BODY("beam.from"), TRMI_KEY_NUMBERS, .need = TRMI_KEY_REQUIRED, .help = "its left end"},
    {BODY("beam.to"), TRMI_KEY_NUMBERS, .need = TRMI_KEY_REQUIRED, .help = "its right end"},
    {BODY("beam.elements"), TRMI_KEY_WHOLE, .preset = "4",
     .help = "of equal length, each with cubic deflection; joints and forces attach where they end"},
    {BODY("beam.modulus"), TRMI_KEY_NUMBER, .need = TRMI_KEY_REQUIRED, .help = "Young's, N/m^2"},
    {BODY("beam.area"), TRMI_KEY_NUMBER, .need = TRMI_KEY_REQUIRED, .help = "of its section, m^2"},
    {BODY("beam.inertia"), TRMI_KEY_NUMBER, .need = TRMI_KEY_REQUIRED,
     .help = "second moment of area about the normal of the plane, m^4"},
    {BODY("beam.density"), TRMI_KEY_NUMBER, .need = TRMI_KEY_REQUIRED, .help = "kg/m^3"},
    {BODY("beam.frame"), TRMI_KEY_CHOICE, .preset = "tangent",
     .choices = TRMI_WORDS("tangent", "chord"),
     .help = "deflections are counted from the tangent at the left end, or from the line between "
             "the ends"},
    {BODY("beam.stiffening"), TRMI_KEY_TRUTH, .preset = "true",
     .help = "whether rotation about the left end stiffens it"},
    {BODY("inertia"), TRMI_KEY_AMOUNTS, .preset = "0",
     .help = "about the centre of mass, in the axes of the body: [xx, yy, zz], a matrix, or (plane) "
             "a number"},
    {BODY("inertia.xx"), TRMI_KEY_NUMBER, .preset = "0", .help = "kg m^2"},
    {BODY("inertia.yy"), TRMI_KEY_NUMBER, .preset = "0", .help = "kg m^2"},
    {BODY("inertia.zz"), TRMI_KEY_NUMBER, .preset = "0", .help = "kg m^2"},
    {BODY("inertia.xy"), TRMI_KEY_NUMBER, .preset = "0", .help = "entry of the matrix: - int x y dm"},
    {BODY("inertia.yz"), TRMI_KEY_NUMBER, .preset = "0", .help = "entry of the matrix: - int y z dm"},
    {BODY("inertia.zx"), TRMI_KEY_NUMBER, .preset = "0", .help = "entry of the matrix: - int z x dm"},
    TURNED(BODY("frame"), "axes of the body in the reference configuration; global axes without it")
    {BODY("frame.origin"), TRMI_KEY_NUMBERS, .preset = "null",
     .help = "origin for points in this frame; the centre of mass without it"},
    {BODY("shape"), TRMI_KEY_SECTION, .help = "for pictures; no part of the motion"},
    {BODY("shape.bar"), TRMI_KEY_SECTION, .need = TRMI_KEY_ONE_OF, .help = "a straight bar"},
    {BODY("shape.box"), TRMI_KEY_SECTION, .need = TRMI_KEY_ONE_OF, .help = "a box along the axes"},
    {BODY("shape.cylinder"), TRMI_KEY_SECTION, .need = TRMI_KEY_ONE_OF, .help = "a cylinder"},
    {BODY("shape.sphere"), TRMI_KEY_SECTION, .need = TRMI_KEY_ONE_OF, .help = "a sphere"},
    {BODY("shape.polyline"), TRMI_KEY_SECTION, .need = TRMI_KEY_ONE_OF, .help = "a line of bars"},
    {SHAPE("bar,box,cylinder", "from"), TRMI_KEY_NUMBERS, .need = TRMI_KEY_REQUIRED,
     .help = "one end, or one corner"},
    {SHAPE("bar,box,cylinder", "to"), TRMI_KEY_NUMBERS, .need = TRMI_KEY_REQUIRED,
     .help = "the other one"},
    {SHAPE("bar,polyline", "width"), TRMI_KEY_NUMBER, .preset = "null", .help = "m"},
    {SHAPE("cylinder,sphere", "radius"), TRMI_KEY_NUMBER, .need = TRMI_KEY_REQUIRED, .help = "m"},
    {SHAPE("sphere", "at"), TRMI_KEY_NUMBERS, .preset = "null",
     .help = "its centre; the centre of mass without it"},
    {SHAPE("polyline", "points"), TRMI_KEY_MATRIX, .need = TRMI_KEY_REQUIRED,
     .help = "a list of points"},

    // ---- joints ----
    {"mechanism.joints", TRMI_KEY_SECTION, .help = "what connects them"},
    {"mechanism.joints.*", TRMI_KEY_SECTION, .help = "one joint: its kind, and what follows the kinds"},
    TRMI_JOINT_LIST(JOINT_ROW)
    {JOINTS(PAIRS, "between"), TRMI_KEY_NAMES, .need = TRMI_KEY_REQUIRED,
     .help = "first and second body"},
    POINT(JOINTS(AT_POINT, "at"), TRMI_KEY_OPTIONAL,
          "point of the joint; rolling: centre of the disc; fixed and free do without")
    DIRECTION(JOINTS(AXIS_ALONE "," AXIS_ALSO, "axis"), TRMI_KEY_OPTIONAL,
              "its axis; planar, point-on-plane: the normal; rolling: axis of the disc; knife-edge: "
              "the direction that is blocked")
    DIRECTION(JOINTS("universal,constant-velocity", "second_axis"), TRMI_KEY_REQUIRED,
              "axis on the second body")
    DIRECTION(JOINTS("rolling", "normal"), TRMI_KEY_REQUIRED, "normal of the plane, towards the disc")
    TURNED(JOINTS(FRAMES, "frame"), "axes of the joint, z is its axis; instead of `axis`")
    {JOINTS("screw", "pitch"), TRMI_KEY_NUMBER, .need = TRMI_KEY_REQUIRED,
     .help = "advance per radian, m"},
    {JOINTS("rolling,rack-pinion", "radius"), TRMI_KEY_NUMBER, .need = TRMI_KEY_REQUIRED,
     .help = "m"},
    POINT(JOINTS("rod", "from"), TRMI_KEY_REQUIRED, "its end on the first body")
    POINT(JOINTS("rod", "to"), TRMI_KEY_REQUIRED, "its end on the second body")
    {JOINTS("rod", "length"), TRMI_KEY_NUMBER, .preset = "null",
     .help = "the distance of its ends without it, m"},
    {JOINTS("coupling", "terms"), TRMI_KEY_SECTION, .need = TRMI_KEY_REQUIRED,
     .help = "sum of coefficients times measures = offset"},
    {JOINTS("coupling", "terms.*"), TRMI_KEY_NUMBER,
     .help = "coefficient of the measure of that name, such as `wheel_angle`"},
    {JOINTS("coupling", "offset"), TRMI_KEY_NUMBER, .preset = "0", .help = "value of the sum"},
    {JOINTS("rack-pinion", "rack"), TRMI_KEY_NAME, .need = TRMI_KEY_REQUIRED,
     .help = "joint with a travel"},
    {JOINTS("rack-pinion", "pinion"), TRMI_KEY_NAME, .need = TRMI_KEY_REQUIRED,
     .help = "joint with an angle: travel = radius times angle"},
    {JOINT("start"), TRMI_KEY_SECTION, .help = "where the joint is at the start"},
    {JOINT("start.*"), TRMI_KEY_NUMBER,
     .help = "value of a measure (`angle`, `travel`, ...) or its rate (`rate` where there is one "
             "measure, `angle_rate`)"},
    {JOINT("start.rotation"), TRMI_KEY_NUMBERS, .preset = "null",
     .help = "rotation vector, in the axes of the joint"},
    {JOINT("start.spin"), TRMI_KEY_NUMBERS, .preset = "null",
     .help = "angular velocity, in the axes of the joint on the second body"},
    {JOINT("start.keep"), TRMI_KEY_TRUTH, .preset = "false",
     .help = "true: these values are not changed when the mechanism is assembled"},
    {JOINT("start.guess"), TRMI_KEY_TRUTH, .preset = "true",
     .help = "the opposite of `keep`: they may move, less easily than what is not given"},
    {JOINT("motion"), TRMI_KEY_FORMULA, .preset = "null",
     .help = "prescribed: the measure as a formula of t, or a map by measure"},
    {JOINT("motion.*"), TRMI_KEY_FORMULA, .help = "the measure of that name, a formula of t"},
    {JOINT("friction"), TRMI_KEY_SECTION, .help = "of revolute and prismatic joints"},
    {JOINT("friction.static"), TRMI_KEY_NUMBER, .need = TRMI_KEY_REQUIRED,
     .help = "coefficient at small speeds"},
    {JOINT("friction.dynamic"), TRMI_KEY_NUMBER, .preset = "null",
     .help = "coefficient at large speeds; the static one without it"},
    {JOINT("friction.slip"), TRMI_KEY_NUMBER, .preset = "0.001",
     .help = "speed at which friction has its sign, m/s"},
    {JOINT("friction.stribeck"), TRMI_KEY_NUMBER, .preset = "0.01",
     .help = "speed at which the static coefficient has faded, m/s"},
    {JOINT("friction.radius"), TRMI_KEY_NUMBER, .preset = "null",
     .help = "of the pin; required for revolute joints, m"},
    {JOINT("friction.preload"), TRMI_KEY_NUMBER, .preset = "0",
     .help = "normal force beside the reaction, N"},
    {JOINT("stops"), TRMI_KEY_SECTION, .help = "elastic limits of measures"},
    {JOINT("stops.*"), TRMI_KEY_SECTION, .help = "limits of the measure of that name"},
    {JOINT("stops.*.low"), TRMI_KEY_NUMBER, .preset = "null", .help = "least value"},
    {JOINT("stops.*.high"), TRMI_KEY_NUMBER, .preset = "null", .help = "greatest value"},
    {JOINT("stops.*.stiffness"), TRMI_KEY_NUMBER, .need = TRMI_KEY_REQUIRED,
     .help = "k in k d^n (1 + c d')"},
    {JOINT("stops.*.damping"), TRMI_KEY_NUMBER, .preset = "0", .help = "c, s/m or s/rad"},
    {JOINT("stops.*.exponent"), TRMI_KEY_NUMBER, .preset = "1.5", .help = "n, above 1"},
    {JOINT("cut"), TRMI_KEY_TRUTH, .preset = "false", .help = "true: never an edge of the tree"},

    // ---- forces ----
    {"mechanism.forces", TRMI_KEY_SECTION, .help = "what acts on bodies, besides gravity"},
    {"mechanism.forces.*", TRMI_KEY_SECTION, .help = "one force"},
    TRMI_FORCE_LIST(FORCE_ROW)
    {FORCES("force,torque", "on"), TRMI_KEY_NAME, .need = TRMI_KEY_ONE_OF,
     .help = "the body it acts on"},
    {FORCES("force,torque", "between"), TRMI_KEY_NAMES, .need = TRMI_KEY_ONE_OF,
     .help = "acts on the second body, the opposite on the first"},
    {FORCES(TWO_POINTS ",bushing,contact,user", "between"), TRMI_KEY_NAMES,
     .need = TRMI_KEY_REQUIRED, .help = "first and second body; contact: plane and sphere"},
    POINT(FORCES("force,bushing,user", "at"), TRMI_KEY_REQUIRED, "where it acts")
    POINT(FORCES("contact", "center"), TRMI_KEY_REQUIRED, "centre of the sphere")
    POINT(FORCES("contact", "at"), TRMI_KEY_REQUIRED, "a point of the plane")
    DIRECTION(FORCES("contact", "normal"), TRMI_KEY_REQUIRED, "of the plane, towards the sphere")
    {FORCES("force,torque", "value"), TRMI_KEY_AMOUNTS, .need = TRMI_KEY_REQUIRED,
     .help = "components, formulas of t and signals; one along `axis`, or (plane) one torque"},
    DIRECTION(FORCES("force,torque", "axis"), TRMI_KEY_OPTIONAL, "direction of a single value")
    {FORCES("force,torque", "axes"), TRMI_KEY_CHOICE, .preset = "global",
     .choices = TRMI_WORDS("global", "body"),
     .help = "body: the components turn with the (second) body"},
    POINT(FORCES(TWO_POINTS, "from"), TRMI_KEY_REQUIRED, "its end on the first body")
    POINT(FORCES(TWO_POINTS, "to"), TRMI_KEY_REQUIRED, "its end on the second body")
    {FORCES("actuator", "joint"), TRMI_KEY_NAME, .need = TRMI_KEY_REQUIRED, .help = "where it acts"},
    {FORCES("actuator", "measure"), TRMI_KEY_TEXT, .preset = "null",
     .help = "which measure of it; needed where there are several"},
    {FORCES("actuator", "effort"), TRMI_KEY_FORMULA, .preset = "0",
     .help = "force or torque that makes the measure grow, a formula of t and signals"},
    {FORCES("spring", "force"), TRMI_KEY_FORMULA, .preset = "0",
     .help = "tension beside spring and damper, a formula of t and signals"},
    {FORCES("spring,actuator,bump-stop,contact", "stiffness"), TRMI_KEY_NUMBER, .preset = "0",
     .help = "N/m or N m; bump-stop, contact: k in k d^n (1 + c d')"},
    {FORCES("spring,actuator", "damping"), TRMI_KEY_NUMBER, .preset = "0", .help = "N s/m or N m s"},
    {FORCES("bump-stop,contact", "damping"), TRMI_KEY_NUMBER, .preset = "0", .help = "c, s/m"},
    {FORCES("spring", "length"), TRMI_KEY_NUMBER, .preset = "null",
     .help = "length without force; that of the reference configuration without it"},
    {FORCES("actuator", "natural"), TRMI_KEY_NUMBER, .preset = "0",
     .help = "value of the measure without force of the spring"},
    {FORCES("spring", "preload"), TRMI_KEY_NUMBER, .preset = "0",
     .help = "tension at that length, N"},
    {FORCES("spring,actuator", "spring_table"), TRMI_KEY_MATRIX, .preset = "null",
     .help = "[[x, F], ...]: restoring force over the deviation, smooth between the points"},
    {FORCES("spring,actuator", "damper_table"), TRMI_KEY_MATRIX, .preset = "null",
     .help = "[[v, F], ...]: restoring force over the rate"},
    TURNED(FORCES("bushing,user", "frame"), "axes; global ones without it")
    {FORCES("bushing", "stiffness"), TRMI_KEY_AMOUNTS, .preset = "0",
     .help = "N/m: one for all axes, one for each, or a 6 x 6 matrix with the rotations"},
    {FORCES("bushing", "damping"), TRMI_KEY_AMOUNTS, .preset = "0", .help = "N s/m, likewise"},
    {FORCES("bushing", "rotation_stiffness"), TRMI_KEY_AMOUNTS, .preset = "0",
     .help = "N m: one for all axes or one for each"},
    {FORCES("bushing", "rotation_damping"), TRMI_KEY_AMOUNTS, .preset = "0", .help = "N m s"},
    {FORCES("bushing", "preload"), TRMI_KEY_NUMBERS, .preset = "null",
     .help = "forces and moments without deformation"},
    {FORCES("beam", "area"), TRMI_KEY_NUMBER, .need = TRMI_KEY_REQUIRED, .help = "m^2"},
    {FORCES("beam", "modulus"), TRMI_KEY_NUMBER, .need = TRMI_KEY_REQUIRED, .help = "Young's, N/m^2"},
    {FORCES("beam", "shear_modulus"), TRMI_KEY_NUMBER, .preset = "null",
     .help = "N/m^2; modulus/2.6 without it"},
    {FORCES("beam", "inertia_y"), TRMI_KEY_NUMBER, .preset = "null",
     .help = "second moment of area about y, m^4; inertia_z without it"},
    {FORCES("beam", "inertia_z"), TRMI_KEY_NUMBER, .need = TRMI_KEY_REQUIRED,
     .help = "second moment of area about z (plane: the normal), m^4"},
    {FORCES("beam", "torsion"), TRMI_KEY_NUMBER, .preset = "null",
     .help = "m^4; inertia_y + inertia_z without it"},
    {FORCES("beam", "shear"), TRMI_KEY_NUMBER, .preset = "0",
     .help = "shear correction factor; 0: no shear deformation"},
    {FORCES("beam", "damping"), TRMI_KEY_NUMBER, .preset = "0",
     .help = "damping = this times stiffness, s"},
    DIRECTION(FORCES("beam", "y"), TRMI_KEY_OPTIONAL, "direction of the y-axis of its section")
    {FORCES("bump-stop", "gap"), TRMI_KEY_NUMBER, .need = TRMI_KEY_REQUIRED,
     .help = "it pushes when the points are nearer than this, m"},
    {FORCES("bump-stop,contact", "exponent"), TRMI_KEY_NUMBER, .preset = "1.5",
     .help = "n, above 1"},
    {FORCES("contact", "radius"), TRMI_KEY_NUMBER, .need = TRMI_KEY_REQUIRED,
     .help = "of the sphere, m"},
    {FORCES("contact", "friction"), TRMI_KEY_NUMBER, .preset = "0", .help = "coefficient"},
    {FORCES("contact", "slip"), TRMI_KEY_NUMBER, .preset = "0.001",
     .help = "speed at which friction is fully there, m/s"},
    {FORCES("user", "library"), TRMI_KEY_TEXT, .need = TRMI_KEY_REQUIRED,
     .help = "path of a shared object"},
    {FORCES("user", "name"), TRMI_KEY_NAME, .need = TRMI_KEY_REQUIRED,
     .help = "the function it exports"},
};
// clang-format on
enum { KEY_COUNT = sizeof table / sizeof *table };

const trmi_key *trmi_mechanism_key(int index)
{
    return index >= 0 && index < KEY_COUNT ? &table[index] : NULL;
}
