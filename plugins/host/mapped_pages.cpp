// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/mapped_pages.h"

#include <cstdint>
#include <sys/mman.h>

namespace omptarget::host {

void *map_aligned(size_t bytes, size_t alignment) {
  void *const whole = mmap(nullptr, bytes + alignment, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (whole == MAP_FAILED)
    return nullptr;
  const auto begin = reinterpret_cast<uintptr_t>(whole);
  const uintptr_t aligned = (begin + alignment - 1) & ~(alignment - 1);
  if (aligned != begin)
    munmap(whole, aligned - begin);
  munmap(reinterpret_cast<void *>(aligned + bytes), begin + alignment - aligned);
  return reinterpret_cast<void *>(aligned);
}

} // namespace omptarget::host
