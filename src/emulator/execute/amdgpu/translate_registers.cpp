// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers: the operands and results of instructions, and the wave that holds them between blocks.

#include <cstddef>

#include "translator.h"

namespace emulator::executor::amdgpu {

void Translator::begin_block() {
  vectors_now_.clear();
  scalars_now_.clear();
  reaches_.clear();
  scc_ = nullptr;
  scc_is_new_ = false;
  if (is_full_) {
    mask_bits_ = llvm::Constant::getAllOnesValue(b_.getIntNTy(lanes_));
    scalars_now_[kExec].value = b_.getInt32(~0u);
    if (lanes_ == 64) {
      scalars_now_[kExec].pair = b_.getInt64(~uint64_t{0});
      scalars_now_[kExec + 1].value = b_.getInt32(~0u);
    }
  } else {
    mask_bits_ = read_mask(kExec);
  }
  mask_ = lanes_of(mask_bits_); // LLVM makes slow work of bits of lanes that live longer than a block
}

// ---- Vectors

llvm::Value *Translator::vector_address(unsigned index) { return at(vectors_, uint64_t{index} * lanes_ * 4); }

llvm::Value *Translator::read_vector(unsigned index) {
  Register &one = vectors_now_[index];
  if (!one.value)
    one.value =
        one.pair ? resize(one.pair, 32) : b_.CreateAlignedLoad(vector(32), vector_address(index), llvm::Align(4));
  return one.value;
}

llvm::Value *Translator::read_wide(unsigned index) {
  if (!vectors_now_[index].pair) {
    Value *const low = resize(read_vector(index), 64), *const high = resize(read_vector(index + 1), 64);
    vectors_now_[index].pair = b_.CreateOr(low, b_.CreateShl(high, number(64, 32)));
  }
  return vectors_now_[index].pair;
}

llvm::Value *Translator::whole_vector(unsigned index) {
  Value *const value = read_vector(index);
  const Register &one = vectors_now_[index];
  if (is_full_ || one.is_whole || !one.is_new)
    return value;
  return b_.CreateSelect(mask_, value, b_.CreateAlignedLoad(vector(32), vector_address(index), llvm::Align(4)));
}

void Translator::write_vector(unsigned index, Value *value) {
  Register &one = vectors_now_[index];
  if (one.is_whole)
    value = b_.CreateSelect(mask_, value, one.value);
  one.value = value;
  one.pair = nullptr;
  one.is_new = true;
  if (index > 0)
    if (const auto before = vectors_now_.find(index - 1); before != vectors_now_.end())
      before->second.pair = nullptr;
}

void Translator::write_wide(unsigned index, Value *value) {
  write_vector(index, resize(value, 32));
  write_vector(index + 1, resize(b_.CreateLShr(value, number(64, 32)), 32));
  if (!vectors_now_[index].is_whole && !vectors_now_[index + 1].is_whole)
    vectors_now_[index].pair = value;
}

void Translator::write_whole_vector(unsigned index, Value *value) {
  vectors_now_[index].is_whole = false;
  write_vector(index, value);
  vectors_now_[index].is_whole = true;
}

// Puts a register that was written where the interpreter has it.
void Translator::store_vector(unsigned index) {
  const auto found = vectors_now_.find(index);
  if (found != vectors_now_.end() && found->second.is_new)
    b_.CreateAlignedStore(whole_vector(index), vector_address(index), llvm::Align(4));
}

// ---- Scalars

llvm::Value *Translator::scalar_address(unsigned index) { return at(scalars_, uint64_t{index} * 4); }

llvm::Value *Translator::read_scalar(unsigned index) {
  if (index == kNull)
    return b_.getInt32(0);
  Value *&value = scalars_now_[index].value;
  if (!value)
    value = b_.CreateAlignedLoad(b_.getInt32Ty(), scalar_address(index), llvm::Align(4));
  return value;
}

// As the interpreter has it, also of the register that is 0.
llvm::Value *Translator::read_pair(unsigned index) {
  if (const auto found = scalars_now_.find(index); found != scalars_now_.end() && found->second.pair)
    return found->second.pair;
  const bool is_new = (scalars_now_.contains(index) && scalars_now_[index].value) ||
                      (scalars_now_.contains(index + 1) && scalars_now_[index + 1].value) || index == kNull ||
                      index + 1 == kNull;
  Value *pair = nullptr;
  if (is_new)
    pair = b_.CreateOr(b_.CreateZExt(read_scalar(index), b_.getInt64Ty()),
                       b_.CreateShl(b_.CreateZExt(read_scalar(index + 1), b_.getInt64Ty()), b_.getInt64(32)));
  else
    pair = b_.CreateAlignedLoad(b_.getInt64Ty(), scalar_address(index), llvm::Align(4));
  return scalars_now_[index].pair = pair;
}

void Translator::write_scalar(unsigned index, Value *value) {
  if (index == kNull)
    return;
  Register &one = scalars_now_[index];
  one = {.value = value, .is_new = true};
  if (index > 0)
    if (const auto before = scalars_now_.find(index - 1); before != scalars_now_.end())
      before->second.pair = nullptr;
}

void Translator::write_pair(unsigned index, Value *value) {
  if (index == kNull)
    return;
  write_scalar(index, b_.CreateTrunc(value, b_.getInt32Ty()));
  write_scalar(index + 1, b_.CreateTrunc(b_.CreateLShr(value, b_.getInt64(32)), b_.getInt32Ty()));
  if (index + 1 != kNull)
    scalars_now_[index].pair = value;
}

llvm::Value *Translator::read_mask(unsigned index) { return lanes_ == 64 ? read_pair(index) : read_scalar(index); }

void Translator::write_mask(unsigned index, Value *value) {
  lanes_ == 64 ? write_pair(index, value) : write_scalar(index, value);
}

llvm::Value *Translator::scc() {
  if (!scc_)
    scc_ = b_.CreateICmpNE(field(offsetof(CompiledState, scc), b_.getInt32Ty()), b_.getInt32(0));
  return scc_;
}

void Translator::store_registers() {
  for (auto &[index, one] : vectors_now_) {
    if (one.is_new)
      store_vector(index);
    one.is_new = false;
  }
  for (auto one = scalars_now_.begin(); one != scalars_now_.end(); ++one) {
    const unsigned index = one->first;
    Register &low = one->second;
    const auto high = std::next(one);
    if (low.is_new && low.pair && high != scalars_now_.end() && high->first == index + 1 && high->second.is_new) {
      b_.CreateAlignedStore(low.pair, scalar_address(index), llvm::Align(4));
      high->second.is_new = false;
    } else if (low.is_new) {
      b_.CreateAlignedStore(low.value, scalar_address(index), llvm::Align(4));
    }
    low.is_new = false;
  }
  if (scc_is_new_)
    set_field(offsetof(CompiledState, scc), b_.CreateZExt(scc_, b_.getInt32Ty()));
  scc_is_new_ = false;
}

// ---- Operands

// As AmdWave::scalar_source.
llvm::Value *Translator::scalar_source(const Operand &operand) {
  switch (operand.kind) {
  case Kind::kScalar: return read_scalar(operand.index);
  case Kind::kInteger: return b_.getInt32(static_cast<uint32_t>(operand.bits));
  case Kind::kFloat: return b_.getInt32(__builtin_bit_cast(uint32_t, static_cast<float>(operand.number)));
  case Kind::kScc: return b_.CreateZExt(scc(), b_.getInt32Ty());
  case Kind::kExecIsZero: return b_.CreateZExt(b_.CreateIsNull(mask_bits_), b_.getInt32Ty());
  case Kind::kVccIsZero: return b_.CreateZExt(b_.CreateIsNull(read_mask(kVcc)), b_.getInt32Ty());
  default: return nullptr;
  }
}

// As AmdWave::scalar_source64.
llvm::Value *Translator::scalar_source64(const Operand &operand, bool is_signed) {
  switch (operand.kind) {
  case Kind::kScalar:
    if (operand.index == kNull)
      return b_.getInt64(0);
    return operand.registers == 1 ? nullptr : read_pair(operand.index);
  case Kind::kInteger:
    if (operand.is_literal)
      return b_.getInt64(is_signed ? static_cast<uint64_t>(int64_t{static_cast<int32_t>(operand.bits)})
                                   : static_cast<uint64_t>(operand.bits) & 0xFFFFFFFF);
    return b_.getInt64(static_cast<uint64_t>(operand.bits));
  case Kind::kFloat: return b_.getInt64(__builtin_bit_cast(uint64_t, operand.number));
  case Kind::kSharedBase: return b_.getInt64(uint64_t{kSharedAperture} << 32);
  case Kind::kPrivateBase: return b_.getInt64(uint64_t{kPrivateAperture} << 32);
  default: {
    Value *const value = scalar_source(operand);
    return value ? b_.CreateZExt(value, b_.getInt64Ty()) : nullptr;
  }
  }
}

// As AmdWave::mask_source.
llvm::Value *Translator::mask_source(const Operand &operand) {
  if (operand.kind == Kind::kScalar)
    return read_mask(operand.index);
  return lanes_ == 64 ? scalar_source64(operand, false) : scalar_source(operand);
}

// As AmdWave::source32.
llvm::Value *Translator::source32(const Operand &operand) {
  if (operand.kind == Kind::kVector)
    return read_vector(operand.index);
  if (operand.kind == Kind::kSharedBase || operand.kind == Kind::kPrivateBase)
    return number(32, operand.kind == Kind::kSharedBase ? kSharedAperture : kPrivateAperture);
  Value *const value = scalar_source(operand);
  return value ? splat(value) : nullptr;
}

// As AmdWave::source64.
llvm::Value *Translator::source64(const Operand &operand, bool is_float, bool is_signed) {
  if (operand.kind == Kind::kVector)
    return operand.registers == 2 ? read_wide(operand.index) : nullptr;
  if (operand.kind == Kind::kInteger && operand.is_literal && is_float)
    return number(64, static_cast<uint64_t>(operand.bits) << 32);
  Value *const value = scalar_source64(operand, is_signed);
  return value ? splat(value) : nullptr;
}

// Types: i and l integers of 32 and 64 bits, I and L signed ones, f and d floats. h: a float of 16 bits, as a single.
llvm::Value *Translator::source(const Operand &operand, char type) {
  const bool is_float = type == 'f' || type == 'd' || type == 'h', is_wide = type == 'l' || type == 'L' || type == 'd';
  if ((operand.half && type != 'h') || operand.is_sign_extended || operand.select != 6 ||
      ((operand.is_negated || operand.is_absolute) && !is_float))
    return nullptr;
  Value *value = type == 'h' ? half_source(operand, operand.half == 2)
                 : is_wide   ? source64(operand, is_float, type == 'L')
                             : source32(operand);
  if (!value || !is_float)
    return value;
  value = b_.CreateBitCast(value, floats(is_wide ? 64 : 32));
  if (operand.is_absolute)
    value = unary(llvm::Intrinsic::fabs, value);
  return operand.is_negated ? b_.CreateFNeg(value) : value;
}

bool Translator::set_result(const Operand &operand, char type, Value *value) {
  const bool is_wide = type == 'l' || type == 'L' || type == 'd';
  if (operand.kind != Kind::kVector || (operand.half && type != 'h') || operand.registers != (is_wide ? 2 : 1))
    return false;
  if (type == 'h') {
    write_half(operand, operand.half == 2, operand.half == 2 || !code_.processor.is_gfx9, value);
    return true;
  }
  value = bits(value);
  is_wide ? write_wide(operand.index, value) : write_vector(operand.index, value);
  return true;
}

} // namespace emulator::executor::amdgpu
