// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel's fault ends the driver's context: which results say so.
#pragma once

#include "cuda/cuda_api.h"

namespace omptarget::cuda {

/// Returns whether a result means that the context is lost, whatever call returns it.
bool ends_context(CUresult result);

} // namespace omptarget::cuda
