// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers from text: strtol, strtod and their relatives. Floating-point results are correctly rounded.

#include "big_integer.h"
#include "libc.h"

namespace omptarget::device_rtl::libc {

/// Returns the value of a digit or letter; 36 for what is neither.
INLINE uint32_t digit_of(char letter) {
  if (is_digit(letter))
    return static_cast<uint32_t>(letter - '0');
  return is_alpha(letter) ? static_cast<uint32_t>(to_lower(letter) - 'a') + 10 : 36;
}

INLINE bool take_sign(const char *&at) {
  const bool is_negative = *at == '-';
  if (*at == '-' || *at == '+')
    ++at;
  return is_negative;
}

/// Skips a prefix such as 0x if a digit of the base follows. Returns whether it was there.
INLINE bool take_prefix(const char *&at, char letter, uint32_t base) {
  if (at[0] != '0' || to_lower(at[1]) != letter || digit_of(at[2]) >= base)
    return false;
  at += 2;
  return true;
}

/// An integer of text: its magnitude, and what is to be said of it.
struct ReadInteger {
  uint64_t magnitude = 0;
  bool is_negative = false, is_too_large = false;
};
/// Sets *end, if end is not null, behind the number, or to text if there is none. takes_binary: 0b1 is a number.
static __attribute__((noinline)) ReadInteger read_integer(const char *text, char **end, int32_t base,
                                                          bool takes_binary) {
  ReadInteger read;
  const char *at = text, *behind = text;
  if (base != 0 && (base < 2 || base > 36)) {
    *__errno_location() = kInvalidArgument;
    base = 0;
  } else {
    while (is_space(*at))
      ++at;
    read.is_negative = take_sign(at);
    if ((base == 0 || base == 16) && take_prefix(at, 'x', 16))
      base = 16;
    else if (takes_binary && (base == 0 || base == 2) && take_prefix(at, 'b', 2))
      base = 2;
    else if (base == 0)
      base = *at == '0' ? 8 : 10;
    for (uint32_t digit; (digit = digit_of(*at)) < static_cast<uint32_t>(base); behind = ++at)
      read.is_too_large = read.is_too_large ||
                          __builtin_mul_overflow(read.magnitude, static_cast<uint64_t>(base), &read.magnitude) ||
                          __builtin_add_overflow(read.magnitude, uint64_t{digit}, &read.magnitude);
  }
  if (end)
    *end = const_cast<char *>(behind);
  return read;
}

INLINE long read_signed(const char *text, char **end, int32_t base, bool takes_binary) {
  const ReadInteger read = read_integer(text, end, base, takes_binary);
  const uint64_t most = (~uint64_t{0} >> 1) + (read.is_negative ? 1 : 0);
  if (read.is_too_large || read.magnitude > most) {
    *__errno_location() = kRangeError;
    return static_cast<long>(most);
  }
  return static_cast<long>(read.is_negative ? 0 - read.magnitude : read.magnitude);
}
INLINE uint64_t read_unsigned(const char *text, char **end, int32_t base, bool takes_binary) {
  const ReadInteger read = read_integer(text, end, base, takes_binary);
  if (read.is_too_large) {
    *__errno_location() = kRangeError;
    return ~uint64_t{0};
  }
  return read.is_negative ? 0 - read.magnitude : read.magnitude;
}

/// A binary floating-point type: bits of its significand with the leading one, and the exponent of its smallest normal
/// number.
struct Format {
  int32_t precision, least_exponent, greatest_exponent;
};
inline constexpr Format kDouble = {53, -1022, 1023}, kFloat = {24, -126, 127};

/// Rounds top * 2^exponent, top being 0 or having its highest bit set, to the format. is_more: the value is a little
/// greater than that.
static double round_to(const Format &format, uint64_t top, int32_t exponent, bool is_more) {
  if (top == 0)
    return 0;
  // The value is 1.xxx * 2^(exponent + 63). Below the smallest normal number fewer bits are left.
  const int32_t leading = exponent + 63;
  const int32_t kept = gpu::smaller(format.precision, format.precision - (format.least_exponent - leading));
  if (kept < 0) {
    *__errno_location() = kRangeError;
    return 0;
  }
  const int32_t dropped = 64 - kept;
  const uint64_t rest = dropped == 64 ? top : top & ((uint64_t{1} << dropped) - 1);
  const uint64_t half = uint64_t{1} << (dropped - 1);
  uint64_t bits = dropped == 64 ? 0 : top >> dropped;
  if (rest > half || (rest == half && (is_more || (bits & 1) != 0)))
    ++bits;
  const bool is_exact = rest == 0 && !is_more;
  if (leading > format.greatest_exponent ||
      (leading == format.greatest_exponent && bits == uint64_t{1} << format.precision)) {
    *__errno_location() = kRangeError;
    return __builtin_inf();
  }
  // One that would round up to the smallest normal number, were there smaller ones of the same precision, is in range.
  const bool rounds_up = top >> (63 - format.precision) == (uint64_t{2} << format.precision) - 1;
  if (leading < format.least_exponent && !is_exact && !(rounds_up && leading == format.least_exponent - 1))
    *__errno_location() = kRangeError;
  // bits * 2^(exponent + dropped), in two steps that are exact: the first is a normal double.
  double result = static_cast<double>(bits);
  for (int32_t left = exponent + dropped; left != 0;) {
    const int32_t step = left > 500 ? 500 : left < -500 ? -500 : left;
    result *= __builtin_bit_cast(double, static_cast<uint64_t>(step + 1023) << 52);
    left -= step;
  }
  return result;
}

/// Reads what follows the letter of an exponent, if digits do. Returns 0 otherwise.
static int32_t read_exponent(const char *&at, char letter) {
  if (to_lower(*at) != letter)
    return 0;
  const char *behind = at + 1;
  const bool is_negative = take_sign(behind);
  if (!is_digit(*behind))
    return 0;
  int32_t exponent = 0;
  for (; is_digit(*behind); ++behind)
    exponent = gpu::smaller(exponent * 10 + (*behind - '0'), 1000000);
  at = behind;
  return is_negative ? -exponent : exponent;
}

/// Rounds digits * 10^exponent to the format.
static double round_product(const Format &format, BigInteger &digits, int32_t exponent, bool is_more) {
  BigInteger divisor;
  divisor.multiply_and_add(1, 1);
  (exponent < 0 ? divisor : digits).multiply_by_power_of_5(exponent < 0 ? -exponent : exponent);
  int32_t shift = digits.bits() - divisor.bits();
  (shift < 0 ? digits : divisor).shift_left(shift < 0 ? -shift : shift);
  if (digits.is_less(divisor)) {
    digits.shift_left(1);
    --shift;
  }
  uint64_t top = 0;
  for (int32_t i = 0; i < 64; ++i) {
    top <<= 1;
    if (!digits.is_less(divisor)) {
      digits.subtract(divisor);
      top |= 1;
    }
    digits.shift_left(1);
  }
  return round_to(format, top, exponent + shift - 63, is_more || !digits.is_zero());
}

/// Reads a number such as 0x1.8p3, of which at is the first digit or point.
static double read_hexadecimal(const char *&at, const Format &format) {
  uint64_t top = 0;
  int32_t exponent = 0;
  bool is_more = false, has_point = false;
  for (;; ++at) {
    if (*at == '.' && !has_point) {
      has_point = true;
      continue;
    }
    const uint32_t digit = digit_of(*at);
    if (digit >= 16)
      break;
    if (top >> 60 == 0) {
      top = top << 4 | digit;
      exponent -= has_point ? 4 : 0;
    } else {
      is_more = is_more || digit != 0;
      exponent += has_point ? 0 : 4;
    }
  }
  exponent += read_exponent(at, 'p');
  if (top == 0)
    return 0;
  const int32_t shift = __builtin_clzll(top);
  return round_to(format, top << shift, exponent - shift, is_more);
}

/// Reads a decimal number, of which at is the first digit or point.
static double read_decimal(const char *&at, const Format &format) {
  BigInteger digits;
  uint64_t first_digits = 0; ///< all of them as long as there are at most 19
  int32_t count = 0, exponent = 0;
  bool is_more = false, has_point = false;
  for (;; ++at) {
    if (*at == '.' && !has_point) {
      has_point = true;
      continue;
    }
    if (!is_digit(*at))
      break;
    const auto digit = static_cast<uint32_t>(*at - '0');
    if (count < kMostDigits) {
      count += count > 0 || digit != 0;
      digits.multiply_and_add(10, digit);
      first_digits = count <= 19 ? first_digits * 10 + digit : first_digits;
      exponent -= has_point;
    } else {
      is_more = is_more || digit != 0;
      exponent += !has_point;
    }
  }
  exponent += read_exponent(at, 'e');
  if (count == 0)
    return 0;
  if (count + exponent > 310)
    return round_to(format, uint64_t{1} << 63, 2000, false);
  if (count + exponent < -345)
    return round_to(format, uint64_t{1} << 63, -2000, false);
  // Few digits and a small power of 10 are exact in a double, so one operation rounds right.
  if (format.precision == kDouble.precision && count <= 15 && exponent >= -22 && exponent <= 22) {
    double power = 1;
    for (int32_t i = exponent < 0 ? -exponent : exponent; i > 0; --i)
      power *= 10;
    const auto exact = static_cast<double>(first_digits);
    return exponent < 0 ? exact / power : exact * power;
  }
  return round_product(format, digits, exponent, is_more);
}

/// Skips a word in any case.
INLINE bool take_word(const char *&at, const char *word) {
  const char *behind = at;
  for (; *word; ++word, ++behind)
    if (to_lower(*behind) != *word)
      return false;
  at = behind;
  return true;
}

/// Skips what may follow nan: letters and digits in parentheses.
INLINE void take_parentheses(const char *&at) {
  if (*at != '(')
    return;
  const char *behind = at + 1;
  while (is_digit(*behind) || is_alpha(*behind) || *behind == '_')
    ++behind;
  if (*behind == ')')
    at = behind + 1;
}

static __attribute__((noinline)) double read_number(const char *text, char **end, const Format &format) {
  const char *at = text;
  while (is_space(*at))
    ++at;
  const bool is_negative = take_sign(at);
  double result = 0;
  const bool is_hexadecimal = at[0] == '0' && to_lower(at[1]) == 'x' && digit_of(at[2] == '.' ? at[3] : at[2]) < 16;
  if (is_hexadecimal) {
    at += 2;
    result = read_hexadecimal(at, format);
  } else if (is_digit(at[*at == '.' ? 1 : 0])) {
    result = read_decimal(at, format);
  } else if (take_word(at, "inf")) {
    take_word(at, "inity");
    result = __builtin_inf();
  } else if (take_word(at, "nan")) {
    take_parentheses(at);
    result = __builtin_nan("");
  } else {
    at = text;
  }
  if (end)
    *end = const_cast<char *>(at);
  return at != text && is_negative ? -result : result;
}

} // namespace omptarget::device_rtl::libc

using namespace omptarget::device_rtl::libc;

LIBC long strtol(const char *text, char **end, int32_t base) { return read_signed(text, end, base, false); }
LIBC long long strtoll(const char *text, char **end, int32_t base) { return read_signed(text, end, base, false); }
LIBC long strtoimax(const char *text, char **end, int32_t base) { return read_signed(text, end, base, false); }
LIBC unsigned long strtoul(const char *text, char **end, int32_t base) { return read_unsigned(text, end, base, false); }
LIBC unsigned long long strtoull(const char *text, char **end, int32_t base) {
  return read_unsigned(text, end, base, false);
}
LIBC unsigned long strtoumax(const char *text, char **end, int32_t base) {
  return read_unsigned(text, end, base, false);
}
LIBC int32_t atoi(const char *text) { return static_cast<int32_t>(read_signed(text, nullptr, 10, false)); }
LIBC long atol(const char *text) { return read_signed(text, nullptr, 10, false); }
LIBC long long atoll(const char *text) { return read_signed(text, nullptr, 10, false); }

// The names that headers of glibc 2.38 and later give them where C23 is asked for.
LIBC long __isoc23_strtol(const char *text, char **end, int32_t base) { return read_signed(text, end, base, true); }
LIBC long long __isoc23_strtoll(const char *text, char **end, int32_t base) {
  return read_signed(text, end, base, true);
}
LIBC long __isoc23_strtoimax(const char *text, char **end, int32_t base) { return read_signed(text, end, base, true); }
LIBC unsigned long __isoc23_strtoul(const char *text, char **end, int32_t base) {
  return read_unsigned(text, end, base, true);
}
LIBC unsigned long long __isoc23_strtoull(const char *text, char **end, int32_t base) {
  return read_unsigned(text, end, base, true);
}
LIBC unsigned long __isoc23_strtoumax(const char *text, char **end, int32_t base) {
  return read_unsigned(text, end, base, true);
}

LIBC double strtod(const char *text, char **end) { return read_number(text, end, kDouble); }
LIBC float strtof(const char *text, char **end) { return static_cast<float>(read_number(text, end, kFloat)); }
LIBC double atof(const char *text) { return read_number(text, nullptr, kDouble); }
