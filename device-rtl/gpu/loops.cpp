// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that are divided beforehand (OpenMP 5.2, 11.5 and 11.6; abi: device images, section 6). The compiler counts
// iterations from 0.

#include "loops.h"
#include "debugging.h"

namespace omptarget::device_rtl::gpu {

/// One of several that share a loop.
struct Member {
  uint32_t number, count;
};
INLINE Member of_team() { return {thread_number(), team_size()}; }
INLINE Member of_teams() { return {target::block_id(), target::block_count()}; }
/// The calling thread among the threads of all teams.
INLINE Member of_all() {
  const uint32_t size = team_size();
  return {target::block_id() * size + thread_number(), target::block_count() * size};
}

/// Chunks that members take in turn: those of a million members pass no number's end.
inline constexpr uint64_t kSmallChunk = 1024;

/// The same as first_chunk, for a chunk of any size: neither the first one nor the way to the next one passes the end
/// of numbers.
template <typename Count, typename Step>
INLINE void first_large_chunk(Member member, int32_t *is_last, Count *lower, Count *upper, Step *stride,
                              uint64_t chunk) {
  const Count begin = *lower, end = *upper;
  const uint64_t last = static_cast<uint64_t>(end) - static_cast<uint64_t>(begin);
  const uint64_t size = chunk - 1 > last ? last + 1 : chunk, first = smaller(member.number * size, last + 1);
  *stride = static_cast<Step>(smaller(member.count * size, last + 1 - first));
  *lower = begin + static_cast<Count>(first);
  *upper = begin + static_cast<Count>(first + smaller(size, last + 1 - first) - 1);
  if (is_last)
    *is_last = (last / size) % member.count == member.number;
}

/// The member's first chunk; stride leads to its next one.
template <typename Count, typename Step>
INLINE void first_chunk(Member member, int32_t *is_last, Count *lower, Count *upper, Step *stride, Step chunk) {
  if (static_cast<uint64_t>(chunk) > kSmallChunk)
    return first_large_chunk(member, is_last, lower, upper, stride, static_cast<uint64_t>(chunk));
  const Count begin = *lower, end = *upper, size = static_cast<Count>(chunk);
  *stride = static_cast<Step>(size * static_cast<Count>(member.count));
  *lower = begin + static_cast<Count>(member.number) * size;
  *upper = *lower + size - 1;
  if (is_last)
    *is_last = static_cast<Count>((end - begin) / size) % static_cast<Count>(member.count) ==
               static_cast<Count>(member.number);
}

/// The member's only part, all of nearly the same size.
template <typename Count, typename Step>
INLINE void only_chunk(Member member, int32_t *is_last, Count *lower, Count *upper, Step *stride) {
  const Count begin = *lower, end = *upper, size = end - begin + 1;
  const Count number = static_cast<Count>(member.number), count = static_cast<Count>(member.count);
  const Count each = size / count, rest = size % count;
  *lower = begin + number * each + smaller(number, rest);
  *upper = *lower + each - 1 + (number < rest ? 1 : 0);
  *stride = static_cast<Step>(size);
  if (is_last)
    *is_last = *lower <= *upper && *upper == end;
}

template <typename Count, typename Step>
INLINE void begin_static(int32_t schedule, int32_t *is_last, Count *lower, Count *upper, Step *stride, Step chunk) {
  switch (schedule & kScheduleOnly) {
  case kStaticChunked:
  case kStaticBalancedChunked:
    if (chunk > 0)
      return first_chunk(of_team(), is_last, lower, upper, stride, chunk);
    break;
  case kDistributeChunked:
    if (chunk > 0)
      return first_chunk(of_teams(), is_last, lower, upper, stride, chunk);
    return only_chunk(of_teams(), is_last, lower, upper, stride);
  case kDistribute: return only_chunk(of_teams(), is_last, lower, upper, stride);
  case kDistributeAll: return first_chunk(of_all(), is_last, lower, upper, stride, chunk);
  default: break;
  }
  only_chunk(of_team(), is_last, lower, upper, stride);
}

template <typename Count> using Body = void (*)(Count, void *);

/// Iterations [begin, end) in chunks that the members take in turn, in one part each if chunk is 0. The last chunk
/// may be short.
template <typename Count, typename Each>
INLINE void share(Count begin, Count end, Member member, Count chunk, Each each) {
  const uint64_t size = static_cast<uint64_t>(end) - static_cast<uint64_t>(begin);
  const uint64_t step = chunk > 0 ? static_cast<uint64_t>(chunk) : divide_up(size, uint64_t{member.count});
  if (step == 0)
    return;
  const uint64_t chunks = divide_up(size, step);
  for (uint64_t number = member.number; number < chunks; number += member.count) {
    const uint64_t first = number * step;
    each(static_cast<Count>(begin + static_cast<Count>(first)),
         static_cast<Count>(begin + static_cast<Count>(smaller(size, first + smaller(step, size - first)))));
  }
}

template <typename Count> INLINE void run(Count begin, Count end, Body<Count> body, void *argument) {
  for (Count i = begin; i < end; ++i)
    body(i, argument);
}

template <typename Count>
INLINE void share_in_team(Count begin, Count end, Body<Count> body, void *argument, Count chunk) {
  share<Count>(begin, end, of_team(), chunk, [&](Count from, Count to) { run(from, to, body, argument); });
}

} // namespace omptarget::device_rtl::gpu

using namespace omptarget::device_rtl::gpu;

#define STATIC(suffix, Count, Step)                                                                                    \
  RTL void __kmpc_for_static_init_##suffix(ident_t *, int32_t, int32_t schedule, int32_t *is_last, Count *lower,       \
                                           Count *upper, Step *stride, Step, Step chunk) {                             \
    TRACE;                                                                                                             \
    begin_static<Count, Step>(schedule, is_last, lower, upper, stride, chunk);                                         \
  }                                                                                                                    \
  RTL void __kmpc_distribute_static_init_##suffix(ident_t *, int32_t, int32_t schedule, int32_t *is_last,              \
                                                  Count *lower, Count *upper, Step *stride, Step, Step chunk) {        \
    TRACE;                                                                                                             \
    begin_static<Count, Step>(schedule, is_last, lower, upper, stride, chunk);                                         \
  }
STATIC(4, int32_t, int32_t)
STATIC(4u, uint32_t, int32_t)
STATIC(8, int64_t, int64_t)
STATIC(8u, uint64_t, int64_t)
RTL void __kmpc_for_static_fini(ident_t *, int32_t) {}
RTL void __kmpc_distribute_static_fini(ident_t *, int32_t) {}

#if OMPTARGET_RTL_GENERATION >= 19
// Whole loops, by flang. A loop of a team ends with a barrier, which flang leaves out of its code. Since 22 it says
// besides whether each thread gets at most one iteration, which changes nothing here.
#if OMPTARGET_RTL_GENERATION >= 22
#define AT_MOST_ONE , int8_t
#else
#define AT_MOST_ONE
#endif
#define LOOPS(suffix, Count)                                                                                           \
  RTL void __kmpc_for_static_loop_##suffix(ident_t *, Body<Count> body, void *argument, Count count, Count,            \
                                           Count chunk AT_MOST_ONE) {                                                  \
    TRACE;                                                                                                             \
    share_in_team<Count>(0, count, body, argument, chunk);                                                             \
    team_barrier();                                                                                                    \
  }                                                                                                                    \
  RTL void __kmpc_distribute_static_loop_##suffix(ident_t *, Body<Count> body, void *argument, Count count,            \
                                                  Count chunk AT_MOST_ONE) {                                           \
    TRACE;                                                                                                             \
    share<Count>(0, count, of_teams(), chunk, [&](Count from, Count to) { run(from, to, body, argument); });           \
  }                                                                                                                    \
  RTL void __kmpc_distribute_for_static_loop_##suffix(ident_t *, Body<Count> body, void *argument, Count count, Count, \
                                                      Count team_chunk, Count chunk AT_MOST_ONE) {                     \
    TRACE;                                                                                                             \
    share<Count>(0, count, of_teams(), team_chunk,                                                                     \
                 [&](Count from, Count to) { share_in_team<Count>(from, to, body, argument, chunk); });                \
  }
LOOPS(4, int32_t)
LOOPS(4u, uint32_t)
LOOPS(8, int64_t)
LOOPS(8u, uint64_t)
#endif
