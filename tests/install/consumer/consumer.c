// SPDX-License-Identifier: Apache-2.0
// What a foreign program does first: asks for the version, makes options, tries a simulation.
#include "trammel/trammel.h"

#include <stdio.h>
#include <string.h>

int main(void)
{
    trm_options options = trm_options_default();
    if (strcmp(trm_version(), TRM_VERSION) != 0 || trm_options_check(&options, NULL) != TRM_OK)
        return 1;

    // an empty system is refused; calling this links everything the library is made of
    trm_simulation *simulation = NULL;
    const trm_system empty = {.name = "empty"};
    const trm_initial initial = {.t = 0.0};
    if (trm_simulation_create(&simulation, &empty, &options, &initial, NULL) != TRM_ERR_SYSTEM)
        return 1;

    printf("trammel %s, rtol %g\n", trm_version(), options.rtol);
    return 0;
}
