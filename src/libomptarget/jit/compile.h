// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From an image of LLVM bitcode to one that a plugin takes: from the cache, or by omptarget-jit.
#pragma once

#include <span>
#include <string>

#include "base/status.h"
#include "image/image_copy.h"
#include "jit/launch_case.h"

namespace omptarget::jit {

/// Compiles the image in its place, for a device of that architecture. libomp: the file of the host's OpenMP runtime,
/// which an image for the CPU calls, or empty. variants: what kernels are compiled for besides; the record has an entry
/// for each, behind those of the image, in this order. Takes some 50 ms and more, unless the cache has it. Any thread.
Status compile(ImageCopy &image, const std::string &device_arch, const std::string &libomp,
               std::span<const LaunchCase> variants);

} // namespace omptarget::jit
