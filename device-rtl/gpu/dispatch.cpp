// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops whose chunks are given out while they run (OpenMP 5.2, 11.5.3). What all threads of a team share, shared memory has; a loop that
// a thread has for itself, and a thread's own place in a static schedule, its data environment has.

#include "debugging.h"
#include "environment.h"
#include "loops.h"

namespace omptarget::device_rtl::gpu {

SHARED_VARIABLE Dispatch team_loop;

/// What a schedule of the compiler comes to.
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
    const ControlVariables own = variables();
    chunk = own.chunk;
    const uint32_t set = own.schedule & 0x7FFFFFFF;
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

template <typename L> INLINE void describe(L &loop, uint64_t lower, uint64_t count, uint64_t chunk, bool is_guided) {
  loop.lower = lower;
  loop.count = count;
  loop.next = 0;
  loop.chunk = chunk;
  loop.stride = 0;
  loop.threads = team_size();
  loop.is_guided = is_guided;
}

/// Of a thread that takes its chunks by itself.
INLINE void begin_own(const Plan &plan, uint64_t lower, uint64_t count) {
  Dispatch &loop = own_environment().loop;
  const uint64_t number = thread_number(), threads = team_size();
  describe(loop, lower, count, plan.chunk, plan.is_guided);
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

INLINE void begin_loop(int32_t schedule, uint64_t lower, uint64_t count, uint64_t chunk) {
  const Plan plan = plan_of(schedule, chunk);
  if (!plan.is_shared || !is_in_team())
    return begin_own(plan, lower, count);
  team_barrier(); // nobody needs the loop before any longer
  if (thread_number() == 0)
    describe(team_loop, lower, count, plan.chunk, plan.is_guided);
  team_barrier();
}

/// Iterations [begin, end); none: begin is end.
struct Part {
  uint64_t begin, end;
};

INLINE Part take_guided() {
  uint64_t next = atomics::load(&team_loop.next);
  for (;;) {
    if (next >= team_loop.count)
      return {0, 0};
    const uint64_t left = team_loop.count - next;
    const uint64_t size = smaller(left, larger(left / (2 * uint64_t{team_loop.threads}), uint64_t{team_loop.chunk}));
    if (atomics::compare_exchange(&team_loop.next, next, next + size))
      return {next, next + size};
  }
}

INLINE Part take_shared() {
  if (team_loop.is_guided)
    return take_guided();
  const uint64_t begin = atomics::fetch_add(&team_loop.next, uint64_t{team_loop.chunk});
  const uint64_t count = team_loop.count;
  return begin >= count ? Part{0, 0} : Part{begin, begin + smaller(uint64_t{team_loop.chunk}, count - begin)};
}

INLINE Part take_own(Dispatch &loop) {
  const uint64_t begin = loop.next;
  if (begin >= loop.count) {
    loop.is_under_way = 0;
    return {0, 0};
  }
  if (loop.threads == 1) { // all of it
    loop.next = loop.count;
    return {begin, loop.count};
  }
  loop.next = loop.count - begin > loop.stride ? begin + loop.stride : loop.count;
  return {begin, begin + smaller(loop.chunk, loop.count - begin)};
}

struct Taken {
  uint64_t lower, upper; ///< inclusive
  bool is_any, is_last;
};

INLINE Taken take_next() {
  Dispatch *const own = own_loop();
  const Part part = own ? take_own(*own) : take_shared();
  if (part.begin == part.end)
    return {0, 0, false, false};
  const uint64_t lower = own ? own->lower : team_loop.lower, count = own ? own->count : team_loop.count;
  return {lower + part.begin, lower + part.end - 1, true, part.end == count};
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
    const Taken taken = take_next();                                                                                   \
    if (!taken.is_any)                                                                                                 \
      return 0;                                                                                                        \
    *lower = static_cast<Count>(taken.lower);                                                                          \
    *upper = static_cast<Count>(taken.upper);                                                                          \
    *stride = 1;                                                                                                       \
    if (is_last)                                                                                                       \
      *is_last = taken.is_last;                                                                                        \
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
