// SPDX-License-Identifier: Apache-2.0
// The page of the viewer: one HTML file with the data of one or several runs and the program that
// shows them (folder viewer/), without anything from outside. The data are one JSON object,
//
//     {"version": 1, "live": true,                                             of --watch only
//      "runs": [{"title", "path", "status", "text", "summary", "scene", "notes",
//                              "time": series, "steps": series,
//                              "channels": [{"group", "name", "unit", "series"}],
//                              "events": [{"t", "name", "text"}],
//                              "problems": [...], "facts": {...}}]}            of models only
//
// with series as in series.h; channels of the group "solver" are over "steps", all others over
// "time". Those of the group "body" are the poses of the bodies of the scene, one after another.
#ifndef TRMI_PROGRAM_VIEW_VIEW_PAGE_H
#define TRMI_PROGRAM_VIEW_VIEW_PAGE_H

#include "program/files/json.h"
#include "program/files/reader.h"
#include "trammel/model.h"

#include <stdio.h>

// Made from the folder viewer/ by the build; without it there is none, and the size is 0.
extern const unsigned char trmi_viewer_bundle[];
extern const size_t trmi_viewer_bundle_size;

typedef struct trmi_view_limits {
    int64_t frames; // rows of the output grid at most; 0: as many as a page bears
} trmi_view_limits;

// Begins the data; runs are added next.
void trmi_view_begin(trmi_json *json);
// Adds a result as a run.
trm_status trmi_view_add_result(trmi_json *json, trmi_result *result, const char *path,
                                trmi_view_limits limits, trm_error *error);
// What is shown of a model that was not run. Texts are JSON.
typedef struct trmi_view_model {
    const trm_model *model;
    const double *values; // poses, reactions, outputs; NULL: the model could not be assembled
    const char *problems; // [{"error": true, "line": 3, "text": "..."}]
    const char *facts;    // {"coordinates": 3, "constraints": 2, "rank": 2, "mobility": 1}
} trmi_view_model;

// Adds a mechanism at its start, or in its reference configuration.
void trmi_view_add_model(trmi_json *json, const trmi_view_model *view);
// Ends the data; live: of a run that goes on, the page asks its server for more.
void trmi_view_end(trmi_json *json, bool live);
// Writes the page of data that have ended.
void trmi_view_write_page(FILE *out, const char *title, const char *data);
// Ends the data and writes the page; error has the reason when that fails.
trm_status trmi_view_write(trmi_json *json, const char *title, const char *path, trm_error *error);

#endif
