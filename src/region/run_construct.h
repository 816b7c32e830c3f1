// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver of every construct that works by plans: it reports the construct, has it started, and completes it, or
// with nowait leaves it to libomp.
#pragma once

#include <memory>
#include <optional>

#include "base/status.h"
#include "region/call.h"
#include "region/deferred_construct.h"
#include "region/device_work.h"
#include "region/reported_construct.h"

namespace omptarget {

/// A construct: its kind, and the arguments as the compiler passes them.
struct Construct {
  observe::ConstructKind kind;
  const MapList &list;
};

/// A construct with a plan that may outlive its call.
class DeferredWork final : public DeferredConstruct {
public:
  DeferredWork(Device &device, const Call &call, const Construct &construct)
      : DeferredConstruct(device, call, construct.kind, construct.list), work_(device) {}
  DeviceWork &work() { return work_; }

private:
  Status complete() override { return work_.complete(); }
  Result<bool> is_done() override { return work_.queue().is_done(); }
  bool has_turn(MappingRef ref) const override { return work_.has_turn(ref); }

  DeviceWork work_;
};

/// Carries out a construct: start(work) plans it and queues what is to be done. Complete on return, unless the call may
/// return early and the construct is left to libomp. is_reported: its begin was told already, and it may not be left.
template <typename Start>
Status run_construct(Device &device, const Call &call, const Construct &construct, bool is_reported, Start start) {
  if (call.is_nowait && !is_reported)
    if (void **slot = DeferredConstruct::free_slot(device, call)) {
      auto deferred = std::make_unique<DeferredWork>(device, call, construct);
      OMPTARGET_TRY(start(deferred->work()));
      if (!deferred->work().queue().is_busy())
        return deferred->work().complete();
      return DeferredConstruct::leave(std::move(deferred), *slot);
    }
  std::optional<ReportedConstruct> reported;
  if (!is_reported)
    reported.emplace(call, device, construct.kind, construct.list);
  DeviceWork work(device);
  OMPTARGET_TRY(start(work));
  return work.complete();
}

} // namespace omptarget
