// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/device_variables.h"

#include "base/format.h"
#include "device/libomp.h"
#include "device/runtime.h"

namespace omptarget {

namespace {

constexpr int32_t kInitialDevice = -1;

bool is_host(int32_t device) { return device == kInitialDevice || device == Runtime::get().number_of_devices(); }

/// Returns the device of the number, or null.
Device *find_device(int32_t device) {
  return device >= 0 && device < Runtime::get().number_of_devices() ? Runtime::get().known_device(device) : nullptr;
}

} // namespace

int32_t device_variable(DeviceVariable variable, int32_t number) {
  const bool is_teams = variable == DeviceVariable::kNumTeams;
  if (is_host(number))
    return is_teams ? libomp::max_teams() : libomp::teams_thread_limit();
  Device *const device = find_device(number);
  if (!device)
    return 0;
  return is_teams ? device->launch_defaults().teams() : device->launch_defaults().thread_limit();
}

Status set_device_variable(DeviceVariable variable, int32_t value, int32_t number) {
  const bool is_teams = variable == DeviceVariable::kNumTeams;
  if (value < 0)
    return Status::error(is_teams ? format("%d is no number of teams; expected 0 or more", value)
                                  : format("%d is no number of threads; expected 0 or more", value));
  if (is_host(number)) {
    is_teams ? libomp::set_num_teams(value) : libomp::set_teams_thread_limit(value);
    return Status::ok();
  }
  Device *const device = find_device(number);
  if (!device)
    return Status::fatal(number, format("Device number '%d' out of range, only %d devices available", number,
                                        Runtime::get().number_of_devices()));
  is_teams ? device->launch_defaults().set_teams(value) : device->launch_defaults().set_thread_limit(value);
  return Status::ok();
}

} // namespace omptarget
