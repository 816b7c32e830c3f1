// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that only ocml has, computed by the host with more bits; the rest is in ptx/math_functions.h. And the forms
// of functions.def.
#pragma once

#include <complex>

#include "emulator/execute/ptx/math_functions.h"

namespace emulator::executor::math {

struct Values {
  Wide a, b, c, d;
  bool is_float;
};
/// A result, and the second one of a function that has two.
struct Results {
  Wide first, second = 0;
};

inline Wide sqrt(Wide a) { return std::sqrt(a); }
inline Wide fabs(Wide a) { return std::fabs(a); }
inline Wide floor(Wide a) { return std::floor(a); }
inline Wide ceil(Wide a) { return std::ceil(a); }
inline Wide trunc(Wide a) { return std::trunc(a); }
inline Wide round(Wide a) { return std::round(a); }
inline Wide rint(Wide a) { return std::rint(a); }
inline Wide nearbyint(Wide a) { return std::rint(a); }
inline Wide rsqrt(Wide a) { return 1 / std::sqrt(a); }
inline Wide copysign(Wide a, Wide b) { return std::copysign(a, b); }
inline Wide fmax(Wide a, Wide b) { return std::fmax(a, b); }
inline Wide fmin(Wide a, Wide b) { return std::fmin(a, b); }
inline Wide fma(Wide a, Wide b, Wide c) { return std::fma(a, b, c); }
inline Wide llrint(Wide a) { return std::rint(a); }
inline Wide llround(Wide a) { return std::round(a); }
// As conversions do it: the nearest that there is, and the least for what is no number.
inline Wide as_long(Wide a) { return std::isnan(a) ? -0x1p63L : std::fmin(std::fmax(a, -0x1p63L), 0x1p63L); }
inline Wide frexp(Wide a, Wide &exponent) {
  exponent = frexp_exponent(a);
  return frexp_mantissa(a);
}
inline Wide modf(Wide a, Wide &whole) { return std::modf(a, &whole); }
inline Wide norm(Wide a, Wide b, Wide c, Wide d) { return norm4d(a, b, c, d); }
inline Wide rnorm(Wide a, Wide b, Wide c, Wide d) { return rnorm4d(a, b, c, d); }
inline Results sincos(Wide a) { return {std::sin(a), std::cos(a)}; }
inline Results sincospi(Wide a) { return {sinpi(a), cospi(a)}; }

inline Wide acospi(Wide a) { return std::acos(a) / kPi; }
inline Wide asinpi(Wide a) { return std::asin(a) / kPi; }
inline Wide atan2pi(Wide a, Wide b) { return std::atan2(a, b) / kPi; }
inline Wide atanpi(Wide a) { return std::atan(a) / kPi; }
inline Wide tanpi(Wide a) { return sinpi(a) / cospi(a); }
inline Wide fmuladd(Wide a, Wide b, Wide c) { return std::fma(a, b, c); }
inline Wide mad(Wide a, Wide b, Wide c) { return std::fma(a, b, c); }
inline Wide fract(Wide a, Wide &whole) {
  whole = std::floor(a);
  return std::isinf(a) ? std::copysign(Wide{0}, a) : a - whole;
}
inline Wide lgamma_r(Wide a, Wide &sign) {
  sign = a <= 0 && a == std::floor(a) ? 0 : 1;
  return std::lgamma(a);
}
inline Wide max(Wide a, Wide b) { return std::fmax(a, b); }
inline Wide min(Wide a, Wide b) { return std::fmin(a, b); }
inline Wide maxmag(Wide a, Wide b) {
  return std::fabs(a) > std::fabs(b) ? a : std::fabs(b) > std::fabs(a) ? b : std::fmax(a, b);
}
inline Wide minmag(Wide a, Wide b) {
  return std::fabs(a) < std::fabs(b) ? a : std::fabs(b) < std::fabs(a) ? b : std::fmin(a, b);
}
inline Wide native_recip(Wide a) { return 1 / a; }
inline Wide native_rsqrt(Wide a) { return 1 / std::sqrt(a); }
inline Wide native_sqrt(Wide a) { return std::sqrt(a); }
inline Wide native_cos(Wide a) { return std::cos(a); }
inline Wide native_exp(Wide a) { return std::exp(a); }
inline Wide native_exp10(Wide a) { return exp10(a); }
inline Wide native_exp2(Wide a) { return std::exp2(a); }
inline Wide native_log(Wide a) { return std::log(a); }
inline Wide native_log10(Wide a) { return std::log10(a); }
inline Wide native_log2(Wide a) { return std::log2(a); }
inline Wide native_sin(Wide a) { return std::sin(a); }
inline Wide pown(Wide a, int b) { return std::pow(a, Wide(b)); }
// exp(b * log(a)), which has no value where the product has none.
inline Wide powr(Wide a, Wide b) {
  const bool has_value = a >= 0 && !(b == 0 && (a == 0 || std::isinf(a))) && !(a == 1 && std::isinf(b));
  return has_value ? std::pow(a, b) : std::numeric_limits<Wide>::quiet_NaN();
}
inline Wide rootn(Wide a, int b) {
  const Wide root = std::pow(std::fabs(a), 1 / Wide(b));
  return a >= 0 || std::isnan(a) ? root : b % 2 != 0 ? -root : std::numeric_limits<Wide>::quiet_NaN();
}
inline Wide scalb(Wide a, Wide b) { return a * std::exp2(b); }
template <class T> int fpclassify(T a) { return std::fpclassify(a); }
template <class T> int isfinite(T a) { return std::isfinite(a); }
template <class T> int isinf(T a) { return std::isinf(a); }
template <class T> int isnan(T a) { return std::isnan(a); }
template <class T> int isnormal(T a) { return std::isnormal(a); }
template <class T> int signbit(T a) { return std::signbit(a); }

using Complex = std::complex<Wide>;
inline Wide cabs(Complex z) { return std::abs(z); }
inline Complex cacos(Complex z) { return std::acos(z); }
inline Complex cacosh(Complex z) { return std::acosh(z); }
inline Complex casin(Complex z) { return std::asin(z); }
inline Complex casinh(Complex z) { return std::asinh(z); }
inline Complex catan(Complex z) { return std::atan(z); }
inline Complex catanh(Complex z) { return std::atanh(z); }
inline Complex ccos(Complex z) { return std::cos(z); }
inline Complex ccosh(Complex z) { return std::cosh(z); }
inline Complex cdiv(Complex z, Complex w) { return z / w; }
inline Complex cexp(Complex z) { return std::exp(z); }
inline Complex clog(Complex z) { return std::log(z); }
inline Complex csin(Complex z) { return std::sin(z); }
inline Complex csinh(Complex z) { return std::sinh(z); }
inline Complex csqrt(Complex z) { return std::sqrt(z); }
inline Complex ctan(Complex z) { return std::tan(z); }
inline Complex ctanh(Complex z) { return std::tanh(z); }

inline Results of_parts(Complex z) { return {z.real(), z.imag()}; }
inline Results with_second(Wide (*function)(Wide, Wide &), Wide a) {
  Results results{};
  results.first = function(a, results.second);
  return results;
}

} // namespace emulator::executor::math

#define ONE(name)                                                                                                      \
  Results { name(v.a) }
#define TWO(name)                                                                                                      \
  Results { name(v.a, v.b) }
#define THREE(name)                                                                                                    \
  Results { name(v.a, v.b, v.c) }
#define FOUR(name)                                                                                                     \
  Results { name(v.a, v.b, v.c, v.d) }
#define TO_INT(name)                                                                                                   \
  Results { static_cast<Wide>(v.is_float ? name(float(v.a)) : name(double(v.a))) }
#define TO_LONG(name)                                                                                                  \
  Results { as_long(name(v.a)) }
#define BY_INT(name)                                                                                                   \
  Results { name(v.a, static_cast<int>(v.b)) }
#define INT_FIRST(name)                                                                                                \
  Results { name(static_cast<int>(v.b), v.a) }
#define OUT_1(name, type) with_second(name, v.a)
#define NEXT(name)                                                                                                     \
  Results { v.is_float ? std::name(float(v.a), float(v.b)) : std::name(double(v.a), double(v.b)) }
#define QUOTIENT(name) of_parts({remainder(v.a, v.b), static_cast<Wide>(name##_quotient(v.a, v.b) & 7)})
#define ARRAY(name) FOUR(name)
#define NAN_OF(name)                                                                                                   \
  Results { std::numeric_limits<Wide>::quiet_NaN() }
#define BOTH(name) name(v.a)
#define COMPLEX_SIZE(name)                                                                                             \
  Results { name(Complex(v.a, v.b)) }
#define COMPLEX_1(name) of_parts(name(Complex(v.a, v.b)))
#define COMPLEX_2(name) of_parts(name(Complex(v.a, v.b), Complex(v.c, v.d)))
