/* Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * An image with two thousand kernels.
 */
#define PARAMETERS(kernel, n) const uint32_t kernel##_sim_parameters = (n)
#include "../../many_kernels.h"
