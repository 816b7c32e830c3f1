// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic of the device beside that of the host, operation by operation, over values at the edges of each type.
// RUN: %clang -fno-strict-aliasing -fwrapv -ffp-contract=off %s -lm -o %t && %run %t

#include "check.h"

#include <stdint.h>
#include <string.h>

#define VALUES 24
#define PAIRS (VALUES * VALUES)

static const uint64_t kBits[VALUES] = {
    0, 1, 2, 3, 7, 31, 32, 63, 100, 0x7F, 0x80, 0xFFFF, 0x8000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x123456789ABCDEF0,
    0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0xFFFFFFFFFFFFFFFF, 0xFFFFFFFF00000000, 0xFF00FF00FF00FF00, 255,
    0x5A5A5A5A};
static const double kNumbers[VALUES] = {
    0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, 3.1415926, 1e-3, -7.25, 1e10, 1.7e38, -1e-38, 1e-40, 1e-45, 65536.5,
    2147483648.0, -2147483649.0, 4294967295.0, 1.7e308, 3e-308, 5e-324, 1e300};

// X(name, type of operands, type of the result, expression of a and b)
#define INTEGERS(X, n, U, S)                                                                                           \
  X(add##n, U, U, a + b) X(sub##n, U, U, a - b) X(mul##n, U, U, a * b) X(and##n, U, U, a &b) X(or##n, U, U, a | b)     \
  X(xor##n, U, U, a ^ b) X(not##n, U, U, ~a) X(udiv##n, U, U, a / (b | 1)) X(urem##n, U, U, a % (b | 1))               \
  X(sdiv##n, S, S, a / ((b & 0xFF) | 1)) X(srem##n, S, S, a % ((b & 0xFF) | 1))                                        \
  X(shl##n, U, U, a << (b % (8 * sizeof(U)))) X(shr##n, U, U, a >> (b % (8 * sizeof(U))))                              \
  X(sar##n, S, S, a >> ((U)b % (8 * sizeof(U)))) X(umin##n, U, U, a < b ? a : b) X(umax##n, U, U, a > b ? a : b)       \
  X(smin##n, S, S, a < b ? a : b) X(smax##n, S, S, a > b ? a : b)                                                      \
  X(rotate##n, U, U, a << (b % (8 * sizeof(U))) | a >> ((0 - b) % (8 * sizeof(U))))                                    \
  X(compare##n, U, int, (a < b) + 2 * (a == b) + 4 * ((S)a < (S)b) + 8 * ((S)a >= (S)b))
#define CONVERSIONS(X, T, n)                                                                                           \
  X(from_i8_##n, int8_t, T, (T)a) X(from_u8_##n, uint8_t, T, (T)a) X(from_i16_##n, int16_t, T, (T)a)                   \
  X(from_u16_##n, uint16_t, T, (T)a) X(from_i32_##n, int32_t, T, (T)a) X(from_u32_##n, uint32_t, T, (T)a)              \
  X(from_i64_##n, int64_t, T, (T)a) X(from_u64_##n, uint64_t, T, (T)a)
#define FLOATS(X, n, T, s)                                                                                             \
  X(fadd##n, T, T, a + b) X(fsub##n, T, T, a - b) X(fmul##n, T, T, a *b) X(fdiv##n, T, T, a / b)                       \
  X(fma##n, T, T, __builtin_fma##s(a, b, a)) X(fneg##n, T, T, -a) X(fabs##n, T, T, __builtin_fabs##s(a))               \
  X(floor##n, T, T, __builtin_floor##s(a)) X(ceil##n, T, T, __builtin_ceil##s(a))                                      \
  X(trunc##n, T, T, __builtin_trunc##s(a)) X(rint##n, T, T, __builtin_rint##s(a))                                      \
  X(copysign##n, T, T, __builtin_copysign##s(a, b)) X(fmin##n, T, T, a == b ? a : __builtin_fmin##s(a, b))             \
  X(fmax##n, T, T, a == b ? a : __builtin_fmax##s(a, b))                                                               \
  X(fcompare##n, T, int, (a < b) + 2 * (a == b) + 4 * (a <= b) + 8 * (a != b) + 16 * !(a > b))                         \
  X(to_i32_##n, T, int, (int)(__builtin_fabs##s(a) < 2e9 ? a : 0))                                                     \
  X(to_i64_##n, T, int64_t, (int64_t)(__builtin_fabs##s(a) < 9e18 ? a : 0))                                            \
  X(to_u32_##n, T, uint32_t, (uint32_t)(a > 0 && a < 4e9 ? a : 0))
#define ALL(X)                                                                                                         \
  INTEGERS(X, 8, uint8_t, int8_t)                                                                                      \
  INTEGERS(X, 16, uint16_t, int16_t)                                                                                   \
  INTEGERS(X, 32, uint32_t, int32_t)                                                                                   \
  INTEGERS(X, 64, uint64_t, int64_t)                                                                                   \
  X(clz32, uint32_t, int, a ? __builtin_clz(a) : 99) X(ctz32, uint32_t, int, a ? __builtin_ctz(a) : 99)                \
  X(clz64, uint64_t, int, a ? __builtin_clzll(a) : 99) X(ctz64, uint64_t, int, a ? __builtin_ctzll(a) : 99)            \
  X(count32, uint32_t, int, __builtin_popcount(a)) X(count64, uint64_t, int, __builtin_popcountll(a))                  \
  X(swap32, uint32_t, uint32_t, __builtin_bswap32(a)) X(swap64, uint64_t, uint64_t, __builtin_bswap64(a))              \
  X(reverse32, uint32_t, uint32_t, __builtin_bitreverse32(a))                                                          \
  X(reverse64, uint64_t, uint64_t, __builtin_bitreverse64(a))                                                          \
  X(high32, uint32_t, uint32_t, (uint32_t)((uint64_t)a * b >> 32))                                                     \
  X(high64, uint64_t, uint64_t, (uint64_t)((unsigned __int128)a * b >> 64))                                            \
  CONVERSIONS(X, float, f) CONVERSIONS(X, double, d) CONVERSIONS(X, int64_t, l) CONVERSIONS(X, int8_t, b)              \
  FLOATS(X, f, float, f) FLOATS(X, d, double, )                                                                        \
  X(narrow, double, float, (float)a) X(widen, float, double, (double)a)

#define OF(T) (_Generic((T)0, float: 1, double: 1, default: 0))

#define COMPUTE(name, T, R, expression)                                                                                \
  static void name(const T *first, const T *second, R *results) {                                                      \
    for (int i = 0; i < PAIRS; ++i) {                                                                                  \
      const T a = first[i / VALUES], b = second[i % VALUES];                                                           \
      (void)b;                                                                                                         \
      results[i] = (R)(expression);                                                                                    \
    }                                                                                                                  \
  }                                                                                                                    \
  static void on_device_##name(const T *first, R *results) {                                                           \
    _Pragma("omp target teams distribute parallel for map(to : first[:VALUES]) map(from : results[:PAIRS])")           \
    for (int i = 0; i < PAIRS; ++i) {                                                                                  \
      const T a = first[i / VALUES], b = first[i % VALUES];                                                            \
      (void)b;                                                                                                         \
      results[i] = (R)(expression);                                                                                    \
    }                                                                                                                  \
  }
ALL(COMPUTE)

// A value that is no number has no bits to compare.
static int same(const void *a, const void *b, size_t size, int is_float) {
  if (is_float && size == 4 && *(const float *)a != *(const float *)a)
    return *(const float *)b != *(const float *)b;
  if (is_float && size == 8 && *(const double *)a != *(const double *)a)
    return *(const double *)b != *(const double *)b;
  return memcmp(a, b, size) == 0;
}

#define COMPARE(name, T, R, expression)                                                                                \
  do {                                                                                                                 \
    T values[VALUES];                                                                                                  \
    R wanted[PAIRS], got[PAIRS];                                                                                       \
    for (int i = 0; i < VALUES; ++i)                                                                                   \
      values[i] = OF(T) ? (T)kNumbers[i] : (T)kBits[i];                                                                \
    memset(got, 0x5A, sizeof(got));                                                                                    \
    name(values, values, wanted);                                                                                      \
    on_device_##name(values, got);                                                                                     \
    for (int i = 0; i < PAIRS; ++i)                                                                                    \
      if (!same(&wanted[i], &got[i], sizeof(R), OF(R))) {                                                              \
        printf("%s: values %d and %d\n", #name, i / VALUES, i % VALUES);                                               \
        CHECK(!"the device computes what the host does");                                                              \
        break;                                                                                                         \
      }                                                                                                                \
  } while (0);

int main(void) {
  ALL(COMPARE)
  return finish();
}
