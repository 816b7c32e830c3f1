// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic operations. All are relaxed; what must be ordered has a fence beside it.
#pragma once

#include "targets/current.h"

/// A defect that test/model switches on by its name.
#define OMPTARGET_PLANTED(name) false

namespace omptarget::device_rtl::gpu::atomics {

#if __has_builtin(__scoped_atomic_load_n)
#define OMPTARGET_ATOMIC(name, ...) __scoped_atomic_##name(__VA_ARGS__, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)
template <typename P> INLINE auto load(P *address) { return OMPTARGET_ATOMIC(load_n, address); }
template <typename P, typename T> INLINE void store(P *address, T value) { OMPTARGET_ATOMIC(store_n, address, value); }
template <typename P, typename T> INLINE auto exchange(P *address, T value) {
  return OMPTARGET_ATOMIC(exchange_n, address, value);
}
template <typename P, typename T> INLINE auto fetch_add(P *address, T value) {
  return OMPTARGET_ATOMIC(fetch_add, address, value);
}
template <typename P, typename T> INLINE auto fetch_or(P *address, T value) {
  return OMPTARGET_ATOMIC(fetch_or, address, value);
}
template <typename P, typename T> INLINE auto fetch_and(P *address, T value) {
  return OMPTARGET_ATOMIC(fetch_and, address, value);
}
/// Returns whether *address was expected and is desired now; else expected gets what it is.
template <typename P, typename T> INLINE bool compare_exchange(P *address, T &expected, T desired) {
  return __scoped_atomic_compare_exchange_n(address, &expected, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                            __MEMORY_SCOPE_DEVICE);
}
#undef OMPTARGET_ATOMIC
#else
// Clang before 18 has no scopes, and takes the newer functions for calls of a library where no processor is named.
template <typename P> INLINE auto load(P *address) { return __sync_fetch_and_add(address, 0); }
template <typename P, typename T> INLINE auto exchange(P *address, T value) {
  return __sync_lock_test_and_set(address, value);
}
template <typename P, typename T> INLINE void store(P *address, T value) { exchange(address, value); }
template <typename P, typename T> INLINE auto fetch_add(P *address, T value) {
  return __sync_fetch_and_add(address, value);
}
template <typename P, typename T> INLINE auto fetch_or(P *address, T value) {
  return __sync_fetch_and_or(address, value);
}
template <typename P, typename T> INLINE auto fetch_and(P *address, T value) {
  return __sync_fetch_and_and(address, value);
}
template <typename P, typename T> INLINE bool compare_exchange(P *address, T &expected, T desired) {
  const T found = __sync_val_compare_and_swap(address, expected, desired);
  const bool is_done = found == expected;
  expected = found;
  return is_done;
}
#endif

/// Returns whether a flag is set that is set once, by any thread of any kernel. In an image without code that sets it
/// the compiler knows the answer. Clang 16 would not know that of an atomic load.
INLINE bool is_set(uint32_t &flag) {
#if __has_builtin(__scoped_atomic_load_n)
  return load(&flag) != 0;
#else
  return flag != 0;
#endif
}

} // namespace omptarget::device_rtl::gpu::atomics
