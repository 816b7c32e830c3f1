// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/missing_variables.h"

#include "device/runtime.h"

namespace omptarget {

Status check_variable(Device &device, HostPtr host, int64_t size) {
  if (!device.lacks_images() || device.map().find(host, 1).is_contained)
    return Status::ok();
  return device.check_variables(host, size, Runtime::get().is_mandatory());
}

} // namespace omptarget
