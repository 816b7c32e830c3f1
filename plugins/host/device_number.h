// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers that this plugin's devices have in the program.
#pragma once

#include <cstdint>

namespace omptarget::host {

/// The number that the first device has in the program, and the others count from there; or those of single devices.
/// device is valid. Any thread.
void set_first_device_number(int32_t number);
void set_device_number(int32_t device, int32_t number);

/// The number that the device has in the program, as far as it has been told. Any thread.
int32_t device_number(int32_t device);

} // namespace omptarget::host
