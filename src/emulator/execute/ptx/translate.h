// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions of a part of a function as LLVM's, each for 32 lanes at once.
#pragma once

#include <cstdint>
#include <set>

#include "liveness.h"

namespace llvm {
class Module;
}

namespace emulator::executor::ptx {

struct Translation {
  uint32_t length = 0;       ///< instructions of the first block; 0: there is nothing to run
  std::set<uint32_t> starts; ///< where other parts may begin: behind instructions that are only interpreted
};

/// Writes the function "part", a CompiledCode, into the module. accesses: the number of accesses so far, counted on.
Translation translate(const Function &function, const Liveness &liveness, uint32_t place, bool is_full,
                      uint32_t &accesses, llvm::Module &module);

} // namespace emulator::executor::ptx
