// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See host_code.h.

#include <string>

#include "host_code.h"

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/ExecutionEngine/RuntimeDyld.h>
#include <llvm/ExecutionEngine/SectionMemoryManager.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Pass.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/Transforms/Scalar.h>

namespace emulator::executor::ptx {

namespace {

llvm::TargetMachine *make_machine() {
  if (llvm::InitializeNativeTarget() || llvm::InitializeNativeTargetAsmPrinter())
    return nullptr;
  const std::string triple = llvm::sys::getProcessTriple();
  std::string error;
  const llvm::Target *const target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  std::string features;
#if LLVM_VERSION_MAJOR >= 19
  const auto all = llvm::sys::getHostCPUFeatures();
#else
  llvm::StringMap<bool> all;
  llvm::sys::getHostCPUFeatures(all);
#endif
  for (const auto &one : all)
    features += (features.empty() ? "" : ",") + std::string(one.second ? "+" : "-") + one.first().str();
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
#if LLVM_VERSION_MAJOR >= 18
  constexpr auto kLevel = llvm::CodeGenOptLevel::Less;
#else
  constexpr auto kLevel = llvm::CodeGenOpt::Less;
#endif
#if LLVM_VERSION_MAJOR >= 21
  const llvm::Triple machine(triple);
#else
  const std::string &machine = triple;
#endif
  return target->createTargetMachine(machine, llvm::sys::getHostCPUName(), features, options, llvm::Reloc::PIC_,
                                     llvm::CodeModel::Small, kLevel, true);
}

} // namespace

llvm::TargetMachine *host_machine() {
  static llvm::TargetMachine *const machine = make_machine();
  return machine;
}

void *generate(llvm::Module &module, const char *function, std::string &error) {
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager passes;
  // First: passes ask it which vectors the machine has.
  passes.add(llvm::createTargetTransformInfoWrapperPass(host_machine()->getTargetIRAnalysis()));
  passes.add(llvm::createEarlyCSEPass());
  llvm::MCContext *context = nullptr;
  if (host_machine()->addPassesToEmitMC(passes, context, stream, true)) {
    error = "LLVM makes no code for this host";
    return nullptr;
  }
  passes.run(module);
  auto file = llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(llvm::StringRef(object.data(), object.size()), function));
  if (!file) {
    error = llvm::toString(file.takeError());
    return nullptr;
  }
  // Both live as long as the code.
  auto *const memory = new llvm::SectionMemoryManager;
  auto *const linker = new llvm::RuntimeDyld(*memory, *memory);
  linker->loadObject(**file);
  linker->resolveRelocations();
  if (linker->hasError() || memory->finalizeMemory(&error)) {
    error = linker->hasError() ? linker->getErrorString().str() : error;
    return nullptr;
  }
  return reinterpret_cast<void *>(linker->getSymbol(function).getAddress());
}

} // namespace emulator::executor::ptx
