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
      : DeferredConstruct(device, call, kind, list), kind_(kind), kernel_(kernel), list_(list),
        queue_(device, is_observed()), leaving_(device, list_, refs_, queue_, 0, besides_) {}

  /// Starts a construct and leaves it to libomp, which keeps it in the slot. direct(LeftConstruct &, Status &) starts it
  /// without a plan; where that is not enough, planned(DeviceWork &, const PresentRefs &) with one.
  template <typename Direct, typename Planned>
  static Status run(std::unique_ptr<LeftConstruct> construct, void *&slot, Direct direct, Planned planned) {
    Status status;
    const DirectLaunch so_far = direct(*construct, status);
    if (so_far == DirectLaunch::kNotEntered)
      OMPTARGET_TRY(planned(construct->planned_.emplace(construct->device()), construct->refs_));
    else if (so_far != DirectLaunch::kDone)
      return construct->conclude(so_far, std::move(status));
    return leave_or_complete(std::move(construct), slot);
  }
  /// Start it without a plan: enter, and queue what is to be done for certain. Unless kDone, nothing is under way.
  DirectLaunch launch(const Kernel &kernel, LaunchRequest &request, Status &status);
  DirectLaunch enter(Status &status);
  DirectLaunch leave_data();

private:
  static Status leave_or_complete(std::unique_ptr<LeftConstruct> construct, void *&slot);
  Status complete() override;
  Result<bool> is_done() override;
  bool has_turn(MappingRef ref) const override { return planned_ ? planned_->has_turn(ref) : leaving_.has_turn(ref); }
  DirectLaunch finish(Status &status);
  void keep_list();
  Status conclude(DirectLaunch so_far, Status status) {
    return omptarget::conclude(device(), kernel_, list_, refs_, so_far, std::move(status));
  }

  const observe::ConstructKind kind_;
  const char *const kernel_;
  MapList list_;
  PresentRefs refs_;
  Status besides_;       ///< the first failure to copy back
  ConstructQueue queue_; // ends before these
  Leaving leaving_;
  std::unique_ptr<void *[]> kept_list_;
  std::optional<DeviceWork> planned_; // then nothing is under way in the others
};

} // namespace omptarget
