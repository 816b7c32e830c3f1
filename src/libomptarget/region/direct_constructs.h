// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constructs in the most frequent case: the data are present, or plain and absent. They need no items, no plan and no
// DeviceWork. Each returns what is left to be done. Reports tell observers, and are null if nobody observes.
#pragma once

#include <memory>

#include "base/log.h"
#include "device/call.h"
#include "mapping/argument_refs.h"
#include "observe/listeners.h"
#include "region/kernel_call.h"
#include "region/leaving.h"

namespace omptarget {

inline bool is_observed() { return observe::listeners() != 0 || traces_anything(); }

/// The outcome of a construct: of entering, the kernel, and leaving.
enum class DirectLaunch {
  kDone,
  kNotEntered, ///< planning has to do it; of the items refs says what is retained already
  kNotStarted, ///< entering failed as status says, and what refs counts is to be given back
  kFailed,     ///< the same of the kernel
};
DirectLaunch launch_directly(Device &device, const Kernel &kernel, LaunchRequest &request, PresentRefs &refs,
                             DirectReport *report, Status &status);

/// A construct in two parts. Between them the thread may do other things.
class DirectHalves {
public:
  DirectHalves(Device &device, const MapList &list, bool is_observed)
      : device_(device), list_(list), report_(is_observed ? std::make_unique<DirectReport>(device, list_) : nullptr),
        queue_(device, refs_, report_.get()), leaving_(device, list_, refs_, queue_, 0, besides_) {}

  /// The first part, one of these: enters or borrows, and queues what is to be done for certain. kDone: it is under
  /// way, or done. Otherwise nothing is.
  DirectLaunch launch(const Kernel &kernel, LaunchRequest &request, Status &status);
  DirectLaunch enter(Status &status);
  DirectLaunch leave(Status &status);
  /// After kDone: waits for all that, and leaves.
  DirectLaunch finish(Status &status);

  bool is_under_way() const { return queue_.is_busy(); }
  /// Returns whether finish() would not wait for the queue.
  Result<bool> is_done() { return queue_.is_done(); }
  /// Returns whether the construct copies back the mapping's data: nobody else does before it has finished.
  bool has_turn(MappingRef ref) const { return leaving_.has_turn(ref); }

  const MapList &list() const { return list_; }
  PresentRefs &refs() { return refs_; }
  /// From now on the list's arrays may go.
  void keep_list();

private:
  enum class Kind { kRegion, kEntry, kExit };

  Device &device_;
  MapList list_;
  PresentRefs refs_;
  const std::unique_ptr<DirectReport> report_;
  Status besides_;    ///< the first failure to copy back
  DirectQueue queue_; // ends before these
  Leaving leaving_;
  Kind kind_ = Kind::kRegion;
  std::unique_ptr<void *[]> kept_;
};

/// How the failures of a region's data begin.
inline constexpr const char *kDuringEntry = "Call to targetDataBegin failed, abort target.";
inline constexpr const char *kBeforeKernel = "Failed to process data before launching the kernel.";
inline constexpr const char *kAfterKernel = "Failed to process data after launching the kernel.";

/// The same for data constructs. True: done, or failed as status says; the caller then gives back what refs counts
/// after entering. False: planning has to do it; of entering, refs says what is retained.
bool enter_directly(Device &device, const MapList &list, PresentRefs &refs, DirectReport *report, Status &status);
bool leave_directly(Device &device, const MapList &list, PresentRefs &refs, DirectReport *report, Status &status);

} // namespace omptarget
