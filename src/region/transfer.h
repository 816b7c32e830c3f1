// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Carrying out plans: what planning listed is allocated, copied, attached and freed through the device's plugin.
#pragma once

#include <memory>
#include <vector>

#include "device/device.h"
#include "mapping/plan.h"

namespace omptarget {

/// The work of one construct on one device. Used by one thread. finish() must be called before it goes.
class DeviceWork {
public:
  explicit DeviceWork(Device &device) : device_(device) {}
  ~DeviceWork();
  DeviceWork(const DeviceWork &) = delete;
  DeviceWork &operator=(const DeviceWork &) = delete;

  Device &device() { return device_; }
  Queue &queue() { return queue_; }

  /// Plans and carries out entering. On failure the mapping table is as before.
  Status enter(MapItems &items);
  /// Plans and carries out leaving. After it all work of the construct is complete.
  Status exit(MapItems &items, bool has_entered);
  Status update(const MapItems &items);
  /// Gives back what entering took, without copying anything: the construct failed.
  Status abandon(MapItems &items);

  /// Writes device addresses back to the caller's bases (use_device_ptr, use_device_addr).
  static void return_addresses(const MapItems &items, void **bases);

  Status copy_to_device(const Copy &copy);
  /// Writes size bytes of a value that lives until the construct ends.
  Status write_value(DevicePtr target, const void *value, int64_t size);

  /// Device memory that is freed when the work is complete.
  Result<DevicePtr> allocate_temporary(int64_t size);

  /// Waits for all queued work and frees what was temporary.
  Status finish();

  /// Passes the status of an operation on; while a profile is made, waits for the operation, so that its time is its own.
  Status timed(Status status);

private:
  Status wait();
  Status allocate(const EnterPlan &plan);
  Status fill(const EnterPlan &plan);
  Status publish(const EnterPlan &plan);
  Status await(const EnterPlan &plan);
  Status attach(const Attachment &action);
  Status carry_out(const EnterPlan &plan);
  Status copy_to_host(const llvm::SmallVectorImpl<Copy> &copies);
  void restore_pointers(const Copy &copy);
  Status rewrite_pointers(const Copy &copy);
  void give_back(const EnterPlan &plan);
  Status free_unused(const ExitPlan &plan);
  MappingPolicy policy() const;

  Device &device_;
  Queue queue_;
  std::vector<std::unique_ptr<std::byte[]>> values_; // sources of queued copies
  llvm::SmallVector<DevicePtr, 2> temporaries_;
};

} // namespace omptarget
