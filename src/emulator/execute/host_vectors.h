// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes LLVM's instructions that work on all lanes of a wave at once: values, and loads and stores with their checks.
// Shared by the translators of all targets.
#pragma once

#include <vector>

#include "host_code.h"

#include <llvm/IR/IRBuilder.h>

namespace emulator::executor {

class VectorBuilder {
protected:
  using Value = llvm::Value;

  /// Begins the function "part", which has a state as its first argument.
  VectorBuilder(unsigned lanes, llvm::Module &module, llvm::ArrayRef<llvm::Type *> arguments);

  // Types and values.
  llvm::FixedVectorType *vector(unsigned bits) { return llvm::FixedVectorType::get(b_.getIntNTy(bits), lanes_); }
  llvm::FixedVectorType *floats(unsigned bits) {
    return llvm::FixedVectorType::get(bits == 32 ? b_.getFloatTy() : b_.getDoubleTy(), lanes_);
  }
  static unsigned bits_of(Value *value) { return value->getType()->getScalarSizeInBits(); }
  Value *splat(Value *value) { return b_.CreateVectorSplat(lanes_, value); }
  Value *number(unsigned bits, uint64_t value) {
    return splat(b_.getIntN(bits, bits < 64 ? value & ((uint64_t{1} << bits) - 1) : value));
  }
  Value *real(unsigned bits, double value) { return llvm::ConstantFP::get(floats(bits), value); }
  Value *lanes_of(Value *bits) { return b_.CreateBitCast(bits, vector(1)); }
  Value *bits_of_lanes(Value *lanes) { return b_.CreateBitCast(lanes, b_.getIntNTy(lanes_)); }
  Value *resize(Value *value, unsigned bits, bool extends_sign = false) {
    return extends_sign ? b_.CreateSExtOrTrunc(value, vector(bits)) : b_.CreateZExtOrTrunc(value, vector(bits));
  }
  Value *bits(Value *value) { return b_.CreateBitCast(value, vector(bits_of(value))); }
  Value *counting(uint64_t step); ///< 0, step, 2 * step, ...
  Value *at(Value *pointer, uint64_t offset) { return b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), pointer, offset); }

  // The state.
  Value *field_address(size_t offset) { return at(state_, offset); }
  Value *field(size_t offset, llvm::Type *type) { return b_.CreateLoad(type, field_address(offset)); }
  Value *number_field(size_t offset) { return field(offset, b_.getInt64Ty()); }
  Value *pointer_field(size_t offset) { return field(offset, b_.getPtrTy()); }
  void set_field(size_t offset, Value *value) { b_.CreateStore(value, field_address(offset)); }

  // Blocks.
  llvm::BasicBlock *new_block(const char *name) {
    return llvm::BasicBlock::Create(b_.getContext(), name, llvm_function_);
  }
  void branch_likely(Value *condition, llvm::BasicBlock *likely, llvm::BasicBlock *other);

  // Floats of 16 bits (half.h), as integers of 16 bits; they compute as singles.
  Value *widen_half(Value *bits, bool is_bfloat);
  Value *narrow_half(Value *value, bool is_bfloat, uint64_t nan);
  Value *fused_half(Value *a, Value *b, Value *c, bool is_bfloat);

  // Floats.
  Value *is_signaling(Value *value);
  /// As fmin and fmax of the C library, and zeros by their signs.
  Value *float_extreme(Value *a, Value *b, bool is_least, bool keeps_nan = false);

private:
  Value *odd_sum(Value *a, Value *b);

protected:
  const unsigned lanes_;
  llvm::IRBuilder<> b_;
  llvm::Function *llvm_function_ = nullptr;
  llvm::BasicBlock *entry_ = nullptr;
  Value *state_ = nullptr;
};

class AccessBuilder : protected VectorBuilder {
protected:
  using VectorBuilder::VectorBuilder;

  /// A load or a store. Addresses are the base, as wide as it is, and an offset.
  struct VectorAccess {
    bool is_load = false;
    unsigned size = 0, width = 1; ///< of an element, in bytes, and how many elements
    unsigned align = 1;           ///< of the address, in bytes
    int64_t offset = 0;
    int64_t distance = 0;             ///< of elements; 0: one follows the other
    std::vector<Value *> values = {}; ///< to store
    Value *base = nullptr;
    Value *mask = nullptr, *mask_bits = nullptr; ///< lanes that take part
    bool is_all = false, is_uniform = false;     ///< all lanes; they load the same
    bool is_by_lane = false;                     ///< each lane has memory of its own
    int64_t place(unsigned element) const { return element * (distance ? distance : int64_t{size}); }
    unsigned whole() const { return static_cast<unsigned>(place(width - 1)) + size; }
  };
  /// The memory that an access is to reach: its bytes, the address of the first, and how many there are.
  struct Memory {
    Value *bytes = nullptr, *begin = nullptr, *size = nullptr;
    uint32_t number = 0;   ///< of the memory that was reached the last time
    bool is_small = false; ///< less than 2 GB
  };
  /// The accesses of a block that have one base, and their common check.
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
    void add(int64_t offset, unsigned bytes, unsigned align);
    bool has(const VectorAccess &access) const;
  };
  static Reach begin_group(const VectorAccess &access);
  Memory reached_memory(Value *reached, uint32_t number);
  void check(const VectorAccess &access, const Memory &memory, Reach &reach);
  /// Carries the access out if all lanes have passed the check. Otherwise slowly does, and returns the results. Returns
  /// these, a vector for each element.
  std::vector<Value *> access_memory(const VectorAccess &access, const Reach &reach,
                                     llvm::function_ref<std::vector<Value *>()> slowly);

private:
  using Ways = std::vector<std::pair<llvm::BasicBlock *, std::vector<Value *>>>;
  Value *places(Value *bytes, uint64_t size);
  static bool may_be_together(const VectorAccess &access);
  Value *is_together(const VectorAccess &access, const Reach &reach, Value *&first);
  Value *access_together(const VectorAccess &access, Value *bytes, unsigned element);
  Value *access_scattered(const VectorAccess &access, const Reach &reach, unsigned element);
  void access_fast(const VectorAccess &access, const Reach &reach, llvm::BasicBlock *done, Ways &ways);
};

} // namespace emulator::executor
