// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of ROCr's interface (HSA with AMD's extensions) that is used, declared anew so that nothing of ROCm is
// needed to build. Names, numbers and layouts are the interface's own; a test compares them with hsa.h and
// hsa_ext_amd.h where these exist.
#pragma once

#include <cstddef>
#include <cstdint>

namespace omptarget::amdgpu {

using hsa_status_t = int;
using hsa_signal_value_t = int64_t;

#define OMPTARGET_HSA_HANDLES(X)                                                                                       \
  X(hsa_agent_t)                                                                                                       \
  X(hsa_signal_t)                                                                                                      \
  X(hsa_isa_t)                                                                                                         \
  X(hsa_executable_t)                                                                                                  \
  X(hsa_executable_symbol_t)                                                                                           \
  X(hsa_code_object_reader_t)                                                                                          \
  X(hsa_amd_memory_pool_t)

#define OMPTARGET_HSA_HANDLE(name)                                                                                     \
  struct name {                                                                                                        \
    uint64_t handle;                                                                                                   \
  };
OMPTARGET_HSA_HANDLES(OMPTARGET_HSA_HANDLE)
#undef OMPTARGET_HSA_HANDLE

struct hsa_queue_t {
  uint32_t type;
  uint32_t features;
  void *base_address;
  hsa_signal_t doorbell_signal;
  uint32_t size; ///< packets, a power of two
  uint32_t reserved1;
  uint64_t id;
};

struct hsa_kernel_dispatch_packet_t {
  uint16_t header;
  uint16_t setup;
  uint16_t workgroup_size_x, workgroup_size_y, workgroup_size_z;
  uint16_t reserved0;
  uint32_t grid_size_x, grid_size_y, grid_size_z; ///< work-items
  uint32_t private_segment_size;
  uint32_t group_segment_size;
  uint64_t kernel_object;
  void *kernarg_address;
  uint64_t reserved2;
  hsa_signal_t completion_signal;
};

struct hsa_barrier_and_packet_t {
  uint16_t header;
  uint16_t reserved0;
  uint32_t reserved1;
  hsa_signal_t dep_signal[5];
  uint64_t reserved2;
  hsa_signal_t completion_signal;
};
static_assert(sizeof(hsa_kernel_dispatch_packet_t) == 64 && sizeof(hsa_barrier_and_packet_t) == 64);

/// Up to agentOwner, which every release of ROCr has.
struct hsa_amd_pointer_info_t {
  uint32_t size; ///< bytes of this record; set by the caller
  int type;
  void *agentBaseAddress;
  void *hostBaseAddress;
  size_t sizeInBytes;
  void *userData;
  hsa_agent_t agentOwner;
  uint32_t global_flags;
};

struct hsa_amd_gpu_memory_fault_info_t {
  hsa_agent_t agent;
  uint64_t virtual_address;
  uint32_t fault_reason_mask;
};

struct hsa_amd_event_t {
  int event_type;
  union {
    hsa_amd_gpu_memory_fault_info_t memory_fault;
  };
};

/// hsa_amd_profiling_dispatch_time_t and hsa_amd_profiling_async_copy_time_t: ticks of the system's timestamps.
struct hsa_amd_profiling_time_t {
  uint64_t start;
  uint64_t end;
};

using AgentCallback = hsa_status_t (*)(hsa_agent_t, void *);
using IsaCallback = hsa_status_t (*)(hsa_isa_t, void *);
using PoolCallback = hsa_status_t (*)(hsa_amd_memory_pool_t, void *);
using QueueCallback = void (*)(hsa_status_t, hsa_queue_t *, void *);
using EventCallback = hsa_status_t (*)(const hsa_amd_event_t *, void *);

/// name, value: compared with hsa.h and hsa_ext_amd.h as HSA_<name>.
#define OMPTARGET_HSA_CONSTANTS(X)                                                                                     \
  X(SYSTEM_INFO_VERSION_MAJOR, 0)                                                                                      \
  X(SYSTEM_INFO_VERSION_MINOR, 1)                                                                                      \
  X(SYSTEM_INFO_TIMESTAMP, 2)                                                                                          \
  X(SYSTEM_INFO_TIMESTAMP_FREQUENCY, 3)                                                                                \
  X(AMD_SYSTEM_INFO_SVM_ACCESSIBLE_BY_DEFAULT, 0x202)                                                                  \
  X(DEVICE_TYPE_CPU, 0)                                                                                                \
  X(DEVICE_TYPE_GPU, 1)                                                                                                \
  X(AGENT_INFO_NAME, 0)                                                                                                \
  X(AGENT_INFO_FEATURE, 2)                                                                                             \
  X(AGENT_FEATURE_KERNEL_DISPATCH, 1)                                                                                  \
  X(AGENT_INFO_WAVEFRONT_SIZE, 6)                                                                                      \
  X(AGENT_INFO_WORKGROUP_MAX_SIZE, 8)                                                                                  \
  X(AGENT_INFO_GRID_MAX_SIZE, 10)                                                                                      \
  X(AGENT_INFO_QUEUES_MAX, 12)                                                                                         \
  X(AGENT_INFO_QUEUE_MIN_SIZE, 13)                                                                                     \
  X(AGENT_INFO_QUEUE_MAX_SIZE, 14)                                                                                     \
  X(AGENT_INFO_DEVICE, 17)                                                                                             \
  X(AMD_AGENT_INFO_CHIP_ID, 0xA000)                                                                                    \
  X(AMD_AGENT_INFO_COMPUTE_UNIT_COUNT, 0xA002)                                                                         \
  X(AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY, 0xA003)                                                                        \
  X(AMD_AGENT_INFO_DRIVER_NODE_ID, 0xA004)                                                                             \
  X(AMD_AGENT_INFO_BDFID, 0xA006)                                                                                      \
  X(AMD_AGENT_INFO_PRODUCT_NAME, 0xA009)                                                                               \
  X(AMD_AGENT_INFO_MAX_WAVES_PER_CU, 0xA00A)                                                                           \
  X(AMD_AGENT_INFO_DOMAIN, 0xA00F)                                                                                     \
  X(AMD_AGENT_INFO_UUID, 0xA011)                                                                                       \
  X(ISA_INFO_NAME_LENGTH, 0)                                                                                           \
  X(ISA_INFO_NAME, 1)                                                                                                  \
  X(PROFILE_FULL, 1)                                                                                                   \
  X(DEFAULT_FLOAT_ROUNDING_MODE_ZERO, 1)                                                                               \
  X(QUEUE_TYPE_MULTI, 0)                                                                                               \
  X(PACKET_TYPE_INVALID, 1)                                                                                            \
  X(PACKET_TYPE_KERNEL_DISPATCH, 2)                                                                                    \
  X(PACKET_TYPE_BARRIER_AND, 3)                                                                                        \
  X(PACKET_HEADER_TYPE, 0)                                                                                             \
  X(PACKET_HEADER_BARRIER, 8)                                                                                          \
  X(PACKET_HEADER_SCACQUIRE_FENCE_SCOPE, 9)                                                                            \
  X(PACKET_HEADER_SCRELEASE_FENCE_SCOPE, 11)                                                                           \
  X(FENCE_SCOPE_NONE, 0)                                                                                               \
  X(FENCE_SCOPE_AGENT, 1)                                                                                              \
  X(FENCE_SCOPE_SYSTEM, 2)                                                                                             \
  X(SIGNAL_CONDITION_LT, 2)                                                                                            \
  X(WAIT_STATE_BLOCKED, 0)                                                                                             \
  X(WAIT_STATE_ACTIVE, 1)                                                                                              \
  X(EXECUTABLE_SYMBOL_INFO_TYPE, 0)                                                                                    \
  X(EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS, 21)                                                                       \
  X(EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE, 9)                                                                           \
  X(EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, 22)                                                                          \
  X(EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE, 11)                                                            \
  X(EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE, 13)                                                              \
  X(EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE, 14)                                                            \
  X(SYMBOL_KIND_VARIABLE, 0)                                                                                           \
  X(SYMBOL_KIND_KERNEL, 1)                                                                                             \
  X(AMD_SEGMENT_GLOBAL, 0)                                                                                             \
  X(AMD_SEGMENT_GROUP, 3)                                                                                              \
  X(AMD_MEMORY_POOL_INFO_SEGMENT, 0)                                                                                   \
  X(AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, 1)                                                                              \
  X(AMD_MEMORY_POOL_INFO_SIZE, 2)                                                                                      \
  X(AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED, 5)                                                                     \
  X(AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT, 1)                                                                       \
  X(AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED, 2)                                                                       \
  X(AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED, 4)                                                                     \
  X(AMD_AGENT_MEMORY_POOL_INFO_ACCESS, 0)                                                                              \
  X(AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED, 0)                                                                           \
  X(AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT, 1)                                                                      \
  X(EXT_POINTER_TYPE_UNKNOWN, 0)                                                                                       \
  X(EXT_POINTER_TYPE_HSA, 1)                                                                                           \
  X(EXT_POINTER_TYPE_LOCKED, 2)                                                                                        \
  X(AMD_GPU_MEMORY_FAULT_EVENT, 0)                                                                                     \
  X(AMD_MEMORY_FAULT_PAGE_NOT_PRESENT, 1)                                                                              \
  X(AMD_MEMORY_FAULT_READ_ONLY, 2)                                                                                     \
  X(AMD_MEMORY_FAULT_NX, 4)                                                                                            \
  X(AMD_MEMORY_FAULT_HOST_ONLY, 8)                                                                                     \
  X(AMD_MEMORY_FAULT_DRAMECC, 16)                                                                                      \
  X(AMD_MEMORY_FAULT_IMPRECISE, 32)                                                                                    \
  X(AMD_MEMORY_FAULT_SRAMECC, 64)

/// name, value: compared as HSA_STATUS_<name>.
#define OMPTARGET_HSA_STATUSES(X)                                                                                      \
  X(SUCCESS, 0)                                                                                                        \
  X(INFO_BREAK, 1)                                                                                                     \
  X(ERROR, 0x1000)                                                                                                     \
  X(ERROR_INVALID_ARGUMENT, 0x1001)                                                                                    \
  X(ERROR_INVALID_QUEUE_CREATION, 0x1002)                                                                              \
  X(ERROR_INVALID_ALLOCATION, 0x1003)                                                                                  \
  X(ERROR_INVALID_AGENT, 0x1004)                                                                                       \
  X(ERROR_INVALID_SIGNAL, 0x1006)                                                                                      \
  X(ERROR_INVALID_QUEUE, 0x1007)                                                                                       \
  X(ERROR_OUT_OF_RESOURCES, 0x1008)                                                                                    \
  X(ERROR_INVALID_PACKET_FORMAT, 0x1009)                                                                               \
  X(ERROR_NOT_INITIALIZED, 0x100B)                                                                                     \
  X(ERROR_INCOMPATIBLE_ARGUMENTS, 0x100D)                                                                              \
  X(ERROR_INVALID_ISA, 0x100F)                                                                                         \
  X(ERROR_INVALID_CODE_OBJECT, 0x1010)                                                                                 \
  X(ERROR_INVALID_EXECUTABLE, 0x1011)                                                                                  \
  X(ERROR_FROZEN_EXECUTABLE, 0x1012)                                                                                   \
  X(ERROR_INVALID_SYMBOL_NAME, 0x1013)                                                                                 \
  X(ERROR_EXCEPTION, 0x1016)                                                                                           \
  X(ERROR_INVALID_EXECUTABLE_SYMBOL, 0x1019)                                                                           \
  X(ERROR_INVALID_CODE_OBJECT_READER, 0x1021)                                                                          \
  X(ERROR_INVALID_MEMORY_POOL, 40)                                                                                     \
  X(ERROR_MEMORY_APERTURE_VIOLATION, 41)                                                                               \
  X(ERROR_ILLEGAL_INSTRUCTION, 42)                                                                                     \
  X(ERROR_MEMORY_FAULT, 43)

enum : int {
#define OMPTARGET_HSA_ENUMERATOR(name, value) HSA_##name = (value),
  OMPTARGET_HSA_CONSTANTS(OMPTARGET_HSA_ENUMERATOR)
#undef OMPTARGET_HSA_ENUMERATOR
#define OMPTARGET_HSA_ENUMERATOR(name, value) HSA_STATUS_##name = (value),
      OMPTARGET_HSA_STATUSES(OMPTARGET_HSA_ENUMERATOR)
#undef OMPTARGET_HSA_ENUMERATOR
};

// Newer than the headers that Debian has; a driver that does not know them says so.
inline constexpr int kAgentInfoMemoryAvailable = 0xA015;  ///< HSA_AMD_AGENT_INFO_MEMORY_AVAIL, since ROCm 5.3
inline constexpr int kAgentInfoNearestCpu = 0xA113;       ///< HSA_AMD_AGENT_INFO_NEAREST_CPU: an agent; since ROCm 6
inline constexpr int kAgentInfoMemoryProperties = 0xA114; ///< HSA_AMD_AGENT_INFO_MEMORY_PROPERTIES: 8 bytes of bits
inline constexpr uint32_t kChipMi300A = 0x74A0;
inline constexpr uint8_t kMemoryPropertyIsApu = 1; ///< HSA_AMD_MEMORY_PROPERTY_AGENT_IS_APU, bit 0
inline constexpr int kSdmaEngine0 = 1;             ///< HSA_AMD_SDMA_ENGINE_0
inline constexpr int kSdmaEngine1 = 2;             ///< HSA_AMD_SDMA_ENGINE_1

inline constexpr hsa_signal_t kNoSignal{0};

} // namespace omptarget::amdgpu
