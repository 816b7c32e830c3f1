// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// <ctype.h>: its functions, and the tables that glibc's headers look at instead. A table has entries for -128 to 255.

#include "libc.h"

namespace omptarget::device_rtl::libc {

/// Classes of letters: bits of glibc's table on machines that store the lower byte first.
enum Class : uint16_t {
  kBlank = 1,
  kControl = 2,
  kPunctuation = 4,
  kAlphanumeric = 8,
  kUpper = 0x100,
  kLower = 0x200,
  kAlpha = 0x400,
  kDigit = 0x800,
  kHexDigit = 0x1000,
  kSpace = 0x2000,
  kPrint = 0x4000,
  kGraph = 0x8000
};

constexpr uint16_t classes_of(int32_t letter) {
  if (letter < 0 || letter > 127)
    return 0;
  const bool upper = letter >= 'A' && letter <= 'Z', lower = letter >= 'a' && letter <= 'z';
  const bool digit = letter >= '0' && letter <= '9', graph = letter > ' ' && letter < 127;
  const bool hex = digit || (letter >= 'A' && letter <= 'F') || (letter >= 'a' && letter <= 'f');
  uint16_t classes = 0;
  classes |= letter == ' ' || letter == '\t' ? kBlank : 0;
  classes |= letter < ' ' || letter == 127 ? kControl : 0;
  classes |= graph && !upper && !lower && !digit ? kPunctuation : 0;
  classes |= upper || lower || digit ? kAlphanumeric : 0;
  classes |= upper ? kUpper : 0;
  classes |= lower ? kLower : 0;
  classes |= upper || lower ? kAlpha : 0;
  classes |= digit ? kDigit : 0;
  classes |= hex ? kHexDigit : 0;
  classes |= letter == ' ' || (letter >= '\t' && letter <= '\r') ? kSpace : 0;
  classes |= graph || letter == ' ' ? kPrint : 0;
  classes |= graph ? kGraph : 0;
  return classes;
}

inline constexpr int32_t kFirst = -128, kEntries = 384;
template <typename T> struct Table {
  T of[kEntries];
};
constexpr Table<uint16_t> make_classes() {
  Table<uint16_t> table = {};
  for (int32_t i = 0; i < kEntries; ++i)
    table.of[i] = classes_of(i + kFirst);
  return table;
}
/// Entries for negative letters but -1 are those of the unsigned ones.
constexpr Table<int32_t> make_letters(char first, char distance) {
  Table<int32_t> table = {};
  for (int32_t i = 0; i < kEntries; ++i) {
    const int32_t letter = i + kFirst;
    const bool is_changed = letter >= first && letter < first + 26;
    table.of[i] = is_changed ? letter + distance : letter < -1 ? letter + 256 : letter;
  }
  return table;
}
static constexpr Table<uint16_t> classes = make_classes();
static constexpr Table<int32_t> lower_letters = make_letters('A', 'a' - 'A'),
                                upper_letters = make_letters('a', 'A' - 'a');
static const uint16_t *classes_at_0 = classes.of - kFirst;
static const int32_t *lower_at_0 = lower_letters.of - kFirst;
static const int32_t *upper_at_0 = upper_letters.of - kFirst;

INLINE int32_t has_class(int32_t letter, uint16_t wanted) {
  return letter >= kFirst && letter < kFirst + kEntries ? classes.of[letter - kFirst] & wanted : 0;
}

} // namespace omptarget::device_rtl::libc

using namespace omptarget::device_rtl::libc;

LIBC const uint16_t **__ctype_b_loc() { return &classes_at_0; }
LIBC const int32_t **__ctype_tolower_loc() { return &lower_at_0; }
LIBC const int32_t **__ctype_toupper_loc() { return &upper_at_0; }

LIBC int32_t isalnum(int32_t letter) { return has_class(letter, kAlphanumeric); }
LIBC int32_t isalpha(int32_t letter) { return has_class(letter, kAlpha); }
LIBC int32_t isblank(int32_t letter) { return has_class(letter, kBlank); }
LIBC int32_t iscntrl(int32_t letter) { return has_class(letter, kControl); }
LIBC int32_t isdigit(int32_t letter) { return has_class(letter, kDigit); }
LIBC int32_t isgraph(int32_t letter) { return has_class(letter, kGraph); }
LIBC int32_t islower(int32_t letter) { return has_class(letter, kLower); }
LIBC int32_t isprint(int32_t letter) { return has_class(letter, kPrint); }
LIBC int32_t ispunct(int32_t letter) { return has_class(letter, kPunctuation); }
LIBC int32_t isspace(int32_t letter) { return has_class(letter, kSpace); }
LIBC int32_t isupper(int32_t letter) { return has_class(letter, kUpper); }
LIBC int32_t isxdigit(int32_t letter) { return has_class(letter, kHexDigit); }
LIBC int32_t isascii(int32_t letter) { return (letter & ~127) == 0; }
LIBC int32_t toascii(int32_t letter) { return letter & 127; }
LIBC int32_t tolower(int32_t letter) {
  return letter >= kFirst && letter < kFirst + kEntries ? lower_letters.of[letter - kFirst] : letter;
}
LIBC int32_t toupper(int32_t letter) {
  return letter >= kFirst && letter < kFirst + kEntries ? upper_letters.of[letter - kFirst] : letter;
}
