// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers of many words, by which decimal numbers are rounded correctly.
#pragma once

#include "../gpu/basics.h"

namespace omptarget::device_rtl::libc {

/// So many digits decide how a double is rounded; of further ones only matters whether all are zero.
inline constexpr int32_t kMostDigits = 780;

/// An integer that is not negative. It has room for kMostDigits digits and for 5 to the power of 1,125, shifted by a
/// word.
class BigInteger {
public:
  void multiply_and_add(uint32_t factor, uint32_t summand) {
    uint64_t carry = summand;
    for (uint32_t i = 0; i < used_; ++i) {
      carry += uint64_t{words_[i]} * factor;
      words_[i] = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
    if (carry != 0)
      words_[used_++] = static_cast<uint32_t>(carry);
  }
  void multiply_by_power_of_5(int32_t exponent) {
    for (; exponent >= 13; exponent -= 13)
      multiply_and_add(1220703125, 0);
    for (; exponent > 0; --exponent)
      multiply_and_add(5, 0);
  }
  void shift_left(int32_t bits) {
    const auto words = static_cast<uint32_t>(bits) / 32, rest = static_cast<uint32_t>(bits) % 32;
    if (used_ == 0)
      return;
    words_[used_] = 0;
    for (uint32_t i = used_ + 1; i > 0; --i) {
      const uint64_t pair = uint64_t{words_[i - 1]} << 32 | (i > 1 ? words_[i - 2] : 0);
      words_[i - 1 + words] = static_cast<uint32_t>(pair << rest >> 32);
    }
    for (uint32_t i = 0; i < words; ++i)
      words_[i] = 0;
    used_ += words + 1;
    drop_zeros();
  }
  /// Subtracts a lesser or equal one.
  void subtract(const BigInteger &other) {
    int64_t borrow = 0;
    for (uint32_t i = 0; i < used_; ++i) {
      borrow += int64_t{words_[i]} - (i < other.used_ ? other.words_[i] : 0);
      words_[i] = static_cast<uint32_t>(borrow);
      borrow >>= 32;
    }
    drop_zeros();
  }
  /// Divides it. Returns the rest.
  uint32_t divide(uint32_t by) {
    uint64_t rest = 0;
    for (uint32_t i = used_; i > 0; --i) {
      rest = rest << 32 | words_[i - 1];
      words_[i - 1] = static_cast<uint32_t>(rest / by);
      rest %= by;
    }
    drop_zeros();
    return static_cast<uint32_t>(rest);
  }
  /// Takes the bits from this place on away, of which there are at most 32, and returns them.
  uint32_t take_from(int32_t place) {
    const auto word = static_cast<uint32_t>(place) / 32, rest = static_cast<uint32_t>(place) % 32;
    if (word >= used_)
      return 0;
    uint64_t pair = words_[word];
    if (word + 1 < used_)
      pair |= uint64_t{words_[word + 1]} << 32;
    words_[word] &= (uint32_t{1} << rest) - 1;
    used_ = word + 1;
    drop_zeros();
    return static_cast<uint32_t>(pair >> rest);
  }
  bool is_less(const BigInteger &other) const {
    if (used_ != other.used_)
      return used_ < other.used_;
    for (uint32_t i = used_; i > 0; --i)
      if (words_[i - 1] != other.words_[i - 1])
        return words_[i - 1] < other.words_[i - 1];
    return false;
  }
  bool is_zero() const { return used_ == 0; }
  /// Returns the place of the highest bit that is set, from 1.
  int32_t bits() const { return used_ == 0 ? 0 : static_cast<int32_t>(32 * used_) - __builtin_clz(words_[used_ - 1]); }

private:
  void drop_zeros() {
    while (used_ > 0 && words_[used_ - 1] == 0)
      --used_;
  }

  uint32_t used_ = 0;
  uint32_t words_[90];
};

} // namespace omptarget::device_rtl::libc
