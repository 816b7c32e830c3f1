// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands for CUDA's libdevice in code for the executor: make-ptx-toolkit compiles it to libdevice.10.bc.
// Mathematics is a call of __executor_<name>, which the executor has as a built-in; a driver does not know it.

#define BUILTIN __attribute__((const, nothrow))
#define INLINE __attribute__((always_inline))

#define BITS(type, value)                                                                                              \
  ({                                                                                                                   \
    type bits_;                                                                                                        \
    __builtin_memcpy(&bits_, &(value), sizeof(bits_));                                                                 \
    bits_;                                                                                                             \
  })

#define NV_1(R, name, A, expression)                                                                                   \
  INLINE R __nv_##name(A a) { return expression; }
#define NV_2(R, name, A, B, expression)                                                                                \
  INLINE R __nv_##name(A a, B b) { return expression; }
#define NV_3(R, name, A, B, C, expression)                                                                             \
  INLINE R __nv_##name(A a, B b, C c) { return expression; }
#include "functions.def"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define NV(name) JOIN(__nv_##name, SUFFIX)
#define HOST(name) JOIN(__executor_##name, SUFFIX)

#define T double
#define SUFFIX
#include "of_type.h"
#undef T
#undef SUFFIX
#define T float
#define SUFFIX f
#include "of_type.h"

INLINE void __nv_fast_sincosf(float a, float *sine, float *cosine) {
  *sine = __nv_fast_sinf(a);
  *cosine = __nv_fast_cosf(a);
}
