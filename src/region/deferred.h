// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constructs with nowait on devices that queue work: the target task of libomp (16 and later) is left with the work under
// way, and libomp asks for it until it is done. With an older libomp, or outside a task, the construct is complete on return.
#pragma once

#include <atomic>
#include <memory>

#include "base/status.h"
#include "region/call.h"
#include "region/reported_construct.h"
#include "region/transfer.h"

namespace omptarget {

/// What a construct is to do: its kind, and the arguments as the compiler passes them.
struct Construct {
  observe::ConstructKind kind;
  const MapList &list;
};

/// The work of one construct, which may outlive its call.
struct ConstructWork {
  ConstructWork(Device &device, const Call &its_call, const Construct &construct)
      : call(its_call), reported(its_call, device, construct.kind, construct.list), work(device) {}
  const Call call;
  ReportedConstruct reported; // ends after the work
  DeviceWork work;
  /// Of work that is left to libomp: whoever carries it on has it alone, libomp's thread that asks or the end of the device.
  enum class State { kLeft, kTaken, kDone };
  std::atomic<State> state{State::kLeft};
};

/// Carries out a construct: start(work) plans it and queues what is to be done. Complete on return, unless the call may
/// return early and the work is handed over to libomp.
template <typename Start> Status carry_out(Device &device, const Call &call, const Construct &construct, Start start);

/// What libomp calls for unfinished work: whether it is done, and then it is gone. Waits for it instead of asking once this
/// thread has asked in vain several times, so that asking does not keep a core busy.
/// On failure *call is the construct's.
Result<bool> ask_for_deferred(void *handle, Call &call);

namespace deferred_internal {
/// Where libomp keeps unfinished work of the running task, or null: it must be finished before returning.
void **free_slot(const Device &device, const Call &call);
/// The work is libomp's from now on.
void *leave(std::unique_ptr<ConstructWork> deferred);
Result<bool> carry_on(ConstructWork *deferred);
} // namespace deferred_internal

template <typename Start> Status carry_out(Device &device, const Call &call, const Construct &construct, Start start) {
  if (call.is_nowait)
    if (void **slot = deferred_internal::free_slot(device, call)) {
      auto deferred = std::make_unique<ConstructWork>(device, call, construct);
      OMPTARGET_TRY(start(deferred->work));
      if (!deferred->work.is_busy())
        return deferred->work.complete();
      *slot = deferred_internal::leave(std::move(deferred));
      return Status::ok();
    }
  const ReportedConstruct reported(call, device, construct.kind, construct.list);
  DeviceWork work(device);
  OMPTARGET_TRY(start(work));
  return work.complete();
}

} // namespace omptarget
