// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of a device image that plugins of LLVM do not make: it is whole, the parameters of its kernels, and the length
// of its own table of entries.
#pragma once

#include <set>
#include <string_view>

#include "base/status.h"
#include "omptarget/plugin.h"

namespace omptarget {

/// Fails if an ELF image is cut short: the dynamic linker, which those plugins give images for CPUs to, would crash.
/// Images that are no 64-bit ELF files are not looked at.
Status check_image_is_whole(const __tgt_device_image &image);

/// The compiler of the image, if the image names it and its kernels have no implicit leading parameter: "a clang
/// before 18", "clang 23 or later". Null otherwise.
const char *maker_without_leading_parameter(const __tgt_device_image &image);

/// Returns whether it is an ELF image that this CPU can run.
bool is_for_this_machine(const __tgt_device_image &image);

/// The names of the dynamic symbols that an image for this CPU defines, which are those that dlsym finds; none for
/// other images and for damaged ones. They point into the image.
std::set<std::string_view> dynamic_symbols(const __tgt_device_image &image);

/// How many records an ELF image's own table of entries has, in the form of clang 14 to 19; 0 if it has no such table.
size_t own_entry_count(const __tgt_device_image &image);

} // namespace omptarget
