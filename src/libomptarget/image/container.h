// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The container that compilers 15 and later wrap device images in ("OffloadBinary", magic 10 FF 10 AD).
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/status.h"

namespace omptarget {

struct ContainedImage {
  std::span<const std::byte> bytes;
  std::string arch;   ///< "sm_80", "gfx90a:xnack+", or empty
  std::string triple; ///< "nvptx64-nvidia-cuda", or empty
};

/// Returns whether the bytes begin like a container.
bool is_container(std::span<const std::byte> bytes);

/// The image inside. Fails, naming the field, if anything in the headers is out of range or of an unknown version.
Result<ContainedImage> open_container(std::span<const std::byte> bytes);

} // namespace omptarget
