/* Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * An image with two thousand kernels, and room for what is said about them.
 */
#include "emulator/hsa/stand_in_hsa.h"

__attribute__((section("sim_note"), used, aligned(4))) const char sim_note_space[4 << 20] = {1};
#define PARAMETERS(kernel, n) const uint32_t kernel##_sim_args = (n)
#include "../../many_kernels.h"
