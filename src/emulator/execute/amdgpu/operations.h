// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables of instructions, one for each file that carries some out. A row may have several names: processors differ
// in the name of one and the same instruction.
#pragma once

#include <span>

#include "instruction.h"
#include "wave.h"

namespace emulator::executor::amdgpu {

std::span<const Operation> scalar_operations();
std::span<const Operation> control_operations();
std::span<const Operation> integer_operations();
std::span<const Operation> float_operations();
std::span<const Operation> half_operations();
std::span<const Operation> compare_operations();
std::span<const Operation> lane_operations();
std::span<const Operation> memory_operations();
std::span<const Operation> shared_operations();

} // namespace emulator::executor::amdgpu
