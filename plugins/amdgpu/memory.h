// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of a device: device memory through the caching allocator, host memory that all devices reach, pinned host
// ranges, and small pinned blocks for kernels' arguments and copies.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "amdgpu/hsa_api.h"
#include "base/guarded.h"
#include "base/status.h"
#include "common/caching_allocator.h"
#include "common/locked_ranges.h"
#include "common/mapped_ranges.h"

namespace omptarget::amdgpu {

class Device;

/// A memory pool of an agent.
struct MemoryPool {
  hsa_amd_memory_pool_t handle{0};
  int segment = 0;    ///< HSA_AMD_SEGMENT_*
  uint32_t flags = 0; ///< HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_*
  bool may_allocate = false;
  size_t size = 0;    ///< bytes
};

/// The pools in which the plugin allocates.
struct HostPools {
  hsa_agent_t agent{0};                ///< the CPU that they belong to
  std::optional<MemoryPool> fine;      ///< coherent between host and devices during a kernel
  std::optional<MemoryPool> arguments; ///< of kernels

  /// Those of the first CPU that has both.
  static Result<HostPools> choose(const std::vector<hsa_agent_t> &cpus);
};
/// The pools of an agent.
Result<std::vector<MemoryPool>> read_pools(hsa_agent_t agent);

/// Any thread.
class Memory {
public:
  explicit Memory(Device &device)
      : device_(device), source_(*this), blocks_source_(*this), locked_(pinner_) {}
  /// Reads the settings.
  Status init();

  /// kind: OMPTARGET_ALLOC_*.
  Result<void *> allocate(size_t size, int32_t kind);
  Status release(void *memory);
  Result<uint64_t> allocate_device(size_t size);
  Status release_device(uint64_t memory);

  /// Pinned memory that the device reaches, for arguments and copies.
  Result<void *> allocate_block(size_t size);
  Status release_block(void *block);
  /// Largest copy that goes through such a block.
  size_t most_block() const { return most_block_; }

  /// data_lock and data_unlock.
  Result<void *> lock(void *host, size_t size);
  Status unlock(void *host);
  /// For the time of a copy.
  Result<void *> lock_range(void *host, size_t size) { return locked_.lock(host, size); }
  PinnedView lock_if_pinned(void *host, size_t size) { return locked_.lock_if_pinned(host, size); }
  Status unlock_range(void *host) { return locked_.unlock(host); }
  Status notify_mapped(void *host, size_t size) { return mapped_.notify_mapped(host, size); }
  Status notify_unmapped(void *host) { return mapped_.notify_unmapped(host); }
  /// Lets all devices reach the device memory at this address.
  Status share(const void *memory);

  bool is_initialised() const { return allocator_ != nullptr; }
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
  struct BlockSource final : MemorySource {
    explicit BlockSource(Memory &owner) : owner_(owner) {}
    Result<void *> allocate(size_t size) override;
    Status release(void *memory) override;
    Memory &owner_;
  };
  /// Pins for all devices.
  struct Pinner final : HostPinner {
    Result<void *> pin(void *host, size_t size, bool &is_foreign) override;
    Status unpin(void *host) override;
    PinnedView find_pinned(void *host, size_t size) override;
  };
  bool is_host_allocation(void *host);
  Result<void *> allocate_in(const std::optional<MemoryPool> &pool, size_t size);

  Device &device_;
  Source source_;
  BlockSource blocks_source_;
  Pinner pinner_;
  size_t most_block_ = 0;
  std::unique_ptr<CachingAllocator> allocator_;
  std::unique_ptr<CachingAllocator> blocks_;
  LockedRanges locked_; ///< what this device wants pinned
  MappedRanges mapped_{locked_};
  std::atomic<size_t> others_count_{0};                  ///< entries of others_, so that most frees need no look
  Guarded<std::unordered_map<void *, int32_t>> others_;  ///< host and shared memory and its kind
};

} // namespace omptarget::amdgpu
