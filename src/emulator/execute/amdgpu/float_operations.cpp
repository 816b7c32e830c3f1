// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floats and conversions, lane by lane: IEEE with denormals and to the nearest, as kernels start. Operations that
// hardware only approximates (reciprocals, roots, powers) are as exact as the host's library has them.

#include <algorithm>
#include <limits>

#include "float_functions.h"
#include "operations.h"
#include "vector.h"

namespace emulator::executor::amdgpu {

namespace {

using U32 = uint32_t;
using I32 = int32_t;

// Rounds twice and knows no denormals.
float flushed(float value) { return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value; }
float multiply_add(float a, float b, float c) { return flushed(flushed(flushed(a) * flushed(b)) + flushed(c)); }

// The exponent's bits.
int biased(float value) { return static_cast<int>(__builtin_bit_cast(U32, value) >> 23 & 0xFF); }
int biased(double value) { return static_cast<int>(__builtin_bit_cast(uint64_t, value) >> 52 & 0x7FF); }
template <class T> bool is_denormal(T value) { return std::fpclassify(value) == FP_SUBNORMAL; }

// ---- Division: the steps of the manuals' sequence. They take the reciprocal of a denominator of 32 bits in 64, so that it is
// never denormal; for 64 bits they scale a denominator up that would become infinite, where this scales the numerator.
template <class T> struct Division;
template <> struct Division<float> {
  static constexpr int kFar = 96, kScale = 64, kTiny = 23, kMiddle = 127, kUnderflow = -150;
};
template <> struct Division<double> {
  static constexpr int kFar = 768, kScale = 128, kTiny = 53, kMiddle = 1023, kUnderflow = -1075;
};

template <class T> struct Scaled {
  T value;
  bool flag;
};
template <class T> Scaled<T> scale_for_division(T value, T denominator, T numerator) {
  using D = Division<T>;
  const T up = std::ldexp(value, D::kScale);
  if (numerator == 0 || denominator == 0)
    return {std::numeric_limits<T>::quiet_NaN(), false};
  const bool is_denominator = value == denominator, is_numerator = value == numerator;
  if (biased(numerator) - biased(denominator) >= D::kFar)
    return {is_denominator ? up : value, true};
  if (is_denormal(denominator))
    return {up, false};
  if (is_denormal(numerator / denominator))
    return {is_numerator ? up : value, true};
  if (is_denormal(1 / static_cast<double>(denominator)))
    return {std::ldexp(value, -D::kScale), false};
  return {biased(numerator) <= D::kTiny ? up : value, false};
}

template <class T> T fix_division(T quotient, T denominator, T numerator) {
  using D = Division<T>;
  const T sign = std::signbit(denominator) != std::signbit(numerator) ? T{-1} : T{1};
  if (std::isnan(numerator))
    return numerator;
  if (std::isnan(denominator))
    return denominator;
  const bool has_no_value = (denominator == 0 && numerator == 0) || (std::isinf(denominator) && std::isinf(numerator));
  if (has_no_value)
    return -std::numeric_limits<T>::quiet_NaN();
  if (denominator == 0 || std::isinf(numerator))
    return sign * std::numeric_limits<T>::infinity();
  if (std::isinf(denominator) || numerator == 0)
    return std::copysign(T{0}, sign);
  if (biased(numerator) - biased(denominator) < D::kUnderflow)
    return std::copysign(T{0}, sign);
  if (std::isnan(quotient)) // the steps before have met infinities
    return sign * std::numeric_limits<T>::infinity();
  return std::copysign(quotient, sign);
}

// Result, flags, three sources.
template <class T> void divide_scale(AmdWave &wave, const Instruction &i) {
  VectorInstruction vector(wave, i);
  if (i.count != 5 || !vector.has_destination(sizeof(T) / 4))
    return wave.unsupported("the operands of v_div_scale");
  const Source<T> a(vector, 2, 0), b(vector, 3, 1), c(vector, 4, 2);
  uint64_t flags = 0;
  for (unsigned lane = 0; lane < wave.lanes(); ++lane) {
    if (!(vector.active >> lane & 1))
      continue;
    const Scaled<T> result = scale_for_division(a.at(lane), b.at(lane), c.at(lane));
    flags |= uint64_t{result.flag} << lane;
    put<T>(vector, lane, result.value);
  }
  wave.write_mask(i.operands[1], flags);
}
// Rounded once: a quotient that is denormal is right.
template <class T> T scaled_sum(T a, T b, T c, int scale) {
  if (!std::isfinite(a) || !std::isfinite(b) || !std::isfinite(c))
    return std::fma(a, b, c);
#if defined(__SIZEOF_FLOAT128__)
  __extension__ typedef __float128 Wide;
#else
  typedef long double Wide; // the same where there is no such name
  static_assert(std::numeric_limits<Wide>::digits == 113);
#endif
  return static_cast<T>((static_cast<Wide>(a) * static_cast<Wide>(b) + static_cast<Wide>(c)) *
                        static_cast<Wide>(std::ldexp(1.0, scale)));
}
template <class T> void divide_fmas(AmdWave &wave, const Instruction &i) {
  VectorInstruction vector(wave, i);
  if (!vector.has_destination(sizeof(T) / 4))
    return;
  const Source<T> a(vector, 1, 0), b(vector, 2, 1), c(vector, 3, 2);
  const uint64_t flags = wave.mask(kVcc);
  for (unsigned lane = 0; lane < wave.lanes(); ++lane) {
    if (!(vector.active >> lane & 1))
      continue;
    const int scale = biased(c.at(lane)) > Division<T>::kMiddle ? Division<T>::kScale : -Division<T>::kScale;
    put<T>(vector, lane,
           flags >> lane & 1 ? scaled_sum(a.at(lane), b.at(lane), c.at(lane), scale)
                             : std::fma(a.at(lane), b.at(lane), c.at(lane)));
  }
}

// ---- v_trig_preop: 53 binary places of 2 / pi, as far down as the argument is large

constexpr U32 kTwoOverPi[] = {0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB,
                              0xDEBBC561, 0xB7246E3A, 0x424DD2E0, 0x06492EEA, 0x09D1921C, 0xFE1DEB1C, 0xB129A73E,
                              0xE88235F5, 0x2EBB4484, 0xE99C7026, 0xB45F7E41, 0x3991D639, 0x835339F4, 0x9C845F8B,
                              0xBDF9283B, 0x1FF897FF, 0xDE05980F, 0xEF2F118B, 0x5A0A6D1F, 0x6D367ECF, 0x27CB09B7,
                              0x4F463F66, 0x9E5FEA2D, 0x7527BAC7, 0xEBE5F17B, 0x3D0739F7, 0x8A5292EA, 0x6BFB5FB1,
                              0x1F8D5D08, 0x56033046, 0xFC7B6BAB};

double two_over_pi(double argument, U32 segment) {
  const int exponent = biased(argument);
  const int shift = static_cast<int>(segment & 31) * 53 + std::max(exponent - 1077, 0);
  uint64_t places = 0;
  for (int at = shift; at < shift + 53; ++at)
    places = places << 1 | (at < 1201 ? kTwoOverPi[at / 32] >> (31 - at % 32) & 1 : 0);
  return std::ldexp(static_cast<double>(places), -53 - shift + (exponent >= 1968 ? 128 : 0));
}

// ---- Pairs of floats: each half of the result takes a half of each source
bool read_half(AmdWave &wave, const Operand &operand, bool is_upper, U32 *values) {
  const bool is_zero = operand.kind == OperandKind::kInteger && operand.bits == 0;
  const bool is_constant = operand.kind == OperandKind::kInteger || operand.kind == OperandKind::kFloat;
  if (is_zero || (is_constant && !is_upper)) { // no upper half of other constants is sure
    std::fill(values, values + wave.lanes(), is_zero ? 0u : wave.scalar_source(operand));
    return true;
  }
  if (operand.registers != 2 || (operand.kind != OperandKind::kVector && operand.kind != OperandKind::kScalar)) {
    wave.unsupported("a source of a packed instruction that is no pair of registers");
    return false;
  }
  for (unsigned lane = 0; lane < wave.lanes(); ++lane)
    values[lane] = operand.kind == OperandKind::kVector ? wave.vector(operand.index + (is_upper ? 1u : 0u))[lane]
                                                        : wave.scalar(operand.index + (is_upper ? 1u : 0u));
  return true;
}
template <unsigned Sources, auto F> void packed(AmdWave &wave, const Instruction &i) {
  VectorInstruction vector(wave, i);
  if (!vector.has_destination(2) || i.clamps)
    return wave.unsupported("the modifiers of a packed instruction");
  float halves[2][3][kMostLanes];
  for (unsigned half = 0; half < 2; ++half)
    for (unsigned source = 0; source < Sources; ++source) {
      U32 bits[kMostLanes];
      const bool is_upper = half == 0 ? i.op_sel[source] != 0 : i.op_sel_hi[source] != 0;
      if (!read_half(wave, i.operands[source + 1], is_upper, bits))
        return;
      const bool is_negated = half == 0 ? i.neg_lo[source] != 0 : i.neg_hi[source] != 0;
      for (unsigned lane = 0; lane < wave.lanes(); ++lane)
        halves[half][source][lane] = __builtin_bit_cast(float, bits[lane] ^ (is_negated ? 0x80000000u : 0u));
    }
  for (unsigned lane = 0; lane < wave.lanes(); ++lane)
    if (vector.active >> lane & 1) {
      const auto of = [&](unsigned half) {
        return __builtin_bit_cast(U32, F(halves[half][0][lane], halves[half][1][lane], halves[half][2][lane]));
      };
      vector.write64(lane, of(0) | uint64_t{of(1)} << 32);
    }
}
void packed_move(AmdWave &wave, const Instruction &i) {
  VectorInstruction vector(wave, i);
  U32 low[kMostLanes], high[kMostLanes];
  if (!vector.has_destination(2) || !read_half(wave, i.operands[1], i.op_sel[0] != 0, low) ||
      !read_half(wave, i.operands[2], i.op_sel[1] != 0, high))
    return;
  for (unsigned lane = 0; lane < wave.lanes(); ++lane)
    if (vector.active >> lane & 1)
      vector.write64(lane, low[lane] | uint64_t{high[lane]} << 32);
}

#define LANES(names, R, parameters, expression)                                                                        \
  {names, lanes<[] parameters -> R { return static_cast<R>(expression); }>, true}
#define ONE(name, expression)                                                                                          \
  LANES(name "_f32", float, (float a), expression), LANES(name "_f64", double, (double a), expression)
#define TWO(name, expression)                                                                                          \
  LANES(name "_f32", float, (float a, float b), expression),                                                           \
      LANES(name "_f64", double, (double a, double b), expression)
#define THREE(name, expression)                                                                                        \
  LANES(name "_f32", float, (float a, float b, float c), expression),                                                  \
      LANES(name "_f64", double, (double a, double b, double c), expression)
#define ONTO(name, T) {name, lanes_onto<[](T a, T b, T c) -> T { return std::fma(a, b, c); }>, true}

const Operation kOperations[] = {
    TWO("v_add", a + b),
    TWO("v_mul", a *b),
    TWO("v_min", least(a, b)),
    TWO("v_max", greatest(a, b)),
    THREE("v_fma", std::fma(a, b, c)),
    ONTO("v_fmac_f32", float),
    ONTO("v_fmac_f64", double),
    LANES("v_mad_f32 v_madmk_f32 v_madak_f32", float, (float a, float b, float c), multiply_add(a, b, c)),
    {"v_mac_f32", lanes_onto<multiply_add>, true},
    LANES("v_fmamk_f32", float, (float a, float b, float c), std::fma(a, b, c)),
    LANES("v_fmaak_f32", float, (float a, float b, float c), std::fma(a, b, c)),
    LANES("v_sub_f32", float, (float a, float b), a - b),
    LANES("v_subrev_f32", float, (float a, float b), b - a),
    LANES("v_mul_legacy_f32 v_mul_dx9_zero_f32", float, (float a, float b), a == 0 || b == 0 ? 0 : a * b),
    LANES("v_min3_f32", float, (float a, float b, float c), least(least(a, b), c)),
    LANES("v_max3_f32", float, (float a, float b, float c), greatest(greatest(a, b), c)),
    LANES("v_med3_f32", float, (float a, float b, float c), median(a, b, c)),
    LANES("v_maxmin_f32", float, (float a, float b, float c), least(greatest(a, b), c)),
    LANES("v_minmax_f32", float, (float a, float b, float c), greatest(least(a, b), c)),
    ONE("v_rcp", 1 / a),
    LANES("v_rcp_iflag_f32", float, (float a), 1 / a),
    ONE("v_rsq", 1 / std::sqrt(a)),
    ONE("v_sqrt", std::sqrt(a)),
    ONE("v_trunc", std::trunc(a)),
    ONE("v_ceil", std::ceil(a)),
    ONE("v_floor", std::floor(a)),
    ONE("v_rndne", std::nearbyint(a)),
    ONE("v_fract", fraction(a)),
    ONE("v_frexp_mant", mantissa(a)),
    LANES("v_frexp_exp_i32_f32", I32, (float a), exponent(a)),
    LANES("v_frexp_exp_i32_f64", I32, (double a), exponent(a)),
    LANES("v_ldexp_f32", float, (float a, I32 b), std::ldexp(a, b)),
    LANES("v_ldexp_f64", double, (double a, I32 b), std::ldexp(a, b)),
    LANES("v_exp_f32", float, (float a), std::exp2(a)),
    LANES("v_log_f32", float, (float a), std::log2(a)),
    LANES("v_sin_f32", float, (float a), sine(a)),
    LANES("v_cos_f32", float, (float a), cosine(a)),
    LANES("v_cvt_f32_i32", float, (I32 a), a),
    LANES("v_cvt_f32_u32", float, (U32 a), a),
    LANES("v_cvt_f64_i32", double, (I32 a), a),
    LANES("v_cvt_f64_u32", double, (U32 a), a),
    LANES("v_cvt_i32_f32", I32, (float a), converted<I32>(a)),
    LANES("v_cvt_u32_f32", U32, (float a), converted<U32>(a)),
    LANES("v_cvt_i32_f64", I32, (double a), converted<I32>(a)),
    LANES("v_cvt_u32_f64", U32, (double a), converted<U32>(a)),
    LANES("v_cvt_rpi_i32_f32 v_cvt_nearest_i32_f32", I32, (float a), converted<I32>(std::floor(a + 0.5f))),
    LANES("v_cvt_flr_i32_f32 v_cvt_floor_i32_f32", I32, (float a), converted<I32>(std::floor(a))),
    LANES("v_cvt_f32_f64", float, (double a), a),
    LANES("v_cvt_f64_f32", double, (float a), a),
    LANES("v_cvt_f32_ubyte0", float, (U32 a), a & 0xFF),
    LANES("v_cvt_f32_ubyte1", float, (U32 a), a >> 8 & 0xFF),
    LANES("v_cvt_f32_ubyte2", float, (U32 a), a >> 16 & 0xFF),
    LANES("v_cvt_f32_ubyte3", float, (U32 a), a >> 24 & 0xFF),
    {"v_div_scale_f32", divide_scale<float>, true},
    {"v_div_scale_f64", divide_scale<double>, true},
    {"v_div_fmas_f32", divide_fmas<float>, true},
    {"v_div_fmas_f64", divide_fmas<double>, true},
    THREE("v_div_fixup", fix_division(a, b, c)),
    LANES("v_trig_preop_f64", double, (double a, U32 b), two_over_pi(a, b)),
    {"v_pk_add_f32", packed<2, [](float a, float b, float) { return a + b; }>, true},
    {"v_pk_mul_f32", packed<2, [](float a, float b, float) { return a * b; }>, true},
    {"v_pk_fma_f32", packed<3, [](float a, float b, float c) { return std::fma(a, b, c); }>, true},
    {"v_pk_mov_b32", packed_move, true},
};

} // namespace

std::span<const Operation> float_operations() { return kOperations; }

} // namespace emulator::executor::amdgpu
