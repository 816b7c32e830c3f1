// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The facts of an address in a code object's debug information: the source line, and the variables that are in
// registers or are constant.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../grid.h"

namespace emulator::executor::amdgpu {

using SourceLine = CodePlace;

struct SourceVariable {
  std::string name;
  unsigned bytes = 0;
  bool is_float = false;
  std::optional<uint64_t> constant; ///< otherwise in registers
  std::vector<uint32_t> registers;  ///< DWARF's numbers, of 32 bits each, the lowest first
};

/// Reads one code object, whose bytes must live as long. Not thread-safe.
class DebugInfo {
public:
  /// Null if the bytes are no object.
  static std::unique_ptr<DebugInfo> read(const std::string &elf);
  ~DebugInfo();
  const SourceLine &line_at(uint64_t address);
  /// Those whose place there is simple: others are left out.
  std::vector<SourceVariable> variables_at(uint64_t address);

private:
  struct Parts;
  DebugInfo();
  std::unique_ptr<Parts> parts_;
  std::map<uint64_t, SourceLine> known_;
};

} // namespace emulator::executor::amdgpu
