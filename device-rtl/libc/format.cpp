// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text from values in memory: snprintf and its relatives, as glibc's write it in locale "C". Floating-point numbers are
// correctly rounded. What is no conversion here (%n, %m, %ls, %lc, numbered arguments) stays as it is in the format.

#include "../gpu/arguments.h"
#include "decimal.h"
#include "libc.h"

#if OMPTARGET_RTL_GENERATION >= 19

namespace omptarget::device_rtl::libc {

inline constexpr int32_t kOverflow = 75; ///< EOVERFLOW of Linux

/// Memory for text; what has no room is counted only.
class Target {
public:
  Target(char *to, uint64_t size) : to_(to), size_(size) {}
  void put(char letter) {
    if (length_ < size_)
      to_[length_] = letter;
    ++length_;
  }
  void put(char letter, int64_t count) {
    for (; count > 0; --count)
      put(letter);
  }
  void put(const char *text, uint64_t length) {
    for (uint64_t i = 0; i < length; ++i)
      put(text[i]);
  }
  /// Ends the text. Returns its length, or -1 if that is too great for an int.
  int32_t end() {
    if (size_ != 0)
      to_[length_ < size_ ? length_ : size_ - 1] = 0;
    if (length_ <= 0x7fffffff)
      return static_cast<int32_t>(length_);
    *__errno_location() = kOverflow;
    return -1;
  }

private:
  char *to_;
  uint64_t size_, length_ = 0;
};

/// A conversion of a format.
struct Conversion {
  bool is_left = false, has_plus = false, has_space = false, is_alternate = false, has_zeros = false;
  int32_t width = 0, precision = -1; ///< -1: none is given
  int32_t bytes = 4;                 ///< of an integer
  char letter = 0;

  bool is_upper_case() const { return is_upper(letter); }
  /// What comes before a number that is not negative.
  char sign(bool is_negative) const { return is_negative ? '-' : has_plus ? '+' : has_space ? ' ' : 0; }
};

/// What stands before the digits of a number.
struct Prefix {
  char letters[3];
  int32_t length = 0;
  void add(char letter) {
    if (letter)
      letters[length++] = letter;
  }
};

/// Puts spaces, a prefix and zeros. Returns how many spaces are to come behind the so many letters.
INLINE int64_t begin_field(Target &target, const Conversion &one, const Prefix &prefix, int64_t letters, bool zeros) {
  const int64_t rest = one.width - letters - prefix.length;
  if (!one.is_left && !zeros)
    target.put(' ', rest);
  target.put(prefix.letters, static_cast<uint64_t>(prefix.length));
  if (!one.is_left && zeros)
    target.put('0', rest);
  return one.is_left ? rest : 0;
}

static void put_text(Target &target, const Conversion &one, const char *text, uint64_t length) {
  const int64_t spaces = begin_field(target, one, {}, static_cast<int64_t>(length), false);
  target.put(text, length);
  target.put(' ', spaces);
}

static void put_integer(Target &target, const Conversion &one, uint64_t magnitude, bool is_negative) {
  const char *const symbols = one.letter == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
  const bool is_signed = one.letter == 'd' || one.letter == 'i';
  const uint32_t base = one.letter == 'o' ? 8 : is_signed || one.letter == 'u' ? 10 : 16;
  char digits[24];
  int32_t count = 0;
  for (uint64_t rest = magnitude; rest != 0; rest /= base)
    digits[count++] = symbols[rest % base];
  int32_t zeros = (one.precision < 0 ? 1 : one.precision) - count;
  if (base == 8 && one.is_alternate && zeros <= 0 && (count > 0 || one.precision == 0))
    zeros = 1;
  zeros = gpu::larger(zeros, 0);
  Prefix prefix;
  if (is_signed)
    prefix.add(one.sign(is_negative));
  if (base == 16 && one.is_alternate && magnitude != 0) {
    prefix.add('0');
    prefix.add(one.letter == 'X' ? 'X' : 'x');
  }
  const int64_t spaces = begin_field(target, one, prefix, int64_t{zeros} + count, one.has_zeros && one.precision < 0);
  target.put('0', zeros);
  while (count > 0)
    target.put(digits[--count]);
  target.put(' ', spaces);
}

/// Bits of a double.
INLINE uint64_t significand_of(uint64_t bits) { return bits & ((uint64_t{1} << 52) - 1); }
INLINE int32_t biased_exponent_of(uint64_t bits) { return static_cast<int32_t>(bits >> 52 & 2047); }

/// An exponent behind its letter, with a sign and at least so many digits. Returns its length.
static int32_t write_exponent(char *to, char letter, int32_t exponent, int32_t least) {
  char digits[8];
  int32_t count = 0, length = 0;
  for (uint32_t rest = static_cast<uint32_t>(exponent < 0 ? -exponent : exponent); rest != 0 || count < least;
       rest /= 10)
    digits[count++] = static_cast<char>('0' + rest % 10);
  to[length++] = letter;
  to[length++] = exponent < 0 ? '-' : '+';
  while (count > 0)
    to[length++] = digits[--count];
  return length;
}

static void put_hexadecimal(Target &target, const Conversion &one, uint64_t bits, Prefix prefix) {
  const char *const symbols = one.is_upper_case() ? "0123456789ABCDEF" : "0123456789abcdef";
  const int32_t biased = biased_exponent_of(bits);
  uint64_t digits = significand_of(bits) | (biased != 0 ? uint64_t{1} << 52 : 0);
  const int32_t exponent = digits == 0 ? 0 : biased != 0 ? biased - 1023 : -1022;
  int32_t precision = one.precision;
  if (precision < 0)
    for (precision = 13; precision > 0 && (digits >> (52 - 4 * precision) & 15) == 0;)
      --precision;
  if (precision < 13) {
    const int32_t dropped = 52 - 4 * precision;
    const uint64_t half = uint64_t{1} << (dropped - 1), rest = digits & (2 * half - 1);
    digits >>= dropped;
    digits += rest > half || (rest == half && (digits & 1) != 0);
    digits <<= dropped;
  }
  char end[8];
  const int32_t end_length = write_exponent(end, one.is_upper_case() ? 'P' : 'p', exponent, 1);
  prefix.add('0');
  prefix.add(one.is_upper_case() ? 'X' : 'x');
  const bool has_point = precision > 0 || one.is_alternate;
  const int64_t spaces =
      begin_field(target, one, prefix, int64_t{1} + has_point + precision + end_length, one.has_zeros);
  target.put(symbols[digits >> 52]);
  if (has_point)
    target.put('.');
  for (int32_t i = 1; i <= precision; ++i)
    target.put(i <= 13 ? symbols[digits >> (52 - 4 * i) & 15] : '0');
  target.put(end, static_cast<uint64_t>(end_length));
  target.put(' ', spaces);
}

/// Puts digits from a place down to another, and a point before the place below `point`.
static void put_digits(Target &target, const Decimal &number, int32_t from, int32_t to, int32_t point, bool has_point) {
  for (int32_t place = from; place >= to; --place) {
    target.put(static_cast<char>('0' + number.digit(place)));
    if (place == point && has_point)
      target.put('.');
  }
}

static __attribute__((noinline)) void put_decimal(Target &target, const Conversion &one, uint64_t bits,
                                                  const Prefix &prefix) {
  Decimal number(bits);
  const char style = static_cast<char>(to_lower(one.letter));
  int32_t precision = one.precision < 0 ? 6 : one.precision;
  if (style == 'g')
    precision = gpu::larger(precision, 1) - 1;
  number.round_at(style == 'f' ? -precision : number.leading_place() - precision);
  const int32_t leading = number.leading_place();
  const bool is_fixed = style == 'f' || (style == 'g' && leading >= -4 && leading <= precision);
  if (style == 'g') { // precision counts digits behind the first
    int32_t last = leading - precision;
    if (!one.is_alternate)
      for (; last < (is_fixed ? gpu::smaller(leading, 0) : leading) && number.digit(last) == 0;)
        ++last;
    precision = is_fixed ? -last : leading - last;
  }
  // In fixed style the digit before the point is there also if it is 0.
  const int32_t first = is_fixed ? gpu::larger(leading, 0) : leading, point = is_fixed ? 0 : leading;
  const bool has_point = precision > 0 || one.is_alternate;
  char end[8];
  const int32_t end_length = is_fixed ? 0 : write_exponent(end, one.is_upper_case() ? 'E' : 'e', leading, 2);
  const int64_t spaces =
      begin_field(target, one, prefix, int64_t{1} + first - point + has_point + precision + end_length, one.has_zeros);
  put_digits(target, number, first, point - precision, point, has_point);
  target.put(end, static_cast<uint64_t>(end_length));
  target.put(' ', spaces);
}

static void put_double(Target &target, const Conversion &one, uint64_t bits) {
  Prefix prefix;
  prefix.add(one.sign(bits >> 63 != 0));
  bits &= ~uint64_t{0} >> 1;
  if (biased_exponent_of(bits) == 2047) {
    const char *const text = significand_of(bits) == 0 ? one.is_upper_case() ? "INF" : "inf"
                             : one.is_upper_case()     ? "NAN"
                                                       : "nan";
    const int64_t spaces = begin_field(target, one, prefix, 3, false);
    target.put(text, 3);
    target.put(' ', spaces);
  } else if (to_lower(one.letter) == 'a') {
    put_hexadecimal(target, one, bits, prefix);
  } else {
    put_decimal(target, one, bits, prefix);
  }
}

/// Goes through a format.
class Formatter {
public:
  Formatter(Target &target, const char *format, gpu::Arguments arguments)
      : target_(target), at_(format), arguments_(arguments) {}

  void run() {
    while (*at_) {
      if (*at_ != '%') {
        target_.put(*at_++);
        continue;
      }
      const char *const begin = at_++;
      const Conversion one = read();
      if (!put(one))
        target_.put(begin, static_cast<uint64_t>(at_ - begin));
    }
  }

private:
  static constexpr int32_t kMost = 0x7ffffff0; ///< of a width or a precision

  int32_t read_number() {
    if (*at_ == '*') {
      ++at_;
      return static_cast<int32_t>(arguments_.next32());
    }
    int64_t number = 0;
    for (; is_digit(*at_); ++at_)
      number = gpu::smaller<int64_t>(number * 10 + (*at_ - '0'), kMost);
    return static_cast<int32_t>(number);
  }

  bool read_flag(Conversion &one) {
    switch (*at_) {
    case '-': return one.is_left = true;
    case '+': return one.has_plus = true;
    case ' ': return one.has_space = true;
    case '#': return one.is_alternate = true;
    case '0': return one.has_zeros = true;
    case '\'': return true; // locale "C" groups no digits
    default: return false;
    }
  }

  Conversion read() {
    Conversion one;
    while (read_flag(one))
      ++at_;
    one.width = read_number();
    if (one.width < 0) {
      one.is_left = true;
      one.width = -gpu::larger(one.width, -kMost);
    }
    if (*at_ == '.') {
      ++at_;
      one.precision = gpu::larger(read_number(), -1);
    }
    for (;; ++at_) {
      if (*at_ == 'h')
        one.bytes = one.bytes == 2 ? 1 : 2;
      else if (*at_ == 'l' || *at_ == 'q' || *at_ == 'L' || *at_ == 'j' || *at_ == 'z' || *at_ == 't')
        one.bytes = 8;
      else
        break;
    }
    one.letter = *at_;
    at_ += one.letter != 0;
    return one;
  }

  /// Returns false if it is no conversion here.
  bool put(const Conversion &one) {
    switch (one.letter) {
    case '%': return target_.put('%'), true;
    case 'd':
    case 'i': return put_signed(one), true;
    case 'o':
    case 'u':
    case 'x':
    case 'X': return put_unsigned(one), true;
    case 'p': return put_pointer(one), true;
    case 'c': return one.bytes != 8 && put_letter(one);
    case 's': return one.bytes != 8 && put_string(one);
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G': return put_double(target_, one, arguments_.next64()), true;
    default: return false;
    }
  }

  void put_signed(const Conversion &one) {
    auto value = static_cast<int64_t>(one.bytes == 8 ? arguments_.next64() : arguments_.next32());
    value = one.bytes == 8   ? value
            : one.bytes == 4 ? static_cast<int32_t>(value)
            : one.bytes == 2 ? static_cast<int16_t>(value)
                             : static_cast<int8_t>(value);
    put_integer(target_, one, value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value), value < 0);
  }
  void put_unsigned(const Conversion &one) {
    const uint64_t value = one.bytes == 8 ? arguments_.next64() : arguments_.next32();
    put_integer(target_, one,
                one.bytes == 2   ? static_cast<uint16_t>(value)
                : one.bytes == 1 ? static_cast<uint8_t>(value)
                                 : value,
                false);
  }
  void put_pointer(Conversion one) {
    const uint64_t value = arguments_.next64();
    one.is_alternate = true;
    value != 0 ? put_integer(target_, one, value, false) : put_text(target_, one, "(nil)", 5);
  }
  bool put_letter(const Conversion &one) {
    const auto letter = static_cast<char>(arguments_.next32());
    put_text(target_, one, &letter, 1);
    return true;
  }
  bool put_string(const Conversion &one) {
    const auto *const text = reinterpret_cast<const char *>(arguments_.next64());
    const uint64_t most = one.precision < 0 ? ~uint64_t{0} : static_cast<uint64_t>(one.precision);
    if (!text)
      put_text(target_, one, "(null)", most >= 6 ? 6 : 0);
    else
      put_text(target_, one, text, strnlen(text, most));
    return true;
  }

  Target &target_;
  const char *at_;
  gpu::Arguments arguments_;
};

/// Writes at most size bytes. Returns the length that the text has.
static __attribute__((noinline)) int32_t write_text(char *to, uint64_t size, const char *format,
                                                    const void *arguments) {
  Target target(to, size);
  Formatter(target, format, gpu::Arguments(arguments, kVariadicAlignment)).run();
  return target.end();
}
/// The same where all of it has to have room.
INLINE int32_t write_checked(char *to, uint64_t space, const char *format, const void *arguments) {
  const int32_t length = write_text(to, space, format, arguments);
  if (space == 0 || static_cast<uint64_t>(static_cast<int64_t>(length)) >= space)
    __chk_fail();
  return length;
}
/// Writes text into memory for it.
INLINE int32_t write_allocated(char **result, const char *format, const void *arguments) {
  const int32_t length = write_text(nullptr, 0, format, arguments);
  *result = static_cast<char *>(length < 0 ? nullptr : malloc(static_cast<uint64_t>(length) + 1));
  return *result ? write_text(*result, static_cast<uint64_t>(length) + 1, format, arguments) : -1;
}
inline constexpr uint64_t kAnySize = 0x80000000; ///< of a target that nothing is known of

} // namespace omptarget::device_rtl::libc

using namespace omptarget::device_rtl::libc;

LIBC int32_t vsnprintf(char *to, uint64_t size, const char *format, __builtin_va_list arguments) {
  return write_text(to, size, format, arguments);
}
LIBC int32_t vsprintf(char *to, const char *format, __builtin_va_list arguments) {
  return write_text(to, kAnySize, format, arguments);
}
LIBC int32_t vasprintf(char **result, const char *format, __builtin_va_list arguments) {
  return write_allocated(result, format, arguments);
}
LIBC int32_t __vsnprintf_chk(char *to, uint64_t size, int32_t, uint64_t space, const char *format,
                             __builtin_va_list arguments) {
  if (size > space)
    __chk_fail();
  return write_text(to, size, format, arguments);
}
LIBC int32_t __vsprintf_chk(char *to, int32_t, uint64_t space, const char *format, __builtin_va_list arguments) {
  return write_checked(to, space, format, arguments);
}
LIBC int32_t __vasprintf_chk(char **result, int32_t, const char *format, __builtin_va_list arguments) {
  return write_allocated(result, format, arguments);
}

/// A variadic function that calls another with the list of its arguments.
#define LIBC_VARIADIC(name, parameters, call)                                                                          \
  LIBC __attribute__((noinline)) int32_t name parameters {                                                             \
    __builtin_va_list arguments;                                                                                       \
    __builtin_va_start(arguments, format);                                                                             \
    const int32_t result = call;                                                                                       \
    __builtin_va_end(arguments);                                                                                       \
    return result;                                                                                                     \
  }
LIBC_VARIADIC(snprintf, (char *to, uint64_t size, const char *format, ...), write_text(to, size, format, arguments))
LIBC_VARIADIC(sprintf, (char *to, const char *format, ...), write_text(to, kAnySize, format, arguments))
LIBC_VARIADIC(asprintf, (char **result_text, const char *format, ...), write_allocated(result_text, format, arguments))
LIBC_VARIADIC(__snprintf_chk, (char *to, uint64_t size, int32_t flag, uint64_t space, const char *format, ...),
              __vsnprintf_chk(to, size, flag, space, format, arguments))
LIBC_VARIADIC(__sprintf_chk, (char *to, int32_t, uint64_t space, const char *format, ...),
              write_checked(to, space, format, arguments))
LIBC_VARIADIC(__asprintf_chk, (char **result_text, int32_t, const char *format, ...),
              write_allocated(result_text, format, arguments))

#endif
