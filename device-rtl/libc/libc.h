// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the functions of the C library have in common. Each function is weak and hidden: a program that defines one
// itself has its own. Locale "C". Functions behave as C17 and POSIX say, where nothing else is said.
#pragma once

#include "../gpu/targets/current.h"

/// A function of the C library.
#define LIBC RTL_WEAK

namespace omptarget::device_rtl::libc {

inline constexpr int32_t kRangeError = 34, kInvalidArgument = 22; ///< ERANGE and EINVAL of Linux

/// Variadic arguments begin at multiples of their size, but of no more than this.
#if defined(__NVPTX__)
inline constexpr uint32_t kVariadicAlignment = 8;
#else
inline constexpr uint32_t kVariadicAlignment = 4;
#endif

/// What a function keeps for each thread of a kernel. It lies in global memory and begins as zeros. Threads beyond
/// kStates share the state of others. A program that calls no such function has none.
inline constexpr uint32_t kStates = 65536;
INLINE uint32_t state_index() {
  return (gpu::target::block_id() * gpu::target::block_size() + gpu::target::thread_id()) % kStates;
}

INLINE bool is_space(int32_t letter) { return letter == ' ' || (letter >= '\t' && letter <= '\r'); }
INLINE bool is_digit(int32_t letter) { return letter >= '0' && letter <= '9'; }
INLINE bool is_upper(int32_t letter) { return letter >= 'A' && letter <= 'Z'; }
INLINE bool is_lower(int32_t letter) { return letter >= 'a' && letter <= 'z'; }
INLINE bool is_alpha(int32_t letter) { return is_upper(letter) || is_lower(letter); }
INLINE int32_t to_lower(int32_t letter) { return is_upper(letter) ? letter + ('a' - 'A') : letter; }
INLINE int32_t to_upper(int32_t letter) { return is_lower(letter) ? letter - ('a' - 'A') : letter; }

} // namespace omptarget::device_rtl::libc

namespace gpu = omptarget::device_rtl::gpu;

// Functions that other functions of the library call.
LIBC int32_t *__errno_location();
LIBC uint64_t strlen(const char *text);
LIBC uint64_t strnlen(const char *text, uint64_t most);
LIBC uint64_t strlcpy(char *to, const char *from, uint64_t size);
LIBC uint64_t strlcat(char *to, const char *from, uint64_t size);
LIBC char *stpcpy(char *to, const char *from);
LIBC char *stpncpy(char *to, const char *from, uint64_t size);
LIBC char *strcpy(char *to, const char *from);
LIBC char *strncpy(char *to, const char *from, uint64_t size);
LIBC char *strcat(char *to, const char *from);
LIBC char *strncat(char *to, const char *from, uint64_t most);
extern "C" void *malloc(uint64_t size);
/// Says that a fortified function would write beyond its target, and stops the kernel.
extern "C" [[noreturn]] __attribute__((visibility("hidden"), weak)) void __chk_fail();
