// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a kernel has its shared variables, as NVIDIA's linker places them: those that the kernel reaches, in the order
// of the text, each aligned as it says, and then the extern ones, which all begin where the launch's dynamic part does.
#pragma once

#include "module.h"

namespace emulator::executor::ptx {

/// Fills shared_bytes, dynamic_at and shared_at of a kernel.
void lay_out_shared(Function &kernel, const std::vector<Variable *> &variables, const std::vector<SharedUse> &uses,
                    const std::vector<Function *> &with_address);

} // namespace emulator::executor::ptx
