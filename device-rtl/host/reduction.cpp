// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions of a team and of all teams: each thread adds what it has under the lock of the reduction, which is one
// for the whole image. libomp's functions of the same names let the only thread of a team in without a lock, so that
// teams would lose one another's results.

#include "libomp.h"

namespace {
constexpr int32_t kAddYourOwn = 1;
}

DEVICE_RTL int32_t __kmpc_reduce(ident_t *place, int32_t, int32_t, size_t, void *, void (*)(void *, void *),
                                 kmp_critical_name *lock) {
  __kmpc_critical(place, __kmpc_global_thread_num(place), lock);
  return kAddYourOwn;
}

DEVICE_RTL void __kmpc_end_reduce(ident_t *place, int32_t, kmp_critical_name *lock) {
  const int32_t thread = __kmpc_global_thread_num(place);
  __kmpc_end_critical(place, thread, lock);
  __kmpc_barrier(place, thread);
}

/// The same for loops with nowait.
DEVICE_RTL int32_t __kmpc_reduce_nowait(ident_t *place, int32_t, int32_t, size_t, void *, void (*)(void *, void *),
                                        kmp_critical_name *lock) {
  return __kmpc_reduce(place, 0, 0, 0, nullptr, nullptr, lock);
}

DEVICE_RTL void __kmpc_end_reduce_nowait(ident_t *place, int32_t, kmp_critical_name *lock) {
  __kmpc_end_critical(place, __kmpc_global_thread_num(place), lock);
}
