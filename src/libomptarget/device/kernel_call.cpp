// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/kernel_call.h"

#include <llvm/ADT/SmallVector.h>

#include "indirect/caller_registry.h"
#include "indirect/function_table.h"

namespace omptarget {

Status launch_for_helper(const Device &device, const Kernel &kernel, void **arguments, __tgt_kernel_args &args,
                         Queue *queue) {
  Status status;
  auto launch = [&] { status = device.plugin_device().launch_kernel(kernel.handle, arguments, args, queue); };
  if (!libomp::run_apart(launch)) {
    const libomp::TeamOfOne team(kernel.tasks != TaskKind::kNone, kernel.tasks == TaskKind::kLasting);
    launch();
  }
  return status;
}

static uint32_t version_for(ParameterForm form) {
  return form == ParameterForm::kLeading    ? kVersionWithLeading
         : form == ParameterForm::kTrailing ? kVersionWithTrailing
                                            : kPlainVersion;
}

std::optional<__tgt_launch_shape> launch_shape_of(const Device &device, const Kernel &kernel,
                                                  const LaunchRequest &request) {
  __tgt_kernel_args args = request.args;
  args.Version = version_for(kernel.forms[static_cast<size_t>(request.block)]);
  args.NumArgs = 0;
  return device.plugin_device().launch_shape(kernel.handle, args);
}

Status call_with_cells(const Device &device, const Kernel &kernel, __tgt_kernel_args &args, void **slots,
                       uint32_t count, Queue *queue) {
  slots[count + 1] = no_launch_environment();
  llvm::SmallVector<void *, 16> cells;
  cells.resize_for_overwrite(count + 1);
  for (uint32_t i = 0; i <= count; ++i)
    cells[i] = static_cast<void *>(slots + 1 + i);
  void *only[] = {nullptr, static_cast<void *>(cells.data())};
  args.NumArgs = 1;
  args.Version = kPlainVersion;
  Status status = launch(device, kernel, only + 1, args, queue);
  if (queue)
    status.keep_first(device.plugin_device().synchronize(*queue));
  return status;
}

void *unmapped_argument(const Device &device, const Kernel &kernel, int64_t size, void *base) {
  if (size != 0)
    return base;
  void *const function =
      kernel.functions ? find_function(*kernel.functions, base) : find_device_function(raw(device.id()), base);
  return function ? function : base;
}

} // namespace omptarget
