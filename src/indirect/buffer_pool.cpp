// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "indirect/buffer_pool.h"

#include <bit>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

namespace omptarget {

namespace {
constexpr size_t kSmallest = 256;
constexpr size_t kHugePage = size_t{2} << 20;
} // namespace

BufferPool::~BufferPool() {
  for (const std::vector<void *> &buffers : free_)
    for (void *buffer : buffers)
      std::free(buffer);
}

size_t BufferPool::size_class(size_t bytes) {
  return bytes <= kSmallest ? 0 : static_cast<size_t>(std::bit_width((bytes - 1) / kSmallest));
}

void *BufferPool::take(size_t bytes) {
  std::vector<void *> &free = free_[size_class(bytes)];
  if (!free.empty()) {
    void *buffer = free.back();
    free.pop_back();
    return buffer;
  }
  const size_t size = kSmallest << size_class(bytes);
  void *buffer = std::aligned_alloc(size >= kHugePage ? kHugePage : 64, size);
  if (buffer == nullptr)
    std::abort();
  if (size >= kHugePage)
    madvise(buffer, size, MADV_HUGEPAGE); // Random access to small pages costs as much as the memory itself.
  std::memset(buffer, 0, size);
  return buffer;
}

void BufferPool::give(void *buffer, size_t bytes) { free_[size_class(bytes)].push_back(buffer); }

} // namespace omptarget
