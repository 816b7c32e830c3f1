// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translates a part of AMD's code to LLVM IR. Each file translate_*.cpp has one group of instructions.
//
// A vector register is a vector with a value for each lane. A block loads a register where it first reads it, and
// stores at its end what it has written. The execution mask is the same in a whole block: an instruction that writes it
// ends the block. Lanes that do not take part compute as well, with whatever their registers hold. Memory is not
// touched for them, and their registers keep their values. Results have the bits that the interpreter's have.
//
// A function for an instruction returns false if the instruction is only interpreted: then the part calls the
// interpreter for it.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "../host_vectors.h"
#include "compiled.h"
#include "translate.h"
#include "wave.h"

namespace emulator::executor::amdgpu {

class Translator : AccessBuilder {
public:
  Translator(const CodeReader &code, uint32_t &accesses, llvm::Module &module);
  Translation run(uint64_t first, bool is_full);

private:
  using Kind = OperandKind;
  friend struct LaneOperation;
  friend struct ScalarOperation;

  // translate.cpp: blocks, branches, and where a part is left.
  using Place = std::pair<uint64_t, bool>; ///< an address, and whether all lanes take part
  static bool is_left(const Instruction &instruction);
  bool has_block(const Place &place) const;
  llvm::BasicBlock *block_at(const Place &place);
  void leave(uint64_t address);
  void go_to(uint64_t address, bool is_behind_branch);
  void go_to_form(const Place &place);
  void translate_block(const Place &begin);
  bool branch(const Instruction &instruction, uint64_t address);
  bool translate_instruction(const Instruction &instruction, uint64_t address);
  bool translate_both(const Instruction &i, uint64_t address);
  bool translate_one(const Instruction &i, uint64_t address);
  void call_interpreter(const Instruction &instruction, uint64_t address, uint32_t access);
  void interpret(const Instruction &instruction, uint64_t address);

  // translate_registers.cpp
  void begin_block();
  void store_registers();
  Value *vector_address(unsigned index);
  Value *read_vector(unsigned index);
  Value *read_wide(unsigned index);    ///< of 64 bits
  Value *whole_vector(unsigned index); ///< with the values of lanes that do not take part
  void write_vector(unsigned index, Value *value);
  void write_wide(unsigned index, Value *value);
  void write_whole_vector(unsigned index, Value *value);
  void store_vector(unsigned index);
  Value *scalar_address(unsigned index);
  Value *read_scalar(unsigned index);
  Value *read_pair(unsigned index);
  void write_scalar(unsigned index, Value *value);
  void write_pair(unsigned index, Value *value);
  Value *read_mask(unsigned index); ///< as many bits as there are lanes
  void write_mask(unsigned index, Value *value);
  Value *scc();
  void set_scc(Value *value) {
    scc_ = value;
    scc_is_new_ = true;
  }
  // The operand's value; null: that is only interpreted.
  Value *scalar_source(const Operand &operand);
  Value *scalar_source64(const Operand &operand, bool is_signed);
  Value *mask_source(const Operand &operand);
  Value *source32(const Operand &operand);
  Value *source64(const Operand &operand, bool is_float, bool is_signed);
  Value *source(const Operand &operand, char type);
  bool set_result(const Operand &operand, char type, Value *value);

  // translate_halves.cpp
  Value *half_source(const Operand &operand, bool is_upper);
  void write_half(const Operand &operand, bool is_upper, bool keeps_other, Value *value);
  bool packed_half(const Instruction &i);
  bool mix(const Instruction &i);

  // translate_lanes.cpp
  bool lanes(const Instruction &i);
  bool carry(const Instruction &i);
  bool multiply_add(const Instruction &i);
  bool compare(const Instruction &i);
  bool select(const Instruction &i);
  bool packed(const Instruction &i);
  bool read_lane(const Instruction &i);
  bool count_below(const Instruction &i);
  Value *shift_amount(Value *value, unsigned bits) {
    return resize(b_.CreateAnd(value, number(bits_of(value), bits - 1)), bits);
  }
  Value *unary(llvm::Intrinsic::ID id, Value *value) { return b_.CreateUnaryIntrinsic(id, value); }
  Value *binary(llvm::Intrinsic::ID id, Value *a, Value *b) { return b_.CreateBinaryIntrinsic(id, a, b); }
  Value *fused(Value *a, Value *b, Value *c) {
    return b_.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, b, c});
  }
  Value *saturated(Value *value, bool is_signed) {
    return b_.CreateIntrinsic(is_signed ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat,
                              {vector(32), value->getType()}, {value});
  }
  Value *signed_field(Value *value, Value *offset, Value *width);
  Value *float_of_byte(Value *value, unsigned byte);
  Value *scaled(const Instruction &i, Value *value);
  Value *high_product(Value *a, Value *b, bool is_signed);
  Value *sign24(Value *value) { return b_.CreateAShr(b_.CreateShl(value, number(32, 8)), number(32, 8)); }
  Value *low24(Value *value) { return b_.CreateAnd(value, number(32, 0xFFFFFF)); }

  // translate_floats.cpp
  Value *biased_exponent(Value *value);
  Value *is_denormal(Value *value);
  Value *scale(Value *value, Value *power);
  Value *fraction(Value *value);
  bool divide_scale(const Instruction &i);
  bool divide_fmas(const Instruction &i, uint64_t address);
  bool divide_fixup(const Instruction &i);
  bool compare_class(const Instruction &i);

  // translate_scalars.cpp
  Value *scalar_of(const Operand &operand, char type);
  static bool can_set_scalar(const Operand &operand, bool is_wide);
  void set_scalar(const Operand &operand, Value *value);
  bool scalars(const Instruction &i);
  bool scalar_constant(const Instruction &i);
  bool scalar_compare(const Instruction &i);
  bool scalar_select(const Instruction &i);
  bool change_exec(const Instruction &i);
  Value *told(Value *value) {
    set_scc(b_.CreateIsNotNull(value));
    return value;
  }

  // translate_memory.cpp
  struct Access : VectorAccess {
    enum class Space { kFlat, kFlatStack, kGlobal, kShared, kStack, kBuffer };
    Space space = Space::kGlobal;
    const Operand *address = nullptr, *data = nullptr;
    bool is_signed = false;
    bool is_swapped = false;                              ///< the second of two elements is the first in memory
    Value *vector_base = nullptr, *scalar_base = nullptr; ///< that the base is the sum of
    Value *is_allowed = nullptr;                          ///< else the interpreter does it
  };
  using Base = std::tuple<Value *, Value *, Access::Space, bool>; ///< and whether they load
  bool load_scalars(const Instruction &i, uint64_t address);
  bool access(const Instruction &i, uint64_t address);
  bool permute(const Instruction &i);
  static bool read_form(const Instruction &i, Access &access);
  bool find_base(const Instruction &i, Access &access);
  bool find_base_of_stack(const Instruction &i, Access &access);
  Reach find_group(const Instruction &i, const Access &access, uint64_t address) const;
  const Reach &reach(const Instruction &i, const Access &access, uint64_t address);
  void call_for_access(const Instruction &i, uint64_t address, uint32_t number);
  Memory find_memory(const Access &access);

  const CodeReader &code_;
  uint32_t &accesses_;
  Value *scalars_ = nullptr, *vectors_ = nullptr;
  Value *row_ = nullptr;                                            ///< memory for a value of each lane
  std::map<Place, std::pair<llvm::BasicBlock *, uint32_t>> blocks_; ///< and their numbers
  std::vector<Place> work_;
  Translation result_;
  uint32_t instructions_ = 0;

  // The block.
  bool is_full_ = false;
  bool changes_exec_ = false;
  uint64_t last_ = 0; ///< address of the last instruction
  Value *mask_bits_ = nullptr, *mask_ = nullptr;
  struct Register {
    Value *value = nullptr, *pair = nullptr; ///< of 32 bits; of 64 bits with the next register
    bool is_new = false;                     ///< to be stored
    bool is_whole = false;                   ///< of a vector: also in lanes that do not take part
  };
  std::map<unsigned, Register> vectors_now_, scalars_now_;
  std::map<Base, Reach> reaches_;
  Value *scc_ = nullptr;
  bool scc_is_new_ = false;
};

/// The operations of a table by their names; `names` of one has several, with blanks between.
template <typename Operation, size_t Count>
std::unordered_map<std::string_view, const Operation *> by_names(const Operation (&all)[Count]) {
  std::unordered_map<std::string_view, const Operation *> table;
  for (const Operation &one : all)
    for (std::string_view names = one.names; !names.empty();) {
      const size_t end = std::min(names.find(' '), names.size());
      table[names.substr(0, end)] = &one;
      names.remove_prefix(std::min(end + 1, names.size()));
    }
  return table;
}

} // namespace emulator::executor::amdgpu
