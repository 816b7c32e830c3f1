// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device memory that the program has allocated on its own (omp_target_alloc), followed only if a launch is to be
// recorded: its size is known nowhere else.
#pragma once

#include <cstdint>
#include <vector>

#include "base/address.h"

namespace omptarget {

struct AllocatedRange {
  DevicePtr begin;
  uint64_t size; ///< bytes
};

/// The program has allocated memory, or is about to free it. Any thread. forget_allocated waits as long as another
/// thread records, which may be reading the memory.
void note_allocated(DeviceId device, void *memory, uint64_t size);
void forget_allocated(DeviceId device, void *memory);

/// As long as one lives, nothing of the memory is freed.
class KeptAllocations {
public:
  KeptAllocations();
  KeptAllocations(const KeptAllocations &) = delete;
  KeptAllocations &operator=(const KeptAllocations &) = delete;
  ~KeptAllocations();

  std::vector<AllocatedRange> of(DeviceId device) const;
};

} // namespace omptarget
