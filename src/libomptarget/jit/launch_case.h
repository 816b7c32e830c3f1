// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The case that a variant of a kernel is compiled for: values of parameters and the shape of the launch. The library
// and omptarget-jit pass it on as a line of text, which the notes of launches have, too.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace omptarget::jit {

/// The value of a parameter that is no pointer.
struct ParameterValue {
  uint32_t parameter; ///< of the kernel's function, from 0
  uint32_t size;      ///< bytes that the program passes, 1 to 8
  uint64_t bits;      ///< the value, without anything above its size
  auto operator<=>(const ParameterValue &) const = default;
};

/// A launch, or what several launches had in common. Plain data.
struct LaunchCase {
  std::string kernel;
  uint32_t teams = 0;                   ///< 0: teams and threads may be any
  uint32_t threads = 0;                 ///< of a team
  std::vector<ParameterValue> values{}; ///< ascending by parameter
  auto operator<=>(const LaunchCase &) const = default;

  bool has_shape() const { return teams != 0; }
  /// Returns whether a variant for this case would be the kernel itself.
  bool is_any() const { return !has_shape() && values.empty(); }
  /// Returns whether a variant for this case may be launched in the other case of the same kernel.
  bool fits(const LaunchCase &launch) const;
  /// Forgets what differs from the other case of the same kernel.
  void reduce_to_common(const LaunchCase &other);
};

/// Returns the line of a case: "KERNEL TEAMS THREADS PARAMETER:SIZE=BITS ...", the bits in hexadecimal digits.
std::string text_of(const LaunchCase &launch);
/// Returns the case of such a line; none if the line is not one that text_of() makes.
std::optional<LaunchCase> case_of(std::string_view line);

/// Returns the name of the kernel that is compiled for the case with this number among those of an image.
std::string variant_name(const LaunchCase &launch, size_t number);

} // namespace omptarget::jit
