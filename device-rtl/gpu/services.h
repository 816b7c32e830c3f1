// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Requests of device code to the host: text, memory beyond the heap, the end of the program.
#pragma once

#include "targets/current.h"

// Functions of host_services.cpp, which is linked into images that call one of them. In other images each returns that
// nobody serves. print: most is the greatest alignment that an argument has. Returns what printf does; negative: nobody
// serves.
RTL int32_t __omptarget_service_print(const char *format, const void *arguments, uint32_t most);
RTL void *__omptarget_service_allocate(uint64_t size);
RTL void __omptarget_service_release(void *memory);
RTL uint64_t __omptarget_service_size_of(void *memory);

namespace omptarget::device_rtl::gpu {

/// Prints as the host's printf would. Arguments: each at its own alignment, as a variadic call's (abi: device images,
/// section 6).
int32_t print(const char *format, void *arguments);
/// Memory of the device. 16-byte aligned; null: there is none. Any thread; freed by release.
void *allocate(uint64_t size);
void release(void *memory);
#if defined(__AMDGCN__)
/// As allocate, at a multiple of a power of two from 32 on.
void *allocate_at(uint64_t alignment, uint64_t size);
/// Returns how many bytes a block of memory has.
uint64_t size_of(void *memory);
#endif
/// A line with the thread's place.
void tell(const char *what);
/// The same of so many bytes, which come first in the line.
void tell_bytes(uint64_t size, const char *what);
/// Says why, and stops the kernel.
[[noreturn]] void fail(const char *why);

} // namespace omptarget::device_rtl::gpu
