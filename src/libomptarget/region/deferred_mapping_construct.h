// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data-mapping constructs with nowait that outlive their calls: target, target enter data and target exit data.
#pragma once

#include <memory>

#include "region/constructs.h"
#include "region/deferred_construct.h"
#include "region/exiting.h"

namespace omptarget {

/// Gives back what a construct has entered that failed, if it did. kernel: the name of a region's, or null. Returns the
/// failure.
Status conclude(Device &device, const char *kernel, MapArguments &arguments, Ended so_far, Status status);

class DeferredMappingConstruct final : public DeferredConstruct {
public:
  /// kernel: the name of a region's, or null.
  DeferredMappingConstruct(Device &device, const Call &call, observe::ConstructKind kind, const MapList &list,
                           const char *kernel)
      : DeferredConstruct(device, call, kind, list), kind_(kind), kernel_(kernel), list_(list),
        queue_(device, is_observed()), exiting_(device, arguments_, queue_, besides_) {}

  /// Carries out the first half of a construct, first_half(DeferredMappingConstruct &, Status &), and defers the rest:
  /// libomp keeps its handle in the slot.
  template <typename FirstHalf>
  static Status run(std::unique_ptr<DeferredMappingConstruct> construct, void *&slot, FirstHalf first_half) {
    Status status;
    const Ended so_far = first_half(*construct, status);
    if (so_far != Ended::kDone)
      return construct->conclude(so_far, std::move(status));
    return defer_or_complete(std::move(construct), slot);
  }
  /// First halves: enter, and queue what is to be done for certain. Unless kDone, nothing is under way. code: return
  /// address in the code that passes the arguments.
  Ended launch(const Region &region, Status &status);
  Ended enter(const void *code, Status &status);
  Ended exit(const void *code, Status &status);

private:
  static Status defer_or_complete(std::unique_ptr<DeferredMappingConstruct> construct, void *&slot);
  Status complete() override;
  Result<bool> is_done() override;
  bool has_turn(MappingRef ref) const override { return exiting_.has_turn(ref); }
  Ended finish(Status &status);
  void keep_list();
  Status conclude(Ended so_far, Status status) {
    return omptarget::conclude(device(), kernel_, arguments_, so_far, std::move(status));
  }

  const observe::ConstructKind kind_;
  const char *const kernel_;
  MapList list_;
  MapArguments arguments_{list_};
  Status besides_;       ///< the first failure to copy back
  ConstructQueue queue_; // ends before these
  Exiting exiting_;
  std::unique_ptr<void *[]> kept_list_;
};

} // namespace omptarget
