// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vector instructions.

#include "translator.h"

namespace emulator::executor::amdgpu {

/// The result of instructions of these names. types: of the result and of the sources (Translator::source). With + at
/// the end the last source is the destination.
struct LaneOperation {
  using T = Translator;
  using V = llvm::Value;
  std::string_view names, types;
  V *(*compute)(T &t, V *a, V *b, V *c);
  static const LaneOperation kAll[];
  static const LaneOperation *find(std::string_view name);
};

namespace {
namespace Op = llvm::Intrinsic;
} // namespace

llvm::Value *Translator::high_product(Value *a, Value *b, bool is_signed) {
  Value *const product = b_.CreateMul(resize(a, 64, is_signed), resize(b, 64, is_signed));
  return resize(b_.CreateLShr(product, number(64, 32)), 32);
}

#define OP(names, types, expression)                                                                                   \
  {names, types, [](T &t, [[maybe_unused]] V *a, [[maybe_unused]] V *b, [[maybe_unused]] V *c) -> V * {                \
     [[maybe_unused]] auto &ir = t.b_;                                                                                 \
     return expression;                                                                                                \
   }}
#define ONE(name, expression) OP(name "_f32", "ff", expression), OP(name "_f64", "dd", expression)
#define TWO(name, expression) OP(name "_f32", "fff", expression), OP(name "_f64", "ddd", expression)
#define THREE(name, expression) OP(name "_f32", "ffff", expression), OP(name "_f64", "dddd", expression)
const LaneOperation LaneOperation::kAll[] = {
    OP("v_mov_b32 v_accvgpr_read_b32 v_accvgpr_write_b32 v_accvgpr_mov_b32", "ii", a),
    OP("v_mov_b64", "ll", a),
    OP("v_not_b32", "ii", ir.CreateNot(a)),
    OP("v_bfrev_b32", "ii", t.unary(Op::bitreverse, a)),
    OP("v_ffbh_u32 v_clz_i32_u32", "ii",
       ir.CreateSelect(ir.CreateIsNull(a), t.number(32, ~0u), ir.CreateBinaryIntrinsic(Op::ctlz, a, ir.getFalse()))),
    OP("v_ffbl_b32 v_ctz_i32_b32", "ii",
       ir.CreateSelect(ir.CreateIsNull(a), t.number(32, ~0u), ir.CreateBinaryIntrinsic(Op::cttz, a, ir.getFalse()))),
    OP("v_add_u32 v_add_nc_u32 v_add_i32 v_add_nc_i32", "iii", ir.CreateAdd(a, b)),
    OP("v_sub_u32 v_sub_nc_u32 v_sub_i32 v_sub_nc_i32", "iii", ir.CreateSub(a, b)),
    OP("v_subrev_u32 v_subrev_nc_u32", "iii", ir.CreateSub(b, a)),
    OP("v_mul_lo_u32", "iii", ir.CreateMul(a, b)),
    OP("v_mul_hi_u32", "iii", t.high_product(a, b, false)),
    OP("v_mul_hi_i32", "iii", t.high_product(a, b, true)),
    OP("v_mul_i32_i24", "iii", ir.CreateMul(t.sign24(a), t.sign24(b))),
    OP("v_mul_hi_i32_i24", "iii", t.high_product(t.sign24(a), t.sign24(b), true)),
    OP("v_mul_u32_u24", "iii", ir.CreateMul(t.low24(a), t.low24(b))),
    OP("v_mul_hi_u32_u24", "iii", t.high_product(t.low24(a), t.low24(b), false)),
    OP("v_mad_i32_i24", "iiii", ir.CreateAdd(ir.CreateMul(t.sign24(a), t.sign24(b)), c)),
    OP("v_mad_u32_u24", "iiii", ir.CreateAdd(ir.CreateMul(t.low24(a), t.low24(b)), c)),
    OP("v_min_i32", "iii", t.binary(Op::smin, a, b)),
    OP("v_max_i32", "iii", t.binary(Op::smax, a, b)),
    OP("v_min_u32", "iii", t.binary(Op::umin, a, b)),
    OP("v_max_u32", "iii", t.binary(Op::umax, a, b)),
    OP("v_min3_i32", "iiii", t.binary(Op::smin, t.binary(Op::smin, a, b), c)),
    OP("v_max3_i32", "iiii", t.binary(Op::smax, t.binary(Op::smax, a, b), c)),
    OP("v_min3_u32", "iiii", t.binary(Op::umin, t.binary(Op::umin, a, b), c)),
    OP("v_max3_u32", "iiii", t.binary(Op::umax, t.binary(Op::umax, a, b), c)),
    OP("v_med3_i32", "iiii",
       t.binary(Op::smax, t.binary(Op::smin, a, b), t.binary(Op::smin, t.binary(Op::smax, a, b), c))),
    OP("v_med3_u32", "iiii",
       t.binary(Op::umax, t.binary(Op::umin, a, b), t.binary(Op::umin, t.binary(Op::umax, a, b), c))),
    OP("v_maxmin_i32", "iiii", t.binary(Op::smin, t.binary(Op::smax, a, b), c)),
    OP("v_minmax_i32", "iiii", t.binary(Op::smax, t.binary(Op::smin, a, b), c)),
    OP("v_maxmin_u32", "iiii", t.binary(Op::umin, t.binary(Op::umax, a, b), c)),
    OP("v_minmax_u32", "iiii", t.binary(Op::umax, t.binary(Op::umin, a, b), c)),
    OP("v_and_b32", "iii", ir.CreateAnd(a, b)),
    OP("v_or_b32", "iii", ir.CreateOr(a, b)),
    OP("v_xor_b32", "iii", ir.CreateXor(a, b)),
    OP("v_xnor_b32", "iii", ir.CreateNot(ir.CreateXor(a, b))),
    OP("v_lshlrev_b32", "iii", ir.CreateShl(b, t.shift_amount(a, 32))),
    OP("v_lshrrev_b32", "iii", ir.CreateLShr(b, t.shift_amount(a, 32))),
    OP("v_ashrrev_i32", "iii", ir.CreateAShr(b, t.shift_amount(a, 32))),
    OP("v_lshlrev_b64", "lil", ir.CreateShl(b, t.shift_amount(a, 64))),
    OP("v_lshrrev_b64", "lil", ir.CreateLShr(b, t.shift_amount(a, 64))),
    OP("v_ashrrev_i64", "LiL", ir.CreateAShr(b, t.shift_amount(a, 64))),
    OP("v_bfe_u32", "iiii",
       ir.CreateAnd(ir.CreateLShr(a, t.shift_amount(b, 32)),
                    ir.CreateSub(ir.CreateShl(t.number(32, 1), t.shift_amount(c, 32)), t.number(32, 1)))),
    OP("v_bfe_i32", "iiii", t.signed_field(a, t.shift_amount(b, 32), t.shift_amount(c, 32))),
    OP("v_bfi_b32", "iiii", ir.CreateOr(ir.CreateAnd(a, b), ir.CreateAnd(ir.CreateNot(a), c))),
    OP("v_bfm_b32", "iii",
       ir.CreateShl(ir.CreateSub(ir.CreateShl(t.number(32, 1), t.shift_amount(a, 32)), t.number(32, 1)),
                    t.shift_amount(b, 32))),
    OP("v_alignbit_b32", "iiii", ir.CreateIntrinsic(Op::fshr, {a->getType()}, {a, b, c})),
    OP("v_alignbyte_b32", "iiii",
       ir.CreateIntrinsic(Op::fshr, {a->getType()},
                          {a, b, ir.CreateShl(ir.CreateAnd(c, t.number(32, 3)), t.number(32, 3))})),
    OP("v_sad_u32", "iiii", ir.CreateAdd(ir.CreateSub(t.binary(Op::umax, a, b), t.binary(Op::umin, a, b)), c)),
    OP("v_bcnt_u32_b32", "iii", ir.CreateAdd(t.unary(Op::ctpop, a), b)),
    OP("v_lshl_add_u32", "iiii", ir.CreateAdd(ir.CreateShl(a, t.shift_amount(b, 32)), c)),
    OP("v_add_lshl_u32", "iiii", ir.CreateShl(ir.CreateAdd(a, b), t.shift_amount(c, 32))),
    OP("v_lshl_or_b32", "iiii", ir.CreateOr(ir.CreateShl(a, t.shift_amount(b, 32)), c)),
    OP("v_lshl_add_u64", "llil", ir.CreateAdd(ir.CreateShl(a, t.resize(ir.CreateAnd(b, t.number(32, 7)), 64)), c)),
    OP("v_and_or_b32", "iiii", ir.CreateOr(ir.CreateAnd(a, b), c)),
    OP("v_or3_b32", "iiii", ir.CreateOr(ir.CreateOr(a, b), c)),
    OP("v_xor3_b32", "iiii", ir.CreateXor(ir.CreateXor(a, b), c)),
    OP("v_xad_u32", "iiii", ir.CreateAdd(ir.CreateXor(a, b), c)),
    OP("v_add3_u32", "iiii", ir.CreateAdd(ir.CreateAdd(a, b), c)),
    TWO("v_add", ir.CreateFAdd(a, b)),
    TWO("v_mul", ir.CreateFMul(a, b)),
    TWO("v_min", t.float_extreme(a, b, true)),
    TWO("v_max", t.float_extreme(a, b, false)),
    THREE("v_fma", t.fused(a, b, c)),
    OP("v_fmac_f32", "ffff+", t.fused(a, b, c)),
    OP("v_fmac_f64", "dddd+", t.fused(a, b, c)),
    OP("v_fmamk_f32 v_fmaak_f32", "ffff", t.fused(a, b, c)),
    OP("v_sub_f32", "fff", ir.CreateFSub(a, b)),
    OP("v_subrev_f32", "fff", ir.CreateFSub(b, a)),
    OP("v_min3_f32", "ffff", t.float_extreme(t.float_extreme(a, b, true), c, true)),
    OP("v_max3_f32", "ffff", t.float_extreme(t.float_extreme(a, b, false), c, false)),
    ONE("v_rcp", ir.CreateFDiv(t.real(t.bits_of(a), 1), a)),
    OP("v_rcp_iflag_f32", "ff", ir.CreateFDiv(t.real(32, 1), a)),
    ONE("v_rsq", ir.CreateFDiv(t.real(t.bits_of(a), 1), t.unary(Op::sqrt, a))),
    ONE("v_sqrt", t.unary(Op::sqrt, a)),
    ONE("v_trunc", t.unary(Op::trunc, a)),
    ONE("v_ceil", t.unary(Op::ceil, a)),
    ONE("v_floor", t.unary(Op::floor, a)),
    ONE("v_rndne", t.unary(Op::nearbyint, a)),
    ONE("v_fract", t.fraction(a)),
    OP("v_ldexp_f32", "ffi", t.scale(a, b)),
    OP("v_ldexp_f64", "ddi", t.scale(a, b)),
    OP("v_cvt_f32_i32", "fi", ir.CreateSIToFP(a, t.floats(32))),
    OP("v_cvt_f32_u32", "fi", ir.CreateUIToFP(a, t.floats(32))),
    OP("v_cvt_f64_i32", "di", ir.CreateSIToFP(a, t.floats(64))),
    OP("v_cvt_f64_u32", "di", ir.CreateUIToFP(a, t.floats(64))),
    OP("v_cvt_i32_f32", "if", t.saturated(a, true)),
    OP("v_cvt_u32_f32", "if", t.saturated(a, false)),
    OP("v_cvt_i32_f64", "id", t.saturated(a, true)),
    OP("v_cvt_u32_f64", "id", t.saturated(a, false)),
    OP("v_cvt_flr_i32_f32 v_cvt_floor_i32_f32", "if", t.saturated(t.unary(Op::floor, a), true)),
    OP("v_cvt_f32_f64", "fd", ir.CreateFPTrunc(a, t.floats(32))),
    OP("v_cvt_f64_f32", "df", ir.CreateFPExt(a, t.floats(64))),
    OP("v_add_f16", "hhh", ir.CreateFAdd(a, b)),
    OP("v_sub_f16", "hhh", ir.CreateFSub(a, b)),
    OP("v_subrev_f16", "hhh", ir.CreateFSub(b, a)),
    OP("v_mul_f16", "hhh", ir.CreateFMul(a, b)),
    OP("v_min_f16", "hhh", t.float_extreme(a, b, true)),
    OP("v_max_f16", "hhh", t.float_extreme(a, b, false)),
    OP("v_fma_f16 v_fmamk_f16 v_fmaak_f16", "hhhh", t.fused_half(a, b, c, false)),
    OP("v_fmac_f16", "hhhh+", t.fused_half(a, b, c, false)),
    OP("v_rcp_f16", "hh", ir.CreateFDiv(t.real(32, 1), a)),
    OP("v_sqrt_f16", "hh", t.unary(Op::sqrt, a)),
    OP("v_trunc_f16", "hh", t.unary(Op::trunc, a)),
    OP("v_ceil_f16", "hh", t.unary(Op::ceil, a)),
    OP("v_floor_f16", "hh", t.unary(Op::floor, a)),
    OP("v_rndne_f16", "hh", t.unary(Op::nearbyint, a)),
    OP("v_cvt_f32_f16", "fh", a),
    OP("v_cvt_f16_f32", "hf", a),
    OP("v_cvt_f32_ubyte0", "fi", t.float_of_byte(a, 0)),
    OP("v_cvt_f32_ubyte1", "fi", t.float_of_byte(a, 1)),
    OP("v_cvt_f32_ubyte2", "fi", t.float_of_byte(a, 2)),
    OP("v_cvt_f32_ubyte3", "fi", t.float_of_byte(a, 3)),
};
#undef THREE
#undef TWO
#undef ONE
#undef OP

const LaneOperation *LaneOperation::find(std::string_view name) {
  static const auto &known = *new const auto(by_names(kAll));
  const auto found = known.find(name);
  return found == known.end() ? nullptr : found->second;
}

llvm::Value *Translator::signed_field(Value *value, Value *offset, Value *width) {
  Value *const end = b_.CreateAdd(offset, width), *const all = number(32, 32);
  Value *const is_last = b_.CreateICmpUGE(end, all), *const is_none = b_.CreateIsNull(width);
  // Amounts of 32 are not looked at.
  Value *const up = b_.CreateAnd(b_.CreateSub(all, end), number(32, 31)), *const down = b_.CreateAnd(
                                                                              b_.CreateSub(all, width), number(32, 31));
  Value *const inner = b_.CreateAShr(b_.CreateShl(value, up), down);
  return b_.CreateSelect(is_none, number(32, 0), b_.CreateSelect(is_last, b_.CreateAShr(value, offset), inner));
}

llvm::Value *Translator::float_of_byte(Value *value, unsigned byte) {
  return b_.CreateUIToFP(b_.CreateAnd(b_.CreateLShr(value, number(32, uint64_t{byte} * 8)), number(32, 0xFF)),
                         floats(32));
}

// Applies the output modifiers to a float.
llvm::Value *Translator::scaled(const Instruction &i, Value *value) {
  const unsigned width = bits_of(value);
  if (i.output_scale)
    value = b_.CreateFMul(value, real(width, i.output_scale == 1 ? 2 : i.output_scale == 2 ? 4 : 0.5));
  if (i.clamps)
    value = b_.CreateSelect(b_.CreateFCmpOGT(value, real(width, 1)), real(width, 1),
                            b_.CreateSelect(b_.CreateFCmpOGT(value, real(width, 0)), value, real(width, 0)));
  return value;
}

bool Translator::lanes(const Instruction &i) {
  const LaneOperation *const operation = LaneOperation::find(i.name);
  if (!operation || i.has_op_sel)
    return false;
  const bool is_onto = operation->types.ends_with('+');
  const std::string_view types = operation->types.substr(0, operation->types.size() - (is_onto ? 1 : 0));
  const bool is_half = types[0] == 'h', is_float = is_half || types[0] == 'f' || types[0] == 'd';
  if ((is_half && i.output_scale) || i.count != types.size() - (is_onto ? 1 : 0) ||
      (!is_float && (i.clamps || i.output_scale)))
    return false;
  Value *values[3] = {};
  for (size_t n = 1; n < types.size(); ++n) {
    values[n - 1] = source(i.operands[is_onto && n + 1 == types.size() ? 0 : n], types[n]);
    if (!values[n - 1])
      return false;
  }
  Value *const result = operation->compute(*this, values[0], values[1], values[2]);
  return set_result(i.operands[0], types[0], is_float ? scaled(i, result) : result);
}

// Sums with a carry: result, carry out, two sources, and perhaps carry in.
bool Translator::carry(const Instruction &i) {
  std::string_view name = i.name;
  const bool takes_carry = name.starts_with("v_addc_co") || name.starts_with("v_add_co_ci") ||
                           name.starts_with("v_subb") || name.find("_co_ci") != std::string_view::npos;
  const bool is_sum = name.starts_with("v_add"), is_reversed = name.find("rev") != std::string_view::npos;
  if (name.find("_co_") == std::string_view::npos || i.has_op_sel || i.clamps || i.count != (takes_carry ? 5 : 4) ||
      i.operands[1].kind != Kind::kScalar)
    return false;
  Value *a = source(i.operands[2], 'i'), *b = source(i.operands[3], 'i');
  Value *const carries = takes_carry ? mask_source(i.operands[4]) : nullptr;
  if (!a || !b || (takes_carry && !carries))
    return false;
  if (is_reversed)
    std::swap(a, b);
  Value *const in = takes_carry ? b_.CreateZExt(lanes_of(carries), vector(32)) : nullptr;
  Value *result = is_sum ? b_.CreateAdd(a, b) : b_.CreateSub(a, b);
  Value *out = is_sum ? b_.CreateICmpULT(result, a) : b_.CreateICmpULT(a, b);
  if (in) {
    Value *const before = result;
    result = is_sum ? b_.CreateAdd(before, in) : b_.CreateSub(before, in);
    out = b_.CreateOr(out, is_sum ? b_.CreateICmpULT(result, before) : b_.CreateICmpULT(before, in));
  }
  if (!set_result(i.operands[0], 'i', result))
    return false;
  write_mask(i.operands[1].index, b_.CreateAnd(bits_of_lanes(out), mask_bits_));
  return true;
}

// Result of 64 bits, carry out, two sources of 32 bits and one of 64.
bool Translator::multiply_add(const Instruction &i) {
  const bool is_signed = i.name == "v_mad_i64_i32";
  if ((!is_signed && i.name != "v_mad_u64_u32") || i.count != 5 || i.has_op_sel || i.clamps ||
      i.operands[1].kind != Kind::kScalar)
    return false;
  Value *const a = source(i.operands[2], 'i'), *const b = source(i.operands[3], 'i'),
               *const c = source(i.operands[4], is_signed ? 'L' : 'l');
  if (!a || !b || !c)
    return false;
  Value *const product = b_.CreateMul(resize(a, 64, is_signed), resize(b, 64, is_signed));
  Value *const sum = b_.CreateAdd(product, c);
  // Signed: both have a sign that the sum does not have.
  Value *const out =
      is_signed ? b_.CreateICmpSLT(b_.CreateAnd(b_.CreateXor(sum, product), b_.CreateXor(sum, c)), number(64, 0))
                : b_.CreateICmpULT(sum, c);
  if (!set_result(i.operands[0], 'l', sum))
    return false;
  write_mask(i.operands[1].index, b_.CreateAnd(bits_of_lanes(out), mask_bits_));
  return true;
}

// A comparison: a bit for each active lane, into a mask or into the execution mask.
bool Translator::compare(const Instruction &i) {
  using P = llvm::CmpInst::Predicate;
  static constexpr struct {
    std::string_view name;
    P of_unsigned, of_signed, of_floats;
  } kRelations[] = {
      {"lt", P::ICMP_ULT, P::ICMP_SLT, P::FCMP_OLT},      {"eq", P::ICMP_EQ, P::ICMP_EQ, P::FCMP_OEQ},
      {"le", P::ICMP_ULE, P::ICMP_SLE, P::FCMP_OLE},      {"gt", P::ICMP_UGT, P::ICMP_SGT, P::FCMP_OGT},
      {"ne", P::ICMP_NE, P::ICMP_NE, P::FCMP_FALSE},      {"ge", P::ICMP_UGE, P::ICMP_SGE, P::FCMP_OGE},
      {"lg", P::FCMP_FALSE, P::FCMP_FALSE, P::FCMP_ONE},  {"o", P::FCMP_FALSE, P::FCMP_FALSE, P::FCMP_ORD},
      {"u", P::FCMP_FALSE, P::FCMP_FALSE, P::FCMP_UNO},   {"nge", P::FCMP_FALSE, P::FCMP_FALSE, P::FCMP_ULT},
      {"nlg", P::FCMP_FALSE, P::FCMP_FALSE, P::FCMP_UEQ}, {"ngt", P::FCMP_FALSE, P::FCMP_FALSE, P::FCMP_ULE},
      {"nle", P::FCMP_FALSE, P::FCMP_FALSE, P::FCMP_UGT}, {"neq", P::FCMP_FALSE, P::FCMP_FALSE, P::FCMP_UNE},
      {"nlt", P::FCMP_FALSE, P::FCMP_FALSE, P::FCMP_UGE}};
  const bool changes_exec = i.name.starts_with("v_cmpx_");
  const std::string_view rest = std::string_view(i.name).substr(changes_exec ? 7 : 6);
  const size_t end = rest.find('_');
  const unsigned first = i.count == 3 ? 1 : 0;
  if (end == std::string_view::npos || i.has_op_sel || i.clamps || i.count != first + 2 ||
      (first == 0 && !changes_exec) || (first == 1 && i.operands[0].kind != Kind::kScalar))
    return false;
  const std::string_view relation = rest.substr(0, end), type = rest.substr(end + 1);
  const bool is_half = type == "u16" || type == "i16";
  const char kind = type == "u32" || type == "i32" || is_half ? 'i'
                    : type == "u64"                           ? 'l'
                    : type == "i64"                           ? 'L'
                    : type == "f32"                           ? 'f'
                    : type == "f64"                           ? 'd'
                    : type == "f16"                           ? 'h'
                                                              : '\0';
  const auto known = std::ranges::find(kRelations, relation, [](const auto &one) { return one.name; });
  if (kind == '\0' || known == std::end(kRelations))
    return false;
  const P predicate = type[0] == 'f' ? known->of_floats : type[0] == 'i' ? known->of_signed : known->of_unsigned;
  Value *a = source(i.operands[first], kind), *b = source(i.operands[first + 1], kind);
  if (!a || !b || predicate == P::FCMP_FALSE ||
      (is_half && (i.operands[first].kind == Kind::kFloat || i.operands[first + 1].kind == Kind::kFloat)))
    return false;
  if (is_half) {
    a = resize(a, 16);
    b = resize(b, 16);
  }
  Value *const result = b_.CreateAnd(bits_of_lanes(b_.CreateCmp(predicate, a, b)), mask_bits_);
  if (first == 1)
    write_mask(i.operands[0].index, result);
  if (changes_exec)
    write_mask(kExec, result);
  return true;
}

bool Translator::select(const Instruction &i) {
  if (i.name != "v_cndmask_b32" || i.has_op_sel || i.clamps || i.output_scale)
    return false;
  Value *const a = source(i.operands[1], 'f'), *const b = source(i.operands[2], 'f');
  Value *const mask = i.count > 3 ? mask_source(i.operands[3]) : read_mask(kVcc);
  return a && b && mask && set_result(i.operands[0], 'i', b_.CreateSelect(lanes_of(mask), bits(b), bits(a)));
}

// Pairs of floats: each half of the result takes a half of each source.
bool Translator::packed(const Instruction &i) {
  const bool moves = i.name == "v_pk_mov_b32", fuses = i.name == "v_pk_fma_f32", adds = i.name == "v_pk_add_f32";
  if ((!moves && !fuses && !adds && i.name != "v_pk_mul_f32") || i.clamps || i.output_scale ||
      i.operands[0].kind != Kind::kVector || i.operands[0].registers != 2)
    return false;
  const auto half_of = [&](unsigned n, bool is_upper) -> Value * {
    const Operand &operand = i.operands[n + 1];
    const bool is_constant = operand.kind == Kind::kInteger || operand.kind == Kind::kFloat;
    Value *value = nullptr;
    if (operand.is_negated || operand.is_absolute)
      return nullptr;
    if (operand.kind == Kind::kInteger && operand.bits == 0)
      value = number(32, 0);
    else if (is_constant && !is_upper)
      value = source32(operand);
    else if (operand.registers == 2 && operand.kind == Kind::kVector)
      value = read_vector(operand.index + (is_upper ? 1u : 0u));
    else if (operand.registers == 2 && operand.kind == Kind::kScalar)
      value = splat(read_scalar(operand.index + (is_upper ? 1u : 0u)));
    return value;
  };
  Value *results[2] = {};
  for (unsigned half = 0; half < 2; ++half) {
    if (moves) {
      results[half] = half_of(half, i.op_sel[half] != 0);
    } else {
      Value *values[3] = {};
      for (unsigned n = 0; n < (fuses ? 3 : 2); ++n) {
        Value *const value = half_of(n, half == 0 ? i.op_sel[n] != 0 : i.op_sel_hi[n] != 0);
        if (!value)
          return false;
        values[n] = b_.CreateBitCast(value, floats(32));
        if (half == 0 ? i.neg_lo[n] : i.neg_hi[n])
          values[n] = b_.CreateFNeg(values[n]);
      }
      results[half] = bits(fuses  ? fused(values[0], values[1], values[2])
                           : adds ? b_.CreateFAdd(values[0], values[1])
                                  : b_.CreateFMul(values[0], values[1]));
    }
    if (!results[half])
      return false;
  }
  write_vector(i.operands[0].index, results[0]);
  write_vector(i.operands[0].index + 1u, results[1]);
  return true;
}

// ---- Between lanes and scalars

// Without an active lane, lane 0 is read.
bool Translator::read_lane(const Instruction &i) {
  const bool is_first = i.name == "v_readfirstlane_b32", writes = i.name == "v_writelane_b32";
  if (!is_first && !writes && i.name != "v_readlane_b32")
    return false;
  const Operand &from = i.operands[1];
  Value *lane = nullptr;
  if (is_first) {
    Value *const first =
        b_.CreateTrunc(b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, mask_bits_, b_.getFalse()), b_.getInt32Ty());
    lane = is_full_ ? b_.getInt32(0) : b_.CreateSelect(b_.CreateIsNull(mask_bits_), b_.getInt32(0), first);
  } else {
    lane = scalar_source(i.operands[2]);
    if (!lane)
      return false;
    lane = b_.CreateAnd(lane, b_.getInt32(lanes_ - 1));
  }
  if (writes) {
    Value *const value = scalar_source(from);
    if (!value || i.operands[0].kind != Kind::kVector)
      return false;
    write_whole_vector(i.operands[0].index, b_.CreateInsertElement(whole_vector(i.operands[0].index), value, lane));
    return true;
  }
  if (i.operands[0].kind != Kind::kScalar)
    return false;
  Value *value = nullptr;
  if (from.kind != Kind::kVector)
    value = scalar_source(from);
  else if (const auto known = vectors_now_.find(from.index); known != vectors_now_.end() && known->second.is_new)
    value = b_.CreateExtractElement(whole_vector(from.index), lane);
  else
    value = b_.CreateAlignedLoad(b_.getInt32Ty(), b_.CreateGEP(b_.getInt32Ty(), vector_address(from.index), lane),
                                 llvm::Align(4));
  if (!value)
    return false;
  write_scalar(i.operands[0].index, value);
  return true;
}

// The bits of the mask that are below the lane, plus a value.
bool Translator::count_below(const Instruction &i) {
  const bool is_high = i.name == "v_mbcnt_hi_u32_b32";
  if ((!is_high && i.name != "v_mbcnt_lo_u32_b32") || i.has_op_sel || i.clamps)
    return false;
  Value *const mask = source(i.operands[1], 'i'), *const value = source(i.operands[2], 'i');
  if (!mask || !value)
    return false;
  std::vector<llvm::Constant *> below;
  below.reserve(lanes_);
  for (unsigned lane = 0; lane < lanes_; ++lane)
    below.push_back(b_.getInt32(static_cast<uint32_t>(((uint64_t{1} << lane) - 1) >> (is_high ? 32 : 0))));
  return set_result(
      i.operands[0], 'i',
      b_.CreateAdd(unary(llvm::Intrinsic::ctpop, b_.CreateAnd(mask, llvm::ConstantVector::get(below))), value));
}

} // namespace emulator::executor::amdgpu
