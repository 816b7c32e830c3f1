// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of NVIDIA's driver interface that is used, declared anew so that nothing of CUDA is needed to build. Names
// and numbers are the interface's own; a test compares them with cuda.h where that exists.
#pragma once

#include <cstddef>
#include <cstdint>

namespace omptarget::cuda {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st *;
using CUmodule = struct CUmod_st *;
using CUfunction = struct CUfunc_st *;
using CUstream = struct CUstream_st *;
using CUevent = struct CUevent_st *;

struct CUuuid {
  unsigned char bytes[16];
};

/// name, value: compared with cuda.h as CU_<name>.
#define OMPTARGET_CUDA_CONSTANTS(X)                                                                                    \
  X(DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1)                                                                         \
  X(DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 5)                                                                                \
  X(DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 8)                                                                   \
  X(DEVICE_ATTRIBUTE_WARP_SIZE, 10)                                                                                    \
  X(DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 16)                                                                         \
  X(DEVICE_ATTRIBUTE_INTEGRATED, 18)                                                                                   \
  X(DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 39)                                                               \
  X(DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 75)                                                                     \
  X(DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 76)                                                                     \
  X(DEVICE_ATTRIBUTE_MANAGED_MEMORY, 83)                                                                               \
  X(DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS, 88)                                                                       \
  X(DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, 89)                                                                    \
  X(DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 97)                                                            \
  X(DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES, 100)                                                \
  X(FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 0)                                                                           \
  X(FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 1)                                                                               \
  X(FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 8)                                                                   \
  X(LIMIT_STACK_SIZE, 0)                                                                                               \
  X(LIMIT_MALLOC_HEAP_SIZE, 2)                                                                                         \
  X(STREAM_NON_BLOCKING, 1)                                                                                            \
  X(CTX_SCHED_AUTO, 0)                                                                                                 \
  X(CTX_SCHED_SPIN, 1)                                                                                                 \
  X(CTX_SCHED_YIELD, 2)                                                                                                \
  X(CTX_SCHED_BLOCKING_SYNC, 4)                                                                                        \
  X(EVENT_BLOCKING_SYNC, 1)                                                                                            \
  X(EVENT_DISABLE_TIMING, 2)                                                                                           \
  X(MEMHOSTALLOC_PORTABLE, 1)                                                                                          \
  X(MEMHOSTALLOC_DEVICEMAP, 2)                                                                                         \
  X(MEMHOSTREGISTER_PORTABLE, 1)                                                                                       \
  X(MEMHOSTREGISTER_DEVICEMAP, 2)                                                                                      \
  X(MEM_ATTACH_GLOBAL, 1)                                                                                              \
  X(POINTER_ATTRIBUTE_MEMORY_TYPE, 2)                                                                                  \
  X(MEMORYTYPE_HOST, 1)                                                                                                \
  X(JIT_ERROR_LOG_BUFFER, 5)                                                                                           \
  X(JIT_ERROR_LOG_BUFFER_SIZE_BYTES, 6)

/// name, value: compared with cuda.h as CUDA_<name>.
#define OMPTARGET_CUDA_RESULTS(X)                                                                                      \
  X(SUCCESS, 0)                                                                                                        \
  X(ERROR_INVALID_VALUE, 1)                                                                                            \
  X(ERROR_OUT_OF_MEMORY, 2)                                                                                            \
  X(ERROR_NOT_INITIALIZED, 3)                                                                                          \
  X(ERROR_DEINITIALIZED, 4)                                                                                            \
  X(ERROR_DEVICE_UNAVAILABLE, 46)                                                                                      \
  X(ERROR_NO_DEVICE, 100)                                                                                              \
  X(ERROR_INVALID_IMAGE, 200)                                                                                          \
  X(ERROR_INVALID_CONTEXT, 201)                                                                                        \
  X(ERROR_NO_BINARY_FOR_GPU, 209)                                                                                      \
  X(ERROR_ECC_UNCORRECTABLE, 214)                                                                                      \
  X(ERROR_INVALID_PTX, 218)                                                                                            \
  X(ERROR_NVLINK_UNCORRECTABLE, 220)                                                                                   \
  X(ERROR_INVALID_HANDLE, 400)                                                                                         \
  X(ERROR_NOT_FOUND, 500)                                                                                              \
  X(ERROR_NOT_READY, 600)                                                                                              \
  X(ERROR_ILLEGAL_ADDRESS, 700)                                                                                        \
  X(ERROR_LAUNCH_OUT_OF_RESOURCES, 701)                                                                                \
  X(ERROR_LAUNCH_TIMEOUT, 702)                                                                                         \
  X(ERROR_PEER_ACCESS_ALREADY_ENABLED, 704)                                                                            \
  X(ERROR_CONTEXT_IS_DESTROYED, 709)                                                                                   \
  X(ERROR_ASSERT, 710)                                                                                                 \
  X(ERROR_HOST_MEMORY_ALREADY_REGISTERED, 712)                                                                         \
  X(ERROR_HOST_MEMORY_NOT_REGISTERED, 713)                                                                             \
  X(ERROR_HARDWARE_STACK_ERROR, 714)                                                                                   \
  X(ERROR_ILLEGAL_INSTRUCTION, 715)                                                                                    \
  X(ERROR_MISALIGNED_ADDRESS, 716)                                                                                     \
  X(ERROR_INVALID_ADDRESS_SPACE, 717)                                                                                  \
  X(ERROR_INVALID_PC, 718)                                                                                             \
  X(ERROR_LAUNCH_FAILED, 719)                                                                                          \
  X(ERROR_NOT_SUPPORTED, 801)                                                                                          \
  X(ERROR_MPS_CONNECTION_FAILED, 805)                                                                                  \
  X(ERROR_MPS_RPC_FAILURE, 806)                                                                                        \
  X(ERROR_MPS_SERVER_NOT_READY, 807)                                                                                   \
  X(ERROR_MPS_MAX_CLIENTS_REACHED, 808)                                                                                \
  X(ERROR_MPS_MAX_CONNECTIONS_REACHED, 809)                                                                            \
  X(ERROR_MPS_CLIENT_TERMINATED, 810)                                                                                  \
  X(ERROR_UNKNOWN, 999)

enum : int {
#define OMPTARGET_CUDA_ENUMERATOR(name, value) CU_##name = (value),
  OMPTARGET_CUDA_CONSTANTS(OMPTARGET_CUDA_ENUMERATOR)
#undef OMPTARGET_CUDA_ENUMERATOR
#define OMPTARGET_CUDA_ENUMERATOR(name, value) CUDA_##name = (value),
      OMPTARGET_CUDA_RESULTS(OMPTARGET_CUDA_ENUMERATOR)
#undef OMPTARGET_CUDA_ENUMERATOR
};

/// The keys of cuLaunchKernel's extra parameters.
inline constexpr uintptr_t kLaunchParamEnd = 0;
inline constexpr uintptr_t kLaunchParamBufferPointer = 1;
inline constexpr uintptr_t kLaunchParamBufferSize = 2;

} // namespace omptarget::cuda
