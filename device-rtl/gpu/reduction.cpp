// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions of a team and of all teams (abi: device images, section 6; of clang 23: clang 23, section 3), and what
// the compiler's functions for them exchange lanes' values with.
//
// The compiler makes a function that combines a lane's values with those of a lane further on, and one that hands
// each warp's result to a lane of the first warp. A team: each warp for itself, then the first warp the results. All
// teams: each leaves its result in a buffer, and the last one that does combines them all.

#include "debugging.h"
#include "memory.h"

namespace omptarget::device_rtl::gpu {

using Shuffle = void (*)(void *values, int16_t lane, int16_t distance, int16_t way);
using InterWarpCopy = void (*)(void *values, int32_t warps);
using BufferCopy = void (*)(void *buffer, int32_t index, void *values);

/// The way of Shuffle in which all lanes combine: for a whole warp.
inline constexpr int16_t kAllLanes = 0;
/// The one in which lanes below the distance combine, and the others take what they get: for any number of lanes.
inline constexpr int16_t kFirstLanes = 1;

struct TeamReduction {
  void *values;
  Shuffle shuffle;
  InterWarpCopy copy;
};

/// Among the first lanes of a warp. The others come along, as all lanes have to.
INLINE void reduce_lanes(const TeamReduction &reduction, uint32_t lanes) {
  const auto lane = static_cast<int16_t>(lane_in_block());
#pragma clang loop unroll(disable)
  for (uint32_t left = lanes; left > 1; left = divide_up(left, 2u))
    reduction.shuffle(reduction.values, lane, static_cast<int16_t>(left / 2), kFirstLanes);
}

/// Among the lanes of a whole warp: each step is known.
INLINE void reduce_warp(const TeamReduction &reduction) {
  const auto lane = static_cast<int16_t>(lane_in_block());
  for (uint32_t distance = target::warp_size() / 2; distance > 0; distance /= 2)
    reduction.shuffle(reduction.values, lane, static_cast<int16_t>(distance), kAllLanes);
}

/// Among all of the team's threads, which come here. Thread 0 has the result.
INLINE void reduce_threads(const TeamReduction &reduction, uint32_t threads) {
  const uint32_t warp = target::warp_size(), first = target::thread_id() & ~(warp - 1);
  if (threads - first >= warp) [[likely]]
    reduce_warp(reduction);
  else
    reduce_lanes(reduction, threads - first);
  if (threads <= warp)
    return;
  const uint32_t warps = divide_up(threads, warp);
  reduction.copy(reduction.values, static_cast<int32_t>(warps));
  if (first == 0)
    reduce_lanes(reduction, warps);
}

INLINE int32_t reduce_team(const TeamReduction &reduction) {
  if (!is_in_team())
    return 1;
  // Values computed from the size must not stay in registers during the loops before.
  reduce_threads(reduction, target::not_known(team_size()));
  return target::thread_id() == 0;
}

struct TeamsReduction {
  void *values;
  Shuffle shuffle;
  void *buffer;
  uint32_t slots; ///< that the buffer has
  uint32_t *teams_done;
  BufferCopy to_buffer, reduce_into_buffer, from_buffer, reduce_from_buffer;
};

/// Leaves the team's values in the buffer. Returns whether all teams have done so now. If there are more teams than
/// slots, those with higher numbers wait for the ones before them, which GPUs start first.
INLINE bool leave_values(const TeamsReduction &reduction) {
  const uint32_t team = target::block_id(), slot = team % reduction.slots, before = team - slot;
  if (before == 0) {
    reduction.to_buffer(reduction.buffer, static_cast<int32_t>(slot), reduction.values);
  } else {
    while (atomics::load(reduction.teams_done) < before)
      target::pause();
    target::acquire_device();
    reduction.reduce_into_buffer(reduction.buffer, static_cast<int32_t>(slot), reduction.values);
  }
  target::release_device();
  return atomics::fetch_add(reduction.teams_done, 1u) == target::block_count() - 1;
}

/// Tells whether all threads come, with values of their own. If the compiler has made a generic kernel an SPMD one,
/// all threads may share the values, and in a kernel without parallel regions only thread 0 comes.
INLINE bool have_own_values([[maybe_unused]] void *values) {
#if OMPTARGET_RTL_GENERATION >= 19
  return is_spmd() && kernel_was_generic == 0;
#else // which does not tell the kernel's first mode
  return is_spmd() && target::uniform(target::is_private(*static_cast<void **>(values)));
#endif
}

/// Combines all teams' slots; called by the last team, whose thread 0 gets the result. Each thread combines slots one
/// block size apart and leaves the value in the first of them. Then the first warp combines these, and its lanes
/// exchange values. The order depends on sizes only.
INLINE void combine_slots(const TeamsReduction &reduction) {
  const uint32_t warp = target::warp_size(), block = target::block_size(), thread = is_spmd() ? target::thread_id() : 0;
  uint32_t left = smaller(target::block_count(), reduction.slots);
  uint32_t threads = !have_own_values(reduction.values) ? 1 : left > block ? block : warp;
#pragma clang loop unroll(disable)
  for (;;) {
    if (thread < smaller(threads, left)) {
      reduction.from_buffer(reduction.buffer, static_cast<int32_t>(thread), reduction.values);
#pragma clang loop unroll(disable)
      for (uint32_t slot = thread + threads; slot < left; slot += threads)
        reduction.reduce_from_buffer(reduction.buffer, static_cast<int32_t>(slot), reduction.values);
    }
    left = smaller(left, threads);
    if (left <= warp)
      break;
    if (thread < left)
      reduction.to_buffer(reduction.buffer, static_cast<int32_t>(thread), reduction.values);
    __kmpc_barrier_simple_spmd(nullptr, 0);
    threads = warp;
  }
  if (thread < warp)
    reduce_lanes({reduction.values, reduction.shuffle, nullptr}, left);
}

SHARED_VARIABLE uint8_t is_last_team; ///< thread 0 writes it

/// Leaves the team's values; the last team combines. All threads of an SPMD kernel call it, or the main thread of a
/// generic one.
INLINE int32_t reduce_teams(const TeamsReduction &reduction) {
  const bool spmd = is_spmd(), is_first = !spmd || target::thread_id() == 0;
  if (target::block_count() == 1)
    return is_first;
  if (is_first)
    is_last_team = leave_values(reduction);
  if (spmd)
    __kmpc_barrier_simple_spmd(nullptr, 0);
  if (!target::uniform(is_last_team != 0))
    return 0;
  target::acquire_device();
  if (is_first)
    atomics::store(reduction.teams_done, 0u);
  combine_slots(reduction);
  return is_first;
}

#if OMPTARGET_RTL_GENERATION < 19
/// Counts for all kernels of the image, as this generation has one buffer for all. Kernels that run at once would mix.
static uint32_t teams_done = 0;
#endif

} // namespace omptarget::device_rtl::gpu

using namespace omptarget::device_rtl::gpu;

// Into each kernel. Where several share one, LLVM 19 takes the compiler's functions one by one into it. Its OpenMPOpt
// then makes undefined what one of them loads (test/emulator/execute/programs/rtl_many_reductions.c). Loops are not
// unrolled, which would make these large.
#define REDUCES RTL __attribute__((always_inline))
#if OMPTARGET_RTL_GENERATION >= 19
REDUCES int32_t __kmpc_nvptx_parallel_reduce_nowait_v2(ident_t *, uint64_t, void *values, Shuffle shuffle,
                                                       InterWarpCopy copy) {
  TRACE;
  return reduce_team({values, shuffle, copy});
}
#else
REDUCES int32_t __kmpc_nvptx_parallel_reduce_nowait_v2(ident_t *, int32_t, int32_t, uint64_t, void *values,
                                                       Shuffle shuffle, InterWarpCopy copy) {
  TRACE;
  return reduce_team({values, shuffle, copy});
}
RTL void __kmpc_nvptx_end_reduce(int32_t) {}
RTL void __kmpc_nvptx_end_reduce_nowait(int32_t) {}
#endif

#if OMPTARGET_RTL_GENERATION >= 23
REDUCES int32_t __kmpc_gpu_xteam_reduce_nowait(ident_t *, void *values, Shuffle shuffle, InterWarpCopy,
                                               BufferCopy to_buffer, BufferCopy from_buffer,
                                               BufferCopy reduce_from_buffer) {
  TRACE;
  // Where the compiler has turned a generic kernel into an SPMD one, all threads read the team's values, and the
  // first writes them anew behind this. Elsewhere it takes the barrier away.
  if (is_spmd())
    __kmpc_barrier_simple_spmd(nullptr, 0);
  LaunchEnvironment *const launch = launch_environment();
  return reduce_teams({values, shuffle, launch->reduction_buffer, target::block_count(), &launch->teams_done, to_buffer,
                       to_buffer, from_buffer, reduce_from_buffer});
}
#elif OMPTARGET_RTL_GENERATION >= 19
RTL void *__kmpc_reduction_get_fixed_buffer() { return launch_environment()->reduction_buffer; }
REDUCES int32_t __kmpc_nvptx_teams_reduce_nowait_v2(ident_t *, void *buffer, int32_t slots, uint64_t, void *values,
                                                    Shuffle shuffle, InterWarpCopy, BufferCopy to_buffer,
                                                    BufferCopy reduce_into_buffer, BufferCopy from_buffer,
                                                    BufferCopy reduce_from_buffer) {
  TRACE;
  return reduce_teams({values, shuffle, buffer, static_cast<uint32_t>(slots), &launch_environment()->teams_done,
                       to_buffer, reduce_into_buffer, from_buffer, reduce_from_buffer});
}
#else
REDUCES int32_t __kmpc_nvptx_teams_reduce_nowait_v2(ident_t *, int32_t, void *buffer, int32_t slots, void *values,
                                                    Shuffle shuffle, InterWarpCopy, BufferCopy to_buffer,
                                                    BufferCopy reduce_into_buffer, BufferCopy from_buffer,
                                                    BufferCopy reduce_from_buffer) {
  TRACE;
  return reduce_teams({values, shuffle, buffer, static_cast<uint32_t>(slots), &teams_done, to_buffer,
                       reduce_into_buffer, from_buffer, reduce_from_buffer});
}
#endif

namespace omptarget::device_rtl::gpu {

/// The lanes that come to an exchange: those of the team, or the warp's of the block outside of regions. Not by the
/// level, which the compiler does not know where the first warp is alone. For lanes that the block does not have
/// nobody waits.
INLINE uint64_t exchanging_lanes() {
  if (is_spmd() && spmd_size == 0)
    return warp_lanes();
  return team_lanes(is_spmd() || is_active() ? active_size() : target::block_size());
}

INLINE int64_t shuffle_wide(uint64_t mask, int64_t value, uint32_t distance, uint32_t width) {
  const auto low = static_cast<uint32_t>(target::shuffle_down(mask, static_cast<int32_t>(value), distance, width));
  const auto high =
      static_cast<uint32_t>(target::shuffle_down(mask, static_cast<int32_t>(value >> 32), distance, width));
  return static_cast<int64_t>(uint64_t{high} << 32 | low);
}

} // namespace omptarget::device_rtl::gpu

RTL int32_t __kmpc_shuffle_int32(int32_t value, int16_t distance, int16_t width) {
  return target::shuffle_down(exchanging_lanes(), value, static_cast<uint32_t>(distance), static_cast<uint32_t>(width));
}
RTL int64_t __kmpc_shuffle_int64(int64_t value, int16_t distance, int16_t width) {
  return shuffle_wide(exchanging_lanes(), value, static_cast<uint32_t>(distance), static_cast<uint32_t>(width));
}

// For users' code (ompx.h).
#if OMPTARGET_RTL_GENERATION >= 19
RTL uint64_t ompx_ballot_sync(uint64_t mask, int32_t value) { return target::ballot(mask, value != 0); }
RTL int32_t ompx_shfl_down_sync_i(uint64_t mask, int32_t value, uint32_t distance, int32_t width) {
  return target::shuffle_down(mask, value, distance, static_cast<uint32_t>(width));
}
RTL float ompx_shfl_down_sync_f(uint64_t mask, float value, uint32_t distance, int32_t width) {
  return __builtin_bit_cast(
      float, target::shuffle_down(mask, __builtin_bit_cast(int32_t, value), distance, static_cast<uint32_t>(width)));
}
RTL int64_t ompx_shfl_down_sync_l(uint64_t mask, int64_t value, uint32_t distance, int32_t width) {
  return shuffle_wide(mask, value, distance, static_cast<uint32_t>(width));
}
RTL double ompx_shfl_down_sync_d(uint64_t mask, double value, uint32_t distance, int32_t width) {
  return __builtin_bit_cast(
      double, shuffle_wide(mask, __builtin_bit_cast(int64_t, value), distance, static_cast<uint32_t>(width)));
}
#endif
