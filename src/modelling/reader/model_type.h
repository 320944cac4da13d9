// SPDX-License-Identifier: Apache-2.0
// What kinds of models do differently: a table of functions for each, in a file of its own
// (equations/equation_model.c, mechanism/mechanism_model.c, problem_model.c). All others go through
// the table; none asks which kind a model is.
#ifndef TRMI_MODELLING_READER_MODEL_TYPE_H
#define TRMI_MODELLING_READER_MODEL_TYPE_H

#include "modelling/reader/reading.h"

// Only functions marked so may be NULL.
struct trmi_model_type {
    const char *section; // of the file, which makes a model one of this type

    // ---- while the file is read ----

    // Reads the section into the model: its system, names and start. Without a layout there is
    // nothing to go on with; why is reported.
    void (*read)(trmi_reading *r, const trmi_item *section);
    // Visits the names of all measures and rates that formulas may use. May be NULL: there are no
    // such names.
    void (*walk_signals)(trmi_reading *r, trmi_signal_visit *visit, void *to);

    // ---- of a model ----

    // Gives back what does not lie in the memory of the model. May be NULL.
    void (*release)(trm_model *m);
    // The place of a row of the constraints in the file. May be NULL: there is none.
    trmi_line_column (*row_place)(const trm_model *m, int row);
    // The mechanism as the solver has it. May be NULL: it is none.
    const trmi_machine *(*machine)(const trm_model *m);
    // Marks channels for trmi_model_mark_open, besides multipliers. May be NULL.
    void (*mark_open)(const trm_model *model, const trm_simulation *simulation, bool *open);
    // Sets the text of channels that need a description (trmi_model_describe). May be NULL.
    void (*describe)(const trm_model *m, const trm_simulation *simulation, const char **text);

    // ---- of an instance ----

    // Takes the workspace of the instance and completes its system. May be NULL: the system of the
    // model serves all instances.
    trm_status (*create_instance)(trm_instance *i, trm_error *error);
    // The parameters of the instance have new values. May be NULL.
    void (*set_parameters)(trm_instance *i);
    // Inputs of formulas that follow from a state but are not part of it. May be NULL.
    void (*set_inputs)(const trm_instance *i, const trm_state *state, double *reg);
    // Moves the workspace to a state, before energies, powers or channels there. May be NULL.
    void (*set_state)(trm_instance *i, const trm_state *state);
    // The channels TRM_CHANNEL_BODY and TRM_CHANNEL_REACTION. May be NULL: there are none.
    void (*bodies_and_reactions)(trm_instance *i, const trm_state *state, double *values);
    // The channels TRM_CHANNEL_FORCE. May be NULL: there are none.
    void (*forces)(trm_instance *i, const trm_state *state, double *values);
    // Kinetic and potential energy. May be NULL: they are not known.
    void (*energies)(trm_instance *i, const trm_state *state, double energy[2]);
    // Power supplied and dissipated; false when they have no value. May be NULL: not known.
    bool (*powers)(trm_instance *i, const trm_state *state, double power[2]);
    // Positions and velocities as entries of `initial.values`. False: no memory.
    bool (*start_values)(trm_instance *i, const trm_state *state, trmi_value_sink *sink, void *to);
    // Adds to an error about a value that is not finite which formula it comes from. May be NULL.
    void (*explain)(const trm_instance *i, trm_error *error);
};

extern const trmi_model_type trmi_equation_model;  // equations/equation_model.c
extern const trmi_model_type trmi_problem_model;   // problem_model.c
extern const trmi_model_type trmi_mechanism_model; // mechanism/mechanism_model.c

// instance.c: the state itself as inputs of formulas.
void trmi_copy_state(const trm_instance *i, const trm_state *state, double *reg);
// instance.c: registers of a tape with the parameters of the instance.
void trmi_prepare_registers(const trm_instance *i, const trmi_tape *tape, double *reg);
// instance.c: after the parameters have changed.
void trmi_instance_prepare(trm_instance *i);
// instance.c: `start_values` of systems whose unknowns are the channels.
bool trmi_start_channels(trm_instance *i, const trm_state *state, trmi_value_sink *sink, void *to);

// fault_text.c: the operation that failed with its operands, as in "sqrt of x = -1".
void trmi_fault_words(const trm_model *m, const trmi_tape_fault *fault, char *out, size_t size);
// fault_text.c: adds to an error the operation of a formula that has no value, its operands and the
// place of the formula.
void trmi_explain_fault(trm_error *error, const trm_model *m, trmi_line_column place,
                        bool derivative, const trmi_tape_fault *fault);

#endif
