// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host's functions for what GPUs' libraries have: those of the C library under its names, and what that lacks,
// computed with more bits than the result has. T is float or double, or long double where tests want a value to compare
// with.
#pragma once

#include <cmath>
#include <limits>

namespace emulator::executor::math {

using Wide = long double;
inline constexpr Wide kPi = 3.14159265358979323846264338327950288L;

#define OMPTARGET_MATH_1(name)                                                                                         \
  template <class T> T name(T a) { return std::name(a); }
#define OMPTARGET_MATH_2(name)                                                                                         \
  template <class T> T name(T a, T b) { return std::name(a, b); }
OMPTARGET_MATH_1(acos)
OMPTARGET_MATH_1(acosh)
OMPTARGET_MATH_1(asin)
OMPTARGET_MATH_1(asinh)
OMPTARGET_MATH_1(atan)
OMPTARGET_MATH_1(atanh)
OMPTARGET_MATH_1(cbrt)
OMPTARGET_MATH_1(cos)
OMPTARGET_MATH_1(cosh)
OMPTARGET_MATH_1(erf)
OMPTARGET_MATH_1(erfc)
OMPTARGET_MATH_1(exp)
OMPTARGET_MATH_1(exp2)
OMPTARGET_MATH_1(expm1)
OMPTARGET_MATH_1(lgamma)
OMPTARGET_MATH_1(log)
OMPTARGET_MATH_1(log10)
OMPTARGET_MATH_1(log1p)
OMPTARGET_MATH_1(log2)
OMPTARGET_MATH_1(logb)
OMPTARGET_MATH_1(sin)
OMPTARGET_MATH_1(sinh)
OMPTARGET_MATH_1(tan)
OMPTARGET_MATH_1(tanh)
OMPTARGET_MATH_1(tgamma)
OMPTARGET_MATH_2(atan2)
OMPTARGET_MATH_2(fdim)
OMPTARGET_MATH_2(fmod)
OMPTARGET_MATH_2(hypot)
OMPTARGET_MATH_2(nextafter)
OMPTARGET_MATH_2(pow)
OMPTARGET_MATH_2(remainder)
#undef OMPTARGET_MATH_1
#undef OMPTARGET_MATH_2

template <class T> int ilogb(T a) { return std::ilogb(a); }
template <class T> T ldexp(T a, int b) { return std::ldexp(a, b); }
template <class T> T scalbn(T a, int b) { return std::scalbn(a, b); }
template <class T> T powi(T a, int b) { return static_cast<T>(std::pow(Wide(a), Wide(b))); }
template <class T> T frexp_mantissa(T a) {
  int exponent;
  return std::frexp(a, &exponent);
}
template <class T> int frexp_exponent(T a) {
  int exponent = 0;
  std::frexp(a, &exponent);
  return std::isfinite(a) ? exponent : 0;
}
template <class T> int remquo_quotient(T a, T b) {
  int quotient = 0;
  std::remquo(a, b, &quotient);
  return quotient;
}

template <class T> T exp10(T a) { return static_cast<T>(::exp10l(a)); }
template <class T> T j0(T a) { return static_cast<T>(::j0l(a)); }
template <class T> T j1(T a) { return static_cast<T>(::j1l(a)); }
template <class T> T y0(T a) { return static_cast<T>(::y0l(a)); }
template <class T> T y1(T a) { return static_cast<T>(::y1l(a)); }
template <class T> T jn(int n, T a) { return static_cast<T>(::jnl(n, a)); }
template <class T> T yn(int n, T a) { return static_cast<T>(::ynl(n, a)); }
template <class T> T rcbrt(T a) { return static_cast<T>(1 / std::cbrt(Wide(a))); }
template <class T> T rhypot(T a, T b) { return static_cast<T>(1 / std::hypot(Wide(a), Wide(b))); }

template <class T> T norm4d(T a, T b, T c, T d) {
  return static_cast<T>(std::hypot(std::hypot(Wide(a), Wide(b)), std::hypot(Wide(c), Wide(d))));
}
template <class T> T norm3d(T a, T b, T c) { return norm4d<T>(a, b, c, 0); }
template <class T> T rnorm4d(T a, T b, T c, T d) { return static_cast<T>(1 / norm4d<Wide>(a, b, c, d)); }
template <class T> T rnorm3d(T a, T b, T c) { return rnorm4d<T>(a, b, c, 0); }

// Computes with the rest of quarters of a turn, which is at most an eighth.
inline Wide turn(Wide half_turns, int quarter) {
  const Wide quarters = std::rint(2 * half_turns), rest = (half_turns - quarters / 2) * kPi;
  switch ((static_cast<int>(std::fmod(quarters, 4.0L)) + quarter) & 3) {
  case 0: return std::sin(rest);
  case 1: return std::cos(rest);
  case 2: return -std::sin(rest);
  default: return -std::cos(rest);
  }
}
template <class T> T sinpi(T a) {
  if (std::isinf(a))
    return std::numeric_limits<T>::quiet_NaN();
  const T value = static_cast<T>(turn(std::fmod(Wide(a), 2.0L), 0));
  return value == 0 ? std::copysign(T{0}, a) : value;
}
template <class T> T cospi(T a) {
  if (std::isinf(a))
    return std::numeric_limits<T>::quiet_NaN();
  return static_cast<T>(turn(std::fmod(Wide(a), 2.0L), 1)) + T{0};
}

// I_n(a) as a series, or for large a as one in 1 / a.
inline Wide bessel_i(int n, Wide a) {
  const Wide size = std::fabs(a);
  if (std::isnan(a) || std::isinf(a))
    return n == 1 ? a : size;
  Wide term = 1, sum = 1;
  if (size < 40) {
    for (int k = 1; term > sum * 1e-21L; ++k)
      sum += term *= size * size / (4.0L * k * (k + n));
    return n == 1 ? sum * a / 2 : sum;
  }
  for (int k = 1; k < 60 && std::fabs(term) > 1e-21L; ++k)
    sum += term *= -(4.0L * n * n - (2 * k - 1) * (2 * k - 1)) / (8 * k * size);
  const Wide root = std::exp(size / 2), value = root / std::sqrt(2 * kPi * size) * sum * root;
  return n == 1 ? std::copysign(value, a) : value;
}
template <class T> T cyl_bessel_i0(T a) { return static_cast<T>(bessel_i(0, a)); }
template <class T> T cyl_bessel_i1(T a) { return static_cast<T>(bessel_i(1, a)); }

// exp(a * a) * erfc(a): for large a its series in 1 / a.
inline Wide wide_erfcx(Wide a) {
  if (a < 12)
    return std::exp(a * a) * std::erfc(a);
  Wide term = 1, sum = 1;
  for (int k = 1; k < 20; ++k)
    sum += term *= -(2 * k - 1) / (2 * a * a);
  return sum / (a * std::sqrt(kPi));
}
template <class T> T erfcx(T a) { return static_cast<T>(wide_erfcx(a)); }

// The root of erfc(x) = chance, 0 < chance <= 1, by Newton's method for its logarithm, which is smooth.
inline Wide upper_erfcinv(Wide chance) {
  Wide x = chance > 0.2L ? (1 - chance) * std::sqrt(kPi) / 2 : std::sqrt(-std::log(chance * 1.5L));
  for (int i = 0; i < 60; ++i) {
    const Wide scaled = wide_erfcx(x); // erfc'(x) / erfc(x) = -2 / sqrt(pi) / erfcx(x)
    const Wide step = (std::log(scaled) - x * x - std::log(chance)) * scaled * std::sqrt(kPi) / 2;
    x += step;
    if (std::fabs(step) <= std::fabs(x) * 1e-19L)
      break;
  }
  return x;
}
// Where erf is nearly straight, the root of erf(x) = a itself.
inline Wide small_erfinv(Wide a) {
  Wide x = a * std::sqrt(kPi) / 2;
  for (int i = 0; i < 60; ++i) {
    const Wide step = (a - std::erf(x)) * std::exp(x * x) * std::sqrt(kPi) / 2;
    x += step;
    if (std::fabs(step) <= std::fabs(x) * 1e-19L)
      break;
  }
  return x;
}
inline Wide wide_erfcinv(Wide a) {
  if (!(a >= 0 && a <= 2))
    return std::numeric_limits<Wide>::quiet_NaN();
  if (a == 0 || a == 2)
    return a == 0 ? HUGE_VALL : -HUGE_VALL;
  if (std::fabs(1 - a) < 0.5L)
    return small_erfinv(1 - a);
  return a < 1 ? upper_erfcinv(a) : -upper_erfcinv(2 - a);
}
template <class T> T erfcinv(T a) { return static_cast<T>(wide_erfcinv(a)); }
template <class T> T erfinv(T a) {
  if (std::fabs(a) < T{0.5})
    return a == 0 ? a : static_cast<T>(small_erfinv(a));
  return static_cast<T>(a < 0 ? -wide_erfcinv(1 + Wide(a)) : wide_erfcinv(1 - Wide(a)));
}
template <class T> T normcdf(T a) { return static_cast<T>(std::erfc(-Wide(a) / std::sqrt(2.0L)) / 2); }
template <class T> T normcdfinv(T a) { return static_cast<T>(-std::sqrt(2.0L) * wide_erfcinv(2 * Wide(a))); }

} // namespace emulator::executor::math
