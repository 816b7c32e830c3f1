// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plugin's own declarations of AMD's runtime compared with the runtime's headers, at compile time.

#include <cstddef>
#include <type_traits>

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include "amdgpu/hsa_api.h"

namespace own = omptarget::amdgpu;

#define SAME_NUMBER(name, value) static_assert(static_cast<int>(::HSA_##name) == (value), #name);
OMPTARGET_HSA_CONSTANTS(SAME_NUMBER)
#define SAME_STATUS(name, value) static_assert(static_cast<int>(::HSA_STATUS_##name) == (value), #name);
OMPTARGET_HSA_STATUSES(SAME_STATUS)

#define SAME_HANDLE(name)                                                                                              \
  static_assert(sizeof(::name) == sizeof(own::name) && std::is_trivially_copyable_v<::name>, #name);
OMPTARGET_HSA_HANDLES(SAME_HANDLE)

#define SAME_SIZE(type) static_assert(sizeof(::type) == sizeof(own::type), #type);
#define SAME_PLACE(type, member) static_assert(offsetof(::type, member) == offsetof(own::type, member), #member);
SAME_SIZE(hsa_queue_t)
SAME_PLACE(hsa_queue_t, base_address)
SAME_PLACE(hsa_queue_t, doorbell_signal)
SAME_PLACE(hsa_queue_t, size)
SAME_PLACE(hsa_queue_t, id)
SAME_SIZE(hsa_kernel_dispatch_packet_t)
SAME_PLACE(hsa_kernel_dispatch_packet_t, setup)
SAME_PLACE(hsa_kernel_dispatch_packet_t, workgroup_size_x)
SAME_PLACE(hsa_kernel_dispatch_packet_t, grid_size_x)
SAME_PLACE(hsa_kernel_dispatch_packet_t, private_segment_size)
SAME_PLACE(hsa_kernel_dispatch_packet_t, group_segment_size)
SAME_PLACE(hsa_kernel_dispatch_packet_t, kernel_object)
SAME_PLACE(hsa_kernel_dispatch_packet_t, kernarg_address)
SAME_PLACE(hsa_kernel_dispatch_packet_t, completion_signal)
SAME_SIZE(hsa_barrier_and_packet_t)
SAME_PLACE(hsa_barrier_and_packet_t, dep_signal)
SAME_PLACE(hsa_barrier_and_packet_t, completion_signal)
SAME_PLACE(hsa_amd_pointer_info_t, type)
SAME_PLACE(hsa_amd_pointer_info_t, agentBaseAddress)
SAME_PLACE(hsa_amd_pointer_info_t, hostBaseAddress)
SAME_PLACE(hsa_amd_pointer_info_t, sizeInBytes)
SAME_PLACE(hsa_amd_pointer_info_t, agentOwner)
SAME_SIZE(hsa_amd_event_t)
SAME_PLACE(hsa_amd_event_t, memory_fault)
SAME_PLACE(hsa_amd_gpu_memory_fault_info_t, virtual_address)
SAME_PLACE(hsa_amd_gpu_memory_fault_info_t, fault_reason_mask)

// One declaration for both.
#define SAME_TIME(type)                                                                                                \
  static_assert(sizeof(::type) == sizeof(own::hsa_amd_profiling_time_t) &&                                             \
                    offsetof(::type, start) == offsetof(own::hsa_amd_profiling_time_t, start) &&                       \
                    offsetof(::type, end) == offsetof(own::hsa_amd_profiling_time_t, end),                             \
                #type);
SAME_TIME(hsa_amd_profiling_dispatch_time_t)
SAME_TIME(hsa_amd_profiling_async_copy_time_t)

// Enumerations are passed as int, handles as their 8 bytes; of each function the number of parameters and their sizes.
template <typename T> struct Parameters;
template <typename R, typename... P> struct Parameters<R(P...)> {
  template <typename OtherR, typename... OtherP> static constexpr bool same(OtherR (*)(OtherP...)) {
    if constexpr (sizeof...(P) != sizeof...(OtherP))
      return false;
    else
      return ((sizeof(P) == sizeof(OtherP)) && ...) && std::is_void_v<R> == std::is_void_v<OtherR>;
  }
};

namespace omptarget::amdgpu {
#define OMPTARGET_HSA_FUNCTION(result, name, need, parameters) using name##_own = result(*) parameters;
#include "amdgpu/driver_functions.def"
#undef OMPTARGET_HSA_FUNCTION
} // namespace omptarget::amdgpu

// Those that every release has; the optional ones are newer than some headers.
#define COMPARE_kNeeded(name)                                                                                          \
  static_assert(Parameters<std::remove_pointer_t<decltype(&::name)>>::same(own::name##_own(nullptr)), #name);
#define COMPARE_kOptional(name)
#define OMPTARGET_HSA_FUNCTION(result, name, need, parameters) COMPARE_##need(name)
#include "amdgpu/driver_functions.def"
#undef OMPTARGET_HSA_FUNCTION

int main() {}
