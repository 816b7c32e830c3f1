// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the private and firstprivate variables of a launch lie in one block of device memory, so that one allocation
// serves all of them, and one transfer all but the large ones, which are copied from where they are.
#pragma once

#include <llvm/ADT/SmallVector.h>

#include "mapping/copies.h"

namespace omptarget {

struct PrivateLayout {
  /// Firstprivate variables up to this size are copied together.
  static constexpr int64_t kPackedLimit = 1024;

  llvm::SmallVector<int64_t, 8> offsets; ///< of each item in the block; -1: not private
  int64_t size = 0;                      ///< of the block; 0: nothing is private
  int64_t packed = 0;                    ///< what is copied together lies below this offset
  bool has_large = false;                ///< some firstprivate variables lie above it
};

/// Returns whether the item is private, and gets a value from the host.
inline bool is_private(const MapItem &item) { return item.has(map_type::kPrivate) && !item.has(map_type::kLiteral); }
inline bool is_first_private(const MapItem &item) {
  return is_private(item) && item.has(map_type::kTo | map_type::kAttach);
}
/// A private pointer or descriptor that is to point at the device's copy of what it points to (ATTACH and PRIVATE):
/// it lies at the item's base.
inline bool is_private_pointer(const MapItem &item) { return is_private(item) && item.has(map_type::kAttach); }
/// Where the host's value lies.
inline HostPtr private_source(const MapItem &item) { return is_private_pointer(item) ? item.base : item.begin; }

/// Lays out all private items, each as aligned as its host address is, up to 16 bytes.
PrivateLayout lay_out_private(const MapItems &items);

} // namespace omptarget
