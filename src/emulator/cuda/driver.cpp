// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver's functions, as far as the plugin uses them. Results are those that the driver documents.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include "call.h"
#include "emulator/driver_calls.h"
#include "emulator/execute/at_exit.h"
#include "emulator/execute/ptx/builtins.h"
#include "emulator/visible.h"

using namespace omptarget::cuda;
using namespace emulator;

namespace emulator {

namespace {

// Plain data: exit handlers use it after the thread-local objects of the thread have been destroyed.
struct ContextStack {
  static constexpr size_t kMost = 256;
  Context *contexts[kMost];
  size_t depth;
};
thread_local constinit ContextStack context_stack{};

struct ErrorText {
  CUresult result;
  const char *name;
  const char *text;
};
constexpr ErrorText kErrors[] = {
#define STAND_IN_ERROR(name, value) {value, "CUDA_" #name, "stand-in's text for " #name},
    OMPTARGET_CUDA_RESULTS(STAND_IN_ERROR)
#undef STAND_IN_ERROR
};

const ErrorText *find_error(CUresult result) {
  for (const ErrorText &error : kErrors)
    if (error.result == result)
      return &error;
  return nullptr;
}

// As the driver's own handler does: later calls fail. SIM_CUDA_LASTS=1: it goes on until the process is gone.
void end() {
  if (state().process != getpid())
    return;
  const char *lasts = std::getenv("SIM_CUDA_LASTS");
  state().deinitialised = !(lasts && *lasts == '1');
  calls().exit_after_violations();
  calls().exit_after_leaks(live_objects(), leaked_objects());
}

bool is_device(int device) { return device >= 0 && static_cast<size_t>(device) < state().devices.size(); }

/// For functions that concern a device.
#define STAND_IN_ENTER_OF_DEVICE(name, device)                                                                         \
  STAND_IN_ENTER(name);                                                                                                \
  if (!is_device(device))                                                                                              \
  return CUDA_ERROR_INVALID_VALUE

const ShownDevice &shown(int device) { return state().devices[static_cast<size_t>(device)]; }

CUuuid uuid_of(int gpu, int instance) {
  CUuuid uuid;
  for (size_t i = 0; i < sizeof(uuid.bytes); ++i)
    uuid.bytes[i] = static_cast<unsigned char>(0x10 * gpu + static_cast<int>(i));
  if (instance >= 0)
    uuid.bytes[0] = static_cast<unsigned char>(0xa0 + instance);
  return uuid;
}

std::string name_of(const ShownDevice &device) {
  std::string name = device.instance < 0 ? "GPU-" : "MIG-";
  const CUuuid uuid = uuid_of(device.gpu, device.instance);
  for (size_t i = 0; i < sizeof(uuid.bytes); ++i) {
    char text[8];
    std::snprintf(text, sizeof(text), i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", uuid.bytes[i]);
    name += text;
  }
  return name;
}

// The GPUs of a process in MIG mode: one instance, the first that is not hidden (NVIDIA's MIG user guide, "CUDA device
// enumeration"). SIM_CUDA_MIG=N: each GPU has N.
void split_devices(std::vector<ShownDevice> &devices, int instances) {
  std::vector<ShownDevice> split;
  for (const ShownDevice &device : devices)
    for (int i = 0; i < instances; ++i)
      split.push_back({device.sm, device.gpu, i});
  devices = std::move(split);
}

} // namespace

Context *current_context() {
  return context_stack.depth == 0 ? nullptr : context_stack.contexts[context_stack.depth - 1];
}

CUresult check_context(const char *call, Context *&context) {
  if (!state().initialised)
    return CUDA_ERROR_NOT_INITIALIZED;
  context = current_context();
  if (!context) {
    violation("%s: no current context", call);
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  if (context->is_destroyed) {
    violation("%s: the current context is destroyed", call);
    return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  }
  return context->error.load();
}

} // namespace emulator

// ---- Driver and devices

STAND_IN_API CUresult cuInit(unsigned flags) {
  STAND_IN_ENTER(cuInit);
  if (flags != 0)
    return CUDA_ERROR_INVALID_VALUE;
  State &the_state = state();
  const std::lock_guard lock(the_state.mutex);
  if (the_state.initialised)
    return CUDA_SUCCESS;
  const char *devices = std::getenv("SIM_CUDA_DEVICES");
  for (const char *next = devices ? devices : "80"; *next;) {
    char *end = nullptr;
    const long sm = std::strtol(next, &end, 10);
    if (end == next)
      break;
    the_state.devices.push_back({static_cast<int>(sm), static_cast<int>(the_state.devices.size())});
    next = *end == ',' ? end + 1 : end;
  }
  const char *instances = std::getenv("SIM_CUDA_MIG");
  if (instances)
    split_devices(the_state.devices, std::atoi(instances));
  keep_visible(the_state.devices, "CUDA_VISIBLE_DEVICES", name_of);
  if (instances && the_state.devices.size() > 1)
    the_state.devices.erase(the_state.devices.begin() + 1, the_state.devices.end());
  if (the_state.devices.empty())
    return CUDA_ERROR_NO_DEVICE;
  at_exit(end);
  the_state.process = getpid();
  the_state.initialised = true;
  return CUDA_SUCCESS;
}

STAND_IN_API CUresult cuDriverGetVersion(int *version) {
  STAND_IN_ENTER(cuDriverGetVersion);
  const char *text = std::getenv("SIM_CUDA_VERSION");
  *version = text ? std::atoi(text) : 13000;
  return CUDA_SUCCESS;
}

STAND_IN_API CUresult cuGetErrorName(CUresult result, const char **name) {
  const ErrorText *error = find_error(result);
  *name = error ? error->name : nullptr;
  return error ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

STAND_IN_API CUresult cuGetErrorString(CUresult result, const char **text) {
  const ErrorText *error = find_error(result);
  *text = error ? error->text : nullptr;
  return error ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

STAND_IN_API CUresult cuDeviceGetCount(int *count) {
  STAND_IN_ENTER(cuDeviceGetCount);
  if (!state().initialised)
    return CUDA_ERROR_NOT_INITIALIZED;
  *count = static_cast<int>(state().devices.size());
  return CUDA_SUCCESS;
}

STAND_IN_API CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  STAND_IN_ENTER_OF_DEVICE(cuDeviceGet, ordinal);
  *device = ordinal;
  return CUDA_SUCCESS;
}

STAND_IN_API CUresult cuDeviceGetName(char *name, int size, CUdevice device) {
  STAND_IN_ENTER_OF_DEVICE(cuDeviceGetName, device);
  std::snprintf(name, static_cast<size_t>(size), "stand-in sm_%d", shown(device).sm);
  return CUDA_SUCCESS;
}

STAND_IN_API CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device) {
  STAND_IN_ENTER_OF_DEVICE(cuDeviceGetUuid, device);
  *uuid = uuid_of(shown(device).gpu, -1);
  return CUDA_SUCCESS;
}

STAND_IN_API CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device) {
  STAND_IN_ENTER_OF_DEVICE(cuDeviceGetUuid_v2, device);
  *uuid = uuid_of(shown(device).gpu, shown(device).instance);
  return CUDA_SUCCESS;
}

STAND_IN_API CUresult cuDeviceGetPCIBusId(char *text, int size, CUdevice device) {
  STAND_IN_ENTER_OF_DEVICE(cuDeviceGetPCIBusId, device);
  std::snprintf(text, static_cast<size_t>(size), "0000:%02x:00.0", shown(device).gpu + 1);
  return CUDA_SUCCESS;
}

STAND_IN_API CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
  STAND_IN_ENTER(cuDeviceTotalMem);
  *bytes = size_t{1} << 30;
  return is_device(device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

STAND_IN_API CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device) {
  STAND_IN_ENTER_OF_DEVICE(cuDeviceGetAttribute, device);
  const int sm = shown(device).sm;
  switch (attribute) {
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = sm / 10; return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = sm % 10; return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *value = 16; return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = 1024; return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR: *value = 2048; return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X: *value = 2147483647; return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_WARP_SIZE: *value = 32; return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK: *value = 48 * 1024; return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: *value = 160 * 1024; return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS:
    *value = host_memory() != HostMemory::kUnreached;
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES:
    *value = host_memory() == HostMemory::kAts;
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY:
  case CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS: *value = 1; return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_INTEGRATED: *value = 0; return CUDA_SUCCESS;
  default: return CUDA_ERROR_INVALID_VALUE;
  }
}

STAND_IN_API CUresult cuDeviceCanAccessPeer(int *can_access, CUdevice device, CUdevice peer) {
  STAND_IN_ENTER(cuDeviceCanAccessPeer);
  if (!is_device(device) || !is_device(peer))
    return CUDA_ERROR_INVALID_VALUE;
  const char *off = std::getenv("SIM_CUDA_NO_PEERS");
  *can_access = device != peer && !(off && *off == '1');
  return CUDA_SUCCESS;
}

// ---- Contexts

STAND_IN_API CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device) {
  STAND_IN_ENTER(cuDevicePrimaryCtxRetain);
  if (!state().initialised)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (!is_device(device))
    return CUDA_ERROR_INVALID_VALUE;
  State &the_state = state();
  const std::lock_guard lock(the_state.mutex);
  Context *&context = the_state.primary[device];
  if (!context || context->is_destroyed) {
    the_state.contexts.push_back(std::make_unique<Context>());
    context = the_state.contexts.back().get();
    context->device = device;
  }
  ++context->retained;
  *out = reinterpret_cast<CUcontext>(context);
  return CUDA_SUCCESS;
}

STAND_IN_API CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags) {
  STAND_IN_ENTER(cuDevicePrimaryCtxSetFlags);
  if (!is_device(device) || flags > 7)
    return CUDA_ERROR_INVALID_VALUE;
  state().context_flags = flags;
  return CUDA_SUCCESS;
}

STAND_IN_API CUresult cuCtxGetFlags(unsigned *flags) {
  *flags = state().context_flags;
  return CUDA_SUCCESS;
}

STAND_IN_API CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  const CUresult injected = enter("cuDevicePrimaryCtxRelease");
  if (injected == CUDA_ERROR_DEINITIALIZED)
    return injected;
  Context *context = nullptr;
  {
    const std::lock_guard lock(state().mutex);
    const auto found = state().primary.find(device);
    if (found == state().primary.end() || found->second->retained == 0) {
      violation("cuDevicePrimaryCtxRelease: the context of device %d is not retained", device);
      return CUDA_ERROR_INVALID_CONTEXT;
    }
    if (--found->second->retained == 0)
      context = found->second;
  }
  if (context)
    destroy_context(context);
  return injected;
}

STAND_IN_API CUresult cuCtxGetCurrent(CUcontext *context) {
  STAND_IN_ENTER(cuCtxGetCurrent);
  *context = reinterpret_cast<CUcontext>(current_context());
  return CUDA_SUCCESS;
}

STAND_IN_API CUresult cuCtxPushCurrent_v2(CUcontext handle) {
  STAND_IN_ENTER(cuCtxPushCurrent);
  Context *context = reinterpret_cast<Context *>(handle);
  if (!context || context->is_destroyed) {
    violation("cuCtxPushCurrent: a context that does not exist");
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  if (context_stack.depth == ContextStack::kMost) {
    violation("cuCtxPushCurrent: %zu contexts are current already", context_stack.depth);
    return CUDA_ERROR_INVALID_VALUE;
  }
  context_stack.contexts[context_stack.depth++] = context;
  return CUDA_SUCCESS;
}

STAND_IN_API CUresult cuCtxPopCurrent_v2(CUcontext *handle) {
  const CUresult injected = enter("cuCtxPopCurrent");
  if (context_stack.depth == 0) {
    violation("cuCtxPopCurrent: no current context");
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  *handle = reinterpret_cast<CUcontext>(context_stack.contexts[--context_stack.depth]);
  return injected;
}

STAND_IN_API CUresult cuCtxSynchronize(void) {
  const executor::ptx::WritesPrints at_end;
  STAND_IN_ENTER_CONTEXT(cuCtxSynchronize);
  wait_for_context(context);
  return context->error.load();
}

STAND_IN_API CUresult cuCtxSetLimit(int limit, size_t value) {
  STAND_IN_ENTER_CONTEXT(cuCtxSetLimit);
  constexpr size_t kMostStack = size_t{512} * 1024; // local memory of a thread (CUDA C++ Programming Guide)
  if (limit == CU_LIMIT_STACK_SIZE && value > kMostStack)
    return CUDA_ERROR_INVALID_VALUE;
  const std::lock_guard lock(state().mutex);
  context->limits[limit] = value;
  return CUDA_SUCCESS;
}

STAND_IN_API CUresult cuCtxGetLimit(size_t *value, int limit) {
  STAND_IN_ENTER_CONTEXT(cuCtxGetLimit);
  const std::lock_guard lock(state().mutex);
  *value = context->limit(limit);
  return CUDA_SUCCESS;
}

STAND_IN_API CUresult cuCtxEnablePeerAccess(CUcontext handle, unsigned flags) {
  STAND_IN_ENTER_CONTEXT(cuCtxEnablePeerAccess);
  Context *peer = reinterpret_cast<Context *>(handle);
  if (!peer || peer->is_destroyed || peer == context || flags != 0)
    return CUDA_ERROR_INVALID_VALUE;
  const std::lock_guard lock(state().mutex);
  if (std::find(context->peers.begin(), context->peers.end(), peer) != context->peers.end())
    return CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
  context->peers.push_back(peer);
  return CUDA_SUCCESS;
}
