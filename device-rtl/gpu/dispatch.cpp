// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that assign their chunks while they run (OpenMP 5.2, 11.5.3). The team's state of a loop lies in shared memory.
// A loop of one thread, and a thread's place in a static schedule, lie in the thread's data environment.

#include "debugging.h"
#include "environment.h"
#include "loops.h"

namespace omptarget::device_rtl::gpu {

/// The loop that a team shares, in several variables: the linker drops those that no loop of an image needs.
namespace team_loop {
#if defined(__AMDGCN__)
inline constexpr uint64_t kAlignment = 16; ///< where it is less, LLVM 19 refuses some kernels
#else
inline constexpr uint64_t kAlignment = 8;
#endif
struct alignas(kAlignment) Rest {
  uint64_t next; ///< that nobody has; of a dynamic loop that is over, beyond the end
  uint64_t end;  ///< by the compiler's numbers, as all here
};
struct alignas(kAlignment) Number {
  uint64_t value;
};
SHARED_VARIABLE Rest rest;
SHARED_VARIABLE Number first, chunk;
SHARED_VARIABLE uint8_t is_guided;
} // namespace team_loop

/// A schedule of the compiler, decoded.
struct Plan {
  bool is_shared; ///< threads take chunks from one place
  bool is_guided;
  bool is_ordered; ///< one thread does all
  uint64_t chunk;  ///< 0: equal parts
};

INLINE Plan plan_of(int32_t schedule, uint64_t chunk) {
  int32_t kind = schedule & kScheduleOnly;
  if (kind >= kOrdered && kind <= kLastOrdered)
    return {false, false, true, 0};
  if (kind == kRuntime || kind == kRuntimeSimd) {
    const DeviceSchedule own = run_schedule();
    chunk = own.chunk;
    const uint32_t set = own.kind & 0x7FFFFFFF;
    kind = set == kApiDynamic ? kDynamic : set == kApiGuided ? kGuided : chunk != 0 ? kStaticChunked : kStatic;
  }
  if (kind == kDynamic)
    return {true, false, false, larger<uint64_t>(chunk, 1)};
  if (kind == kGuided || kind == kGuidedSimd)
    return {true, true, false, larger<uint64_t>(chunk, 1)};
  return {false, false, false, kind == kStaticChunked || kind == kStaticBalancedChunked ? chunk : 0};
}

/// Where the thread's loop is.
INLINE Dispatch *own_loop() {
  if (!has_environment())
    return nullptr;
  Environment *const environment = find_environment();
  return environment->level == level() && environment->loop.is_under_way ? &environment->loop : nullptr;
}

/// Begins the loop of a thread that computes its chunks alone.
INLINE void begin_own(const Plan &plan, uint64_t lower, uint64_t count) {
  Dispatch &loop = own_environment().loop;
  const uint64_t number = thread_number(), threads = team_size();
  loop.lower = lower;
  loop.count = count;
  loop.next = 0;
  loop.is_whole = threads == 1;
  loop.is_under_way = 1;
  if (threads == 1)
    return;
  if (plan.is_ordered) {
    loop.chunk = larger<uint64_t>(count, 1);
    loop.next = number == 0 ? 0 : count;
  } else {
    loop.chunk = plan.chunk != 0 ? plan.chunk : larger<uint64_t>(divide_up(count, threads), 1);
    loop.next = number < divide_up(count, loop.chunk) ? number * loop.chunk : count;
  }
  loop.stride = loop.chunk * threads;
}

/// As is_in_team, but not by the level, which the compiler does not always know. In an SPMD kernel such loops are in
/// regions.
INLINE bool shares_loops() { return (is_spmd() || is_active()) && own_levels() == 0; }

/// Larger ones of all threads together may pass the end of numbers.
inline constexpr uint64_t kLargeChunk = uint64_t{1} << 32;

INLINE void begin_loop(int32_t schedule, uint64_t lower, uint64_t count, uint64_t chunk) {
  Plan plan = plan_of(schedule, chunk);
  if (plan.chunk > kLargeChunk)
    plan.chunk = smaller(plan.chunk, count);
  if (!plan.is_shared || !shares_loops())
    return begin_own(plan, lower, count);
  team_barrier(); // nobody needs the loop before any longer
  if (target::thread_id() == 0) {
    team_loop::first.value = lower;
    team_loop::rest.end = lower + count;
    team_loop::rest.next = lower;
    team_loop::chunk.value = plan.chunk;
    team_loop::is_guided = plan.is_guided;
  }
  team_barrier();
}

/// Iterations [begin, end) by the compiler's numbers; none: begin is end. They may pass the greatest number.
struct Part {
  uint64_t begin, end;
  bool is_last;
};

INLINE Part take_guided() {
  const uint64_t end = team_loop::rest.end;
  uint64_t next = atomics::load(&team_loop::rest.next);
  while (next != end) {
    const uint64_t left = end - next;
    const uint64_t size = smaller(left, larger(left / (2 * uint64_t{active_size()}), uint64_t{team_loop::chunk.value}));
    if (atomics::compare_exchange(&team_loop::rest.next, next, next + size))
      return {next, next + size, size == left};
  }
  return {};
}

INLINE Part take_dynamic() {
  const uint64_t chunk = team_loop::chunk.value, first = team_loop::first.value, count = team_loop::rest.end - first;
  const uint64_t begin = atomics::fetch_add(&team_loop::rest.next, chunk), before = begin - first;
  if (before >= count)
    return {};
  const uint64_t size = smaller(chunk, count - before);
  return {begin, begin + size, size == count - before};
}

INLINE Part take_own(Dispatch &loop) {
  const uint64_t next = loop.next, left = loop.count - next;
  if (left == 0) {
    loop.is_under_way = 0;
    return {};
  }
  const uint64_t size = loop.is_whole ? left : smaller(loop.chunk, left), begin = loop.lower + next;
  loop.next = loop.is_whole || left <= loop.stride ? loop.count : next + loop.stride;
  return {begin, begin + size, size == left};
}

INLINE Part take_next() {
  if (Dispatch *const own = own_loop())
    return take_own(*own);
  return team_loop::is_guided ? take_guided() : take_dynamic();
}

} // namespace omptarget::device_rtl::gpu

using namespace omptarget::device_rtl::gpu;

#define DISPATCH(suffix, Count, Step)                                                                                  \
  RTL void __kmpc_dispatch_init_##suffix(ident_t *, int32_t, int32_t schedule, Count lower, Count upper, Step,         \
                                         Step chunk) {                                                                 \
    TRACE;                                                                                                             \
    begin_loop(schedule, static_cast<uint64_t>(lower),                                                                 \
               upper < lower ? 0 : static_cast<uint64_t>(upper) - static_cast<uint64_t>(lower) + 1,                    \
               chunk > 0 ? static_cast<uint64_t>(chunk) : 0);                                                          \
  }                                                                                                                    \
  RTL int32_t __kmpc_dispatch_next_##suffix(ident_t *, int32_t, int32_t *is_last, Count *lower, Count *upper,          \
                                            Step *stride) {                                                            \
    TRACE;                                                                                                             \
    const Part part = take_next();                                                                                     \
    if (part.begin == part.end)                                                                                        \
      return 0;                                                                                                        \
    *lower = static_cast<Count>(part.begin);                                                                           \
    *upper = static_cast<Count>(part.end - 1);                                                                         \
    *stride = 1;                                                                                                       \
    if (is_last)                                                                                                       \
      *is_last = part.is_last;                                                                                         \
    return 1;                                                                                                          \
  }                                                                                                                    \
  RTL void __kmpc_dispatch_fini_##suffix(ident_t *, int32_t) {}
DISPATCH(4, int32_t, int32_t)
DISPATCH(4u, uint32_t, int32_t)
DISPATCH(8, int64_t, int64_t)
DISPATCH(8u, uint64_t, int64_t)
#if OMPTARGET_RTL_GENERATION >= 19
RTL void __kmpc_dispatch_deinit(ident_t *, int32_t) {}
#endif
