// SPDX-License-Identifier: Apache-2.0
// A report as one HTML file: title, summary, plots, events. No scripts, nothing from the network,
// light or dark as the reader prefers.
#ifndef TRMI_PROGRAM_PLOT_PAGE_H
#define TRMI_PROGRAM_PLOT_PAGE_H

#include "program/plot/scatter_plot.h"

typedef struct trmi_page_pair {
    const char *key, *value;
    const char *link; // to a page about it, before the value; NULL: none
} trmi_page_pair;

typedef struct trmi_page_event {
    double t; // s
    const char *name, *text;
} trmi_page_event;

// A run of a study, and the command that shows it.
typedef struct trmi_page_run {
    int64_t number;
    const char *command;
    const char *link; // to its page; NULL: none
} trmi_page_run;

// Every text may be NULL, every count 0.
typedef struct trmi_page {
    const char *title;
    const char *heading; // of the summary; NULL: "Run"
    const trmi_page_pair *summary;
    int pairs;
    const trmi_plot *plot; // width and theme are set by the page
    int plots;
    const trmi_scatter_plot *scatter; // after the plots; its points lead to the runs. NULL: none
    const trmi_page_run *run;
    int64_t runs, all_runs; // listed, and of the study
    const trmi_page_event *event;
    int64_t events; // a long table ends with the number of those left out
    trmi_theme theme;
} trmi_page;

// Writes the page; ferror(out) reports failures, and false that there was no memory. It is HTML and
// well-formed XML. Each plot is in it twice, for wide and for narrow screens (telephones), of which
// one is displayed; their lines are in it once.
bool trmi_page_html(FILE *out, const trmi_page *page);

#endif
