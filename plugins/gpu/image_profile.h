// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The profile of an image whose code counts what it does (-fprofile-generate): where it is, and what becomes of it.
#pragma once

#include <cstdint>
#include <optional>

#include "base/status.h"
#include "common/elf_image.h"
#include "gpu/raw_profile.h"

namespace omptarget::gpu {

class Device;
class Image;

/// Where an image has the table that tells where its counters are, as LLVM 23 has it.
inline constexpr const char *kProfileSectionsName = "__llvm_profile_sections";

/// The bytes before and behind the table in which all of the image is.
struct ProfilePlace {
  uint64_t before;
  uint64_t behind;
};
/// Nothing if the image does not count.
std::optional<ProfilePlace> find_profile(const ElfImage &elf);

/// Writes what the image has counted to its file, and says so if it cannot. Inside of a Scope; nothing of the image
/// runs. prints: to stderr, too.
void save_profile(Device &device, const Image &image, const ProfilePlace &place, bool prints);

} // namespace omptarget::gpu
