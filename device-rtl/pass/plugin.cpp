// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of a plugin given to clang and flang by -fpass-plugin=.

#include "critical_sections.h"
#include "indirect_calls.h"
#include "offered_functions.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Passes/PassBuilder.h"
#if LLVM_VERSION_MAJOR >= 22
#include "llvm/Plugins/PassPlugin.h"
#else
#include "llvm/Passes/PassPlugin.h"
#endif

using namespace llvm;
using namespace omptarget_pass;

namespace {

void register_passes(PassBuilder &builder) {
  builder.registerPipelineStartEPCallback([](ModulePassManager &passes, OptimizationLevel) {
    passes.addPass(OfferFunctions());
    passes.addPass(InsertTranslations());
    passes.addPass(SerialiseCriticalSections());
  });
  builder.registerPeepholeEPCallback(
      [](FunctionPassManager &passes, OptimizationLevel) { passes.addPass(FoldTranslations()); });
  // The names of the passes, for opt -passes=.
  builder.registerPipelineParsingCallback(
      [](StringRef name, ModulePassManager &passes, ArrayRef<PassBuilder::PipelineElement>) {
        if (name == "omptarget-insert-translations")
          passes.addPass(InsertTranslations());
        else if (name == "omptarget-offer-functions")
          passes.addPass(OfferFunctions());
        else if (name == "omptarget-serialise-critical-sections")
          passes.addPass(SerialiseCriticalSections());
        else
          return false;
        return true;
      });
  builder.registerPipelineParsingCallback(
      [](StringRef name, FunctionPassManager &passes, ArrayRef<PassBuilder::PipelineElement>) {
        if (name != "omptarget-fold-translations")
          return false;
        passes.addPass(FoldTranslations());
        return true;
      });
}

} // namespace

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo() {
  PassPluginLibraryInfo info{};
  info.APIVersion = LLVM_PLUGIN_API_VERSION;
  info.PluginName = "omptarget-indirect";
  info.PluginVersion = "1";
  info.RegisterPassBuilderCallbacks = register_passes;
  return info;
}
