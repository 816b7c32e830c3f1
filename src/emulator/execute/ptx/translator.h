// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translates a part of a function to LLVM IR. Each file translate_*.cpp has one group of instructions.
//
// A register is a vector of 32 values with its declared number of bits; a predicate is a vector of bits. A block loads
// a register from the frame where it first reads it. At its end it stores the registers that are read later. Lanes that
// do not take part compute as well, with whatever their registers hold. Memory is not touched for them, and their
// registers keep their values. Results have the bits that the interpreter's have.
//
// A function for an instruction returns false if the instruction is only interpreted.
#pragma once

#include <map>
#include <tuple>

#include "compiled.h"
#include "operations.h"
#include "translate.h"

#include <llvm/IR/IRBuilder.h>

namespace emulator::executor::ptx {

class Translator {
public:
  Translator(const Function &function, const Liveness &liveness, bool is_full,
             llvm::function_ref<bool(uint32_t)> is_wanted, uint32_t &accesses, llvm::Module &module);
  Translation run(uint32_t first);

private:
  using Value = llvm::Value;
  using Kind = Operand::Kind;

  // Types and values.
  llvm::FixedVectorType *vector(unsigned bits) { return llvm::FixedVectorType::get(b_.getIntNTy(bits), kLanes); }
  llvm::FixedVectorType *row_type() { return vector(64); }
  llvm::FixedVectorType *floats(unsigned bits) {
    return llvm::FixedVectorType::get(bits == 32 ? b_.getFloatTy() : b_.getDoubleTy(), kLanes);
  }
  static unsigned bits_of(Value *value) { return value->getType()->getScalarSizeInBits(); }
  Value *splat(Value *value) { return b_.CreateVectorSplat(kLanes, value); }
  Value *number(unsigned bits, uint64_t value) {
    return splat(b_.getIntN(bits, bits < 64 ? value & ((uint64_t{1} << bits) - 1) : value));
  }
  Value *real(unsigned bits, double value) { return llvm::ConstantFP::get(floats(bits), value); }
  Value *lanes_of(Value *bits) { return b_.CreateBitCast(bits, vector(1)); }
  Value *bits_of_lanes(Value *lanes) { return b_.CreateBitCast(lanes, b_.getInt32Ty()); }
  Value *resize(Value *value, unsigned bits, bool extends_sign = false) {
    return extends_sign ? b_.CreateSExtOrTrunc(value, vector(bits)) : b_.CreateZExtOrTrunc(value, vector(bits));
  }
  Value *counting(uint64_t step) { // 0, step, 2 * step, ...
    std::vector<llvm::Constant *> all;
    all.reserve(kLanes);
    for (uint64_t lane = 0; lane < kLanes; ++lane)
      all.push_back(b_.getInt64(lane * step));
    return llvm::ConstantVector::get(all);
  }
  Value *field_address(size_t offset) { return b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), state_, offset); }
  Value *field(size_t offset, llvm::Type *type) { return b_.CreateLoad(type, field_address(offset)); }
  Value *number_field(size_t offset) { return field(offset, b_.getInt64Ty()); }
  Value *pointer_field(size_t offset) { return field(offset, b_.getPtrTy()); }
  void set_field(size_t offset, Value *value) { b_.CreateStore(value, field_address(offset)); }

  Value *old_register(const Operand &operand) { return load_row(row_address(operand.index), operand.bits); }
  static bool is_guarded(const Instruction &instruction) { return instruction.guard.kind != Kind::kNone; }
  static bool can_set(const Operand &operand, unsigned bits) {
    return operand.kind == Kind::kSink ||
           (operand.kind == Kind::kRegister && (operand.bits == 1) == (bits == 1) && operand.bits >= bits);
  }
  struct IntegerType {
    unsigned bits = 0;
    bool is_signed = false;
  };
  // Returns no bits if it is no integer of 16, 32 or 64 bits.
  static IntegerType integer(std::optional<Type> type) {
    if (!type || is_float(*type) || *type == Type::kPred || size_of(*type) < 2)
      return {};
    return {8 * size_of(*type), is_signed(*type)};
  }
  static unsigned float_bits(std::optional<Type> type) { return type == Type::kF32 ? 32 : type == Type::kF64 ? 64 : 0; }
  // The type, without taking it.
  static std::optional<Type> peek_type(const Opcode &opcode) {
    Opcode copy = opcode;
    return copy.take_type();
  }

  // translate_registers.cpp
  Value *row_address(uint32_t index);
  Value *load_row(Value *address, unsigned bits);
  Value *read_register(const Operand &operand);
  // Returns the operand's value in so many bits; null: that is only interpreted.
  Value *source(const Operand &operand, unsigned bits);
  Value *float_source(const Operand &operand, unsigned bits);
  // The lanes of now that carry the instruction out.
  Value *guard(const Instruction &instruction);
  bool set(const Instruction &instruction, const Operand &operand, Value *value);
  bool set_float(const Instruction &instruction, const Operand &operand, Value *value);
  // Results count when the whole instruction is done: they may lie over its sources.
  void commit();
  // Puts into the frame what is read from this place on.
  void store_registers(const std::vector<bool> &live);

  // translate_control.cpp
  llvm::BasicBlock *new_block(const char *name);
  llvm::BasicBlock *block_at(uint32_t place);
  bool has_block(uint32_t place) const;
  void leave(uint32_t place, CompiledState::Outcome outcome);
  void go_to(uint32_t place);
  void begin_block();
  bool translate_next(uint32_t place);
  void translate_block(uint32_t begin);
  Value *is_turn_over(uint32_t place, uint32_t count);
  void count_instructions(uint32_t count);
  void branch(const Instruction &instruction, uint32_t place);
  bool skip(const Instruction &instruction, uint32_t place, Value *active);

  // translate.cpp
  bool translate_instruction(const Instruction &instruction, uint32_t place);

  // translate_integers.cpp
  bool sum(Opcode &opcode, const Instruction &i);
  bool product(Opcode &opcode, const Instruction &i);
  bool quotient(Opcode &opcode, const Instruction &i);
  bool logic(Opcode &opcode, const Instruction &i);
  bool one_of_sign(Opcode &opcode, const Instruction &i);
  bool extreme(Opcode &opcode, const Instruction &i);
  bool shift(Opcode &opcode, const Instruction &i);
  bool count_bits(Opcode &opcode, const Instruction &i);
  std::optional<uint64_t> constant(const Operand &operand) const;
  bool extract(Opcode &opcode, const Instruction &i);
  bool insert(Opcode &opcode, const Instruction &i);
  bool permute(Opcode &opcode, const Instruction &i);
  bool logic_of_three(Opcode &opcode, const Instruction &i);
  bool funnel(Opcode &opcode, const Instruction &i);

  // translate_floats.cpp
  // A denormal single becomes a zero of its sign.
  Value *flush(Value *value);
  Value *saturate(Value *value);
  bool float_operation(Opcode &opcode, const Instruction &i, unsigned count,
                       llvm::function_ref<Value *(Value **)> compute);
  Value *is_signaling(Value *value);
  // As fmin and fmax of the C library, and zeros by their signs.
  Value *float_extreme(Value *a, Value *b, bool is_least, bool keeps_nan);
  bool root(Opcode &opcode, const Instruction &i);
  bool copy_sign(Opcode &opcode, const Instruction &i);
  bool test_property(Opcode &opcode, const Instruction &i);

  // translate_moves.cpp
  bool compare(Opcode &opcode, const Instruction &i);
  bool select(Opcode &opcode, const Instruction &i);
  bool move(Opcode &opcode, const Instruction &i);
  bool convert(Opcode &opcode, const Instruction &i);
  // Addresses of the block's shared memory, and of each lane's stack.
  Value *own_window(Space space);
  bool convert_address(Opcode &opcode, const Instruction &i);
  bool is_in_space(Opcode &opcode, const Instruction &i);

  // translate_memory.cpp
  bool do_nothing(Opcode &opcode, const Instruction &i);
  bool fence(Opcode &opcode, const Instruction &i);
  bool shuffle(Opcode &opcode, const Instruction &i);
  // A load or a store.
  struct Access {
    const Instruction &i;
    uint32_t place;
    bool is_load;
    unsigned size;                               ///< of an element, in bytes
    std::vector<Value *> values = {};            ///< to store
    Value *base = nullptr;                       ///< of the address, without the instruction's offset
    Value *mask = nullptr, *mask_bits = nullptr; ///< lanes that take part
    bool is_all = false, is_uniform = false;     ///< all lanes; they load the same
    const Operand &address() const { return i.operands[is_load ? 1 : 0]; }
    unsigned whole() const { return size * i.width; }
  };
  // The accesses of a block that have one base, and their common check.
  struct Reach {
    int64_t first = 0, end = 0;       ///< offsets from the base, in bytes
    unsigned align = 1, low_bits = 0; ///< base % align == low_bits
    uint32_t number = 0;              ///< of the memory that was reached the last time
    Value *bytes = nullptr;           ///< the memory
    Value *offsets = nullptr;         ///< of the first access, from there
    Value *is_fine = nullptr;         ///< all lanes are within and aligned
    unsigned step = 0;                ///< bytes that is_together was computed for
    Value *is_together = nullptr;     ///< so many lie between each lane and the next
    Value *together = nullptr;        ///< lane 0's offset then
    void add(const Instruction &instruction);
    bool has(const Access &access) const;
  };
  using Ways = std::vector<std::pair<llvm::BasicBlock *, std::vector<Value *>>>;
  Value *places(Value *bytes, uint64_t size);
  void branch_likely(Value *condition, llvm::BasicBlock *likely, llvm::BasicBlock *other);
  Reach find_group(const Access &access) const;
  void find_memory(Space space, Reach &reach, Value *&begin, Value *&size);
  const Reach &reach(const Access &access);
  static bool may_be_together(const Access &access);
  Value *is_together(const Access &access, const Reach &reach, Value *&first);
  std::vector<Value *> access_slowly(const Access &access, const Reach &reach);
  Value *access_together(const Access &access, Value *bytes);
  Value *access_scattered(const Access &access, const Reach &reach, unsigned element);
  void access_fast(const Access &access, const Reach &reach, llvm::BasicBlock *done, Ways &ways);
  bool access(const Instruction &i, uint32_t place, bool is_load);

  const Function &function_;
  const Liveness &liveness_;
  bool is_full_; ///< all lanes take part
  const llvm::function_ref<bool(uint32_t)> is_wanted_;
  uint32_t &accesses_;
  llvm::IRBuilder<> b_;
  llvm::Function *llvm_function_ = nullptr;
  llvm::BasicBlock *entry_ = nullptr;
  Value *state_ = nullptr, *registers_ = nullptr, *mask_bits_ = nullptr, *mask_ = nullptr, *addresses_ = nullptr,
        *values_ = nullptr;
  std::map<uint32_t, llvm::BasicBlock *> blocks_; ///< by the place that they begin at
  std::vector<uint32_t> work_;
  Translation result_;
  uint32_t instructions_ = 0;
  std::map<uint32_t, Value *> registers_now_;
  std::map<uint32_t, Operand> changed_;
  std::map<uint32_t, std::pair<Value *, Operand>> next_registers_;
  std::map<std::tuple<Value *, Space, bool>, Reach> reaches_; ///< of the block; by base, and whether they load
};

} // namespace emulator::executor::ptx
