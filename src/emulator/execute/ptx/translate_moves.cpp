// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparisons, moves, conversions of values and addresses (PTX ISA 9.7.6, 9.7.7, 9.7.9).

#include <cfenv>

#include "translator.h"

namespace emulator::executor::ptx {

namespace {
constexpr uint64_t kOffsetMask = (uint64_t{1} << 24) - 1; // as in access.cpp
constexpr unsigned kThreadAt = 24;
} // namespace

bool Translator::compare(Opcode &opcode, const Instruction &i) {
  using P = llvm::CmpInst::Predicate;
  struct Comparison {
    const char *name;
    P of_signed, of_unsigned, of_floats;
  };
  static constexpr Comparison kAll[] = {{"eq", P::ICMP_EQ, P::ICMP_EQ, P::FCMP_OEQ},
                                        {"ne", P::ICMP_NE, P::ICMP_NE, P::FCMP_ONE},
                                        {"lt", P::ICMP_SLT, P::ICMP_ULT, P::FCMP_OLT},
                                        {"le", P::ICMP_SLE, P::ICMP_ULE, P::FCMP_OLE},
                                        {"gt", P::ICMP_SGT, P::ICMP_UGT, P::FCMP_OGT},
                                        {"ge", P::ICMP_SGE, P::ICMP_UGE, P::FCMP_OGE},
                                        {"lo", P::ICMP_SLT, P::ICMP_ULT, P::FCMP_OLT},
                                        {"ls", P::ICMP_SLE, P::ICMP_ULE, P::FCMP_OLE},
                                        {"hi", P::ICMP_SGT, P::ICMP_UGT, P::FCMP_OGT},
                                        {"hs", P::ICMP_SGE, P::ICMP_UGE, P::FCMP_OGE},
                                        {"equ", P::ICMP_EQ, P::ICMP_EQ, P::FCMP_UEQ},
                                        {"neu", P::ICMP_NE, P::ICMP_NE, P::FCMP_UNE},
                                        {"ltu", P::ICMP_SLT, P::ICMP_ULT, P::FCMP_ULT},
                                        {"leu", P::ICMP_SLE, P::ICMP_ULE, P::FCMP_ULE},
                                        {"gtu", P::ICMP_SGT, P::ICMP_UGT, P::FCMP_UGT},
                                        {"geu", P::ICMP_SGE, P::ICMP_UGE, P::FCMP_UGE},
                                        {"num", P::BAD_ICMP_PREDICATE, P::BAD_ICMP_PREDICATE, P::FCMP_ORD},
                                        {"nan", P::BAD_ICMP_PREDICATE, P::BAD_ICMP_PREDICATE, P::FCMP_UNO}};
  const Comparison *comparison = nullptr;
  for (const Comparison &one : kAll)
    if (!comparison && opcode.take(one.name))
      comparison = &one;
  if (!comparison)
    return false;
  const bool ands = opcode.take("and"), ors = opcode.take("or"), parts = opcode.take("xor");
  opcode.take("ftz");
  const bool gives_value = opcode.name() == "set";
  const Type result_type = gives_value ? opcode.take_type().value_or(Type::kNone) : Type::kNone;
  const auto type = opcode.take_type();
  Value *value = nullptr;
  if (const unsigned bits = float_bits(type)) {
    Value *a = float_source(i.operands[1], bits), *b = float_source(i.operands[2], bits);
    if (!a || !b)
      return false;
    if (i.flushes) {
      a = flush(a);
      b = flush(b);
    }
    value = b_.CreateFCmp(comparison->of_floats, a, b);
  } else if (is_half_type(type)) {
    Value *const a = source(i.operands[1], 16), *const b = source(i.operands[2], 16);
    if (!a || !b || i.flushes || size_of(*type) != 2)
      return false;
    const bool is_bfloat = type == Type::kBf16;
    value = b_.CreateFCmp(comparison->of_floats, widen_half(a, is_bfloat), widen_half(b, is_bfloat));
  } else {
    const IntegerType integers = integer(type);
    const P predicate = integers.is_signed ? comparison->of_signed : comparison->of_unsigned;
    Value *const a = integers.bits ? source(i.operands[1], integers.bits) : nullptr, *const b =
                                                                                         integers.bits
                                                                                             ? source(i.operands[2],
                                                                                                      integers.bits)
                                                                                             : nullptr;
    if (!a || !b || predicate == P::BAD_ICMP_PREDICATE)
      return false;
    value = b_.CreateICmp(predicate, a, b);
  }
  Value *opposite = b_.CreateNot(value);
  if (ands || ors || parts) {
    Value *const with = source(i.operands[3], 1);
    if (!with)
      return false;
    const auto combine = [&](Value *one) {
      return ands ? b_.CreateAnd(one, with) : ors ? b_.CreateOr(one, with) : b_.CreateXor(one, with);
    };
    value = combine(value);
    opposite = combine(opposite);
  }
  if (gives_value) {
    if (size_of(result_type) != 4)
      return false;
    const uint32_t yes = result_type == Type::kF32 ? 0x3F800000 : 0xFFFFFFFF;
    return set(i, i.operands[0], b_.CreateSelect(value, number(32, yes), number(32, 0)));
  }
  return set(i, i.operands[0], value) && (i.elements.empty() || set(i, i.elements[0], opposite));
}

bool Translator::select(Opcode &opcode, const Instruction &i) {
  const auto type = opcode.take_type();
  const unsigned bits = type && *type != Type::kPred && size_of(*type) >= 2 ? 8 * size_of(*type) : 0;
  Value *const a = bits ? source(i.operands[1], bits) : nullptr,
               *const b = bits ? source(i.operands[2], bits) : nullptr, *const p = source(i.operands[3], 1);
  return a && b && p && set(i, i.operands[0], b_.CreateSelect(p, a, b));
}

bool Translator::move(Opcode &opcode, const Instruction &i) {
  const auto type = opcode.take_type();
  if (!type)
    return false;
  const unsigned bits = *type == Type::kPred ? 1 : 8 * size_of(*type);
  if (i.elements.empty()) {
    Value *const a = source(i.operands[1], bits);
    return a && set(i, i.operands[0], a);
  }
  const unsigned part = bits / static_cast<unsigned>(i.elements.size());
  if (i.operands[0].kind == Kind::kNone) {
    Value *const whole = source(i.operands[1], bits);
    for (size_t n = 0; whole && n < i.elements.size(); ++n)
      if (!set(i, i.elements[n], resize(b_.CreateLShr(whole, number(bits, part * n)), part)))
        return false;
    return whole != nullptr;
  }
  Value *whole = number(bits, 0);
  for (size_t n = 0; n < i.elements.size(); ++n) {
    Value *const value = source(i.elements[n], part);
    if (!value)
      return false;
    whole = b_.CreateOr(whole, b_.CreateShl(resize(value, bits), number(bits, part * n)));
  }
  return set(i, i.operands[0], whole);
}

// From and to singles, and from a half or bfloat to an integer.
bool Translator::convert_half(Type to, Type from, const Instruction &i) {
  const bool to_integral = i.variant & 0x10000;
  if (i.flushes || i.saturates || i.keeps_positive)
    return false;
  if (is_half(from)) {
    Value *const a = source(i.operands[1], 16);
    return a && to == Type::kF32 && !to_integral && set_float(i, i.operands[0], widen_half(a, from == Type::kBf16));
  }
  if (from != Type::kF32 || i.variant != FE_TONEAREST)
    return false;
  const bool is_bfloat = to == Type::kBf16 || to == Type::kBf16x2;
  Value *const a = float_source(i.operands[1], 32);
  if (!a)
    return false;
  Value *value = narrow_half(a, is_bfloat, kNanOfHalf);
  if (size_of(to) == 4) { // of two the first is above
    Value *const b = float_source(i.operands[2], 32);
    if (!b)
      return false;
    value =
        b_.CreateOr(b_.CreateShl(resize(value, 32), number(32, 16)), resize(narrow_half(b, is_bfloat, kNanOfHalf), 32));
  }
  return set(i, i.operands[0], value);
}

bool Translator::convert(Opcode &opcode, const Instruction &i) {
  opcode.ignore({"rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi", "ftz"});
  const auto to = opcode.take_type(), from = opcode.take_type();
  if (to && from && (is_half(*to) || is_half(*from)))
    return convert_half(*to, *from, i);
  if (!to || !from)
    return false; // .sat is left, too
  const unsigned bits = 8 * size_of(*to), from_bits = 8 * size_of(*from);
  const int mode = static_cast<int>(i.variant & 0xFFFF);
  const bool to_integral = i.variant & 0x10000;
  if (!is_float(*from) && !is_float(*to)) {
    Value *value = source(i.operands[1], from_bits);
    if (!value || i.operands[0].kind != Kind::kRegister || i.operands[0].bits < bits)
      return false;
    value = resize(value, bits, is_signed(*from));
    return set(i, i.operands[0], resize(value, i.operands[0].bits, is_signed(*to)));
  }
  if (!is_float(*from)) {
    Value *const value = source(i.operands[1], from_bits);
    if (!value || mode != FE_TONEAREST)
      return false;
    return set_float(i, i.operands[0],
                     is_signed(*from) ? b_.CreateSIToFP(value, floats(bits)) : b_.CreateUIToFP(value, floats(bits)));
  }
  Value *value = float_source(i.operands[1], from_bits);
  if (!value)
    return false;
  if (i.flushes)
    value = flush(value);
  if (to_integral) {
    const llvm::Intrinsic::ID id = mode == FE_TOWARDZERO ? llvm::Intrinsic::trunc
                                   : mode == FE_DOWNWARD ? llvm::Intrinsic::floor
                                   : mode == FE_UPWARD   ? llvm::Intrinsic::ceil
                                                         : llvm::Intrinsic::rint;
    value = b_.CreateUnaryIntrinsic(id, value);
  }
  if (!is_float(*to)) {
    if (bits < 32 || i.operands[0].kind != Kind::kRegister || i.operands[0].bits != bits)
      return false;
    Value *const is_nan = b_.CreateFCmpUNO(value, value);
    value = b_.CreateIntrinsic(is_signed(*to) ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat,
                               {vector(bits), value->getType()}, {value});
    const uint64_t of_nan = from_bits == 64 || bits == 64 ? uint64_t{1} << (bits - 1) : 0;
    return set(i, i.operands[0], b_.CreateSelect(is_nan, number(bits, of_nan), value));
  }
  if (bits == from_bits && !to_integral)
    return false;
  if (bits < from_bits && mode != FE_TONEAREST)
    return false;
  value = bits < from_bits   ? b_.CreateFPTrunc(value, floats(bits))
          : bits > from_bits ? b_.CreateFPExt(value, floats(bits))
                             : value;
  if (i.flushes)
    value = flush(value);
  return set_float(i, i.operands[0], value);
}

// Addresses of the block's shared memory, and of each lane's stack.
llvm::Value *Translator::own_window(Space space) {
  if (space == Space::kShared)
    return splat(number_field(offsetof(CompiledState, shared_window)));
  return b_.CreateAdd(splat(number_field(offsetof(CompiledState, local_window))), counting(uint64_t{1} << kThreadAt));
}

bool Translator::convert_address(Opcode &opcode, const Instruction &i) {
  const bool from_generic = opcode.take("to");
  const auto space = opcode.take_space();
  if (!space || opcode.take_type() != Type::kU64 || *space == Space::kParam)
    return false;
  Value *value = source(i.operands[1], 64);
  if (!value)
    return false;
  if (*space == Space::kShared || *space == Space::kLocal) {
    Value *const offset = b_.CreateAnd(value, number(64, kOffsetMask));
    Value *const own = own_window(*space);
    if (from_generic)
      value = b_.CreateSelect(b_.CreateICmpEQ(b_.CreateAnd(value, number(64, ~kOffsetMask)), own), offset, value);
    else
      value = b_.CreateOr(offset, own);
  }
  return set(i, i.operands[0], value);
}

bool Translator::is_in_space(Opcode &opcode, const Instruction &i) {
  const auto space = opcode.take_space();
  Value *const a = source(i.operands[1], 64);
  if (!space || !a)
    return false;
  Value *const window = b_.CreateAnd(a, number(64, kWindowMask));
  const auto is = [&](uint64_t one) { return b_.CreateICmpEQ(window, number(64, one)); };
  Value *value = nullptr;
  switch (*space) {
  case Space::kShared: value = is(kSharedWindow); break;
  case Space::kLocal: value = is(kLocalWindow); break;
  case Space::kParam: value = is(kParamWindow); break;
  default: value = b_.CreateNot(b_.CreateOr(is(kSharedWindow), b_.CreateOr(is(kLocalWindow), is(kParamWindow))));
  }
  return set(i, i.operands[0], value);
}

} // namespace emulator::executor::ptx
