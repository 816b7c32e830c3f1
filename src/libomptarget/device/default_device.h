// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LIBOMPTARGET_DEFAULT_DEVICE: the default device of each process of a parallel program.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/process_rank.h"

namespace omptarget {

/// The device for a process, and the reason in words.
struct DefaultDevice {
  int32_t device;
  std::string reason;
};

/// Returns the device of the process's place on its node, of count devices of one kind, dealt round robin.
DefaultDevice device_of_place(const ProcessRank &rank, int32_t count);

/// Returns one of the nearest devices, dealt round robin. distances: of the devices from the process, at least one.
DefaultDevice nearest_device(const ProcessRank &rank, const std::vector<int> &distances);

/// Makes the setting's device the default-device-var ICV of this and of later threads (OpenMP 5.2, section 2.4),
/// once, as soon as there are devices. OMP_DEFAULT_DEVICE wins. Without the setting nothing happens. Any thread.
void choose_default_device();

} // namespace omptarget
