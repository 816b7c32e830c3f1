// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Primitives of NVIDIA's GPUs: places in the grid, barriers, lanes of a warp, fences, time. Intrinsics by their
// names, because clang's built-in functions of some of them want a processor to be named, and bitcode is for all.
#pragma once

#include "../basics.h"

extern "C" {
#if OMPTARGET_RTL_GENERATION >= 22
void nvvm_barrier(uint32_t barrier) __asm("llvm.nvvm.barrier.cta.sync.all");
#else
void nvvm_barrier(uint32_t barrier) __asm("llvm.nvvm.barrier.sync");
#endif
void nvvm_sync_lanes(uint32_t mask) __asm("llvm.nvvm.bar.warp.sync");
int32_t nvvm_shuffle_down(uint32_t mask, int32_t value, int32_t delta,
                          int32_t clamp) __asm("llvm.nvvm.shfl.sync.down.i32");
int32_t nvvm_reflect(const char *what) __asm("__nvvm_reflect"); // clang 19 has it built in as one that does not return
int32_t vprintf(const char *format, void *arguments);
void *malloc(uint64_t size);
void free(void *memory);
}

namespace omptarget::device_rtl::gpu::target {

INLINE uint32_t thread_id(int dimension = 0) {
  return static_cast<uint32_t>(dimension == 0   ? __nvvm_read_ptx_sreg_tid_x()
                               : dimension == 1 ? __nvvm_read_ptx_sreg_tid_y()
                                                : __nvvm_read_ptx_sreg_tid_z());
}
INLINE uint32_t block_size(int dimension = 0) {
  return static_cast<uint32_t>(dimension == 0   ? __nvvm_read_ptx_sreg_ntid_x()
                               : dimension == 1 ? __nvvm_read_ptx_sreg_ntid_y()
                                                : __nvvm_read_ptx_sreg_ntid_z());
}
INLINE uint32_t block_id(int dimension = 0) {
  return static_cast<uint32_t>(dimension == 0   ? __nvvm_read_ptx_sreg_ctaid_x()
                               : dimension == 1 ? __nvvm_read_ptx_sreg_ctaid_y()
                                                : __nvvm_read_ptx_sreg_ctaid_z());
}
INLINE uint32_t block_count(int dimension = 0) {
  return static_cast<uint32_t>(dimension == 0   ? __nvvm_read_ptx_sreg_nctaid_x()
                               : dimension == 1 ? __nvvm_read_ptx_sreg_nctaid_y()
                                                : __nvvm_read_ptx_sreg_nctaid_z());
}
INLINE uint32_t warp_size() { return 32; }

/// Barrier of all threads of the block that have not ended. Whole warps reach it together.
INLINE void barrier_aligned() { __syncthreads(); }
/// The same for threads that come by themselves.
INLINE void barrier_any() { nvvm_barrier(8); }
/// A value that all lanes of a warp have in common.
INLINE bool uniform(bool value) { return value; }
/// The value, and for the compiler one that it has to ask for here.
INLINE uint32_t not_known(uint32_t value) {
  __asm__("" : "+r"(value));
  return value;
}
INLINE void sync_lanes(uint64_t mask) { nvvm_sync_lanes(static_cast<uint32_t>(mask)); }

INLINE uint64_t active_lanes() {
  uint32_t mask;
  __asm__ volatile("activemask.b32 %0;" : "=r"(mask));
  return mask;
}
INLINE uint32_t lane_id() { return static_cast<uint32_t>(__nvvm_read_ptx_sreg_laneid()); }
INLINE int32_t shuffle_down(uint64_t mask, int32_t value, uint32_t delta, uint32_t width) {
  return nvvm_shuffle_down(static_cast<uint32_t>(mask), value, static_cast<int32_t>(delta),
                           static_cast<int32_t>((32 - width) << 8 | 31));
}
INLINE uint64_t ballot(uint64_t mask, bool value) {
  uint32_t votes;
  __asm__ volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, %2; }"
                   : "=r"(votes)
                   : "r"(static_cast<uint32_t>(value)), "r"(static_cast<uint32_t>(mask)));
  return votes;
}

/// Keeps a kernel generic whose main thread comes here (amdgcn.h). Here the driver's functions do so, malloc and
/// vprintf: no compiler sees through them.
INLINE void keep_generic() {}
inline constexpr bool kReadsFlags = true; // amdgcn.h
INLINE void opaque() {}

/// Keeps compilers from concluding that a function does not recurse (amdgcn.h). Not for clang 16: shown the call, it
/// leaves barriers to some of a warp's lanes.
#if OMPTARGET_RTL_GENERATION >= 19
#define MAY_RECURSE(function, call) __asm__("" ::"i"(&function))
#else
#define MAY_RECURSE(function, call)
#endif

/// Tells whether the image is for sm_70 or later, whose lanes go on independently. One bitcode file is for all
/// processors; linking decides.
INLINE bool is_sm_70() { return nvvm_reflect("__CUDA_ARCH") >= 700; }

/// Tells whether a thread with this number or a higher one may go its own way beside lower lanes of its warp. Before
/// sm_70 a warp comes to a barrier as one: it counts as a whole when some of its lanes do.
INLINE bool waits_apart(uint32_t threads) { return is_sm_70() || (thread_id() & ~(warp_size() - 1)) >= threads; }
/// Tells whether a team of so many threads has some lanes of a warp, which go their way while the warp's others wait
/// for them. From sm_70 on such lanes must not come to a barrier of the block. (With the processor asked first, LLVM
/// keeps stores in SPMD kernels, which never come here.)
INLINE bool parts_warp(uint32_t threads) { return threads % warp_size() != 0 && is_sm_70(); }
/// Lanes of a warp cannot wait for each other in loops: why, for a message; null: they can.
INLINE const char *lockstep() {
  return is_sm_70()
             ? nullptr
             : "several lanes of a warp wait for a lock at once, which NVIDIA's GPUs before sm_70 cannot do; let one "
               "thread of each warp take it";
}

INLINE void fence_block() { __nvvm_membar_cta(); }
INLINE void fence_device() { __nvvm_membar_gl(); }
/// For locks: from sm_70 on a fence that orders less than membar, which is sequentially consistent there.
INLINE void acquire_device() {
  if (is_sm_70())
    __asm__ volatile("fence.acq_rel.gpu;" ::: "memory");
  else
    __nvvm_membar_gl();
}
INLINE void release_device() { acquire_device(); }
INLINE void fence_system() { __nvvm_membar_sys(); }

/// Behind the compiler's back: for it the first variable of shared memory, whose offset is 0, is at null.
INLINE bool is_null(const void *pointer) {
  auto address = reinterpret_cast<uint64_t>(pointer);
  __asm__("" : "+l"(address));
  return address == 0;
}

#if OMPTARGET_RTL_GENERATION < 19
/// Tells whether it points to memory of the calling thread's own.
INLINE bool is_private(const void *pointer) { return __nvvm_isspacep_local(pointer); }
#endif

/// Returns the clock that every block shares, in nanoseconds.
INLINE uint64_t ticks() {
  uint64_t now;
  __asm__ volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}
INLINE uint64_t default_ticks_per_second() { return 1000000000; }

/// Pauses a thread that waits for the host or another warp.
INLINE void pause() {
  if (is_sm_70())
    __asm__ volatile("nanosleep.u32 40;" ::: "memory");
}
[[noreturn]] INLINE void stop() { __builtin_trap(); }

} // namespace omptarget::device_rtl::gpu::target
