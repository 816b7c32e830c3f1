// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory: device memory is memory of the process whose bounds and lifetime are checked at each use.

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "call.h"

using namespace omptarget::cuda;
using namespace sim;

namespace {

constexpr size_t kAlignment = 256;
constexpr int kNew = 0xcd;
constexpr int kFreed = 0xdd;

void *new_memory(size_t size) {
  constexpr size_t kMost = size_t{1} << 30; // of the device
  if (size > kMost)
    return nullptr;
  void *memory = std::aligned_alloc(kAlignment, (size + kAlignment - 1) / kAlignment * kAlignment);
  if (memory)
    std::memset(memory, kNew, size);
  return memory;
}

CUresult allocate(Context *context, size_t size, MemoryKind kind, void *owner, void **out) {
  if (size == 0)
    return CUDA_ERROR_INVALID_VALUE;
  void *memory = new_memory(size);
  if (!memory)
    return CUDA_ERROR_OUT_OF_MEMORY;
  const std::lock_guard lock(state().mutex);
  state().memory[reinterpret_cast<uintptr_t>(memory)] = {size, kind, context, owner};
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
  std::free(reinterpret_cast<void *>(address));
  state().memory.erase(found);
  return CUDA_SUCCESS;
}

} // namespace

SIM_API CUresult cuMemAlloc_v2(CUdeviceptr *out, size_t size) {
  SIM_ENTER_CONTEXT(cuMemAlloc);
  void *memory = nullptr;
  const CUresult result = allocate(context, size, MemoryKind::kDevice, nullptr, &memory);
  if (result == CUDA_SUCCESS)
    *out = reinterpret_cast<uintptr_t>(memory);
  return result;
}

SIM_API CUresult cuMemFree_v2(CUdeviceptr address) {
  SIM_ENTER_RELEASE(cuMemFree);
  if (address == 0)
    return injected;
  const CUresult result = release("cuMemFree", context, address, MemoryKind::kDevice, MemoryKind::kManaged);
  return injected ? injected : result;
}

SIM_API CUresult cuMemGetInfo_v2(size_t *free, size_t *total) {
  SIM_ENTER_CONTEXT(cuMemGetInfo);
  *free = *total = size_t{1} << 30;
  return CUDA_SUCCESS;
}

SIM_API CUresult cuMemHostAlloc(void **out, size_t size, unsigned) {
  SIM_ENTER_CONTEXT(cuMemHostAlloc);
  return allocate(context, size, MemoryKind::kHost, nullptr, out);
}

SIM_API CUresult cuMemFreeHost(void *memory) {
  SIM_ENTER_RELEASE(cuMemFreeHost);
  const CUresult result = release("cuMemFreeHost", context, reinterpret_cast<uintptr_t>(memory), MemoryKind::kHost,
                                  MemoryKind::kHost);
  return injected ? injected : result;
}

SIM_API CUresult cuMemAllocManaged(CUdeviceptr *out, size_t size, unsigned flags) {
  SIM_ENTER_CONTEXT(cuMemAllocManaged);
  if (flags != CU_MEM_ATTACH_GLOBAL)
    return CUDA_ERROR_INVALID_VALUE;
  void *memory = nullptr;
  const CUresult result = allocate(context, size, MemoryKind::kManaged, nullptr, &memory);
  if (result == CUDA_SUCCESS)
    *out = reinterpret_cast<uintptr_t>(memory);
  return result;
}

SIM_API CUresult cuMemHostRegister_v2(void *host, size_t size, unsigned) {
  SIM_ENTER_CONTEXT(cuMemHostRegister);
  if (!host || size == 0)
    return CUDA_ERROR_INVALID_VALUE;
  const std::lock_guard lock(state().mutex);
  const uintptr_t address = reinterpret_cast<uintptr_t>(host);
  auto &memory = state().memory;
  const auto next = memory.lower_bound(address);
  if (is_pinned(address) || (next != memory.end() && next->first < address + size))
    return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  memory[address] = {size, MemoryKind::kRegistered, context, nullptr};
  return CUDA_SUCCESS;
}

SIM_API CUresult cuMemHostUnregister(void *host) {
  SIM_ENTER_RELEASE(cuMemHostUnregister);
  wait_for_context(context);
  const std::lock_guard lock(state().mutex);
  const auto found = state().memory.find(reinterpret_cast<uintptr_t>(host));
  if (found == state().memory.end() || found->second.kind != MemoryKind::kRegistered)
    return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
  state().memory.erase(found);
  return injected;
}

SIM_API CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *device, void *host, unsigned flags) {
  SIM_ENTER_CONTEXT(cuMemHostGetDevicePointer);
  const std::lock_guard lock(state().mutex);
  if (flags != 0 || !is_pinned(reinterpret_cast<uintptr_t>(host)))
    return CUDA_ERROR_INVALID_VALUE;
  *device = reinterpret_cast<uintptr_t>(host);
  return CUDA_SUCCESS;
}

SIM_API CUresult cuPointerGetAttribute(void *data, int attribute, CUdeviceptr address) {
  SIM_ENTER(cuPointerGetAttribute);
  if (!current_context())
    return CUDA_ERROR_INVALID_CONTEXT;
  const std::lock_guard lock(state().mutex);
  if (attribute != CU_POINTER_ATTRIBUTE_MEMORY_TYPE || !is_pinned(address))
    return CUDA_ERROR_INVALID_VALUE;
  const unsigned type = CU_MEMORYTYPE_HOST;
  std::memcpy(data, &type, sizeof(type));
  return CUDA_SUCCESS;
}
