// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments of a region that are no mapped data: private and firstprivate variables (OpenMP 5.2, section 5.4), which lie
// in one block of device memory, and what a lambda has captured by reference.
#pragma once

#include "mapping/private_layout.h"
#include "recorder/kernel_recorder.h"
#include "region/construct_queue.h"

namespace omptarget {

/// Made when all data are in place. Used by one thread.
class PrivateArguments {
public:
  /// recorder: null if the launch is not recorded.
  PrivateArguments(const MapArguments &arguments, ConstructQueue &queue, KernelRecorder *recorder)
      : arguments_(arguments), queue_(queue), map_(queue.device().map()), recorder_(recorder) {}

  /// Allocates the block, and queues all copies into it and into lambdas.
  Status prepare();
  /// Returns whether the argument is such a variable.
  bool has(size_t i) const { return is_private(items_[i]); }
  /// The device address of the variable's base, which may lie before what is copied.
  DevicePtr address(size_t i) const;

private:
  Status copy_packed();
  Status copy_large();
  bool translate_pointer(const MapItem &item, void *value, DevicePtr place);
  Status set_lambda_capture(size_t i);

  const MapArguments &arguments_;
  ConstructQueue &queue_;
  HostDataToTargetMap &map_;
  KernelRecorder *const recorder_;
  MapItems items_;
  PrivateLayout layout_;
  DevicePtr block_{};
};

} // namespace omptarget
