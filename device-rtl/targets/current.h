// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The target layer of the device that is compiled for. A new device is one more file beside this one: how it loads a
// word and a pair of the table, which stays as it is while kernels run, and how a global that the plugin writes.
#pragma once

#if defined(OMPTARGET_INTERPRETED_DEVICE)
#include "interpreted.h"
#elif defined(__NVPTX__)
#include "nvptx.h"
#elif defined(__AMDGCN__)
#include "amdgcn.h"
#else
#include "host.h"
namespace omptarget::device_rtl {
using CurrentTarget = HostTarget;
} // namespace omptarget::device_rtl
#endif
