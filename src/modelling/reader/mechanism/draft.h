// SPDX-License-Identifier: Apache-2.0
// What the parts of the reader share while a mechanism is read. The keys are checked before: every
// item has the kind given in the table of keys.
#ifndef TRMI_MODELLING_READER_MECHANISM_DRAFT_H
#define TRMI_MODELLING_READER_MECHANISM_DRAFT_H

#include "modelling/multibody/forces/force.h"
#include "modelling/multibody/forces/tyre_law.h"
#include "modelling/multibody/joints/joints.h"
#include "modelling/reader/parts.h"
#include "modelling/reader/reading.h"

// A formula that waits for its place on the tape.
typedef struct trmi_pending {
    trmi_node node;
    trmi_formula *formula;
    const trmi_item *item; // in the file
    int force;             // whose formula it is; TRMI_NOTHING: a rate or an equation
} trmi_pending;

typedef struct trmi_draft {
    trmi_reading *r;
    trmi_mechanism *mechanism; // its arrays are those below
    trmi_body *body;
    trmi_mesh *mesh; // the first file of a shape
    int meshes;
    trmi_joint *joint;
    trmi_force **force;
    int linked;  // joints so far, with those between nodes of beams, which are after the others
    int coupled; // forces so far, with those between nodes of beams in space, which come last
    trmi_flexible *flexible; // all beams; those in space are not elastic bodies of the machine
    int beams;
    bool spatial;                        // known before the plane is read
    trmi_v3 *origin;                     // of the frame of each body,
    trmi_m3 *axes;                       // and its axes in the reference configuration
    trmi_symbols bodies, joints, forces; // names with their items, numbered as in the mechanism
    trmi_symbols points;                 // likewise
    trmi_body_point *point;
    trmi_effect *effect; // those of formulas of forces first, then of outputs
    int effects, effect_capacity;
    bool observing;        // reactions that are named must be known without accelerations
    int acting;            // the force that is read; TRMI_NOTHING: none
    uint64_t *law_follows; // where it is noted what numbers of its law follow from; NULL: nowhere
    trmi_signal *signal;   // those of formulas of forces first, then of outputs
    int signals, signal_capacity;
    trmi_pending *pending;
    int pendings, pending_capacity;
    const trmi_item **output; // those that formulas of forces name
    int outputs, output_capacity;
    trmi_node *drive; // u of each
    int drives;
    trmi_node *input;  // u, u', u'' of the inputs of the file, formulas of t
    trmi_formula *law; // of states and algebraic variables
    const trmi_item **law_item;
    int relation_registers; // of the relations so far
    trmi_m3 frame;          // of the joint that is read
    trmi_joint_extra extra; // of the joint that is read
    size_t input_size;      // bytes that the parameters of any joint fit into
    trmi_m3 *kept_frame;    // frames of the last joints, which others may share
    int frames;
} trmi_draft;

enum { TRMI_FRAMES_OF_A_BLOCK = 16 };

// values.c ----------------------------------------------------------------------------------------
// False after an error, which is reported; a missing item (NULL, null) leaves the value alone.

bool trmi_draft_number(trmi_draft *d, const trmi_item *item, double *value);
// The number at a key of a map, which must be positive, or (or_zero) not negative.
bool trmi_draft_positive(trmi_draft *d, const trmi_item *map, const char *key, bool or_zero,
                         double *value);
// {LAW: {coefficient: number, ..., file: NAME.tir}}; use: what its coefficients are needed for
// (tyres.c).
void trmi_draft_tyre_law(trmi_draft *d, const trmi_item *map, unsigned use, trmi_tyre_choice *out);
// The height of a road as a formula of road_x and road_y, or of the way road_s (roads.c); NULL
// after an error.
const trmi_road *trmi_draft_road(trmi_draft *d, const trmi_item *item, bool along);
// A list of exactly n numbers; `what` begins the message.
bool trmi_draft_numbers(trmi_draft *d, const trmi_item *list, int n, double *out, const char *what);
// Three numbers, in plane models also the two of the plane; or a map with a body.
bool trmi_draft_point(trmi_draft *d, const trmi_item *item, trmi_v3 *point);
// A unit vector, in plane models in the plane unless `normal` is allowed.
bool trmi_draft_direction(trmi_draft *d, const trmi_item *item, bool normal, trmi_v3 *direction);
bool trmi_draft_frame(trmi_draft *d, const trmi_item *item, trmi_m3 *frame);
// Point and frame as they are written, not placed by the use of a part.
bool trmi_draft_written_point(trmi_draft *d, const trmi_item *item, trmi_v3 *point);
bool trmi_draft_written_frame(trmi_draft *d, const trmi_item *item, trmi_m3 *frame);
// Two bodies by name.
bool trmi_draft_between(trmi_draft *d, const trmi_item *list, int body[2]);
// Index of a name, TRMI_NOTHING after the message "there is no WHAT 'name'".
int trmi_draft_find(trmi_draft *d, const trmi_symbols *names, const trmi_item *item,
                    const char *what);

// placement.c -------------------------------------------------------------------------------------

// The use of a part that an item was copied for, with its place; NULL: none, then all below leaves
// alone what it is given.
const trmi_use *trmi_draft_use(trmi_draft *d, const trmi_item *item);
trmi_v3 trmi_place_point(const trmi_use *use, trmi_v3 p);
trmi_v3 trmi_place_direction(const trmi_use *use, trmi_v3 e); // which points somewhere, as a force
trmi_v3 trmi_place_axis(const trmi_use *use, trmi_v3 e);      // which one turns about, as a torque
trmi_m3 trmi_place_frame(const trmi_use *use, trmi_m3 F);
// Coordinates in a frame that is mirrored: L x, and entries of a tensor: L J L.
trmi_v3 trmi_mirror_local(const trmi_use *use, trmi_v3 x);
trmi_m3 trmi_mirror_tensor(const trmi_use *use, trmi_m3 J);
// Likewise a 6 x 6 matrix of forces and moments over displacements and rotations, and six of them.
void trmi_mirror_matrix(const trmi_use *use, double *K);
void trmi_mirror_six(const trmi_use *use, double *F);
// The axes of a joint that was read from the map of its type: its measures keep their values in a
// mirror image, where they can.
void trmi_place_joint(trmi_draft *d, const trmi_item *map, trmi_joint *joint, trmi_m3 *frame);
// The use that an item and a body, by its number, have in common; NULL: none.
const trmi_use *trmi_draft_common_use(trmi_draft *d, const trmi_item *item, int body);

// shapes.c ----------------------------------------------------------------------------------------

// The `shape` of a body, which has its centre; NULL: none.
void trmi_draft_shape(trmi_draft *d, const trmi_item *item, trmi_body *body);

// parameters.c ------------------------------------------------------------------------------------

// Reads the parameters of a type from its map into a struct, zeroed before; `name` is that of the
// joint or force. False after errors.
bool trmi_draft_parameters(trmi_draft *d, const trmi_item *map, const char *name,
                           const trmi_parameter *const *list, void *to);

// A joint or force while it is finished.
typedef struct trmi_type_reading {
    trmi_draft *draft;
    const trmi_item *map; // of its type
} trmi_type_reading;

// What the `finish` of its type works with.
trmi_finish trmi_draft_finish(trmi_type_reading *reading);

// The section `mechanism` (model.c).
void trmi_read_mechanism(trmi_reading *r, const trmi_item *section);

// The parts ---------------------------------------------------------------------------------------

// Reads the bodies (bodies.c).
void trmi_draft_bodies(trmi_draft *d, const trmi_item *section);
// Reads the joints (joints.c).
void trmi_draft_joints(trmi_draft *d, const trmi_item *section);
// How many bodies are nodes of beams, how many beams there are, and how many elements are joints
// between nodes, or forces between them in space (beams.c).
int trmi_draft_count_nodes(const trmi_draft *d, const trmi_item *bodies, int *beams, int *links,
                           int *forces);
// A beam in space: bodies at its nodes, and a massless beam between neighbours (space_beams.c).
void trmi_draft_space_beam(trmi_draft *d, const trmi_item *item, const trmi_flexible *f);
// The body that is node `number` of a beam: that of a tangent frame has none at its left end.
int trmi_draft_node(const trmi_draft *d, const trmi_flexible *f, int number);
// Adds the names of the nodes to those of bodies; false without memory.
bool trmi_draft_name_nodes(trmi_draft *d, const trmi_item *bodies);
// Reads a beam, the body with number b.
void trmi_draft_beam_body(trmi_draft *d, const trmi_item *item, int b);
// Replaces beams among the bodies of a joint or force by their nodes at its points.
void trmi_draft_attach(trmi_draft *d, const trmi_item *item, int body[2], trmi_v3 at,
                       trmi_v3 at_second);
// The type of a joint or force: the key inside that names it, with its map.
const trmi_item *trmi_draft_force_type(const trmi_item *force, const trmi_force_type **type);
const trmi_item *trmi_draft_joint_type(const trmi_item *joint, const trmi_joint_type **type);
// Reads start values, prescribed motion, friction and stops of a joint (motion.c).
void trmi_draft_motion(trmi_draft *d, const trmi_item *item, trmi_joint *joint);
// Memory for what few joints have; NULL without memory.
trmi_joint_extra *trmi_draft_extra(trmi_draft *d, trmi_joint *joint);
// Values of `initial` that are measures of joints are start values too.
void trmi_draft_initial(trmi_draft *d, const trmi_item *values);
// Reads the forces (forces.c).
void trmi_draft_forces(trmi_draft *d, const trmi_item *section);
// A force with the size of its type and its name; NULL without memory.
trmi_force *trmi_draft_take_force(trmi_draft *d, const trmi_item *item);

// Reports what is well-formed but cannot be meant (check.c).
void trmi_draft_check(trmi_draft *d, const trmi_item *section);
void trmi_draft_check_tyres(trmi_draft *d);

// From the description to the system, its names and its state at the start (system.c).
void trmi_read_machine(trmi_draft *d);
// Names of coordinates, multipliers, poses and reactions (names.c); false without memory.
bool trmi_name_unknowns(trmi_reading *r);

// signals.c ---------------------------------------------------------------------------------------

// Signals that the texts below an item name become symbols.
void trmi_draft_signals(trmi_draft *d, const trmi_item *item);
// Likewise what events set: a rate that is not a velocity of the system is refused by what it is.
void trmi_draft_targets(trmi_draft *d, const trmi_item *events);
void trmi_draft_name_signal(trmi_draft *d, const char *name);
// Visits the names of all signals (model_type.h).
void trmi_draft_walk_signals(trmi_reading *r, trmi_signal_visit *visit, void *to);
// What a name such as "pivot_angle" or "crank_x_rate" means. False when it is not a signal.
bool trmi_draft_signal(const trmi_draft *d, const char *name, trmi_signal *signal, bool *rate);

// outputs.c ---------------------------------------------------------------------------------------

// Finds the outputs that formulas of the mechanism name, and their signals.
void trmi_draft_want_outputs(trmi_draft *d, const trmi_item *section);

// Reads the formulas of these outputs, once all symbols have nodes.
void trmi_draft_define_outputs(trmi_draft *d);

// Removes the names of these outputs.
void trmi_draft_forget_outputs(trmi_draft *d);

// points.c ----------------------------------------------------------------------------------------

// Reads the points, once the bodies are read.
void trmi_draft_points(trmi_draft *d, const trmi_item *section);
// What part of a point a name means, "x_rate" or "wy". False: nothing.
bool trmi_draft_point_signal(const trmi_draft *d, const char *part, trmi_signal *signal,
                             bool *rate);

// Signals of the axes of points that forces name: `axes_of`.
void trmi_draft_axes_signals(trmi_draft *d, const trmi_item *forces);
// Components in the axes of that point become global ones.
void trmi_draft_turn_components(trmi_draft *d, const trmi_item *map, trmi_node component[3]);

// effects.c ---------------------------------------------------------------------------------------

// What a name such as "strut_force" or "pin_fx" means; false when it is nothing of that kind
// (signals.c).
bool trmi_draft_find_effect(const trmi_draft *d, const char *name, trmi_effect *effect);
// What part of a force or joint a name means, "force" or "fx". False: nothing.
bool trmi_draft_effect(const trmi_draft *d, bool joint, int index, const char *part,
                       trmi_effect *effect);
// Reports forces whose formulas use each other in a ring, once the effects of formulas are known;
// false then (rings.c).
bool trmi_draft_check_rings(trmi_draft *d);
// Makes channels of what forces and joints do, once they are read.
void trmi_draft_force_channels(trmi_draft *d);

// unknowns.c --------------------------------------------------------------------------------------

// Names of inputs, definitions, states and algebraic variables; false without memory.
bool trmi_draft_name_unknowns(trmi_draft *d, const trmi_item *section);
// Reads inputs and definitions, once all symbols have nodes. Inputs are their formulas of t then.
void trmi_draft_definitions(trmi_draft *d, const trmi_item *section);
// From now on inputs are variables of their own; they become the last drives.
void trmi_draft_place_inputs(trmi_draft *d, const trmi_item *section);
// Reads rates of states and equations of algebraic variables.
void trmi_draft_laws(trmi_draft *d);
// Inputs and definitions once more, for formulas of outputs and events.
void trmi_read_definitions_again(trmi_reading *r);
// Values of states and algebraic variables at the start; false without memory.
bool trmi_draft_law_start(const trmi_draft *d, trm_initial *start);

// arguments.c -------------------------------------------------------------------------------------

// What a function from a shared object gets.
typedef struct trmi_argument {
    trmi_node node;
    const trmi_item *item;
} trmi_argument;

// Signals, then parameters, from the maps at the keys `signals` and `parameters`, in the order of
// the names of the function; the formulas of signals may use `uses`. NULL without memory.
trmi_argument *trmi_draft_arguments(trmi_draft *d, const trmi_item *map,
                                    const char *const *signal_name,
                                    const char *const *parameter_name, unsigned uses, int *signals,
                                    int *parameters);
// A force with its signals and parameters.
void trmi_draft_user_force(trmi_draft *d, const trmi_item *map, const trm_user_force *force,
                           trmi_user_code *out);

// formulas.c --------------------------------------------------------------------------------------

// What formulas of forces may use.
enum {
    TRMI_FORCE_USES = TRMI_USES_TIME | TRMI_USES_POSITIONS | TRMI_USES_VELOCITIES |
                      TRMI_USES_STATES | TRMI_USES_ALGEBRAIC | TRMI_USES_MULTIPLIERS
};

// A formula of t, inputs, signals, states, algebraic variables and effects, times a factor.
void trmi_draft_formula(trmi_draft *d, const trmi_item *item, double factor, trmi_formula *out);
// Its node in the graph, and what becomes of a node that was made of such.
trmi_node trmi_draft_force_node(trmi_draft *d, const trmi_item *item);
void trmi_draft_keep_formula(trmi_draft *d, const trmi_item *item, trmi_node node,
                             trmi_formula *out);
// A formula of t and positions that is zero, with its derivatives (relations.c); NULL after an
// error, which is reported.
const trmi_relation *trmi_draft_relation(trmi_draft *d, const trmi_item *item);
// The same with a function from the shared object at the key `library` of a map (relations.c).
const trmi_relation *trmi_draft_relation_code(trmi_draft *d, const trmi_item *map);
// The derivative of a node by one input (relations.c).
trmi_node trmi_draft_derivative(trmi_draft *d, trmi_node node, int input);
// Signals that the relations among the joints name become symbols (relations.c).
void trmi_draft_relation_signals(trmi_draft *d, const trmi_item *joints);
// A formula of t for a prescribed motion; its index.
int trmi_draft_drive(trmi_draft *d, const trmi_item *item);
// The tape of all formulas.
void trmi_draft_tape(trmi_draft *d);

#endif
