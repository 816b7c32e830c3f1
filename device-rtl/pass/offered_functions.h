// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fortran has no clause by which a procedure becomes indirect, so each procedure whose address is taken on the host
// is offered: the host gets an entry for it, as `declare target indirect` makes one, and each procedure of a device
// module a variable with its address. The runtime puts those into the table that are in both; what the device does
// not have it leaves out.
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"

namespace omptarget_pass {

bool is_by_flang(const llvm::Module &module);

/// Adds entries to modules by flang, and leaves others alone. Runs before calls are inlined and functions that nobody
/// calls are dropped.
struct OfferFunctions : llvm::PassInfoMixin<OfferFunctions> {
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; } // NOLINT(readability-identifier-naming): LLVM asks for it
};

} // namespace omptarget_pass
