// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps plain data anew and removes them with their last reference, without a plan. Planning does all less simple cases.
#pragma once

#include "device/device.h"
#include "mapping/argument_refs.h"
#include "plugin/plugin.h"
#include "region/direct_report.h"

namespace omptarget {

/// The queue of a construct without a plan. Its end waits for what is left, and others then need not wait for the
/// construct's data.
class DirectQueue {
public:
  /// refs: the construct's. report: null if nobody observes. Both outlive the queue.
  DirectQueue(Device &device, PresentRefs &refs, DirectReport *report)
      : device_(device), refs_(refs), report_(report) {}
  ~DirectQueue() {
    if (!is_idle()) [[unlikely]]
      complete().consume(); // a failure is on its way up
  }
  DirectQueue(const DirectQueue &) = delete;
  DirectQueue &operator=(const DirectQueue &) = delete;

  Queue &get() { return queue_; }
  DirectReport *report() const { return report_; }
  bool is_busy() const { return queue_.is_busy(); }
  /// Returns whether complete() has nothing to do.
  bool is_idle() const { return !queue_.is_busy() && !has_arrivals_; }
  /// Returns whether complete() would not wait.
  Result<bool> is_done() { return device_.plugin_device().query(queue_); }
  /// Waits for all that is queued.
  Status complete();
  /// Publishes what the construct has made and what is being filled: others wait for its data in their queues. True:
  /// all of it is there. Otherwise the lost ones are to be entered again, or status says what failed.
  bool publish(Status &status) { return !has_arrivals_ || publish_arriving(status); }
  /// publish() is to publish this one.
  void add_arriving(PresentRef &ref) { ref.is_arriving = has_arrivals_ = true; }

private:
  bool publish_arriving(Status &status);
  void end_arrivals();

  Device &device_;
  PresentRefs &refs_;
  DirectReport *const report_;
  Queue queue_;
  bool has_arrivals_ = false;
  Arrival *arrival_ = nullptr; ///< of what publish() has published
};

/// Goes on where retain_present has stopped, if that is an argument that is absent. False: refs are the arguments
/// that are entered; if status is good, planning has to enter the rest. Retained and new mappings stay: other
/// constructs may have written to it. absence: of that argument. status: the failure of a copy. The queue is idle,
/// and after false again.
bool enter_plain(Device &device, const MapList &list, PresentRefs &refs, Absence &absence, DirectQueue &queue,
                 Status &status);

/// An argument whose mapping a construct copies back in its turn, behind what it has queued before.
struct QueuedTurn {
  size_t argument;
  bool is_copied; ///< or it is when the queue has been waited for
};
using QueuedTurns = llvm::SmallVector<QueuedTurn, 16>;
/// Queues the copies of what is copied back and referenced by nobody else. status: as below.
void queue_copies_back(Device &device, const MapList &list, PresentRefs &refs, DirectQueue &queue, QueuedTurns &turns,
                       Status &status);
/// Waits for the queue, and leaves these data. The rest is left for release_shared and leave_plain. status: the first
/// failure to copy back or to free. Returns the failure of the queued work.
Status end_turns(Device &device, const MapList &list, PresentRefs &refs, DirectQueue &queue, const QueuedTurns &turns,
                 Status &status);
inline Status leave_queued(Device &device, const MapList &list, PresentRefs &refs, DirectQueue &queue, Status &status) {
  QueuedTurns turns;
  queue_copies_back(device, list, refs, queue, turns, status);
  return end_turns(device, list, refs, queue, turns, status);
}

/// Takes away the references that release_shared has left, copying back what goes. False: planning has to release
/// what refs still counts. status: the first failure to copy back or to free what went. Nothing is queued. report: null
/// if nobody observes.
bool leave_plain(Device &device, const MapList &list, PresentRefs &refs, DirectReport *report, Status &status);

/// Takes away what find_present has found to be deleted, if the others are left. False: planning has to release what
/// refs count.
bool leave_deleted(Device &device, PresentRefs &refs, DeletedArguments deleted, bool are_others_left,
                   const DirectReport *report, Status &status);

/// The same as without a report; null if nobody observes.
[[gnu::always_inline]] inline Status copy_argument(const Device &device, const MapList &list, size_t i,
                                                   const Mapping &mapping, bool is_to, Queue *queue,
                                                   DirectReport *report) {
  if (report) [[unlikely]]
    return report->copy(i, mapping, is_to, queue);
  return copy_argument(device, list, i, mapping, is_to, queue);
}

} // namespace omptarget
