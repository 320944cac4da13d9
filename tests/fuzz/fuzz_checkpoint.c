// SPDX-License-Identifier: Apache-2.0
// Any bytes as a checkpoint of a simulation, with a checksum that fits: loaded or refused; what was
// loaded can go on.
#include "base/hash.h"
#include "fuzz.h"
#include "trammel/trammel.h"

static const char text[] = "trammel: 1\n"
                           "equations:\n"
                           "  coordinates: {x: vx, y: vy}\n"
                           "  states: {s: \"-s + x\"}\n"
                           "  mass: [1, 1]\n"
                           "  force: [0, -9.81]\n"
                           "  constraints: {rod: \"(x^2 + y^2 - 1)/2\"}\n"
                           "initial: {values: {x: 1}}\n"
                           "simulate: {end: 1}\n";

// The header of an archive has 48 bytes and ends with the hash of what follows (base/archive.c).
static void seal(uint8_t *buffer, size_t size)
{
    enum { HEADER = 48 };
    uint64_t hash = trmi_hash(TRMI_HASH, buffer + HEADER, size - HEADER);
    memcpy(buffer + HEADER - sizeof hash, &hash, sizeof hash);
}

// The bytes change a whole checkpoint: pairs of a place and a value, then the checksum is made to
// fit.
static void load_changed(trm_simulation *s, const uint8_t *data, size_t size)
{
    size_t whole = trm_simulation_save(s, NULL, 0);
    uint8_t *buffer = malloc(whole);
    if (buffer && trm_simulation_save(s, buffer, whole) == whole) {
        for (size_t k = 0; k + 2 < size; k += 3)
            buffer[(size_t)(data[k] << 8 | data[k + 1]) % whole] = data[k + 2];
        seal(buffer, whole);
        if (trm_simulation_load(s, buffer, whole) == TRM_OK)
            trm_simulation_step(s, 1, NULL);
        trm_simulation_load(s, data, size); // and the bytes as they are
    }
    free(buffer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    trm_model *model;
    trm_instance *instance = NULL;
    trm_simulation *s = NULL;
    if (trm_model_read(&model, text, sizeof text - 1, "m.yaml", NULL, NULL) != TRM_OK)
        abort();
    if (trm_instance_create(&instance, model, NULL) == TRM_OK) {
        trm_options options = *trm_model_options(model);
        options.integrator = size > 0 && data[0] % 2 ? TRM_INTEGRATOR_RADAU : TRM_INTEGRATOR_BDF;
        options.max_steps = 100;
        if (trm_simulation_create(&s, trm_instance_system(instance), &options,
                                  trm_instance_initial(instance), NULL) == TRM_OK) {
            trm_simulation_run(s, 0.1);
            load_changed(s, data, size);
        }
    }
    trm_simulation_destroy(s);
    trm_instance_destroy(instance);
    trm_model_destroy(model);
    return 0;
}
