// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Begin and end of a kernel on a CPU. flang makes kernels for CPUs as it makes those for GPUs (abi: device images,
// section 5.2), but one thread enters: the initial thread of a team, of which the plugin makes as many as were asked
// for. All others are libomp's and come with parallel regions, so there is no state machine.

#include "libomp.h"

namespace {
constexpr int32_t kRunsUserCode = -1;
}

DEVICE_RTL int32_t __kmpc_target_init(void *, void *) { return kRunsUserCode; }
DEVICE_RTL void __kmpc_target_deinit() {}

// The plugin looks for this variable in an image (plugins/host/teams.h).
extern "C" {
__attribute__((visibility("default"))) extern const int32_t __omptarget_kernel_per_team = 1;
}
