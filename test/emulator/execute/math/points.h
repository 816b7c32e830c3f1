// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments of a kernel of kernels.c: one value of each for a thread.

#define POINTS 256

#ifdef __cplusplus
template <class T>
#endif
#if defined(T) || defined(__cplusplus)
struct Points {
  T a[POINTS], b[POINTS], c[POINTS], d[POINTS], first[POINTS], second[POINTS];
};
#endif

struct Bits {
  unsigned long long a[POINTS], b[POINTS], c[POINTS], result[POINTS];
};
