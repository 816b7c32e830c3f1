// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel's fault ends its queue, and its signal never completes: the driver tells of it by an event of the system
// or of the queue. This file puts them into words.
#pragma once

#include <string>

#include "amdgpu/hsa_api.h"

namespace omptarget::amdgpu {

/// "memory fault at address 0x...: page not present, ...".
std::string describe_memory_fault(const hsa_amd_gpu_memory_fault_info_t &fault);

} // namespace omptarget::amdgpu
