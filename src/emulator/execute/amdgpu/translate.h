// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A part of AMD's code as LLVM's instructions, each for all lanes at once.
#pragma once

#include <functional>
#include <set>

#include "instruction.h"

namespace llvm {
class Module;
}

namespace emulator::executor::amdgpu {

/// The code that is to be translated.
struct CodeReader {
  Processor processor;
  std::function<const Instruction *(uint64_t address)> at; ///< null: there is none
  /// Returns whether the block that begins here, for all lanes or for some, is to be in the part.
  std::function<bool(uint64_t address, bool is_full)> is_wanted;
  std::function<bool(uint64_t address)> is_start; ///< returns whether a part may begin there
};

struct Translation {
  struct Block {
    uint64_t address = 0;
    bool is_full = false;
    uint32_t length = 0; ///< in instructions; 0: the first is only interpreted
  };
  std::vector<Block> blocks; ///< by the number of the entry
  std::set<uint64_t> starts; ///< where other parts may begin
  RegisterCounts touched;
};

/// Writes the function "part", a CompiledCode, into the module. It has the block that begins at this address, and those
/// that follow it as far as they are wanted. accesses: the number of accesses so far, counted on.
Translation translate(const CodeReader &code, uint64_t address, bool is_full, uint32_t &accesses, llvm::Module &module);

} // namespace emulator::executor::amdgpu
