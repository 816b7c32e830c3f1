// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The basic blocks of a function, and the edges between them.
#pragma once

#include "module.h"

namespace emulator::executor::ptx {

struct BasicBlock {
  uint32_t begin = 0, last = 0; ///< instructions
  std::vector<uint32_t> next, previous;
  bool returns = false;
};

struct FlowGraph {
  explicit FlowGraph(const Function &function);
  std::vector<BasicBlock> blocks;
};

/// Returns whether this is the first word of an instruction's opcode.
bool is_opcode(const Instruction &instruction, std::string_view name);

} // namespace emulator::executor::ptx
