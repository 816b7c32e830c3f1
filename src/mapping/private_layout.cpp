// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mapping/private_layout.h"

#include <algorithm>

namespace omptarget {

namespace {

constexpr int64_t kMaxAlignment = 16;

int64_t alignment_of(HostPtr address) {
  const auto value = static_cast<uintptr_t>(address);
  const auto lowest_bit = static_cast<int64_t>(value & (~value + 1));
  return lowest_bit == 0 ? kMaxAlignment : std::min(lowest_bit, kMaxAlignment);
}

void add(const MapItems &items, bool first_private, PrivateLayout &layout) {
  for (size_t i = 0; i < items.size(); ++i) {
    const MapItem &item = items[i];
    if (!item.has(map_type::kPrivate) || item.has(map_type::kLiteral) || item.has(map_type::kTo) != first_private)
      continue;
    const int64_t alignment = first_private ? alignment_of(item.begin) : kMaxAlignment;
    layout.size = (layout.size + alignment - 1) / alignment * alignment;
    layout.variables.push_back({static_cast<int32_t>(i), layout.size});
    layout.size += std::max<int64_t>(item.size, 1);
  }
}

} // namespace

PrivateLayout lay_out_private(const MapItems &items) {
  PrivateLayout layout;
  add(items, true, layout);
  layout.initialised = layout.size;
  add(items, false, layout);
  return layout;
}

} // namespace omptarget
