/* Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The test image of omptarget-plugin-check: compile it for the target of a plugin and give it to the program with
 * --image. Everything in it is optional; what an image lacks is left out, and said to be. For another target define
 * OMPTARGET_CHECK_KERNEL (what makes a function a kernel there) and OMPTARGET_CHECK_SYMBOL (what makes a symbol
 * visible).
 *
 * Kernels take their arguments as 8-byte values, as compilers pass them. Only implicit is launched as a kernel of the
 * generation with an implicit leading parameter.
 */
#include <stdint.h>

#ifndef OMPTARGET_CHECK_SYMBOL
#define OMPTARGET_CHECK_SYMBOL __attribute__((visibility("protected")))
#endif
#ifndef OMPTARGET_CHECK_KERNEL
#define OMPTARGET_CHECK_KERNEL OMPTARGET_CHECK_SYMBOL
#endif

typedef struct FunctionPair {
  uint64_t host;
  uint64_t target;
} FunctionPair;

/* A variable; each device has its own, 42 after loading. */
OMPTARGET_CHECK_SYMBOL uint64_t omptarget_check_variable = 42;

/* The table of indirect functions that set_function_ptr_map sets. */
OMPTARGET_CHECK_SYMBOL const FunctionPair *__omp_offloading_fptr_map_p;
OMPTARGET_CHECK_SYMBOL uint64_t __omp_offloading_fptr_map_size;

/* A function, reached through a variable that holds its address, as compilers emit for the indirect clause. */
static uint64_t triple(uint64_t value) { return 3 * value; }
OMPTARGET_CHECK_SYMBOL uint64_t (*omptarget_check_function)(uint64_t) = triple;

OMPTARGET_CHECK_KERNEL void omptarget_check_nothing(void) {}

OMPTARGET_CHECK_KERNEL void omptarget_check_store(uint64_t *target, uint64_t value) { *target = value; }

OMPTARGET_CHECK_KERNEL void omptarget_check_add(uint64_t *target, uint64_t value) { *target += value; }

/* *target becomes the variable, and the variable becomes value. */
OMPTARGET_CHECK_KERNEL void omptarget_check_exchange(uint64_t *target, uint64_t value) {
  *target = omptarget_check_variable;
  omptarget_check_variable = value;
}

OMPTARGET_CHECK_KERNEL void omptarget_check_sum(uint64_t *target, uint64_t a, uint64_t b, uint64_t c, uint64_t d,
                                                uint64_t e, uint64_t f, uint64_t g, uint64_t h, uint64_t i, uint64_t j,
                                                uint64_t k, uint64_t l, uint64_t m, uint64_t n, uint64_t o, uint64_t p,
                                                uint64_t q, uint64_t r, uint64_t s, uint64_t t) {
  *target = a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + 11 * k + 12 * l + 13 * m +
            14 * n + 15 * o + 16 * p + 17 * q + 18 * r + 19 * s + 20 * t;
}

OMPTARGET_CHECK_KERNEL void omptarget_check_implicit(void *implicit, uint64_t *target, uint64_t value) {
  (void)implicit;
  *target = value;
}

/* *target becomes what the device's function for the host function makes of *target, or 0 if it has none. */
OMPTARGET_CHECK_KERNEL void omptarget_check_call(uint64_t host_function, uint64_t *target) {
  uint64_t result = 0;
  for (uint64_t i = 0; i < __omp_offloading_fptr_map_size; ++i)
    if (__omp_offloading_fptr_map_p[i].host == host_function)
      result = ((uint64_t (*)(uint64_t))(uintptr_t)__omp_offloading_fptr_map_p[i].target)(*target);
  *target = result;
}

#ifndef OMPTARGET_CHECK_NO_ENTRIES
/* The image's own table of entries, which compilers emit for CPUs and some plugins read. */
typedef struct Entry {
  void *address;
  const char *name;
  uint64_t size;
  int32_t flags;
  int32_t reserved;
} Entry;
#define ENTRY(symbol, size, flags) {(void *)&symbol, #symbol, size, flags, 0}
__attribute__((section("omp_offloading_entries"), used)) static Entry entries[] = {
    ENTRY(omptarget_check_nothing, 0, 0),  ENTRY(omptarget_check_variable, 8, 0),
    ENTRY(omptarget_check_store, 0, 0),    ENTRY(omptarget_check_add, 0, 0),
    ENTRY(omptarget_check_function, 8, 8), ENTRY(omptarget_check_sum, 0, 0),
    ENTRY(omptarget_check_exchange, 0, 0), ENTRY(omptarget_check_implicit, 0, 0),
    ENTRY(omptarget_check_call, 0, 0),     ENTRY(__omp_offloading_fptr_map_size, 8, 0),
};
#endif
