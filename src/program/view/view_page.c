// SPDX-License-Identifier: Apache-2.0
#include "program/view/view_page.h"

#include "program/files/disk.h"
#include "program/files/file_error.h"

#include <errno.h>
#include <string.h>

void trmi_view_begin(trmi_json *json)
{
    trmi_json_begin_object(json, NULL);
    trmi_json_integer(json, "version", 1);
    trmi_json_begin_array(json, "runs");
}

// JSON inside a script: "<" occurs only in its strings, and could end the script there
static void write_data(FILE *out, const char *json)
{
    while (*json) {
        size_t length = strcspn(json, "<");
        fwrite(json, 1, length, out);
        json += length;
        if (*json) {
            fputs("\\u003c", out);
            json++;
        }
    }
}

static void write_text(FILE *out, const char *text)
{
    for (; *text; text++)
        if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '&')
            fputs("&amp;", out);
        else
            fputc(*text, out);
}

void trmi_view_write_page(FILE *out, const char *title, const char *json)
{
    fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
          "<link rel=\"icon\" href=\"data:,\">\n<title>",
          out);
    write_text(out, title);
    fputs("</title>\n</head>\n<body>\n<noscript>This page shows a simulation and needs JavaScript, "
          "all of which is inside it.</noscript>\n"
          "<script type=\"application/json\" id=\"data\">\n",
          out);
    write_data(out, json);
    fputs("\n</script>\n<script>\n", out);
    fwrite(trmi_viewer_bundle, 1, trmi_viewer_bundle_size, out);
    fputs("\n</script>\n</body>\n</html>\n", out);
}

void trmi_view_end(trmi_json *json, bool live)
{
    trmi_json_end(json);
    if (live)
        trmi_json_boolean(json, "live", true);
    trmi_json_end(json);
}

trm_status trmi_view_write(trmi_json *json, const char *title, const char *path, trm_error *error)
{
    trmi_view_end(json, false);
    const char *data = trmi_json_finish(json);
    if (!data)
        return trmi_file_error(error, "write", path, ENOMEM);
    trmi_whole_file file = trmi_whole_file_open(path);
    if (!file.out)
        return trmi_file_error(error, "write", path, errno);
    trmi_view_write_page(file.out, title, data);
    int code = trmi_whole_file_close(&file);
    return code == 0 ? TRM_OK : trmi_file_error(error, "write", path, code);
}
