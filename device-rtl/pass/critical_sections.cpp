// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "critical_sections.h"

#include <algorithm>

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

#include "indirect_calls.h"
#include "offered_functions.h"

using namespace llvm;

namespace omptarget_pass {

namespace {

constexpr char kLock[] = "__kmpc_critical", kLockWithHint[] = "__kmpc_critical_with_hint",
               kUnlock[] = "__kmpc_end_critical";
constexpr char kDone[] =
    "omptarget.one.lane"; ///< on locks in such loops, as flang runs the first passes more than once
constexpr unsigned kNameOperand = 2;

bool calls(const CallInst &call, StringRef name) {
  const Function *callee = call.getCalledFunction();
  return callee != nullptr && callee->getName() == name;
}
const Value *lock_of(const CallInst &call) { return call.getArgOperand(kNameOperand)->stripPointerCasts(); }

/// The unlock that every way from the lock comes to first, or null.
CallInst *find_end(CallInst &begin, const DominatorTree &dominators, const PostDominatorTree &post_dominators) {
  CallInst *first = nullptr;
  for (Instruction &instruction : instructions(*begin.getFunction())) {
    auto *end = dyn_cast<CallInst>(&instruction);
    if (end == nullptr || !calls(*end, kUnlock) || lock_of(*end) != lock_of(begin) ||
        !dominators.dominates(&begin, end) || !post_dominators.dominates(end->getParent(), begin.getParent()))
      continue;
    if (first == nullptr || dominators.dominates(end, first))
      first = end;
  }
  return first;
}

/// Blocks on the ways from first to last, both included.
SetVector<BasicBlock *> blocks_between(BasicBlock *first, BasicBlock *last) {
  SetVector<BasicBlock *> blocks;
  blocks.insert(first);
  for (unsigned i = 0; i < blocks.size(); ++i)
    if (blocks[i] != last)
      for (unsigned n = 0; n < blocks[i]->getTerminator()->getNumSuccessors(); ++n)
        blocks.insert(blocks[i]->getTerminator()->getSuccessor(n));
  return blocks;
}

/// Passes the section's results to later code through memory, as no value of a loop may be used behind it.
void keep_results_in_memory(const SetVector<BasicBlock *> &blocks) {
  SmallVector<Instruction *, 8> results;
  for (BasicBlock *block : blocks)
    for (Instruction &instruction : *block)
      if (any_of(instruction.users(), [&](const User *user) {
            return !blocks.contains(const_cast<BasicBlock *>(cast<Instruction>(user)->getParent()));
          }))
        results.push_back(&instruction);
  for (Instruction *result : results)
    DemoteRegToStack(*result);
}

struct Lanes {
  explicit Lanes(Module &module) : module(module) {}
  Value *call(IRBuilder<> &builder, StringRef name, Type *result, ArrayRef<Value *> arguments) {
    SmallVector<Type *, 2> types;
    for (const Value *argument : arguments)
      types.push_back(argument->getType());
    return builder.CreateCall(module.getOrInsertFunction(name, FunctionType::get(result, types, false)), arguments);
  }
  Value *active(IRBuilder<> &builder) {
    return call(builder, "llvm.amdgcn.ballot.i64", builder.getInt64Ty(), {builder.getTrue()});
  }
  Value *self(IRBuilder<> &builder) {
    Value *low =
        call(builder, "llvm.amdgcn.mbcnt.lo", builder.getInt32Ty(), {builder.getInt32(~0u), builder.getInt32(0)});
    Value *lane = call(builder, "llvm.amdgcn.mbcnt.hi", builder.getInt32Ty(), {builder.getInt32(~0u), low});
    return builder.CreateZExt(lane, builder.getInt64Ty());
  }
  Value *first(IRBuilder<> &builder, Value *lanes) {
    return call(builder, "llvm.cttz.i64", builder.getInt64Ty(), {lanes, builder.getFalse()});
  }
  Module &module;
};

/// before: lanes that are here -> loop: is it this lane's turn? -> section, else -> next: without this lane, again or
/// -> after.
void put_into_loop(CallInst &begin, CallInst &end) {
  Function &function = *begin.getFunction();
  LLVMContext &context = function.getContext();
  BasicBlock *before = begin.getParent();
  BasicBlock *section = before->splitBasicBlock(&begin, "critical.section");
  BasicBlock *last = end.getParent();
  BasicBlock *after = last->splitBasicBlock(end.getNextNode(), "critical.after");
  const SetVector<BasicBlock *> blocks = blocks_between(section, last);
  keep_results_in_memory(blocks);

  Lanes lanes(*function.getParent());
  BasicBlock *loop = BasicBlock::Create(context, "critical.lane", &function, section);
  BasicBlock *next = BasicBlock::Create(context, "critical.next", &function, after);
  before->getTerminator()->eraseFromParent();
  IRBuilder<> builder(before);
  builder.SetCurrentDebugLocation(begin.getDebugLoc());
  Value *all = lanes.active(builder), *self = lanes.self(builder);
  builder.CreateBr(loop);
  builder.SetInsertPoint(loop);
  PHINode *waiting = builder.CreatePHI(builder.getInt64Ty(), 2);
  waiting->addIncoming(all, before);
  builder.CreateCondBr(builder.CreateICmpEQ(lanes.first(builder, waiting), self), section, next);
  last->getTerminator()->setSuccessor(0, next);
  builder.SetInsertPoint(next);
  Value *rest = builder.CreateAnd(waiting, builder.CreateSub(waiting, builder.getInt64(1)));
  waiting->addIncoming(rest, next);
  builder.CreateCondBr(builder.CreateICmpEQ(rest, builder.getInt64(0)), after, loop);
}

bool serialise(Function &function) {
  SmallVector<CallInst *, 4> begins;
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<CallInst>(&instruction);
        call != nullptr && (calls(*call, kLock) || calls(*call, kLockWithHint)) && call->getMetadata(kDone) == nullptr)
      begins.push_back(call);
  bool changed = false;
  for (CallInst *begin : begins) {
    const DominatorTree dominators(function);
    const PostDominatorTree post_dominators(function);
    CallInst *end = find_end(*begin, dominators, post_dominators);
    if (end == nullptr)
      continue;
    begin->setMetadata(kDone, MDNode::get(function.getContext(), {}));
    put_into_loop(*begin, *end);
    changed = true;
  }
  return changed;
}

/// PTX has no dots in names.
bool rename_locks(Module &module) {
  bool changed = false;
  for (GlobalVariable &variable : module.globals())
    if (variable.getName().contains("gomp_critical_user_") && variable.getName().contains('.')) {
      std::string name = variable.getName().str();
      std::replace(name.begin(), name.end(), '.', '$');
      variable.setName(name);
      changed = true;
    }
  return changed;
}

} // namespace

PreservedAnalyses SerialiseCriticalSections::run(Module &module, ModuleAnalysisManager &) {
  const bool may_be_flang =
      is_by_flang(module) || module.getNamedMetadata("llvm.ident") == nullptr; // flang 19 does not say
  if (!is_device_module(module) || !may_be_flang)
    return PreservedAnalyses::all();
  const StringRef layout = module.getDataLayoutStr();
  bool changed = false;
  if (layout.contains("-A5")) // variables of functions in an address space of their own: AMD's
    for (Function &function : module)
      changed |= !function.isDeclaration() && serialise(function);
  else if (!layout.contains("-f80:128")) // not the host
    changed = rename_locks(module);
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace omptarget_pass
