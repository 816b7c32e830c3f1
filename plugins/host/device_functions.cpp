// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/device_functions.h"

#include <array>
#include <utility>

#include "host/device.h"
#include "host/device_number.h"

namespace omptarget::host {

namespace {

using Function = int (*)();

int is_initial_device() { return 0; }

/// Its caller says nothing of the device: one function for each.
template <int32_t Device> int get_device_num() { return device_number(Device); }

template <int32_t... Devices> constexpr auto functions_of(std::integer_sequence<int32_t, Devices...>) {
  return std::array<Function, sizeof...(Devices)>{get_device_num<Devices>...};
}
constexpr auto kGetDeviceNum = functions_of(std::make_integer_sequence<int32_t, kMostDevices>());

} // namespace

std::optional<DeviceFunction> device_function(std::string_view name) {
  if (!name.empty() && name.back() == '_')
    name.remove_suffix(1);
  if (name == "omp_get_device_num")
    return DeviceFunction::kGetDeviceNum;
  if (name == "omp_is_initial_device")
    return DeviceFunction::kIsInitialDevice;
  return std::nullopt;
}

const void *function_for(DeviceFunction function, int32_t device) {
  const Function found =
      function == DeviceFunction::kGetDeviceNum ? kGetDeviceNum[static_cast<size_t>(device)] : is_initial_device;
  return reinterpret_cast<const void *>(found);
}

} // namespace omptarget::host
