// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/buffer_pool.h"

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

namespace omptarget {

namespace {
constexpr size_t kSmallest = 256;
constexpr size_t kHugePage = size_t{2} << 20;

/// Memory of its own, aligned to huge pages: random access to small ones costs as much as the memory itself. Only
/// what is written to takes up memory.
void *map_huge(size_t size) {
  void *const area = mmap(nullptr, size + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (area == MAP_FAILED)
    return nullptr;
  char *const begin = static_cast<char *>(area);
  const size_t before = -reinterpret_cast<uintptr_t>(area) % kHugePage;
  if (before != 0)
    munmap(begin, before);
  munmap(begin + before + size, kHugePage - before);
  madvise(begin + before, size, MADV_HUGEPAGE);
  return begin + before;
}

void *allocate(size_t size) {
  if (size >= kHugePage)
    return map_huge(size);
  void *const buffer = std::aligned_alloc(64, size);
  if (buffer != nullptr)
    std::memset(buffer, 0, size);
  return buffer;
}
} // namespace

BufferPool::~BufferPool() {
  for (size_t i = 0; i < kClasses; ++i)
    for (void *buffer : free_[i])
      if (const size_t size = kSmallest << i; size >= kHugePage)
        munmap(buffer, size);
      else
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
  void *const buffer = allocate(size);
  if (buffer == nullptr)
    std::abort();
  return buffer;
}

void BufferPool::give(void *buffer, size_t bytes) { free_[size_class(bytes)].push_back(buffer); }

void BufferPool::empty(void *buffer, size_t bytes) {
  if (const size_t size = kSmallest << size_class(bytes); size >= kHugePage)
    madvise(buffer, size, MADV_DONTNEED);
}

} // namespace omptarget
