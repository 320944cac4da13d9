// SPDX-License-Identifier: Apache-2.0
// Pictures and movies of a page, taken by a browser without a window.
#ifndef TRMI_PROGRAM_CLI_FILM_H
#define TRMI_PROGRAM_CLI_FILM_H

#include "base/stop.h"
#include "trammel/status.h"

#include <stdbool.h>

typedef struct trmi_film {
    const char *folder;    // of trmi_film_folder
    const char *page;      // HTML file of trammel view
    const char *path;      // what is written, "-": the standard output
    const char *kind;      // "png", "gif" or "mp4"
    const char *show;      // "names,trails"; NULL: as the page begins
    const char *theme;     // "light" or "dark"; NULL: light
    double at;             // of a still: seconds,
    bool percent;          // or percent of the run
    int width, height;     // pixels
    int fps, most;         // pictures a second, and at most
    double seconds;        // that the browser and ffmpeg each have
    const trmi_stop *stop; // set: both are ended
} trmi_film;

// A folder for the page and the pictures, NULL when there can be none (errno); owned by the caller,
// who has it removed with all that is in it.
char *trmi_film_folder(void);
void trmi_film_remove(char *folder); // NULL is allowed

// Takes it; error has the reason when a program is missing or fails, TRM_STOP_USER has none. The
// browser is $TRM_BROWSER, chromium, chromium-browser, google-chrome or chrome; movies need ffmpeg
// too.
trm_status trmi_film_take(const trmi_film *film, trm_error *error);

#endif
