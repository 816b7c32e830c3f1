// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar instructions: one value for the wave.

#include <algorithm>

#include "translator.h"

namespace emulator::executor::amdgpu {

namespace {
namespace Op = llvm::Intrinsic;
} // namespace

/// The result of instructions of these names. types: of the result and of the sources (Translator::scalar_of). With +
/// at the end scc says whether the result is not zero.
struct ScalarOperation {
  using T = Translator;
  using V = llvm::Value;
  using P = llvm::CmpInst::Predicate;
  std::string_view names, types;
  V *(*compute)(T &t, V *a, V *b);
  static const ScalarOperation kAll[];
  static const ScalarOperation *find(std::string_view name);

  static V *sum(T &t, V *a, V *b, bool takes_carry) {
    auto &ir = t.b_;
    V *sum = ir.CreateAdd(ir.CreateZExt(a, ir.getInt64Ty()), ir.CreateZExt(b, ir.getInt64Ty()));
    if (takes_carry)
      sum = ir.CreateAdd(sum, ir.CreateZExt(t.scc(), ir.getInt64Ty()));
    t.set_scc(ir.CreateIsNotNull(ir.CreateLShr(sum, ir.getInt64(32))));
    return ir.CreateTrunc(sum, ir.getInt32Ty());
  }
  static V *difference(T &t, V *a, V *b, bool takes_borrow) {
    auto &ir = t.b_;
    V *needed = ir.CreateZExt(b, ir.getInt64Ty());
    if (takes_borrow)
      needed = ir.CreateAdd(needed, ir.CreateZExt(t.scc(), ir.getInt64Ty()));
    t.set_scc(ir.CreateICmpUGT(needed, ir.CreateZExt(a, ir.getInt64Ty())));
    return ir.CreateSub(a, ir.CreateTrunc(needed, ir.getInt32Ty()));
  }
  static V *signed_overflow(T &t, llvm::Intrinsic::ID id, V *a, V *b) {
    V *const both = t.b_.CreateBinaryIntrinsic(id, a, b);
    t.set_scc(t.b_.CreateExtractValue(both, 1));
    return t.b_.CreateExtractValue(both, 0);
  }
  static V *extreme(T &t, llvm::CmpInst::Predicate is_first, V *a, V *b) {
    t.set_scc(t.b_.CreateICmp(is_first, a, b));
    return t.b_.CreateSelect(t.scc(), a, b);
  }
  static V *shift_add(T &t, V *a, V *b, unsigned by) {
    auto &ir = t.b_;
    V *const sum = ir.CreateAdd(ir.CreateShl(ir.CreateZExt(a, ir.getInt64Ty()), ir.getInt64(by)),
                                ir.CreateZExt(b, ir.getInt64Ty()));
    t.set_scc(ir.CreateIsNotNull(ir.CreateLShr(sum, ir.getInt64(32))));
    return ir.CreateTrunc(sum, ir.getInt32Ty());
  }
  static V *high_product(T &t, V *a, V *b, bool is_signed) {
    auto &ir = t.b_;
    const auto wide = [&](V *value) {
      return is_signed ? ir.CreateSExt(value, ir.getInt64Ty()) : ir.CreateZExt(value, ir.getInt64Ty());
    };
    return ir.CreateTrunc(ir.CreateLShr(ir.CreateMul(wide(a), wide(b)), ir.getInt64(32)), ir.getInt32Ty());
  }
  // A shift's amount as wide as its value.
  static V *amount(T &t, V *by, V *value) {
    return t.b_.CreateAnd(t.b_.CreateZExtOrTrunc(by, value->getType()),
                          llvm::ConstantInt::get(value->getType(), value->getType()->getIntegerBitWidth() - 1));
  }
  static V *ones(T &t, V *width, V *type_of) { // so many low bits
    V *const one = llvm::ConstantInt::get(type_of->getType(), 1);
    return t.b_.CreateSub(t.b_.CreateShl(one, amount(t, width, type_of)), one);
  }
  static V *bitfield(T &t, V *value, V *control, bool is_signed) {
    auto &ir = t.b_;
    llvm::Type *const type = value->getType();
    const unsigned bits = type->getIntegerBitWidth();
    const auto constant = [&](uint64_t of) { return llvm::ConstantInt::get(type, of); };
    V *const offset = ir.CreateZExtOrTrunc(ir.CreateAnd(control, ir.getInt32(bits - 1)), type);
    V *const width =
        ir.CreateZExtOrTrunc(ir.CreateAnd(ir.CreateLShr(control, ir.getInt32(16)), ir.getInt32(0x7F)), type);
    V *const end = ir.CreateAdd(offset, width);
    const auto right = [&](V *of, V *by) { return is_signed ? ir.CreateAShr(of, by) : ir.CreateLShr(of, by); };
    V *const inner = right(ir.CreateShl(value, ir.CreateAnd(ir.CreateSub(constant(bits), end), constant(bits - 1))),
                           ir.CreateAnd(ir.CreateSub(constant(bits), width), constant(bits - 1)));
    V *const of_some = ir.CreateSelect(ir.CreateICmpUGE(end, constant(bits)), right(value, offset), inner);
    return ir.CreateSelect(ir.CreateIsNull(width), constant(0), of_some);
  }
  // The number of zeros at an end, or -1.
  static V *zeros(T &t, llvm::Intrinsic::ID id, V *value) {
    auto &ir = t.b_;
    V *const count = ir.CreateZExtOrTrunc(ir.CreateBinaryIntrinsic(id, value, ir.getFalse()), ir.getInt32Ty());
    return ir.CreateSelect(ir.CreateIsNull(value), ir.getInt32(~0u), count);
  }
  static V *count(T &t, V *value) {
    return t.b_.CreateZExtOrTrunc(t.b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, value), t.b_.getInt32Ty());
  }
};

#define OP(names, types, expression)                                                                                   \
  {names, types, [](T &t, [[maybe_unused]] V *a, [[maybe_unused]] V *b) -> V * {                                       \
     [[maybe_unused]] auto &ir = t.b_;                                                                                 \
     return expression;                                                                                                \
   }}
#define BOTH(name, expression) OP(name "_b32", "iii+", expression), OP(name "_b64", "lll+", expression)
const ScalarOperation ScalarOperation::kAll[] = {
    OP("s_mov_b32", "ii", a),
    OP("s_mov_b64", "ll", a),
    OP("s_add_u32", "iii", sum(t, a, b, false)),
    OP("s_addc_u32", "iii", sum(t, a, b, true)),
    OP("s_sub_u32", "iii", difference(t, a, b, false)),
    OP("s_subb_u32", "iii", difference(t, a, b, true)),
    OP("s_add_i32", "iii", signed_overflow(t, Op::sadd_with_overflow, a, b)),
    OP("s_sub_i32", "iii", signed_overflow(t, Op::ssub_with_overflow, a, b)),
    OP("s_min_i32", "iii", extreme(t, P::ICMP_SLT, a, b)),
    OP("s_min_u32", "iii", extreme(t, P::ICMP_ULT, a, b)),
    OP("s_max_i32", "iii", extreme(t, P::ICMP_SGT, a, b)),
    OP("s_max_u32", "iii", extreme(t, P::ICMP_UGT, a, b)),
    OP("s_mul_i32", "iii", ir.CreateMul(a, b)),
    OP("s_mul_hi_u32", "iii", high_product(t, a, b, false)),
    OP("s_mul_hi_i32", "iii", high_product(t, a, b, true)),
    OP("s_abs_i32", "ii+", ir.CreateSelect(ir.CreateICmpSLT(a, ir.getInt32(0)), ir.CreateNeg(a), a)),
    OP("s_absdiff_i32", "iii+",
       ir.CreateSelect(ir.CreateICmpSLT(ir.CreateSub(a, b), ir.getInt32(0)), ir.CreateSub(b, a), ir.CreateSub(a, b))),
    OP("s_lshl1_add_u32", "iii", shift_add(t, a, b, 1)),
    OP("s_lshl2_add_u32", "iii", shift_add(t, a, b, 2)),
    OP("s_lshl3_add_u32", "iii", shift_add(t, a, b, 3)),
    OP("s_lshl4_add_u32", "iii", shift_add(t, a, b, 4)),
    BOTH("s_and", ir.CreateAnd(a, b)),
    BOTH("s_or", ir.CreateOr(a, b)),
    BOTH("s_xor", ir.CreateXor(a, b)),
    BOTH("s_nand", ir.CreateNot(ir.CreateAnd(a, b))),
    BOTH("s_nor", ir.CreateNot(ir.CreateOr(a, b))),
    BOTH("s_xnor", ir.CreateNot(ir.CreateXor(a, b))),
    BOTH("s_andn2", ir.CreateAnd(a, ir.CreateNot(b))),
    BOTH("s_and_not1", ir.CreateAnd(a, ir.CreateNot(b))),
    BOTH("s_orn2", ir.CreateOr(a, ir.CreateNot(b))),
    BOTH("s_or_not1", ir.CreateOr(a, ir.CreateNot(b))),
    OP("s_lshl_b32", "iii+", ir.CreateShl(a, amount(t, b, a))),
    OP("s_lshl_b64", "lli+", ir.CreateShl(a, amount(t, b, a))),
    OP("s_lshr_b32", "iii+", ir.CreateLShr(a, amount(t, b, a))),
    OP("s_lshr_b64", "lli+", ir.CreateLShr(a, amount(t, b, a))),
    OP("s_ashr_i32", "iii+", ir.CreateAShr(a, amount(t, b, a))),
    OP("s_ashr_i64", "LLi+", ir.CreateAShr(a, amount(t, b, a))),
    OP("s_bfm_b32", "iii", ir.CreateShl(ones(t, a, a), amount(t, b, a))),
    OP("s_bfm_b64", "lii", ir.CreateShl(ones(t, a, ir.getInt64(0)), amount(t, b, ir.getInt64(0)))),
    OP("s_bfe_u32", "iii+", bitfield(t, a, b, false)),
    OP("s_bfe_i32", "iii+", bitfield(t, a, b, true)),
    OP("s_bfe_u64", "lli+", bitfield(t, a, b, false)),
    OP("s_bfe_i64", "LLi+", bitfield(t, a, b, true)),
    OP("s_pack_ll_b32_b16", "iii", ir.CreateOr(ir.CreateAnd(a, ir.getInt32(0xFFFF)), ir.CreateShl(b, ir.getInt32(16)))),
    OP("s_pack_lh_b32_b16", "iii",
       ir.CreateOr(ir.CreateAnd(a, ir.getInt32(0xFFFF)), ir.CreateAnd(b, ir.getInt32(0xFFFF0000)))),
    OP("s_pack_hh_b32_b16", "iii",
       ir.CreateOr(ir.CreateLShr(a, ir.getInt32(16)), ir.CreateAnd(b, ir.getInt32(0xFFFF0000)))),
    OP("s_not_b32", "ii+", ir.CreateNot(a)),
    OP("s_not_b64", "ll+", ir.CreateNot(a)),
    OP("s_brev_b32", "ii", ir.CreateUnaryIntrinsic(Op::bitreverse, a)),
    OP("s_brev_b64", "ll", ir.CreateUnaryIntrinsic(Op::bitreverse, a)),
    OP("s_bcnt0_i32_b32", "ii+", count(t, ir.CreateNot(a))),
    OP("s_bcnt0_i32_b64", "il+", count(t, ir.CreateNot(a))),
    OP("s_bcnt1_i32_b32", "ii+", count(t, a)),
    OP("s_bcnt1_i32_b64", "il+", count(t, a)),
    OP("s_ff1_i32_b32 s_ctz_i32_b32", "ii", zeros(t, Op::cttz, a)),
    OP("s_ff1_i32_b64 s_ctz_i32_b64", "il", zeros(t, Op::cttz, a)),
    OP("s_flbit_i32_b32 s_clz_i32_u32", "ii", zeros(t, Op::ctlz, a)),
    OP("s_flbit_i32_b64 s_clz_i32_u64", "il", zeros(t, Op::ctlz, a)),
    OP("s_sext_i32_i8", "ii", ir.CreateSExt(ir.CreateTrunc(a, ir.getInt8Ty()), ir.getInt32Ty())),
    OP("s_sext_i32_i16", "ii", ir.CreateSExt(ir.CreateTrunc(a, ir.getInt16Ty()), ir.getInt32Ty())),
};
#undef BOTH
#undef OP

const ScalarOperation *ScalarOperation::find(std::string_view name) {
  static const auto &known = *new const auto(by_names(kAll));
  const auto found = known.find(name);
  return found == known.end() ? nullptr : found->second;
}

llvm::Value *Translator::scalar_of(const Operand &operand, char type) {
  return type == 'i' ? scalar_source(operand) : scalar_source64(operand, type == 'L');
}

bool Translator::can_set_scalar(const Operand &operand, bool is_wide) {
  return operand.kind == Kind::kScalar && (operand.index == kNull || operand.registers == (is_wide ? 2 : 1));
}

void Translator::set_scalar(const Operand &operand, Value *value) {
  value->getType()->isIntegerTy(64) ? write_pair(operand.index, value) : write_scalar(operand.index, value);
}

bool Translator::scalars(const Instruction &i) {
  const ScalarOperation *const operation = ScalarOperation::find(i.name);
  if (!operation)
    return false;
  const bool tells = operation->types.ends_with('+');
  const std::string_view types = operation->types.substr(0, operation->types.size() - (tells ? 1 : 0));
  if (i.count != types.size() || !can_set_scalar(i.operands[0], types[0] != 'i'))
    return false;
  Value *const a = scalar_of(i.operands[1], types[1]);
  Value *const b = types.size() > 2 ? scalar_of(i.operands[2], types[2]) : nullptr;
  if (!a || (types.size() > 2 && !b))
    return false;
  Value *const result = operation->compute(*this, a, b);
  set_scalar(i.operands[0], tells ? told(result) : result);
  return true;
}

// Instructions with an immediate of 16 bits.
bool Translator::scalar_constant(const Instruction &i) {
  if (i.name != "s_movk_i32" && i.name != "s_cmovk_i32" && i.name != "s_addk_i32" && i.name != "s_mulk_i32")
    return false;
  const Operand &to = i.operands[0];
  if (!can_set_scalar(to, false))
    return false;
  Value *const constant = b_.getInt32(static_cast<uint32_t>(int32_t{static_cast<int16_t>(i.operands[1].bits)}));
  Value *result = constant;
  if (i.name == "s_cmovk_i32")
    result = b_.CreateSelect(scc(), constant, read_scalar(to.index));
  else if (i.name == "s_addk_i32")
    result =
        ScalarOperation::signed_overflow(*this, llvm::Intrinsic::sadd_with_overflow, read_scalar(to.index), constant);
  else if (i.name == "s_mulk_i32")
    result = b_.CreateMul(read_scalar(to.index), constant);
  set_scalar(to, result);
  return true;
}

bool Translator::scalar_compare(const Instruction &i) {
  using P = llvm::CmpInst::Predicate;
  static constexpr struct {
    std::string_view name;
    P of_unsigned, of_signed;
  } kRelations[] = {{"eq", P::ICMP_EQ, P::ICMP_EQ},   {"lg", P::ICMP_NE, P::ICMP_NE},
                    {"gt", P::ICMP_UGT, P::ICMP_SGT}, {"ge", P::ICMP_UGE, P::ICMP_SGE},
                    {"lt", P::ICMP_ULT, P::ICMP_SLT}, {"le", P::ICMP_ULE, P::ICMP_SLE}};
  std::string_view name = i.name;
  if (name.starts_with("s_bitcmp")) { // s_bitcmp0_b32
    const bool is_wide = name.ends_with("64");
    Value *const value = scalar_of(i.operands[0], is_wide ? 'l' : 'i'), *const bit = scalar_source(i.operands[1]);
    if (!value || !bit)
      return false;
    Value *const moved = b_.CreateLShr(value, ScalarOperation::amount(*this, bit, value));
    Value *const is_one = b_.CreateTrunc(moved, b_.getInt1Ty());
    set_scc(name[8] == '1' ? is_one : b_.CreateNot(is_one));
    return true;
  }
  const bool is_immediate = name.starts_with("s_cmpk_");
  if (!is_immediate && !name.starts_with("s_cmp_"))
    return false;
  name.remove_prefix(is_immediate ? 7 : 6);
  const auto known = std::ranges::find(kRelations, name.substr(0, 2), [](const auto &one) { return one.name; });
  if (known == std::end(kRelations) || name.size() != 6)
    return false;
  const bool is_wide = name.ends_with("64"), is_signed = name[3] == 'i';
  Value *const a = scalar_of(i.operands[0], is_wide ? 'l' : 'i');
  Value *b = nullptr;
  if (is_immediate)
    b = b_.getInt32(is_signed ? static_cast<uint32_t>(int32_t{static_cast<int16_t>(i.operands[1].bits)})
                              : static_cast<uint32_t>(i.operands[1].bits & 0xFFFF));
  else
    b = scalar_of(i.operands[1], is_wide ? 'l' : 'i');
  if (!a || !b)
    return false;
  set_scc(b_.CreateICmp(is_signed ? known->of_signed : known->of_unsigned, a, b));
  return true;
}

bool Translator::scalar_select(const Instruction &i) {
  const bool selects = i.name.starts_with("s_cselect_"), moves = i.name.starts_with("s_cmov_");
  const bool is_wide = i.name.ends_with("64");
  if ((!selects && !moves) || !can_set_scalar(i.operands[0], is_wide))
    return false;
  Value *const a = scalar_of(i.operands[1], is_wide ? 'l' : 'i');
  Value *const b = scalar_of(i.operands[selects ? 2 : 0], is_wide ? 'l' : 'i');
  if (!a || !b)
    return false;
  set_scalar(i.operands[0], b_.CreateSelect(scc(), a, b));
  return true;
}

// s_and_saveexec_b64 and the like: the execution mask, and what it was.
bool Translator::change_exec(const Instruction &i) {
  const std::string_view name = i.name;
  const size_t save = name.find("_saveexec_"), write = name.find("_wrexec_");
  if (save == std::string_view::npos && write == std::string_view::npos)
    return false;
  const bool is_wide = name.ends_with("64");
  const std::string_view operation = name.substr(2, std::min(save, write) - 2);
  if (!can_set_scalar(i.operands[0], is_wide))
    return false;
  Value *const a = scalar_of(i.operands[1], is_wide ? 'l' : 'i'), *const b =
                                                                      is_wide ? read_pair(kExec) : read_scalar(kExec);
  if (!a)
    return false;
  Value *after = nullptr;
  if (operation == "and")
    after = b_.CreateAnd(a, b);
  else if (operation == "or")
    after = b_.CreateOr(a, b);
  else if (operation == "xor")
    after = b_.CreateXor(a, b);
  else if (operation == "andn2" || operation == "and_not1")
    after = b_.CreateAnd(a, b_.CreateNot(b));
  else if (operation == "orn2" || operation == "or_not1")
    after = b_.CreateOr(a, b_.CreateNot(b));
  else if (operation == "andn1" || operation == "and_not0")
    after = b_.CreateAnd(b_.CreateNot(a), b);
  else if (operation == "orn1" || operation == "or_not0")
    after = b_.CreateOr(b_.CreateNot(a), b);
  else
    return false;
  is_wide ? write_pair(kExec, after) : write_scalar(kExec, after);
  set_scalar(i.operands[0], write != std::string_view::npos ? after : b);
  set_scc(b_.CreateIsNotNull(after));
  return true;
}

} // namespace emulator::executor::amdgpu
