// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What device code asks of the outside: text, and the end of the program.
#pragma once

#include "configuration.h"

namespace omptarget::device_rtl::gpu {

/// Prints as the host's printf would. Arguments: each at its own alignment, as a variadic call's (abi: device images, section 6).
int32_t print(const char *format, void *arguments, uint32_t size);
/// Says why, and stops the kernel.
[[noreturn]] void fail(const char *why);

} // namespace omptarget::device_rtl::gpu
