// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda/kernel.h"

#include "cuda/driver.h"

namespace omptarget::cuda {

namespace {

// What the driver allows without asking.
constexpr uint32_t kPlainSharedMemory = 48 * 1024;

} // namespace

Result<std::unique_ptr<gpu::Kernel>> Kernel::create(std::string name, CUfunction function, const KernelTraits &traits) {
  std::unique_ptr<Kernel> kernel(new Kernel(std::move(name), function, traits));
  int threads = 0;
  int shared = 0;
  OMPTARGET_TRY(OMPTARGET_CU(cuFuncGetAttribute, &threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function));
  OMPTARGET_TRY(OMPTARGET_CU(cuFuncGetAttribute, &shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function));
  kernel->max_threads_ = threads > 0 ? static_cast<uint32_t>(threads) : 1;
  kernel->static_shared_memory_ = shared > 0 ? static_cast<uint32_t>(shared) : 0;
  return std::unique_ptr<gpu::Kernel>(std::move(kernel));
}

Status Kernel::allow_dynamic_shared_memory(uint32_t bytes, uint32_t device_limit) {
  if (bytes == 0 || bytes <= dynamic_shared_memory_.load(std::memory_order_acquire))
    return Status::ok();
  if (uint64_t{bytes} + static_shared_memory_ > device_limit)
    return Status::error(format("kernel %s: %u bytes of dynamic shared memory beside its own %u bytes; the device has "
                                "%u bytes per team",
                                name().c_str(), bytes, static_shared_memory_, device_limit));
  if (uint64_t{bytes} + static_shared_memory_ > kPlainSharedMemory)
    OMPTARGET_TRY(OMPTARGET_CU(cuFuncSetAttribute, function_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                               static_cast<int>(device_limit - static_shared_memory_)));
  // All that the device has was allowed, or it fits without asking; either way the largest value seen will do.
  uint32_t allowed = dynamic_shared_memory_.load(std::memory_order_relaxed);
  while (allowed < bytes &&
         !dynamic_shared_memory_.compare_exchange_weak(allowed, bytes, std::memory_order_release))
    ;
  return Status::ok();
}

} // namespace omptarget::cuda
