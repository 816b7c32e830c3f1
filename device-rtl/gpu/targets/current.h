// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The target that is compiled for. Another GPU is one more file beside these.
#pragma once

#if defined(__NVPTX__)
#include "nvptx.h"
#elif defined(__AMDGCN__)
#include "amdgcn.h"
#else
#error "the device RTL for GPUs has no layer for this target (device-rtl/gpu/targets)"
#endif
