// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory: device memory is memory of the process whose bounds and lifetime are checked at each use.

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "call.h"
#include "emulator/execute/unwritten.h"
#include "emulator/fill_pattern.h"
#include "emulator/ipc_memory.h"

using namespace omptarget::cuda;
using namespace emulator;

namespace {

constexpr size_t kAlignment = 256;
constexpr int kFreed = 0xdd;

void *new_memory(size_t size, bool may_be_shared) {
  constexpr size_t kMost = size_t{1} << 30; // bytes of the device
  if (size > kMost)
    return nullptr;
  void *memory = may_be_shared ? ipc_memory().allocate(size)
                               : std::aligned_alloc(kAlignment, (size + kAlignment - 1) / kAlignment * kAlignment);
  if (memory)
    emulator::fill_with_garbage(memory, size);
  return memory;
}

CUresult allocate(Context *context, size_t size, MemoryKind kind, void *owner, void **out) {
  if (size == 0)
    return CUDA_ERROR_INVALID_VALUE;
  // Legacy handles cover what cuMemAlloc gives, and no managed or host memory.
  void *memory = new_memory(size, kind == MemoryKind::kDevice && IpcMemory::is_on());
  if (!memory)
    return CUDA_ERROR_OUT_OF_MEMORY;
  const std::lock_guard lock(state().mutex);
  state().memory[reinterpret_cast<uintptr_t>(memory)] = {size, kind, context, owner};
  ++state().memory_generation;
  // Other memory is written by the host, too, which nobody follows.
  if (kind == MemoryKind::kDevice)
    executor::UnwrittenMemory::note_fresh(memory, size);
  *out = memory;
  return CUDA_SUCCESS;
}

bool is_kind(const Allocation &allocation, MemoryKind one, MemoryKind other) {
  return allocation.kind == one || allocation.kind == other;
}

CUresult release(const char *call, Context *context, uintptr_t address, MemoryKind one, MemoryKind other) {
  wait_for_context(context);
  const std::lock_guard lock(state().mutex);
  const auto found = state().memory.find(address);
  if (found == state().memory.end() || !is_kind(found->second, one, other)) {
    violation("%s: %#lx was not allocated this way or is free already", call, static_cast<unsigned long>(address));
    return CUDA_ERROR_INVALID_VALUE;
  }
  std::memset(reinterpret_cast<void *>(address), kFreed, found->second.size);
  executor::UnwrittenMemory::note_forgotten(reinterpret_cast<void *>(address), found->second.size);
  free_memory(reinterpret_cast<void *>(address));
  state().memory.erase(found);
  ++state().memory_generation;
  return CUDA_SUCCESS;
}

} // namespace

STAND_IN_API CUresult cuMemAlloc_v2(CUdeviceptr *out, size_t size) {
  STAND_IN_ENTER_CONTEXT(cuMemAlloc);
  void *memory = nullptr;
  const CUresult result = allocate(context, size, MemoryKind::kDevice, nullptr, &memory);
  if (result == CUDA_SUCCESS)
    *out = reinterpret_cast<uintptr_t>(memory);
  return result;
}

STAND_IN_API CUresult cuMemFree_v2(CUdeviceptr address) {
  STAND_IN_ENTER_RELEASE(cuMemFree);
  if (address == 0)
    return injected;
  const CUresult result = release("cuMemFree", context, address, MemoryKind::kDevice, MemoryKind::kManaged);
  return injected ? injected : result;
}

STAND_IN_API CUresult cuMemGetInfo_v2(size_t *free, size_t *total) {
  STAND_IN_ENTER_CONTEXT(cuMemGetInfo);
  *free = *total = size_t{1} << 30;
  return CUDA_SUCCESS;
}

STAND_IN_API CUresult cuMemHostAlloc(void **out, size_t size, unsigned) {
  STAND_IN_ENTER_CONTEXT(cuMemHostAlloc);
  return allocate(context, size, MemoryKind::kHost, nullptr, out);
}

STAND_IN_API CUresult cuMemFreeHost(void *memory) {
  STAND_IN_ENTER_RELEASE(cuMemFreeHost);
  const CUresult result =
      release("cuMemFreeHost", context, reinterpret_cast<uintptr_t>(memory), MemoryKind::kHost, MemoryKind::kHost);
  return injected ? injected : result;
}

STAND_IN_API CUresult cuMemAllocManaged(CUdeviceptr *out, size_t size, unsigned flags) {
  STAND_IN_ENTER_CONTEXT(cuMemAllocManaged);
  if (flags != CU_MEM_ATTACH_GLOBAL)
    return CUDA_ERROR_INVALID_VALUE;
  void *memory = nullptr;
  const CUresult result = allocate(context, size, MemoryKind::kManaged, nullptr, &memory);
  if (result == CUDA_SUCCESS)
    *out = reinterpret_cast<uintptr_t>(memory);
  return result;
}

STAND_IN_API CUresult cuMemHostRegister_v2(void *host, size_t size, unsigned) {
  STAND_IN_ENTER_CONTEXT(cuMemHostRegister);
  if (!host || size == 0)
    return CUDA_ERROR_INVALID_VALUE;
  const std::lock_guard lock(state().mutex);
  const uintptr_t address = reinterpret_cast<uintptr_t>(host);
  auto &memory = state().memory;
  const auto next = memory.lower_bound(address);
  if (is_pinned(address) || (next != memory.end() && next->first < address + size))
    return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  memory[address] = {size, MemoryKind::kRegistered, context, nullptr};
  ++state().memory_generation;
  return CUDA_SUCCESS;
}

STAND_IN_API CUresult cuMemHostUnregister(void *host) {
  STAND_IN_ENTER_RELEASE(cuMemHostUnregister);
  wait_for_context(context);
  const std::lock_guard lock(state().mutex);
  const auto found = state().memory.find(reinterpret_cast<uintptr_t>(host));
  if (found == state().memory.end() || found->second.kind != MemoryKind::kRegistered)
    return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
  state().memory.erase(found);
  ++state().memory_generation;
  return injected;
}

STAND_IN_API CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *device, void *host, unsigned flags) {
  STAND_IN_ENTER_CONTEXT(cuMemHostGetDevicePointer);
  const std::lock_guard lock(state().mutex);
  if (flags != 0 || !is_pinned(reinterpret_cast<uintptr_t>(host)))
    return CUDA_ERROR_INVALID_VALUE;
  *device = reinterpret_cast<uintptr_t>(host);
  return CUDA_SUCCESS;
}

STAND_IN_API CUresult cuPointerGetAttribute(void *data, int attribute, CUdeviceptr address) {
  STAND_IN_ENTER(cuPointerGetAttribute);
  if (!current_context())
    return CUDA_ERROR_INVALID_CONTEXT;
  const std::lock_guard lock(state().mutex);
  if (attribute != CU_POINTER_ATTRIBUTE_MEMORY_TYPE || !is_pinned(address))
    return CUDA_ERROR_INVALID_VALUE;
  const unsigned type = CU_MEMORYTYPE_HOST;
  std::memcpy(data, &type, sizeof(type));
  return CUDA_SUCCESS;
}

// ---- Between processes

STAND_IN_API CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *size, CUdeviceptr address) {
  STAND_IN_ENTER_CONTEXT(cuMemGetAddressRange);
  const std::lock_guard lock(state().mutex);
  auto found = state().memory.upper_bound(address);
  if (found == state().memory.begin())
    return CUDA_ERROR_INVALID_VALUE;
  --found;
  if (found->first + found->second.size <= address)
    return CUDA_ERROR_INVALID_VALUE;
  *base = found->first;
  *size = found->second.size;
  return CUDA_SUCCESS;
}

STAND_IN_API CUresult cuIpcGetMemHandle(void *handle, CUdeviceptr address) {
  STAND_IN_ENTER_CONTEXT(cuIpcGetMemHandle);
  IpcHandle own;
  if (!ipc_memory().name(reinterpret_cast<void *>(address), own))
    return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(handle, &own, sizeof(own));
  return CUDA_SUCCESS;
}

// A handle is 64 bytes, and is passed as such.
struct CUipcMemHandle {
  char bytes[64];
};

STAND_IN_API CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *address, CUipcMemHandle handle, unsigned) {
  STAND_IN_ENTER_CONTEXT(cuIpcOpenMemHandle);
  IpcHandle other;
  std::memcpy(&other, handle.bytes, sizeof(other));
  void *memory = ipc_memory().open(other);
  if (!memory)
    return CUDA_ERROR_INVALID_VALUE;
  *address = reinterpret_cast<CUdeviceptr>(memory);
  const std::lock_guard lock(state().mutex);
  state().memory[*address] = {other.size, MemoryKind::kImported, context, nullptr};
  ++state().memory_generation;
  return CUDA_SUCCESS;
}

STAND_IN_API CUresult cuIpcCloseMemHandle(CUdeviceptr address) {
  STAND_IN_ENTER_RELEASE(cuIpcCloseMemHandle);
  wait_for_context(context);
  const std::lock_guard lock(state().mutex);
  const auto found = state().memory.find(address);
  if (found == state().memory.end() || found->second.kind != MemoryKind::kImported) {
    violation("cuIpcCloseMemHandle: %#lx is of no other process", static_cast<unsigned long>(address));
    return CUDA_ERROR_INVALID_VALUE;
  }
  free_memory(reinterpret_cast<void *>(address));
  state().memory.erase(found);
  ++state().memory_generation;
  return injected;
}
