// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/kernel_call.h"

#include "indirect/caller_registry.h"
#include "indirect/function_table.h"

namespace omptarget {

std::optional<__tgt_launch_shape> launch_shape_of(const Device &device, const Kernel &kernel,
                                                  const LaunchRequest &request) {
  __tgt_kernel_args args = request.args;
  args.Version = version_for(kernel.forms[static_cast<size_t>(request.block)]);
  args.NumArgs = 0;
  return device.plugin_device().launch_shape(kernel.handle, args);
}

void *unmapped_argument(const Device &device, const Kernel &kernel, int64_t size, void *base) {
  if (size != 0)
    return base;
  void *const function =
      kernel.functions ? find_function(*kernel.functions, base) : find_device_function(raw(device.id()), base);
  return function ? function : base;
}

} // namespace omptarget
