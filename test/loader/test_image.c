/* Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * An image for the CPU as a compiler would make it, without a compiler: kernels, variables, and an entry table of its
 * own that also names what has no symbol. Built as a shared object and read by tests as bytes.
 */
#include <stddef.h>
#include <stdint.h>

#include "omptarget/types.h"

#define EXPORTED __attribute__((visibility("protected")))

EXPORTED int variable = 41;
EXPORTED const int constant = 43;
EXPORTED int *const constant_pointer = &variable;
static int hidden_variable = 17;
EXPORTED uint64_t constructed;
EXPORTED int *shared_decl_tgt_ref_ptr;
/* Default visibility: a symbol of the program may take its place. */
int interposed = 5;

/* The tables of indirect functions, in both protocols. */
EXPORTED const __omp_offloading_fptr_map_ty *__omp_offloading_fptr_map_p;
EXPORTED uint64_t __omp_offloading_fptr_map_size;
EXPORTED unsigned char __omp_rtl_device_environment[48] __attribute__((aligned(8)));

static int64_t local_function(int64_t value) { return value * 3; }
EXPORTED int64_t (*indirect_function)(int64_t) = local_function;

__attribute__((constructor)) static void construct(void) { constructed = 99; }

EXPORTED void kernel_empty(void) {}
EXPORTED void kernel_increment(int *value) { *value += variable; }
EXPORTED void kernel_implicit(void *implicit, int64_t *seen, int64_t literal) {
  seen[0] = (int64_t)(intptr_t)implicit;
  seen[1] = literal;
}
EXPORTED void kernel_hidden(int *value) { *value = hidden_variable++; }
EXPORTED void kernel_interposed(int *value) { *value = interposed; }
/* Looks a function up as device code of the first protocol does, and calls it. */
EXPORTED void kernel_indirect(uint64_t host_function, int64_t *result) {
  for (uint64_t i = 0; i < __omp_offloading_fptr_map_size; ++i)
    if (__omp_offloading_fptr_map_p[i].host_ptr == host_function)
      *result = ((int64_t (*)(int64_t))(uintptr_t)__omp_offloading_fptr_map_p[i].tgt_ptr)(*result);
}

#define P(n)                                                                                                           \
  int64_t a##n##0, int64_t a##n##1, int64_t a##n##2, int64_t a##n##3, int64_t a##n##4, int64_t a##n##5,                \
      int64_t a##n##6, int64_t a##n##7, int64_t a##n##8, int64_t a##n##9
#define SUM(n)                                                                                                         \
  (a##n##0 + 2 * a##n##1 + 3 * a##n##2 + 4 * a##n##3 + 5 * a##n##4 + 6 * a##n##5 + 7 * a##n##6 + 8 * a##n##7 +         \
   9 * a##n##8 + 10 * a##n##9)
EXPORTED void kernel_11(int64_t *result, P(0)) { *result = SUM(0); }
EXPORTED void kernel_31(int64_t *result, P(0), P(1), P(2)) { *result = SUM(0) + 10 * SUM(1) + 100 * SUM(2); }
EXPORTED void kernel_51(int64_t *result, P(0), P(1), P(2), P(3), P(4)) {
  *result = SUM(0) + 10 * SUM(1) + 100 * SUM(2) + 1000 * SUM(3) + 10000 * SUM(4);
}

#ifndef TEST_IMAGE_WITHOUT_ENTRIES
/* Names live in the image; the records are packed and the table need not be aligned. */
static char name_hidden_variable[] = "hidden_variable";
static char name_local_function[] = "local_function";
__attribute__((section("omp_offloading_entries"), used)) static __tgt_offload_entry entries[] = {
    {&hidden_variable, name_hidden_variable, sizeof hidden_variable, 0, 0},
    {(void *)local_function, name_local_function, 0, OMPTARGET_ENTRY_INDIRECT, 0},
};
#endif
