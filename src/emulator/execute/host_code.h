// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's code generator for the host, in this process, for all targets.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace llvm {
class Module;
} // namespace llvm

namespace emulator::executor {

/// The memory that an access of compiled code has reached the last time. Size in bytes.
struct ReachedMemory {
  uint64_t begin = 0, size = 0;
};

/// Returns whether this build has a code generator for its host. Any thread.
bool can_compile();

/// Writes the function "part" into the module, or returns false if there is nothing to be compiled. accesses: the
/// number of accesses to memory that compiled code has so far, counted on.
using WriteCode = std::function<bool(llvm::Module &module, uint32_t &accesses)>;

/// The code of a part, which stays until the process ends, and the number of accesses up to its last.
struct HostCode {
  void *code = nullptr; ///< null: there is none
  uint32_t accesses = 0;
};

/// Compiles what is written. There is no code if nothing is, if the process ends, or if LLVM has an error, which is
/// said. write is called by one thread at a time, and not once the process ends. Any thread. Only if can_compile.
HostCode compile_for_host(const std::string &name, const WriteCode &write);

} // namespace emulator::executor
