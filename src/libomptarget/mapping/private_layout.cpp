// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mapping/private_layout.h"

#include <algorithm>

namespace omptarget {

namespace {

constexpr int64_t kMaxAlignment = 16;

enum class Kind { kPacked, kLarge, kUninitialised };

Kind kind_of(const MapItem &item) {
  if (!is_first_private(item))
    return Kind::kUninitialised;
  return item.size > PrivateLayout::kPackedLimit ? Kind::kLarge : Kind::kPacked;
}

void add(const MapItems &items, Kind kind, PrivateLayout &layout) {
  for (size_t i = 0; i < items.size(); ++i) {
    const MapItem &item = items[i];
    if (!is_private(item) || kind_of(item) != kind)
      continue;
    const int64_t alignment = kind == Kind::kUninitialised ? kMaxAlignment : alignment_of(private_source(item));
    layout.size = (layout.size + alignment - 1) / alignment * alignment;
    layout.offsets[i] = layout.size;
    layout.size += std::max<int64_t>(item.size, 1);
  }
}

} // namespace

PrivateLayout lay_out_private(const MapItems &items) {
  PrivateLayout layout;
  layout.offsets.assign(items.size(), -1);
  add(items, Kind::kPacked, layout);
  layout.packed = layout.size;
  add(items, Kind::kLarge, layout);
  layout.has_large = layout.size != layout.packed;
  add(items, Kind::kUninitialised, layout);
  return layout;
}

} // namespace omptarget
