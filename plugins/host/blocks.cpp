// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/blocks.h"

#include <cstdlib>
#include <sys/mman.h>

namespace omptarget::host {

namespace {

constexpr int64_t kLarge = 4096;
constexpr size_t kLine = 64;
constexpr size_t kHugePage = size_t{2} << 20;

void *allocate_aligned(size_t alignment, size_t size) {
  void *memory = nullptr;
  return posix_memalign(&memory, alignment, size) == 0 ? memory : nullptr;
}

/// Asks for whole pages inside of the block only. A system that has none, or does not want to give them, loses nothing.
void *allocate_huge(size_t size) {
  void *const memory = allocate_aligned(kHugePage, size);
  if (memory)
    (void)madvise(memory, size / kHugePage * kHugePage, MADV_HUGEPAGE);
  return memory;
}

} // namespace

void *allocate_block(int64_t size) {
  if (size < kLarge) [[likely]]
    return std::malloc(static_cast<size_t>(size == 0 ? 1 : size));
  return size < kHugeBlock ? allocate_aligned(kLine, static_cast<size_t>(size))
                           : allocate_huge(static_cast<size_t>(size));
}

} // namespace omptarget::host
