// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Division, scaling and classes of floats.

#include <cmath>

#include "translator.h"

namespace emulator::executor::amdgpu {

namespace {

// A format's numbers of bits, and the limits of the manuals' sequence for division (float_operations.cpp).
struct Format {
  unsigned bits, mantissa;
  int far, scale, tiny, underflow;
  uint64_t sign() const { return uint64_t{1} << (bits - 1); }
  uint64_t exponents() const { return (uint64_t{1} << (bits - 1 - mantissa)) - 1; }
  uint64_t infinity() const { return exponents() << mantissa; }
  uint64_t nan() const { return infinity() | uint64_t{1} << (mantissa - 1); }
};
constexpr Format kSingle{32, 23, 96, 64, 23, -150}, kDouble{64, 52, 768, 128, 53, -1075};
const Format &format_of(unsigned bits) { return bits == 32 ? kSingle : kDouble; }

} // namespace

llvm::Value *Translator::biased_exponent(Value *value) {
  const Format &format = format_of(bits_of(value));
  return b_.CreateAnd(b_.CreateLShr(bits(value), number(format.bits, format.mantissa)),
                      number(format.bits, format.exponents()));
}

llvm::Value *Translator::is_denormal(Value *value) {
  const Format &format = format_of(bits_of(value));
  Value *const magnitude = b_.CreateAnd(bits(value), number(format.bits, format.sign() - 1));
  // 0 wraps around.
  return b_.CreateICmpULT(b_.CreateSub(magnitude, number(format.bits, 1)),
                          number(format.bits, (uint64_t{1} << format.mantissa) - 1));
}

// The value times a power of two, rounded once. Three steps suffice; those downwards keep what rounding looks at.
llvm::Value *Translator::scale(Value *value, Value *power) {
  const Format &format = format_of(bits_of(value));
  const int64_t most = static_cast<int64_t>(format.exponents() / 2), least = 1 - most;
  const int64_t down = least + format.mantissa + 1;
  const auto power_of_two = [&](int64_t by) {
    return b_.CreateBitCast(number(format.bits, static_cast<uint64_t>(by + most) << format.mantissa),
                            floats(format.bits));
  };
  const auto constant = [&](int64_t of) { return number(32, static_cast<uint64_t>(of)); };
  for (unsigned step = 0; step < 2; ++step) {
    Value *const is_large = b_.CreateICmpSGT(power, constant(most)), *const is_small =
                                                                         b_.CreateICmpSLT(power, constant(least));
    value = b_.CreateSelect(is_large, b_.CreateFMul(value, power_of_two(most)),
                            b_.CreateSelect(is_small, b_.CreateFMul(value, power_of_two(down)), value));
    power = b_.CreateSelect(is_large, b_.CreateSub(power, constant(most)),
                            b_.CreateSelect(is_small, b_.CreateSub(power, constant(down)), power));
  }
  power = binary(llvm::Intrinsic::smax, binary(llvm::Intrinsic::smin, power, constant(most)), constant(least));
  Value *const exponent =
      b_.CreateAdd(resize(power, format.bits, true), number(format.bits, static_cast<uint64_t>(most)));
  return b_.CreateFMul(
      value, b_.CreateBitCast(b_.CreateShl(exponent, number(format.bits, format.mantissa)), floats(format.bits)));
}

llvm::Value *Translator::fraction(Value *value) {
  const unsigned width = bits_of(value);
  Value *const result = b_.CreateFSub(value, unary(llvm::Intrinsic::floor, value));
  Value *const below_one =
      b_.CreateBitCast(number(width, width == 32 ? 0x3F7FFFFF : 0x3FEFFFFFFFFFFFFF), floats(width));
  return b_.CreateSelect(b_.CreateFCmpOGT(result, below_one), below_one, result);
}

// Result, flags, three sources: of the value, the denominator and the numerator.
bool Translator::divide_scale(const Instruction &i) {
  if ((i.name != "v_div_scale_f32" && i.name != "v_div_scale_f64") || i.count != 5 || i.has_op_sel || i.clamps ||
      i.output_scale || i.operands[1].kind != Kind::kScalar)
    return false;
  const char type = i.name.ends_with("64") ? 'd' : 'f';
  const Format &format = format_of(type == 'd' ? 64 : 32);
  Value *const value = source(i.operands[2], type), *const denominator = source(i.operands[3], type),
               *const numerator = source(i.operands[4], type);
  if (!value || !denominator || !numerator)
    return false;
  const auto constant = [&](int64_t of) { return number(format.bits, static_cast<uint64_t>(of)); };
  const auto power_of_two = [&](int by) { return real(format.bits, std::ldexp(1.0, by)); };
  Value *const up = b_.CreateFMul(value, power_of_two(format.scale));
  Value *const of_numerator = biased_exponent(numerator), *const of_denominator = biased_exponent(denominator);
  // The last rule first.
  Value *result = b_.CreateSelect(b_.CreateICmpSLE(of_numerator, constant(format.tiny)), up, value);
  if (type == 'd')
    result = b_.CreateSelect(is_denormal(b_.CreateFDiv(real(64, 1), denominator)),
                             b_.CreateFMul(value, power_of_two(-format.scale)), result);
  Value *flag = is_denormal(b_.CreateFDiv(numerator, denominator));
  result = b_.CreateSelect(flag, b_.CreateSelect(b_.CreateFCmpOEQ(value, numerator), up, value), result);
  Value *const is_small = is_denormal(denominator);
  result = b_.CreateSelect(is_small, up, result);
  flag = b_.CreateAnd(flag, b_.CreateNot(is_small));
  Value *const is_far = b_.CreateICmpSGE(b_.CreateSub(of_numerator, of_denominator), constant(format.far));
  result = b_.CreateSelect(is_far, b_.CreateSelect(b_.CreateFCmpOEQ(value, denominator), up, value), result);
  flag = b_.CreateOr(flag, is_far);
  Value *const zero = real(format.bits, 0);
  Value *const has_zero = b_.CreateOr(b_.CreateFCmpOEQ(numerator, zero), b_.CreateFCmpOEQ(denominator, zero));
  result = b_.CreateSelect(has_zero,
                           b_.CreateBitCast(constant(static_cast<int64_t>(format.nan())), floats(format.bits)), result);
  flag = b_.CreateAnd(flag, b_.CreateNot(has_zero));
  if (!set_result(i.operands[0], type, result))
    return false;
  write_mask(i.operands[1].index, b_.CreateAnd(bits_of_lanes(flag), mask_bits_));
  return true;
}

// A fused multiply-add. The interpreter scales what the flags say, which is rare.
bool Translator::divide_fmas(const Instruction &i, uint64_t address) {
  if ((i.name != "v_div_fmas_f32" && i.name != "v_div_fmas_f64") || i.count != 4 || i.has_op_sel || i.clamps ||
      i.output_scale)
    return false;
  const char type = i.name.ends_with("64") ? 'd' : 'f';
  const Operand &to = i.operands[0];
  Value *const a = source(i.operands[1], type), *const b = source(i.operands[2], type),
               *const c = source(i.operands[3], type);
  if (!a || !b || !c || to.kind != Kind::kVector || to.registers != (type == 'd' ? 2 : 1))
    return false;
  Value *const flags = b_.CreateAnd(read_mask(kVcc), mask_bits_);
  llvm::BasicBlock *const slow = new_block("slow"), *const fast = new_block("fast"), *const done = new_block("done");
  branch_likely(b_.CreateIsNull(flags), fast, slow);
  b_.SetInsertPoint(slow);
  call_for_access(i, address, kNoAccess);
  const auto load = [&](unsigned index) {
    return b_.CreateAlignedLoad(vector(32), vector_address(index), llvm::Align(4));
  };
  Value *of_slow = load(to.index);
  if (type == 'd')
    of_slow = b_.CreateOr(resize(of_slow, 64), b_.CreateShl(resize(load(to.index + 1u), 64), number(64, 32)));
  llvm::BasicBlock *const behind_slow = b_.GetInsertBlock();
  b_.CreateBr(done);
  b_.SetInsertPoint(fast);
  Value *const of_fast = bits(fused(a, b, c));
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
  llvm::PHINode *const result = b_.CreatePHI(of_fast->getType(), 2);
  result->addIncoming(of_slow, behind_slow);
  result->addIncoming(of_fast, fast);
  mask_ = lanes_of(mask_bits_);
  return set_result(to, type, result);
}

// The quotient, or what is right where there is none.
bool Translator::divide_fixup(const Instruction &i) {
  if ((i.name != "v_div_fixup_f32" && i.name != "v_div_fixup_f64") || i.count != 4 || i.has_op_sel || i.clamps ||
      i.output_scale)
    return false;
  const char type = i.name.ends_with("64") ? 'd' : 'f';
  const Format &format = format_of(type == 'd' ? 64 : 32);
  Value *const quotient = source(i.operands[1], type), *const denominator = source(i.operands[2], type),
               *const numerator = source(i.operands[3], type);
  if (!quotient || !denominator || !numerator)
    return false;
  const auto constant = [&](uint64_t of) { return number(format.bits, of); };
  const auto magnitude = [&](Value *of) { return b_.CreateAnd(bits(of), constant(format.sign() - 1)); };
  const auto is_nan = [&](Value *of) { return b_.CreateFCmpUNO(of, of); };
  const auto is_infinite = [&](Value *of) { return b_.CreateICmpEQ(magnitude(of), constant(format.infinity())); };
  const auto is_zero = [&](Value *of) { return b_.CreateIsNull(magnitude(of)); };
  Value *const sign = b_.CreateAnd(b_.CreateXor(bits(denominator), bits(numerator)), constant(format.sign()));
  Value *const infinity = b_.CreateOr(sign, constant(format.infinity()));
  // The last rule first.
  Value *result = b_.CreateSelect(is_nan(quotient), infinity, b_.CreateOr(magnitude(quotient), sign));
  Value *const distance = b_.CreateSub(biased_exponent(numerator), biased_exponent(denominator));
  Value *const is_tiny = b_.CreateICmpSLT(distance, constant(static_cast<uint64_t>(int64_t{format.underflow})));
  result =
      b_.CreateSelect(b_.CreateOr(is_tiny, b_.CreateOr(is_infinite(denominator), is_zero(numerator))), sign, result);
  result = b_.CreateSelect(b_.CreateOr(is_zero(denominator), is_infinite(numerator)), infinity, result);
  Value *const has_no_value = b_.CreateOr(b_.CreateAnd(is_zero(denominator), is_zero(numerator)),
                                          b_.CreateAnd(is_infinite(denominator), is_infinite(numerator)));
  result = b_.CreateSelect(has_no_value, constant(format.nan() | format.sign()), result);
  result = b_.CreateSelect(is_nan(denominator), bits(denominator), result);
  return set_result(i.operands[0], type, b_.CreateSelect(is_nan(numerator), bits(numerator), result));
}

// Classes have LLVM's bits.
bool Translator::compare_class(const Instruction &i) {
  const bool changes_exec = i.name.starts_with("v_cmpx_");
  const unsigned first = i.count == 3 ? 1 : 0;
  if (i.name.find("_class_") == std::string::npos || i.name.ends_with("f16") || i.has_op_sel || i.count != first + 2 ||
      (first == 0 && !changes_exec) || (first == 1 && i.operands[0].kind != Kind::kScalar))
    return false;
  Value *const value = source(i.operands[first], i.name.ends_with("64") ? 'd' : 'f'), *const classes = source(
                                                                                          i.operands[first + 1], 'i');
  const auto *const constant = classes ? llvm::dyn_cast<llvm::Constant>(classes) : nullptr;
  const auto *const number = constant ? llvm::dyn_cast_or_null<llvm::ConstantInt>(constant->getSplatValue()) : nullptr;
  if (!value || !number)
    return false;
  Value *const is_one = b_.CreateIntrinsic(llvm::Intrinsic::is_fpclass, {value->getType()},
                                           {value, b_.getInt32(static_cast<uint32_t>(number->getZExtValue()) & 0x3FF)});
  Value *const result = b_.CreateAnd(bits_of_lanes(is_one), mask_bits_);
  if (first == 1)
    write_mask(i.operands[0].index, result);
  if (changes_exec)
    write_mask(kExec, result);
  return true;
}

} // namespace emulator::executor::amdgpu
