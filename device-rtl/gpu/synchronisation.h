// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers, locks and critical sections.
//
// All barriers are of the whole block, the only kind that both targets have. A team that is smaller lets the block's
// other threads come to its barriers, too: they wait until the team says that a barrier was its last. That is in
// barrier_kinds: of two barriers in turn the one, so that what is said of the next is never written where somebody
// still reads. Thread 0 of the team writes it.
#pragma once

#include "configuration.h"
#include "locks.h"

RTL ALIGNED_BARRIER void __kmpc_barrier_simple_spmd(ident_t *, int32_t);
RTL void __kmpc_barrier_simple_generic(ident_t *, int32_t);

namespace omptarget::device_rtl::gpu {

enum BarrierKind : uint8_t { kGoesOn = 0, kIsLast = 1 };
SHARED_VARIABLE uint8_t barrier_kinds[2];
SHARED_VARIABLE uint8_t
    barrier_number; ///< of the next barrier of the region, by its lowest bit; only thread 0 of the team uses it

/// Warps of a generic kernel's team that are at its barrier, where that is not the block's; above, how often all were.
SHARED_VARIABLE uint32_t warps_there;
inline constexpr uint32_t kTurn = 1 << 16;

/// Called by thread 0 of a team before each barrier of it. Not inlined: LLVM's OpenMPOpt asks of each load of the
/// number which of all stores it may see, and took minutes for a kernel with some regions.
[[maybe_unused]] __attribute__((noinline)) static void announce(BarrierKind kind) {
  barrier_kinds[barrier_number & 1] = kind;
  barrier_number = (barrier_number & 1) ^ 1;
}

/// For a thread that is not in the team: comes to the barriers of the team's region until the last.
INLINE void wait_for_team() {
  for (uint32_t number = 0;; ++number) {
    target::barrier_any();
    if (barrier_kinds[number & 1] == kIsLast)
      return;
  }
}

/// A barrier of the team that the thread is in.
void team_barrier();

} // namespace omptarget::device_rtl::gpu

// Barriers of the whole block, called within the RTL, too.
RTL ALIGNED_BARRIER void __kmpc_barrier_simple_spmd(ident_t *, int32_t);
RTL void __kmpc_barrier_simple_generic(ident_t *, int32_t);
