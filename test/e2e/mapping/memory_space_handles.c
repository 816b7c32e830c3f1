// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows what libomp 23 passes for memory spaces of devices, on which memory/memory_spaces.h builds. Functions of the
// program's own take the place of this library's. An allocation comes with a size and a handle: no device, no
// alignment, no traits. libomp itself clears memory of omp_calloc on the host, and ends the program in omp_realloc. If
// this fails, a newer libomp may allow more: see docs/use/unified-memory.md.

// REQUIRES: clang-23
// UNSUPPORTED: libomp-loads-here, runtime-llvm, emulator-cuda, emulator-amdgpu
// RUN: %clang -fopenmp-version=60 -Wl,--export-dynamic %s %llvmfolder/lib/libomp.so -o %t
// RUN: %run %t 2>%t.errors | %check
// RUN: %FileCheck %s --check-prefix=ENDS < %t.errors

// CHECK: resources of 1 devices from 0, host 0, space 99: count
// CHECK-NEXT: resources of 1 devices from 0, host 0, space 99: numbers
// CHECK-NEXT: resources of 1 devices from 1, host 1, space 1: count
// CHECK-NEXT: resources of 1 devices from 1, host 1, space 1: numbers
// CHECK-NEXT: allocation of 100 by the handle
// CHECK-NEXT: allocation of 100 by the handle
// CHECK-NEXT: clearing ends by signal 11
// CHECK-NEXT: reallocating ends by signal 6
// CHECK-NEXT: freeing without an allocator ends by signal 6
// CHECK-NEXT: a failed allocation gives null
// ENDS-COUNT-2: kmp_alloc.cpp

#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static omp_allocator_handle_t expected;
static enum { kHeap, kUnreached, kNone } kind;

int omp_get_num_devices(void) { return 2; }
int __tgt_get_mem_resources(int count, const int *devices, int host, uintptr_t space, int *resources) {
  printf("resources of %d devices from %d, host %d, space %d: %s\n", count, devices[0], host, (int)space,
         resources ? "numbers" : "count");
  if (resources)
    *resources = 5;
  return 1;
}
void *__tgt_omp_alloc(size_t size, omp_allocator_handle_t allocator) {
  if (kind != kHeap)
    return kind == kNone ? NULL : mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  printf("allocation of %d by %s\n", (int)size, allocator == expected ? "the handle" : "something else");
  char *memory = calloc(1, size + 4096); // bytes before it that are ours
  return memory + 2048;
}
void __tgt_omp_free(void *pointer, omp_allocator_handle_t allocator) { (void)pointer, (void)allocator; }

static void clear(void) {
  kind = kUnreached;
  omp_calloc(10, 10, expected);
}
static void reallocate(void) { omp_realloc(omp_alloc(100, expected), 200, expected, expected); }
static void free_without_allocator(void) { omp_free(omp_alloc(100, expected), omp_null_allocator); }

static void try(const char *what, void (*function)(void)) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    freopen("/dev/null", "w", stdout);
    function();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  printf("%s ends by signal %d\n", what, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

int main(void) {
  const omp_memspace_handle_t space = omp_get_device_memspace(0, omp_default_mem_space);
  omp_get_device_and_host_allocator(1, omp_large_cap_mem_space);
  omp_alloctrait_t traits[] = {
      {omp_atk_alignment, 4096}, {omp_atk_pool_size, 10}, {omp_atk_fallback, omp_atv_abort_fb}};
  expected = omp_init_allocator(space, 3, traits);
  omp_alloc(100, expected);
  omp_aligned_alloc(8192, 100, expected);
  try("clearing", clear);
  try("reallocating", reallocate);
  try("freeing without an allocator", free_without_allocator);
  kind = kNone;
  printf("a failed allocation gives %s\n", omp_alloc(100, expected) ? "memory" : "null");
  return 0;
}
