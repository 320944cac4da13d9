// SPDX-License-Identifier: Apache-2.0
#include "program/view/series.h"

#include <math.h>

typedef struct scale {
    double low, step;
    bool logarithmic;
} scale;

// what is scaled linearly; NaN: there is nothing
static double level_of(double value, bool logarithmic)
{
    if (logarithmic)
        return value > 0 && isfinite(value) ? log(value) : NAN;
    return isfinite(value) ? value : NAN;
}

static scale find_scale(const double *value, int64_t count, trmi_series_style style)
{
    double low = INFINITY, high = -INFINITY;
    for (int64_t k = 0; k < count; k++) {
        double x = level_of(value[k], style.logarithmic);
        low = fmin(low, x);
        high = fmax(high, x);
    }
    if (!(low <= high))
        return (scale){0, 0, style.logarithmic};
    double step = high / (double)style.levels - low / (double)style.levels;
    if (style.logarithmic) // integer 0 stands for the value 0
        low -= step;
    return (scale){low, step, style.logarithmic};
}

static int64_t integer_of(const scale *s, double value)
{
    if (s->logarithmic && value <= 0)
        return 0;
    double x = level_of(value, s->logarithmic);
    if (isnan(x))
        return -1;
    int64_t i = s->step > 0 ? (int64_t)llround((x - s->low) / s->step) : 0;
    return s->logarithmic && i < 1 ? 1 : i;
}

// ---- base64 of bytes that come one by one ----

typedef struct base64 {
    trmi_text *text;
    unsigned bits;
    int bytes;
} base64;

static void flush_group(base64 *out)
{
    static const char letter[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    if (out->bytes == 0)
        return;
    unsigned bits = out->bits << 8 * (3 - out->bytes);
    char four[4];
    for (int k = 0; k < 4; k++)
        four[k] = k <= out->bytes ? letter[bits >> (18 - 6 * k) & 63] : '=';
    trmi_text_add_bytes(out->text, four, 4);
    out->bits = 0;
    out->bytes = 0;
}

static void add_byte(base64 *out, unsigned byte)
{
    out->bits = out->bits << 8 | byte;
    if (++out->bytes == 3)
        flush_group(out);
}

static void add_integer(base64 *out, int64_t value)
{
    uint64_t code = value < 0 ? ((uint64_t)(-(value + 1)) << 1 | 1) : (uint64_t)value << 1;
    for (; code > 127; code >>= 7)
        add_byte(out, (unsigned)(code & 127) | 128);
    add_byte(out, (unsigned)code);
}

void trmi_series_add(trmi_json *json, const char *key, const double *value, int64_t count,
                     trmi_series_style style)
{
    const scale s = find_scale(value, count, style);
    trmi_text data = {0};
    base64 out = {.text = &data};
    int64_t last = 0, before = 0;
    bool flat = true; // all integers are 0: no data
    for (int64_t k = 0; k < count; k++) {
        int64_t i = integer_of(&s, value[k]);
        flat = flat && i == 0;
        add_integer(&out, i - 2 * last + before);
        before = last;
        last = i;
    }
    flush_group(&out);
    json->text.failed = json->text.failed || data.failed;
    trmi_json_begin_object(json, key);
    trmi_json_number(json, "low", s.low);
    trmi_json_number(json, "step", s.step);
    trmi_json_integer(json, "count", count);
    if (style.logarithmic)
        trmi_json_boolean(json, "log", true);
    trmi_json_string(json, "data", data.data && !flat ? data.data : "");
    trmi_json_end(json);
    trmi_text_free(&data);
}
