// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The AMDGPU plugin and the stand-in of libhsa-runtime64.so.1 as a test sees them.
#pragma once

#include "plugin_under_test.h"
#include "sim_hsa.h"

namespace sim_test {

/// The stand-in.
struct Sim {
  void *library = open_library("libhsa-runtime64.so.1");
#define SIM_FUNCTION(name)                                                                                             \
  decltype(&sim_hsa_##name) name = reinterpret_cast<decltype(&sim_hsa_##name)>(symbol(library, "sim_hsa_" #name));
  SIM_FUNCTION(fail)
  SIM_FUNCTION(calls)
  SIM_FUNCTION(failed)
  SIM_FUNCTION(failed_name)
  SIM_FUNCTION(count)
  SIM_FUNCTION(violations)
  SIM_FUNCTION(forget_violations)
  SIM_FUNCTION(live_objects)
  SIM_FUNCTION(hold)
#undef SIM_FUNCTION
};

} // namespace sim_test
