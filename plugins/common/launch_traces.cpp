// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "common/launch_traces.h"

#include <algorithm>

#include "base/format.h"
#include "base/settings.h"
#include "base/text_output.h"

namespace omptarget {

size_t LaunchTraces::number_from_setting() {
  return static_cast<size_t>(setting_in(SettingId::kTrackLaunches, 0, 100000));
}

void LaunchTraces::launched(const void *queue, std::string text) {
  CallStack stack = take_call_stack();
  const std::lock_guard lock(mutex_);
  std::deque<LaunchedKernel> &kernels = queues_[queue];
  kernels.push_back({std::move(text), ++count_, std::move(stack)});
  if (kernels.size() > most_)
    kernels.pop_front();
}

void LaunchTraces::tell(int32_t device_number, const std::vector<const void *> &under_way) {
  std::vector<LaunchedKernel> kernels;
  {
    const std::lock_guard lock(mutex_);
    for (const auto &[queue, launched] : queues_)
      for (const LaunchedKernel &kernel : launched) {
        kernels.push_back(kernel);
        kernels.back().is_complete = std::find(under_way.begin(), under_way.end(), queue) == under_way.end();
      }
  }
  std::sort(kernels.begin(), kernels.end(), [](const LaunchedKernel &a, const LaunchedKernel &b) {
    return a.is_complete != b.is_complete ? b.is_complete : a.number > b.number;
  });
  kernels.resize(std::min(kernels.size(), most_));
  if (kernels.empty())
    return;
  std::string text =
      format("omptarget note: device %d: the last %zu kernels, the newest first", device_number, kernels.size());
  for (size_t i = 0; i < kernels.size(); ++i)
    text += format("\nkernel %zu: %s%s, launched by\n%s", i, kernels[i].text.c_str(),
                   kernels[i].is_complete ? ", of a queue whose work is complete" : "",
                   stack_text(kernels[i].stack).c_str());
  write_error_line(text);
}

} // namespace omptarget
