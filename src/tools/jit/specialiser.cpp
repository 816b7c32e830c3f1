// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/jit/specialiser.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include <llvm/IR/AbstractCallSite.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsAMDGPU.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SCCP.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Vectorize/LoopVectorize.h>
#include <llvm/Transforms/Vectorize/SLPVectorizer.h>

#include "tools/jit/process.h"

namespace omptarget::jit_compiler {

namespace {

constexpr unsigned kBitsOfByte = 8;
/// Most functions that are copied for one variant, beside the kernel. It also bounds recursion.
constexpr size_t kMostCopies = 64;
/// The code object version whose implicit arguments hold the shape of the launch.
constexpr uint64_t kFirstWithShape = 500;

/// Names of the symbols beside a kernel that tell how it is launched.
constexpr const char *kCompanions[] = {"_kernel_environment", "_exec_mode"};

/// The constant that a parameter of that type has; null if such a parameter cannot have the value.
llvm::Constant *constant_for(const jit::ParameterValue &value, llvm::Type *type) {
  const unsigned bits = value.size * kBitsOfByte;
  if (auto *const integer = llvm::dyn_cast<llvm::IntegerType>(type))
    return integer->getBitWidth() >= bits && integer->getBitWidth() <= 64 ? llvm::ConstantInt::get(type, value.bits)
                                                                          : nullptr;
  if ((!type->isFloatTy() && !type->isDoubleTy()) || type->getPrimitiveSizeInBits() != bits)
    return nullptr;
  return llvm::ConstantFP::get(type, llvm::APFloat(type->getFltSemantics(), llvm::APInt(bits, value.bits)));
}

/// A function whose arguments, as far as they are constants, are replaced in a copy of it.
using Constants = std::vector<std::pair<unsigned, llvm::Constant *>>;

void put_in(llvm::Function &function, const Constants &constants) {
  for (const auto &[argument, constant] : constants)
    function.getArg(argument)->replaceAllUsesWith(constant);
}

/// Returns whether a copy would jump into the function itself: a table has the addresses of its labels.
bool has_labels_with_addresses(const llvm::Function &function) {
  return std::any_of(function.begin(), function.end(),
                     [](const llvm::BasicBlock &block) { return block.hasAddressTaken(); });
}

/// A copy beside the function, without a place in a group of symbols.
llvm::Function *copy_of(llvm::Function &function, const llvm::Twine &name) {
  llvm::ValueToValueMapTy map;
  llvm::Function *const copy = llvm::CloneFunction(&function, map);
  copy->setComdat(nullptr);
  copy->setName(name);
  return copy;
}

void copy_companion(llvm::Module &module, const std::string &name, const std::string &new_name) {
  llvm::GlobalVariable *const from = module.getNamedGlobal(name);
  if (!from || !from->hasInitializer())
    return;
  auto *const to = new llvm::GlobalVariable(module, from->getValueType(), from->isConstant(), from->getLinkage(),
                                            from->getInitializer(), new_name, nullptr, from->getThreadLocalMode(),
                                            from->getAddressSpace());
  to->copyAttributesFrom(from);
}

#if LLVM_VERSION_MAJOR < 21
/// Adds metadata of NVIDIA's kernels.
void annotate(llvm::Module &module, llvm::Function &function, const char *name, unsigned value) {
  llvm::LLVMContext &context = module.getContext();
  auto *const number = llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), value);
  module.getOrInsertNamedMetadata("nvvm.annotations")
      ->addOperand(
          llvm::MDNode::get(context, {llvm::ConstantAsMetadata::get(&function), llvm::MDString::get(context, name),
                                      llvm::ConstantAsMetadata::get(number)}));
}

/// Without the most threads if the copy requires a number of them: ptxas refuses both.
void copy_annotations(llvm::Module &module, const llvm::Function &from, llvm::Function &to, bool requires_threads) {
  llvm::NamedMDNode *const all = module.getNamedMetadata("nvvm.annotations");
  const unsigned count = all ? all->getNumOperands() : 0;
  for (unsigned i = 0; i < count; ++i) {
    const llvm::MDNode *const row = all->getOperand(i);
    if (row->getNumOperands() == 0 || llvm::mdconst::dyn_extract_or_null<llvm::Function>(row->getOperand(0)) != &from)
      continue;
    llvm::SmallVector<llvm::Metadata *, 4> operands(row->op_begin(), row->op_end());
    operands[0] = llvm::ConstantAsMetadata::get(&to);
    const auto *const name = operands.size() > 1 ? llvm::dyn_cast_or_null<llvm::MDString>(operands[1]) : nullptr;
    if (requires_threads && name && name->getString().starts_with("maxntid"))
      continue;
    all->addOperand(llvm::MDNode::get(module.getContext(), operands));
  }
}
#endif

/// Bytes of a record that the launch gives its kernel, as far as they are known, and what is read from it.
class KnownRecord {
public:
  void set(unsigned offset, unsigned size, uint64_t value) {
    for (unsigned i = 0; i < size; ++i)
      bytes_[offset + i] = static_cast<uint8_t>(value >> (i * kBitsOfByte));
  }

  /// Replaces all that is read at the pointer, which points to that place of the record.
  void replace_reads(llvm::Value &pointer, int64_t offset = 0) {
    const llvm::DataLayout *layout = nullptr;
    const std::vector<llvm::User *> users(pointer.user_begin(), pointer.user_end());
    for (llvm::User *const user : users) {
      auto *const instruction = llvm::dyn_cast<llvm::Instruction>(user);
      if (!instruction)
        continue;
      layout = &instruction->getModule()->getDataLayout();
      if (auto *const load = llvm::dyn_cast<llvm::LoadInst>(instruction))
        replace(*load, offset);
      else if (llvm::isa<llvm::AddrSpaceCastInst, llvm::PtrToIntInst, llvm::IntToPtrInst>(instruction))
        replace_reads(*instruction, offset);
      else if (const std::optional<int64_t> more = added(*instruction, pointer, *layout))
        replace_reads(*instruction, offset + *more);
    }
  }

private:
  /// Returns the constant that the instruction adds to the pointer, if it does.
  static std::optional<int64_t> added(llvm::Instruction &instruction, const llvm::Value &pointer,
                                      const llvm::DataLayout &layout) {
    if (auto *const place = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction)) {
      llvm::APInt offset(layout.getIndexTypeSizeInBits(place->getType()), 0);
      if (place->getPointerOperand() == &pointer && place->accumulateConstantOffset(layout, offset))
        return offset.getSExtValue();
      return std::nullopt;
    }
    const auto *const number =
        instruction.getNumOperands() == 2 ? llvm::dyn_cast<llvm::ConstantInt>(instruction.getOperand(1)) : nullptr;
    if (instruction.getOpcode() != llvm::Instruction::Add || !number || instruction.getOperand(0) != &pointer)
      return std::nullopt;
    return number->getSExtValue();
  }

  void replace(llvm::LoadInst &load, int64_t offset) const {
    auto *const type = llvm::dyn_cast<llvm::IntegerType>(load.getType());
    if (!type || type->getBitWidth() % kBitsOfByte != 0 || type->getBitWidth() > 64 || load.isVolatile())
      return;
    uint64_t value = 0;
    for (unsigned i = 0; i < type->getBitWidth() / kBitsOfByte; ++i) {
      const auto byte = bytes_.find(offset + i);
      if (byte == bytes_.end())
        return;
      value |= uint64_t{byte->second} << (i * kBitsOfByte);
    }
    load.replaceAllUsesWith(llvm::ConstantInt::get(type, value));
  }

  std::map<int64_t, uint8_t> bytes_;
};

/// The shape of a launch in the terms of a target.
class Shape {
public:
  Shape(const llvm::Module &module, uint32_t teams, uint32_t threads) : teams_(teams), threads_(threads) {
    dispatch_.set(4, 2, threads); // hsa_kernel_dispatch_packet_t
    dispatch_.set(6, 2, 1);
    dispatch_.set(8, 2, 1);
    dispatch_.set(12, 4, uint64_t{teams} * threads);
    dispatch_.set(16, 4, 1);
    dispatch_.set(20, 4, 1);
    const auto *const version =
        llvm::mdconst::dyn_extract_or_null<llvm::ConstantInt>(module.getModuleFlag("amdhsa_code_object_version"));
    if (!version || version->getZExtValue() < kFirstWithShape)
      return;
    implicit_.set(0, 4, teams); // teams, threads, and threads of a last smaller team in x, y, z
    implicit_.set(4, 4, 1);
    implicit_.set(8, 4, 1);
    implicit_.set(12, 2, threads);
    implicit_.set(14, 2, 1);
    implicit_.set(16, 2, 1);
    implicit_.set(18, 6, 0);
  }

  /// Replaces what the function asks the device about it.
  void put_in(llvm::Function &function) {
    std::vector<llvm::IntrinsicInst *> calls;
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *const call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
        calls.push_back(call);
    for (llvm::IntrinsicInst *const call : calls)
      replace(*call);
  }

private:
  void replace(llvm::IntrinsicInst &call) {
    switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_x: return set(call, threads_);
    case llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_x: return set(call, teams_);
    case llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_y:
    case llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_z:
    case llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_y:
    case llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_z: return set(call, 1);
    case llvm::Intrinsic::amdgcn_implicitarg_ptr: return implicit_.replace_reads(call);
    case llvm::Intrinsic::amdgcn_dispatch_ptr: return dispatch_.replace_reads(call);
    default: return;
    }
  }

  static void set(llvm::IntrinsicInst &call, uint32_t value) {
    call.replaceAllUsesWith(llvm::ConstantInt::get(call.getType(), value));
  }

  uint32_t teams_;
  uint32_t threads_;
  KnownRecord dispatch_;
  KnownRecord implicit_;
};

/// Lets the code generator rely on the number of threads.
void require_threads(llvm::Module &module, llvm::Function &kernel, uint32_t threads) {
  llvm::LLVMContext &context = module.getContext();
  const llvm::Triple triple(module.getTargetTriple());
  const std::string number = std::to_string(threads);
  if (triple.isNVPTX()) {
#if LLVM_VERSION_MAJOR >= 21
    kernel.addFnAttr("nvvm.reqntid", number);
    kernel.removeFnAttr("nvvm.maxntid"); // ptxas refuses both
#else
    annotate(module, kernel, "reqntidx", threads);
#endif
  } else if (triple.isAMDGPU()) {
    auto *const type = llvm::Type::getInt32Ty(context);
    llvm::Metadata *sizes[3];
    for (int i = 0; i < 3; ++i)
      sizes[i] = llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(type, i == 0 ? threads : 1));
    kernel.setMetadata("reqd_work_group_size", llvm::MDNode::get(context, sizes));
    kernel.addFnAttr("amdgpu-flat-work-group-size", number + "," + number);
    kernel.addFnAttr("uniform-work-group-size", "true");
  }
}

/// The optimiser, for single functions.
class Optimiser {
public:
  Optimiser(llvm::TargetMachine &machine, unsigned level) : builder_(&machine), level_(level) {
    builder_.registerModuleAnalyses(modules_);
    builder_.registerCGSCCAnalyses(components_);
    builder_.registerFunctionAnalyses(functions_);
    builder_.registerLoopAnalyses(loops_);
    builder_.crossRegisterProxies(loops_, functions_, components_, modules_);
  }

  /// Brings constants to the calls.
  void propagate(llvm::Function &function) {
    llvm::FunctionPassManager passes;
    passes.addPass(llvm::SCCPPass());
    passes.addPass(llvm::InstCombinePass());
    passes.addPass(llvm::SimplifyCFGPass());
    run(passes, function);
  }

  void optimise(llvm::Function &function) {
    if (level_ == 0)
      return;
    const llvm::OptimizationLevel level = level_ == 1   ? llvm::OptimizationLevel::O1
                                          : level_ == 2 ? llvm::OptimizationLevel::O2
                                                        : llvm::OptimizationLevel::O3;
    llvm::FunctionPassManager passes =
        builder_.buildFunctionSimplificationPipeline(level, llvm::ThinOrFullLTOPhase::None);
    passes.addPass(llvm::LoopVectorizePass());
    passes.addPass(llvm::SLPVectorizerPass());
    passes.addPass(llvm::LoopUnrollPass(llvm::LoopUnrollOptions(static_cast<int>(level_))));
    passes.addPass(llvm::InstCombinePass());
    passes.addPass(llvm::SimplifyCFGPass());
    run(passes, function);
  }

private:
  void run(llvm::FunctionPassManager &passes, llvm::Function &function) {
    passes.run(function, functions_);
    functions_.clear(); // functions that call it know it, too
    modules_.clear();
  }

  llvm::LoopAnalysisManager loops_;
  llvm::FunctionAnalysisManager functions_;
  llvm::CGSCCAnalysisManager components_;
  llvm::ModuleAnalysisManager modules_;
  llvm::PassBuilder builder_;
  unsigned level_;
};

/// One variant while it is made.
class Variant {
public:
  Variant(llvm::Module &module, Optimiser &optimiser, const jit::LaunchCase &launch)
      : module_(module), optimiser_(optimiser), launch_(launch), shape_(module, launch.teams, launch.threads) {}

  /// Returns whether the kernel is such that the variant can be made.
  bool find_constants() {
    kernel_ = module_.getFunction(launch_.kernel);
    if (!kernel_ || kernel_->isDeclaration() || has_labels_with_addresses(*kernel_))
      return false;
    for (const jit::ParameterValue &value : launch_.values) {
      llvm::Type *const type =
          value.parameter < kernel_->arg_size() ? kernel_->getArg(value.parameter)->getType() : nullptr;
      if (type && type->isPointerTy()) // is_device_ptr
        continue;
      llvm::Constant *const constant = type ? constant_for(value, type) : nullptr;
      if (!constant)
        return false;
      constants_.emplace_back(value.parameter, constant);
    }
    return true;
  }

  void make(const std::string &name) {
    llvm::Function *const variant = copy_of(*kernel_, name);
    variant->setLinkage(kernel_->getLinkage());
    variant->setVisibility(kernel_->getVisibility());
#if LLVM_VERSION_MAJOR < 21
    copy_annotations(module_, *kernel_, *variant, launch_.has_shape());
#endif
    for (const char *const suffix : kCompanions)
      copy_companion(module_, launch_.kernel + suffix, name + suffix);
    if (launch_.has_shape())
      require_threads(module_, *variant, launch_.threads);
    fill(*variant, constants_);
    for (size_t next = 0; next < copies_.size(); ++next) { // which grows meanwhile
      optimiser_.propagate(*copies_[next]);
      follow_calls(*copies_[next]);
    }
    for (llvm::Function *const copy : copies_)
      optimiser_.optimise(*copy);
  }

private:
  void fill(llvm::Function &copy, const Constants &constants) {
    put_in(copy, constants);
    if (launch_.has_shape())
      shape_.put_in(copy);
    copies_.push_back(&copy);
  }

  void follow_calls(llvm::Function &function) {
    std::vector<llvm::CallBase *> calls;
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *const call = llvm::dyn_cast<llvm::CallBase>(&instruction))
        calls.push_back(call);
    for (llvm::CallBase *const call : calls) {
      follow(llvm::AbstractCallSite(&call->getCalledOperandUse()));
      llvm::SmallVector<const llvm::Use *, 2> callbacks; // functions that the called one calls: of parallel regions
      llvm::AbstractCallSite::getCallbackUses(*call, callbacks);
      for (const llvm::Use *const callback : callbacks)
        follow(llvm::AbstractCallSite(callback));
    }
  }

  /// Lets the call have a copy of the called function, if it passes constants.
  void follow(const llvm::AbstractCallSite &site) {
    llvm::Function *const called = site ? site.getCalledFunction() : nullptr;
    if (!called || called->isDeclaration() || !called->hasLocalLinkage() || called->isVarArg() ||
        has_labels_with_addresses(*called))
      return;
    Constants constants;
    for (unsigned i = 0; i < called->arg_size(); ++i) {
      auto *const constant = llvm::dyn_cast_or_null<llvm::ConstantData>(site.getCallArgOperand(i));
      if (constant && constant->getType() == called->getArg(i)->getType() &&
          llvm::isa<llvm::ConstantInt, llvm::ConstantFP>(constant) && !called->getArg(i)->use_empty())
        constants.emplace_back(i, constant);
    }
    if (constants.empty())
      return;
    if (llvm::Function *const copy = copy_with(*called, constants)) {
      const auto number = site.isCallbackCall() ? site.getCallArgOperandNoForCallee() : -1;
      if (number < 0)
        site.getInstruction()->setCalledFunction(copy);
      else
        site.getInstruction()->setArgOperand(static_cast<unsigned>(number), copy);
    }
  }

  llvm::Function *copy_with(llvm::Function &function, const Constants &constants) {
    auto &known = known_[{&function, constants}];
    if (!known && copies_.size() <= kMostCopies) {
      known = copy_of(function, function.getName() + ".variant");
      fill(*known, constants);
    }
    return known;
  }

  llvm::Module &module_;
  Optimiser &optimiser_;
  const jit::LaunchCase &launch_;
  Shape shape_;
  llvm::Function *kernel_ = nullptr;
  Constants constants_;
  std::vector<llvm::Function *> copies_;
  std::map<std::pair<llvm::Function *, Constants>, llvm::Function *> known_;
};

} // namespace

void add_variants(llvm::Module &module, llvm::TargetMachine &machine, std::span<const jit::LaunchCase> cases,
                  unsigned level) {
  if (cases.empty())
    return;
  module.setDataLayout(machine.createDataLayout());
  Optimiser optimiser(machine, level);
  for (size_t i = 0; i < cases.size(); ++i)
    if (Variant variant(module, optimiser, cases[i]); variant.find_constants())
      variant.make(jit::variant_name(cases[i], i));
  std::string problem;
  llvm::raw_string_ostream text(problem);
  if (llvm::verifyModule(module, &text))
    fail("a variant of a kernel is wrong: " + problem);
}

} // namespace omptarget::jit_compiler
