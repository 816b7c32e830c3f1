// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts of what a plugin writes into the globals of a device image and reads from them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "generations/generations.h"

namespace omptarget {

/// `omptarget_device_environment` (clang 14, 15) and `__omp_rtl_device_environment` (16: the first 16 bytes; later:
/// all). The size of the symbol tells how much of it the image knows.
struct DeviceEnvironment {
  uint32_t debug_kind;
  uint32_t num_devices;
  uint32_t device_number;
  uint32_t dynamic_memory_size;      ///< bytes of dynamic shared memory per team
  uint64_t clock_frequency;          ///< ticks per second
  uint64_t indirect_call_table;      ///< device address of sorted pairs
  uint64_t indirect_call_table_size; ///< pairs
  uint64_t hardware_parallelism;
};
static_assert(sizeof(DeviceEnvironment) == 48 && offsetof(DeviceEnvironment, indirect_call_table) == 24 &&
              offsetof(DeviceEnvironment, indirect_call_table_size) == 32);
inline constexpr size_t kSmallDeviceEnvironment = 16;
inline constexpr std::array kDeviceEnvironmentNames = {"__omp_rtl_device_environment", "omptarget_device_environment"};

/// `__omptarget_device_schedule` of our own device RTL: OMP_SCHEDULE of the device.
struct DeviceSchedule {
  uint32_t kind;
  uint32_t chunk;
};
inline constexpr const char *kDeviceScheduleName = "__omptarget_device_schedule";

/// The implicit leading parameter of kernels of clang 18 to 22 points to this, or is all ones.
struct LaunchEnvironment {
  uint32_t reduction_count;
  uint32_t reduction_iteration_count;
  uint64_t reduction_buffer;
};
static_assert(sizeof(LaunchEnvironment) == generation_of(22)->launch_environment);

/// Fallback for a team whose dynamic group-private memory is unavailable.
enum class GroupMemoryFallback : uint8_t { kNone, kNull, kGlobalMemory };

/// The implicit trailing parameter of kernels of clang 23 points to this, or is all ones.
struct TrailingEnvironment {
  uint64_t reduction_buffer;    ///< null if the kernel has no reduction over teams
  uint64_t group_memory;        ///< global memory instead of shared memory; block b uses what begins at its size * b
  uint32_t teams_done;          ///< counts up to the number of teams, and is 0 again
  uint32_t group_memory_size;   ///< bytes per team that were granted
  GroupMemoryFallback fallback; ///< that was taken
  uint8_t padding[7];
};
static_assert(sizeof(TrailingEnvironment) == generation_of(23)->launch_environment &&
              offsetof(TrailingEnvironment, teams_done) == 16 && offsetof(TrailingEnvironment, fallback) == 24);
inline constexpr uint64_t kNoLaunchEnvironment = ~uint64_t{0};

/// `__omp_rtl_device_memory_pool` and its tracker, in images for AMD GPUs by clang 18 and 19. Their malloc adds to
/// `memory` and stops the kernel beyond the address of this record plus `size`; their free does nothing. So `size` is
/// the distance of the memory's end from the record.
struct DeviceMemoryPool {
  uint64_t memory;
  uint64_t size;
};
struct DeviceMemoryPoolTracker {
  uint64_t count;
  uint64_t total;
  uint64_t least;
  uint64_t most;
};
inline constexpr const char *kMemoryPoolName = "__omp_rtl_device_memory_pool";
inline constexpr const char *kMemoryPoolTrackerName = "__omp_rtl_device_memory_pool_tracker";

/// Counters of our own device RTL behind the memory of its pool, if the plugin has put the mark there.
struct DeviceHeapStatistics {
  uint64_t mark;
  DeviceMemoryPoolTracker counted;
};
inline constexpr uint64_t kDeviceHeapStatisticsMark = 0x7374617470616568;

/// The table of indirect functions, as the RFC has it.
inline constexpr const char *kFunctionMapName = "__omp_offloading_fptr_map_p";
inline constexpr const char *kFunctionMapSizeName = "__omp_offloading_fptr_map_size";

/// Bits of LIBOMPTARGET_DEVICE_RTL_DEBUG.
inline constexpr uint32_t kDebugAllocationTracker = 8, kDebugProfile = 16;

} // namespace omptarget
