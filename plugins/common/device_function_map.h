// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of indirect functions on a GPU, and where its images look for it: the RFC's globals and the fields of the
// device environment.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/log.h"
#include "base/status.h"
#include "common/device_layouts.h"
#include "omptarget/plugin.h"

namespace omptarget {

/// The current table of a device. Serialised by the caller. Device and Image are a plugin's: memory(), submit(), images(),
/// wait_for_kernels() and number(); find_global() and write_global().
template <typename Device, typename Image> class DeviceFunctionMap {
public:
  /// Puts a new table in place of the current one, in all loaded images.
  Status set(Device &device, uint64_t count, const __omp_offloading_fptr_map_ty *table) {
    uint64_t address = address_; // of an empty table: the last one's
    if (count != 0) {
      OMPTARGET_TRY_ASSIGN(address, copy_table(device, count, table));
    }
    const uint64_t old_address = address_;
    const bool grows = count >= count_;
    address_ = address;
    count_ = count;
    // A kernel that reads between the two writes sees a table with at least as many pairs as it thinks.
    for (const auto &image : device.images()) {
      if (grows)
        OMPTARGET_TRY(write_address(device, *image));
      OMPTARGET_TRY(write_count(device, *image));
      if (!grows)
        OMPTARGET_TRY(write_address(device, *image));
    }
    OMPTARGET_TRACE_DEVICE(Topic::kIndirect, device.number(), "%llu indirect functions at %#llx",
                           static_cast<unsigned long long>(count), static_cast<unsigned long long>(address));
    if (old_address == 0 || old_address == address)
      return Status::ok();
    OMPTARGET_TRY_DURING(device.wait_for_kernels(), "while replacing the table of indirect functions");
    return device.memory().release_device(old_address);
  }

  /// Makes an image, just loaded, know the current table.
  Status write(Device &device, Image &image) const {
    OMPTARGET_TRY(write_address(device, image));
    return write_count(device, image);
  }

  Status release(Device &device) {
    const uint64_t address = address_;
    address_ = 0;
    count_ = most_count_ = 0;
    return address == 0 ? Status::ok() : device.memory().release_device(address);
  }

  uint64_t address() const { return address_; }
  uint64_t count() const { return count_; } ///< pairs

private:
  Result<uint64_t> copy_table(Device &device, uint64_t count, const __omp_offloading_fptr_map_ty *table) {
    if (!table || count > SIZE_MAX / sizeof(*table))
      return Status::error(format("a table of %llu indirect functions at %p", static_cast<unsigned long long>(count),
                                  static_cast<const void *>(table)));
    // A kernel under way may have read a larger count before: behind the table there is memory for that many.
    most_count_ = std::max(most_count_, count);
    OMPTARGET_TRY_ASSIGN(const uint64_t address, device.memory().allocate_device(most_count_ * sizeof(*table)));
    if (Status status = device.submit(address, table, count * sizeof(*table), nullptr); !status) {
      device.memory().release_device(address).consume();
      return std::move(status).during("while copying the table of indirect functions");
    }
    return address;
  }

  // The two places of an image that hold one of the two numbers.
  static Status write_number(Device &device, Image &image, const char *global, size_t environment_offset,
                             uint64_t value) {
    OMPTARGET_TRY_ASSIGN([[maybe_unused]] const bool has_global, image.write_global(global, &value, sizeof(value)));
    for (const char *name : kDeviceEnvironmentNames) {
      OMPTARGET_TRY_ASSIGN(const auto environment, image.find_global(name));
      if (environment && environment->size >= environment_offset + sizeof(value))
        OMPTARGET_TRY(device.submit(environment->address + environment_offset, &value, sizeof(value), nullptr));
    }
    return Status::ok();
  }
  Status write_address(Device &device, Image &image) const {
    return write_number(device, image, kFunctionMapName, offsetof(DeviceEnvironment, indirect_call_table), address_);
  }
  Status write_count(Device &device, Image &image) const {
    return write_number(device, image, kFunctionMapSizeName, offsetof(DeviceEnvironment, indirect_call_table_size),
                        count_);
  }

  uint64_t address_ = 0;
  uint64_t count_ = 0;
  uint64_t most_count_ = 0; ///< that kernels may have read
};

} // namespace omptarget
