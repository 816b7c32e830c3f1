/* Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * An image as clang 17 and later make them for AMD GPUs: kernel environments, a leading argument, implicit arguments,
 * the globals of the device runtime, constructors. Compiled for this machine and relabelled.
 */
#include "emulator/hsa/stand_in_hsa.h"

SIM_NOTE_SPACE

#define PARAMETERS(kernel, n) const uint32_t kernel##_sim_args = (n)
#define DYNAMIC_MEMORY() sim_hsa_dispatch()->group_size
#define FAIL_KERNEL() sim_hsa_queue_error(0x1016)
#include "../../common_kernels.h"

/* ---- Constructors and destructors ---- */
void construct(void) __asm__("amdgcn.device.init");
void construct(void) { call_log[call_count++] = 1; }
void destruct(void) __asm__("amdgcn.device.fini");
void destruct(void) {
  if (linked_decl_tgt_ref_ptr)
    *(int32_t *)linked_decl_tgt_ref_ptr = -1;
}

/* Writes what it was given: {environment, blocks, threads, shared memory of the packet, stack}, then the implicit
 * arguments of version 5: {blocks x, threads x, dimensions, dynamic shared memory, queue is ours}. */
#define TELL(kernel, ...)                                                                                              \
  ENVIRONMENT(kernel, __VA_ARGS__);                                                                                    \
  PARAMETERS(kernel, 2);                                                                                               \
  void kernel(void *environment, uint64_t *out) { tell(environment, out); }
static void tell(void *environment, uint64_t *out) {
  const StandInDispatch *dispatch = sim_hsa_dispatch();
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
PARAMETERS(tell_short, 2);
const uint32_t tell_short_sim_implicit = 16;
void tell_short(void *environment, uint64_t *out) {
  const char *implicit = (const char *)sim_hsa_dispatch()->arguments + 16;
  out[0] = *(const uint32_t *)(implicit + 0);
  out[1] = *(const uint16_t *)(implicit + 12);
}

PARAMETERS(tell_bare, 2);
void tell_bare(void *environment, uint64_t *out) {
  const StandInDispatch *dispatch = sim_hsa_dispatch();
  out[0] = (uint64_t)(uintptr_t)environment;
  for (int i = 0; i < 3; ++i) {
    out[1 + i] = dispatch->blocks[i];
    out[4 + i] = dispatch->threads[i];
  }
  out[7] = dispatch->dimensions;
}

ENVIRONMENT(many_arguments, .exec_mode = 2);
PARAMETERS(many_arguments, 11);
void many_arguments(void *environment, uint64_t *out, uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5,
                    uint64_t a6, uint64_t a7, uint64_t a8, uint64_t a9) {
  *out = a1 + 10 * a2 + 100 * a3 + 1000 * a4 + 10000 * a5 + 100000 * a6 + 1000000 * a7 + 10000000 * a8 + 100000000 * a9;
}

ENVIRONMENT(__omp_offloading_10_2_broken_l99, .exec_mode = 2);
PARAMETERS(__omp_offloading_10_2_broken_l99, 2);
void __omp_offloading_10_2_broken_l99(void *environment, uint64_t address) { sim_hsa_memory_fault(address, 1); }

ENVIRONMENT(illegal, .exec_mode = 2);
PARAMETERS(illegal, 1);
void illegal(void *environment) { sim_hsa_queue_error(42); }

/* malloc of device code as clang 18 and 19 have it, until the first that would stop the kernel: {how many there were}.
 * Each is written from end to end. */
ENVIRONMENT(take_heap, .exec_mode = 2);
PARAMETERS(take_heap, 3);
void take_heap(void *environment, uint64_t *count, uint64_t size) {
  const uint64_t limit = (uint64_t)(uintptr_t)&__omp_rtl_device_memory_pool + __omp_rtl_device_memory_pool.size;
  for (*count = 0;; ++*count) {
    char *memory = __omp_rtl_device_memory_pool.memory;
    __omp_rtl_device_memory_pool.memory = memory + size;
    if ((uint64_t)(uintptr_t)memory + size > limit)
      return;
    memory[0] = memory[size - 1] = 1;
  }
}
