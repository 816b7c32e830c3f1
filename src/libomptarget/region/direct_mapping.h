// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The queue of a construct without a plan, and how it maps plain data anew. Planning does all less simple cases.
#pragma once

#include "device/device.h"
#include "mapping/argument_refs.h"
#include "plugin/plugin.h"
#include "region/construct_queue.h"
#include "region/direct_report.h"

namespace omptarget {

/// The queue of a construct without a plan. Its end waits for what is left, and others then need not wait for the
/// construct's data.
class DirectQueue {
public:
  /// refs: the construct's. report: null if nobody observes. careful: the queue of a construct with a plan, which this
  /// one stands for. All outlive it.
  DirectQueue(Device &device, PresentRefs &refs, DirectReport *report, ConstructQueue *careful = nullptr)
      : device_(device), refs_(refs), report_(report), careful_(careful) {}
  ~DirectQueue() {
    if (has_arrivals_ || careful_ || queue_.is_busy()) [[unlikely]]
      end_after_failure();
  }
  DirectQueue(const DirectQueue &) = delete;
  DirectQueue &operator=(const DirectQueue &) = delete;

  Queue &get() { return careful_ ? careful_->plugin_queue() : queue_; }
  /// The same queue, for what needs more care.
  ConstructQueue &careful();
  DirectReport *report() const { return report_; }
  bool is_planned() const { return careful_ && !own_careful_; }
  bool is_busy() const { return careful_ ? careful_->is_busy() : queue_.is_busy(); }
  /// Returns whether complete() has nothing to do.
  bool is_idle() const { return !has_arrivals_ && (careful_ ? careful_->is_idle() : !queue_.is_busy()); }
  /// Returns whether complete() would not wait.
  Result<bool> is_done() { return device_.plugin_device().query(get()); }
  /// Waits for all that is queued.
  Status complete();
  /// Publishes what the construct has made and what is being filled: others wait for its data in their queues. True:
  /// all of it is there. Otherwise the lost ones are to be entered again, or status says what failed.
  bool publish(Status &status) { return !has_arrivals_ || publish_arriving(status); }
  /// publish() is to publish this one.
  void add_arriving(PresentRef &ref) { ref.is_arriving = has_arrivals_ = true; }

private:
  bool publish_arriving(Status &status);
  Status wait();
  void end_arrivals();
  [[gnu::cold]] void end_after_failure();

  Device &device_;
  PresentRefs &refs_;
  DirectReport *const report_;
  Queue queue_; ///< unless there is a careful one
  ConstructQueue *careful_;
  struct End {
    void operator()(ConstructQueue *queue) const; // not inline: few constructs have one
  };
  std::unique_ptr<ConstructQueue, End> own_careful_;
  bool has_arrivals_ = false;
  Arrival *arrival_ = nullptr; ///< of what publish() has published
};

/// Goes on where retain_present has stopped, if that is an argument that is absent. False: refs are the arguments
/// that are entered; if status is good, planning has to enter the rest. Retained and new mappings stay: other
/// constructs may have written to it. absence: of that argument. status: the failure of a copy. The queue is idle,
/// and after false again.
bool enter_plain(Device &device, const MapList &list, PresentRefs &refs, Absence &absence, DirectQueue &queue,
                 Status &status);

} // namespace omptarget
