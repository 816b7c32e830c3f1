// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The policy of OMP_TARGET_OFFLOAD that the tests' libomp returns.
#pragma once

namespace omptarget {
extern int target_offload_policy; ///< 0 disabled, 1 default, 2 mandatory; read at the first need of a device
}
