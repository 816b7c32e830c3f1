// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of a device: between host and device, between devices, and fills.

#include <algorithm>

#include "base/log.h"
#include "base/uncancelled.h"
#include "cuda/device.h"
#include "cuda/driver.h"
#include "gpu/devices.h"

namespace omptarget::cuda {

namespace {
// Largest copy to pageable memory for which nobody waits before its queue is waited for.
constexpr size_t kMostLate = size_t{1} << 20;
} // namespace

bool Device::should_stage(const void *host, size_t size) { return staging().wants(size) && !memory_.is_pinned(host); }

Status Device::copy_in(gpu::Stream &handle, uint64_t target, const void *host, size_t size) {
  Stream &stream = as_stream(handle);
  if (!stream.copies.is_empty()) [[unlikely]]
    OMPTARGET_TRY(queues_.settle(stream, host, size));
  return should_stage(host, size) ? staging().submit(stream, target, host, size)
                                  : OMPTARGET_CU_ON(stream, cuMemcpyHtoDAsync, target, host, size, stream.handle());
}

// Where kernels may read and write what lies there, they would not find it before the host's step. For a few bytes
// that is decided when a kernel follows, which is rare.
Status Device::copy_out(gpu::Stream &handle, void *host, uint64_t target, size_t size) {
  Stream &stream = as_stream(handle);
  if (!stream.copies.is_empty()) [[unlikely]]
    OMPTARGET_TRY(queues_.settle(stream, host, size));
  if (size <= kMostLate && !staging().wants(size) && !kernels_use_host_memory() && !stream.is_interop) {
    const bool is_small = size <= gpu::StreamRoom::kSmall;
    if (is_small || !memory_.is_pinned(host))
      return queues_.copy_out(stream, host, target, size, !is_small);
  }
  return should_stage(host, size) ? staging().retrieve(stream, host, target, size)
                                  : OMPTARGET_CU_ON(stream, cuMemcpyDtoHAsync, host, target, size, stream.handle());
}

Status Device::fill_on(gpu::Stream &stream, uint64_t target, uint8_t value, size_t size) {
  return OMPTARGET_CU_ON(as_stream(stream), cuMemsetD8Async, target, value, size, as_stream(stream).handle());
}

// Without peer access the driver copies through host memory; it is tried once for each pair.
Status Device::connect(const DeviceCopy &copy) {
  const Device &other = static_cast<const Device &>(copy.other);
  const Uncancelled uncancelled;
  const std::lock_guard lock(peers_mutex_);
  if (std::find(peers_.begin(), peers_.end(), other.context_) != peers_.end())
    return Status::ok();
  int can_access = 0;
  OMPTARGET_TRY(OMPTARGET_CU(cuDeviceCanAccessPeer, &can_access, properties_.handle, other.properties_.handle));
  if (can_access) {
    const CUresult result = OMPTARGET_CU_RESULT(cuCtxEnablePeerAccess, other.context_, 0);
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED)
      OMPTARGET_TRACE_DEVICE(Topic::kDevice, number(), "no access to the memory of device %d: %s", other.number(),
                             cuda::describe(result).c_str());
  }
  peers_.push_back(other.context_);
  return Status::ok();
}

Status Device::copy_between(gpu::Stream &handle, const DeviceCopy &copy) {
  Stream &stream = as_stream(handle);
  if (&copy.other == this)
    return OMPTARGET_CU_ON(stream, cuMemcpyDtoDAsync, copy.destination, copy.source, copy.size, stream.handle());
  return OMPTARGET_CU_ON(stream, cuMemcpyPeerAsync, copy.destination, static_cast<Device &>(copy.other).context_,
                         copy.source, context_, copy.size, stream.handle());
}

} // namespace omptarget::cuda
