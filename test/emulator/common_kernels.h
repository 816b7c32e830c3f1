/* Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The part of each image for the stand-ins that is as clang 17 and later make it. The includer defines
 * PARAMETERS(kernel, n), which says how many parameters a kernel has, DYNAMIC_MEMORY(), bytes of this launch, and
 * FAIL_KERNEL().
 */
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

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
int64_t thrice(int64_t x) { return 3 * x; }
void *indirect_twice = (void *)&twice; /* an indirect function of clang's; thrice is one of the RFC's */
int32_t call_log[8];
int32_t call_count;

/* ---- Kernels ---- */
ENVIRONMENT(__omp_offloading_10_2_add_l7, .exec_mode = 2, .min_threads = 1, .max_threads = 128);
PARAMETERS(__omp_offloading_10_2_add_l7, 4);
void __omp_offloading_10_2_add_l7(void *environment, double *a, const double *b, uint64_t n) {
  for (uint64_t i = 0; i < n; ++i)
    a[i] += b[i];
}

/* Adds up 1 to n over the launch's own reduction buffer. */
ENVIRONMENT(reduce, .exec_mode = 2, .min_threads = 1, .max_threads = 128, .reduction_data_size = 8,
            .reduction_buffer_length = 1024);
PARAMETERS(reduce, 3);
void reduce(LaunchEnvironment *environment, uint64_t *sum, uint64_t n) {
  uint64_t *buffer = environment->buffer;
  if (environment->count != 0 || environment->iterations != 0)
    FAIL_KERNEL();
  for (uint64_t i = 0; i < 1024; ++i)
    buffer[i] = 0;
  for (uint64_t i = 1; i <= n; ++i)
    buffer[i % 1024] += i;
  for (uint64_t i = 0; i < 1024; ++i)
    *sum += buffer[i];
}

/* One count for each thread of the grid. */
ENVIRONMENT(count_threads, .exec_mode = 2, .min_threads = 1, .max_threads = 64);
const uint8_t count_threads_sim_grid = 1;
PARAMETERS(count_threads, 2);
void count_threads(void *environment, uint64_t *count) { ++*count; }

/* Runs until the host sets the flag. */
ENVIRONMENT(wait_for_flag, .exec_mode = 2);
PARAMETERS(wait_for_flag, 2);
void wait_for_flag(void *environment, atomic_int *flag) {
  while (!atomic_load(flag))
    sched_yield();
}

/* Two launches meet, each in a queue of its own: both are under way for at least 20 milliseconds. met: how many are
 * there, how many have met the other one. Gives up after a minute. */
ENVIRONMENT(meet, .exec_mode = 2);
PARAMETERS(meet, 3);
void meet(void *environment, _Atomic uint64_t *met, uint64_t which) {
  met[0]++;
  for (int i = 0; i < 60000 && met[0] != 2; ++i)
    usleep(1000);
  met[1] += met[0] == 2;
  usleep(20000);
}

/* Finds a function of the host by its table entry, in both protocols; 0 if it is not there. */
static void *find_in(const uint64_t (*table)[2], uint64_t size, uint64_t host) {
  for (uint64_t i = 0; table && i < size; ++i)
    if (table[i][0] == host)
      return (void *)(uintptr_t)table[i][1];
  return 0;
}
ENVIRONMENT(call_indirect, .exec_mode = 2);
PARAMETERS(call_indirect, 4);
void call_indirect(void *environment, uint64_t host, int64_t x, int64_t *out) {
  int64_t (*rfc)(int64_t) = (int64_t (*)(int64_t))find_in((const uint64_t(*)[2])__omp_offloading_fptr_map_p,
                                                          __omp_offloading_fptr_map_size, host);
  int64_t (*clang)(int64_t) = (int64_t (*)(int64_t))find_in((const uint64_t(*)[2])__omp_rtl_device_environment.table,
                                                            __omp_rtl_device_environment.table_size, host);
  out[0] = rfc ? rfc(x) : 0;
  out[1] = clang ? clang(x) : 0;
}

/* ---- Of clang 23: kernel environments of 40 bytes and a trailing parameter ---- */
typedef struct {
  uint8_t state_machine, nested, exec_mode, pad;
  int32_t min_threads, max_threads, min_teams, max_teams, reduction_data_size;
  void *ident, *dynamic;
} TrailingKernelEnvironment;

typedef struct {
  uint64_t *reduction;
  uint8_t *group_memory;
  uint32_t teams_done, group_size;
  uint8_t fallback;
} TrailingEnvironment;

/* Writes {what there is: 1 reduction buffer, 2 group memory; or all ones without an environment, teams_done,
 * group_size, fallback, sum of the buffer's numbers of teams, dynamic shared memory}, after using all of both buffers.
 * */
#define TELL_TRAILING(kernel, ...)                                                                                     \
  const TrailingKernelEnvironment kernel##_kernel_environment = {__VA_ARGS__};                                         \
  PARAMETERS(kernel, 3);                                                                                               \
  void kernel(uint64_t *out, uint64_t teams, TrailingEnvironment *environment) {                                       \
    out[5] = DYNAMIC_MEMORY();                                                                                         \
    out[0] = ~(uint64_t)0;                                                                                             \
    if ((uint64_t)environment == ~(uint64_t)0)                                                                         \
      return;                                                                                                          \
    out[0] = (environment->reduction ? 1 : 0) | (environment->group_memory ? 2 : 0);                                   \
    out[1] = environment->teams_done;                                                                                  \
    out[2] = environment->group_size;                                                                                  \
    out[3] = environment->fallback;                                                                                    \
    out[4] = 0;                                                                                                        \
    for (uint64_t i = 0; environment->reduction && i < teams; ++i)                                                     \
      environment->reduction[i] = i;                                                                                   \
    for (uint64_t i = 0; environment->group_memory && i < teams * environment->group_size; ++i)                        \
      environment->group_memory[i] = 0xff;                                                                             \
    for (uint64_t i = 0; environment->reduction && i < teams; ++i)                                                     \
      out[4] += environment->reduction[i];                                                                             \
  }
TELL_TRAILING(tell_trailing, .exec_mode = 2)
TELL_TRAILING(tell_trailing_reduction, .exec_mode = 2, .reduction_data_size = 8)
