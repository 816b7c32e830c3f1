// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floats of 16 bits, for all targets: IEEE's halves, and bfloats, the upper half of a single. They compute as singles.
// A single has more than twice their digits. So its sums, products, quotients and roots may be rounded again. Other
// results are rounded to odd first: the last digit says that something was lost.
#pragma once

#include <cmath>
#include <cstdint>

namespace emulator::executor {

/// Sets the last bit of a sum of doubles, or of singles, if the sum has lost something.
template <class Bits, class T> T odd_sum(T a, T b) {
  const T sum = a + b, part = sum - a, lost = (a - (sum - part)) + (b - part);
  const Bits bits = __builtin_bit_cast(Bits, sum);
  if (lost == 0 || std::isnan(lost) || (bits & 1))
    return sum;
  return __builtin_bit_cast(T, std::signbit(lost) == std::signbit(sum) ? bits + 1 : bits - 1);
}

/// The nearest single, but an odd one of its neighbours if it is not the same.
inline float odd_single(double value) {
  const auto single = static_cast<float>(value);
  const auto bits = __builtin_bit_cast(uint32_t, single);
  if (std::isnan(value) || double{single} == value || (bits & 1))
    return single;
  return __builtin_bit_cast(float, std::fabs(double{single}) < std::fabs(value) ? bits + 1 : bits - 1);
}

struct Half {
  static constexpr uint16_t kInfinity = 0x7C00, kNan = 0x7E00;
  static float widen(uint16_t bits) {
    const uint32_t magnitude = (bits & 0x7FFFu) << 13;
    auto wide =
        __builtin_bit_cast(uint32_t, __builtin_bit_cast(float, magnitude) * 0x1p112f); // the exponents' other origin
    if ((bits & 0x7C00) == 0x7C00)
      wide |= 0x7F800000;
    return __builtin_bit_cast(float, wide | (bits & 0x8000u) << 16);
  }
  /// To the nearest.
  static uint16_t narrow(float value) {
    const auto bits = __builtin_bit_cast(uint32_t, value), magnitude = bits & 0x7FFFFFFF, sign = bits >> 16 & 0x8000;
    uint32_t result = 0;
    if (magnitude > 0x7F800000)
      return kNan;
    if (magnitude >= 0x47800000)
      result = kInfinity;
    else if (magnitude < 0x38800000) // denormal: a sum with 0.5 has its digits at the end
      result = __builtin_bit_cast(uint32_t, __builtin_bit_cast(float, magnitude) + 0.5f) - 0x3F000000;
    else
      result = (magnitude + 0xC8000FFF + (magnitude >> 13 & 1)) >> 13;
    return static_cast<uint16_t>(sign | result);
  }
  /// a * b + c, which narrow rounds right. The product has all its digits.
  static float fused(float a, float b, float c) { return odd_sum<uint32_t>(a * b, c); }
};

struct BFloat {
  static constexpr uint16_t kInfinity = 0x7F80, kNan = 0x7FC0;
  static float widen(uint16_t bits) { return __builtin_bit_cast(float, uint32_t{bits} << 16); }
  static uint16_t narrow(float value) {
    const auto bits = __builtin_bit_cast(uint32_t, value);
    return std::isnan(value) ? kNan : static_cast<uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
  }
  static float fused(float a, float b, float c) { return odd_single(odd_sum<uint64_t>(double{a} * b, double{c})); }
};

} // namespace emulator::executor
