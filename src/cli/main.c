// SPDX-License-Identifier: Apache-2.0
// The command `trammel`.
#include "trammel/trammel.h"

#include <stdio.h>

int main(void)
{
    printf("trammel %s\n", trm_version());
    return 0;
}
