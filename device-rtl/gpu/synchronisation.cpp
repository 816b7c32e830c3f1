// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers, critical sections, locks, single, masked and ordered (OpenMP 5.2, chapters 10.5, 11.1, 15 and 18.9).

#include "synchronisation.h"
#include "debugging.h"

namespace omptarget::device_rtl::gpu {

/// A barrier of a generic kernel's team that has only some lanes of its last warp. Those cannot come to a barrier of
/// the block. The warp's others are behind the region, where lanes wait until all of the warp are there. So the first
/// lane of each warp counts the warps.
__attribute__((noinline)) static void barrier_of_lanes(uint32_t threads) {
  const uint64_t lanes = team_lanes(threads);
  const uint32_t warps = divide_up(threads, target::warp_size());
  target::sync_lanes(lanes);
  if (warps > 1 && lane_in_block() == 0) {
    target::fence_block();
    const uint32_t before = atomics::fetch_add(&warps_there, 1u);
    if (before % kTurn == warps - 1)
      atomics::fetch_add(&warps_there, kTurn - warps);
    else
      while (atomics::load(&warps_there) / kTurn == before / kTurn)
        target::pause();
    target::fence_block();
  }
  target::sync_lanes(lanes);
}

void team_barrier() {
  const bool spmd = is_spmd();
  if (own_levels() != 0 || (!spmd && !is_active()))
    return target::fence_block(); // alone
  if (spmd && spmd_size == 0)
    return target::barrier_aligned();
  if (!spmd && target::parts_warp(generic_team.size)) [[unlikely]]
    return barrier_of_lanes(generic_team.size);
  if (target::thread_id() == 0)
    announce(kGoesOn);
  target::barrier_any();
}

/// Stops the kernel if several lanes of a warp want one lock of a user's and could not wait for each other.
INLINE void check_lanes() {
  const char *const why = target::lockstep();
  const uint64_t lanes = why ? target::active_lanes() : 0;
  if ((lanes & (lanes - 1)) != 0)
    fail(why);
}

INLINE void check_lock(const void *lock) {
  target::keep_generic();
  if (target::is_null(lock)) [[unlikely]]
    fail("a lock's address is null");
}

INLINE uint32_t owner() { return target::block_id() * kMaxThreads + target::thread_id() + 1; }

/// omp_nest_lock_t.
struct NestLock {
  uint32_t owner; ///< 0: nobody
  uint32_t count;
};

INLINE int32_t try_nest_lock(NestLock *lock) {
  if (atomics::load(&lock->owner) == owner())
    return static_cast<int32_t>(++lock->count);
  uint32_t nobody = 0;
  if (!atomics::compare_exchange(&lock->owner, nobody, owner()))
    return 0;
  target::acquire_device();
  lock->count = 1;
  return 1;
}

} // namespace omptarget::device_rtl::gpu

using namespace omptarget::device_rtl::gpu;

RTL void __kmpc_barrier(ident_t *, int32_t) {
  TRACE;
  team_barrier();
}
RTL int32_t __kmpc_cancel_barrier(ident_t *, int32_t) {
  team_barrier();
  return 0;
}
RTL void __kmpc_barrier_simple_spmd(ident_t *, int32_t) { target::barrier_aligned(); }

/// Between the main thread and its workers. One that has no part in the region comes to the region's barriers here.
RTL void __kmpc_barrier_simple_generic(ident_t *, int32_t) {
  if (target::uniform(thread_bit(waiting_bits))) { // parallel.cpp
    wait_for_team();
    clear_thread_bit(waiting_bits);
    return;
  }
  target::barrier_any();
}

RTL void __kmpc_flush(ident_t *) { target::fence_device(); }
RTL uint64_t __kmpc_warp_active_thread_mask() { return target::active_lanes(); }
RTL void __kmpc_syncwarp(uint64_t mask) { target::sync_lanes(mask); }

// Clang lets lanes of a warp come to a critical section one at a time, flang with the compiler plugin. The lock is
// the section's name: of all teams.
RTL void __kmpc_critical(ident_t *, int32_t, uint32_t *name) {
  TRACE;
  check_lanes();
  lock(name);
}
RTL void __kmpc_end_critical(ident_t *, int32_t, uint32_t *name) {
  TRACE;
  unlock(name);
}
/// Enters a critical section with a hint. Flang calls it for all sections that have a name.
RTL void __kmpc_critical_with_hint(ident_t *place, int32_t thread, uint32_t *name, uint32_t) {
  __kmpc_critical(place, thread, name);
}

#if OMPTARGET_RTL_GENERATION == 19 && defined(__NVPTX__)
// flang 19's reductions of a team: each thread adds what it has, one after the other, and all meet behind. For AMD's
// GPUs it refuses them.
RTL int32_t __kmpc_reduce_nowait(ident_t *, int32_t, int32_t, uint64_t, void *, void (*)(void *, void *),
                                 uint32_t *name) {
  check_lanes();
  lock(name);
  return 1;
}
RTL void __kmpc_end_reduce_nowait(ident_t *, int32_t, uint32_t *name) { unlock(name); }
RTL int32_t __kmpc_reduce(ident_t *place, int32_t thread, int32_t count, uint64_t size, void *values,
                          void (*reduce)(void *, void *), uint32_t *name) {
  return __kmpc_reduce_nowait(place, thread, count, size, values, reduce, name);
}
RTL void __kmpc_end_reduce(ident_t *place, int32_t thread, uint32_t *name) {
  __kmpc_end_reduce_nowait(place, thread, name);
  team_barrier();
}
#endif

RTL int32_t __kmpc_master(ident_t *, int32_t) {
  TRACE;
  return thread_number() == 0;
}
RTL void __kmpc_end_master(ident_t *, int32_t) {}
RTL int32_t __kmpc_masked(ident_t *, int32_t, int32_t filter) {
  TRACE;
  return static_cast<int32_t>(thread_number()) == filter;
}
RTL void __kmpc_end_masked(ident_t *, int32_t) {}
RTL int32_t __kmpc_single(ident_t *, int32_t) {
  TRACE;
  return thread_number() == 0;
}
RTL void __kmpc_end_single(ident_t *, int32_t) {}
// All of an ordered loop is one thread's, in order: dispatch.cpp.
RTL void __kmpc_ordered(ident_t *, int32_t) {}
RTL void __kmpc_end_ordered(ident_t *, int32_t) { target::opaque(); }

RTL int32_t __kmpc_cancel(ident_t *, int32_t, int32_t) { return 0; }
RTL int32_t __kmpc_cancellationpoint(ident_t *, int32_t, int32_t) { return 0; }

RTL void omp_init_lock(uint32_t *word) {
  check_lock(word);
  *word = 0;
}
RTL void omp_init_lock_with_hint(uint32_t *word, int32_t) { omp_init_lock(word); }
RTL void omp_destroy_lock(uint32_t *word) {
  check_lock(word);
  demand([&] { return atomics::load(word) == 0; }, "a lock is destroyed that is set");
  *word = 0;
}
RTL void omp_set_lock(uint32_t *word) {
  check_lock(word);
  check_lanes();
  lock(word);
}
RTL void omp_unset_lock(uint32_t *word) {
  check_lock(word);
  demand([&] { return atomics::load(word) != 0; }, "a lock is unset that is not set");
  unlock(word);
}
RTL int32_t omp_test_lock(uint32_t *word) {
  check_lock(word);
  return try_lock(word);
}

RTL void omp_init_nest_lock(NestLock *lock) {
  check_lock(lock);
  *lock = NestLock{0, 0};
}
RTL void omp_init_nest_lock_with_hint(NestLock *lock, int32_t) { omp_init_nest_lock(lock); }
RTL void omp_destroy_nest_lock(NestLock *lock) {
  check_lock(lock);
  *lock = NestLock{0, 0};
}
RTL void omp_set_nest_lock(NestLock *lock) {
  check_lock(lock);
  check_lanes();
  while (try_nest_lock(lock) == 0)
    while (atomics::load(&lock->owner) != 0)
      target::pause();
}
RTL void omp_unset_nest_lock(NestLock *lock) {
  check_lock(lock);
  demand([&] { return atomics::load(&lock->owner) == owner(); },
         "a nest lock is unset by a thread that has not set it");
  if (--lock->count != 0)
    return;
  target::release_device();
  atomics::store(&lock->owner, 0u);
}
RTL int32_t omp_test_nest_lock(NestLock *lock) {
  check_lock(lock);
  return try_nest_lock(lock);
}
