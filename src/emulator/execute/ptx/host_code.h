// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's code generator for the host, in this process.
#pragma once

#include <memory>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace emulator::executor::ptx {

/// The host's machine with all that it has. Null if this LLVM does not know it.
llvm::TargetMachine *host_machine();

/// The code of the function, which stays until the process ends. Null, and the reason, if there is none. One thread at
/// a time.
void *generate(llvm::Module &module, const char *function, std::string &error);

} // namespace emulator::executor::ptx
