// SPDX-License-Identifier: Apache-2.0
// What the parts of the reader share while a model file is read.
#ifndef TRMI_MODELLING_READER_READING_H
#define TRMI_MODELLING_READER_READING_H

#include "base/texts.h"
#include "modelling/expression/derive.h"
#include "modelling/expression/kinks.h"
#include "modelling/reader/keys/keys.h"
#include "modelling/reader/model.h"
#include "modelling/reader/symbols.h"
#include "modelling/reader/yaml/document.h"

typedef struct trmi_reading {
    trm_model *model;
    const trm_load *load; // NULL: nothing is asked for
    trmi_memory *memory;  // of the model
    trmi_memory *scratch; // of the document and of all that is released when it is read
    trmi_texts texts;     // that live as long as the model
    trmi_texts passing;   // that live as long as the document
    trmi_document *document;
    const trmi_item *root;
    trmi_graph graph;
    trmi_derive derive;
    trmi_forward time;    // rates of formulas of t and inputs, equation models
    trmi_node *direction; // what time does to the inputs of the graph
    trmi_node *formula;   // what inputs are as functions of t, TRMI_NO_NODE: none
    trmi_symbols symbols;
    double *parameter_input;   // layout.count inputs with the parameters' first values; NULL before
    bool has_energy;           // equation models with `energy`
    trmi_node energy[2];       // kinetic and potential
    const trmi_item *channels; // `outputs.channels`; NULL: none
    const char *by; // not NULL: derivatives by this parameter take the place of equations
    bool failed;    // no memory at some point
    bool apart;     // a mechanism that cannot be assembled, which has been reported
    // the formula at hand
    const trmi_item *item;
    unsigned allowed, uses;        // what it may use, and what it has used so far
    uint64_t follows;              // from which parameters that vary, so far
    uint64_t *noted;               // where that is noted; NULL: they enter the system with it
    const char *subject;           // "mass", for messages
    const trmi_symbol *definition; // what it defines, if it does
} trmi_reading;

// Copies a text into the model's memory; NULL when there is none.
const char *trmi_keep_text(trmi_reading *r, const char *text);
// The same in one line, for names, units and messages: ends of lines become spaces, those at the
// end vanish.
const char *trmi_keep_line(trmi_reading *r, const char *text);
// Adds a file to those that the model is read from.
void trmi_note_source(trmi_reading *r, const char *path);

// formula.c ---------------------------------------------------------------------------------------

// The node of a formula (or number) at an item; errors are reported and the constant 0 returned.
// `subject` is what may depend on `allowed` only ("mass", "constraint circle"), for messages.
trmi_node trmi_read_formula(trmi_reading *r, const trmi_item *item, unsigned allowed,
                            const char *subject);

// A number, or a formula of parameters with their first values. False when there is none: item NULL
// or null, or an error that is reported.
bool trmi_read_number(trmi_reading *r, const trmi_item *item, double *value);
// The same; a number too large or too small for the arithmetic is an error too (magnitude.c).
bool trmi_read_quantity(trmi_reading *r, const trmi_item *item, double *value);

// Adds a name to the symbols; reports names that formulas cannot use or that are taken. NULL after
// an error.
trmi_symbol *trmi_introduce(trmi_reading *r, const trmi_item *item, const char *name,
                            trmi_symbol_kind kind, int index);

// Adds the names of a section of formulas.
void trmi_introduce_all(trmi_reading *r, const trmi_item *section, trmi_symbol_kind kind);
// Reads the formulas of such a section in order: each may use those above it.
void trmi_read_definitions(trmi_reading *r, const trmi_item *section, unsigned allowed,
                           const char *subject);

// Begins rates of formulas along time, for the present layout: t, and excitations of the system.
// False: no memory (equations/inputs.c).
bool trmi_begin_time(trmi_reading *r);
// Inputs, which are formulas of t so far, become variables of their own; their formulas u, then all
// u', then all u'' go into out (equations/inputs.c).
void trmi_vary_inputs(trmi_reading *r, trmi_node *out);

// Conditions by state.
typedef struct trmi_conditions {
    int count;
    trmi_node gap[3 * TRMI_MAX_KINKS];  // s, s', s'' of each
    trmi_node bend[2 * TRMI_MAX_KINKS]; // s, s'', NaN where bounds are unknown or of no use
    bool bends;                         // there is one
    bool of_multipliers;                // one of them is: its s', s'' are NaN
} trmi_conditions;

// Replaces the outputs of a tape by those with locks of their conditions by state, which are inputs
// from layout.count on (expression/kinks.h). state_rate: formulas of the rates of x. False: no
// memory (conditions.c).
bool trmi_separate_kinks(trmi_reading *r, trmi_tape_output *output, int outputs,
                         const trmi_node *state_rate, trmi_conditions *out);

// A formula of the equations, and its place in the file.
typedef struct trmi_placed_node {
    trmi_node node;
    const trmi_item *item;
} trmi_placed_node;

// In a model that is to have sensitivities: reports formulas that jump with effects, algebraic
// variables or multipliers, where no step ends, and warns of those that have a corner there.
// whole, per effect: it is 0 or 1, whether a contact acts; NULL: none is (conditions.c).
void trmi_refuse_unseen_jumps(trmi_reading *r, const trmi_placed_node *formula, int formulas,
                              const bool *whole);

// Whether a list has this length; reports it otherwise. A value that is not a list was reported
// with the keys, and so was a missing section of coordinates.
bool trmi_check_length(trmi_reading *r, const trmi_item *list, int length, const char *subject);

// The parts ---------------------------------------------------------------------------------------

// Keeps the document for trm_model_vary and goes on with a copy of it; names that are not
// parameters are reported (variation.c).
void trmi_keep_variation(trmi_reading *r);
// Marks these parameters, once their names are known, so that formulas note what follows from them
// (variation.c).
void trmi_mark_varied(trmi_reading *r);
// The values of these parameters, once parameters were read (variation.c).
void trmi_keep_values(trmi_reading *r);
// The document of a model with these values in the place of those parameters; NULL: no memory
// (variation.c).
trmi_document *trmi_varied_document(const trm_model *model, const double *values,
                                    trmi_memory *memory, trm_diagnostic_function *report,
                                    void *user);
void trmi_read_fingerprint(trmi_reading *r); // fingerprint.c
// The contents of a file that decide the motion as the text of the model does.
void trmi_fingerprint_file(trmi_reading *r, const char *path);
void trmi_read_parameters(trmi_reading *r); // parameters.c
// Joins the sections of files that the model includes with its own (include.c).
void trmi_include_files(trmi_reading *r);
// Lays the variants that the key `variant` names over the model (variants.c).
void trmi_take_variants(trmi_reading *r);
// Writes out the section `mechanism.samples` as parameters and events (samples.c).
void trmi_expand_samples(trmi_document *document);
// One assignment as of --set, at the place of an item (samples.c).
void trmi_assign_at(trmi_document *document, const char *path, const char *value,
                    const trmi_item *origin);
// outside.c: writes out inputs from outside as formulas of parameters.
void trmi_expand_inputs(trmi_reading *r);
// outside.c: marks these parameters as variable.
void trmi_mark_outside(trmi_reading *r);
// outside.c: numbers them, once they have places.
void trmi_number_outside(trmi_reading *r);
void trmi_read_tables(trmi_reading *r); // tables.c
// After all formulas: completes tables that paths use, reports those that no formula uses
// (tables.c).
void trmi_finish_tables(trmi_reading *r);
void trmi_read_settings(trmi_reading *r); // settings.c
// The integrator that the file asks for, before its settings are read (settings.c).
trm_integrator trmi_read_integrator(const trmi_reading *r);
void trmi_check_extent(trmi_reading *r); // output_size.c
// Takes `outputs.channels` out of the outputs and keeps it (channels.c).
void trmi_take_channels(trmi_reading *r);
// Reports patterns that no channel has, when all names are known (channels.c).
void trmi_check_channels(trmi_reading *r);
void trmi_read_initial(trmi_reading *r); // initial.c
void trmi_read_extras(trmi_reading *r);  // extras.c: outputs, events
void trmi_read_units(trmi_reading *r);   // units.c
void trmi_read_trim(trmi_reading *r);    // trim.c: equilibrium

// Makes the layout of the inputs, when the sizes of the system are known, and inputs of the
// parameters that events set; `seconds` signals have accelerations. False: no memory
// (parameters.c).
bool trmi_place_parameters(trmi_reading *r, int seconds);

// The layout of the inputs for a system of these sizes; `seconds` signals have accelerations.
trmi_layout trmi_layout_of(const trm_system *system, int signals, int seconds, int effects,
                           int parameters);
// Gives the unknowns their nodes, after layout and names are known.
void trmi_place_unknowns(trmi_reading *r);
// Reserves memory for so many more symbols, whose addresses may change. False: no memory.
bool trmi_symbols_reserve(trmi_reading *r, int more);

// Names that were probably meant. After so many errors that no more are shown there are none.

// The symbol that a formula may use; NULL when none is near.
const char *trmi_nearest_symbol(const trmi_reading *r, const char *name, unsigned allowed);
// The signal of a mechanism, or the name itself when it is one; NULL when none is near. force:
// whether it is a force or reaction; NULL: these are not meant.
const char *trmi_nearest_signal(trmi_reading *r, const char *name, bool *force);
// Takes the name of a signal, or (force) of a force or reaction.
typedef void trmi_signal_visit(void *to, const char *name, bool force);
// Visits the names of all signals of a mechanism.
void trmi_walk_signals(trmi_reading *r, trmi_signal_visit *visit, void *to);

#endif
