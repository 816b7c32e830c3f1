// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Primitives of AMD's GPUs: places in the grid, barriers, lanes of a wave, fences, time. Sizes of the grid are
// in the implicit arguments since code object version 5, which clang 19 makes, and before in the packet of the launch
// (abi: device images, section 5.1).
#pragma once

#include "../basics.h"

extern "C" {
uint64_t amdgcn_ballot(bool value) __asm("llvm.amdgcn.ballot.i64");
uint32_t amdgcn_wave_size() __asm("llvm.amdgcn.wavefrontsize");
#if OMPTARGET_RTL_GENERATION < 19
bool amdgcn_is_private(const void *pointer) __asm("llvm.amdgcn.is.private");
#endif
ALIGNED_BARRIER void amdgcn_aligned_barrier() __asm("llvm.amdgcn.s.barrier");
}
RTL void __kmpc_end_ordered(ident_t *, int32_t);

namespace omptarget::device_rtl::gpu::target {

template <typename T> using Constant = const T __attribute__((address_space(4)));

INLINE uint32_t thread_id(int dimension = 0) {
  return dimension == 0   ? __builtin_amdgcn_workitem_id_x()
         : dimension == 1 ? __builtin_amdgcn_workitem_id_y()
                          : __builtin_amdgcn_workitem_id_z();
}
INLINE uint32_t block_id(int dimension = 0) {
  return dimension == 0   ? __builtin_amdgcn_workgroup_id_x()
         : dimension == 1 ? __builtin_amdgcn_workgroup_id_y()
                          : __builtin_amdgcn_workgroup_id_z();
}
/// Three sizes of 16 bits, read in words: GFX9 reads less by a vector load only, and LLVM 19 then chooses by a flag
/// that nobody has set where a team is a part of the block.
INLINE uint32_t size_at(uint64_t sizes, int dimension) {
  const uint32_t word = reinterpret_cast<Constant<uint32_t> *>(sizes)[dimension / 2];
  return dimension % 2 ? word >> 16 : word & 0xFFFF;
}
#if OMPTARGET_RTL_GENERATION >= 19
INLINE uint32_t block_size(int dimension = 0) {
  return size_at(reinterpret_cast<uint64_t>((const void *)__builtin_amdgcn_implicitarg_ptr()) + 12, dimension);
}
INLINE uint32_t block_count(int dimension = 0) {
  auto *counts = reinterpret_cast<Constant<uint32_t> *>(
      reinterpret_cast<uint64_t>((const void *)__builtin_amdgcn_implicitarg_ptr()));
  return counts[dimension];
}
#else
INLINE uint64_t packet() { return reinterpret_cast<uint64_t>((const void *)__builtin_amdgcn_dispatch_ptr()); }
INLINE uint32_t block_size(int dimension = 0) { return size_at(packet() + 4, dimension); }
INLINE uint32_t block_count(int dimension = 0) {
  return divide_up(uint32_t{reinterpret_cast<Constant<uint32_t> *>(packet() + 12)[dimension]}, block_size(dimension));
}
#endif
INLINE uint32_t warp_size() { return amdgcn_wave_size(); }

INLINE void barrier_aligned() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  amdgcn_aligned_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
/// The same for threads that come by themselves.
INLINE void barrier_any() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
/// A value that all lanes of a wave have in common, so that the branch on it is a scalar one.
INLINE bool uniform(bool value) { return __builtin_amdgcn_readfirstlane(value) != 0; }
/// Registers suffice here.
INLINE uint32_t not_known(uint32_t value) { return value; }
/// Returns whether a thread that is not among the first so many of the block goes its own way: with its wave only, as
/// a wave comes to a barrier as one.
INLINE bool waits_apart(uint32_t threads) {
  const uint32_t first = thread_id() & ~(amdgcn_wave_size() - 1);
  return first >= threads;
}
/// No team has lanes that must not come to a barrier without the others of their wave (nvptx.h).
INLINE bool parts_warp(uint32_t) { return false; }
/// A wave's lanes go together; what is left to do is that the compiler moves nothing over it.
INLINE void sync_lanes(uint64_t) {
  __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
  __builtin_amdgcn_wave_barrier();
}

INLINE uint64_t active_lanes() { return amdgcn_ballot(true); }
INLINE uint32_t lane_id() { return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u)); }
/// The value of the lane that is delta further, its own beyond the end of its part of so many lanes.
INLINE int32_t shuffle_down(uint64_t, int32_t value, uint32_t delta, uint32_t width) {
  const uint32_t lane = lane_id();
  const uint32_t from = (lane & (width - 1)) + delta >= width ? lane : lane + delta;
  return __builtin_amdgcn_ds_bpermute(static_cast<int32_t>(from << 2), value);
}
INLINE uint64_t ballot(uint64_t mask, bool value) { return mask & amdgcn_ballot(value); }

/// Lanes of a wave cannot wait for each other in loops: why, for a message.
INLINE const char *lockstep() {
  return "several lanes of a wave wait for a lock at once, which an AMD GPU cannot do; let one thread of each wave take it";
}

INLINE bool is_null(const void *pointer) { return pointer == nullptr; }
#if OMPTARGET_RTL_GENERATION < 19
/// Tells whether it points to memory of the calling thread's own.
INLINE bool is_private(const void *pointer) { return amdgcn_is_private(pointer); }
#endif

/// Keeps a kernel generic whose main thread comes here. LLVM's OpenMPOpt would make the kernel SPMD: all threads
/// would come here, and one of them would do each write for all. It never does so where a kernel calls a function
/// that it knows as OpenMP's and not as harmless. Assembler text here would make it assume nested parallel regions
/// besides.
INLINE void keep_generic() { __kmpc_end_ordered(nullptr, 0); }
/// A flag may tell that no thread ever was alone in a region. Here it may not, as LLVM 19 takes it for unset in
/// functions with regions that call themselves.
inline constexpr bool kReadsFlags = false;
/// Does nothing, but may do anything for compilers: they drop calls of functions that do nothing.
INLINE void opaque() { __asm__ volatile(""); }

/// Returns false, which compilers do not know. No assembler text, which they think could do anything.
INLINE bool never() { return block_size() == 0; }
/// Keeps compilers from concluding that a function does not recurse, by a call of what comes to it, which is never
/// made. Here a function whose address is known is one that every call by a pointer may come to, with all of its
/// registers.
#define MAY_RECURSE(function, call)                                                                                    \
  if (target::never()) [[unlikely]]                                                                                    \
  return call

INLINE void fence_block() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"); }
INLINE void acquire_device() { __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent"); }
INLINE void release_device() { __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent"); }
INLINE void fence_device() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }
INLINE void fence_system() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, ""); }

#if OMPTARGET_RTL_GENERATION >= 19
INLINE uint64_t ticks() { return __builtin_readsteadycounter(); }
/// Unless the plugin says another number.
INLINE uint64_t default_ticks_per_second() { return 100000000; }
#else
// Bitcode of clang 16 is for all processors, its linker's assembler knows for which. LLVM 16 has no name for the
// message of GFX11.
INLINE uint64_t ticks() {
  uint64_t now;
  __asm__ volatile(".if .amdgcn.gfx_generation_number >= 11\n"
                   "s_sendmsg_rtn_b64 %0, sendmsg(MSG_RTN_GET_REALTIME)\n"
                   ".else\n"
                   "s_memrealtime %0\n"
                   ".endif\n"
                   "s_waitcnt lgkmcnt(0)"
                   : "=s"(now));
  return now;
}
/// GFX8 and GFX9 have 25 MHz up to gfx909, later ones 100 MHz.
INLINE uint64_t default_ticks_per_second() {
  uint32_t ticks;
  __asm__(
      ".if .amdgcn.gfx_generation_number * 65536 + .amdgcn.gfx_generation_minor * 256 + .amdgcn.gfx_generation_stepping < 0x9000a\n"
      "s_mov_b32 %0, 25000000\n"
      ".else\n"
      "s_mov_b32 %0, 100000000\n"
      ".endif"
      : "=s"(ticks));
  return ticks;
}
#endif

/// Pauses a thread that waits for the host or another wave.
INLINE void pause() { __builtin_amdgcn_s_sleep(2); }
[[noreturn]] INLINE void stop() { __builtin_trap(); }

} // namespace omptarget::device_rtl::gpu::target
