// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From an image of LLVM bitcode to one that a plugin takes: from the cache, or by omptarget-jit.
#pragma once

#include <string>

#include "base/status.h"
#include "image/image_copy.h"

namespace omptarget::jit {

/// Compiles the image in its place, for a device of that architecture. libomp: the file of the host's OpenMP runtime,
/// which an image for the CPU calls, or empty. Takes some 50 ms and more, unless the cache has it. Any thread.
Status compile(ImageCopy &image, const std::string &device_arch, const std::string &libomp);

} // namespace omptarget::jit
