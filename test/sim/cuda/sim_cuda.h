/* Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What tests and test kernels may ask of the stand-in for libcuda.so.1, beside the driver's own functions. Found by dlsym,
 * or linked by kernels.
 */
#ifndef OMPTARGET_SIM_CUDA_H
#define OMPTARGET_SIM_CUDA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- For kernels ------------------------------------------------------------------------------------------------
 * A kernel is called once for each launch, or, if the image has a global <kernel>_sim_grid, once for each thread of
 * the grid. A global uint32_t <kernel>_sim_parameters holds the number of its parameters, which the launch must match;
 * <kernel>_sim_max_threads the most threads of a team that it can run with. */
typedef struct SimGrid {
  uint32_t block[3], thread[3]; /* this one */
  uint32_t blocks[3], threads[3];
  uint32_t shared_memory; /* bytes of dynamic shared memory */
  void *shared;
  void *stream;
} SimGrid;

/* The launch that the calling thread carries out. */
const SimGrid *sim_cuda_grid(void);
/* The kernel faults: its context is lost, every later call in it returns this result. */
void sim_cuda_fault(int result);

/* ---- For tests ----------------------------------------------------------------------------------------------------*/

/* Lets calls fail: "NAME:N:RESULT", several separated by commas. NAME is that of a function without _v2, or * for any;
 * the N-th call of it from now on fails; N may be + for all; without RESULT it is 999 (unknown). Empty: none fails. Also
 * read from SIM_CUDA_FAIL at the first call. */
void sim_cuda_fail(const char *what);
/* Calls since the last sim_cuda_fail, and how many of them were made to fail. */
uint64_t sim_cuda_calls(void);
uint64_t sim_cuda_failed(void);
/* Name of the call that was made to fail last. */
const char *sim_cuda_failed_name(void);
/* Calls of this function so far. */
uint64_t sim_cuda_count(const char *name);
/* Starts (nonzero) or ends a list of all calls, from all threads, except for those that ask for or choose the context; the
 * list: names in order, with a space behind each, until the next call of this function. SIM_CUDA_RECORD=FOLDER: each
 * process writes all its calls to a file of its own there. */
const char *sim_cuda_record(int on);
/* Wrong uses of the driver seen so far; each was printed to stderr. A process that ends with some exits with 70. */
uint64_t sim_cuda_violations(void);
void sim_cuda_forget_violations(void);
/* Objects that exist: contexts, modules, streams, events, pools and allocations. */
uint64_t sim_cuda_live_objects(void);
/* Objects that were still there when a context that had not failed was destroyed. */
uint64_t sim_cuda_leaked_objects(void);
/* Streams start no work before somebody waits for it (nonzero), so that what is not waited for is not there. Also
 * SIM_CUDA_HOLD=1. */
void sim_cuda_hold(int hold);

#ifdef __cplusplus
}
#endif
#endif
