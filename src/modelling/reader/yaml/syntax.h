// SPDX-License-Identifier: Apache-2.0
// Marks and messages of libyaml in our form.
#ifndef TRMI_MODELLING_READER_YAML_SYNTAX_H
#define TRMI_MODELLING_READER_YAML_SYNTAX_H

#include "modelling/reader/yaml/source.h"

#include <yaml.h>

// Marks count from 0, places from 1.
trmi_place trmi_place_of_mark(int source, yaml_mark_t mark);
// Why the parser has given up, and what to try. Returns how the reading ends.
trmi_yaml_result trmi_report_syntax(trmi_document *document, int source,
                                    const yaml_parser_t *parser);

#endif
