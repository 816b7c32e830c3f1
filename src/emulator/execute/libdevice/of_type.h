// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of libdevice.c that are for T, float or double.

#define HOST_1(R, A, name)                                                                                             \
  BUILTIN R HOST(name)(A);                                                                                             \
  INLINE R NV(name)(A a) { return HOST(name)(a); }
#define HOST_2(R, A, B, name)                                                                                          \
  BUILTIN R HOST(name)(A, B);                                                                                          \
  INLINE R NV(name)(A a, B b) { return HOST(name)(a, b); }
#define HOST_3(R, A, B, C, name)                                                                                       \
  BUILTIN R HOST(name)(A, B, C);                                                                                       \
  INLINE R NV(name)(A a, B b, C c) { return HOST(name)(a, b, c); }
#define HOST_4(R, A, B, C, D, name)                                                                                    \
  BUILTIN R HOST(name)(A, B, C, D);                                                                                    \
  INLINE R NV(name)(A a, B b, C c, D d) { return HOST(name)(a, b, c, d); }
#include "functions.def"

BUILTIN T HOST(frexp_mantissa)(T);
BUILTIN int HOST(frexp_exponent)(T);
BUILTIN int HOST(remquo_quotient)(T, T);

INLINE T NV(frexp)(T a, int *exponent) {
  *exponent = HOST(frexp_exponent)(a);
  return HOST(frexp_mantissa)(a);
}
INLINE T NV(modf)(T a, T *whole) {
  *whole = NV(trunc)(a);
  return NV(copysign)(__builtin_isinf(a) ? 0 : a - *whole, a);
}
INLINE T NV(remquo)(T a, T b, int *quotient) {
  *quotient = HOST(remquo_quotient)(a, b);
  return HOST(remainder)(a, b);
}
INLINE void NV(sincos)(T a, T *sine, T *cosine) {
  *sine = HOST(sin)(a);
  *cosine = HOST(cos)(a);
}
INLINE void NV(sincospi)(T a, T *sine, T *cosine) {
  *sine = HOST(sinpi)(a);
  *cosine = HOST(cospi)(a);
}
INLINE T NV(norm)(int count, const T *values) {
  T sum = 0;
  for (int i = 0; i < count; ++i)
    sum = HOST(hypot)(sum, values[i]);
  return sum;
}
INLINE T NV(rnorm)(int count, const T *values) { return 1 / NV(norm)(count, values); }
INLINE T NV(nan)(const signed char *tag) {
  (void)tag;
  return (T)__builtin_nan("");
}
