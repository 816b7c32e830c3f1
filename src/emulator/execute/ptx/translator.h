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

#include "../host_vectors.h"
#include "compiled.h"
#include "operations.h"
#include "translate.h"

namespace emulator::executor::ptx {

class Translator : AccessBuilder {
public:
  Translator(const Function &function, const Liveness &liveness, bool is_full,
             llvm::function_ref<bool(uint32_t)> is_wanted, uint32_t &accesses, llvm::Module &module);
  Translation run(uint32_t first);

private:
  using Kind = Operand::Kind;

  llvm::FixedVectorType *row_type() { return vector(64); }

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
  static bool is_half_type(std::optional<Type> type) { return type && is_half(*type); }
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
  static constexpr uint64_t kNanOfHalf = 0x7FFF;
  bool half_operation(Opcode &opcode, const Instruction &i, unsigned count,
                      llvm::function_ref<Value *(Value **, bool)> compute);
  bool half_sign(Opcode &opcode, const Instruction &i);
  bool root(Opcode &opcode, const Instruction &i);
  bool copy_sign(Opcode &opcode, const Instruction &i);
  bool test_property(Opcode &opcode, const Instruction &i);

  // translate_moves.cpp
  bool compare(Opcode &opcode, const Instruction &i);
  bool select(Opcode &opcode, const Instruction &i);
  bool move(Opcode &opcode, const Instruction &i);
  bool convert_half(Type to, Type from, const Instruction &i);
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
  struct Access : VectorAccess {
    const Instruction &i;
    uint32_t place;
    const Operand &address() const { return i.operands[is_load ? 1 : 0]; }
  };
  Reach find_group(const Access &access) const;
  Memory find_memory(Space space);
  const Reach &reach(const Access &access);
  std::vector<Value *> access_slowly(const Access &access, const Reach &reach);
  bool access(const Instruction &i, uint32_t place, bool is_load);

  const Function &function_;
  const Liveness &liveness_;
  bool is_full_; ///< all lanes take part
  const llvm::function_ref<bool(uint32_t)> is_wanted_;
  uint32_t &accesses_;
  Value *registers_ = nullptr, *mask_bits_ = nullptr, *mask_ = nullptr, *addresses_ = nullptr, *values_ = nullptr;
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
