// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that device code calls: docs/use/host-services.md.

#include "omptarget/compiler.h"
#include "plugin/host_functions.h"

using namespace omptarget;

extern "C" {
OMPTARGET_API void omptarget_register_host_function(uint32_t number, omptarget_host_function function) {
  register_host_function(number, function);
}

/// For regions that the host runs, and for devices that are this CPU.
OMPTARGET_API uint64_t omptarget_call_host(uint32_t number, void *data, uint64_t size) {
  const omptarget_host_function function = find_host_function(number);
  return function ? function(data, size) : ~uint64_t{0};
}
}
