// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which offsets a module's compiler gives in descriptors of sections that are not contiguous, where these leave it
// open: elements of one byte (mapping/non_contiguous.h).
#pragma once

#include "base/status.h"

namespace omptarget {

/// Returns whether the module with this code gives offsets in bytes. The compilers of its images tell it, or else the
/// libomptarget that the module needs, or else who signed the module's file. Fails if none of these tells it. Any
/// thread; reads images and perhaps the file at the first call for a module.
Result<bool> has_byte_offsets(const void *code);

} // namespace omptarget
