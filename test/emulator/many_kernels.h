/* Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Two thousand kernels, many_0_000 to many_1_999, each of which writes its number. Whoever includes this defines
 * PARAMETERS.
 */
#include <stdint.h>

#define ONE(a, b, c, d)                                                                                                \
  PARAMETERS(many_##a##_##b##c##d, 2);                                                                                 \
  void many_##a##_##b##c##d(void *environment, uint64_t *out) { *out = 1##a##b##c##d; }
#define TEN(a, b, c)                                                                                                   \
  ONE(a, b, c, 0)                                                                                                      \
  ONE(a, b, c, 1)                                                                                                      \
  ONE(a, b, c, 2)                                                                                                      \
  ONE(a, b, c, 3) ONE(a, b, c, 4) ONE(a, b, c, 5) ONE(a, b, c, 6) ONE(a, b, c, 7) ONE(a, b, c, 8) ONE(a, b, c, 9)
#define HUNDRED(a, b)                                                                                                  \
  TEN(a, b, 0)                                                                                                         \
  TEN(a, b, 1) TEN(a, b, 2) TEN(a, b, 3) TEN(a, b, 4) TEN(a, b, 5) TEN(a, b, 6) TEN(a, b, 7) TEN(a, b, 8) TEN(a, b, 9)
#define THOUSAND(a)                                                                                                    \
  HUNDRED(a, 0)                                                                                                        \
  HUNDRED(a, 1)                                                                                                        \
  HUNDRED(a, 2) HUNDRED(a, 3) HUNDRED(a, 4) HUNDRED(a, 5) HUNDRED(a, 6) HUNDRED(a, 7) HUNDRED(a, 8) HUNDRED(a, 9)
THOUSAND(0)
THOUSAND(1)
