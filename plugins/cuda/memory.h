// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the driver's memory comes from: device memory, pinned and managed memory; how host memory is pinned.
#pragma once

#include "cuda/cuda_api.h"
#include "gpu/memory.h"

namespace omptarget::cuda {

/// Context of the device current.
class Memory final : public gpu::Memory {
public:
  Memory() : gpu::Memory(source_, pinner_) {}
  /// Returns whether the driver copies from there without a buffer of its own.
  bool is_pinned(const void *host);

private:
  struct Source final : MemorySource {
    Result<void *> allocate(size_t size) override;
    Status release(void *memory) override;
  };
  /// Pins for all devices.
  struct Pinner final : HostPinner {
    Result<void *> pin(void *host, size_t size, bool &is_foreign) override;
    Status unpin(void *host) override;
  };
  Result<void *> allocate_shared(size_t size, int32_t kind) override;
  Status release_shared(void *memory, int32_t kind) override;

  Source source_;
  Pinner pinner_;
};

} // namespace omptarget::cuda
