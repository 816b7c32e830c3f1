// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A driver's memory for allocators to be tested on: addresses that nobody may use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "common/caching_allocator.h"

namespace omptarget {

class CountingSource : public MemorySource {
public:
  Result<void *> allocate(size_t size) override {
    ++allocations;
    if (left < size)
      return Status::error("no more");
    left -= size;
    last_size = size;
    void *memory = reinterpret_cast<void *>(next += 0x100000);
    sizes[memory] = size;
    return memory;
  }
  Status release(void *memory) override {
    const auto found = sizes.find(memory);
    if (found == sizes.end())
      return Status::error("not from here");
    left += found->second;
    sizes.erase(found);
    return Status::ok();
  }
  std::unordered_map<void *, size_t> sizes;
  uintptr_t next = 0;
  size_t left = SIZE_MAX / 2;
  size_t last_size = 0;
  int allocations = 0;
};

} // namespace omptarget
