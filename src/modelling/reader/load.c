// SPDX-License-Identifier: Apache-2.0
// A model file becomes a model.
#include "modelling/reader/model_type.h"
#include "modelling/reader/parts.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// an upper bound of the number of names in the file
static int count_names(const trmi_item *root)
{
    static const char *const sections[] = {"parameters",
                                           "equations.define",
                                           "equations.inputs",
                                           "equations.coordinates",
                                           "equations.coordinates",
                                           "equations.states",
                                           "equations.algebraic",
                                           "equations.constraints",
                                           "equations.velocity_constraints",
                                           "mechanism.inputs",
                                           "mechanism.define",
                                           "mechanism.states",
                                           "mechanism.algebraic"};
    int count = 0;
    for (size_t k = 0; k < sizeof sections / sizeof *sections; k++) {
        const trmi_item *section = trmi_item_path(root, sections[k]);
        count += section ? section->count : 0;
    }
    return count;
}

// the name in the file, or that of the file
static const char *model_name(trmi_reading *r)
{
    const trmi_item *name = trmi_item_find(r->root, "name");
    if (name && name->kind == TRMI_SCALAR && name->text[0])
        return trmi_keep_line(r, name->text);
    const char *slash = strrchr(r->model->path, '/'), *base = slash ? slash + 1 : r->model->path;
    char text[256];
    snprintf(text, sizeof text, "%.200s", base);
    char *dot = strrchr(text, '.');
    if (dot && dot != text)
        *dot = '\0';
    return trmi_keep_text(r, text);
}

static void warn_unused(trmi_reading *r)
{
    for (int i = 0; i < r->symbols.count; i++) {
        const trmi_symbol *s = &r->symbols.symbol[i];
        if (s->kind <= TRMI_SYMBOL_EXCITATION && !s->used && s->item)
            trmi_warn(r->document, s->item, "%s '%s' is not used",
                      trmi_symbol_kind_text(s->kind) + (s->kind == TRMI_SYMBOL_EXCITATION ? 3 : 2),
                      s->name);
    }
    trmi_finish_tables(r);
}

// Whether the sections are maps, so that their entries have names. Reported otherwise.
static bool sections_are_maps(const trmi_item *root)
{
    const trmi_key *key;
    for (int k = 0; (key = trmi_key_row(k)); k++) {
        const trmi_item *item =
            key->kind == TRMI_KEY_SECTION ? trmi_item_path(root, key->path) : NULL;
        if (item && item->kind != TRMI_MAP && !trmi_item_null(item))
            return false;
    }
    return root->kind == TRMI_MAP;
}

static void read_all(trmi_reading *r)
{
    static const trmi_model_type *const types[] = {&trmi_equation_model, &trmi_problem_model,
                                                   &trmi_mechanism_model, NULL};
    const trmi_item *section = NULL;
    for (int k = 0; types[k] && !section; k++)
        if ((section = trmi_item_find(r->root, types[k]->section)))
            r->model->type = types[k];
    trmi_read_parameters(r);
    trmi_keep_values(r);
    trmi_read_tables(r);
    if (section)
        r->model->type->read(r, section);
    bool known = r->model->layout.count > 0; // names of the unknowns exist
    if (!known)
        return;
    uint64_t beside = 0; // parameters that enter here do not enter the system
    r->noted = &beside;
    trmi_read_initial(r);
    trmi_read_settings(r);
    trmi_read_extras(r);
    trmi_check_channels(r);
    trmi_read_trim(r);
    trmi_check_extent(r);
    r->noted = NULL;
    if (trmi_document_errors(r->document) == 0)
        warn_unused(r);
}

// whether there was no memory at some point: then what was read is incomplete
static bool lacks_memory(const trmi_reading *r)
{
    return r->failed || r->graph.failed || r->memory->failed || r->scratch->failed ||
           r->model->kept.memory.failed;
}

static trm_status finish(trmi_reading *r, trm_error *error)
{
    trm_model *m = r->model;
    int errors = trmi_document_errors(r->document);
    if (lacks_memory(r))
        return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the model");
    if (errors > 0)
        return error->status = r->apart && errors == 1 ? TRM_ERR_INITIAL : TRM_ERR_MODEL;
    bool good = m->name && m->extras;
    return good ? TRM_OK : trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the model");
}

// hands messages on and keeps the first error
typedef struct relay {
    const trm_load *load;
    trm_error *error;
    const trmi_reading *reading;
} relay;

static void pass_on(const trm_diagnostic *d, void *user)
{
    relay *to = user;
    if (lacks_memory(to->reading)) // not a mistake of the file
        return;
    if (d->error && to->error && to->error->status == TRM_OK) {
        size_t length = strlen(d->file); // the end of the path is what counts
        trmi_error_set(to->error, TRM_ERR_MODEL, "%s", d->text);
        trmi_error_item(to->error, "%s:%d:%d", d->file + (length > 40 ? length - 40 : 0), d->line,
                        d->column);
    }
    if (to->load && to->load->report)
        to->load->report(d, to->load->user);
}

// whether an assignment decides what the file consists of
static bool chooses_content(const char *assignment)
{
    return strncmp(assignment, "variant", strlen("variant")) == 0 ||
           strncmp(assignment, "include", strlen("include")) == 0;
}

// the assignments of the caller that choose content, or the others, which go above all content
static void set_values(trmi_reading *r, const trm_load *load, bool content)
{
    for (const char *const *set = load ? load->set : NULL; set && *set; set++)
        if (chooses_content(*set) == content)
            trmi_document_set(r->document, *set);
}

// the document with all that is included, written out in full and checked
static void prepare_document(trmi_reading *r)
{
    const trm_load *load = r->load;
    set_values(r, load, true);
    trmi_include_files(r);
    trmi_take_variants(r);
    set_values(r, load, false);
    r->failed = !trmi_expand_parts(r->document) || r->failed;
    r->failed = !trmi_keys_convert_units(r->document) || r->failed;
    trmi_expand_samples(r->document);
    r->failed = !trmi_keys_check(r->document, &trmi_model_keys) || r->failed;
    if (load && load->vary && !r->failed)
        trmi_keep_variation(r);
}

// the document becomes the model
static void read_document(trmi_reading *r)
{
    trm_model *m = r->model;
    r->root = trmi_document_root(r->document);
    const char *whole = trmi_document_text(r->document, &m->text_length);
    m->text = trmi_keep_text(r, whole ? whole : "");
    if (!r->failed && trmi_document_errors(r->document) == 0)
        trmi_expand_inputs(r);
    r->root = trmi_document_root(r->document);
    if (r->failed || !m->text ||
        !trmi_symbols_create(&r->symbols, r->scratch, count_names(r->root))) {
        r->failed = true;
        return;
    }
    trmi_read_fingerprint(r);
    trmi_take_channels(r);
    m->name = model_name(r);
    if (sections_are_maps(r->root))
        read_all(r);
    trmi_document_conclude(r->document);
}

// Where a model comes from.
typedef struct origin {
    const char *path;
    const char *text; // NULL: the file at the path
    size_t length;
    const trm_load *load;
    bool apart;            // see trmi_model_load_apart
    const trm_model *like; // not NULL: this model, with these values of its parameters
    const double *values;
    const char *by; // not NULL: derivatives of its equations by this parameter
} origin;

static trmi_document *open_document(const origin *from, trmi_reading *r, relay *to)
{
    trmi_memory *kept = &r->model->kept.memory; // where nothing is kept it is released
    if (from->like)
        return trmi_varied_document(from->like, from->values, r->scratch, pass_on, to);
    return from->text ? trmi_document_read(kept, from->path, from->text, from->length, pass_on, to)
                      : trmi_document_load(kept, from->path, pass_on, to);
}

static trm_status read_model(trm_model **out, const origin *from, trm_error *error)
{
    *out = NULL;
    trm_error local;
    error = error ? error : &local;
    trmi_error_clear(error);
    trmi_memory memory, scratch; // of the model, and of what is needed to read it
    trmi_memory_init(&memory, NULL);
    trmi_memory_init(&scratch, NULL);
    trm_model *m;
    trmi_reading r = {.memory = &memory,
                      .scratch = &scratch,
                      .load = from->load,
                      .by = from->by,
                      .texts = {.memory = &memory},
                      .passing = {.memory = &scratch}};
    relay to = {from->load, error, &r};
    trm_status status = TRM_ERR_MEMORY;
    if (TRMI_TAKE(&memory, m, 1)) {
        trmi_memory_init(&m->kept.memory, NULL);
        m->path = trmi_keep_text(&r, from->path);
        m->options = trm_options_default();
        m->schedule.end = NAN;
        r.model = m;
        r.document = open_document(from, &r, &to);
    }
    if (r.document && m->path) {
        if (!from->like)
            prepare_document(&r);
        read_document(&r);
        status = finish(&r, error);
    } else if (error->status != TRM_OK && !lacks_memory(&r)) {
        status = error->status;
    }
    if (status == TRM_ERR_MEMORY)
        trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the model");
    trmi_graph_release(&r.graph);
    trmi_derive_release(&r.derive);
    trmi_forward_release(&r.time);
    trmi_memory_release_all(&scratch);
    if (m) {
        m->memory = memory;
        trmi_channel_names_release(m->channel_names); // only the formulas of the file needed them
        if (!m->kept.document)
            trmi_memory_release_all(&m->kept.memory);
    }
    if (status == TRM_OK || (status == TRM_ERR_INITIAL && from->apart))
        *out = m;
    else if (m)
        trm_model_destroy(m);
    return status;
}

trm_status trm_model_load(trm_model **out, const char *path, const trm_load *load, trm_error *error)
{
    TRMI_REQUIRE(error, out, "out");
    *out = NULL;
    TRMI_REQUIRE(error, path, "path");
    return read_model(out, &(origin){.path = path, .load = load}, error);
}

trm_status trmi_model_load_apart(trm_model **out, const char *path, const trm_load *load,
                                 trm_error *error)
{
    return read_model(out, &(origin){.path = path, .load = load, .apart = true}, error);
}

trm_status trm_model_read(trm_model **out, const char *text, size_t length, const char *name,
                          const trm_load *load, trm_error *error)
{
    TRMI_REQUIRE(error, out, "out");
    *out = NULL;
    TRMI_REQUIRE(error, text, "text");
    const origin from = {
        .path = name ? name : "model", .text = text, .length = length, .load = load};
    return read_model(out, &from, error);
}

static trm_status vary(trm_model **out, const trm_model *model, const double *values,
                       const char *by, trm_error *error)
{
    const trmi_kept_file *v = &model->kept;
    trmi_error_clear(error);
    if (!v->document)
        return trmi_error_set(error, TRM_ERR_RANGE,
                              "the model was loaded without names of parameters that vary");
    for (int k = 0; k < v->count; k++)
        if (!isfinite(values[k])) {
            trmi_error_item(error, "%s", v->name[k]);
            return trmi_error_set(error, TRM_ERR_RANGE, "parameter '%.60s' is %g", v->name[k],
                                  values[k]);
        }
    const origin from = {
        .path = model->path, .load = &v->load, .like = model, .values = values, .by = by};
    return read_model(out, &from, error);
}

trm_status trm_model_vary(trm_model **out, const trm_model *model, const double *values,
                          trm_error *error)
{
    TRMI_REQUIRE(error, out, "out");
    *out = NULL;
    TRMI_REQUIRE(error, model, "model");
    TRMI_REQUIRE(error, values, "values");
    return vary(out, model, values, NULL, error);
}

trm_status trmi_model_differentiate(trm_model **out, const trm_model *model, const double *values,
                                    int parameter, trm_error *error)
{
    *out = NULL;
    if (model->type != &trmi_equation_model || model->parameters > 0)
        return TRM_OK;
    return vary(out, model, values, model->kept.name[parameter], error);
}
