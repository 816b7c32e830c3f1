// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the program launched the last kernels of each queue, for reports on faults:
// OFFLOAD_TRACK_NUM_KERNEL_LAUNCH_TRACES.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/call_stack.h"

namespace omptarget {

struct LaunchedKernel {
  std::string text;    ///< its name and shape
  uint64_t number = 0; ///< counts the launches of the device
  CallStack stack;
  bool is_complete = false; ///< with all of its queue, when it is reported
};

/// The launches of a device. Any thread. One that keeps none does nothing.
class LaunchTraces {
public:
  LaunchTraces() : LaunchTraces(number_from_setting()) {}
  /// most: of each queue
  explicit LaunchTraces(size_t most) : most_(most) {}

  /// Returns OFFLOAD_TRACK_NUM_KERNEL_LAUNCH_TRACES.
  static size_t number_from_setting();
  bool is_on() const { return most_ != 0; }
  void launched(const void *queue, std::string text);
  /// Tells on stderr of the last launches, the newest first. Those on the queues under way come first. If they are
  /// fewer than wanted, those on others follow.
  void tell(int32_t device_number, const std::vector<const void *> &under_way);

private:
  const size_t most_;
  std::mutex mutex_;
  std::map<const void *, std::deque<LaunchedKernel>> queues_;
  uint64_t count_ = 0;
};

} // namespace omptarget
