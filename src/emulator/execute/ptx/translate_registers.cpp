// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers: the operands and results of instructions, and the frame that holds them between blocks.

#include <cstddef>

#include "translator.h"

namespace emulator::executor::ptx {

llvm::Value *Translator::row_address(uint32_t index) {
  return b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), registers_, uint64_t{index} * kLanes * 8);
}

llvm::Value *Translator::load_row(Value *address, unsigned bits) {
  Value *const row = b_.CreateAlignedLoad(row_type(), address, llvm::Align(8));
  return bits == 1 ? b_.CreateICmpNE(row, number(64, 0)) : resize(row, bits);
}

llvm::Value *Translator::read_register(const Operand &operand) {
  Value *&value = registers_now_[operand.index];
  if (!value)
    value = old_register(operand);
  return value;
}

// Returns the operand's value in so many bits; null: that is only interpreted.
llvm::Value *Translator::source(const Operand &operand, unsigned bits) {
  Value *value = nullptr;
  switch (operand.kind) {
  case Kind::kRegister: value = read_register(operand); break;
  case Kind::kConstant: {
    const uint64_t constant = function_.module->constant(operand.index)[0];
    value = bits == 1 ? number(1, constant != 0) : number(bits, constant);
    break;
  }
  case Kind::kShared:
    value = splat(b_.CreateLoad(b_.getInt64Ty(),
                                b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(),
                                                              pointer_field(offsetof(CompiledState, shared_addresses)),
                                                              uint64_t{operand.index} * sizeof(Row))));
    break;
  case Kind::kSpecial:
    if (operand.index >= static_cast<uint32_t>(Special::kClock) &&
        operand.index <= static_cast<uint32_t>(Special::kTimeHigh))
      return nullptr;
    value = load_row(b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), pointer_field(offsetof(CompiledState, specials)),
                                                   uint64_t{operand.index} * sizeof(Row)),
                     64);
    break;
  case Kind::kStack:
    value = splat(b_.CreateAdd(number_field(offsetof(CompiledState, stack_base)), b_.getInt64(operand.index)));
    break;
  default: return nullptr;
  }
  if (bits == 1 && bits_of(value) != 1)
    value = b_.CreateICmpNE(value, number(bits_of(value), 0));
  else if (bits_of(value) == 1 && bits != 1)
    return nullptr;
  if (operand.is_negated) {
    if (bits != 1)
      return nullptr;
    value = b_.CreateNot(value);
  }
  return resize(value, bits);
}

llvm::Value *Translator::float_source(const Operand &operand, unsigned bits) {
  Value *const value = source(operand, bits);
  return value ? b_.CreateBitCast(value, floats(bits)) : nullptr;
}

// The lanes of now that carry the instruction out.
llvm::Value *Translator::guard(const Instruction &instruction) {
  Value *const lanes = read_register(instruction.guard);
  return instruction.guard.is_negated ? b_.CreateNot(lanes) : lanes;
}

bool Translator::set(const Instruction &instruction, const Operand &operand, Value *value) {
  if (!value || !can_set(operand, bits_of(value)))
    return false;
  if (operand.kind == Kind::kSink)
    return true;
  value = resize(value, operand.bits);
  if (is_guarded(instruction))
    value = b_.CreateSelect(guard(instruction), value, read_register(operand));
  next_registers_[operand.index] = {value, operand};
  return true;
}

bool Translator::set_float(const Instruction &instruction, const Operand &operand, Value *value) {
  return set(instruction, operand, b_.CreateBitCast(value, vector(bits_of(value))));
}

// Results count when the whole instruction is done: they may lie over its sources.
void Translator::commit() {
  for (const auto &[index, result] : next_registers_) {
    registers_now_[index] = result.first;
    changed_.insert_or_assign(index, result.second);
  }
  next_registers_.clear();
}

// Puts into the frame what is read from this place on.
void Translator::store_registers(const std::vector<bool> &live) {
  for (const auto &[index, operand] : changed_) {
    if (!live[index])
      continue;
    Value *value = registers_now_[index];
    value = resize(value, 64);
    if (!is_full_)
      value = b_.CreateSelect(mask_, value, b_.CreateAlignedLoad(row_type(), row_address(index), llvm::Align(8)));
    b_.CreateAlignedStore(value, row_address(index), llvm::Align(8));
  }
}

} // namespace emulator::executor::ptx
