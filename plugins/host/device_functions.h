// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the OpenMP API by which a region asks where it runs (OpenMP 5.2, 18.7.5 and 18.7.6). libomp, to which
// images for the CPU are bound, answers for the initial device, on which the thread is for it; the plugin gives
// images functions of its own instead.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace omptarget::host {

enum class DeviceFunction : uint8_t { kGetDeviceNum, kIsInitialDevice };

/// The function of that name, of C or of Fortran without its module.
std::optional<DeviceFunction> device_function(std::string_view name);

/// Its address for code of that device, which is valid. It works as long as the plugin is there. Any thread.
const void *function_for(DeviceFunction function, int32_t device);

} // namespace omptarget::host
