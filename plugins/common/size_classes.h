// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which sizes kept memory has, so that a freed block serves requests of other sizes, too: four classes per power of
// two from 64 bytes on, sixteen from a megabyte on, which wastes at most a quarter of small blocks and a sixteenth of
// large ones.
#pragma once

#include <bit>
#include <cstddef>

namespace omptarget {

/// Classes of sizes up to 2^38 bytes.
inline constexpr size_t kSizeClasses = 384;

namespace size_classes {

inline constexpr size_t kSmallest = 64;
inline constexpr size_t kSmallestLog = 6;
inline constexpr size_t kLargeLog = 20;
inline constexpr size_t kLarge = size_t{1} << kLargeLog;
inline constexpr size_t kFew = 4; ///< per power of two, up to kLarge
inline constexpr size_t kMany = 16;

} // namespace size_classes

/// The bytes that blocks of the class have in which a request of this many bytes is served. Any thread.
constexpr size_t class_size(size_t size) {
  using namespace size_classes;
  if (size <= kSmallest)
    return kSmallest;
  const size_t step = std::bit_floor(size - 1) / (size <= kLarge ? kFew : kMany);
  return (size + step - 1) / step * step;
}

/// The number of that class, from 0 on; below kSizeClasses for sizes up to 2^38. Any thread.
constexpr size_t class_index(size_t size) {
  using namespace size_classes;
  const size_t rounded = class_size(size);
  if (rounded <= kSmallest)
    return 0;
  const size_t base = std::bit_floor(rounded - 1);
  const size_t log = static_cast<size_t>(std::bit_width(base)) - 1;
  if (rounded <= kLarge)
    return (log - kSmallestLog) * kFew + (rounded - base) / (base / kFew);
  return (kLargeLog - kSmallestLog) * kFew + (log - kLargeLog) * kMany + (rounded - base) / (base / kMany);
}

static_assert(class_index(size_t{1} << 38) < kSizeClasses);

} // namespace omptarget
