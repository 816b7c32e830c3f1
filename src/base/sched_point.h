// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Named places between the atomic steps of what threads do to shared data. Where they are compiled in
// (OMPTARGET_SCHED_POINTS), tests stop or delay a thread there; elsewhere they are nothing.
#pragma once

#ifdef OMPTARGET_SCHED_POINTS

#include <atomic>

namespace omptarget {

/// Called by every thread at every point, possibly with locks held: it may wait, for nothing that needs one of them.
using SchedPointHook = void (*)(const char *name);
inline std::atomic<SchedPointHook> sched_point_hook{nullptr};

inline void sched_point(const char *name) {
  if (const SchedPointHook hook = sched_point_hook.load(std::memory_order_acquire))
    hook(name);
}

} // namespace omptarget

#define OMPTARGET_SCHED_POINT(name) ::omptarget::sched_point(name)

#else

#define OMPTARGET_SCHED_POINT(name) static_cast<void>(0)

#endif
