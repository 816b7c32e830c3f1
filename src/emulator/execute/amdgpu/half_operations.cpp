// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floats of 16 bits: alone, two in a register, and beside singles.

#include "float_functions.h"
#include "operations.h"
#include "vector.h"

namespace emulator::executor::amdgpu {

namespace {

using I16 = int16_t;
using U16 = uint16_t;
using U32 = uint32_t;

float fix_half_division(float quotient, float denominator, float numerator) {
  const float sign = std::signbit(denominator) != std::signbit(numerator) ? -1.0f : 1.0f;
  if (std::isnan(numerator))
    return numerator;
  if (std::isnan(denominator))
    return denominator;
  if ((denominator == 0 && numerator == 0) || (std::isinf(denominator) && std::isinf(numerator)))
    return -std::numeric_limits<float>::quiet_NaN();
  if (denominator == 0 || std::isinf(numerator))
    return sign * std::numeric_limits<float>::infinity();
  return std::isinf(denominator) || numerator == 0 ? std::copysign(0.0f, sign) : std::copysign(quotient, sign);
}

// Not above the largest half below 1.
float half_fraction(float value) { return std::isnan(value) ? value : std::fmin(fraction(value), 0x1.ffcp-1f); }

// The nearest half that is not larger in size.
uint16_t cut_half(float value) {
  const uint16_t bits = Half::narrow(value);
  if (std::isnan(value) || std::isinf(value))
    return bits;
  return std::fabs(Half::widen(bits)) > std::fabs(value) ? static_cast<uint16_t>(bits - 1) : bits;
}

// ---- Two in a register: each half of the result takes a half of each source.

// The halves of a source of 32 bits. The upper half of a constant that the instruction itself has is not sure.
bool read_halves(AmdWave &wave, const Operand &operand, bool is_upper, uint16_t *values) {
  const bool is_inline = operand.kind == OperandKind::kFloat ||
                         (operand.kind == OperandKind::kInteger && !operand.is_literal && operand.bits != 0);
  if (is_inline && is_upper) {
    wave.unsupported("the upper half of a constant");
    return false;
  }
  U32 buffer[kMostLanes];
  const U32 *const from = operand.kind == OperandKind::kFloat ? nullptr : wave.source32(operand, buffer);
  for (unsigned lane = 0; lane < wave.lanes(); ++lane)
    values[lane] = from ? static_cast<uint16_t>(is_upper ? from[lane] >> 16 : from[lane])
                        : Half::narrow(static_cast<float>(operand.number));
  return true;
}
template <unsigned Sources, auto F> void packed(AmdWave &wave, const Instruction &i) {
  VectorInstruction vector(wave, i);
  if (!vector.has_destination(1))
    return;
  uint16_t halves[2][3][kMostLanes];
  for (unsigned half = 0; half < 2; ++half)
    for (unsigned source = 0; source < Sources; ++source) {
      if (!read_halves(wave, i.operands[source + 1], (half == 0 ? i.op_sel : i.op_sel_hi)[source] != 0,
                       halves[half][source]))
        return;
      for (unsigned lane = 0; (half == 0 ? i.neg_lo : i.neg_hi)[source] && lane < wave.lanes(); ++lane)
        halves[half][source][lane] ^= 0x8000;
    }
  for (unsigned lane = 0; lane < wave.lanes(); ++lane) {
    if (!(vector.active >> lane & 1))
      continue;
    U32 result = 0;
    for (unsigned half = 0; half < 2; ++half) {
      const auto value = [&](unsigned source) {
        return source < Sources ? Half::widen(halves[half][source][lane]) : 0.0f;
      };
      result |= U32{Half::narrow(scaled<F16>(F(value(0), value(1), value(2)), i))} << 16 * half;
    }
    vector.write(lane, result);
  }
}

// ---- Beside singles: op_sel_hi says which sources are halves, op_sel which halves these are.
bool read_mixed(AmdWave &wave, const Instruction &i, unsigned source, float *values) {
  const Operand &operand = i.operands[source + 1];
  const bool is_half = i.op_sel_hi[source] != 0, is_upper = is_half && i.op_sel[source] != 0;
  uint16_t halves[kMostLanes];
  if (is_half && !read_halves(wave, operand, is_upper, halves))
    return false;
  U32 buffer[kMostLanes];
  const U32 *const singles = is_half ? nullptr : wave.source32(operand, buffer);
  for (unsigned lane = 0; lane < wave.lanes(); ++lane) {
    const float value = is_half ? Half::widen(halves[lane]) : __builtin_bit_cast(float, singles[lane]);
    values[lane] = operand.is_absolute ? std::fabs(value) : value;
    values[lane] = operand.is_negated ? -values[lane] : values[lane];
  }
  return true;
}
enum class Mixed { kSingle, kLowerHalf, kUpperHalf };
template <Mixed To> void mix(AmdWave &wave, const Instruction &i) {
  VectorInstruction vector(wave, i);
  float values[3][kMostLanes];
  if (i.count != 4 || !vector.has_destination(1))
    return wave.unsupported("the operands of v_fma_mix");
  for (unsigned source = 0; source < 3; ++source)
    if (!read_mixed(wave, i, source, values[source]))
      return;
  U32 *const to = wave.vector(i.operands[0].index);
  for (unsigned lane = 0; lane < wave.lanes(); ++lane) {
    if (!(vector.active >> lane & 1))
      continue;
    const float result = scaled(std::fma(values[0][lane], values[1][lane], values[2][lane]), i);
    if (To == Mixed::kSingle)
      to[lane] = __builtin_bit_cast(U32, result);
    else if (To == Mixed::kLowerHalf)
      to[lane] = (to[lane] & 0xFFFF0000) | Half::narrow(result);
    else
      to[lane] = (to[lane] & 0xFFFF) | U32{Half::narrow(result)} << 16;
  }
}

// Two products of halves, and a single. Onto: the destination is the single.
template <bool Onto> void dot(AmdWave &wave, const Instruction &i) {
  VectorInstruction vector(wave, i);
  uint16_t halves[2][2][kMostLanes];
  if (!vector.has_destination(1) || i.operands[1].is_negated || i.operands[2].is_negated)
    return wave.unsupported("the operands of v_dot2");
  for (unsigned half = 0; half < 2; ++half)
    for (unsigned source = 0; source < 2; ++source)
      if (!read_halves(wave, i.operands[source + 1], (half == 0 ? i.op_sel : i.op_sel_hi)[source] != 0,
                       halves[half][source]))
        return;
  const Source<float> sum(vector, Onto ? 0 : 3, 3);
  for (unsigned lane = 0; lane < wave.lanes(); ++lane) {
    if (!(vector.active >> lane & 1))
      continue;
    float result = sum.at(lane);
    for (unsigned half = 2; half-- > 0;)
      result = std::fma(Half::widen(halves[half][0][lane]), Half::widen(halves[half][1][lane]), result);
    put<float>(vector, lane, result);
  }
}

// Keeps all bits: compilers pack integers so, too.
void pack(AmdWave &wave, const Instruction &i) {
  VectorInstruction vector(wave, i);
  if (!vector.has_destination(1))
    return;
  const Source<F16> a(vector, 1, 0), b(vector, 2, 1);
  for (unsigned lane = 0; lane < wave.lanes(); ++lane)
    if (vector.active >> lane & 1)
      vector.write(lane, a.half_at(lane) | U32{b.half_at(lane)} << 16);
}

#define LANES(names, R, parameters, expression)                                                                        \
  {names, lanes<[] parameters -> R { return static_cast<R>(expression); }>, true}
#define ONE(names, expression) LANES(names, F16, (F16 a), expression)
#define TWO(names, expression) LANES(names, F16, (F16 a, F16 b), expression)
#define THREE(names, expression) LANES(names, F16, (F16 a, F16 b, F16 c), expression)
#define PACKED(name, sources, expression)                                                                              \
  {name, packed<sources, [](float a, float b, [[maybe_unused]] float c) -> float { return expression; }>, true}

const Operation kOperations[] = {
    TWO("v_add_f16", a + b),
    TWO("v_sub_f16", a - b),
    TWO("v_subrev_f16", b - a),
    TWO("v_mul_f16", a *b),
    TWO("v_min_f16", least<float>(a, b)),
    TWO("v_max_f16", greatest<float>(a, b)),
    THREE("v_fma_f16 v_fmamk_f16 v_fmaak_f16", Half::fused(a, b, c)),
    {"v_fmac_f16", lanes_onto<[](F16 a, F16 b, F16 c) -> F16 { return Half::fused(a, b, c); }>, true},
    THREE("v_min3_f16", least<float>(least<float>(a, b), c)),
    THREE("v_max3_f16", greatest<float>(greatest<float>(a, b), c)),
    THREE("v_med3_f16", median<float>(a, b, c)),
    THREE("v_maxmin_f16", least<float>(greatest<float>(a, b), c)),
    THREE("v_minmax_f16", greatest<float>(least<float>(a, b), c)),
    ONE("v_rcp_f16", 1 / a),
    ONE("v_rsq_f16", 1 / std::sqrt(float{a})),
    ONE("v_sqrt_f16", std::sqrt(float{a})),
    ONE("v_trunc_f16", std::trunc(float{a})),
    ONE("v_ceil_f16", std::ceil(float{a})),
    ONE("v_floor_f16", std::floor(float{a})),
    ONE("v_rndne_f16", std::nearbyint(float{a})),
    ONE("v_fract_f16", half_fraction(a)),
    ONE("v_frexp_mant_f16", mantissa<float>(a)),
    LANES("v_frexp_exp_i16_f16", I16, (F16 a), exponent<float>(a)),
    LANES("v_ldexp_f16", F16, (F16 a, I16 b), std::ldexp(float{a}, b)),
    ONE("v_exp_f16", std::exp2(float{a})),
    ONE("v_log_f16", std::log2(float{a})),
    ONE("v_sin_f16", sine(a)),
    ONE("v_cos_f16", cosine(a)),
    THREE("v_div_fixup_f16", fix_half_division(a, b, c)),
    LANES("v_cvt_f32_f16", float, (F16 a), a),
    LANES("v_cvt_f16_f32", F16, (float a), a),
    LANES("v_cvt_f16_i16", F16, (I16 a), a),
    LANES("v_cvt_f16_u16", F16, (U16 a), a),
    LANES("v_cvt_i16_f16", I16, (F16 a), converted<I16>(float{a})),
    LANES("v_cvt_u16_f16", U16, (F16 a), converted<U16>(float{a})),
    {"v_pack_b32_f16", pack, true},
    LANES("v_cvt_pkrtz_f16_f32 v_cvt_pk_rtz_f16_f32", U32, (float a, float b),
          U32{cut_half(a)} | U32{cut_half(b)} << 16),
    PACKED("v_pk_add_f16", 2, a + b),
    PACKED("v_pk_mul_f16", 2, a *b),
    PACKED("v_pk_fma_f16", 3, Half::fused(a, b, c)),
    PACKED("v_pk_min_f16", 2, least(a, b)),
    PACKED("v_pk_max_f16", 2, greatest(a, b)),
    {"v_fma_mix_f32", mix<Mixed::kSingle>, true},
    {"v_fma_mixlo_f16", mix<Mixed::kLowerHalf>, true},
    {"v_fma_mixhi_f16", mix<Mixed::kUpperHalf>, true},
    {"v_dot2_f32_f16", dot<false>, true},
    {"v_dot2c_f32_f16 v_dot2acc_f32_f16", dot<true>, true},
};

} // namespace

std::span<const Operation> half_operations() { return kOperations; }

} // namespace emulator::executor::amdgpu
