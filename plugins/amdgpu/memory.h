// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the driver's memory comes from: device memory, host memory that all devices reach, small pinned blocks for
// kernels' arguments and copies; how host memory is pinned.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "amdgpu/hsa_api.h"
#include "base/guarded.h"
#include "base/status.h"
#include "common/slab_source.h"
#include "gpu/memory.h"

namespace omptarget::amdgpu {

class Device;

/// A memory pool of an agent.
struct MemoryPool {
  hsa_amd_memory_pool_t handle{0};
  int segment = 0;    ///< HSA_AMD_SEGMENT_*
  uint32_t flags = 0; ///< HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_*
  bool may_allocate = false;
  size_t size = 0; ///< bytes
};

/// The pools in which the plugin allocates.
struct HostPools {
  hsa_agent_t agent{0};                ///< the CPU that they belong to
  std::optional<MemoryPool> fine;      ///< coherent between host and devices during a kernel
  std::optional<MemoryPool> arguments; ///< memory for kernels' arguments

  /// Those of the CPU that is nearest to the GPU, if the driver tells and it has both; otherwise of the first CPU
  /// that has.
  static Result<HostPools> choose(hsa_agent_t gpu, std::vector<hsa_agent_t> cpus);
};
/// The pools of an agent.
Result<std::vector<MemoryPool>> read_pools(hsa_agent_t agent);
/// Memory of a pool of the host's that these devices reach.
Result<void *> allocate_in(const std::optional<MemoryPool> &pool, size_t size, const std::vector<hsa_agent_t> &agents);

class Memory final : public gpu::Memory {
public:
  explicit Memory(Device &device) : gpu::Memory(source_, pinner_), source_(device), blocks_source_(device) {}

  /// Pinned memory that this device reaches, for arguments and copies.
  Result<void *> allocate_block(size_t size) { return blocks_->allocate(size); }
  Status release_block(void *block) { return blocks_->release(block); }
  CachingAllocator &blocks() { return *blocks_; }
  /// Largest copy that goes through such a block.
  size_t most_block() const { return most_block_; }

  /// Pins for the time of a copy.
  Result<void *> lock_range(void *host, size_t size) { return locked().lock(host, size); }
  PinnedView lock_if_pinned(void *host, size_t size) { return locked().lock_if_pinned(host, size); }
  Status unlock_range(void *host) { return locked().unlock(host); }
  /// Tells whether anybody has pinned it.
  bool is_pinned(void *host, size_t size);
  /// Lets another device reach this one's memory at this address.
  Status share(const void *memory, hsa_agent_t agent);

private:
  struct Source final : MemorySource {
    explicit Source(Device &device) : device_(device) {}
    Result<void *> allocate(size_t size) override;
    Status release(void *memory) override;
    Device &device_;
    /// Which others reach what lies at this address.
    Guarded<std::unordered_map<const void *, std::vector<hsa_agent_t>>> shared;
  };
  struct BlockSource final : MemorySource {
    explicit BlockSource(Device &device) : device_(device) {}
    Result<void *> allocate(size_t size) override;
    Status release(void *memory) override;
    Device &device_;
  };
  /// Pins for all devices in use.
  struct Pinner final : HostPinner {
    Result<void *> pin(void *host, size_t size, bool &is_foreign) override;
    Status unpin(void *host) override;
    PinnedView find_pinned(void *host, size_t size) override;
  };
  Result<void *> allocate_shared(size_t size, int32_t kind) override;
  Status release_shared(void *memory, int32_t kind) override;
  Status init_own() override;
  Status trim_own() override { return blocks_->trim(); }
  Status release_own() override;

  Source source_;
  BlockSource blocks_source_;
  SlabSource slabs_{blocks_source_};
  Pinner pinner_;
  size_t most_block_ = 0;
  std::unique_ptr<CachingAllocator> blocks_;
};

} // namespace omptarget::amdgpu
