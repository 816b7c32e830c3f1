// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All decimal digits of a double, for the text of numbers.
#pragma once

#include "big_integer.h"

namespace omptarget::device_rtl::libc {

/// A finite double that is not negative, exactly: groups of nine digits. 1074 digits at most follow its point, of which
/// 767 are not leading zeros.
class Decimal {
public:
  explicit Decimal(uint64_t bits) {
    const auto biased = static_cast<int32_t>(bits >> 52 & 2047);
    uint64_t significand = bits & ((uint64_t{1} << 52) - 1);
    significand |= biased != 0 ? uint64_t{1} << 52 : 0;
    const int32_t exponent = (biased != 0 ? biased : 1) - 1075;
    uint64_t fraction = significand;
    if (exponent > -64) {
      const uint64_t whole = exponent < 0 ? significand >> -exponent : significand;
      fraction = exponent < 0 ? significand - (whole << -exponent) : 0;
      put_whole(whole, exponent > 0 ? exponent : 0);
    }
    if (fraction != 0)
      put_fraction(fraction, -exponent);
  }

  /// Returns the digit that counts powers of 10^place.
  uint32_t digit(int32_t place) const {
    const int32_t index = index_of(place);
    if (index < begin_ || index >= end_)
      return 0;
    return groups_[index] / power_of(place) % 10;
  }
  /// Returns the place of the first digit that is not 0; 0 for 0.
  int32_t leading_place() const {
    for (int32_t i = begin_; i < end_; ++i) {
      if (groups_[i] == 0)
        continue;
      int32_t place = (point_ - 1 - i) * 9;
      for (uint32_t rest = groups_[i] / 10; rest != 0; rest /= 10)
        ++place;
      return place;
    }
    return 0;
  }
  /// Rounds to a multiple of 10^place, to an even digit if both are as near.
  void round_at(int32_t place) {
    const uint32_t first = digit(place - 1);
    const bool is_more = drop_below(place - 1);
    const bool goes_up = first > 5 || (first == 5 && (is_more || digit(place) % 2 != 0));
    drop_below(place);
    if (!goes_up)
      return;
    // The first digit that was dropped is there, so the place is in a group, or in the one that is free before all.
    int32_t index = index_of(place);
    groups_[index] += power_of(place);
    for (; groups_[index] >= kGroup; --index) {
      groups_[index] -= kGroup;
      ++groups_[index - 1];
    }
  }

private:
  static constexpr uint32_t kGroup = 1000000000;
  static constexpr int32_t kWhole = 36, kGroups = kWhole + 88;

  int32_t index_of(int32_t place) const { return point_ - 1 - (place >= 0 ? place / 9 : -((8 - place) / 9)); }
  static uint32_t power_of(int32_t place) {
    uint32_t power = 1;
    for (int32_t i = place >= 0 ? place % 9 : (9 - -place % 9) % 9; i > 0; --i)
      power *= 10;
    return power;
  }

  /// Makes all digits below a place 0. Returns whether one was not.
  bool drop_below(int32_t place) {
    const int32_t index = index_of(place);
    uint32_t rest = 0;
    if (index >= begin_ && index < end_) {
      rest = groups_[index] % power_of(place);
      groups_[index] -= rest;
    }
    const int32_t kept = index < begin_ ? begin_ : index + 1;
    for (int32_t i = kept; i < end_; ++i) {
      rest |= groups_[i];
      groups_[i] = 0;
    }
    return rest != 0;
  }

  /// Puts whole * 2^exponent before the point.
  void put_whole(uint64_t whole, int32_t exponent) {
    BigInteger number;
    number.multiply_and_add(0, static_cast<uint32_t>(whole >> 32));
    number.shift_left(32);
    number.multiply_and_add(1, static_cast<uint32_t>(whole));
    number.shift_left(exponent);
    while (!number.is_zero())
      groups_[--begin_] = number.divide(kGroup);
    groups_[--begin_] = 0;
  }
  /// Puts fraction / 2^bits behind the point. A group is the next 9 digits: 10^9 is 5^9 * 2^9.
  void put_fraction(uint64_t fraction, int32_t bits) {
    BigInteger rest;
    rest.multiply_and_add(0, static_cast<uint32_t>(fraction >> 32));
    rest.shift_left(32);
    rest.multiply_and_add(1, static_cast<uint32_t>(fraction));
    const bool has_whole = begin_ < kWhole - 1;
    while (!rest.is_zero() && end_ < kGroups) {
      rest.multiply_and_add(1953125, 0);
      uint32_t group = 0;
      if (bits >= 9) {
        bits -= 9;
        group = rest.take_from(bits);
      } else { // fewer bits than 10^9 has factors of 2: what is left is whole
        rest.shift_left(9 - bits);
        group = rest.take_from(0);
        bits = 0;
      }
      if (group == 0 && end_ == kWhole && !has_whole)
        --point_skipped_;
      else
        groups_[end_++] = group;
    }
    if (!has_whole) {
      begin_ = kWhole - 1;
      groups_[begin_] = 0;
      point_ = kWhole + point_skipped_;
    }
  }

  int32_t begin_ = kWhole, end_ = kWhole, point_ = kWhole, point_skipped_ = 0;
  uint32_t groups_[kGroups];
};

} // namespace omptarget::device_rtl::libc
