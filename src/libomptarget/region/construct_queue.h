// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The queue of one construct on its device: what the construct copies, writes and launches goes through it, and what
// must live until that is done lives in it.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <memory>
#include <vector>

#include "device/device.h"
#include "mapping/plan.h"
#include "observe/construct_events.h"
#include "region/device_times.h"
#include "region/pending.h"

namespace omptarget {

/// A queue is idle, then busy with what is queued, then idle again after wait(), which ends everything; so does the
/// destructor. Used by one thread.
class ConstructQueue {
public:
  /// queue: what is queued already.
  explicit ConstructQueue(Device &device, Queue queue = {})
      : device_(device), queue_(queue), temporaries_(device), arrivals_(device),
        pointers_(device.map().attached_pointers()), times_(device) {}
  ~ConstructQueue() { // something is left only after a failure, which is on its way up
    if (!is_idle()) [[unlikely]]
      wait().consume();
  }
  ConstructQueue(const ConstructQueue &) = delete;
  ConstructQueue &operator=(const ConstructQueue &) = delete;

  Device &device() { return device_; }
  /// For the plugin.
  Queue &plugin_queue() { return queue_; }
  bool is_busy() const { return queue_.is_busy(); }
  /// Returns whether wait() has nothing to do.
  bool is_idle() const {
    return !queue_.is_busy() && landings_.empty() && protected_.empty() && temporaries_.is_empty() &&
           arrivals_.is_empty() && pointers_.is_empty() && times_.is_empty();
  }

  /// Queue a copy. One whose mapping is gone is left out, or fails if its `present` modifier needs the mapping. A
  /// copy does not write attached pointers (OpenMP 5.2, section 5.8.6): other threads, and their kernels, may read
  /// them.
  Status copy_to_device(const Copy &copy);
  Status copy_to_host(const Copy &copy);
  /// Makes a copy, which is complete on return, of memory without attached pointers that can be written.
  Status copy_at_once(const Copy &copy, bool is_to_device);
  /// Writes the device's values to the pointers that a copy to the device has overwritten: those that are attached
  /// now, but for those that are known, in ascending order, to have their values.
  Status rewrite_pointers(const Copy &copy, llvm::ArrayRef<AttachedPointer> known);
  /// Writes the device address of target into the device copy of a pointer.
  Status attach(const Attachment &action);
  /// Writes size bytes of a value, which is kept until it has been copied; name: of the variable that it lies in, or
  /// null.
  Status write_value(DevicePtr target, const void *value, int64_t size, const char *name = nullptr);
  /// Writes size bytes of host memory that stays as it is until the construct ends.
  Status write_from_host(DevicePtr target, HostPtr source, int64_t size, const char *name = nullptr);

  /// Device memory that is freed when the queue has been waited for.
  Result<DevicePtr> allocate_temporary(int64_t size) { return temporaries_.allocate(size); }

  /// Lets later work of the queue wait for data that other constructs make present. Returns whether all of them are
  /// still there.
  Result<bool> wait_for_data(llvm::ArrayRef<MappingRef> mappings);
  /// The arrival of what is queued now (ArrivalEvents::record), which lasts until wait().
  Result<Arrival *> record_arrival();
  /// Takes over a mapping that was published with such an arrival: wait() ends it.
  void add_arriving(MappingRef mapping) { arrivals_.add(mapping); }

  /// Waits for all queued work, then ends what was pending: staged copies land, pointers are settled, temporary
  /// memory is freed.
  Status wait() { return end(queue_.is_busy() ? wait_for_plugin() : Status::ok()); }
  /// The same once the queue has been waited for. status: what came of that.
  Status end(Status status);
  /// Waits for queued copies, so that what they write to may go. The rest of what is pending goes on.
  Status settle();
  /// Returns whether all queued work is done; does not wait.
  Result<bool> is_done();
  /// As DeviceTimes::timed.
  template <typename Event, typename Work> Status timed(Event &event, Work work) {
    return times_.timed(queue_, event, work);
  }

  /// The kernel that the construct launches; its name lives as long as the queue. From now on failures of queued work
  /// are taken for the kernel's.
  void set_kernel(const char *name) { kernel_ = name; }
  bool has_kernel() const { return kernel_ != nullptr; }
  /// Adds to a failure that it is the kernel's.
  Status blamed_on_kernel(Status failure) const;

private:
  template <observe::DataOperationKind kKind>
  Status queue_copy(const Copy &copy, void *host, Queue *queue, bool &brings_pointers);
  Status synchronize() { return device_.plugin_device().synchronize(queue_); }
  Status wait_for_plugin();
  Status wait_for_arrival(MappingRef ref, Arrival &arrival);
  Status copy_around_pointers(const Copy &copy);
  Status renew_pointers_in_place(const Copy &copy);
  Status write_pointer(const Attachment &action, DevicePtr device_address, DevicePtr device_value);
  /// A copy to the host, which may bring attached pointers: staged in a buffer, or with null on the host already, as
  /// nothing was attached when the copy was queued.
  struct Landing {
    Copy copy;
    std::unique_ptr<std::byte[]> staged;
  };
  void land(const Landing &landing);
  [[gnu::cold]] Status copy_to_protected(const Copy &copy);
  /// A copy to the device of data that others find, and the pointers in it that it does not write, in ascending order.
  struct Upload {
    Copy copy;
    std::vector<AttachedPointer> left_out;
  };
  void note_upload(const Copy &copy, std::vector<AttachedPointer> left_out);
  Status complete_uploads();

  Device &device_;
  Queue queue_;
  const char *kernel_ = nullptr;
  std::vector<std::unique_ptr<std::byte[]>> values_; // sources of queued copies
  llvm::SmallVector<Landing, 2> landings_;
  std::vector<Copy> protected_; // to host memory that cannot be written
  std::vector<Upload> uploads_;
  TemporaryMemory temporaries_;
  PendingArrivals arrivals_;
  PendingPointers pointers_;
  DeviceTimes times_;
};

/// Adds to a failure that it is that of this kernel; null: of none.
Status blamed_on_kernel(const Device &device, const char *kernel, Status failure);

/// Adds to the failure of a copy which it was. direction: "to" or "from" the device.
Status during_copy(Status status, const Copy &copy, const char *direction);

} // namespace omptarget
