// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constructs with nowait on devices that queue work: the target task of libomp (16 and later) is left with the work
// under way, and libomp asks for it until it is done. With an older libomp, or outside a task, the construct is
// complete on return.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "device/call.h"
#include "region/construct_report.h"

namespace omptarget {

/// A construct that outlives its call: libomp has its handle. Threads of libomp, threads that wait for data which it
/// copies back, and the end of the device take it, one at a time, until it is done. It is destroyed once libomp has
/// learnt that.
class DeferredConstruct {
public:
  /// Taken by the calling thread, which starts it.
  DeferredConstruct(Device &device, const Call &call, observe::ConstructKind kind, const MapList &list);
  virtual ~DeferredConstruct();
  DeferredConstruct(const DeferredConstruct &) = delete;
  DeferredConstruct &operator=(const DeferredConstruct &) = delete;

  /// Where libomp keeps the handle of an unfinished construct of the running task, or null: the construct must be
  /// completed before its call returns.
  static void **free_slot(const Device &device, const Call &call);
  /// Defers it: slot gets its handle. If its data are waited for, completes it instead.
  static Status defer(std::unique_ptr<DeferredConstruct> construct, void *&slot);
  /// Returns whether the construct of the handle is done, and then destroys it. libomp calls it. Waits once this thread
  /// has asked in vain several times, so that asking does not keep a core busy. On failure *call is the construct's.
  static Result<bool> ask(void *handle, Call &call);

  /// Waits until nobody has the turn of the mapping. The caller has none itself, and has published what it made. If a
  /// deferred construct has the turn, completes that construct: libomp may never ask for it before this thread goes on.
  /// The thread that has taken a construct completes it itself. As long as threads wait, no construct is deferred.
  static void wait_for_turn(Device &device, MappingRef ref);

protected:
  Device &device() const { return device_; }

private:
  /// Waits for all work of the construct, and exits its data.
  virtual Status complete() = 0;
  /// Returns whether complete() would not wait for the device.
  virtual Result<bool> is_done() = 0;
  /// Returns whether it copies back the mapping's data: nobody else does before it is complete.
  virtual bool has_turn(MappingRef ref) const = 0;

  enum class State {
    kDeferred,
    kTaken,
    kWanted, ///< taken, and another thread waits for its data: it is not to be deferred again
    kDone
  };

  /// Returns whether the caller has it alone from now on.
  bool take();
  /// Defers it again. False if threads wait for data, and it is still taken: the caller completes it.
  bool put_back();
  /// Has the thread that has taken it complete it.
  void want();
  void finish(Status status);
  Result<bool> carry_on();
  static void complete_holder(Device &device, MappingRef ref);
  template <typename Choose> static DeferredConstruct *take_one(const Device &device, Choose choose);
  static void complete_all(Device &device, std::vector<std::string> &failures);

  Device &device_;
  const Call call_;
  ReportedConstruct reported_; // ends after the work
  Status failure_;             // of a done one; libomp learns of it
  std::atomic<State> state_{State::kTaken};
};

} // namespace omptarget
