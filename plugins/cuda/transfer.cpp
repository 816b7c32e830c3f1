// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of a device: between host and device, between devices, and fills.

#include <algorithm>

#include "base/log.h"
#include "cuda/device.h"
#include "cuda/driver.h"

namespace omptarget::cuda {

template <typename Operation> Status Device::on_stream(__tgt_async_info *async, Operation operation) {
  if (async) {
    OMPTARGET_TRY_ASSIGN(CUstream stream, queues_.stream_of(*async));
    return operation(stream);
  }
  OMPTARGET_TRY_ASSIGN(CUstream stream, queues_.take());
  Status status = operation(stream);
  // Waits after a failure as well: what came before it uses the caller's memory.
  Status waited = queues_.wait(stream);
  if (waited)
    queues_.give_back(stream);
  return status ? std::move(waited) : std::move(status);
}

bool Device::should_stage(const void *host, size_t size) {
  return staging_.wants(size) && !memory_.is_pinned(host);
}

Status Device::submit_on(CUstream stream, CUdeviceptr target, const void *host, size_t size) {
  Status status = should_stage(host, size) ? staging_.submit(stream, target, host, size)
                                           : OMPTARGET_CU(cuMemcpyHtoDAsync, target, host, size, stream);
  OMPTARGET_TRY_DURING(std::move(status), "while copying %zu bytes from host %p to device %#llx", size, host, target);
  return Status::ok();
}

Status Device::submit(CUdeviceptr target, const void *host, size_t size, __tgt_async_info *async) {
  if (size == 0)
    return Status::ok();
  OMPTARGET_TRACE_DEVICE(Topic::kTransfer, number(), "copy %zu bytes from host %p to device %#llx%s", size, host,
                         target, async ? "" : ", waiting");
  return on_stream(async, [&](CUstream stream) { return submit_on(stream, target, host, size); });
}

Status Device::retrieve(void *host, CUdeviceptr target, size_t size, __tgt_async_info *async) {
  if (size == 0)
    return Status::ok();
  OMPTARGET_TRACE_DEVICE(Topic::kTransfer, number(), "copy %zu bytes from device %#llx to host %p%s", size, target,
                         host, async ? "" : ", waiting");
  return on_stream(async, [&](CUstream stream) {
    Status status = should_stage(host, size) ? staging_.retrieve(stream, host, target, size)
                                             : OMPTARGET_CU(cuMemcpyDtoHAsync, host, target, size, stream);
    OMPTARGET_TRY_DURING(std::move(status), "while copying %zu bytes from device %#llx to host %p", size, target, host);
    return Status::ok();
  });
}

Status Device::fill(CUdeviceptr target, uint8_t value, size_t size, __tgt_async_info *async) {
  if (size == 0)
    return Status::ok();
  return on_stream(async, [&](CUstream stream) {
    OMPTARGET_TRY_DURING(OMPTARGET_CU(cuMemsetD8Async, target, value, size, stream),
                         "while filling %zu bytes at device %#llx", size, target);
    return Status::ok();
  });
}

// Without peer access the driver copies through host memory; it is tried once for each pair.
Status Device::enable_peer(Device &other) {
  const std::lock_guard lock(peers_mutex_);
  if (std::find(peers_.begin(), peers_.end(), other.context_) != peers_.end())
    return Status::ok();
  int can_access = 0;
  OMPTARGET_TRY(OMPTARGET_CU(cuDeviceCanAccessPeer, &can_access, properties_.handle, other.properties_.handle));
  if (can_access) {
    const CUresult result = OMPTARGET_CU_RESULT(cuCtxEnablePeerAccess, other.context_, 0);
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED)
      OMPTARGET_TRACE_DEVICE(Topic::kDevice, number(), "no access to the memory of device %d: %s", other.number(),
                             describe(result).c_str());
  }
  peers_.push_back(other.context_);
  return Status::ok();
}

Status Device::copy_to(Device &other, CUdeviceptr destination, CUdeviceptr source, size_t size,
                       __tgt_async_info *async) {
  if (size == 0)
    return Status::ok();
  if (&other != this)
    OMPTARGET_TRY(enable_peer(other));
  return on_stream(async, [&](CUstream stream) {
    Status status = &other == this
                        ? OMPTARGET_CU(cuMemcpyDtoDAsync, destination, source, size, stream)
                        : OMPTARGET_CU(cuMemcpyPeerAsync, destination, other.context_, source, context_, size, stream);
    OMPTARGET_TRY_DURING(std::move(status), "while copying %zu bytes from %#llx on device %d to %#llx on device %d",
                         size, source, number(), destination, other.number());
    return Status::ok();
  });
}

Status Device::launch(const Launch &launch, __tgt_async_info *async) {
  return on_stream(async, [&](CUstream stream) { return launch_on(stream, launch); });
}

} // namespace omptarget::cuda
