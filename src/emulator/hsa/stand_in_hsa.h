/* Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions of the stand-in for libhsa-runtime64.so.1 for tests and test kernels, beside the runtime's own. Tests find
 * them by dlsym, kernels link them. The README of src/emulator lists the variables of the environment.
 * SIM_HSA_CPUS=N: there are N CPUs, to which the GPUs are near by turns.
 */
#ifndef OMPTARGET_STAND_IN_HSA_H
#define OMPTARGET_STAND_IN_HSA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- For kernels ------------------------------------------------------------------------------------------------
 * A kernel is called with its explicit arguments, once for each launch, or, if the image has a global
 * <kernel>_sim_grid, once for each work-item. The tool emulator_hsa_relabel takes the image's metadata from globals
 * of type uint32_t: <kernel>_sim_args, the number of explicit arguments; _sim_implicit, bytes that are left of the
 * implicit ones; _sim_group, _sim_private, _sim_dynamic_stack, _sim_max_threads and _sim_wavefront. SIM_NOTE_SPACE
 * makes room for the metadata. */
#define SIM_NOTE_SPACE __attribute__((section("sim_note"), used)) static char sim_note_space[65536] = {1};

typedef struct StandInDispatch {
  uint32_t block[3], thread[3]; /* this one */
  uint32_t blocks[3], threads[3];
  uint32_t dimensions;
  uint32_t group_size, private_size; /* bytes, of the packet */
  const void *arguments;             /* the whole argument segment */
  void *queue;
} StandInDispatch;

/* The launch that the calling thread carries out. */
const StandInDispatch *sim_hsa_dispatch(void);
/* The kernel causes a memory fault: its signal never completes, the system event is sent, the device's queues stop. */
void sim_hsa_memory_fault(uint64_t address, uint32_t reasons);
/* The kernel causes an error of its queue. */
void sim_hsa_queue_error(int status);

/* ---- For tests ----------------------------------------------------------------------------------------------------*/
#define STAND_IN_FUNCTION(result, name, parameters) result sim_hsa_##name parameters;
#include "../stand_in_functions.def"
#undef STAND_IN_FUNCTION

#ifdef __cplusplus
}
#endif
#endif
