// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "common/slab_source.h"

#include <algorithm>

namespace omptarget {

// Null if it has no room.
void *SlabSource::Slab::take(size_t size) {
  if (kSlabBytes - cut < size)
    return nullptr;
  void *const block = begin + cut;
  cut += size;
  ++live;
  return block;
}

Result<void *> SlabSource::allocate(size_t size) {
  if (size > kMostInSlab)
    return source_.allocate(size);
  const size_t rounded = (std::max<size_t>(size, 1) + kAlignment - 1) / kAlignment * kAlignment;
  {
    auto slabs = slabs_.lock();
    for (Slab &slab : *slabs)
      if (void *const block = slab.take(rounded))
        return block;
  }
  Result<void *> memory = source_.allocate(kSlabBytes);
  if (!memory) {
    memory.take_status().consume();
    return source_.allocate(size);
  }
  auto slabs = slabs_.lock();
  slabs->push_back({static_cast<std::byte *>(*memory), 0, 0});
  return slabs->back().take(rounded);
}

Status SlabSource::release(void *memory) {
  auto *const block = static_cast<std::byte *>(memory);
  void *whole = memory;
  {
    auto slabs = slabs_.lock();
    const auto slab = std::find_if(slabs->begin(), slabs->end(), [block](const Slab &one) {
      return block >= one.begin && block < one.begin + kSlabBytes;
    });
    if (slab != slabs->end()) {
      if (--slab->live != 0)
        return Status::ok();
      whole = slab->begin;
      slabs->erase(slab);
    }
  }
  return source_.release(whole);
}

} // namespace omptarget
