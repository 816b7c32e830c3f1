/* Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * An image as clang 14 to 16 make them: bytes for the execution mode, no leading argument, the small environment.
 */
#include <stdint.h>

#include "emulator/hsa/stand_in_hsa.h"

SIM_NOTE_SPACE

struct {
  uint32_t debug, devices, device, memory;
} __omp_rtl_device_environment;

#define KERNEL(name, mode)                                                                                             \
  const int8_t name##_exec_mode = (mode);                                                                              \
  const uint32_t name##_sim_args = 1;                                                                                  \
  void name(uint64_t *out) {                                                                                           \
    const StandInDispatch *dispatch = sim_hsa_dispatch();                                                              \
    out[0] = dispatch->blocks[0];                                                                                      \
    out[1] = dispatch->threads[0];                                                                                     \
    out[2] = __omp_rtl_device_environment.devices;                                                                     \
  }
KERNEL(old_spmd, 2)
KERNEL(old_generic, 1)
KERNEL(old_sized, 2)
const int16_t old_sized_wg_size = 96;
