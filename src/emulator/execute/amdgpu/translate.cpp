// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of a part, branches, where a part is left, and calls of the interpreter.

#include <cstddef>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "translator.h"

#include <llvm/IR/Module.h>

namespace emulator::executor::amdgpu {

namespace {

constexpr uint32_t kMostBlocks = 24, kMostInstructions = 240;
constexpr uint32_t kMostOfBlock = 80; // LLVM's time grows faster than a block

uint64_t target_of(const Instruction &instruction, uint64_t address) {
  return address + instruction.size +
         static_cast<uint64_t>(int64_t{static_cast<int16_t>(instruction.operands[0].bits)} * 4);
}

bool is_branch(const Instruction &instruction) {
  return instruction.name == "s_branch" || instruction.name.starts_with("s_cbranch_");
}

// Most of it concerns what is modelled where memory is weak or races are looked for: those programs are interpreted.
bool does_nothing(const Instruction &instruction) {
  static const auto &names = *new const std::unordered_set<std::string_view>{"s_nop",
                                                                             "s_waitcnt",
                                                                             "s_waitcnt_depctr",
                                                                             "s_waitcnt_vmcnt",
                                                                             "s_waitcnt_expcnt",
                                                                             "s_waitcnt_lgkmcnt",
                                                                             "s_waitcnt_vscnt",
                                                                             "s_delay_alu",
                                                                             "s_clause",
                                                                             "s_setprio",
                                                                             "s_inst_prefetch",
                                                                             "s_icache_inv",
                                                                             "s_set_inst_prefetch_distance",
                                                                             "s_dcache_wb",
                                                                             "s_dcache_inv",
                                                                             "s_gl1_inv",
                                                                             "s_wakeup",
                                                                             "s_sleep",
                                                                             "buffer_wbl2",
                                                                             "buffer_invl2",
                                                                             "buffer_wbinvl1",
                                                                             "buffer_wbinvl1_vol",
                                                                             "buffer_inv",
                                                                             "buffer_gl0_inv",
                                                                             "buffer_gl1_inv",
                                                                             "s_ttracedata",
                                                                             "v_nop"};
  return names.contains(instruction.name);
}

bool orders_memory(const Instruction &instruction) {
  const std::string_view name = instruction.name;
  return name == "s_waitcnt" || name == "s_waitcnt_vscnt" || name == "s_dcache_inv" || name == "buffer_inv" ||
         name == "buffer_gl0_inv" || name == "buffer_gl1_inv" || name.starts_with("buffer_wbinvl1");
}

bool writes_exec(const Instruction &instruction) {
  if (instruction.name.find("saveexec") != std::string::npos || instruction.name.find("wrexec") != std::string::npos ||
      instruction.name.starts_with("v_cmpx"))
    return true;
  for (unsigned n = 0; n < std::min<unsigned>(instruction.count, 2); ++n) {
    const Operand &one = instruction.operands[n];
    if (one.kind == OperandKind::kScalar && one.index <= kExec + 1 && one.index + one.registers > kExec)
      return true;
  }
  return false;
}

} // namespace

Translator::Translator(const CodeReader &code, uint32_t &accesses, llvm::Module &module)
    : AccessBuilder(code.processor.lanes, module, {llvm::PointerType::getUnqual(module.getContext())}), code_(code),
      accesses_(accesses) {
  scalars_ = pointer_field(offsetof(CompiledState, scalars));
  vectors_ = pointer_field(offsetof(CompiledState, vectors));
}

Translation Translator::run(uint64_t first, bool is_full) {
  block_at({first, is_full});
  while (!work_.empty()) {
    const Place place = work_.back();
    work_.pop_back();
    translate_block(place);
  }
  llvm::BasicBlock *const unknown = new_block("unknown");
  b_.SetInsertPoint(entry_);
  llvm::SwitchInst *const entries =
      b_.CreateSwitch(field(offsetof(CompiledState, entry), b_.getInt32Ty()), unknown, blocks_.size());
  for (const auto &[place, block] : blocks_)
    entries->addCase(b_.getInt32(block.second), block.first);
  b_.SetInsertPoint(unknown);
  b_.CreateUnreachable();
  return std::move(result_);
}

// Returns whether a part is left before such an instruction.
bool Translator::is_left(const Instruction &instruction) {
  return !instruction.handler || (instruction.ends_block && !is_branch(instruction)) || instruction.name == "s_trap" ||
         instruction.name.starts_with("s_sendmsg") || instruction.name.starts_with("s_set_gpr_idx");
}

bool Translator::has_block(const Place &place) const {
  if (blocks_.contains(place))
    return true;
  return blocks_.size() < kMostBlocks && instructions_ < kMostInstructions &&
         code_.is_wanted(place.first, place.second) && code_.at(place.first);
}

llvm::BasicBlock *Translator::block_at(const Place &place) {
  auto &block = blocks_[place];
  if (!block.first) {
    block = {new_block("block"), static_cast<uint32_t>(result_.blocks.size())};
    result_.blocks.push_back({.address = place.first, .is_full = place.second});
    work_.push_back(place);
  }
  return block.first;
}

void Translator::leave(uint64_t address) {
  set_field(offsetof(CompiledState, place), b_.getInt64(address));
  if (last_ != 0)
    set_field(offsetof(CompiledState, last), b_.getInt64(last_));
  b_.CreateRetVoid();
}

// Goes on at a block of this part, or leaves if the part does not have the block.
void Translator::go_to_form(const Place &place) {
  if (!has_block(place))
    return leave(place.first);
  b_.CreateBr(block_at(place));
}

// Registers are stored.
void Translator::go_to(uint64_t address, bool is_behind_branch) {
  if (is_behind_branch) { // where a long turn may end
    llvm::BasicBlock *const over = new_block("over"), *const goes = new_block("goes");
    Value *const is_long = b_.CreateICmpNE(field(offsetof(CompiledState, is_long), b_.getInt32Ty()), b_.getInt32(0));
    Value *const least = b_.CreateSelect(is_long, b_.getInt64(1),
                                         b_.getInt64(static_cast<uint64_t>(std::numeric_limits<int64_t>::min())));
    b_.CreateCondBr(b_.CreateICmpSLT(number_field(offsetof(CompiledState, left)), least), over, goes);
    b_.SetInsertPoint(over);
    set_field(offsetof(CompiledState, is_over), b_.getInt32(1));
    leave(address);
    b_.SetInsertPoint(goes);
  }
  if (!changes_exec_)
    return go_to_form({address, is_full_});
  llvm::BasicBlock *const full = new_block("full"), *const part = new_block("part");
  b_.CreateCondBr(b_.CreateICmpEQ(read_mask(kExec), llvm::Constant::getAllOnesValue(b_.getIntNTy(lanes_))), full, part);
  b_.SetInsertPoint(full);
  go_to_form({address, true});
  b_.SetInsertPoint(part);
  go_to_form({address, false});
}

// Translates a block from this place on, and counts its instructions.
void Translator::translate_block(const Place &begin) {
  // Counting comes first, when the length is known.
  llvm::BasicBlock *const head = blocks_[begin].first;
  const uint32_t block_number = blocks_[begin].second;
  llvm::BasicBlock *const body = new_block("body");
  is_full_ = begin.second;
  b_.SetInsertPoint(body);
  begin_block();
  uint64_t address = begin.first;
  uint32_t count = 0;
  bool has_ended = false;
  changes_exec_ = false;
  last_ = 0;
  while (!has_ended) {
    const Instruction *const instruction = code_.at(address);
    if (!instruction || is_left(*instruction)) {
      store_registers();
      leave(address);
      if (instruction && instruction->handler)
        result_.starts.insert(address + instruction->size);
      break;
    }
    if (count == kMostOfBlock || changes_exec_ || (count != 0 && code_.is_start(address))) {
      if (count == kMostOfBlock)
        result_.starts.insert(address);
      store_registers();
      go_to(address, false);
      break;
    }
    last_ = address;
    const auto raise = [](uint16_t &most, uint16_t one) { most = std::max(most, one); };
    raise(result_.touched.vectors, instruction->touched.vectors);
    raise(result_.touched.accumulators, instruction->touched.accumulators);
    raise(result_.touched.scalars, instruction->touched.scalars);
    ++count;
    if (is_branch(*instruction)) {
      has_ended = branch(*instruction, address);
    } else {
      if (!translate_instruction(*instruction, address))
        interpret(*instruction, address);
      changes_exec_ = writes_exec(*instruction);
      address += instruction->size;
    }
  }
  instructions_ += count;
  result_.blocks[block_number].length = count;
  b_.SetInsertPoint(head);
  llvm::BasicBlock *const over = new_block("over"), *const goes = new_block("goes");
  Value *const left = number_field(offsetof(CompiledState, left));
  Value *const is_short = b_.CreateICmpEQ(field(offsetof(CompiledState, is_long), b_.getInt32Ty()), b_.getInt32(0));
  b_.CreateCondBr(b_.CreateAnd(is_short, b_.CreateICmpSLT(left, b_.getInt64(count))), over, goes);
  b_.SetInsertPoint(over);
  set_field(offsetof(CompiledState, place), b_.getInt64(begin.first));
  b_.CreateRetVoid();
  b_.SetInsertPoint(goes);
  set_field(offsetof(CompiledState, left), b_.CreateSub(left, b_.getInt64(count)));
  b_.CreateBr(body);
}

bool Translator::branch(const Instruction &instruction, uint64_t address) {
  const uint64_t target = target_of(instruction, address), next = address + instruction.size;
  if (instruction.name == "s_branch") {
    store_registers();
    go_to(target, true);
    return true;
  }
  const std::string_view condition = std::string_view(instruction.name).substr(10);
  Value *holds = nullptr;
  if (condition.starts_with("scc"))
    holds = scc();
  else
    holds = b_.CreateIsNotNull(condition.starts_with("vcc") ? read_mask(kVcc) : mask_bits_);
  if (condition == "scc0" || (condition.ends_with("z") && !condition.ends_with("nz")))
    holds = b_.CreateNot(holds);
  store_registers();
  llvm::BasicBlock *const taken = new_block("taken"), *const not_taken = new_block("not_taken");
  b_.CreateCondBr(holds, taken, not_taken);
  b_.SetInsertPoint(not_taken);
  go_to(next, true);
  b_.SetInsertPoint(taken);
  go_to(target, true);
  return true;
}

// Calls the interpreter for an instruction whose operands are in the wave. Leaves the part if it fails.
void Translator::call_interpreter(const Instruction &instruction, uint64_t address, uint32_t access) {
  llvm::Type *const pointer = b_.getPtrTy();
  const auto constant = [&](const void *to) {
    return b_.CreateIntToPtr(b_.getInt64(reinterpret_cast<uint64_t>(to)), pointer);
  };
  const auto call = &amdgpu::interpret_one;
  Value *const goes_on = b_.CreateCall(
      llvm::FunctionType::get(b_.getInt8Ty(), {pointer, pointer, b_.getInt64Ty(), b_.getInt32Ty()}, false),
      b_.CreateIntToPtr(b_.getInt64(reinterpret_cast<uint64_t>(call)), pointer),
      {state_, constant(&instruction), b_.getInt64(address), b_.getInt32(access)});
  llvm::BasicBlock *const went = new_block("went"), *const failed = new_block("failed");
  branch_likely(b_.CreateICmpNE(b_.CreateAnd(goes_on, b_.getInt8(1)), b_.getInt8(0)), went, failed);
  b_.SetInsertPoint(failed);
  b_.CreateRetVoid();
  b_.SetInsertPoint(went);
}

// All of the wave is in its registers then, and is read from there.
void Translator::interpret(const Instruction &instruction, uint64_t address) {
  store_registers();
  call_interpreter(instruction, address, kNoAccess);
  is_full_ = is_full_ && !writes_exec(instruction);
  begin_block();
}

// Two instructions that are issued as one: both read before either writes.
bool Translator::translate_both(const Instruction &i, uint64_t address) {
  const Operand &to = i.operands[0];
  if (to.kind != OperandKind::kVector || to.registers != 1)
    return false;
  const Register before = vectors_now_[to.index];
  if (!translate_one(i, address))
    return false;
  Value *const result = vectors_now_[to.index].value;
  vectors_now_[to.index] = before;
  if (!translate_one(*i.second, address))
    return false;
  write_vector(to.index, result);
  return true;
}

bool Translator::translate_instruction(const Instruction &i, uint64_t address) {
  if (orders_memory(i)) // for blocks that other threads of the host run
    b_.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
  return does_nothing(i) || (i.second ? translate_both(i, address) : translate_one(i, address));
}

bool Translator::translate_one(const Instruction &i, uint64_t address) {
  if (i.has_sdwa || i.dpp.kind != DppKind::kNone)
    return false;
  const std::string_view name = i.name;
  if (name.starts_with("s_load_"))
    return load_scalars(i, address);
  if (name == "s_getpc_b64" && can_set_scalar(i.operands[0], true)) {
    set_scalar(i.operands[0], b_.getInt64(address + i.size));
    return true;
  }
  if (name.starts_with("s_"))
    return scalars(i) || scalar_constant(i) || scalar_compare(i) || scalar_select(i) || change_exec(i);
  if (name.starts_with("v_cmp"))
    return compare(i) || compare_class(i);
  if (name.starts_with("v_"))
    return lanes(i) || carry(i) || multiply_add(i) || select(i) || packed(i) || packed_half(i) || mix(i) ||
           read_lane(i) || count_below(i) || divide_scale(i) || divide_fmas(i, address) || divide_fixup(i);
  return access(i, address) || permute(i);
}

Translation translate(const CodeReader &code, uint64_t address, bool is_full, uint32_t &accesses,
                      llvm::Module &module) {
  return Translator(code, accesses, module).run(address, is_full);
}

} // namespace emulator::executor::amdgpu
