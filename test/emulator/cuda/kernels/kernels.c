/* Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * An image as clang 17 and later make them for GPUs: kernel environments, a leading parameter, the globals of the
 * device runtime, constructors. Compiled for this machine and relabelled.
 */
#include "emulator/cuda/stand_in_cuda.h"

#define PARAMETERS(kernel, n) const uint32_t kernel##_sim_parameters = (n)
#define DYNAMIC_MEMORY() sim_cuda_grid()->shared_memory
#define FAIL_KERNEL() sim_cuda_fault(719)
#include "../../common_kernels.h"

struct {
  void *address;
  const char *name;
  size_t size;
  int32_t flags, reserved;
} thrice_entry __asm__(".omp_offloading.entry.thrice") = {(void *)&thrice, "thrice", 0, 8,
                                                          0}; /* an entry of the RFC's */

/* ---- Constructors and destructors ---- */
static void log_call(int32_t what) { call_log[call_count++] = what; }
static void construct_late(void) { log_call(2); }
static void construct_early(void) { log_call(1); }
static void destruct(void) { log_call(-1); }
void *__init_array_object_late_65535 = (void *)&construct_late;
void *__init_array_object_early_101 = (void *)&construct_early;
void *__fini_array_object_all_65535 = (void *)&destruct;
void (**__init_array_start)(void), (**__init_array_end)(void);
void (**__fini_array_start)(void), (**__fini_array_end)(void);
PARAMETERS(nvptx$device$init, 0);
const uint32_t nvptx$device$init_sim_max_threads = 1;
void nvptx$device$init(void) {
  for (void (**f)(void) = __init_array_start; f != __init_array_end; ++f)
    (*f)();
}
PARAMETERS(nvptx$device$fini, 0);
const uint32_t nvptx$device$fini_sim_max_threads = 1;
void nvptx$device$fini(void) {
  for (void (**f)(void) = __fini_array_start; f != __fini_array_end; ++f)
    (*f)();
}

/* Writes what it was given: {environment, blocks, threads, shared memory}. */
#define TELL(kernel, ...)                                                                                              \
  ENVIRONMENT(kernel, __VA_ARGS__);                                                                                    \
  PARAMETERS(kernel, 2);                                                                                               \
  void kernel(void *environment, uint64_t *out) {                                                                      \
    const StandInGrid *grid = sim_cuda_grid();                                                                         \
    out[0] = (uint64_t)(uintptr_t)environment;                                                                         \
    out[1] = grid->blocks[0];                                                                                          \
    out[2] = grid->threads[0];                                                                                         \
    out[3] = grid->shared_memory;                                                                                      \
  }
TELL(tell_spmd, .exec_mode = 2, .min_threads = 1, .max_threads = 128)
TELL(tell_generic, .exec_mode = 1, .min_threads = 1, .max_threads = 128, .min_teams = -1, .max_teams = -1)
TELL(tell_wide, .exec_mode = 2, .max_threads = 1024)
const uint32_t tell_wide_sim_max_threads = 256;
TELL(tell_badly, .exec_mode = 9)

PARAMETERS(tell_bare, 2);
void tell_bare(void *environment, uint64_t *out) {
  const StandInGrid *grid = sim_cuda_grid();
  out[0] = (uint64_t)(uintptr_t)environment;
  for (int i = 0; i < 3; ++i) {
    out[1 + i] = grid->blocks[i];
    out[4 + i] = grid->threads[i];
  }
}

ENVIRONMENT(many_arguments, .exec_mode = 2);
PARAMETERS(many_arguments, 41);
void many_arguments(void *environment, uint64_t *out, uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5,
                    uint64_t a6, uint64_t a7, uint64_t a8, uint64_t a9, uint64_t a10, uint64_t a11, uint64_t a12,
                    uint64_t a13, uint64_t a14, uint64_t a15, uint64_t a16, uint64_t a17, uint64_t a18, uint64_t a19,
                    uint64_t a20, uint64_t a21, uint64_t a22, uint64_t a23, uint64_t a24, uint64_t a25, uint64_t a26,
                    uint64_t a27, uint64_t a28, uint64_t a29, uint64_t a30, uint64_t a31, uint64_t a32, uint64_t a33,
                    uint64_t a34, uint64_t a35, uint64_t a36, uint64_t a37, uint64_t a38, uint64_t a39) {
  *out = a1 + a2 + a7 + 1000 * a38 + 100000 * a39;
}

/* A kernel whose stack the compiler cannot tell. */
TELL(tell_deep, .exec_mode = 2)
const uint32_t tell_deep_sim_stack = 3000;

ENVIRONMENT(__omp_offloading_10_2_broken_l99, .exec_mode = 2);
PARAMETERS(__omp_offloading_10_2_broken_l99, 2);
void __omp_offloading_10_2_broken_l99(void *environment, uint64_t result) { sim_cuda_fault((int)result); }
