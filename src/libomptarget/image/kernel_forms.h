// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which parameters a kernel has, found once when its image is loaded. Programs announce it by the version of the
// argument block, which says it alone for some generations only; what the image says must agree.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/status.h"
#include "image/image_signs.h"

namespace omptarget {

/// Which argument block a launch passed.
enum class BlockForm : uint8_t { kNone, kVersion1, kVersion2, kVersion3, kVersion5 };
inline constexpr size_t kBlockForms = 5;

/// The version that the block has; 0 for none.
uint32_t block_version(BlockForm form);

/// The form of parameters that a kernel wants, by BlockForm. kRefused: explain_refusal says why.
using ParameterForms = std::array<ParameterForm, kBlockForms>;

ParameterForms parameter_forms(const ImageSigns &signs, const std::string &kernel);

/// Why launches of the kernel with such blocks are refused, and what to do.
std::string explain_refusal(const ImageSigns &signs, const std::string &kernel, BlockForm block);

} // namespace omptarget
