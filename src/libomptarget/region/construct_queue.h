// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The queue of one construct on its device: what the construct copies, writes and launches goes through it, and what
// must live until that is done lives in it.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <memory>
#include <utility>
#include <vector>

#include "device/device.h"
#include "mapping/copies.h"
#include "observe/construct_events.h"
#include "region/device_times.h"

namespace omptarget {

/// A queue is idle, then busy with what is queued, then idle again after wait(), which ends everything; so does the
/// destructor. Making one costs little: most constructs queue plain copies and a kernel, or nothing. Used by one thread.
class ConstructQueue {
public:
  /// is_observed: somebody wants to know of the construct's steps.
  ConstructQueue(Device &device, bool is_observed) : device_(device), is_observed_(is_observed) {}
  ~ConstructQueue() {
    if (!is_idle())
      end_after_failure();
  }
  ConstructQueue(const ConstructQueue &) = delete;
  ConstructQueue &operator=(const ConstructQueue &) = delete;

  Device &device() { return device_; }
  bool is_observed() const { return is_observed_; }
  /// For the plugin.
  Queue &plugin_queue() { return queue_; }
  bool is_busy() const { return queue_.is_busy(); }
  /// Returns whether wait() has nothing to do.
  bool is_idle() const { return !queue_.is_busy() && !is_unfinished_; }

  /// Queue a copy. One whose mapping is gone is left out, or fails if its `present` modifier needs the mapping. A
  /// copy does not write attached pointers (OpenMP 5.2, section 5.8.6): other threads, and their kernels, may read
  /// them.
  Status copy_to_device(const Copy &copy);
  Status copy_to_host(const Copy &copy);
  /// Makes a copy, which is complete on return, of memory without attached pointers that can be written.
  Status copy_at_once(const Copy &copy, bool is_to_device);
  /// Pointers have become attached while a copy was made, which went over them: gives them their values again.
  Status mend_pointers(const Copy &copy, bool is_to_device);
  /// Writes the device address of target into the device copy of a pointer.
  Status attach(const Attachment &action);
  /// Writes size bytes of a value, which is kept until it has been copied; name: of the variable that it lies in, or
  /// null.
  Status write_value(DevicePtr target, const void *value, int64_t size, const char *name = nullptr);
  /// Writes size bytes of host memory that stays as it is until the construct ends.
  Status write_from_host(DevicePtr target, HostPtr source, int64_t size, const char *name = nullptr);

  /// The construct has borrowed the mapping, and needs it until the queue has been waited for.
  void give_back_at_end(MappingRef ref) { pending().borrowed.push_back(ref); }
  /// Device memory that is freed when the queue has been waited for.
  Result<DevicePtr> allocate_temporary(int64_t size);

  /// Lets later work of the queue wait for data that other constructs make present. Returns whether all of them are
  /// still there.
  Result<bool> wait_for_data(llvm::ArrayRef<MappingRef> mappings);
  /// The construct has made this mapping, and all copies into it are queued: publish() is to publish it.
  void add_arriving(MappingRef mapping) { arriving_.push_back(mapping); }
  bool has_unpublished() const { return arriving_.size() != published_; }
  llvm::ArrayRef<MappingRef> unpublished() const {
    return llvm::ArrayRef<MappingRef>(arriving_).drop_front(published_);
  }
  /// They have been discarded.
  void forget_unpublished() { arriving_.truncate(published_); }
  /// Publishes those mappings: other threads may use the data once the copies have arrived. Their queues wait for an
  /// event of this one. lost: gets those that another construct has deleted meanwhile. A failure leaves none
  /// unpublished.
  Status publish(llvm::SmallVectorImpl<MappingRef> &lost);

  /// Waits for all queued work, then ends what was pending: nobody waits for the construct's data any more, staged copies
  /// land, pointers are settled, temporary memory is freed. besides: gets what fails after the queued work is done, which
  /// is no failure of that work; null: it is returned, too.
  Status wait(Status *besides = nullptr);
  /// Waits for queued copies, so that what they write to may go. The rest of what is pending goes on.
  Status settle();
  /// Returns whether wait() would not wait.
  Result<bool> is_done() { return device_.plugin_device().query(queue_); }
  /// As DeviceTimes::timed.
  template <typename Event, typename Work> Status timed(Event &event, Work work) {
    return event.wants_times() ? pending().times.timed(queue_, event, work) : work();
  }

private:
  /// A copy to the host, which may bring attached pointers: staged in a buffer, or with null on the host already, as
  /// nothing was attached when the copy was queued.
  struct Landing {
    Copy copy;
    std::unique_ptr<std::byte[]> staged;
  };
  /// A copy to the device of data that others find, and the pointers in it that it does not write, in ascending order.
  struct Upload {
    Copy copy;
    std::vector<AttachedPointer> left_out;
  };
  /// What is to be done once the queue is empty, and what must live until then. Few constructs have any.
  struct Pending {
    explicit Pending(const Device &device) : times(device) {}
    std::vector<std::unique_ptr<std::byte[]>> values; ///< sources of queued copies
    std::vector<Landing> landings;
    std::vector<Copy> protected_copies; ///< to host memory that cannot be written
    std::vector<Upload> uploads;
    std::vector<DevicePtr> temporaries; ///< memory that is to be freed
    std::vector<MappingRef> borrowed;   ///< to be given back
    std::vector<std::pair<MappingRef, HostPtr>>
        pointers; ///< attached; other constructs may wait until they are written
    DeviceTimes times;
  };
  struct End {
    void operator()(Pending *pending) const; // not inline: few constructs have one
  };

  template <observe::DataOperationKind kKind>
  Status queue_copy(const Copy &copy, void *host, Queue *queue, bool &brings_pointers);
  Status synchronize() { return device_.plugin_device().synchronize(queue_); }
  Status wait_for_arrival(MappingRef ref, Arrival &arrival);
  Result<Arrival *> record_arrival();
  Status copy_around_pointers(const Copy &copy);
  Status renew_pointers_in_place(const Copy &copy);
  bool begin_pointer(MappingRef mapping, AttachedPointer pointer, bool waits);
  Status rewrite_pointers(const Copy &copy, llvm::ArrayRef<AttachedPointer> known);
  Status write_pointer(const Attachment &action, DevicePtr device_address, DevicePtr device_value);
  Pending &pending();
  void land(const Landing &landing);
  [[gnu::cold]] Status copy_to_protected(const Copy &copy);
  void note_upload(const Copy &copy, std::vector<AttachedPointer> left_out);
  Status complete_uploads();
  void settle_pointers();
  Status free_temporaries();
  Status give_back_borrowed();
  void end_arrivals();
  Status end(Status status, Status *besides);
  Status end_pending(Status status, Status *besides);
  [[gnu::cold]] void end_after_failure();

  Device &device_;
  const bool is_observed_;
  bool is_unfinished_ = false; ///< wait() has arrivals or something pending to end
  uint32_t published_ = 0;     ///< of arriving_: others wait for arrival_
  Queue queue_;
  Arrival *arrival_ = nullptr;
  llvm::SmallVector<MappingRef, 8> arriving_; ///< own new mappings that are being filled
  std::unique_ptr<Pending, End> pending_;
};

/// Adds to a failure that it is that of this kernel; null: of none.
Status blamed_on_kernel(const Device &device, const char *kernel, Status failure);

/// Adds to the failure of a copy which it was. direction: "to" or "from" the device.
Status during_copy(Status status, const Copy &copy, const char *direction);

} // namespace omptarget
