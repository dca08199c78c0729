/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/* What libFuzzer calls. */

#ifndef SF_FUZZ_TARGET_H
#define SF_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

/* Once, at the start. */
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* For each input. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif /* SF_FUZZ_TARGET_H */
