// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/jit/code_generator.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/CodeGen.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Triple.h>

#include "tools/jit/process.h"
#include "tools/jit/specialiser.h"

namespace omptarget::jit_compiler {

namespace {

void initialise_targets() {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTarget();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUAsmPrinter();
  LLVMInitializeAMDGPUAsmParser();
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::InitializeNativeTargetAsmParser();
  // LLVMs that have this option refuse constructors of global objects on NVIDIA's GPUs without it.
  const char *const arguments[] = {"omptarget-jit", "-nvptx-lower-global-ctor-dtor"};
  if (llvm::cl::getRegisteredOptions().count(arguments[1] + 1) != 0)
    llvm::cl::ParseCommandLineOptions(static_cast<int>(std::size(arguments)), arguments);
}

std::unique_ptr<llvm::Module> read_module(std::string_view bitcode, llvm::LLVMContext &context) {
  const llvm::MemoryBufferRef buffer(llvm::StringRef(bitcode.data(), bitcode.size()), "image");
  llvm::Expected<std::unique_ptr<llvm::Module>> module = llvm::parseBitcodeFile(buffer, context);
  if (!module)
    fail("LLVM " + llvm_version() + " cannot read the bitcode: " + llvm::toString(module.takeError()));
  std::string problem;
  llvm::raw_string_ostream text(problem);
  if (llvm::verifyModule(**module, &text))
    fail("the bitcode is damaged: " + problem);
  return std::move(*module);
}

bool is_kernel(const llvm::Function &function) {
  const llvm::CallingConv::ID convention = function.getCallingConv();
  return convention == llvm::CallingConv::AMDGPU_KERNEL || convention == llvm::CallingConv::PTX_Kernel;
}

/// Calls visit(feature) for each "+name" or "-name" of a function.
template <typename Visit> void each_feature(const llvm::Function &function, const Visit &visit) {
  llvm::SmallVector<llvm::StringRef, 64> features;
  function.getFnAttribute("target-features").getValueAsString().split(features, ',', -1, false);
  for (const llvm::StringRef feature : features)
    visit(feature);
}

/// The version of PTX is that of the whole text: the newest that a function of a processor asks for. Functions of the
/// device RTL name no processor, and a version that is too old for most. A function's own processor would contradict
/// that of the text.
std::string prepare_for_nvptx(llvm::Module &module) {
  unsigned version = 0;
  for (llvm::Function &function : module) {
    const bool has_processor = function.hasFnAttribute("target-cpu");
    each_feature(function, [&](llvm::StringRef feature) {
      unsigned wanted = 0;
      if (has_processor && feature.consume_front("+ptx") && !feature.getAsInteger(10, wanted))
        version = std::max(version, wanted);
    });
    function.removeFnAttr("target-cpu");
    function.removeFnAttr("target-features");
  }
  return version == 0 ? "" : "+ptx" + std::to_string(version);
}

/// Clang up to 16 marks kernels in metadata that newer LLVMs take for NVIDIA's on every target. The features xnack and
/// sramecc are those of the code object.
std::string prepare_for_amdgpu(llvm::Module &module) {
  std::string features;
  for (llvm::Function &function : module) {
    if (function.getCallingConv() == llvm::CallingConv::PTX_Kernel)
      function.setCallingConv(llvm::CallingConv::AMDGPU_KERNEL);
    if (!is_kernel(function) || !features.empty())
      continue;
    each_feature(function, [&](llvm::StringRef feature) {
      if (feature.ends_with("xnack") || feature.ends_with("sramecc"))
        features += (features.empty() ? "" : ",") + feature.str();
    });
  }
  return features;
}

llvm::CodeGenOptLevel level_of(unsigned level) {
  constexpr llvm::CodeGenOptLevel kLevels[] = {llvm::CodeGenOptLevel::None, llvm::CodeGenOptLevel::Less,
                                               llvm::CodeGenOptLevel::Default, llvm::CodeGenOptLevel::Aggressive};
  return kLevels[std::min<size_t>(level, std::size(kLevels) - 1)];
}

std::unique_ptr<llvm::TargetMachine> make_machine(const llvm::Triple &triple, const std::string &processor,
                                                  const std::string &features, unsigned level) {
  std::string problem;
#if LLVM_VERSION_MAJOR >= 21
  const llvm::Triple &name = triple;
#else
  const std::string &name = triple.str();
#endif
  const llvm::Target *const target = llvm::TargetRegistry::lookupTarget(name, problem);
  if (!target)
    fail("no code for " + triple.str() + " can be made: " + problem);
  llvm::TargetOptions options;
  options.FunctionSections = options.DataSections = true;
  options.UseInitArray = true; // as the dynamic linker runs constructors
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      name, processor, features, options, llvm::Reloc::PIC_, std::nullopt, level_of(level)));
  if (!machine)
    fail("no code for " + triple.str() + " can be made");
  if (!processor.empty() && !machine->getMCSubtargetInfo()->isCPUStringValid(processor))
    fail("LLVM " + llvm_version() + " makes no code for " + processor);
  return machine;
}

std::string emit(llvm::Module &module, llvm::TargetMachine &machine, llvm::CodeGenFileType type) {
  module.setDataLayout(machine.createDataLayout());
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type))
    fail("the code generator cannot write such a file");
  passes.run(module);
  return {bytes.data(), bytes.size()};
}

} // namespace

std::string llvm_version() { return LLVM_VERSION_STRING; }

Code generate_code(std::string_view bitcode, const std::string &processor, unsigned level,
                   std::span<const jit::LaunchCase> cases) {
  initialise_targets();
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module = read_module(bitcode, context);
  const llvm::Triple triple(module->getTargetTriple());
  Form form = Form::kCpuObject;
  std::string features;
  if (triple.isNVPTX()) {
    form = Form::kPtx;
    features = prepare_for_nvptx(*module);
  } else if (triple.isAMDGPU()) {
    form = Form::kAmdgpuObject;
    features = prepare_for_amdgpu(*module);
  }
  if (form != Form::kCpuObject && processor.empty())
    fail("the bitcode is for " + triple.str() + " and names no processor");
  const auto machine = make_machine(triple, processor, features, level);
  add_variants(*module, *machine, cases, level);
  const llvm::CodeGenFileType type =
      form == Form::kPtx ? llvm::CodeGenFileType::AssemblyFile : llvm::CodeGenFileType::ObjectFile;
  return {form, emit(*module, *machine, type)};
}

} // namespace omptarget::jit_compiler
