// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops whose iterations are shared out among the threads of a team, among teams, or both (abi: device images,
// section 6; OpenMP
// 5.2, 11.5 and 11.6). The compiler counts iterations from 0 and says how many there are. flang 22 and later say
// besides whether each thread gets at most one, which changes nothing here; the parameter that flang 19 does not pass
// is therefore left out.
//
// Loops of a team end with a barrier: flang leaves out the one that the end of a worksharing loop implies (OpenMP
// 5.2, 11.5), and one more does no harm where the loop has nowait.

#include "libomp.h"

namespace {

/// A range of iterations: [begin, end).
template <typename Count> struct Range {
  Count begin;
  Count end;
};

template <typename Count> Count smaller(Count left, Count right) { return left < right ? left : right; }

/// Calls each for every part of the range that falls to the member of that number: chunks of the size that was asked
/// for in turn, or one part of equal size each. Counts on what is left, so that nothing overflows.
template <typename Count, typename Each>
void share(Range<Count> range, Count member, Count members, Count chunk, Each each) {
  const Count size = range.end - range.begin;
  if (chunk <= 0)
    chunk = size / members + (size % members != 0);
  for (Count number = member, begin = 0; chunk != 0;) {
    const Count left = size - begin; // before the chunks that are passed over
    if (left / chunk < number || (left / chunk == number && left % chunk == 0))
      return;
    begin += number * chunk;
    const Count length = smaller<Count>(chunk, size - begin);
    each(Range<Count>{static_cast<Count>(range.begin + begin), static_cast<Count>(range.begin + begin + length)});
    begin += length;
    number = members - 1;
  }
}

template <typename Count> using Body = void (*)(Count, void *);

template <typename Count> void run(Range<Count> range, Body<Count> body, void *argument) {
  for (Count i = range.begin; i < range.end; ++i)
    body(i, argument);
}

template <typename Count> void share_in_team(Range<Count> range, Body<Count> body, void *argument, Count chunk) {
  share<Count>(range, static_cast<Count>(omp_get_thread_num()), static_cast<Count>(omp_get_num_threads()), chunk,
               [&](Range<Count> part) { run(part, body, argument); });
}

template <typename Count, typename Each> void share_among_teams(Count count, Count chunk, Each each) {
  share<Count>({0, count}, static_cast<Count>(omp_get_team_num()), static_cast<Count>(omp_get_num_teams()), chunk,
               each);
}

template <typename Count> void loop(ident_t *place, Body<Count> body, void *argument, Count count, Count chunk) {
  share_in_team<Count>({0, count}, body, argument, chunk);
  __kmpc_barrier(place, __kmpc_global_thread_num(place));
}

template <typename Count> void distribute(Body<Count> body, void *argument, Count count, Count chunk) {
  share_among_teams<Count>(count, chunk, [&](Range<Count> part) { run(part, body, argument); });
}

template <typename Count>
void distribute_loop(ident_t *place, Body<Count> body, void *argument, Count count, Count team_chunk, Count chunk) {
  share_among_teams<Count>(count, team_chunk,
                           [&](Range<Count> part) { share_in_team<Count>(part, body, argument, chunk); });
  __kmpc_barrier(place, __kmpc_global_thread_num(place));
}

} // namespace

// The functions of one type of counter. The number of threads that the compiler passes is the team's.
#define LOOPS(suffix, Count)                                                                                           \
  DEVICE_RTL void __kmpc_for_static_loop_##suffix(ident_t *place, Body<Count> body, void *argument, Count count,       \
                                                  Count /*threads*/, Count chunk) {                                    \
    loop<Count>(place, body, argument, count, chunk);                                                                  \
  }                                                                                                                    \
  DEVICE_RTL void __kmpc_distribute_static_loop_##suffix(ident_t *, Body<Count> body, void *argument, Count count,     \
                                                         Count chunk) {                                                \
    distribute<Count>(body, argument, count, chunk);                                                                   \
  }                                                                                                                    \
  DEVICE_RTL void __kmpc_distribute_for_static_loop_##suffix(ident_t *place, Body<Count> body, void *argument,         \
                                                             Count count, Count /*threads*/, Count team_chunk,         \
                                                             Count chunk) {                                            \
    distribute_loop<Count>(place, body, argument, count, team_chunk, chunk);                                           \
  }
LOOPS(4, int32_t)
LOOPS(4u, uint32_t)
LOOPS(8, int64_t)
LOOPS(8u, uint64_t)
