// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts made by printf-style formats.
#pragma once

#include <cstdarg>
#include <string>

namespace omptarget {

/// The text that printf would print. Any thread.
[[gnu::format(printf, 1, 2)]] std::string format(const char *pattern, ...);
std::string format_arguments(const char *pattern, va_list arguments);

} // namespace omptarget
