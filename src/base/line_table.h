// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lines of the source that code comes from, as DWARF 2 to 5 has them in the sections .debug_line, .debug_line_str
// and .debug_str. Damaged parts are left out.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace omptarget {

/// The contents of the sections; empty: there is none.
struct LineSections {
  std::string_view lines, line_strings, strings;
};

struct SourceLine {
  std::string file;
  uint32_t line = 0; ///< 0: not known
};

/// Returns the line of each address. The addresses ascend.
std::vector<SourceLine> find_source_lines(const LineSections &sections, std::span<const uint64_t> addresses);

} // namespace omptarget
