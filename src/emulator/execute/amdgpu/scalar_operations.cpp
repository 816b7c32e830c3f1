// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar arithmetic: one value for the wave.

#include <bit>
#include <limits>

#include "operations.h"

namespace emulator::executor::amdgpu {

namespace {

using U32 = uint32_t;
using I32 = int32_t;
using U64 = uint64_t;
using I64 = int64_t;

template <class T> T read(AmdWave &wave, const Operand &operand) {
  if constexpr (sizeof(T) == 8)
    return static_cast<T>(wave.scalar_source64(operand, std::is_signed_v<T>));
  else
    return static_cast<T>(wave.scalar_source(operand));
}
template <class T> void write(AmdWave &wave, const Operand &operand, T value) {
  if constexpr (sizeof(T) == 8)
    wave.write_scalar64(operand, static_cast<U64>(value));
  else
    wave.write_scalar(operand, static_cast<U32>(value));
}

// F(sources..., scc): the result; it may change scc.
template <class R, class A, class B> struct Signature {};
template <class R, class A, class B> Signature<R, A, B> signature(R (*)(A, B, bool &));
template <class R, class A> Signature<R, A, void> signature(R (*)(A, bool &));

template <auto F, class R, class A, class B> void carry_out(AmdWave &wave, const Instruction &i, Signature<R, A, B>) {
  bool scc = wave.scc;
  const R result = F(read<A>(wave, i.operands[1]), read<B>(wave, i.operands[2]), scc);
  write<R>(wave, i.operands[0], result);
  wave.scc = scc;
}
template <auto F, class R, class A> void carry_out(AmdWave &wave, const Instruction &i, Signature<R, A, void>) {
  bool scc = wave.scc;
  const R result = F(read<A>(wave, i.operands[1]), scc);
  write<R>(wave, i.operands[0], result);
  wave.scc = scc;
}
template <auto F> void op(AmdWave &wave, const Instruction &i) { carry_out<F>(wave, i, decltype(signature(+F)){}); }

// Results that say in scc whether they are not zero.
template <class T> T told(T value, bool &scc) {
  scc = value != 0;
  return value;
}
template <class T> T bitfield(T value, U32 control, bool &scc) {
  const U32 bits = sizeof(T) * 8;
  const U32 offset = control & (bits - 1), width = control >> 16 & 0x7f;
  if (width == 0)
    return told<T>(0, scc);
  if (offset + width >= bits)
    return told<T>(static_cast<T>(value >> offset), scc);
  using U = std::make_unsigned_t<T>;
  const U moved = static_cast<U>(static_cast<U>(value) << (bits - offset - width));
  return told<T>(static_cast<T>(static_cast<T>(moved) >> (bits - width)), scc);
}
template <class T> T reversed(T value) {
  T result = 0;
  for (unsigned bit = 0; bit < sizeof(T) * 8; ++bit)
    result |= (value >> bit & 1) << (sizeof(T) * 8 - 1 - bit);
  return result;
}
template <class T> U32 first_zero(T value) {
  return value == std::numeric_limits<T>::max() ? ~0u : static_cast<U32>(std::countr_one(value));
}
template <class T> U32 first_one(T value) { return value == 0 ? ~0u : static_cast<U32>(std::countr_zero(value)); }
template <class T> U32 leading_zeros(T value) { return value == 0 ? ~0u : static_cast<U32>(std::countl_zero(value)); }
template <class T> U32 leading_signs(T value) {
  using U = std::make_unsigned_t<T>;
  const U bits = static_cast<U>(value < 0 ? ~value : value);
  return bits == 0 ? ~0u : static_cast<U32>(std::countl_zero(bits));
}

U32 add_carry(U32 a, U32 b, bool &scc) {
  const U64 sum = U64{a} + b + scc;
  scc = sum >> 32 != 0;
  return static_cast<U32>(sum);
}
U32 subtract_borrow(U32 a, U32 b, bool &scc) {
  const U64 needed = U64{b} + scc;
  scc = needed > a;
  return static_cast<U32>(a - needed);
}
template <unsigned N> U32 shift_add(U32 a, U32 b, bool &scc) {
  const U64 sum = (U64{a} << N) + b;
  scc = sum >> 32 != 0;
  return static_cast<U32>(sum);
}

I32 immediate16(const Operand &operand) { return static_cast<int16_t>(operand.bits); }

// ---- Instructions with an immediate of 16 bits
void movk(AmdWave &wave, const Instruction &i) {
  wave.write_scalar(i.operands[0], static_cast<U32>(immediate16(i.operands[1])));
}
void cmovk(AmdWave &wave, const Instruction &i) {
  if (wave.scc)
    movk(wave, i);
}
void addk(AmdWave &wave, const Instruction &i) {
  const I32 a = static_cast<I32>(wave.scalar_source(i.operands[0]));
  I32 sum = 0;
  wave.scc = __builtin_add_overflow(a, immediate16(i.operands[1]), &sum);
  wave.write_scalar(i.operands[0], static_cast<U32>(sum));
}
void mulk(AmdWave &wave, const Instruction &i) {
  wave.write_scalar(i.operands[0], wave.scalar_source(i.operands[0]) * static_cast<U32>(immediate16(i.operands[1])));
}
template <auto F> void compare_immediate(AmdWave &wave, const Instruction &i) {
  wave.scc = F(static_cast<I32>(wave.scalar_source(i.operands[0])), immediate16(i.operands[1]));
}
template <auto F> void compare_unsigned_immediate(AmdWave &wave, const Instruction &i) {
  wave.scc = F(wave.scalar_source(i.operands[0]), static_cast<U32>(i.operands[1].bits & 0xFFFF));
}
template <class T, auto F> void compare(AmdWave &wave, const Instruction &i) {
  wave.scc = F(read<T>(wave, i.operands[0]), read<T>(wave, i.operands[1]));
}
template <class T, bool IsOne> void bit_compare(AmdWave &wave, const Instruction &i) {
  const U32 bit = wave.scalar_source(i.operands[1]) & (sizeof(T) * 8 - 1);
  wave.scc = (read<T>(wave, i.operands[0]) >> bit & 1) == IsOne;
}
template <class T> void select(AmdWave &wave, const Instruction &i) {
  write<T>(wave, i.operands[0], read<T>(wave, i.operands[wave.scc ? 1 : 2]));
}
template <class T> void conditional_move(AmdWave &wave, const Instruction &i) {
  if (wave.scc)
    write<T>(wave, i.operands[0], read<T>(wave, i.operands[1]));
}
template <class T, bool IsOne> void bit_set(AmdWave &wave, const Instruction &i) {
  const T bit = T{1} << (wave.scalar_source(i.operands[1]) & (sizeof(T) * 8 - 1));
  const T value = read<T>(wave, i.operands[0]);
  write<T>(wave, i.operands[0], IsOne ? value | bit : value & ~bit);
}

// The mask of lanes: the result is what it was, or what it becomes.
template <class T, auto F, bool ReturnsNew> void exec_with(AmdWave &wave, const Instruction &i) {
  const T before = static_cast<T>(sizeof(T) == 8 ? wave.scalar64(kExec) : wave.scalar(kExec));
  const T after = F(read<T>(wave, i.operands[1]), before);
  if (sizeof(T) == 8)
    wave.set_scalar64(kExec, after);
  else
    wave.set_scalar(kExec, static_cast<U32>(after));
  write<T>(wave, i.operands[0], ReturnsNew ? after : before);
  wave.scc = after != 0;
}

#define TWO(T, expression) op<[](T a, T b, bool &scc) -> T { return told<T>(static_cast<T>(expression), scc); }>
#define PLAIN(T, expression) op<[](T a, T b, bool &) -> T { return static_cast<T>(expression); }>
#define ONE(R, T, expression) op<[](T a, bool &) -> R { return static_cast<R>(expression); }>
#define ONE_TOLD(R, T, expression) op<[](T a, bool &scc) -> R { return told<R>(static_cast<R>(expression), scc); }>
#define SHIFT(T, expression) op<[](T a, U32 b, bool &scc) -> T { return told<T>(static_cast<T>(expression), scc); }>
#define RELATION(sign) [](auto a, auto b) { return (a sign b); }
#define BOTH(name, T32, T64, expression)                                                                               \
  {name "_b32", TWO(T32, expression)}, { name "_b64", TWO(T64, expression) }
#define COMPARE(name, sign)                                                                                            \
  {"s_cmp_" name "_i32", compare<I32, RELATION(sign)>}, {"s_cmp_" name "_u32", compare<U32, RELATION(sign)>},          \
      {"s_cmpk_" name "_i32", compare_immediate<RELATION(sign)>}, {                                                    \
    "s_cmpk_" name "_u32", compare_unsigned_immediate<RELATION(sign)>                                                  \
  }
#define EXEC(names, T, ReturnsNew, expression)                                                                         \
  {names, exec_with<T, [](T a, T b) -> T { return static_cast<T>(expression); }, ReturnsNew>}
#define SAVEEXEC(name, expression)                                                                                     \
  EXEC("s_" name "_saveexec_b32", U32, false, expression), EXEC("s_" name "_saveexec_b64", U64, false, expression)

const Operation kOperations[] = {
    {"s_mov_b32", ONE(U32, U32, a)},
    {"s_mov_b64", ONE(U64, U64, a)},
    {"s_cmov_b32", conditional_move<U32>},
    {"s_cmov_b64", conditional_move<U64>},
    {"s_add_u32", op<[](U32 a, U32 b, bool &scc) -> U32 {
       scc = false;
       return add_carry(a, b, scc);
     }>},
    {"s_addc_u32", op<add_carry>},
    {"s_sub_u32", op<[](U32 a, U32 b, bool &scc) -> U32 {
       scc = false;
       return subtract_borrow(a, b, scc);
     }>},
    {"s_subb_u32", op<subtract_borrow>},
    {"s_add_i32", op<[](I32 a, I32 b, bool &scc) -> I32 {
       I32 r;
       scc = __builtin_add_overflow(a, b, &r);
       return r;
     }>},
    {"s_sub_i32", op<[](I32 a, I32 b, bool &scc) -> I32 {
       I32 r;
       scc = __builtin_sub_overflow(a, b, &r);
       return r;
     }>},
    {"s_min_i32", op<[](I32 a, I32 b, bool &scc) -> I32 {
       scc = (a < b);
       return scc ? a : b;
     }>},
    {"s_min_u32", op<[](U32 a, U32 b, bool &scc) -> U32 {
       scc = (a < b);
       return scc ? a : b;
     }>},
    {"s_max_i32", op<[](I32 a, I32 b, bool &scc) -> I32 {
       scc = (a > b);
       return scc ? a : b;
     }>},
    {"s_max_u32", op<[](U32 a, U32 b, bool &scc) -> U32 {
       scc = (a > b);
       return scc ? a : b;
     }>},
    {"s_mul_i32", PLAIN(U32, a *b)},
    {"s_mul_hi_u32", op<[](U32 a, U32 b, bool &) -> U32 { return static_cast<U32>(U64{a} * b >> 32); }>},
    {"s_mul_hi_i32", op<[](I32 a, I32 b, bool &) -> I32 { return static_cast<I32>(I64{a} * b >> 32); }>},
    {"s_absdiff_i32", op<[](I32 a, I32 b, bool &scc) -> U32 {
       const U32 difference = static_cast<U32>(a) - static_cast<U32>(b);
       return told<U32>(static_cast<I32>(difference) < 0 ? 0 - difference : difference, scc);
     }>},
    {"s_abs_i32", ONE_TOLD(U32, U32, static_cast<I32>(a) < 0 ? 0 - a : a)},
    {"s_lshl1_add_u32", op<shift_add<1>>},
    {"s_lshl2_add_u32", op<shift_add<2>>},
    {"s_lshl3_add_u32", op<shift_add<3>>},
    {"s_lshl4_add_u32", op<shift_add<4>>},
    {"s_cselect_b32", select<U32>},
    {"s_cselect_b64", select<U64>},
    BOTH("s_and", U32, U64, a &b),
    BOTH("s_or", U32, U64, a | b),
    BOTH("s_xor", U32, U64, a ^ b),
    BOTH("s_nand", U32, U64, ~(a &b)),
    BOTH("s_nor", U32, U64, ~(a | b)),
    BOTH("s_xnor", U32, U64, ~(a ^ b)),
    BOTH("s_andn2", U32, U64, a & ~b),
    BOTH("s_and_not1", U32, U64, a & ~b),
    BOTH("s_orn2", U32, U64, a | ~b),
    BOTH("s_or_not1", U32, U64, a | ~b),
    {"s_lshl_b32", SHIFT(U32, a << (b & 31))},
    {"s_lshl_b64", SHIFT(U64, a << (b & 63))},
    {"s_lshr_b32", SHIFT(U32, a >> (b & 31))},
    {"s_lshr_b64", SHIFT(U64, a >> (b & 63))},
    {"s_ashr_i32", SHIFT(I32, a >> (b & 31))},
    {"s_ashr_i64", SHIFT(I64, a >> (b & 63))},
    {"s_bfm_b32", PLAIN(U32, ((1u << (a & 31)) - 1) << (b & 31))},
    {"s_bfm_b64", op<[](U32 a, U32 b, bool &) -> U64 { return ((U64{1} << (a & 63)) - 1) << (b & 63); }>},
    {"s_bfe_u32", op<[](U32 a, U32 b, bool &scc) -> U32 { return bitfield<U32>(a, b, scc); }>},
    {"s_bfe_i32", op<[](I32 a, U32 b, bool &scc) -> I32 { return bitfield<I32>(a, b, scc); }>},
    {"s_bfe_u64", op<[](U64 a, U32 b, bool &scc) -> U64 { return bitfield<U64>(a, b, scc); }>},
    {"s_bfe_i64", op<[](I64 a, U32 b, bool &scc) -> I64 { return bitfield<I64>(a, b, scc); }>},
    {"s_pack_ll_b32_b16", PLAIN(U32, (a & 0xFFFF) | b << 16)},
    {"s_pack_lh_b32_b16", PLAIN(U32, (a & 0xFFFF) | (b & 0xFFFF0000))},
    {"s_pack_hh_b32_b16", PLAIN(U32, a >> 16 | (b & 0xFFFF0000))},
    {"s_pack_hl_b32_b16", PLAIN(U32, a >> 16 | b << 16)},
    {"s_not_b32", ONE_TOLD(U32, U32, ~a)},
    {"s_not_b64", ONE_TOLD(U64, U64, ~a)},
    {"s_brev_b32", ONE(U32, U32, reversed(a))},
    {"s_brev_b64", ONE(U64, U64, reversed(a))},
    {"s_bcnt0_i32_b32", ONE_TOLD(U32, U32, std::popcount(~a))},
    {"s_bcnt0_i32_b64", ONE_TOLD(U32, U64, std::popcount(~a))},
    {"s_bcnt1_i32_b32", ONE_TOLD(U32, U32, std::popcount(a))},
    {"s_bcnt1_i32_b64", ONE_TOLD(U32, U64, std::popcount(a))},
    {"s_ff0_i32_b32", ONE(U32, U32, first_zero(a))},
    {"s_ff0_i32_b64", ONE(U32, U64, first_zero(a))},
    {"s_ff1_i32_b32 s_ctz_i32_b32", ONE(U32, U32, first_one(a))},
    {"s_ff1_i32_b64 s_ctz_i32_b64", ONE(U32, U64, first_one(a))},
    {"s_flbit_i32_b32 s_clz_i32_u32", ONE(U32, U32, leading_zeros(a))},
    {"s_flbit_i32_b64 s_clz_i32_u64", ONE(U32, U64, leading_zeros(a))},
    {"s_flbit_i32 s_cls_i32", ONE(U32, I32, leading_signs(a))},
    {"s_flbit_i32_i64 s_cls_i32_i64", ONE(U32, I64, leading_signs(a))},
    {"s_sext_i32_i8", ONE(I32, U32, static_cast<int8_t>(a))},
    {"s_sext_i32_i16", ONE(I32, U32, static_cast<int16_t>(a))},
    {"s_bitset0_b32", bit_set<U32, false>},
    {"s_bitset1_b32", bit_set<U32, true>},
    {"s_bitset0_b64", bit_set<U64, false>},
    {"s_bitset1_b64", bit_set<U64, true>},
    SAVEEXEC("and", a &b),
    SAVEEXEC("or", a | b),
    SAVEEXEC("xor", a ^ b),
    SAVEEXEC("nand", ~(a &b)),
    SAVEEXEC("nor", ~(a | b)),
    SAVEEXEC("xnor", ~(a ^ b)),
    SAVEEXEC("andn2", a & ~b),
    SAVEEXEC("and_not1", a & ~b),
    SAVEEXEC("orn2", a | ~b),
    SAVEEXEC("or_not1", a | ~b),
    SAVEEXEC("andn1", ~a &b),
    SAVEEXEC("and_not0", ~a &b),
    SAVEEXEC("orn1", ~a | b),
    SAVEEXEC("or_not0", ~a | b),
    EXEC("s_andn1_wrexec_b64 s_and_not0_wrexec_b64", U64, true, ~a &b),
    EXEC("s_andn2_wrexec_b64 s_and_not1_wrexec_b64", U64, true, a & ~b),
    EXEC("s_andn1_wrexec_b32 s_and_not0_wrexec_b32", U32, true, ~a &b),
    EXEC("s_andn2_wrexec_b32 s_and_not1_wrexec_b32", U32, true, a & ~b),
    {"s_movk_i32", movk},
    {"s_cmovk_i32", cmovk},
    {"s_addk_i32", addk},
    {"s_mulk_i32", mulk},
    COMPARE("eq", ==),
    COMPARE("lg", !=),
    COMPARE("gt", >),
    COMPARE("ge", >=),
    COMPARE("lt", <),
    COMPARE("le", <=),
    {"s_cmp_eq_u64", compare<U64, RELATION(==)>},
    {"s_cmp_lg_u64", compare<U64, RELATION(!=)>},
    {"s_bitcmp0_b32", bit_compare<U32, false>},
    {"s_bitcmp1_b32", bit_compare<U32, true>},
    {"s_bitcmp0_b64", bit_compare<U64, false>},
    {"s_bitcmp1_b64", bit_compare<U64, true>},
};

} // namespace

std::span<const Operation> scalar_operations() { return kOperations; }

} // namespace emulator::executor::amdgpu
