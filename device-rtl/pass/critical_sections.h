// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Critical sections by flang. Its code lets all lanes of a wave come to the lock at once, as threads of a CPU would.
// On AMD's GPUs lanes go together: the one that has the lock would wait for those that want it. So the section, from
// lock to unlock, is put into a loop that lets one lane in after the other, as clang's own code does. For NVIDIA's,
// whose lanes can wait for each other, only the dot in the name of a lock is replaced, which ptxas refuses.
#pragma once

#include "llvm/IR/PassManager.h"

namespace omptarget_pass {

/// Rewrites critical sections of device modules for GPUs. Clang's sections are left as they are.
struct SerialiseCriticalSections : llvm::PassInfoMixin<SerialiseCriticalSections> {
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; } // NOLINT(readability-identifier-naming): LLVM asks for it
};

} // namespace omptarget_pass
