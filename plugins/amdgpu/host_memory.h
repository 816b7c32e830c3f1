// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host memory that several devices reach: of the driver's pool, or pinned. Only those devices are let at it that are
// in use, since a node may have dozens of them, and mapping memory to each takes time and room.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <unordered_set>
#include <vector>

#include "amdgpu/hsa_api.h"
#include "base/status.h"
#include "common/locked_ranges.h"

namespace omptarget::amdgpu {

struct MemoryPool;

/// Host memory that the devices share. Any thread.
class HostMemory {
public:
  /// The one of this process; never destroyed.
  static HostMemory &get();

  /// The device is in use from now on: it reaches all that is there, and what comes.
  Status add_user(hsa_agent_t agent);

  /// Allocates from a pool of the host's. Each device in use reaches the block.
  Result<void *> allocate(const std::optional<MemoryPool> &pool, size_t size);
  Status release(void *memory);

  /// The pinned ranges of all devices: a range that one of them no longer needs may be another one's.
  LockedRanges &pinned() { return pinned_; }

private:
  HostMemory() = default;
  /// Pins for the devices in use.
  struct Pinner final : HostPinner {
    explicit Pinner(HostMemory &memory) : memory_(memory) {}
    Result<void *> pin(void *host, size_t size, bool &is_foreign) override;
    Status unpin(void *host) override;
    PinnedView find_pinned(void *host, size_t size) override;
    size_t reach() override { return memory_.users().size(); }
    Result<void *> pin_again(void *host, size_t size) override;
    HostMemory &memory_;
  };
  std::vector<hsa_agent_t> users();

  std::mutex mutex_; ///< held while the driver is called, so that nobody is left out
  std::vector<hsa_agent_t> users_;
  std::unordered_set<void *> blocks_;
  Pinner pinner_{*this};
  LockedRanges pinned_{pinner_};
};

} // namespace omptarget::amdgpu
