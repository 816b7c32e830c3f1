/* Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * An image as clang 14 to 16 make them for GPUs: bytes for the execution mode, no leading parameter, the short device
 * environment.
 */
#include <stdint.h>

#include "emulator/cuda/stand_in_cuda.h"

struct {
  uint32_t debug, devices, device, memory;
} omptarget_device_environment;

int32_t gv = 7;

#define TELL(kernel)                                                                                                   \
  const uint32_t kernel##_sim_parameters = 1;                                                                          \
  void kernel(uint64_t *out) {                                                                                         \
    const StandInGrid *grid = sim_cuda_grid();                                                                         \
    out[0] = omptarget_device_environment.debug;                                                                       \
    out[1] = grid->blocks[0];                                                                                          \
    out[2] = grid->threads[0];                                                                                         \
    out[3] = omptarget_device_environment.device;                                                                      \
  }

const int8_t old_spmd_exec_mode = 2;
TELL(old_spmd)
const int8_t old_generic_exec_mode = 1;
TELL(old_generic)
const int8_t old_converted_exec_mode = 3;
TELL(old_converted)
/* A constructor: says nothing of itself. */
TELL(old_ctor)
