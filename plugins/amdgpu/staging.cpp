// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "amdgpu/staging.h"

#include "amdgpu/device.h"

namespace omptarget::amdgpu {

Status StagingBuffer::prepare(size_t size) {
  if (!memory_) {
    OMPTARGET_TRY_ASSIGN(memory_, device_.memory().allocate_block(size));
  }
  return Status::ok();
}

Status StagingBuffer::copy(gpu::Stream &handle, const Stream::Copy &copy) {
  Stream &stream = static_cast<Stream &>(handle);
  OMPTARGET_TRY(stream.copy(copy, {}));
  signal_ = stream.last();
  return Status::ok();
}

Status StagingBuffer::copy_to(gpu::Stream &stream, uint64_t target, size_t size) {
  return copy(stream, {reinterpret_cast<void *>(target), device_.agent(), memory_, device_.host_pools().agent, size});
}

Status StagingBuffer::copy_from(gpu::Stream &stream, uint64_t source, size_t size) {
  return copy(stream,
              {memory_, device_.host_pools().agent, reinterpret_cast<const void *>(source), device_.agent(), size});
}

Status StagingBuffer::wait() {
  const SignalRef signal = std::exchange(signal_, SignalRef());
  return signal ? device_.signals().wait(signal) : Status::ok();
}

Status StagingBuffer::release() {
  return memory_ ? device_.memory().release_block(std::exchange(memory_, nullptr)) : Status::ok();
}

} // namespace omptarget::amdgpu
