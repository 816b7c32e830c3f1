// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers and bits, lane by lane.

#include <algorithm>
#include <limits>

#include "operations.h"
#include "vector.h"

namespace emulator::executor::amdgpu {

namespace {

using U16 = uint16_t;
using I16 = int16_t;
using U32 = uint32_t;
using I32 = int32_t;
using U64 = uint64_t;
using I64 = int64_t;

I32 signed24(U32 value) { return static_cast<I32>(value << 8) >> 8; }
U32 unsigned24(U32 value) { return value & 0xFFFFFF; }

U32 reverse(U32 value) {
  U32 result = 0;
  for (unsigned bit = 0; bit < 32; ++bit)
    result |= (value >> bit & 1) << (31 - bit);
  return result;
}
U32 bitfield(U32 value, U32 offset, U32 width) {
  offset &= 31;
  width &= 31;
  return value >> offset & ((1u << width) - 1);
}
I32 signed_bitfield(I32 value, U32 offset, U32 width) {
  offset &= 31;
  width &= 31;
  if (width == 0)
    return 0;
  if (offset + width >= 32)
    return value >> offset;
  return static_cast<I32>(static_cast<U32>(value) << (32 - offset - width)) >> (32 - width);
}
// Each byte of the selector chooses a byte of the two sources, 0, 0xFF or a sign.
U32 permute(U32 high, U32 low, U32 selector) {
  const U64 bytes = U64{high} << 32 | low;
  U32 result = 0;
  for (unsigned n = 0; n < 4; ++n) {
    const U32 select = selector >> n * 8 & 0xFF;
    U32 byte = 0xFF;
    if (select < 8)
      byte = static_cast<U32>(bytes >> select * 8 & 0xFF);
    else if (select < 12)
      byte = bytes >> ((select - 8) * 16 + 15) & 1 ? 0xFF : 0;
    else if (select == 12)
      byte = 0;
    result |= byte << n * 8;
  }
  return result;
}
template <class T> T median(T a, T b, T c) { return std::max(std::min(a, b), std::min(std::max(a, b), c)); }
U32 sum_of_differences(U32 a, U32 b, U32 c) {
  for (unsigned n = 0; n < 32; n += 8) {
    const I32 difference = static_cast<I32>(a >> n & 0xFF) - static_cast<I32>(b >> n & 0xFF);
    c += static_cast<U32>(difference < 0 ? -difference : difference);
  }
  return c;
}

// ---- Sums with a carry: result, carry out, two sources, and perhaps carry in
template <bool TakesCarry, auto F> void with_carry(AmdWave &wave, const Instruction &i) {
  if (i.count < (TakesCarry ? 5 : 4))
    return wave.unsupported("the operands of a sum with a carry");
  VectorInstruction vector(wave, i);
  if (!vector.has_destination(1))
    return;
  U32 a[kMostLanes], b[kMostLanes];
  const U32 *first = vector.source(2, 0, a, false), *second = vector.source(3, 1, b, false);
  const U64 carries = TakesCarry ? wave.mask_source(i.operands[4]) : 0;
  U64 out = 0;
  for (unsigned lane = 0; lane < wave.lanes(); ++lane) {
    if (!(vector.active >> lane & 1))
      continue;
    const auto [result, carry] = F(first[lane], second[lane], static_cast<U32>(carries >> lane & 1));
    out |= U64{carry} << lane;
    vector.write(lane, result);
  }
  wave.write_mask(i.operands[1], out);
}
struct Sum {
  U32 result;
  bool carry;
};
Sum add(U32 a, U32 b, U32 carry) {
  const U64 sum = U64{a} + b + carry;
  return {static_cast<U32>(sum), sum >> 32 != 0};
}
Sum subtract(U32 a, U32 b, U32 carry) { return {a - b - carry, U64{b} + carry > a}; }
Sum subtract_reversed(U32 a, U32 b, U32 carry) { return subtract(b, a, carry); }

// Result of 64 bits, carry out, two sources of 32 bits and one of 64.
template <class Narrow, class Wide> void multiply_add(AmdWave &wave, const Instruction &i) {
  if (i.count != 5)
    return wave.unsupported("the operands of a multiply-add");
  VectorInstruction vector(wave, i);
  if (!vector.has_destination(2))
    return;
  const Source<Narrow> a(vector, 2, 0), b(vector, 3, 1);
  const Source<Wide> c(vector, 4, 2);
  U64 carries = 0;
  for (unsigned lane = 0; lane < wave.lanes(); ++lane) {
    if (!(vector.active >> lane & 1))
      continue;
    const Wide product = static_cast<Wide>(a.at(lane)) * static_cast<Wide>(b.at(lane));
    Wide sum = 0;
    carries |= U64{__builtin_add_overflow(product, c.at(lane), &sum)} << lane;
    vector.write64(lane, static_cast<U64>(sum));
  }
  wave.write_mask(i.operands[1], carries);
}

// Results that wrap, or with clamp stay at the type's ends.
template <class T> T sum(T a, T b) { return static_cast<T>(static_cast<U32>(a) + static_cast<U32>(b)); }
template <class T> T difference(T a, T b) { return static_cast<T>(static_cast<U32>(a) - static_cast<U32>(b)); }
template <class T> T end_of_type(bool is_lowest) {
  return is_lowest ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
}
template <class T> T clamped_sum(T a, T b) {
  T result = 0;
  return __builtin_add_overflow(a, b, &result) ? end_of_type<T>(a < 0) : result;
}
template <class T> T clamped_difference(T a, T b) {
  T result = 0;
  return __builtin_sub_overflow(a, b, &result) ? end_of_type<T>(a < 0 || !std::is_signed_v<T>) : result;
}
template <auto Wraps, auto Clamps> void sums(AmdWave &wave, const Instruction &i) {
  i.clamps ? lanes<Clamps, true>(wave, i) : lanes<Wraps>(wave, i);
}
template <class T> constexpr auto kAddLanes = sums<sum<T>, clamped_sum<T>>;
template <class T> constexpr auto kSubtractLanes = sums<difference<T>, clamped_difference<T>>;
template <class T>
constexpr auto kSubtractLanesReversed =
    sums<[](T a, T b) { return difference<T>(b, a); }, [](T a, T b) { return clamped_difference<T>(b, a); }>;

// Pairs of 16 bits: each half of the result takes a half of each source.
bool read_halves(AmdWave &wave, const Operand &operand, bool is_upper, U32 *values) {
  const bool is_constant = operand.kind == OperandKind::kInteger || operand.kind == OperandKind::kFloat;
  if (operand.kind == OperandKind::kFloat || (is_constant && is_upper && operand.bits != 0 && !operand.is_literal)) {
    wave.unsupported("a constant of a packed instruction of 16 bits"); // no upper half of an inline constant is sure
    return false;
  }
  U32 buffer[kMostLanes];
  const U32 *const from = wave.source32(operand, buffer);
  for (unsigned lane = 0; lane < wave.lanes(); ++lane)
    values[lane] = is_upper ? from[lane] >> 16 : from[lane] & 0xFFFF;
  return true;
}
template <unsigned Sources, class T, auto F> void packed(AmdWave &wave, const Instruction &i) {
  VectorInstruction vector(wave, i);
  if (!vector.has_destination(1) || i.clamps)
    return wave.unsupported("the modifiers of a packed instruction of 16 bits");
  U32 halves[2][3][kMostLanes];
  for (unsigned half = 0; half < 2; ++half)
    for (unsigned source = 0; source < Sources; ++source)
      if (!read_halves(wave, i.operands[source + 1], half == 0 ? i.op_sel[source] != 0 : i.op_sel_hi[source] != 0,
                       halves[half][source]))
        return;
  for (unsigned lane = 0; lane < wave.lanes(); ++lane) {
    if (!(vector.active >> lane & 1))
      continue;
    const auto of = [&](const auto &sources) {
      const auto value = [&](unsigned source) {
        return source < Sources ? static_cast<T>(sources[source][lane]) : T{0};
      };
      return U32{static_cast<U16>(F(value(0), value(1), value(2)))};
    };
    vector.write(lane, of(halves[0]) | of(halves[1]) << 16);
  }
}

// Sums of products of bytes or halves, and a number.
template <class A, class B> U32 dot(U32 a, U32 b, U32 c) {
  for (unsigned at = 0; at < 32; at += 8 * sizeof(A))
    c += static_cast<U32>(static_cast<I32>(static_cast<A>(a >> at))) *
         static_cast<U32>(static_cast<I32>(static_cast<B>(b >> at)));
  return c;
}
// Each of two sources has signs or not.
void mixed_dot(AmdWave &wave, const Instruction &i) {
  VectorInstruction vector(wave, i);
  if (!vector.has_destination(1) || i.clamps || i.has_op_sel)
    return wave.unsupported("the operands of a dot product");
  const Source<U32> a(vector, 1, 0), b(vector, 2, 1), c(vector, 3, 2);
  const auto function = i.neg_lo[0] ? (i.neg_lo[1] ? dot<int8_t, int8_t> : dot<int8_t, uint8_t>)
                                    : (i.neg_lo[1] ? dot<uint8_t, int8_t> : dot<uint8_t, uint8_t>);
  for (unsigned lane = 0; lane < wave.lanes(); ++lane)
    if (vector.active >> lane & 1)
      vector.write(lane, function(a.at(lane), b.at(lane), c.at(lane)));
}

#define PACKED(names, sources, T, expression)                                                                          \
  {names, packed<sources, T, [](T a, T b, [[maybe_unused]] T c) { return static_cast<U32>(expression); }>, true}
#define LANES(names, R, parameters, expression)                                                                        \
  {names, lanes<[] parameters -> R { return static_cast<R>(expression); }>, true}
#define TWO(names, T, expression) LANES(names, T, (T a, T b), expression)

const Operation kOperations[] = {
    LANES("v_mov_b16", U16, (U16 a), a),
    LANES("v_mov_b64", U64, (U64 a), a),
    LANES("v_not_b32", U32, (U32 a), ~a),
    LANES("v_bfrev_b32", U32, (U32 a), reverse(a)),
    LANES("v_ffbh_u32 v_clz_i32_u32", U32, (U32 a), a ? std::countl_zero(a) : ~0),
    LANES("v_ffbl_b32 v_ctz_i32_b32", U32, (U32 a), a ? std::countr_zero(a) : ~0),
    LANES("v_ffbh_i32 v_cls_i32", U32, (U32 a),
          a == 0 || a == ~0u ? ~0 : std::countl_zero(static_cast<I32>(a) < 0 ? ~a : a)),
    {"v_add_u32 v_add_nc_u32", kAddLanes<U32>, true},
    {"v_add_i32 v_add_nc_i32", kAddLanes<I32>, true},
    {"v_sub_u32 v_sub_nc_u32", kSubtractLanes<U32>, true},
    {"v_sub_i32 v_sub_nc_i32", kSubtractLanes<I32>, true},
    {"v_subrev_u32 v_subrev_nc_u32", kSubtractLanesReversed<U32>, true},
    {"v_add_co_u32", with_carry<false, add>, true},
    {"v_sub_co_u32", with_carry<false, subtract>, true},
    {"v_subrev_co_u32", with_carry<false, subtract_reversed>, true},
    {"v_addc_co_u32 v_add_co_ci_u32", with_carry<true, add>, true},
    {"v_subb_co_u32 v_sub_co_ci_u32", with_carry<true, subtract>, true},
    {"v_subbrev_co_u32 v_subrev_co_ci_u32", with_carry<true, subtract_reversed>, true},
    {"v_mad_u64_u32", multiply_add<U32, U64>, true},
    {"v_mad_i64_i32", multiply_add<I32, I64>, true},
    TWO("v_mul_lo_u32", U32, a *b),
    TWO("v_mul_hi_u32", U32, U64{a} * b >> 32),
    TWO("v_mul_hi_i32", I32, I64{a} * b >> 32),
    TWO("v_mul_i32_i24", U32, I64{signed24(a)} * signed24(b)),
    TWO("v_mul_hi_i32_i24", U32, I64{signed24(a)} * signed24(b) >> 32),
    TWO("v_mul_u32_u24", U32, U64{unsigned24(a)} * unsigned24(b)),
    TWO("v_mul_hi_u32_u24", U32, U64{unsigned24(a)} * unsigned24(b) >> 32),
    LANES("v_mad_i32_i24", U32, (U32 a, U32 b, U32 c), I64{signed24(a)} * signed24(b) + c),
    LANES("v_mad_u32_u24", U32, (U32 a, U32 b, U32 c), U64{unsigned24(a)} * unsigned24(b) + c),
    LANES("v_mad_u32_u16", U32, (U16 a, U16 b, U32 c), U32{a} * b + c),
    LANES("v_mad_i32_i16", I32, (I16 a, I16 b, I32 c), static_cast<U32>(I32{a} * b) + static_cast<U32>(c)),
    LANES("v_mad_u16 v_mad_legacy_u16", U16, (U16 a, U16 b, U16 c), U32{a} * b + c),
    TWO("v_min_i32", I32, std::min(a, b)),
    TWO("v_max_i32", I32, std::max(a, b)),
    TWO("v_min_u32", U32, std::min(a, b)),
    TWO("v_max_u32", U32, std::max(a, b)),
    LANES("v_min3_i32", I32, (I32 a, I32 b, I32 c), std::min(std::min(a, b), c)),
    LANES("v_max3_i32", I32, (I32 a, I32 b, I32 c), std::max(std::max(a, b), c)),
    LANES("v_med3_i32", I32, (I32 a, I32 b, I32 c), median(a, b, c)),
    LANES("v_min3_u32", U32, (U32 a, U32 b, U32 c), std::min(std::min(a, b), c)),
    LANES("v_max3_u32", U32, (U32 a, U32 b, U32 c), std::max(std::max(a, b), c)),
    LANES("v_med3_u32", U32, (U32 a, U32 b, U32 c), median(a, b, c)),
    LANES("v_maxmin_i32", I32, (I32 a, I32 b, I32 c), std::min(std::max(a, b), c)),
    LANES("v_minmax_i32", I32, (I32 a, I32 b, I32 c), std::max(std::min(a, b), c)),
    LANES("v_maxmin_u32", U32, (U32 a, U32 b, U32 c), std::min(std::max(a, b), c)),
    LANES("v_minmax_u32", U32, (U32 a, U32 b, U32 c), std::max(std::min(a, b), c)),
    TWO("v_and_b32", U32, a &b),
    TWO("v_or_b32", U32, a | b),
    TWO("v_xor_b32", U32, a ^ b),
    TWO("v_xnor_b32", U32, ~(a ^ b)),
    LANES("v_lshlrev_b32", U32, (U32 a, U32 b), b << (a & 31)),
    LANES("v_lshrrev_b32", U32, (U32 a, U32 b), b >> (a & 31)),
    LANES("v_ashrrev_i32", I32, (U32 a, I32 b), b >> (a & 31)),
    LANES("v_lshlrev_b64", U64, (U32 a, U64 b), b << (a & 63)),
    LANES("v_lshrrev_b64", U64, (U32 a, U64 b), b >> (a & 63)),
    LANES("v_ashrrev_i64", I64, (U32 a, I64 b), b >> (a & 63)),
    LANES("v_bfe_u32", U32, (U32 a, U32 b, U32 c), bitfield(a, b, c)),
    LANES("v_bfe_i32", I32, (I32 a, U32 b, U32 c), signed_bitfield(a, b, c)),
    LANES("v_bfi_b32", U32, (U32 a, U32 b, U32 c), (a & b) | (~a & c)),
    TWO("v_bfm_b32", U32, ((1u << (a & 31)) - 1) << (b & 31)),
    LANES("v_alignbit_b32", U32, (U32 a, U32 b, U32 c), (U64{a} << 32 | b) >> (c & 31)),
    LANES("v_alignbyte_b32", U32, (U32 a, U32 b, U32 c), (U64{a} << 32 | b) >> (c & 3) * 8),
    LANES("v_perm_b32", U32, (U32 a, U32 b, U32 c), permute(a, b, c)),
    LANES("v_sad_u8", U32, (U32 a, U32 b, U32 c), sum_of_differences(a, b, c)),
    LANES("v_sad_u32", U32, (U32 a, U32 b, U32 c), (a < b ? b - a : a - b) + c),
    TWO("v_bcnt_u32_b32", U32, static_cast<U32>(std::popcount(a)) + b),
    LANES("v_lshl_add_u32", U32, (U32 a, U32 b, U32 c), (a << (b & 31)) + c),
    LANES("v_add_lshl_u32", U32, (U32 a, U32 b, U32 c), (a + b) << (c & 31)),
    LANES("v_lshl_or_b32", U32, (U32 a, U32 b, U32 c), (a << (b & 31)) | c),
    LANES("v_lshl_add_u64", U64, (U64 a, U32 b, U64 c), (a << (b & 7)) + c),
    LANES("v_and_or_b32", U32, (U32 a, U32 b, U32 c), (a & b) | c),
    LANES("v_or3_b32", U32, (U32 a, U32 b, U32 c), a | b | c),
    LANES("v_xor3_b32", U32, (U32 a, U32 b, U32 c), a ^ b ^ c),
    LANES("v_xad_u32", U32, (U32 a, U32 b, U32 c), (a ^ b) + c),
    LANES("v_add3_u32", U32, (U32 a, U32 b, U32 c), a + b + c),
    {"v_dot4_i32_i8", lanes<dot<int8_t, int8_t>>},
    {"v_dot4_u32_u8", lanes<dot<uint8_t, uint8_t>>},
    {"v_dot2_i32_i16", lanes<dot<I16, I16>>},
    {"v_dot2_u32_u16", lanes<dot<U16, U16>>},
    {"v_dot4c_i32_i8", lanes_onto<dot<int8_t, int8_t>>},
    {"v_dot4_i32_iu8", mixed_dot, true},
    {"v_add_u16 v_add_nc_u16", kAddLanes<U16>, true},
    {"v_add_i16 v_add_nc_i16", kAddLanes<I16>, true},
    {"v_sub_u16 v_sub_nc_u16", kSubtractLanes<U16>, true},
    {"v_sub_i16 v_sub_nc_i16", kSubtractLanes<I16>, true},
    {"v_subrev_u16", kSubtractLanesReversed<U16>, true},
    PACKED("v_pk_add_u16 v_pk_add_i16", 2, U16, a + b),
    PACKED("v_pk_sub_u16 v_pk_sub_i16", 2, U16, a - b),
    PACKED("v_pk_mul_lo_u16", 2, U16, U32{a} * b),
    PACKED("v_pk_mad_u16 v_pk_mad_i16", 3, U16, U32{a} * b + c),
    PACKED("v_pk_min_u16", 2, U16, std::min(a, b)),
    PACKED("v_pk_max_u16", 2, U16, std::max(a, b)),
    PACKED("v_pk_min_i16", 2, I16, std::min(a, b)),
    PACKED("v_pk_max_i16", 2, I16, std::max(a, b)),
    PACKED("v_pk_lshlrev_b16", 2, U16, U32{b} << (a & 15)),
    PACKED("v_pk_lshrrev_b16", 2, U16, b >> (a & 15)),
    PACKED("v_pk_ashrrev_i16", 2, I16, b >> (a & 15)),
    TWO("v_mul_lo_u16", U16, U32{a} * b),
    TWO("v_min_u16", U16, std::min(a, b)),
    TWO("v_max_u16", U16, std::max(a, b)),
    TWO("v_min_i16", I16, std::min(a, b)),
    TWO("v_max_i16", I16, std::max(a, b)),
    LANES("v_min3_u16", U16, (U16 a, U16 b, U16 c), std::min(std::min(a, b), c)),
    LANES("v_max3_u16", U16, (U16 a, U16 b, U16 c), std::max(std::max(a, b), c)),
    LANES("v_med3_u16", U16, (U16 a, U16 b, U16 c), median(a, b, c)),
    LANES("v_min3_i16", I16, (I16 a, I16 b, I16 c), std::min(std::min(a, b), c)),
    LANES("v_max3_i16", I16, (I16 a, I16 b, I16 c), std::max(std::max(a, b), c)),
    LANES("v_med3_i16", I16, (I16 a, I16 b, I16 c), median(a, b, c)),
    LANES("v_lshlrev_b16", U16, (U16 a, U16 b), U32{b} << (a & 15)),
    LANES("v_lshrrev_b16", U16, (U16 a, U16 b), b >> (a & 15)),
    LANES("v_ashrrev_i16", I16, (U16 a, I16 b), b >> (a & 15)),
    TWO("v_and_b16", U16, a &b),
    TWO("v_or_b16", U16, a | b),
    TWO("v_xor_b16", U16, a ^ b),
    LANES("v_not_b16", U16, (U16 a), ~a),
    LANES("v_cvt_u32_u16", U32, (U16 a), a),
    LANES("v_cvt_i32_i16", I32, (I16 a), a),
};

} // namespace

std::span<const Operation> integer_operations() { return kOperations; }

} // namespace emulator::executor::amdgpu
