/* Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Kernels as clang 23 makes them for GPUs: kernel environments of 40 bytes and a trailing parameter. Of each image for the
 * stand-ins; the includer defines TRAILING_PARAMETERS(kernel, n) and DYNAMIC_MEMORY(), bytes of this launch.
 */
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

/* Writes {what there is: 1 reduction buffer, 2 group memory; or all ones without an environment, teams_done, group_size,
 * fallback, sum of the buffer's numbers of teams, dynamic shared memory}, after using all of both buffers. */
#define TELL_TRAILING(kernel, ...)                                                                                    \
  const TrailingKernelEnvironment kernel##_kernel_environment = {__VA_ARGS__};                                        \
  TRAILING_PARAMETERS(kernel, 3);                                                                                     \
  void kernel(uint64_t *out, uint64_t teams, TrailingEnvironment *environment) {                                      \
    out[5] = DYNAMIC_MEMORY();                                                                                        \
    out[0] = ~(uint64_t)0;                                                                                            \
    if ((uint64_t)environment == ~(uint64_t)0)                                                                        \
      return;                                                                                                         \
    out[0] = (environment->reduction ? 1 : 0) | (environment->group_memory ? 2 : 0);                                  \
    out[1] = environment->teams_done;                                                                                 \
    out[2] = environment->group_size;                                                                                 \
    out[3] = environment->fallback;                                                                                   \
    out[4] = 0;                                                                                                       \
    for (uint64_t i = 0; environment->reduction && i < teams; ++i)                                                    \
      environment->reduction[i] = i;                                                                                  \
    for (uint64_t i = 0; environment->group_memory && i < teams * environment->group_size; ++i)                       \
      environment->group_memory[i] = 0xff;                                                                            \
    for (uint64_t i = 0; environment->reduction && i < teams; ++i)                                                    \
      out[4] += environment->reduction[i];                                                                            \
    environment->teams_done = 7; /* as a kernel that ended early would leave it */                                    \
  }
TELL_TRAILING(tell_trailing, .exec_mode = 2)
TELL_TRAILING(tell_trailing_reduction, .exec_mode = 2, .reduction_data_size = 8)
