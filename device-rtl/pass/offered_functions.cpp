// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "offered_functions.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#include "indirect_calls.h"
#include "omptarget/types.h"

using namespace llvm;

namespace omptarget_pass {

namespace {

// An entry for a function's address (abi: entries), in the compiler's own layout.
constexpr unsigned kPointerSize = 8;
#if LLVM_VERSION_MAJOR >= 20
constexpr char kSection[] = "llvm_offload_entries";
constexpr unsigned kAlignment = 8;
#else
constexpr char kSection[] = "omp_offloading_entries";
constexpr unsigned kAlignment = 1;
#endif

/// Neither what the compiler makes for itself, whose names have what no name of Fortran or C has, nor a runtime's.
bool is_procedure(const Function &function) {
  const StringRef name = function.getName();
  return !name.empty() && !name.contains('.') && !name.starts_with("__") && !name.starts_with("_FortranA");
}

Constant *entry_for(Function &function, Constant *name) {
  LLVMContext &context = function.getContext();
  const auto number = [&](unsigned bits, uint64_t value) {
    return ConstantInt::get(Type::getIntNTy(context, bits), value);
  };
#if LLVM_VERSION_MAJOR >= 20
  Constant *parts[] = {number(64, 0),
                       number(16, 1), // version
                       number(16, OMPTARGET_ENTRY_KIND_OPENMP),
                       number(32, OMPTARGET_ENTRY_INDIRECT),
                       &function,
                       name,
                       number(64, kPointerSize),
                       number(64, 0),
                       ConstantPointerNull::get(PointerType::get(context, 0))};
#else
  Constant *parts[] = {&function, name, number(64, kPointerSize), number(32, OMPTARGET_ENTRY_INDIRECT), number(32, 0)};
#endif
  return ConstantStruct::getAnon(context, parts);
}

void offer_on_host(Function &function) {
  Module &module = *function.getParent();
  const std::string name = (OMPTARGET_OFFERED_FUNCTION + function.getName()).str();
  const std::string entry_name = ".offloading.entry." + name;
  if (module.getNamedValue(entry_name) != nullptr) // flang runs the first passes more than once
    return;
  Constant *text = ConstantDataArray::getString(module.getContext(), name);
  auto *string =
      new GlobalVariable(module, text->getType(), true, GlobalValue::InternalLinkage, text, ".offloading.name");
  string->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  Constant *value = entry_for(function, string);
  // Weak, as the compiler's own: kept though nobody reads it.
  auto *entry = new GlobalVariable(module, value->getType(), true, GlobalValue::WeakAnyLinkage, value, entry_name);
  entry->setSection(kSection);
  entry->setAlignment(Align(kAlignment));
}

void offer_on_device(Function &function) {
  Module &module = *function.getParent();
  const std::string name = (OMPTARGET_OFFERED_FUNCTION + function.getName()).str();
  if (module.getNamedValue(name) != nullptr)
    return;
  const unsigned space = module.getDataLayout().getDefaultGlobalsAddressSpace();
  auto *variable = new GlobalVariable(module, function.getType(), true, GlobalValue::WeakODRLinkage, &function, name,
                                      nullptr, GlobalValue::NotThreadLocal, space);
  variable->setVisibility(GlobalValue::ProtectedVisibility);
  appendToCompilerUsed(module, {variable});
}

} // namespace

bool is_by_flang(const Module &module) {
  const NamedMDNode *idents = module.getNamedMetadata("llvm.ident");
  if (idents == nullptr || module.getModuleFlag("openmp") == nullptr)
    return false;
  for (const MDNode *ident : idents->operands())
    if (const auto *text = dyn_cast<MDString>(ident->getOperand(0));
        text != nullptr && text->getString().contains("flang"))
      return true;
  return false;
}

PreservedAnalyses OfferFunctions::run(Module &module, ModuleAnalysisManager &) {
  if (!is_by_flang(module))
    return PreservedAnalyses::all();
  const bool on_device = is_device_module(module);
  SmallVector<Function *, 16> offered;
  for (Function &function : module)
    if (is_procedure(function) && (on_device ? !function.isDeclaration() : function.hasAddressTaken()))
      offered.push_back(&function);
  for (Function *function : offered)
    on_device ? offer_on_device(*function) : offer_on_host(*function);
  return offered.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace omptarget_pass
