// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files of a program that brought a device RTL of their own into a cubin. nvlink links them without a word; the
// functions of one then know nothing of a kernel of another.
#pragma once

#include "common/elf_image.h"

namespace omptarget::cuda {

/// Fails if omptarget's device RTL is in the cubin beside LLVM's, or more than once, as far as symbols tell it.
/// Images that have LLVM's only are left alone.
Status check_device_rtls(const ElfImage &cubin);

} // namespace omptarget::cuda
