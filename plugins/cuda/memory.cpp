// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda/memory.h"

#include "cuda/driver.h"

namespace omptarget::cuda {

namespace {

CUdeviceptr device_address(const void *memory) { return reinterpret_cast<uintptr_t>(memory); }

/// Registers host memory with the driver, for all contexts.
struct Registrar final : HostPinner {
  Result<void *> pin(void *host, size_t size, bool &is_foreign) override {
    const CUresult result =
        OMPTARGET_CU_RESULT(cuMemHostRegister, host, size, CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP);
    is_foreign = result == CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    if (!is_foreign)
      OMPTARGET_TRY_DURING(gpu::check_call("cuMemHostRegister", result, call_failure), "while pinning %zu bytes at %p",
                           size, host);
    CUdeviceptr device = 0;
    Status status = OMPTARGET_CU(cuMemHostGetDevicePointer, &device, host, 0);
    if (!status && !is_foreign)
      OMPTARGET_CU(cuMemHostUnregister, host).consume();
    OMPTARGET_TRY_DURING(std::move(status), "while pinning %zu bytes at %p", size, host);
    return reinterpret_cast<void *>(device);
  }
  /// The end of the context that registered the memory may have done it.
  Status unpin(void *host) override {
    const CUresult result = OMPTARGET_CU_RESULT(cuMemHostUnregister, host);
    return result == CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED
               ? Status::ok()
               : gpu::check_call("cuMemHostUnregister", result, call_failure);
  }
};

/// The registered ranges of all devices: a range that one of them no longer needs may be another one's. Never destroyed.
LockedRanges &registered() {
  static Registrar &registrar = *new Registrar;
  static LockedRanges &ranges = *new LockedRanges(registrar);
  return ranges;
}

} // namespace

Result<void *> Memory::Source::allocate(size_t size) {
  CUdeviceptr memory = 0;
  OMPTARGET_TRY_DURING(OMPTARGET_CU(cuMemAlloc, &memory, size), "while allocating %zu bytes", size);
  return reinterpret_cast<void *>(memory);
}

Status Memory::Source::release(void *memory) { return OMPTARGET_CU(cuMemFree, device_address(memory)); }

Result<void *> Memory::allocate_shared(size_t size, int32_t kind) {
  void *memory = nullptr;
  CUdeviceptr managed = 0;
  if (kind == OMPTARGET_ALLOC_HOST) {
    OMPTARGET_TRY_DURING(
        OMPTARGET_CU(cuMemHostAlloc, &memory, size, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP),
        "while allocating %zu bytes of pinned host memory", size);
    return memory;
  }
  OMPTARGET_TRY_DURING(OMPTARGET_CU(cuMemAllocManaged, &managed, size, CU_MEM_ATTACH_GLOBAL),
                       "while allocating %zu bytes of managed memory", size);
  return reinterpret_cast<void *>(managed);
}

Status Memory::release_shared(void *memory, int32_t kind) {
  return kind == OMPTARGET_ALLOC_HOST ? OMPTARGET_CU(cuMemFreeHost, memory)
                                      : OMPTARGET_CU(cuMemFree, device_address(memory));
}

Result<void *> Memory::Pinner::pin(void *host, size_t size, bool &) { return registered().lock(host, size); }

Status Memory::Pinner::unpin(void *host) { return registered().unlock(host); }

bool Memory::is_pinned(const void *host) {
  unsigned type = 0;
  // The driver does not know pageable memory. If devices reach that, it may return a type of 0.
  return OMPTARGET_CU_RESULT(cuPointerGetAttribute, &type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, device_address(host)) ==
             CUDA_SUCCESS &&
         type != 0;
}

} // namespace omptarget::cuda
