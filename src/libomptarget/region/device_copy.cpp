// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/device_copy.h"

#include "mapping/non_contiguous.h"
#include "mapping/private_layout.h"

namespace omptarget {

namespace {

/// As find, for each block of a section with strides; the first that is found.
Found find_blocks(HostDataToTargetMap &map, const MapItem &item) {
  Found found;
  auto blocks = host_blocks(item);
  if (!blocks.is_ok()) {
    blocks.take_status().consume(); // the construct itself fails with it
    return found;
  }
  blocks->for_each([&](HostPtr begin, int64_t size) {
    if (!found.is_contained && !found.is_overlapped)
      found = map.find(begin, size);
  });
  return found;
}

} // namespace

std::optional<Copy> find_device_copy(Device &device, const MapItem &item) {
  if (item.has(map_type::kLiteral) || (item.has(map_type::kPrivate) && !is_private_pointer(item)) ||
      !fits_in_memory(raw(item.begin), static_cast<uint64_t>(item.size)) || item.begin == HostPtr::kNull)
    return std::nullopt;
  const bool is_section = item.has(map_type::kNonContiguous);
  const int64_t size = is_private_pointer(item) ? 0 : item.size;
  const Found found = is_section ? find_blocks(device.map(), item) : device.map().find(item.begin, size);
  if (!found.is_contained && !found.is_overlapped)
    return std::nullopt;
  if (size == 0 || is_section)
    return Copy{found.ref, found.begin, found.end - found.begin, item.name};
  return Copy{found.ref, item.begin, size, item.name};
}

} // namespace omptarget
