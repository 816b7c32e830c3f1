// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calling a kernel: its arguments in the form that it wants, and the launch.
#pragma once

#include <llvm/ADT/SmallVector.h>

#include "device/device.h"
#include "device/helper_threads.h"
#include "device/launch_request.h"
#include "device/libomp.h"

namespace omptarget {

/// Returns the version of argument blocks by which plugins learn of a kernel's implicit parameter (plugin.h).
constexpr uint32_t version_for(ParameterForm form) {
  return form == ParameterForm::kLeading ? 3 : form == ParameterForm::kTrailing ? 5 : 2;
}

/// The value of the implicit parameter that tells nothing.
inline void *no_launch_environment() { return reinterpret_cast<void *>(~uintptr_t{0}); }

/// Returns the numbers of teams and threads that the kernel would be launched with, if the plugin knows them before.
std::optional<__tgt_launch_shape> launch_shape_of(const Device &device, const Kernel &kernel,
                                                  const LaunchRequest &request);

/// Launches a kernel, which may make tasks on the calling thread. queue: null for a launch that is complete on return.
inline Status launch_here(const Device &device, const Kernel &kernel, void **arguments, __tgt_kernel_args &args,
                          Queue *queue) {
  const libomp::TeamOfOne team(kernel.tasks != TaskKind::kNone, kernel.tasks == TaskKind::kLasting);
  return device.plugin_device().launch_kernel(kernel.handle, arguments, args, queue);
}

/// The same for a task that libomp has given to a hidden helper thread, the calling one. Another thread launches it, if
/// there can be one.
[[gnu::noinline]] inline Status launch_for_helper(const Device &device, const Kernel &kernel, void **arguments,
                                                  __tgt_kernel_args &args, Queue *queue) {
  Status status;
  if (libomp::run_apart([&] { status = device.plugin_device().launch_kernel(kernel.handle, arguments, args, queue); }))
    return status;
  return launch_here(device, kernel, arguments, args, queue);
}

/// The same for any thread.
inline Status launch(const Device &device, const Kernel &kernel, void **arguments, __tgt_kernel_args &args,
                     Queue *queue) {
  if ((args.Flags & OMPTARGET_KERNEL_NOWAIT) != 0 && kernel.signs->is_for_cpu && libomp::is_helper_thread())
    return launch_for_helper(device, kernel, arguments, args, queue);
  return launch_here(device, kernel, arguments, args, queue);
}

/// Launches a kernel that wants cells, and waits for it, as the cells are on the stack. slots: as for call_kernel.
[[gnu::noinline]] inline Status call_with_cells(const Device &device, const Kernel &kernel, __tgt_kernel_args &args,
                                                void **slots, uint32_t count, Queue *queue) {
  slots[count + 1] = no_launch_environment();
  llvm::SmallVector<void *, 16> cells;
  for (uint32_t i = 0; i <= count; ++i)
    cells.push_back(static_cast<void *>(slots + 1 + i));
  void *only[] = {static_cast<void *>(cells.data()), nullptr};
  args.NumArgs = 1;
  args.Version = version_for(ParameterForm::kCells);
  Status status = launch(device, kernel, only, args, queue);
  if (queue)
    status.keep_first(device.plugin_device().synchronize(*queue));
  return status;
}

/// Launches a kernel with its arguments in the form that it wants. slots: a free one, the values of count arguments, and
/// a free one. queue: as for launch_here.
inline Status call_kernel(const Device &device, const Kernel &kernel, ParameterForm form, __tgt_kernel_args &args,
                          void **slots, uint32_t count, Queue *queue) {
  if (form == ParameterForm::kCells)
    return call_with_cells(device, kernel, args, slots, count, queue);
  args.NumArgs = count;
  args.Version = version_for(form);
  if (form == ParameterForm::kTrailing) {
    slots[count + 1] = no_launch_environment();
    args.NumArgs = count + 1;
    if (!device.plugin().takes_trailing())
      args.Version = version_for(ParameterForm::kPlain);
  }
  return launch(device, kernel, slots + 1, args, queue);
}

/// The value of an argument that is not mapped. A captured function pointer becomes the device's function, other
/// pointers are passed as they are (OpenMP 5.2, section 5.4.4: firstprivate pointers).
void *unmapped_argument(const Device &device, const Kernel &kernel, int64_t size, void *base);

} // namespace omptarget
