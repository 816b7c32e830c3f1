// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pinned buffer for copies in pieces.
#pragma once

#include "cuda/cuda_api.h"
#include "gpu/staging.h"

namespace omptarget::cuda {

struct Stream;

/// Context of the device current.
class StagingBuffer final : public gpu::StagingBuffer {
public:
  Status prepare(size_t size) override;
  Status copy_to(gpu::Stream &stream, uint64_t target, size_t size) override;
  Status copy_from(gpu::Stream &stream, uint64_t source, size_t size) override;
  Status wait() override;
  Status release() override;

private:
  Status started(Stream &stream);

  CUevent event_ = nullptr;
  bool is_busy_ = false; ///< until the event
};

} // namespace omptarget::cuda
