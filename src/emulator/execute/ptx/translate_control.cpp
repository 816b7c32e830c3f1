// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of a part, branches, and where a part is left.

#include <cstddef>
#include <limits>

#include "translator.h"

namespace emulator::executor::ptx {

namespace {
constexpr uint32_t kMostBlocks = 24, kMostInstructions = 240;
constexpr uint32_t kMostOfBlock = 120;  // LLVM's time grows faster than a block
constexpr uint32_t kMostOfSkipped = 12; // of a block that is translated for some lanes, too

// Loops wait by such an instruction. run_fragment counts it while lanes wait to meet those that run.
bool is_look(const Instruction &instruction) {
  return instruction.is_polling && !is_opcode(instruction, "atom") && !is_opcode(instruction, "red");
}
} // namespace

llvm::BasicBlock *Translator::block_at(uint32_t place) {
  llvm::BasicBlock *&block = blocks_[place];
  if (!block) {
    block = new_block("block");
    work_.push_back(place);
  }
  return block;
}

void Translator::leave(uint32_t place, CompiledState::Outcome outcome) {
  set_field(offsetof(CompiledState, place), b_.getInt32(place));
  set_field(offsetof(CompiledState, outcome), b_.getInt32(static_cast<uint32_t>(outcome)));
  b_.CreateRetVoid();
}

bool Translator::has_block(uint32_t place) const {
  return blocks_.contains(place) || (blocks_.size() < kMostBlocks && instructions_ < kMostInstructions &&
                                     place < function_.code.size() && is_wanted_(place));
}

// Goes on at a block of this part, or leaves if others wait there, or if the part does not have the block.
void Translator::go_to(uint32_t place) {
  if (!has_block(place))
    return leave(place, CompiledState::Outcome::kGoesOn);
  llvm::BasicBlock *const stays = new_block("stays"), *const leaves = new_block("leaves");
  Value *const is_join = b_.CreateICmpEQ(field(offsetof(CompiledState, join), b_.getInt32Ty()), b_.getInt32(place));
  b_.CreateCondBr(is_join, leaves, stays);
  b_.SetInsertPoint(leaves);
  leave(place, CompiledState::Outcome::kGoesOn);
  b_.SetInsertPoint(stays);
  b_.CreateBr(block_at(place));
}

void Translator::begin_block() {
  registers_now_.clear();
  changed_.clear();
  reaches_.clear();
  mask_ = lanes_of(mask_bits_); // LLVM makes slow work of bits of lanes that live longer than a block
}

// Returns false if the instruction is only interpreted.
bool Translator::translate_next(uint32_t place) {
  next_registers_.clear();
  if (!translate_instruction(function_.code[place], place)) {
    next_registers_.clear();
    return false;
  }
  commit();
  return true;
}

// Translates a block from this place on, and counts its instructions.
void Translator::translate_block(uint32_t begin) {
  const uint32_t last = liveness_.block_of(begin).last;
  // Counting comes first, when the length is known.
  llvm::BasicBlock *const head = blocks_[begin];
  llvm::BasicBlock *const body = new_block("body");
  b_.SetInsertPoint(body);
  begin_block();
  uint32_t place = begin;
  bool is_ended = false, is_split = false;
  for (; place <= last && !is_ended; ++place) {
    const Instruction &instruction = function_.code[place];
    is_split = place - begin == kMostOfBlock || (place != begin && is_look(instruction));
    if (is_split)
      break;
    if (is_opcode(instruction, "bra")) {
      branch(instruction, place);
      is_ended = true;
    } else if (!translate_next(place)) {
      break;
    }
  }
  const uint32_t count = place - begin;
  instructions_ += count;
  result_.lengths[begin] = count;
  if (!is_ended) {
    if (place < function_.code.size())
      store_registers(liveness_.before(place));
    if (place <= last && !is_split) { // an instruction that is interpreted
      leave(place, CompiledState::Outcome::kGoesOn);
      result_.starts.insert(place + 1);
      if (has_block(place + 1))
        block_at(place + 1);
    } else {
      if (is_split)
        result_.starts.insert(place);
      go_to(place);
    }
  }
  b_.SetInsertPoint(head);
  llvm::BasicBlock *const over = new_block("over"), *const goes = new_block("goes");
  Value *is_over = count == 0 ? static_cast<Value *>(b_.getTrue()) : is_turn_over(begin, count);
  if (is_look(function_.code[begin]))
    is_over = b_.CreateOr(
        is_over, b_.CreateICmpNE(field(offsetof(CompiledState, counts_looks), b_.getInt32Ty()), b_.getInt32(0)));
  b_.CreateCondBr(is_over, over, goes);
  b_.SetInsertPoint(over);
  leave(begin, CompiledState::Outcome::kGoesOn);
  b_.SetInsertPoint(goes);
  count_instructions(count);
  b_.CreateBr(body);
}

// Returns whether the turn has no room for so many instructions from this place on. run_fragment has the same rule: a
// long turn ends where a block begins.
llvm::Value *Translator::is_turn_over(uint32_t place, uint32_t count) {
  const int64_t least = function_.code[place].begins_block ? 1 : std::numeric_limits<int64_t>::min();
  Value *const is_long = b_.CreateICmpNE(field(offsetof(CompiledState, is_long), b_.getInt32Ty()), b_.getInt32(0));
  return b_.CreateICmpSLT(number_field(offsetof(CompiledState, left)),
                          b_.CreateSelect(is_long, b_.getInt64(static_cast<uint64_t>(least)), b_.getInt64(count)));
}

void Translator::count_instructions(uint32_t count) {
  set_field(offsetof(CompiledState, left),
            b_.CreateSub(number_field(offsetof(CompiledState, left)), b_.getInt64(count)));
}

void Translator::branch(const Instruction &instruction, uint32_t place) {
  // Registers that either way reads.
  std::vector<bool> live = liveness_.before(instruction.target);
  Value *active = mask_bits_;
  if (is_guarded(instruction)) {
    const std::vector<bool> other = liveness_.before(place + 1);
    for (size_t i = 0; i < live.size(); ++i)
      live[i] = live[i] || other[i];
    active = b_.CreateAnd(bits_of_lanes(guard(instruction)), mask_bits_);
  }
  store_registers(live);
  if (!is_guarded(instruction))
    return go_to(instruction.target);
  llvm::BasicBlock *const all = new_block("all"), *const some = new_block("some"), *const none = new_block("none"),
                          *const parts = new_block("parts");
  b_.CreateCondBr(b_.CreateICmpEQ(active, mask_bits_), all, some);
  b_.SetInsertPoint(some);
  b_.CreateCondBr(b_.CreateICmpEQ(active, b_.getInt32(0)), none, parts);
  b_.SetInsertPoint(parts);
  if (!skip(instruction, place, active)) {
    set_field(offsetof(CompiledState, active), active);
    leave(place, CompiledState::Outcome::kParts);
  }
  b_.SetInsertPoint(none);
  go_to(place + 1);
  b_.SetInsertPoint(all);
  go_to(instruction.target);
}

// Translates a branch over a short block to the place where its lanes meet again. The lanes that do not take it run the
// block. The others have arrived, as in Warp::branch. Returns false if there is no such block, or if one of its
// instructions is only interpreted.
bool Translator::skip(const Instruction &instruction, uint32_t place, Value *active) {
  const uint32_t begin = place + 1, end = instruction.target;
  if (end != instruction.meet || end <= begin || end - begin > kMostOfSkipped ||
      liveness_.block_of(begin).last + 1 != end)
    return false;
  llvm::BasicBlock *const parts = b_.GetInsertBlock(), *const before = &llvm_function_->back();
  const uint32_t accesses = accesses_;
  Value *const mask_bits = mask_bits_;
  const bool is_full = is_full_;
  llvm::BasicBlock *const over = new_block("over"), *const goes = new_block("goes");
  b_.SetInsertPoint(goes);
  mask_bits_ = b_.CreateXor(active, mask_bits);
  is_full_ = false;
  begin_block();
  uint32_t at = begin;
  const auto translate_one = [&](const Instruction &one) {
    return is_opcode(one, "bra") ? !is_guarded(one) && one.target == end : translate_next(at);
  };
  while (at < end && translate_one(function_.code[at]))
    ++at;
  if (at == end)
    store_registers(liveness_.before(end));
  mask_bits_ = mask_bits;
  is_full_ = is_full;
  if (at < end) {
    for (auto block = std::next(before->getIterator()); block != llvm_function_->end(); ++block)
      block->dropAllReferences();
    while (&llvm_function_->back() != before)
      llvm_function_->back().eraseFromParent();
    accesses_ = accesses;
    b_.SetInsertPoint(parts);
    return false;
  }
  set_field(offsetof(CompiledState, has_met), b_.getInt32(1));
  go_to(end);
  b_.SetInsertPoint(parts);
  b_.CreateCondBr(is_turn_over(begin, end - begin), over, goes);
  b_.SetInsertPoint(over);
  set_field(offsetof(CompiledState, active), active);
  leave(place, CompiledState::Outcome::kParts);
  b_.SetInsertPoint(goes, goes->begin());
  count_instructions(end - begin);
  return true;
}

} // namespace emulator::executor::ptx
