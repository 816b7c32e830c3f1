// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The AMDGPU plugin and the stand-in of libhsa-runtime64.so.1: what the tests of all plugins need to know of them.
#pragma once

#include "sim_hsa.h"

#define SIM_LIBRARY "libhsa-runtime64.so.1"
#define SIM_SYMBOL(name) sim_hsa_##name
#include "stand_in.h"

namespace sim_test {

using Sim = StandIn;

/// The images for devices 0 and 1.
inline constexpr const char *kImage = "kernels_90a.hsaco";
inline constexpr const char *kOtherImage = "kernels_1100.hsaco";
inline constexpr int32_t kDevices = 4;
inline constexpr size_t kTold = 10; ///< numbers that a tell_... kernel writes

/// A call that gives memory, and one that makes what a queue is made of.
inline constexpr const char *kAllocate = "hsa_amd_memory_pool_allocate";
inline constexpr const char *kMakeQueue = "hsa_amd_signal_create";
/// "No memory" once, for ever, and how that is told.
inline constexpr const char *kNoMemoryOnce = "hsa_amd_memory_pool_allocate:1:0x1008";
inline constexpr const char *kNoMemory = "hsa_amd_memory_pool_allocate:+:0x1008";
inline constexpr const char *kNoMemoryText = "hsa_amd_memory_pool_allocate: HSA_STATUS_ERROR_OUT_OF_RESOURCES (0x1008)";

// ---- Faults

/// A function that is found by its name.
inline constexpr char kFunction[] = "twice";
/// Dynamic shared memory of a launch.
inline constexpr uint32_t kMuchSharedMemory = 10000;
/// A failure as such, and one that means a lack of resources.
inline constexpr const char *kFailures[] = {"0x1000", "0x1008"};
inline constexpr const char *kFailVariable = "SIM_HSA_FAIL";

/// Failures that only cost something, or that nobody could be told of.
inline bool may_go_unnoticed(const std::string &name) {
  for (const char *harmless : {"hsa_amd_pointer_info", "hsa_amd_memory_lock", "hsa_agent_get_info", "hsa_system_get_info",
                               "hsa_amd_agent_memory_pool_get_info", "hsa_amd_register_system_event_handler",
                               "hsa_status_string",
                               // tried again after kept memory was given back
                               "hsa_amd_memory_pool_allocate", "hsa_amd_agents_allow_access"})
    if (name == harmless)
      return true;
  return false;
}
/// Whether what this call should have taken down is still there.
inline bool leaves_something(const std::string &name) {
  return name.ends_with("_destroy") || name.ends_with("_free") || name.ends_with("_unlock");
}

} // namespace sim_test
