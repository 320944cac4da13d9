// SPDX-License-Identifier: Apache-2.0
#include "modelling/reader/constant.h"

#include "modelling/expression/parse.h"

#include <math.h>
#include <stdio.h>

static trmi_node refuse_name(void *user, const char *name, const char *argument, char *message,
                             size_t size)
{
    (void)user;
    (void)argument;
    snprintf(message, size, "'%.60s' has no value in this file: a formula here is one of numbers",
             name);
    return TRMI_NO_NODE;
}

bool trmi_read_constant(trmi_document *document, const trmi_item *item, double *value)
{
    if (!item || trmi_item_null(item))
        return false;
    if (trmi_item_number(item, value))
        return true;
    if (item->kind != TRMI_SCALAR) {
        trmi_report(document, item, "a number is needed here, not %s", trmi_item_kind_text(item));
        return false;
    }
    trmi_graph graph = {0};
    trmi_parse_error error;
    double number = 0;
    trmi_node node = trmi_parse(&graph, item->text, refuse_name, NULL, &error);
    bool known = node != TRMI_NO_NODE && !graph.failed && trmi_is_constant(&graph, node, &number);
    if (node == TRMI_NO_NODE)
        trmi_report_inside(document, item, error.offset, error.length, "%s", error.message);
    else if (!known || !isfinite(number))
        trmi_report(document, item, "'%.60s' is no finite number", item->text);
    trmi_graph_release(&graph);
    if (known && isfinite(number))
        *value = number;
    return known && isfinite(number);
}
