// SPDX-License-Identifier: Apache-2.0
// The figures of an experiment.
#include "program/reproduce/experiment.h"

#include "program/plot/figure.h"
#include "program/reproduce/fields.h"

#include <string.h>

// the figures of the paper that a drawing shows
static bool read_figures(trmi_experiment *e, const trmi_item *map, trmi_drawing *f)
{
    const trmi_item *list = trmi_fields_list(e->document, map, "of", TRMI_FIELD_OPTIONAL);
    if (!TRMI_TAKE(&e->memory, f->of, list ? list->count : 0))
        return false;
    for (const trmi_item *item = list ? list->child : NULL; item; item = item->next) {
        const char *name = item->kind == TRMI_SCALAR ? item->text : "";
        if (e->paper && trmi_paper_find(e->paper, name))
            f->of[f->ofs++] = name;
        else
            trmi_report(e->document, item, "%s '%.60s'",
                        e->paper ? "the paper has no" : "no paper is named that has", name);
    }
    return true;
}

static bool read_runs(trmi_experiment *e, const trmi_item *map, trmi_drawing *f)
{
    static const char *const valid[] = {"name", "set", NULL};
    trmi_document *d = e->document;
    const trmi_item *list = trmi_fields_list(d, map, "runs", TRMI_FIELD_REQUIRED);
    if (!TRMI_TAKE(&e->memory, f->run, list ? list->count : 0))
        return false;
    for (const trmi_item *item = list ? list->child : NULL; item; item = item->next) {
        if (!trmi_fields_check(d, item, "a run", valid))
            continue;
        trmi_drawn_run *run = &f->run[f->runs++];
        run->name = trmi_fields_text(d, item, "name", TRMI_FIELD_REQUIRED);
        const trmi_item *set = trmi_fields_map(d, item, "set", TRMI_FIELD_OPTIONAL);
        if (!trmi_experiment_read_settings(e, set, &run->set))
            return false;
    }
    return true;
}

static bool read_channels(trmi_experiment *e, const trmi_item *map, trmi_drawn_panel *panel)
{
    const trmi_item *list = trmi_fields_list(e->document, map, "channels", TRMI_FIELD_REQUIRED);
    if (!TRMI_TAKE(&e->memory, panel->channel, list ? list->count : 0))
        return false;
    for (const trmi_item *item = list ? list->child : NULL; item; item = item->next) {
        if (item->kind == TRMI_SCALAR)
            panel->channel[panel->channels++] = item->text;
        else
            trmi_report(e->document, item, "a channel is a name like position/x");
    }
    return true;
}

static bool read_panels(trmi_experiment *e, const trmi_item *map, trmi_drawing *f)
{
    static const char *const valid[] = {"channels", "x", "y", "log_x", "log_y", NULL};
    trmi_document *d = e->document;
    const trmi_item *list = trmi_fields_list(d, map, "panels", TRMI_FIELD_REQUIRED);
    if (!TRMI_TAKE(&e->memory, f->panel, list ? list->count : 0))
        return false;
    for (const trmi_item *item = list ? list->child : NULL; item; item = item->next) {
        if (!trmi_fields_check(d, item, "a panel", valid))
            continue;
        trmi_drawn_panel *panel = &f->panel[f->panels++];
        panel->x = trmi_fields_text(d, item, "x", TRMI_FIELD_OPTIONAL);
        panel->y = trmi_fields_text(d, item, "y", TRMI_FIELD_OPTIONAL);
        trmi_fields_truth(d, item, "log_x", &panel->log_x);
        trmi_fields_truth(d, item, "log_y", &panel->log_y);
        if (!read_channels(e, item, panel))
            return false;
        if (panel->channels * f->runs > TRMI_FIGURE_CURVES)
            trmi_report(d, item, "%d curves, but a panel has at most %d", panel->channels * f->runs,
                        TRMI_FIGURE_CURVES);
    }
    if (f->panels > TRMI_FIGURE_PANELS)
        trmi_report(d, list, "%d panels, but a figure has at most %d", f->panels,
                    TRMI_FIGURE_PANELS);
    return true;
}

bool trmi_experiment_read_drawings(trmi_experiment *e, const trmi_item *root)
{
    static const char *const valid[] = {"name", "of", "title", "matrix", "runs", "panels", NULL};
    trmi_document *d = e->document;
    const trmi_item *list = trmi_fields_list(d, root, "figures", TRMI_FIELD_OPTIONAL);
    if (!TRMI_TAKE(&e->memory, e->drawing, list ? list->count : 0))
        return false;
    for (const trmi_item *item = list ? list->child : NULL; item; item = item->next) {
        if (!trmi_fields_check(d, item, "a figure", valid))
            continue;
        trmi_drawing *f = &e->drawing[e->drawings++];
        f->name = trmi_fields_text(d, item, "name", TRMI_FIELD_REQUIRED);
        f->title = trmi_fields_text(d, item, "title", TRMI_FIELD_REQUIRED);
        const char *name = f->name; // becomes that of a file: nothing that leaves the folder
        if (name && (!name[0] || name[0] == '.' || strchr(name, '/') || strlen(name) > 100))
            trmi_report(d, trmi_item_find(item, "name"),
                        "the name of a figure is that of its file: no '/', no '.' in front, at "
                        "most 100 characters");
        trmi_fields_truth(d, item, "matrix", &f->matrix);
        if (!read_figures(e, item, f) ||
            (!f->matrix && (!read_runs(e, item, f) || !read_panels(e, item, f))))
            return false;
        if (f->matrix && (trmi_item_find(item, "runs") || trmi_item_find(item, "panels")))
            trmi_report_key(d, item, "a figure of the matrix has neither runs nor panels");
    }
    return true;
}
