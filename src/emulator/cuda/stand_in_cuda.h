/* Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions of the stand-in for libcuda.so.1 for tests and test kernels, beside the driver's own. Tests find them by
 * dlsym, kernels link them.
 */
#ifndef OMPTARGET_STAND_IN_CUDA_H
#define OMPTARGET_STAND_IN_CUDA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- For kernels ------------------------------------------------------------------------------------------------
 * A kernel is called once for each launch, or, if the image has a global <kernel>_sim_grid, once for each thread of
 * the grid. A global uint32_t <kernel>_sim_parameters holds the number of its parameters, which the launch must match;
 * <kernel>_sim_max_threads the most threads of a team that it can run with; <kernel>_sim_stack the bytes of stack that
 * it takes by recursion, for which the context's limit must be enough. */
typedef struct StandInGrid {
  uint32_t block[3], thread[3]; /* this one */
  uint32_t blocks[3], threads[3];
  uint32_t shared_memory; /* bytes of dynamic shared memory */
  void *shared;
  void *stream;
} StandInGrid;

/* The launch that the calling thread carries out. */
const StandInGrid *sim_cuda_grid(void);
/* The kernel faults: its context is lost, every later call in it returns this result. */
void sim_cuda_fault(int result);

/* ---- For tests ----------------------------------------------------------------------------------------------------*/
#define STAND_IN_FUNCTION(result, name, parameters) result sim_cuda_##name parameters;
#include "../stand_in_functions.def"
#undef STAND_IN_FUNCTION

#ifdef __cplusplus
}
#endif
#endif
