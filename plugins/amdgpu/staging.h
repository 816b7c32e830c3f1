// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pinned buffer for copies in pieces.
#pragma once

#include "amdgpu/signal.h"
#include "amdgpu/stream.h"
#include "gpu/staging.h"

namespace omptarget::amdgpu {

class StagingBuffer final : public gpu::StagingBuffer {
public:
  explicit StagingBuffer(Device &device) : device_(device) {}
  Status prepare(size_t size) override;
  Status copy_to(gpu::Stream &stream, uint64_t target, size_t size) override;
  Status copy_from(gpu::Stream &stream, uint64_t source, size_t size) override;
  Status wait() override;
  Status release() override;

private:
  Status copy(gpu::Stream &stream, const Stream::Copy &copy);

  Device &device_;
  SignalRef signal_; ///< signal of the copy that uses it
};

} // namespace omptarget::amdgpu
