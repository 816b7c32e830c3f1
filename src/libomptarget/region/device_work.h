// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The data of one construct on its device: what planning listed is allocated, copied, attached and freed.
#pragma once

#include <optional>

#include "device/device.h"
#include "device/invariants.h"
#include "mapping/plan.h"
#include "region/leaving.h"

namespace omptarget {

/// The work of one construct on the data of one device. It enters or starts to leave data, which queues work.
/// complete() waits for that and leaves the data. After a failure the destructor does, without copying.
/// Used by one thread.
class DeviceWork {
public:
  explicit DeviceWork(Device &device) : policy_(policy_of(device)), queue_(device, is_observed()) {}
  ~DeviceWork() {
    if (exit_ || !borrowed_.empty()) [[unlikely]]
      end_after_failure();
    check_present_data(device());
  }
  DeviceWork(const DeviceWork &) = delete;
  DeviceWork &operator=(const DeviceWork &) = delete;

  Device &device() { return queue_.device(); }
  ConstructQueue &queue() { return queue_; }

  /// Plans and carries out entering; again, if what another construct was making is gone, because it failed or was
  /// removed. On failure the mapping table is as before.
  Status enter(MapItems &items);
  /// The same for a construct that leaves the data present: another one gives them back.
  Status enter_data(MapItems &items);
  /// Starts to leave the items' data; complete() does the rest. has_entered: enter() has entered the same items (a
  /// target region); otherwise the mappings are looked up (target data end, target exit data).
  Status start_exit(MapItems &items, bool has_entered);
  /// Waits for all work of the construct and leaves the data: what is unused then is freed.
  Status complete();
  /// Completes a construct that failed: gives back what entering took, without copying anything.
  Status abandon(MapItems &items);
  /// The kernel that the construct launches; its name lives as long as this. From now on failures of the queue are the
  /// kernel's.
  void set_kernel(const char *name) { kernel_ = name; }
  /// Returns whether complete() would not wait for the device.
  Result<bool> is_done();
  /// Returns whether the construct copies back the mapping's data: nobody else does before it is complete.
  bool has_turn(MappingRef ref) const { return exit_ && exit_->leaving.has_turn(ref); }

private:
  static MappingPolicy policy_of(const Device &device);
  HostDataToTargetMap &map() { return device().map(); }
  // Entering.
  Result<bool> make_present(EnterPlan &plan);
  Status allocate(const EnterPlan &plan);
  Result<bool> fill(EnterPlan &plan);
  Result<bool> attach_early(EnterPlan &plan);
  Result<bool> publish(EnterPlan &plan);
  Status undo_enter(MapItems &items, EnterPlan &plan);
  Status give_back_borrowed();
  [[gnu::cold]] void end_after_failure();

  /// The way out.
  struct Exit {
    Exit(DeviceWork &work, const MapItems &items);
    LeftArguments arguments;
    Status besides; ///< the first failure to copy back or to free
    Leaving leaving;
  };

  const MappingPolicy policy_;
  ConstructQueue queue_;
  const char *kernel_ = nullptr;
  std::vector<MappingRef> borrowed_; ///< to be given back when the queue is empty
  std::optional<Exit> exit_;
};

/// Allocates storage for data that a construct maps, and tells whoever observes.
Result<void *> allocate_mapped(Device &device, HostPtr begin, int64_t bytes, const char *name);

/// Tells the plugin, and whoever observes, of a mapping that has left the table, and frees its memory. Does nothing if
/// the mapping has stayed.
Status free_removed(Device &device, const Removed &removed);

} // namespace omptarget
