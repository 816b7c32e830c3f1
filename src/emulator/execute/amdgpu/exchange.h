// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic operations that compilers make of a load and a loop with a compare-and-swap.
#pragma once

#include <cstdint>

namespace emulator::executor::amdgpu {

class AmdWave;
class CodeSpace;
struct Instruction;

/// Returns whether the load at the address begins such a loop: a compare-and-swap behind it expects the loaded value.
/// If it expects parts of the value, it must be at the load's address. The wave is about to carry the load out.
bool find_exchange_behind(CodeSpace &code, const Instruction &load, uint64_t address, AmdWave &wave);

} // namespace emulator::executor::amdgpu
