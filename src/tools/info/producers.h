// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which compilers made a module or an image, as they sign in sections .comment, and what is known of them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace omptarget::info_tool {

/// The signatures in a section .comment, each once, without those of GCC's start-up files and of linkers.
std::vector<std::string> signatures_in(std::string_view comment);

/// Those of a device image; none if it is no ELF file, or a damaged one.
std::vector<std::string> signatures_of(std::span<const std::byte> image);

/// Returns a remark on a compiler with this signature: its vendor, if that is not LLVM, and that it was not tried with
/// omptarget. Empty for compilers that were tried.
std::string remark_on_compiler(std::string_view signature);

} // namespace omptarget::info_tool
