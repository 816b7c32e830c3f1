// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calling a kernel: its arguments in the form that it wants, and the launch.
#pragma once

#include "device/device.h"
#include "device/helper_threads.h"
#include "device/launch_request.h"
#include "device/libomp.h"

namespace omptarget {

/// Versions of argument blocks that tell plugins of the implicit parameter (plugin.h).
inline constexpr uint32_t kPlainVersion = 2;
inline constexpr uint32_t kVersionWithLeading = 3;
inline constexpr uint32_t kVersionWithTrailing = 5;

/// The value of the implicit parameter that tells nothing.
inline void *no_launch_environment() { return reinterpret_cast<void *>(~uintptr_t{0}); }

/// Launches a kernel of a task that libomp has given to a hidden helper thread, the calling one.
Status launch_for_helper(const Device &device, const Kernel &kernel, void **arguments, __tgt_kernel_args &args,
                         Queue *queue);

/// Launches a kernel, which may make tasks on the calling thread. queue: null for a launch that is complete on return.
inline Status launch(const Device &device, const Kernel &kernel, void **arguments, __tgt_kernel_args &args,
                     Queue *queue) {
  if ((args.Flags & OMPTARGET_KERNEL_NOWAIT) != 0 && kernel.signs->is_for_cpu && libomp::is_helper_thread())

    return launch_for_helper(device, kernel, arguments, args, queue);
  const libomp::TeamOfOne team(kernel.tasks != TaskKind::kNone, kernel.tasks == TaskKind::kLasting);
  return device.plugin_device().launch_kernel(kernel.handle, arguments, args, queue);
}

/// Returns the numbers of teams and threads that the kernel would be launched with, if the plugin knows them before.
std::optional<__tgt_launch_shape> launch_shape_of(const Device &device, const Kernel &kernel,
                                                  const LaunchRequest &request);

/// Launches a kernel that wants cells, and waits for it, as the cells are on the stack. slots: as for call_kernel.
Status call_with_cells(const Device &device, const Kernel &kernel, __tgt_kernel_args &args, void **slots,
                       uint32_t count, Queue *queue);

/// Launches a kernel with its arguments in the form that it wants. slots: a free one, the values of count arguments, and
/// a free one. queue: as for launch.
inline Status call_kernel(const Device &device, const Kernel &kernel, ParameterForm form, __tgt_kernel_args &args,
                          void **slots, uint32_t count, Queue *queue) {
  if (form == ParameterForm::kCells)
    return call_with_cells(device, kernel, args, slots, count, queue);
  args.NumArgs = count;
  args.Version = kPlainVersion;
  if (form == ParameterForm::kLeading)
    args.Version = kVersionWithLeading;
  if (form == ParameterForm::kTrailing) {
    slots[count + 1] = no_launch_environment();
    args.NumArgs = count + 1;
    args.Version = device.plugin().takes_trailing() ? kVersionWithTrailing : kPlainVersion;
  }
  return launch(device, kernel, slots + 1, args, queue);
}

/// The value of an argument that is not mapped. A captured function pointer becomes the device's function, other
/// pointers are passed as they are (OpenMP 5.2, section 5.4.4: firstprivate pointers).
void *unmapped_argument(const Device &device, const Kernel &kernel, int64_t size, void *base);

} // namespace omptarget
