// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Output for users on stderr: LIBOMPTARGET_INFO, messages and warnings, in LLVM 19's words.
#pragma once

#include <cstdint>
#include <string>

namespace omptarget {

/// Bits of LIBOMPTARGET_INFO.
namespace info {
inline constexpr uint32_t kArguments = 0x01;
inline constexpr uint32_t kMappingExists = 0x02;
inline constexpr uint32_t kTable = 0x04;
inline constexpr uint32_t kMappingChanged = 0x08;
inline constexpr uint32_t kKernel = 0x10;
inline constexpr uint32_t kTransfer = 0x20;
inline constexpr uint32_t kEmptyMapping = 0x40;
} // namespace info

/// The mask in force. Any thread.
uint32_t info_mask();
void set_info_mask(uint32_t mask);

/// Prints "omptarget info: version ..." the first time in a process. Any thread. Called before a line of
/// LIBOMPTARGET_INFO that a plugin prints; print_info() calls it itself.
void print_version_once();

/// Prints "omptarget device N info: ..." as one line.
[[gnu::format(printf, 2, 3)]] void print_info(int32_t device, const char *pattern, ...);

/// Prints "omptarget note: ...", "omptarget message: ..." and "omptarget error: ..." as one line.
void print_note(const std::string &text);
void print_message(const std::string &text);
void print_error(const std::string &text);
/// Prints a line, printable (text_output.h).
void print_line(const std::string &text);

/// Warns, once, if another libomptarget is loaded in this process.
void warn_about_second_library();

} // namespace omptarget
