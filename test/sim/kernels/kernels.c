/* Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * An image as clang 17 and later make them for GPUs: kernel environments, a leading parameter, the globals of the device
 * runtime, constructors. Compiled for this machine and relabelled.
 */
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "sim_cuda.h"

typedef struct {
  uint8_t state_machine, nested, exec_mode, pad;
  int32_t min_threads, max_threads, min_teams, max_teams, reduction_data_size, reduction_buffer_length;
  void *ident, *dynamic;
} KernelEnvironment;

typedef struct {
  uint32_t count, iterations;
  void *buffer;
} LaunchEnvironment;

#define ENVIRONMENT(kernel, ...) const KernelEnvironment kernel##_kernel_environment = {__VA_ARGS__}
#define PARAMETERS(kernel, n) const uint32_t kernel##_sim_parameters = (n)

/* ---- Globals of the device runtime ---- */
struct {
  uint32_t debug, devices, device, memory;
  uint64_t clock;
  uint64_t *table;
  uint64_t table_size, parallelism;
} __omp_rtl_device_environment;
struct {
  void *memory;
  uint64_t size;
} __omp_rtl_device_memory_pool;
uint64_t __omp_rtl_device_memory_pool_tracker[4] = {3, 96, 16, 64};
uint64_t (*__omp_offloading_fptr_map_p)[2];
uint64_t __omp_offloading_fptr_map_size;

/* ---- Variables and functions of the program ---- */
int gv = 42;
void *linked_decl_tgt_ref_ptr;
static int64_t twice(int64_t x) { return 2 * x; }
static int64_t thrice(int64_t x) { return 3 * x; }
void *indirect_twice = (void *)&twice; /* an indirect function of clang's */
struct {
  void *address;
  const char *name;
  size_t size;
  int32_t flags, reserved;
} thrice_entry __asm__(".omp_offloading.entry.thrice") = {(void *)&thrice, "thrice", 0, 8, 0}; /* of the RFC's */

/* ---- Constructors and destructors ---- */
int32_t call_log[8];
int32_t call_count;
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

/* ---- Kernels ---- */
ENVIRONMENT(__omp_offloading_10_2_add_l7, .exec_mode = 2, .min_threads = 1, .max_threads = 128);
PARAMETERS(__omp_offloading_10_2_add_l7, 4);
void __omp_offloading_10_2_add_l7(void *environment, double *a, const double *b, uint64_t n) {
  for (uint64_t i = 0; i < n; ++i)
    a[i] += b[i];
}

/* Writes what it was given: {environment, blocks, threads, shared memory}. */
#define TELL(kernel, ...)                                                                                              \
  ENVIRONMENT(kernel, __VA_ARGS__);                                                                                    \
  PARAMETERS(kernel, 2);                                                                                               \
  void kernel(void *environment, uint64_t *out) {                                                                      \
    const SimGrid *grid = sim_cuda_grid();                                                                             \
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
  const SimGrid *grid = sim_cuda_grid();
  out[0] = (uint64_t)(uintptr_t)environment;
  for (int i = 0; i < 3; ++i) {
    out[1 + i] = grid->blocks[i];
    out[4 + i] = grid->threads[i];
  }
}

/* Adds up 1 to n over the launch's own reduction buffer. */
ENVIRONMENT(reduce, .exec_mode = 2, .min_threads = 1, .max_threads = 128, .reduction_data_size = 8,
            .reduction_buffer_length = 1024);
PARAMETERS(reduce, 3);
void reduce(LaunchEnvironment *environment, uint64_t *sum, uint64_t n) {
  uint64_t *buffer = environment->buffer;
  if (environment->count != 0 || environment->iterations != 0)
    sim_cuda_fault(719);
  for (uint64_t i = 0; i < 1024; ++i)
    buffer[i] = 0;
  for (uint64_t i = 1; i <= n; ++i)
    buffer[i % 1024] += i;
  for (uint64_t i = 0; i < 1024; ++i)
    *sum += buffer[i];
  environment->count = 7; /* as a kernel that ended early would leave it */
}

/* One count for each thread of the grid. */
ENVIRONMENT(count_threads, .exec_mode = 2, .min_threads = 1, .max_threads = 64);
const uint8_t count_threads_sim_grid = 1;
PARAMETERS(count_threads, 2);
void count_threads(void *environment, uint64_t *count) { ++*count; }

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

/* Runs until the host sets the flag. */
ENVIRONMENT(wait_for_flag, .exec_mode = 2);
PARAMETERS(wait_for_flag, 2);
void wait_for_flag(void *environment, atomic_int *flag) {
  while (!atomic_load(flag))
    sched_yield();
}

ENVIRONMENT(__omp_offloading_10_2_broken_l99, .exec_mode = 2);
PARAMETERS(__omp_offloading_10_2_broken_l99, 2);
void __omp_offloading_10_2_broken_l99(void *environment, uint64_t result) { sim_cuda_fault((int)result); }

/* Calls a function of the host by its table entry; 0 if it is not there. Of both protocols. */
static void *find_in(const uint64_t (*table)[2], uint64_t size, uint64_t host) {
  for (uint64_t i = 0; table && i < size; ++i)
    if (table[i][0] == host)
      return (void *)(uintptr_t)table[i][1];
  return 0;
}
ENVIRONMENT(call_indirect, .exec_mode = 2);
PARAMETERS(call_indirect, 4);
void call_indirect(void *environment, uint64_t host, int64_t x, int64_t *out) {
  int64_t (*rfc)(int64_t) = (int64_t(*)(int64_t))find_in(
      (const uint64_t (*)[2])__omp_offloading_fptr_map_p, __omp_offloading_fptr_map_size, host);
  int64_t (*clang)(int64_t) = (int64_t(*)(int64_t))find_in(
      (const uint64_t (*)[2])__omp_rtl_device_environment.table, __omp_rtl_device_environment.table_size, host);
  out[0] = rfc ? rfc(x) : 0;
  out[1] = clang ? clang(x) : 0;
}

/* ---- Of clang 23 ---- */
#define TRAILING_PARAMETERS PARAMETERS
#define DYNAMIC_MEMORY() sim_cuda_grid()->shared_memory
#include "../trailing_kernels.h"
