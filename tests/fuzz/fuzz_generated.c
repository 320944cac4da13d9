// SPDX-License-Identifier: Apache-2.0
// Bytes choose a model that could have been meant: it is read and simulated, or refused, without a
// crash, a leak or a hang.
#include "fuzz.h"
#include "torture/exercise.h"
#include "torture/generate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char text[GENERATED_BYTES];
    size_t length = generate_model(data, size, false, text);
    exercise_model(text, length, format_diagnostic);
    return 0;
}
