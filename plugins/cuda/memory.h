// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the driver's memory comes from: device memory, pinned and managed memory; how host memory is pinned.
#pragma once

#include "cuda/cuda_api.h"
#include "gpu/memory.h"

namespace omptarget::cuda {

struct DeviceProperties;

/// Context of the device current.
class Memory final : public gpu::Memory {
public:
  explicit Memory(const DeviceProperties &properties) : gpu::Memory(source_, pinner_), properties_(properties) {}
  /// Whether the driver copies from there without a buffer of its own.
  bool is_pinned(const void *host);

private:
  struct Source final : MemorySource {
    Result<void *> allocate(size_t size) override;
    Status release(void *memory) override;
    CUmemoryPool pool = nullptr; ///< stream-ordered memory, if asked for
    CUstream stream = nullptr;   ///< the pool's
  };
  struct Pinner final : HostPinner {
    Result<void *> pin(void *host, size_t size, bool &is_foreign) override;
    Status unpin(void *host) override;
  };
  Result<void *> allocate_shared(size_t size, int32_t kind) override;
  Status release_shared(void *memory, int32_t kind) override;
  Status init_own() override;
  Status release_own() override;
  Status create_pool();

  const DeviceProperties &properties_;
  Source source_;
  Pinner pinner_;
};

} // namespace omptarget::cuda
