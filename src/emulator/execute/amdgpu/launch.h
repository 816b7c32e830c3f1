// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch on an AMD GPU: what a dispatch packet and a kernel descriptor say becomes the registers that waves begin
// with.
#pragma once

#include <optional>
#include <string>

#include "../grid.h"
#include "code_object.h"

namespace emulator::executor::amdgpu {

/// The launch in a packet.
struct Dispatch {
  Extent grid{1, 1, 1};                          ///< work-items
  Extent threads{1, 1, 1};                       ///< a block's
  uint32_t group_size = 0, private_size = 0;     ///< bytes
  uint64_t arguments = 0, packet = 0, queue = 0; ///< addresses
  std::string kernel;
};

/// Carries a launch out to its end. Nothing, or what went wrong.
std::optional<Report> launch(CodeObject &object, CodeSpace &code, DeviceMemory &memory, const Dispatch &dispatch,
                             const Schedule &schedule);

} // namespace emulator::executor::amdgpu
