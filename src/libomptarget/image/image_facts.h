// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts in the bytes of a device image, for messages and for choosing among several images.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace omptarget {

enum class ImageKind : uint8_t { kUnknown, kElf, kBitcode, kPtx, kFatBinary, kIntel };

struct ImageFacts {
  ImageKind kind = ImageKind::kUnknown;
  uint16_t machine = 0;     ///< e_machine of an ELF image, or of what bitcode is to be compiled to; 0 if not known
  std::string architecture; ///< "x86_64", "sm_90", "gfx90a:xnack+", "ELF machine 8", "bitcode", "PTX", "unknown"
};

/// Reads headers only; any bytes will do.
ImageFacts image_facts(std::span<const std::byte> bytes);

/// Describes the image for messages: its architecture, with the kind if that is not machine code.
std::string description_of(const ImageFacts &facts);

} // namespace omptarget
