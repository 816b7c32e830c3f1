/* Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * An image as clang 17 and later make them for AMD GPUs: kernel environments, a leading argument, implicit arguments, the
 * globals of the device runtime, constructors. Compiled for this machine and relabelled.
 */
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "sim_hsa.h"

SIM_NOTE_SPACE

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
#define ARGUMENTS(kernel, n) const uint32_t kernel##_sim_args = (n)

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
int64_t twice(int64_t x) { return 2 * x; }
static int64_t thrice(int64_t x) { return 3 * x; }
void *indirect_thrice = (void *)&thrice; /* an indirect function of clang's */

/* ---- Constructors and destructors ---- */
int32_t call_log[8];
int32_t call_count;
void construct(void) __asm__("amdgcn.device.init");
void construct(void) { call_log[call_count++] = 1; }
void destruct(void) __asm__("amdgcn.device.fini");
void destruct(void) {
  if (linked_decl_tgt_ref_ptr)
    *(int32_t *)linked_decl_tgt_ref_ptr = -1;
}

/* ---- Kernels ---- */
ENVIRONMENT(__omp_offloading_10_2_add_l7, .exec_mode = 2, .min_threads = 1, .max_threads = 128);
ARGUMENTS(__omp_offloading_10_2_add_l7, 4);
void __omp_offloading_10_2_add_l7(void *environment, double *a, const double *b, uint64_t n) {
  for (uint64_t i = 0; i < n; ++i)
    a[i] += b[i];
}

/* Writes what it was given: {environment, blocks, threads, shared memory of the packet, stack}, then the implicit
 * arguments of version 5: {blocks x, threads x, dimensions, dynamic shared memory, queue is ours}. */
#define TELL(kernel, ...)                                                                                              \
  ENVIRONMENT(kernel, __VA_ARGS__);                                                                                    \
  ARGUMENTS(kernel, 2);                                                                                                \
  void kernel(void *environment, uint64_t *out) { tell(environment, out); }
static void tell(void *environment, uint64_t *out) {
  const SimDispatch *dispatch = sim_hsa_dispatch();
  const char *implicit = (const char *)dispatch->arguments + 16;
  out[0] = (uint64_t)(uintptr_t)environment;
  out[1] = dispatch->blocks[0];
  out[2] = dispatch->threads[0];
  out[3] = dispatch->group_size;
  out[4] = dispatch->private_size;
  out[5] = *(const uint32_t *)(implicit + 0);
  out[6] = *(const uint16_t *)(implicit + 12);
  out[7] = *(const uint16_t *)(implicit + 64);
  out[8] = *(const uint32_t *)(implicit + 120);
  out[9] = *(void *const *)(implicit + 200) == dispatch->queue;
}
TELL(tell_spmd, .exec_mode = 2, .min_threads = 1, .max_threads = 128)
const uint32_t tell_spmd_sim_group = 256;
const uint32_t tell_spmd_sim_private = 48;
TELL(tell_generic, .exec_mode = 1, .min_threads = 1, .max_threads = 128, .min_teams = -1, .max_teams = -1)
TELL(tell_wave32, .exec_mode = 1, .max_threads = 512)
const uint32_t tell_wave32_sim_wavefront = 32;
TELL(tell_wide, .exec_mode = 2, .max_threads = 1024)
const uint32_t tell_wide_sim_max_threads = 192;
TELL(tell_deep, .exec_mode = 2, .max_threads = 64)
const uint32_t tell_deep_sim_private = 48;
const uint32_t tell_deep_sim_dynamic_stack = 1;
TELL(tell_badly, .exec_mode = 9)

/* The optimiser left 16 bytes of the implicit arguments. */
ENVIRONMENT(tell_short, .exec_mode = 2, .max_threads = 64);
ARGUMENTS(tell_short, 2);
const uint32_t tell_short_sim_implicit = 16;
void tell_short(void *environment, uint64_t *out) {
  const char *implicit = (const char *)sim_hsa_dispatch()->arguments + 16;
  out[0] = *(const uint32_t *)(implicit + 0);
  out[1] = *(const uint16_t *)(implicit + 12);
}

ARGUMENTS(tell_bare, 2);
void tell_bare(void *environment, uint64_t *out) {
  const SimDispatch *dispatch = sim_hsa_dispatch();
  out[0] = (uint64_t)(uintptr_t)environment;
  for (int i = 0; i < 3; ++i) {
    out[1 + i] = dispatch->blocks[i];
    out[4 + i] = dispatch->threads[i];
  }
  out[7] = dispatch->dimensions;
}

/* Adds up 1 to n over the launch's own reduction buffer. */
ENVIRONMENT(reduce, .exec_mode = 2, .min_threads = 1, .max_threads = 128, .reduction_data_size = 8,
            .reduction_buffer_length = 1024);
ARGUMENTS(reduce, 3);
void reduce(LaunchEnvironment *environment, uint64_t *sum, uint64_t n) {
  uint64_t *buffer = environment->buffer;
  if (environment->count != 0 || environment->iterations != 0)
    sim_hsa_queue_error(0x1016);
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
ARGUMENTS(count_threads, 2);
void count_threads(void *environment, uint64_t *count) { ++*count; }

ENVIRONMENT(many_arguments, .exec_mode = 2);
ARGUMENTS(many_arguments, 11);
void many_arguments(void *environment, uint64_t *out, uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5,
                    uint64_t a6, uint64_t a7, uint64_t a8, uint64_t a9) {
  *out = a1 + 10 * a2 + 100 * a3 + 1000 * a4 + 10000 * a5 + 100000 * a6 + 1000000 * a7 + 10000000 * a8 + 100000000 * a9;
}

/* Runs until the host sets the flag. */
ENVIRONMENT(wait_for_flag, .exec_mode = 2);
ARGUMENTS(wait_for_flag, 2);
void wait_for_flag(void *environment, atomic_int *flag) {
  while (!atomic_load(flag))
    sched_yield();
}

ENVIRONMENT(__omp_offloading_10_2_broken_l99, .exec_mode = 2);
ARGUMENTS(__omp_offloading_10_2_broken_l99, 2);
void __omp_offloading_10_2_broken_l99(void *environment, uint64_t address) { sim_hsa_memory_fault(address, 1); }

ENVIRONMENT(illegal, .exec_mode = 2);
ARGUMENTS(illegal, 1);
void illegal(void *environment) { sim_hsa_queue_error(42); }

/* Calls a function of the host by its table entry; 0 if it is not there. Of both protocols. */
static void *find_in(const uint64_t (*table)[2], uint64_t size, uint64_t host) {
  for (uint64_t i = 0; table && i < size; ++i)
    if (table[i][0] == host)
      return (void *)(uintptr_t)table[i][1];
  return 0;
}
ENVIRONMENT(call_indirect, .exec_mode = 2);
ARGUMENTS(call_indirect, 4);
void call_indirect(void *environment, uint64_t host, int64_t x, int64_t *out) {
  int64_t (*rfc)(int64_t) = (int64_t(*)(int64_t))find_in(
      (const uint64_t (*)[2])__omp_offloading_fptr_map_p, __omp_offloading_fptr_map_size, host);
  int64_t (*clang)(int64_t) = (int64_t(*)(int64_t))find_in(
      (const uint64_t (*)[2])__omp_rtl_device_environment.table, __omp_rtl_device_environment.table_size, host);
  out[0] = rfc ? rfc(x) : 0;
  out[1] = clang ? clang(x) : 0;
}

/* ---- Of clang 23 ---- */
#define TRAILING_PARAMETERS ARGUMENTS
#define DYNAMIC_MEMORY() sim_hsa_dispatch()->group_size
#include "../../trailing_kernels.h"
