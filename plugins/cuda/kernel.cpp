// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda/kernel.h"

#include <algorithm>

#include "common/launch_rules.h"
#include "cuda/device.h"
#include "cuda/driver.h"
#include "cuda/image.h"

namespace omptarget::cuda {

namespace {

// The size that the driver allows by default.
constexpr uint32_t kPlainSharedMemory = 48 * 1024;

} // namespace

Status Kernel::ask_driver() {
  if (stack_ != 0)
    OMPTARGET_TRY(image_.cuda_device().provide_stack(stack_));
  OMPTARGET_TRY_ASSIGN(CUfunction const function, image_.find_code(name()));
  if (!function)
    return Status::error("the driver does not find it in the image");
  int threads = 0;
  int shared = 0;
  OMPTARGET_TRY(OMPTARGET_CU(cuFuncGetAttribute, &threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function));
  OMPTARGET_TRY(OMPTARGET_CU(cuFuncGetAttribute, &shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function));
  if (!has_traits_) {
    OMPTARGET_TRY_ASSIGN(const KernelTraits traits, image_.traits_of(name()));
    set_traits(traits);
  }
  max_threads_ = threads > 0 ? static_cast<uint32_t>(threads) : 1;
  static_shared_memory_ = shared > 0 ? static_cast<uint32_t>(shared) : 0;
  function_ = function;
  resident_teams_ = ask_resident_teams();
  return Status::ok();
}

// Without an answer the device's default stays.
uint32_t Kernel::ask_resident_teams() const {
  const Device &device = image_.cuda_device();
  LaunchLimits limits = device.limits();
  limits.max_threads = std::min(limits.max_threads, max_threads_);
  const int threads = static_cast<int>(default_threads_of(traits(), limits));
  int teams = 0;
  if (!driver().cuOccupancyMaxActiveBlocksPerMultiprocessor ||
      OMPTARGET_CU_RESULT(cuOccupancyMaxActiveBlocksPerMultiprocessor, &teams, function_, threads,
                          size_t{limits.shared_memory}) != CUDA_SUCCESS ||
      teams <= 0)
    return 0;
  return static_cast<uint32_t>(teams) * static_cast<uint32_t>(std::max(1, device.properties().multiprocessors));
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
  while (allowed < bytes && !dynamic_shared_memory_.compare_exchange_weak(allowed, bytes, std::memory_order_release))
    ;
  return Status::ok();
}

} // namespace omptarget::cuda
