// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stack of functions as ptxas lays it out and nvlink adds it up. Frames of what the executor runs are larger, as it
// passes all parameters in memory; what a program may need is counted by these.
#pragma once

#include "module.h"

namespace emulator::executor::ptx {

/// Fills frame_bytes: variables, room for arguments of calls, registers that the function saves.
void find_frame(Function &function);

/// The sizes of the parameters and of the results of a call are those of the function.
bool can_call(const Call &call, const Function &function);

/// The functions that one may call. Calls through pointers may reach those with_address that have parameters of the
/// same sizes. Callees of calls by name must be known.
std::vector<Function *> callees(const Function &function, const std::vector<Function *> &with_address);

/// Fills stack_need and is_undetermined of all functions.
void find_stack_needs(const std::vector<Function *> &functions, const std::vector<Function *> &with_address);

} // namespace emulator::executor::ptx
