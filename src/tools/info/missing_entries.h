// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the entries of a module with what one of its images defines, as plugins look for it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tools/info/module_file.h"

namespace omptarget::info_tool {

/// The kernels, variables, constructors and destructors that the image should define and does not. Empty for images
/// whose symbols cannot be read: a damaged table, or no ELF file.
std::vector<FileEntry> missing_entries(std::span<const std::byte> image, const std::vector<FileEntry> &entries);

} // namespace omptarget::info_tool
