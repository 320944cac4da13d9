// SPDX-License-Identifier: Apache-2.0
#include "program/files/format.h"

#define FORMAT(name, suffix, label, by_default, option, help)                                      \
    {#name, suffix, label, by_default, option, help, &trmi_##name##_writer, &trmi_##name##_reader},
const trmi_format trmi_formats[TRMI_FORMATS] = {TRMI_FORMAT_LIST(FORMAT)};
