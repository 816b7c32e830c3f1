// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types and words that all parts of the device RTL for GPUs use. The generation is the clang whose code calls it:
// signatures differ under the same names (abi: device images, section 6).
#pragma once

#include "omptarget/types.h"

#ifndef OMPTARGET_RTL_GENERATION
#define OMPTARGET_RTL_GENERATION 22 ///< 16, 19, 22 or 23
#endif

/// A function that compiled code calls. Hidden: an image's functions are its own.
#define RTL extern "C" __attribute__((visibility("hidden")))
#define RTL_WEAK extern "C" __attribute__((visibility("hidden"), weak))
/// A plugin writes or reads it, by its name.
#define RTL_PLUGIN_VARIABLE __attribute__((weak, used, retain, visibility("protected")))
/// Memory of a block. It begins as garbage.
#define SHARED __attribute__((address_space(3)))
#define SHARED_VARIABLE [[clang::loader_uninitialized]] static SHARED
#define INLINE [[gnu::always_inline]] inline
/// Tells LLVM's OpenMPOpt of a function.
#if defined(__clang_major__) && __clang_major__ < 19
#define ASSUME(what) __attribute__((assume(what)))
#else
#define ASSUME(what) [[omp::assume(what)]]
#endif
/// All threads of the block come to the same call of it: for the compiler, which takes away those that nobody needs.
#define ALIGNED_BARRIER ASSUME("ompx_aligned_barrier")

namespace omptarget::device_rtl::gpu {

inline constexpr uint32_t kMaxThreads = 1024; ///< of a block
inline constexpr uint32_t kMaxWarps = 32;     ///< of a block: kMaxThreads by the smaller warp

template <typename T> INLINE T smaller(T left, T right) { return left < right ? left : right; }
template <typename T> INLINE T larger(T left, T right) { return left > right ? left : right; }
/// Without overflow.
template <typename T> INLINE T divide_up(T value, T by) { return value / by + (value % by != 0); }
INLINE uint64_t round_up(uint64_t value, uint64_t to) { return (value + to - 1) / to * to; }

} // namespace omptarget::device_rtl::gpu
