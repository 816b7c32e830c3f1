// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The results of operations on floats, of any width.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace emulator::executor::amdgpu {

// The range that saturates; what is no number becomes 0.
template <class T, class F> T converted(F value) {
  if (std::isnan(value))
    return 0;
  value = std::trunc(value);
  if (value <= static_cast<F>(std::numeric_limits<T>::min()))
    return std::numeric_limits<T>::min();
  if (value >= static_cast<F>(std::numeric_limits<T>::max()))
    return std::numeric_limits<T>::max();
  return static_cast<T>(value);
}

// A number is preferred to what is none, and -0 is less than +0.
template <class T> T least(T a, T b) {
  if (a == 0 && b == 0)
    return std::signbit(a) ? a : b;
  return std::fmin(a, b);
}
template <class T> T greatest(T a, T b) {
  if (a == 0 && b == 0)
    return std::signbit(a) ? b : a;
  return std::fmax(a, b);
}
template <class T> T median(T a, T b, T c) {
  if (std::isnan(a) || std::isnan(b) || std::isnan(c))
    return least(least(a, b), c);
  const T most = greatest(greatest(a, b), c);
  return most == a ? greatest(b, c) : most == b ? greatest(a, c) : greatest(a, b);
}

template <class T> T fraction(T value) {
  const T result = value - std::floor(value);
  const T below_one = std::nextafter(T{1}, T{0});
  return std::isnan(result) ? result : std::fmin(result, below_one);
}
template <class T> T mantissa(T value) {
  int exponent = 0;
  return std::isfinite(value) ? std::frexp(value, &exponent) : value;
}
template <class T> int32_t exponent(T value) {
  int result = 0;
  if (std::isfinite(value))
    std::frexp(value, &result);
  return result;
}

inline float sine(float turns) { return static_cast<float>(std::sin(6.283185307179586 * double{turns})); }
inline float cosine(float turns) { return static_cast<float>(std::cos(6.283185307179586 * double{turns})); }

} // namespace emulator::executor::amdgpu
