// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers and bits (PTX ISA 9.7.1, 9.7.2, 9.7.8).

#include "translator.h"

namespace emulator::executor::ptx {

bool Translator::sum(Opcode &opcode, const Instruction &i) {
  const bool subtracts = opcode.name() == "sub";
  if (is_half_type(peek_type(opcode)))
    return half_operation(opcode, i, 2, [&](Value **v, bool) {
      return subtracts ? b_.CreateFSub(v[0], v[1]) : b_.CreateFAdd(v[0], v[1]);
    });
  if (const auto type = peek_type(opcode); float_bits(type))
    return float_operation(
        opcode, i, 2, [&](Value **v) { return subtracts ? b_.CreateFSub(v[0], v[1]) : b_.CreateFAdd(v[0], v[1]); });
  const IntegerType type = integer(opcode.take_type());
  if (!type.bits)
    return false;
  Value *const a = source(i.operands[1], type.bits), *const b = source(i.operands[2], type.bits);
  return a && b && set(i, i.operands[0], subtracts ? b_.CreateSub(a, b) : b_.CreateAdd(a, b));
}

bool Translator::product(Opcode &opcode, const Instruction &i) {
  const bool adds = opcode.name() != "mul";
  if (is_half_type(peek_type(opcode)))
    return half_operation(opcode, i, adds ? 3 : 2, [&](Value **v, bool is_bfloat) {
      return fused_half(v[0], v[1], adds ? v[2] : real(32, -0.0), is_bfloat);
    });
  if (const auto type = peek_type(opcode); float_bits(type))
    return float_operation(opcode, i, adds ? 3 : 2, [&](Value **v) {
      return adds ? b_.CreateIntrinsic(llvm::Intrinsic::fma, {v[0]->getType()}, {v[0], v[1], v[2]})
                  : b_.CreateFMul(v[0], v[1]);
    });
  const bool is_wide = opcode.take("wide"), is_high = !is_wide && opcode.take("hi");
  if (!is_wide && !is_high && !opcode.take("lo"))
    return false;
  const IntegerType type = integer(opcode.take_type());
  if (!type.bits || (is_wide && type.bits == 64))
    return false;
  Value *a = source(i.operands[1], type.bits), *b = source(i.operands[2], type.bits);
  if (!a || !b)
    return false;
  const unsigned bits = is_wide ? 2 * type.bits : type.bits;
  if (is_wide || is_high) {
    a = resize(a, 2 * type.bits, type.is_signed);
    b = resize(b, 2 * type.bits, type.is_signed);
  }
  Value *value = b_.CreateMul(a, b);
  if (is_high)
    value = resize(b_.CreateLShr(value, splat(b_.getIntN(2 * type.bits, type.bits))), type.bits);
  if (adds) {
    Value *const c = source(i.operands[3], bits);
    if (!c)
      return false;
    value = b_.CreateAdd(value, c);
  }
  return set(i, i.operands[0], value);
}

bool Translator::quotient(Opcode &opcode, const Instruction &i) {
  const bool is_rest = opcode.name() == "rem";
  if (const auto type = peek_type(opcode); float_bits(type) && !is_rest)
    return float_operation(opcode, i, 2, [&](Value **v) { return b_.CreateFDiv(v[0], v[1]); });
  const IntegerType type = integer(opcode.take_type());
  if (!type.bits)
    return false;
  Value *const a = source(i.operands[1], type.bits), *const b = source(i.operands[2], type.bits);
  if (!a || !b)
    return false;
  Value *const zero = number(type.bits, 0), *const one = number(type.bits, 1),
               *const ones = number(type.bits, ~uint64_t{0});
  Value *const is_zero = b_.CreateICmpEQ(b, zero);
  Value *divisor = b_.CreateSelect(is_zero, one, b);
  Value *is_minus = nullptr;
  if (type.is_signed) {
    is_minus = b_.CreateICmpEQ(b, ones);
    divisor = b_.CreateSelect(is_minus, one, divisor);
  }
  Value *whole = nullptr;
  if (type.bits <= 32) { // doubles hold these, and their quotient is never rounded up to the next integer
    const auto convert = [&](Value *value) {
      return type.is_signed ? b_.CreateSIToFP(value, floats(64)) : b_.CreateUIToFP(value, floats(64));
    };
    Value *const ratio = b_.CreateFDiv(convert(a), convert(divisor));
    whole = resize(b_.CreateFPToSI(ratio, vector(64)), type.bits);
  } else {
    whole = type.is_signed ? b_.CreateSDiv(a, divisor) : b_.CreateUDiv(a, divisor);
  }
  Value *result = whole;
  if (is_rest) {
    result = b_.CreateSub(a, b_.CreateMul(whole, divisor));
    result = b_.CreateSelect(is_zero, a, result);
  } else {
    if (is_minus)
      result = b_.CreateSelect(is_minus, b_.CreateNeg(a), result);
    result = b_.CreateSelect(is_zero, ones, result);
  }
  return set(i, i.operands[0], result);
}

bool Translator::logic(Opcode &opcode, const Instruction &i) {
  const auto type = opcode.take_type();
  const unsigned bits = type == Type::kPred ? 1 : integer(type).bits;
  if (!bits)
    return false;
  Value *const a = source(i.operands[1], bits);
  if (!a)
    return false;
  if (opcode.name() == "not")
    return set(i, i.operands[0], b_.CreateNot(a));
  Value *const b = source(i.operands[2], bits);
  return b && set(i, i.operands[0],
                  opcode.name() == "and"  ? b_.CreateAnd(a, b)
                  : opcode.name() == "or" ? b_.CreateOr(a, b)
                                          : b_.CreateXor(a, b));
}

bool Translator::one_of_sign(Opcode &opcode, const Instruction &i) {
  const bool negates = opcode.name() == "neg";
  if (is_half_type(peek_type(opcode)))
    return half_sign(opcode, i);
  if (const auto type = peek_type(opcode); float_bits(type))
    return float_operation(opcode, i, 1, [&](Value **v) {
      return negates ? b_.CreateFNeg(v[0]) : b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, v[0]);
    });
  const IntegerType type = integer(opcode.take_type());
  Value *const a = type.bits ? source(i.operands[1], type.bits) : nullptr;
  if (!a)
    return false;
  Value *const minus = b_.CreateNeg(a);
  const bool always = negates;
  return set(i, i.operands[0],
             always           ? minus
             : type.is_signed ? b_.CreateSelect(b_.CreateICmpSLT(a, number(type.bits, 0)), minus, a)
                              : a);
}

bool Translator::extreme(Opcode &opcode, const Instruction &i) {
  const bool is_least = opcode.name() == "min";
  if (is_half_type(peek_type(opcode))) {
    const bool keeps_nan = opcode.take("NaN");
    return half_operation(opcode, i, 2,
                          [&](Value **v, bool) { return float_extreme(v[0], v[1], is_least, keeps_nan); });
  }
  if (const auto type = peek_type(opcode); float_bits(type)) {
    const bool keeps_nan = opcode.take("NaN");
    return float_operation(opcode, i, 2, [&](Value **v) { return float_extreme(v[0], v[1], is_least, keeps_nan); });
  }
  const IntegerType type = integer(opcode.take_type());
  Value *const a = type.bits ? source(i.operands[1], type.bits) : nullptr, *const b = type.bits ? source(i.operands[2],
                                                                                                         type.bits)
                                                                                                : nullptr;
  if (!a || !b)
    return false;
  const llvm::Intrinsic::ID id = is_least ? (type.is_signed ? llvm::Intrinsic::smin : llvm::Intrinsic::umin)
                                          : (type.is_signed ? llvm::Intrinsic::smax : llvm::Intrinsic::umax);
  return set(i, i.operands[0], b_.CreateBinaryIntrinsic(id, a, b));
}

bool Translator::shift(Opcode &opcode, const Instruction &i) {
  const bool to_left = opcode.name() == "shl";
  const IntegerType type = integer(opcode.take_type());
  Value *const a = type.bits ? source(i.operands[1], type.bits) : nullptr, *const given = source(i.operands[2], 32);
  if (!a || !given)
    return false;
  Value *const is_far = b_.CreateICmpUGE(given, number(32, type.bits));
  if (!to_left && type.is_signed) {
    Value *const by = b_.CreateSelect(is_far, number(32, type.bits - 1), given);
    return set(i, i.operands[0], b_.CreateAShr(a, resize(by, type.bits)));
  }
  Value *const by = resize(b_.CreateSelect(is_far, number(32, 0), given), type.bits);
  Value *const shifted = to_left ? b_.CreateShl(a, by) : b_.CreateLShr(a, by);
  return set(i, i.operands[0], b_.CreateSelect(is_far, number(type.bits, 0), shifted));
}

bool Translator::count_bits(Opcode &opcode, const Instruction &i) {
  const bool is_amount = opcode.name() == "bfind" && opcode.take("shiftamt");
  const IntegerType type = integer(opcode.take_type());
  Value *a = type.bits ? source(i.operands[1], type.bits) : nullptr;
  if (!a || type.bits == 16)
    return false;
  if (opcode.name() == "brev")
    return set(i, i.operands[0], b_.CreateUnaryIntrinsic(llvm::Intrinsic::bitreverse, a));
  if (opcode.name() == "popc")
    return set(i, i.operands[0], resize(b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, a), 32));
  if (opcode.name() == "bfind" && type.is_signed)
    a = b_.CreateSelect(b_.CreateICmpSLT(a, number(type.bits, 0)), b_.CreateNot(a), a);
  Value *const zeros = resize(b_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, a, b_.getFalse()), 32);
  if (opcode.name() == "clz")
    return set(i, i.operands[0], zeros);
  Value *const found = is_amount ? zeros : b_.CreateSub(number(32, type.bits - 1), zeros);
  return set(i, i.operands[0],
             b_.CreateSelect(b_.CreateICmpEQ(a, number(type.bits, 0)), number(32, 0xFFFFFFFF), found));
}

std::optional<uint64_t> Translator::constant(const Operand &operand) const {
  if (operand.kind != Kind::kConstant)
    return std::nullopt;
  return function_.module->constant(operand.index)[0];
}

bool Translator::extract(Opcode &opcode, const Instruction &i) {
  const IntegerType type = integer(opcode.take_type());
  const auto first = constant(i.operands[2]), bits = constant(i.operands[3]);
  Value *const a = type.bits ? source(i.operands[1], type.bits) : nullptr;
  if (!a || !first || !bits)
    return false;
  const unsigned at = *first & 0xFF, length = *bits & 0xFF, all = type.bits;
  const unsigned kept = at >= all ? 0 : std::min(length, all - at);
  if (length == 0 || (kept == 0 && !type.is_signed))
    return set(i, i.operands[0], number(all, 0));
  if (kept == 0)
    return set(i, i.operands[0], b_.CreateAShr(a, number(all, all - 1)));
  Value *const high = b_.CreateShl(a, number(all, all - at - kept));
  return set(i, i.operands[0],
             type.is_signed ? b_.CreateAShr(high, number(all, all - kept))
                            : b_.CreateLShr(high, number(all, all - kept)));
}

bool Translator::insert(Opcode &opcode, const Instruction &i) {
  const IntegerType type = integer(opcode.take_type());
  const auto first = constant(i.operands[3]), bits = constant(i.operands[4]);
  Value *const a = type.bits ? source(i.operands[1], type.bits) : nullptr, *const b = type.bits ? source(i.operands[2],
                                                                                                         type.bits)
                                                                                                : nullptr;
  if (!a || !b || !first || !bits)
    return false;
  const unsigned at = *first & 0xFF, length = *bits & 0xFF;
  if (length == 0 || at >= type.bits)
    return set(i, i.operands[0], b);
  const uint64_t field = (length >= 64 ? ~uint64_t{0} : (uint64_t{1} << length) - 1) << at;
  return set(i, i.operands[0],
             b_.CreateOr(b_.CreateAnd(b, number(type.bits, ~field)),
                         b_.CreateAnd(b_.CreateShl(a, number(type.bits, at)), number(type.bits, field))));
}

bool Translator::permute(Opcode &opcode, const Instruction &i) {
  const auto selectors = constant(i.operands[3]);
  if (opcode.take_type() != Type::kB32 || !selectors)
    return false;
  Value *const a = source(i.operands[1], 32), *const b = source(i.operands[2], 32);
  if (!a || !b)
    return false;
  Value *result = number(32, 0);
  for (unsigned byte = 0; byte < 4; ++byte) {
    const unsigned selector = *selectors >> (4 * byte) & 0xF, from = selector & 3;
    Value *value = b_.CreateShl(selector & 4 ? b : a, number(32, 24 - 8 * from));
    value = selector & 8 ? b_.CreateAnd(b_.CreateAShr(value, number(32, 31)), number(32, 0xFF))
                         : b_.CreateLShr(value, number(32, 24));
    result = b_.CreateOr(result, b_.CreateShl(value, number(32, 8 * byte)));
  }
  return set(i, i.operands[0], result);
}

bool Translator::logic_of_three(Opcode &opcode, const Instruction &i) {
  const auto table = constant(i.operands[4]);
  if (opcode.take_type() != Type::kB32 || !table)
    return false;
  Value *const a = source(i.operands[1], 32), *const b = source(i.operands[2], 32),
               *const c = source(i.operands[3], 32);
  if (!a || !b || !c)
    return false;
  Value *result = number(32, 0);
  for (unsigned row = 0; row < 8; ++row)
    if (*table >> row & 1) {
      const auto term = [&](Value *value, bool is_set) { return is_set ? value : b_.CreateNot(value); };
      result = b_.CreateOr(result, b_.CreateAnd(term(a, row & 4), b_.CreateAnd(term(b, row & 2), term(c, row & 1))));
    }
  return set(i, i.operands[0], result);
}

bool Translator::funnel(Opcode &opcode, const Instruction &i) {
  const bool to_left = opcode.take("l"), wraps = opcode.take("wrap");
  if ((!to_left && !opcode.take("r")) || (!wraps && !opcode.take("clamp")) || opcode.take_type() != Type::kB32)
    return false;
  Value *const a = source(i.operands[1], 32), *const b = source(i.operands[2], 32),
               *const by = source(i.operands[3], 32);
  if (!a || !b || !by)
    return false;
  Value *const shifted =
      b_.CreateIntrinsic(to_left ? llvm::Intrinsic::fshl : llvm::Intrinsic::fshr, {vector(32)}, {b, a, by});
  if (wraps)
    return set(i, i.operands[0], shifted);
  return set(i, i.operands[0], b_.CreateSelect(b_.CreateICmpUGE(by, number(32, 32)), to_left ? a : b, shifted));
}

} // namespace emulator::executor::ptx
