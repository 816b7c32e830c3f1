// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA plugin and the stand-in of libcuda.so.1 as a test sees them.
#pragma once

#include "plugin_under_test.h"
#include "sim_cuda.h"

namespace sim_test {

/// The stand-in.
struct Sim {
  void *library = open_library("libcuda.so.1");
#define SIM_FUNCTION(name)                                                                                             \
  decltype(&sim_cuda_##name) name = reinterpret_cast<decltype(&sim_cuda_##name)>(symbol(library, "sim_cuda_" #name));
  SIM_FUNCTION(fail)
  SIM_FUNCTION(calls)
  SIM_FUNCTION(failed)
  SIM_FUNCTION(failed_name)
  SIM_FUNCTION(count)
  SIM_FUNCTION(record)
  SIM_FUNCTION(violations)
  SIM_FUNCTION(forget_violations)
  SIM_FUNCTION(live_objects)
  SIM_FUNCTION(leaked_objects)
  SIM_FUNCTION(hold)
#undef SIM_FUNCTION
};

} // namespace sim_test
