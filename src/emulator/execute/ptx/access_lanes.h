// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores of the active lanes, one lane after the other. The interpreter uses them. So does compiled code
// where its own checks do not let an access pass.
#pragma once

#include "warp.h"

namespace emulator::executor::ptx {

/// addresses: a row, with the instruction's offset. results, values: a row for each element.
void load_lanes(Warp &warp, const Instruction &instruction, const uint64_t *addresses, uint64_t *const *results);
void store_lanes(Warp &warp, const Instruction &instruction, const uint64_t *addresses, const uint64_t *const *values);

} // namespace emulator::executor::ptx
