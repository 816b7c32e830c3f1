// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of a device: device memory through the caching allocator, pinned and managed memory, pinned host ranges.
#pragma once

#include <atomic>
#include <memory>
#include <unordered_map>

#include "base/guarded.h"
#include "base/status.h"
#include "common/caching_allocator.h"
#include "common/locked_ranges.h"
#include "common/mapped_ranges.h"
#include "cuda/cuda_api.h"

namespace omptarget::cuda {

struct DeviceProperties;

/// Any thread. All functions: context of the device current.
class Memory {
public:
  Memory() : source_(*this), pinner_(*this), locked_(pinner_) {}
  /// Reads the settings.
  Status init(const DeviceProperties &properties);

  /// kind: OMPTARGET_ALLOC_*.
  Result<void *> allocate(size_t size, int32_t kind);
  /// Frees memory of any kind; the kind is found by the address, since some callers do not tell it right.
  Status release(void *memory);

  Result<CUdeviceptr> allocate_device(size_t size);
  Status release_device(CUdeviceptr memory);

  Result<void *> lock(void *host, size_t size);
  Status unlock(void *host);
  /// LIBOMPTARGET_LOCK_MAPPED_HOST_BUFFERS.
  Status notify_mapped(void *host, size_t size) { return mapped_.notify_mapped(host, size); }
  Status notify_unmapped(void *host) { return mapped_.notify_unmapped(host); }
  /// Whether the driver copies from there without a buffer of its own.
  bool is_pinned(const void *host);

  AllocatorStatistics statistics() { return allocator_ ? allocator_->statistics() : AllocatorStatistics(); }
  /// Releases all that was allocated, also what the program did not free.
  Status release_all();

private:
  struct Source final : MemorySource {
    explicit Source(Memory &owner) : owner_(owner) {}
    Result<void *> allocate(size_t size) override;
    Status release(void *memory) override;
    Memory &owner_;
  };
  struct Pinner final : HostPinner {
    explicit Pinner(Memory &owner) : owner_(owner) {}
    Result<void *> pin(void *host, size_t size, bool &is_foreign) override;
    Status unpin(void *host) override;
    Memory &owner_;
  };
  bool is_host_allocation(void *host);
  Status create_pool(const DeviceProperties &properties);

  Source source_;
  Pinner pinner_;
  CUmemoryPool pool_ = nullptr;     ///< stream-ordered memory, if asked for
  CUstream pool_stream_ = nullptr;
  std::unique_ptr<CachingAllocator> allocator_;
  LockedRanges locked_;
  MappedRanges mapped_{locked_};
  std::atomic<size_t> others_count_{0};                  ///< entries of others_, so that most frees need no look
  Guarded<std::unordered_map<void *, int32_t>> others_; ///< pinned and managed memory and its kind
};

} // namespace omptarget::cuda
