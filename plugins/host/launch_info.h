// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines of LIBOMPTARGET_INFO about launches.
#pragma once

#include <cstdint>

#include "common/info_bits.h"

namespace omptarget::host {

/// The value of LIBOMPTARGET_INFO from now on.
void set_info_flag(uint32_t flag);

/// Returns whether launches are reported.
inline bool prints_launches() { return wants_info(kInfoKernels); }
/// Prints one line about the launch of a kernel of this device. Looks the name up: slow.
/// teams, threads: as requested, 0 if not.
void print_launch(int32_t device, const void *kernel, const uint32_t (&teams)[3], const uint32_t (&threads)[3]);

} // namespace omptarget::host
