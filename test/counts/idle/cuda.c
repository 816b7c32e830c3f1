// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libcuda.so.1 that does nothing, in some ten instructions a call: what is counted is what the plugin takes. It has one
// device, sm_80, any kernel, and of variables the kernels' environments. Copies copy nothing but these; launching runs
// nothing.

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default"))) int
// Functions that only succeed, whatever they are given.
#define IDLE(name)                                                                                                     \
  API name(void) { return 0; }

enum { kNotFound = 500 };

// As clang 18 to 22 lay it out: SPMD, of one thread at least, and of 1,024 at most.
static const struct {
  uint8_t state_machine, nested, mode, padding;
  int32_t min_threads, max_threads, min_teams, max_teams, reduction_size, reduction_length;
  uint64_t pointers[2];
} environment = {0, 0, 2, 0, 1, 1024, 1, -1, 0, 0, {0, 0}};

static char any; // the target of handles
static __thread void *current;

// ---- The device

IDLE(cuInit)
API cuDriverGetVersion(int *version) { return *version = 12040, 0; }
API cuGetErrorName(int result, const char **name) { return (void)result, *name = "an error", 0; }
API cuGetErrorString(int result, const char **text) {
  return (void)result, *text = "of the driver that does nothing", 0;
}
API cuDeviceGetCount(int *count) { return *count = 1, 0; }
API cuDeviceGet(int *device, int ordinal) { return *device = ordinal, 0; }
API cuDeviceGetName(char *name, int size, int device) { return (void)device, strncpy(name, "idle", (size_t)size), 0; }
API cuDeviceGetUuid(void *uuid, int device) { return (void)device, memset(uuid, 1, 16), 0; }
API cuDeviceGetUuid_v2(void *uuid, int device) { return cuDeviceGetUuid(uuid, device); }
API cuDeviceGetPCIBusId(char *bus, int size, int device) {
  return (void)device, strncpy(bus, "0000:01:00.0", (size_t)size), 0;
}
API cuDeviceTotalMem_v2(size_t *bytes, int device) { return (void)device, *bytes = (size_t)16 << 30, 0; }
API cuDeviceTotalMem(size_t *bytes, int device) { return cuDeviceTotalMem_v2(bytes, device); }
API cuDeviceGetAttribute(int *value, int attribute, int device) {
  (void)device;
  switch (attribute) {
  case 1: return *value = 1024, 0;       // threads of a block
  case 5: return *value = 0x7fffffff, 0; // blocks of a grid
  case 8: return *value = 48 << 10, 0;   // shared memory
  case 10: return *value = 32, 0;        // threads of a warp
  case 16: return *value = 108, 0;       // multiprocessors
  case 39: return *value = 2048, 0;      // threads of one
  case 75: return *value = 8, 0;         // compute capability
  case 83: return *value = 1, 0;         // managed memory
  case 97: return *value = 163 << 10, 0; // shared memory, if asked for
  default: return *value = 0, 0;
  }
}
API cuDeviceCanAccessPeer(int *can) { return *can = 0, 0; }

// ---- Contexts: which one is current is what programs have it say

API cuDevicePrimaryCtxRetain(void **context, int device) { return (void)device, *context = &any, 0; }
IDLE(cuDevicePrimaryCtxRelease)
IDLE(cuDevicePrimaryCtxSetFlags_v2)
API cuCtxGetCurrent(void **context) { return *context = current, 0; }
API cuCtxPushCurrent_v2(void *context) { return current = context, 0; }
API cuCtxPopCurrent_v2(void **context) { return *context = current, current = NULL, 0; }
IDLE(cuCtxSynchronize)
IDLE(cuCtxSetLimit)
API cuCtxGetLimit(size_t *value, int limit) { return (void)limit, *value = 1024, 0; }
IDLE(cuCtxEnablePeerAccess)
// LLVM's plugins ask for these, too.
IDLE(cuDevicePrimaryCtxRelease_v2)
IDLE(cuDevicePrimaryCtxSetFlags)
API cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *is_active) {
  return (void)device, *flags = 0, *is_active = 0, 0;
}
API cuCtxSetCurrent(void *context) { return current = context, 0; }
API cuCtxGetDevice(int *device) { return *device = 0, 0; }

// ---- Modules

API cuModuleLoadDataEx(void **module) { return *module = &any, 0; }
IDLE(cuModuleUnload)
API cuModuleGetFunction(void **function) { return *function = &any, 0; }
API cuModuleGetGlobal_v2(uint64_t *address, size_t *size, void *module, const char *name) {
  static const char suffix[] = "_kernel_environment";
  const size_t length = strlen(name), end = sizeof suffix - 1;
  (void)module;
  if (length < end || strcmp(name + length - end, suffix) != 0)
    return kNotFound;
  return *address = (uintptr_t)&environment, *size = sizeof environment, 0;
}
API cuFuncGetAttribute(int *value, int attribute) { return *value = attribute == 0 ? 1024 : 0, 0; }
API cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks) { return *blocks = 8, 0; }
IDLE(cuFuncSetAttribute)
IDLE(cuLaunchKernel)
IDLE(cuLaunchHostFunc)
API cuFuncGetParamInfo(void) { return 1; } // there is none
API cuOccupancyMaxPotentialBlockSize(int *blocks, int *threads) { return *blocks = 108, *threads = 1024, 0; }

// ---- Memory

API cuMemAlloc_v2(uint64_t *memory, size_t size) {
  return *memory = (uintptr_t)aligned_alloc(256, (size + 255) / 256 * 256), 0;
}
API cuMemFree_v2(uint64_t memory) { return free((void *)memory), 0; }
API cuMemGetInfo_v2(size_t *left, size_t *total) { return *left = *total = (size_t)16 << 30, 0; }
API cuMemHostAlloc(void **memory, size_t size) { return *memory = aligned_alloc(4096, (size + 4095) / 4096 * 4096), 0; }
API cuMemFreeHost(void *memory) { return free(memory), 0; }
API cuMemAllocHost_v2(void **memory, size_t size) { return cuMemHostAlloc(memory, size); }
API cuMemAllocHost(void **memory, size_t size) { return cuMemHostAlloc(memory, size); }
API cuMemAllocAsync(uint64_t *memory, size_t size) { return cuMemAlloc_v2(memory, size); }
API cuMemFreeAsync(uint64_t memory) { return cuMemFree_v2(memory); }
API cuMemAllocManaged(uint64_t *memory, size_t size) { return cuMemAlloc_v2(memory, size); }
IDLE(cuMemHostRegister_v2)
IDLE(cuMemHostUnregister)
API cuMemHostGetDevicePointer_v2(uint64_t *address, void *host) { return *address = (uintptr_t)host, 0; }
API cuPointerGetAttribute(unsigned *value) { return (void)value, 1; } // pageable
IDLE(cuMemcpyHtoDAsync_v2)
API cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t size) {
  if (from - (uintptr_t)&environment < sizeof environment)
    memcpy(to, (const void *)from, size);
  return 0;
}
API cuMemcpyDtoH_v2(void *to, uint64_t from, size_t size) { return cuMemcpyDtoHAsync_v2(to, from, size); }
IDLE(cuMemcpyHtoD_v2)
IDLE(cuMemcpyDtoDAsync_v2)
IDLE(cuMemcpyPeerAsync)
IDLE(cuMemsetD8Async)
IDLE(cuMemsetD16Async)
IDLE(cuMemsetD32Async)
IDLE(cuMemsetD2D8Async)
IDLE(cuMemsetD2D16Async)
IDLE(cuMemsetD2D32Async)

// ---- Streams and events: all of their work is complete

API cuStreamCreate(void **stream) { return *stream = malloc(1), 0; }
API cuStreamDestroy_v2(void *stream) { return free(stream), 0; }
IDLE(cuStreamSynchronize)
IDLE(cuStreamAddCallback)
IDLE(cuStreamQuery)
IDLE(cuStreamWaitEvent)
API cuEventCreate(void **event) { return *event = malloc(1), 0; }
API cuEventDestroy_v2(void *event) { return free(event), 0; }
API cuEventDestroy(void *event) { return cuEventDestroy_v2(event); }
IDLE(cuEventRecord)
IDLE(cuEventQuery)
IDLE(cuEventSynchronize)
API cuEventElapsedTime(float *milliseconds) { return *milliseconds = 0, 0; }
