// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See host_code.h.

#include "host_code.h"

#if OMPTARGET_EXECUTOR_COMPILES
#include <cstdio>
#include <mutex>
#include <unistd.h>

#include "at_exit.h"

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/ExecutionEngine/RuntimeDyld.h>
#include <llvm/ExecutionEngine/SectionMemoryManager.h>
#include <llvm/IR/LLVMContext.h>
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
#endif

namespace emulator::executor {

#if OMPTARGET_EXECUTOR_COMPILES

namespace {

// LLVM's code generator is used by one thread at a time. Accesses have numbers in all modules.
std::mutex &generator_mutex() {
  static std::mutex &mutex = *new std::mutex;
  return mutex;
}
uint32_t accesses = 0;

// At a process's end the objects of a shared libLLVM go (those of its archives do not, at_exit.h), while kernels may
// still run. From then on all is interpreted. Registered after each compilation, as that may have made further objects:
// what is registered last is called first.
bool is_ended = false;
pid_t process = 0; ///< that compiles: a child of a fork runs no kernel, and the lock may be held in it for ever
void end() {
  if (getpid() != process)
    return;
  const std::lock_guard lock(generator_mutex());
  is_ended = true;
}

bool await_end() {
  process = getpid();
  at_exit(end);
  return true;
}

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

// The host's machine with all that it has. Null if this LLVM does not know it.
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

} // namespace

bool can_compile() {
  const std::lock_guard lock(generator_mutex());
  static const bool can = host_machine() && await_end();
  return can;
}

HostCode compile_for_host(const std::string &name, const WriteCode &write) {
  const std::lock_guard lock(generator_mutex());
  if (is_ended)
    return {};
  llvm::LLVMContext context;
  llvm::Module module(name, context);
  module.setDataLayout(host_machine()->createDataLayout());
#if LLVM_VERSION_MAJOR >= 21
  module.setTargetTriple(host_machine()->getTargetTriple());
#else
  module.setTargetTriple(host_machine()->getTargetTriple().str());
#endif
  if (!write(module, accesses))
    return {.accesses = accesses};
  std::string error;
  void *const code = generate(module, "part", error);
  if (!code)
    std::fprintf(stderr, "executor: a part of %s is interpreted: %s\n", name.c_str(), error.c_str());
  at_exit(end);
  return {code, accesses};
}

#else

bool can_compile() { return false; }

#endif

} // namespace emulator::executor
