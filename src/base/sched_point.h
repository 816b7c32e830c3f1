// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Named places between the atomic steps of what threads do to shared data, and named faults. Where they are compiled in
// (OMPTARGET_SCHED_POINTS), tests stop or delay a thread at a place, or switch a fault on; elsewhere they are nothing.
#pragma once

#ifdef OMPTARGET_SCHED_POINTS

#include <atomic>
#include <cstring>

namespace omptarget {

/// Called by every thread at every point, possibly with locks held: it may wait, for nothing that needs one of them.
using SchedPointHook = void (*)(const char *name);
inline std::atomic<SchedPointHook> sched_point_hook{nullptr};

inline void sched_point(const char *name) {
  if (const SchedPointHook hook = sched_point_hook.load(std::memory_order_acquire))
    hook(name);
}

/// The fault that is switched on, or null. A test sets it before threads start, to show that it finds the fault
/// (test/stress/plant, test/model).
inline std::atomic<const char *> planted_fault{nullptr};

inline bool is_planted(const char *name) {
  const char *const fault = planted_fault.load(std::memory_order_relaxed);
  return fault && std::strcmp(fault, name) == 0;
}

/// All constructs take the careful way, also those that could do without. A test sets it between constructs.
inline std::atomic<bool> plans_all{false};

} // namespace omptarget

#define OMPTARGET_SCHED_POINT(name) ::omptarget::sched_point(name)
/// True if the defect of that name is switched on. The code behind it is wrong on purpose.
#define OMPTARGET_PLANTED(name) ::omptarget::is_planted(name)
/// The order, or with that defect none.
#define OMPTARGET_ORDER(name, order) (::omptarget::is_planted(name) ? std::memory_order_relaxed : (order))
#define OMPTARGET_PLANS_ALL() ::omptarget::plans_all.load(std::memory_order_relaxed)

#else

#define OMPTARGET_SCHED_POINT(name) static_cast<void>(0)
#define OMPTARGET_PLANTED(name) false
#define OMPTARGET_ORDER(name, order) (order)
#define OMPTARGET_PLANS_ALL() false

#endif
