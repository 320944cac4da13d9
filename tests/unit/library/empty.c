// SPDX-License-Identifier: Apache-2.0
// A shared object without the entry point of problems, for the tests.
int trammel_test_nothing(void);

int trammel_test_nothing(void)
{
    return 0;
}
