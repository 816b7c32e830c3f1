// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device memory routines (OpenMP 5.2, section 18.8), by number of device; the initial device is the host.
#pragma once

#include <cstddef>

#include "base/status.h"
#include "region/call.h"

namespace omptarget {

/// The device of an API call; null: the host. Fails for invalid numbers. Unlike constructs, -1 is omp_initial_device.
Result<Device *> api_device(int32_t number);

/// Memory of the given kind (OMPTARGET_ALLOC_*); on the host malloc's. Null for size 0.
Result<void *> allocate_memory(size_t size, int32_t device, int32_t kind);
Status free_memory(void *pointer, int32_t device, int32_t kind);

/// One end of a copy.
struct Place {
  void *address;
  int32_t device;
};
/// Copies length bytes between any two places. Complete on return.
Status copy_memory(const Place &destination, const Place &source, size_t length);

/// The device address of a host address; null if it is not present; the address itself on the host.
Result<void *> mapped_address(const void *pointer, int32_t device);
Result<bool> is_present(const void *pointer, int32_t device);

} // namespace omptarget
