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
  explicit DeviceWork(Device &device) : device_(device), policy_(policy_of(device)) {}
  ~DeviceWork();
  DeviceWork(const DeviceWork &) = delete;
  DeviceWork &operator=(const DeviceWork &) = delete;

  Device &device() { return device_; }
  Queue &queue() { return queue_; }

  /// Plans and carries out entering; again, if what another construct was making is gone, because it failed or was removed.
  /// On failure the mapping table is as before.
  Status enter(MapItems &items);
  /// Plans leaving and starts it; complete() does the rest.
  Status start_exit(MapItems &items, bool has_entered);
  Status start_update(const MapItems &items);
  /// Waits for all work of the construct and does what comes after it: host pointers are restored and unused data freed.
  Status complete();
  /// As complete, if that would not wait; whether it is complete.
  Result<bool> try_complete();
  /// Gives back what entering took, without copying anything: the construct failed.
  Status abandon(MapItems &items);

  /// Writes the device address of target into the device copy of a pointer; the host's value comes back with copies.
  Status attach(const Attachment &action);
  /// Writes size bytes of a value, which is kept until it has been copied.
  Status write_value(DevicePtr target, const void *value, int64_t size);

  /// A copy of size bytes that lives as long as the work is under way.
  void *keep(const void *value, size_t size);

  /// Writes size bytes of host memory that stays as it is until the construct ends.
  Status write_from_host(DevicePtr target, HostPtr source, int64_t size);

  /// Device memory that is freed when the work is complete.
  Result<DevicePtr> allocate_temporary(int64_t size);

  /// Waits for all queued work and frees what was temporary.
  Status finish();
  bool is_busy() const { return queue_.is_busy(); }

  /// Passes the status of an operation on; while a profile or a device trace is made, waits for the operation, so that its
  /// time is its own.
  Status timed(Status status);

  /// The kernel that the construct launches; its name lives as long as the work. From now on failures of queued work are
  /// taken for the kernel's.
  void set_kernel(const char *name) { kernel_ = name; }
  /// Adds to a failure that it is the kernel's.
  Status blamed_on_kernel(Status failure) const;
  /// The failure of what was to follow the kernel, or if the kernel has failed before it, the kernel's.
  Status unless_kernel_failed(Status failure);

private:
  Status wait();
  Status allocate(const EnterPlan &plan);
  Result<bool> fill(const EnterPlan &plan);
  Status publish(const EnterPlan &plan);
  Result<bool> await(const llvm::SmallVectorImpl<MappingRef> &awaited);
  Result<bool> carry_out(const EnterPlan &plan);
  Status enter_again(MapItems &items, EnterPlan &plan);
  Result<std::shared_ptr<void>> record_arrival();
  Status notify_mapped(const NewStorage &storage);
  Status copy_to_device(const Copy &copy);
  Status copy_to_host(const Copy &copy);
  void restore_pointers(const Copy &copy);
  Status rewrite_pointers(const Copy &copy);
  Status write_pointer(const Attachment &action, DevicePtr device_address, DevicePtr device_value);
  void settle_attached();
  Status give_back(MapItems &items, EnterPlan &plan);
  Status free_all(const std::vector<Removed> &removed);
  Status leave_mappings();
  Status leave_late(bool copies);
  void restore_all();
  Status free_temporaries();
  static MappingPolicy policy_of(const Device &device);

  Device &device_;
  const MappingPolicy policy_;
  Queue queue_;
  const char *kernel_ = nullptr;
  std::vector<std::unique_ptr<std::byte[]>> values_; // sources of queued copies
  llvm::SmallVector<DevicePtr, 2> temporaries_;
  llvm::SmallVector<MappingRef, 2> arriving_; // whose arrival is an event of queue_
  llvm::SmallVector<Copy, 2> restored_;       // copies to the host that bring attached pointers
  llvm::SmallVector<std::pair<MappingRef, HostPtr>, 2> attaching_; // pointers whose copies are being written
  ExitPlan exit_;                             // what it leaves waits for the queue
};

/// Tells the plugin, and whoever observes, of a mapping that has left the table, and frees its memory.
Status free_removed(Device &device, const Removed &removed);

/// Adds to the failure of a copy which it was. direction: "to" or "from" the device.
Status during_copy(Status status, const Copy &copy, const char *direction);

} // namespace omptarget
