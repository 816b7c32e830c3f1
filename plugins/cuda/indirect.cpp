// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda/indirect.h"

#include <algorithm>
#include <cstddef>

#include "base/log.h"
#include "common/device_layouts.h"
#include "cuda/device.h"
#include "cuda/driver.h"

namespace omptarget::cuda {

namespace {

// The two places of an image that hold one of the two numbers: the RFC's global and the device environment's field.
Status write_number(Device &device, Image &image, const char *global, size_t environment_offset, uint64_t value) {
  OMPTARGET_TRY_ASSIGN([[maybe_unused]] const bool has_global, image.write_global(global, &value, sizeof(value)));
  for (const char *name : kDeviceEnvironmentNames) {
    OMPTARGET_TRY_ASSIGN(const auto environment, image.find_global(name));
    if (environment && environment->size >= environment_offset + sizeof(value))
      OMPTARGET_TRY(device.submit(environment->address + environment_offset, &value, sizeof(value), nullptr));
  }
  return Status::ok();
}

Status write_address(Device &device, Image &image, uint64_t address) {
  return write_number(device, image, kFunctionMapName, offsetof(DeviceEnvironment, indirect_call_table), address);
}

Status write_count(Device &device, Image &image, uint64_t count) {
  return write_number(device, image, kFunctionMapSizeName, offsetof(DeviceEnvironment, indirect_call_table_size),
                      count);
}

} // namespace

Status FunctionMap::write(Device &device, Image &image) const {
  OMPTARGET_TRY(write_address(device, image, address_));
  return write_count(device, image, count_);
}

Status FunctionMap::set(Device &device, uint64_t count, const __omp_offloading_fptr_map_ty *table) {
  CUdeviceptr address = address_; // of an empty table: the last one's
  if (count != 0) {
    if (!table || count > SIZE_MAX / sizeof(*table))
      return Status::error(format("a table of %llu indirect functions at %p", static_cast<unsigned long long>(count),
                                  static_cast<const void *>(table)));
    // A kernel under way may have read a larger count before: behind the table there is memory for that many.
    most_count_ = std::max(most_count_, count);
    OMPTARGET_TRY_ASSIGN(address, device.memory().allocate_device(most_count_ * sizeof(*table)));
    if (Status status = device.submit(address, table, count * sizeof(*table), nullptr); !status) {
      device.memory().release_device(address).consume();
      return std::move(status).during("while copying the table of indirect functions");
    }
  }
  const CUdeviceptr old_address = address_;
  const bool grows = count >= count_;
  address_ = address;
  count_ = count;
  // A kernel that reads between the two writes sees a table with at least as many pairs as it thinks.
  for (const auto &image : device.images()) {
    if (grows)
      OMPTARGET_TRY(write_address(device, *image, address));
    OMPTARGET_TRY(write_count(device, *image, count));
    if (!grows)
      OMPTARGET_TRY(write_address(device, *image, address));
  }
  OMPTARGET_TRACE_DEVICE(Topic::kIndirect, device.number(), "%llu indirect functions at %#llx",
                         static_cast<unsigned long long>(count), address);
  if (old_address == 0 || old_address == address)
    return Status::ok();
  OMPTARGET_TRY_DURING(OMPTARGET_CU(cuCtxSynchronize), "while replacing the table of indirect functions");
  return device.memory().release_device(old_address);
}

Status FunctionMap::release(Device &device) {
  const CUdeviceptr address = address_;
  address_ = 0;
  count_ = most_count_ = 0;
  return address == 0 ? Status::ok() : device.memory().release_device(address);
}

} // namespace omptarget::cuda
