// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floats (PTX ISA 9.7.3).

#include <cfenv>

#include "translator.h"

namespace emulator::executor::ptx {

// A denormal single becomes a zero of its sign.
llvm::Value *Translator::flush(Value *value) {
  if (bits_of(value) != 32)
    return value;
  Value *const bits = b_.CreateBitCast(value, vector(32));
  Value *const is_small = b_.CreateICmpEQ(b_.CreateAnd(bits, number(32, 0x7F800000)), number(32, 0));
  return b_.CreateBitCast(b_.CreateSelect(is_small, b_.CreateAnd(bits, number(32, 0x80000000)), bits), floats(32));
}

llvm::Value *Translator::saturate(Value *value) {
  const unsigned bits = bits_of(value);
  Value *const below = b_.CreateSelect(b_.CreateFCmpOLT(value, real(bits, 1)), value, real(bits, 1));
  return b_.CreateSelect(b_.CreateFCmpOGT(value, real(bits, 0)), below, real(bits, 0));
}

bool Translator::float_operation(Opcode &opcode, const Instruction &i, unsigned count,
                                 llvm::function_ref<Value *(Value **)> compute) {
  if (i.variant != FE_TONEAREST)
    return false;
  opcode.ignore({"rn", "approx", "full", "ftz", "sat"});
  const unsigned bits = float_bits(opcode.take_type());
  Value *values[3] = {};
  for (unsigned n = 0; n < count; ++n) {
    values[n] = bits ? float_source(i.operands[n + 1], bits) : nullptr;
    if (!values[n])
      return false;
    if (i.flushes)
      values[n] = flush(values[n]);
  }
  Value *value = compute(values);
  if (i.saturates)
    value = saturate(value);
  return set_float(i, i.operands[0], i.flushes ? flush(value) : value);
}

// Floats of 16 bits, alone or two in a register.
bool Translator::half_operation(Opcode &opcode, const Instruction &i, unsigned count,
                                llvm::function_ref<Value *(Value **, bool)> compute) {
  opcode.take("rn");
  const Type type = opcode.take_type().value_or(Type::kNone);
  if (i.flushes || i.saturates || i.keeps_positive)
    return false;
  const bool is_bfloat = type == Type::kBf16 || type == Type::kBf16x2;
  const unsigned width = 8 * size_of(type);
  Value *sources[3] = {}, *whole = nullptr;
  for (unsigned n = 0; n < count; ++n)
    if (sources[n] = source(i.operands[n + 1], width); !sources[n])
      return false;
  for (unsigned at = 0; at < width; at += 16) {
    Value *values[3] = {};
    for (unsigned n = 0; n < count; ++n)
      values[n] = widen_half(resize(b_.CreateLShr(sources[n], number(width, at)), 16), is_bfloat);
    Value *const one = resize(narrow_half(compute(values, is_bfloat), is_bfloat, kNanOfHalf), width);
    whole = whole ? b_.CreateOr(whole, b_.CreateShl(one, number(width, at))) : one;
  }
  return set(i, i.operands[0], whole);
}

// abs and neg: the signs' bits.
bool Translator::half_sign(Opcode &opcode, const Instruction &i) {
  const Type type = opcode.take_type().value_or(Type::kNone);
  const unsigned width = 8 * size_of(type);
  Value *const a = source(i.operands[1], width);
  if (!a || i.flushes)
    return false;
  const uint64_t signs = width == 16 ? 0x8000 : 0x80008000;
  return set(i, i.operands[0],
             opcode.name() == "abs" ? b_.CreateAnd(a, number(width, ~signs)) : b_.CreateXor(a, number(width, signs)));
}

bool Translator::root(Opcode &opcode, const Instruction &i) {
  const auto type = peek_type(opcode);
  if (!float_bits(type) || (type == Type::kF64 && i.flushes))
    return false;
  return float_operation(opcode, i, 1, [&](Value **v) {
    Value *const value = opcode.name() == "rcp" ? v[0] : b_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, v[0]);
    return opcode.name() == "sqrt" ? value : b_.CreateFDiv(real(bits_of(value), 1), value);
  });
}

bool Translator::copy_sign(Opcode &opcode, const Instruction &i) {
  return float_operation(opcode, i, 2,
                         [&](Value **v) { return b_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, v[1], v[0]); });
}

bool Translator::test_property(Opcode &opcode, const Instruction &i) {
  using namespace llvm; // of LLVM 17 and later; before, the classes are in no namespace
  static constexpr std::pair<const char *, unsigned> kProperties[] = {
      {"finite", fcFinite},  {"infinite", fcInf},  {"number", fcAllFlags & ~fcNan},
      {"notanumber", fcNan}, {"normal", fcNormal}, {"subnormal", fcSubnormal}};
  for (const auto &[name, classes] : kProperties)
    if (opcode.take(name)) {
      const unsigned bits = float_bits(opcode.take_type());
      Value *const a = bits ? float_source(i.operands[1], bits) : nullptr;
      return a && set(i, i.operands[0],
                      b_.CreateIntrinsic(llvm::Intrinsic::is_fpclass, {a->getType()}, {a, b_.getInt32(classes)}));
    }
  return false;
}

} // namespace emulator::executor::ptx
