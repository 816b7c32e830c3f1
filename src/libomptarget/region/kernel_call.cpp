// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/kernel_call.h"

#include "indirect/caller_registry.h"
#include "indirect/function_table.h"
#include "region/construct_queue.h"

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

const __tgt_kernel_args &KernelCall::prepare(ConstructQueue &queue) {
  const auto count = static_cast<uint32_t>(values_.size() - 1);
  arguments_ = values_.data() + 1;
  __tgt_kernel_args &args = request_.args;
  args.NumArgs = count;
  args.Version = kPlainVersion;
  switch (kernel_.forms[static_cast<size_t>(request_.block)]) {
  case ParameterForm::kLeading: args.Version = kVersionWithLeading; break;
  case ParameterForm::kTrailing:
    values_.push_back(no_launch_environment());
    arguments_ = values_.data() + 1;
    args.NumArgs = count + 1;
    args.Version = device_.plugin().takes_trailing() ? kVersionWithTrailing : kPlainVersion;
    break;
  case ParameterForm::kCells:
    values_.push_back(no_launch_environment());
    arguments_ = make_cells(count + 1, queue);
    args.NumArgs = 1;
    break;
  case ParameterForm::kPlain:
  case ParameterForm::kRefused: break;
  }
  return args;
}

/// The array of addresses of all values, as the only argument. It lives as long as the kernel runs.
void **KernelCall::make_cells(uint32_t count, ConstructQueue &queue) {
  void **values = values_.data() + 1;
  if (device_.plugin().is_asynchronous())
    values = static_cast<void **>(queue.keep(static_cast<void *>(values), count * sizeof(void *)));
  cells_.resize(count);
  for (uint32_t i = 0; i < count; ++i)
    cells_[i] = static_cast<void *>(values + i);
  auto *array = static_cast<void *>(cells_.data());
  if (device_.plugin().is_asynchronous())
    array = queue.keep(array, count * sizeof(void *));
  only_[1] = array;
  return only_ + 1;
}

[[gnu::noinline]] Status call_with_cells(const Device &device, const Kernel &kernel, __tgt_kernel_args &args,
                                         void **slots, uint32_t count, Queue *queue) {
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
