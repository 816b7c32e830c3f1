// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The AMDGPU plugin and the stand-in of libhsa-runtime64.so.1.
#pragma once

#include "emulator/hsa/stand_in_hsa.h"

#define STAND_IN_LIBRARY "libhsa-runtime64.so.1"
#define STAND_IN_SYMBOL(name) sim_hsa_##name
#include "stand_in.h"

namespace emulator_test {

// The second failure is a lack of resources.
inline constexpr UnderTest kUnderTest = {"kernels_90a.hsaco",
                                         "kernels_1100.hsaco",
                                         "kernels_libc.hsaco",
                                         "kernels_many.hsaco",
                                         4,
                                         10,
                                         "hsa_amd_memory_pool_allocate",
                                         "hsa_executable_get_symbol_by_name",
                                         "hsa_amd_signal_create",
                                         "hsa_amd_memory_pool_allocate:1:0x1008",
                                         "hsa_amd_memory_pool_allocate:+:0x1008",
                                         "hsa_amd_memory_pool_allocate: HSA_STATUS_ERROR_OUT_OF_RESOURCES (0x1008)",
                                         10000,
                                         {"0x1000", "0x1008"},
                                         "SIM_HSA_FAIL"};

/// Failures that only cost something, or that nobody could be told of.
inline bool may_go_unnoticed(const std::string &name) {
  for (const char *harmless :
       {"hsa_amd_pointer_info", "hsa_amd_memory_lock", "hsa_agent_get_info", "hsa_system_get_info",
        "hsa_amd_agent_memory_pool_get_info", "hsa_amd_register_system_event_handler", "hsa_status_string",
        // tried again after kept memory was given back
        "hsa_amd_memory_pool_allocate", "hsa_amd_agents_allow_access"})
    if (name == harmless)
      return true;
  return false;
}
/// Returns whether anything is left that this call should have taken down.
inline bool leaves_something(const std::string &name) {
  return name.ends_with("_destroy") || name.ends_with("_free") || name.ends_with("_unlock");
}

} // namespace emulator_test
