// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which registers of a function are read later. Compiled code stores no others.
#pragma once

#include "flow.h"

namespace emulator::executor::ptx {

class Liveness {
public:
  explicit Liveness(const Function &function);
  /// Returns, by number, whether what a register has before the instruction may be read by it or behind it.
  std::vector<bool> before(uint32_t place) const;
  const FlowGraph &graph() const { return graph_; }
  /// The block that holds the instruction.
  const BasicBlock &block_of(uint32_t place) const { return graph_.blocks[block_of_[place]]; }

private:
  void step(const Instruction &instruction, std::vector<bool> &live) const;

  const Function &function_;
  FlowGraph graph_;
  std::vector<uint32_t> block_of_;
  std::vector<std::vector<bool>> at_end_; ///< of each block
};

} // namespace emulator::executor::ptx
