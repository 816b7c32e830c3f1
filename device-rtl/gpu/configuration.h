// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Configuration of a device by the plugin, and of a kernel by the compiler (abi: device images, sections 1 and 2).
#pragma once

#include "state.h"

/// Written by the plugin, as much of it as it has.
struct DeviceEnvironment {
  uint32_t debug_kind, device_count, device_number, dynamic_memory_size;
#if OMPTARGET_RTL_GENERATION >= 19
  uint64_t ticks_per_second;
  void *functions;
  uint64_t function_count;
  uint64_t hardware_parallelism;
#endif
};
RTL_PLUGIN_VARIABLE __attribute__((address_space(4))) DeviceEnvironment __omp_rtl_device_environment = {};

/// OMP_SCHEDULE of the device. Written by the plugin, if it is set.
struct DeviceSchedule {
  uint32_t kind, chunk; ///< omp_sched_t, 0: static; 0: the schedule's own
};
RTL_PLUGIN_VARIABLE __attribute__((address_space(4))) DeviceSchedule __omptarget_device_schedule = {};

// Options of the compiler's command line. The compiler defines them as constants.
extern "C" {
__attribute__((weak, visibility("hidden"))) extern const uint32_t __omp_rtl_debug_kind = 0;
__attribute__((weak, visibility("hidden"))) extern const uint32_t __omp_rtl_assume_no_nested_parallelism = 0;
__attribute__((weak, visibility("hidden"))) extern const uint32_t __omp_rtl_assume_no_thread_state = 0;
}

namespace omptarget::device_rtl::gpu {

#if OMPTARGET_RTL_GENERATION >= 19
/// The begin of a kernel's constants; the rest of them is for plugins.
struct KernelEnvironment {
  uint8_t use_generic_state_machine, may_use_nested_parallelism, mode;
};
#endif
/// The memory of a launch for reductions over teams and for group memory.
#if OMPTARGET_RTL_GENERATION >= 23
struct LaunchEnvironment {
  void *reduction_buffer;
  void *group_memory; ///< in global memory, where shared memory did not suffice: a part for each block
  uint32_t teams_done;
  uint32_t group_memory_size; ///< of each block
  uint8_t group_memory_fallback;
};
#else
struct LaunchEnvironment {
  uint32_t teams_done;
  uint32_t unused;
  void *reduction_buffer;
};
#endif

inline constexpr uint32_t kModeWasGeneric = 1, kModeIsSpmd = 2; ///< bits of the kernel's mode

/// Every thread writes it, the same, before it reads.
using LaunchPointer = LaunchEnvironment *;
SHARED_VARIABLE LaunchPointer kernel_launch;
INLINE LaunchEnvironment *launch_environment() { return kernel_launch; }

} // namespace omptarget::device_rtl::gpu
