// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry table that an image for this machine has itself. It names what has no dynamic symbol, as functions that the
// compiler made hidden.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "image/entry.h"

namespace omptarget {

/// Returns the entries that lie in the loaded image, with the addresses that the dynamic linker gave them. inside: an
/// address in the loaded image. The names are valid as long as it is loaded. Returns nothing if the module around the
/// address is not this image, or if the image has no table or a damaged one. Any thread.
std::vector<Entry> own_entries(std::span<const std::byte> image, const void *inside);

} // namespace omptarget
