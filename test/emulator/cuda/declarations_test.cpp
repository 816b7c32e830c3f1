// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA plugin's own declarations are those of cuda.h: numbers, layouts and parameters are compared by the compiler.
// With the driver's stub library as argument, its symbols, too.

#include <cuda.h>

#include <cstdio>
#include <dlfcn.h>
#include <type_traits>

#undef cuDeviceTotalMem
#undef cuCtxPushCurrent
#undef cuCtxPopCurrent
#undef cuModuleGetGlobal
#undef cuMemAlloc
#undef cuMemFree
#undef cuMemGetInfo
#undef cuMemHostRegister
#undef cuMemHostGetDevicePointer
#undef cuMemcpyHtoDAsync
#undef cuMemcpyDtoHAsync
#undef cuMemcpyDtoDAsync
#undef cuStreamDestroy
#undef cuEventDestroy
#undef cuDevicePrimaryCtxRelease
#undef cuDeviceGetUuid

// Numbers that are macros there become constants.
constexpr int kTheir_MEMHOSTALLOC_PORTABLE = CU_MEMHOSTALLOC_PORTABLE;
#undef CU_MEMHOSTALLOC_PORTABLE
constexpr int CU_MEMHOSTALLOC_PORTABLE = kTheir_MEMHOSTALLOC_PORTABLE;
constexpr int kTheir_MEMHOSTALLOC_DEVICEMAP = CU_MEMHOSTALLOC_DEVICEMAP;
#undef CU_MEMHOSTALLOC_DEVICEMAP
constexpr int CU_MEMHOSTALLOC_DEVICEMAP = kTheir_MEMHOSTALLOC_DEVICEMAP;
constexpr int kTheir_MEMHOSTREGISTER_PORTABLE = CU_MEMHOSTREGISTER_PORTABLE;
#undef CU_MEMHOSTREGISTER_PORTABLE
constexpr int CU_MEMHOSTREGISTER_PORTABLE = kTheir_MEMHOSTREGISTER_PORTABLE;
constexpr int kTheir_MEMHOSTREGISTER_DEVICEMAP = CU_MEMHOSTREGISTER_DEVICEMAP;
#undef CU_MEMHOSTREGISTER_DEVICEMAP
constexpr int CU_MEMHOSTREGISTER_DEVICEMAP = kTheir_MEMHOSTREGISTER_DEVICEMAP;

#include "cuda/cuda_api.h"

namespace ours = omptarget::cuda;

#define SAME_CONSTANT(name, value) static_assert(static_cast<long>(::CU_##name) == (value), #name);
OMPTARGET_CUDA_CONSTANTS(SAME_CONSTANT)
#define SAME_RESULT(name, value) static_assert(static_cast<long>(::CUDA_##name) == (value), #name);
OMPTARGET_CUDA_RESULTS(SAME_RESULT)

static_assert(sizeof(ours::CUdeviceptr) == sizeof(::CUdeviceptr) && std::is_same_v<ours::CUdevice, ::CUdevice>);
static_assert(sizeof(ours::CUuuid) == sizeof(::CUuuid));

// Inside of the plugin's namespace, where the list's names mean its own types.
namespace omptarget::cuda::declared {
#define OMPTARGET_CU_FUNCTION(name, symbol, since, need, context, parameters) using name = CUresult(*) parameters;
#include "cuda/driver_functions.def"
#undef OMPTARGET_CU_FUNCTION
} // namespace omptarget::cuda::declared

namespace {

// Two parameter types match if a caller that uses one may pass it to a function that takes the other.
template <typename A, typename B> constexpr bool same_kind() {
  if constexpr (std::is_pointer_v<A> && std::is_pointer_v<B>)
    return true;
  else
    return sizeof(A) == sizeof(B) && std::is_pointer_v<A> == std::is_pointer_v<B>;
}

template <typename A, typename B> struct SameCall : std::false_type {};
template <typename... A, typename... B> struct SameCall<ours::CUresult (*)(A...), ::CUresult (*)(B...)> {
  static constexpr bool check() {
    if constexpr (sizeof...(A) != sizeof...(B))
      return false;
    else
      return (same_kind<A, B>() && ...);
  }
  static constexpr bool value = check();
};

} // namespace

// The newest declaration of each function that the plugin's list names, except where its oldest symbol serves.
#define SAME_FUNCTION(name, symbol)                                                                                    \
  static_assert(SameCall<ours::declared::name, decltype(&::symbol)>::value, "parameters of " #name);
SAME_FUNCTION(cuInit, cuInit)
SAME_FUNCTION(cuDriverGetVersion, cuDriverGetVersion)
SAME_FUNCTION(cuDeviceGetCount, cuDeviceGetCount)
SAME_FUNCTION(cuDeviceGet, cuDeviceGet)
SAME_FUNCTION(cuDeviceGetName, cuDeviceGetName)
SAME_FUNCTION(cuDeviceGetUuid_v2, cuDeviceGetUuid_v2)
SAME_FUNCTION(cuDeviceGetPCIBusId, cuDeviceGetPCIBusId)
SAME_FUNCTION(cuDeviceTotalMem, cuDeviceTotalMem_v2)
SAME_FUNCTION(cuDeviceGetAttribute, cuDeviceGetAttribute)
SAME_FUNCTION(cuDeviceCanAccessPeer, cuDeviceCanAccessPeer)
SAME_FUNCTION(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain)
SAME_FUNCTION(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2)
SAME_FUNCTION(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2)
SAME_FUNCTION(cuCtxGetCurrent, cuCtxGetCurrent)
SAME_FUNCTION(cuCtxPushCurrent, cuCtxPushCurrent_v2)
SAME_FUNCTION(cuCtxPopCurrent, cuCtxPopCurrent_v2)
SAME_FUNCTION(cuCtxSynchronize, cuCtxSynchronize)
SAME_FUNCTION(cuCtxSetLimit, cuCtxSetLimit)
SAME_FUNCTION(cuCtxGetLimit, cuCtxGetLimit)
SAME_FUNCTION(cuCtxEnablePeerAccess, cuCtxEnablePeerAccess)
SAME_FUNCTION(cuModuleLoadDataEx, cuModuleLoadDataEx)
SAME_FUNCTION(cuModuleUnload, cuModuleUnload)
SAME_FUNCTION(cuModuleGetFunction, cuModuleGetFunction)
SAME_FUNCTION(cuModuleGetGlobal, cuModuleGetGlobal_v2)
SAME_FUNCTION(cuFuncGetAttribute, cuFuncGetAttribute)
SAME_FUNCTION(cuFuncSetAttribute, cuFuncSetAttribute)
SAME_FUNCTION(cuOccupancyMaxActiveBlocksPerMultiprocessor, cuOccupancyMaxActiveBlocksPerMultiprocessor)
SAME_FUNCTION(cuLaunchKernel, cuLaunchKernel)
SAME_FUNCTION(cuMemAlloc, cuMemAlloc_v2)
SAME_FUNCTION(cuMemFree, cuMemFree_v2)
SAME_FUNCTION(cuMemHostAlloc, cuMemHostAlloc)
SAME_FUNCTION(cuMemFreeHost, cuMemFreeHost)
SAME_FUNCTION(cuMemAllocManaged, cuMemAllocManaged)
SAME_FUNCTION(cuMemHostRegister, cuMemHostRegister_v2)
SAME_FUNCTION(cuMemHostUnregister, cuMemHostUnregister)
SAME_FUNCTION(cuMemHostGetDevicePointer, cuMemHostGetDevicePointer_v2)
SAME_FUNCTION(cuPointerGetAttribute, cuPointerGetAttribute)
SAME_FUNCTION(cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2)
SAME_FUNCTION(cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2)
SAME_FUNCTION(cuMemcpyDtoDAsync, cuMemcpyDtoDAsync_v2)
SAME_FUNCTION(cuMemcpyPeerAsync, cuMemcpyPeerAsync)
SAME_FUNCTION(cuMemsetD8Async, cuMemsetD8Async)
SAME_FUNCTION(cuStreamCreate, cuStreamCreate)
SAME_FUNCTION(cuStreamDestroy, cuStreamDestroy_v2)
SAME_FUNCTION(cuStreamSynchronize, cuStreamSynchronize)
SAME_FUNCTION(cuStreamQuery, cuStreamQuery)
SAME_FUNCTION(cuStreamWaitEvent, cuStreamWaitEvent)
SAME_FUNCTION(cuEventCreate, cuEventCreate)
SAME_FUNCTION(cuEventDestroy, cuEventDestroy_v2)
SAME_FUNCTION(cuEventRecord, cuEventRecord)
SAME_FUNCTION(cuEventSynchronize, cuEventSynchronize)
SAME_FUNCTION(cuEventElapsedTime, cuEventElapsedTime)

int main(int argc, char **argv) {
  // Pointers made of numbers are no constants for the compiler.
  if (reinterpret_cast<uintptr_t>(CU_LAUNCH_PARAM_END) != ours::kLaunchParamEnd ||
      reinterpret_cast<uintptr_t>(CU_LAUNCH_PARAM_BUFFER_POINTER) != ours::kLaunchParamBufferPointer ||
      reinterpret_cast<uintptr_t>(CU_LAUNCH_PARAM_BUFFER_SIZE) != ours::kLaunchParamBufferSize) {
    std::fprintf(stderr, "the keys of extra launch parameters differ\n");
    return 1;
  }
  if (argc < 2 || argv[1][0] != '/')
    return 0;
  // The stub has the driver's SONAME and every symbol, and does nothing.
  void *stub = dlopen(argv[1], RTLD_LAZY | RTLD_LOCAL);
  if (!stub) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  int missing = 0;
#define OMPTARGET_CU_FUNCTION(name, symbol, since, need, context, parameters)                                          \
  if (!dlsym(stub, symbol)) {                                                                                          \
    std::fprintf(stderr, "%s has no %s\n", argv[1], symbol);                                                           \
    ++missing;                                                                                                         \
  }
#include "cuda/driver_functions.def"
  return missing != 0;
}
