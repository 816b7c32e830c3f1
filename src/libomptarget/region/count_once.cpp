// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/count_once.h"

#include <llvm/ADT/SmallVector.h>

#include "mapping/host_data_to_target_map.h"

namespace omptarget {

void count_once(Device &device, const MapList &list) {
  constexpr uint64_t kNoOwnCount = map_type::kLiteral | map_type::kPrivate | map_type::kAttach | map_type::kMemberOf;
  constexpr int32_t kMostParents = 0xfffe;
  if (list.count < 2)
    return;
  llvm::SmallVector<MappingRef, 8> mappings(static_cast<size_t>(list.count));
  for (int32_t i = 0; i < list.count; ++i) {
    if (static_cast<uint64_t>(list.types[i]) & kNoOwnCount)
      continue;
    const Found found = device.map().find(host_ptr(list.begins[i]), list.sizes[i]);
    if (!found.is_contained)
      continue;
    mappings[static_cast<size_t>(i)] = found.ref;
    for (int32_t earlier = 0; earlier < i && earlier < kMostParents; ++earlier)
      if (mappings[static_cast<size_t>(earlier)] == found.ref) {
        list.types[i] |= static_cast<int64_t>(static_cast<uint64_t>(earlier + 1) << map_type::kMemberOfShift);
        break;
      }
  }
}

} // namespace omptarget
