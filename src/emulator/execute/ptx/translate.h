// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions of a part of a function as LLVM's, each for 32 lanes at once.
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "liveness.h"

#include <llvm/ADT/STLFunctionalExtras.h>

namespace llvm {
class Module;
}

namespace emulator::executor::ptx {

struct Translation {
  /// How many instructions each block has, by the place where it begins. 0: its first is only interpreted.
  std::map<uint32_t, uint32_t> lengths;
  std::set<uint32_t> starts; ///< places within blocks where other parts may begin
};

/// Writes the function "part", a CompiledCode, into the module. It has the block that begins at this place, and those
/// that follow it as far as they are wanted. accesses: the number of accesses so far, counted on.
Translation translate(const Function &function, const Liveness &liveness, uint32_t place, bool is_full,
                      llvm::function_ref<bool(uint32_t)> is_wanted, uint32_t &accesses, llvm::Module &module);

} // namespace emulator::executor::ptx
