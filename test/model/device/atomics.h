// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The GPU that the device's side of the mailbox has when the checker runs it: atomic operations, fences, its place.
// Each thread of the scenario is a lane of its own warp. See ../mailbox.cpp.
#pragma once

#include "../words.h"
#include "base/sched_point.h"
#include "omptarget/types.h"

#define RTL extern "C"
#define RTL_WEAK static
#define RTL_PLUGIN_VARIABLE
#define SHARED
#define INLINE inline

namespace omptarget::device_rtl::gpu {

namespace target {

inline uint32_t block_id() { return 0; }
inline uint32_t thread_id() { return static_cast<uint32_t>(checked::engine.current_thread()); }
inline uint32_t lane_id() { return 0; }
inline uint64_t active_lanes() { return 1; }
inline void fence_block() { checked::engine.fence(); }
inline void acquire_device() { checked::engine.fence(); }
inline void release_device() { checked::engine.fence(); }
inline void fence_system() { checked::engine.fence(); }
inline void pause() { checked::words().wait_for_change(); }
inline void keep_generic() {}
[[noreturn]] void stop();

} // namespace target

namespace atomics {

template <typename T> T load(const T *word) {
  return static_cast<T>(checked::words().load(word, std::memory_order_relaxed));
}
template <typename T> T exchange(T *word, T value) { return checked::words().exchange(word, value); }
template <typename T> void store(T *word, T value) { checked::words().store(word, value, std::memory_order_relaxed); }

} // namespace atomics

template <typename T> T smaller(T left, T right) { return left < right ? left : right; }
inline uint64_t round_up(uint64_t value, uint64_t to) { return (value + to - 1) / to * to; }

} // namespace omptarget::device_rtl::gpu
