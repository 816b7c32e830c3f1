// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What LIBOMPTARGET_INFO tells about launches.
#pragma once

#include <cstdint>

#include "common/info_bits.h"

namespace omptarget::host {

/// The number that the first device has in the program, and the others count from there; or those of single devices. The value
/// of LIBOMPTARGET_INFO from now on. device is valid.
void set_first_device_number(int32_t number);
void set_device_number(int32_t device, int32_t number);
void set_info_flag(uint32_t flag);
/// The number that the device has in the program, as far as it has been told.
int32_t device_number(int32_t device);

/// Whether launches are told.
inline bool tells_launches() { return wants_info(kInfoKernels); }
/// Prints one line about the launch of a kernel of this device. Looks the name up: slow.
/// teams, threads: as requested, 0 if not.
void tell_launch(int32_t device, const void *kernel, uint32_t teams, uint32_t threads);

} // namespace omptarget::host
