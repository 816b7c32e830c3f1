// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The target of LLVM bitcode. Reads the few records that tell it, without LLVM's reader: a program must not crash by
// damaged bitcode, which that reader does not promise.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace omptarget {

struct BitcodeFacts {
  std::string triple;    ///< "nvptx64-nvidia-cuda"; empty if the bitcode does not tell
  std::string processor; ///< that of its functions: "sm_80"; the newest if they differ; empty if they name none
  std::string features;  ///< of that processor's functions, as the compiler wrote them: "+ptx85,+sm_80"
};

/// Reads as far as the bitcode makes sense; any bytes will do.
BitcodeFacts read_bitcode(std::span<const std::byte> bytes);

} // namespace omptarget
