// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "indirect_calls.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace omptarget_pass {

namespace {

constexpr char kTranslate[] = "__kmpc_target_translate_fptr";
constexpr char kLookup[] = "__llvm_omp_indirect_call_lookup";

/// Functions of LLVM's device RTL, whose bitcode is linked into the module: what they call are device functions.
bool is_runtime_function(const Function &function) {
  for (const char *prefix : {"__kmpc_", "__omp_rtl", "__llvm_", "_ZN4ompx", "_ZN5_OMP", "_ZN4_OMP"})
    if (function.getName().starts_with(prefix))
      return true;
  return false;
}

/// A variable of this module whose value is known: nothing on the host can have got into it.
bool is_constant_of_module(const Value *value) {
  const auto *variable = dyn_cast<GlobalVariable>(value);
  return variable != nullptr && variable->isConstant() && variable->hasDefinitiveInitializer();
}

bool prove_device_pointer(const Value *value, SmallPtrSetImpl<const Value *> &seen) {
  value = value->stripInBoundsOffsets();
  if (const auto *alias = dyn_cast<GlobalAlias>(value))
    value = alias->getAliaseeObject();
  if (value == nullptr || !seen.insert(value).second)
    return value != nullptr; // a phi's way back to itself
  if (isa<Function>(value) || isa<ConstantPointerNull>(value) || isa<UndefValue>(value) || isa<GlobalIFunc>(value))
    return true;
  if (is_translation(value))
    return true;
  if (const auto *variable = dyn_cast<GlobalVariable>(value))
    return variable->isConstant(); // a vtable
  if (const auto *phi = dyn_cast<PHINode>(value))
    return all_of(phi->incoming_values(), [&](const Use &incoming) { return prove_device_pointer(incoming, seen); });
  if (const auto *select = dyn_cast<SelectInst>(value))
    return prove_device_pointer(select->getTrueValue(), seen) && prove_device_pointer(select->getFalseValue(), seen);
  if (const auto *load = dyn_cast<LoadInst>(value))
    return is_constant_of_module(getUnderlyingObject(load->getPointerOperand()));
  return false;
}

/// Loads that yield a vtable pointer. The optimising compiler marks them; without marks, the callee's way tells.
void find_vtable_loads(Function &function, SetVector<LoadInst *> &loads) {
  for (Instruction &instruction : instructions(function))
    if (auto *load = dyn_cast<LoadInst>(&instruction))
      if (const MDNode *tag = load->getMetadata(LLVMContext::MD_tbaa); tag != nullptr && tag->isTBAAVtableAccess())
        loads.insert(load);
}

/// callee = *(*object + constant), if neither load is marked as something else.
void find_vtable_load_of_callee(Value *callee, SetVector<LoadInst *> &loads, unsigned depth = 0) {
  callee = callee->stripPointerCasts();
  if (auto *phi = dyn_cast<PHINode>(callee); phi != nullptr && depth == 0)
    for (Value *incoming : phi->incoming_values())
      find_vtable_load_of_callee(incoming, loads, depth + 1);
  auto *slot = dyn_cast<LoadInst>(callee);
  if (slot == nullptr || slot->getMetadata(LLVMContext::MD_tbaa) != nullptr)
    return;
  Value *address = slot->getPointerOperand();
  if (auto *offset = dyn_cast<GetElementPtrInst>(address))
    address = offset->getPointerOperand();
  auto *vtable = dyn_cast<LoadInst>(address->stripPointerCasts());
  // Without optimisation every variable lives in memory: a load from a local one is no vtable's.
  if (vtable == nullptr || vtable->getMetadata(LLVMContext::MD_tbaa) != nullptr ||
      isa<AllocaInst>(vtable->getPointerOperand()->stripInBoundsOffsets()))
    return;
  loads.insert(vtable);
}

/// There a translation may stop the kernel, if the function is another image's: it must not be where the program does
/// not call.
bool is_for_gpu(const Module &module) {
  const Triple triple(module.getTargetTriple());
  return triple.isNVPTX() || triple.isAMDGPU();
}

FunctionCallee declare_translate(Module &module) {
  LLVMContext &context = module.getContext();
  PointerType *pointer = PointerType::get(context, 0);
  FunctionCallee callee = module.getOrInsertFunction(kTranslate, FunctionType::get(pointer, {pointer}, false));
  if (auto *function = dyn_cast<Function>(callee.getCallee())) {
    if (!is_for_gpu(module))
      function->addFnAttr(Attribute::Speculatable); // the one attribute that calls cannot have
    function->addFnAttr("llvm.assume", "omp_no_openmp,ompx_spmd_amenable");
  }
  return callee;
}

/// Translates the pointer before the instruction. The same pointer always yields the same result, and nothing else
/// happens: so the optimiser may merge translations and move them out of loops, on GPUs if the loop calls in any case.
Value *translate_before(Instruction &before, Value *pointer, FunctionCallee translate) {
  IRBuilder<> builder(&before);
  Type *generic = builder.getPtrTy();
  Value *argument = pointer->getType() == generic ? pointer : builder.CreateAddrSpaceCast(pointer, generic);
  CallInst *call = builder.CreateCall(translate, {argument});
  if (!call->getDebugLoc()) // a call inside a function with debug information must have a location
    if (DISubprogram *subprogram = before.getFunction()->getSubprogram())
      call->setDebugLoc(DILocation::get(before.getContext(), 0, 0, subprogram));
  call->setDoesNotAccessMemory();
  call->setDoesNotThrow();
  for (Attribute::AttrKind kind : {Attribute::WillReturn, Attribute::NoFree, Attribute::NoSync, Attribute::NoCallback})
    call->addFnAttr(kind);
  return pointer->getType() == generic ? static_cast<Value *>(call)
                                       : builder.CreateAddrSpaceCast(call, pointer->getType());
}

bool translate_function(Function &function, FunctionCallee translate) {
  SetVector<CallBase *> calls;
  SetVector<LoadInst *> vtables;
  find_vtable_loads(function, vtables);
  for (Instruction &instruction : instructions(function)) {
    auto *call = dyn_cast<CallBase>(&instruction);
    if (call == nullptr || !call->isIndirectCall() || is_device_pointer(call->getCalledOperand()))
      continue;
    calls.insert(call);
    find_vtable_load_of_callee(call->getCalledOperand(), vtables);
  }
  for (LoadInst *vtable : vtables) {
    if (vtable->use_empty() || !vtable->getType()->isPointerTy() || is_device_pointer(vtable))
      continue;
    Value *translated = translate_before(*vtable->getNextNode(), vtable, translate);
    vtable->replaceUsesWithIf(translated, [&](const Use &use) {
      return use.getUser() != translated && use.getUser() != translated->stripPointerCasts() &&
             !is_translation(use.getUser()) && !isa<AddrSpaceCastInst>(use.getUser());
    });
  }
  for (CallBase *call : calls)
    call->setCalledOperand(translate_before(*call, call->getCalledOperand(), translate));
  return !calls.empty() || !vtables.empty();
}

} // namespace

bool is_device_module(const Module &module) { return module.getModuleFlag("openmp-device") != nullptr; }

bool is_translation(const Value *value) {
  const auto *call = dyn_cast<CallBase>(value);
  const Function *callee = call != nullptr ? call->getCalledFunction() : nullptr;
  return callee != nullptr && (callee->getName() == kTranslate || callee->getName() == kLookup);
}

bool is_device_pointer(const Value *value) {
  SmallPtrSet<const Value *, 8> seen;
  return prove_device_pointer(value, seen);
}

PreservedAnalyses InsertTranslations::run(Module &module, ModuleAnalysisManager &) {
  if (!is_device_module(module))
    return PreservedAnalyses::all();
  const bool was_declared = module.getFunction(kTranslate) != nullptr;
  FunctionCallee translate = declare_translate(module);
  bool changed = false;
  for (Function &function : module)
    if (!function.isDeclaration() && !is_runtime_function(function))
      changed |= translate_function(function, translate);
  if (auto *function = dyn_cast<Function>(translate.getCallee()); !was_declared && function != nullptr)
    if (function->use_empty())
      function->eraseFromParent();
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

PreservedAnalyses FoldTranslations::run(Function &function, FunctionAnalysisManager &) {
  if (!is_device_module(*function.getParent()))
    return PreservedAnalyses::all();
  SmallVector<CallInst *, 8> calls;
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<CallInst>(&instruction); call != nullptr && is_translation(call))
      if (is_device_pointer(call->getArgOperand(0)))
        calls.push_back(call);
  for (CallInst *call : calls) {
    call->replaceAllUsesWith(call->getArgOperand(0));
    call->eraseFromParent();
  }
  if (calls.empty())
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace omptarget_pass
