// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constructs with nowait that outlive their calls: without a plan, or where their data need one, with one.
#pragma once

#include <memory>
#include <optional>

#include "region/deferred_construct.h"
#include "region/device_work.h"
#include "region/direct_constructs.h"

namespace omptarget {

/// Gives back what a construct has entered that failed, if it did. kernel: the name of a region's, or null. Returns the
/// failure.
Status conclude(Device &device, const char *kernel, const MapList &list, PresentRefs &refs, DirectLaunch so_far,
                Status status);

class LeftConstruct final : public DeferredConstruct {
public:
  /// kernel: the name of a region's, or null.
  LeftConstruct(Device &device, const Call &call, observe::ConstructKind kind, const MapList &list, const char *kernel)
      : DeferredConstruct(device, call, kind, list), kernel_(kernel), direct_(device, list, is_observed()) {}

  /// Starts a construct and leaves it to libomp, which keeps it in the slot. direct(DirectHalves &, Status &) starts it
  /// without a plan; where that is not enough, planned(DeviceWork &, const PresentRefs &) with one.
  template <typename Direct, typename Planned>
  static Status run(std::unique_ptr<LeftConstruct> construct, void *&slot, Direct direct, Planned planned) {
    Status status;
    const DirectLaunch so_far = direct(construct->direct_, status);
    if (so_far == DirectLaunch::kNotEntered)
      OMPTARGET_TRY(planned(construct->planned_.emplace(construct->device()), construct->direct_.refs()));
    else if (so_far != DirectLaunch::kDone)
      return construct->conclude(so_far, std::move(status));
    return leave_or_complete(std::move(construct), slot);
  }

private:
  static Status leave_or_complete(std::unique_ptr<LeftConstruct> construct, void *&slot);
  Status complete() override;
  Result<bool> is_done() override;
  bool has_turn(MappingRef ref) const override { return planned_ ? planned_->has_turn(ref) : direct_.has_turn(ref); }
  Status conclude(DirectLaunch so_far, Status status) {
    return omptarget::conclude(device(), kernel_, direct_.list(), direct_.refs(), so_far, std::move(status));
  }

  const char *const kernel_;
  DirectHalves direct_;
  std::optional<DeviceWork> planned_; // then nothing is under way in the other
};

} // namespace omptarget
