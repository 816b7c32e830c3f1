// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indirect calls in device modules: which pointers have to be translated, and the two passes that see to it. Compiled
// against the headers of each supported LLVM; the compiler that loads the plugin brings the code.
#pragma once

#include "llvm/IR/PassManager.h"
#include "llvm/IR/Value.h"

namespace omptarget_pass {

/// Returns whether this is the device side of an OpenMP program.
bool is_device_module(const llvm::Module &module);

/// Returns whether the value is for certain the address of a function or vtable of this very module, the result of a
/// translation, or null. Looks through casts, offsets, phis, selects and loads from constant tables.
bool is_device_pointer(const llvm::Value *value);

/// Returns whether the call is one of translate_fptr's; its argument is then operand 0.
bool is_translation(const llvm::Value *value);

/// Puts translations in front of indirect calls and around vtable pointers. Runs first of all, while it still shows
/// which function a call stands in.
struct InsertTranslations : llvm::PassInfoMixin<InsertTranslations> {
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; } // NOLINT(readability-identifier-naming): LLVM asks for it
};

/// Takes translations away whose argument has turned out to be a device pointer, so that the call can become a direct
/// one. Runs whenever the optimiser has simplified a function.
struct FoldTranslations : llvm::PassInfoMixin<FoldTranslations> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace omptarget_pass
