// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that the program has registered for device code to call (docs/use/host-services.md).
#pragma once

#include <cstdint>

#include "omptarget/host_call.h"

namespace omptarget {

/// Any thread. A function of that number is replaced, by null removed.
void register_host_function(uint32_t number, omptarget_host_function function);
/// Null: there is none.
omptarget_host_function find_host_function(uint32_t number);

/// For plugins: __tgt_host_call of the plugin ABI.
int32_t call_host_function(uint32_t number, void *data, uint64_t size, uint64_t *result);

} // namespace omptarget
