// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constructs with nowait on devices that queue work: the target task of libomp (16 and later) is left with the work under
// way, and libomp asks for it until it is done. With an older libomp, or outside a task, the construct is complete on return.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "region/call.h"
#include "region/device_work.h"
#include "region/reported_construct.h"

namespace omptarget {

/// A construct that outlives its call. It is left to libomp, which has its handle; then libomp's threads, or the end of the
/// device, take it in turn, one at a time, until it is done. It is destroyed when libomp has learnt that.
class DeferredConstruct {
public:
  DeferredConstruct(Device &device, const Call &call, observe::ConstructKind kind, const MapList &list)
      : call_(call), reported_(call, device, kind, list), work_(device) {}
  DeferredConstruct(const DeferredConstruct &) = delete;
  DeferredConstruct &operator=(const DeferredConstruct &) = delete;

  DeviceWork &work() { return work_; }

  /// Where libomp keeps the handle of an unfinished construct of the running task, or null: the construct must be completed
  /// before its call returns.
  static void **free_slot(const Device &device, const Call &call);
  /// Leaves it to libomp: its handle.
  static void *leave(std::unique_ptr<DeferredConstruct> construct);
  /// What libomp calls with the handle: whether the construct is done, and then it is gone. Waits for it instead of asking once
  /// this thread has asked in vain several times, so that asking does not keep a core busy. On failure *call is the construct's.
  static Result<bool> ask(void *handle, Call &call);

private:
  enum class State { kLeft, kTaken, kDone };

  /// Whether the caller has it alone from now on.
  bool take();
  Result<bool> carry_on();
  static void complete_all(Device &device, std::vector<std::string> &failures);

  const Call call_;
  ReportedConstruct reported_; // ends after the work
  DeviceWork work_;
  std::atomic<State> state_{State::kLeft};
};

} // namespace omptarget
