// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device memory in one NUMA domain.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/guarded.h"
#include "common/size_classes.h"
#include "host/kept_blocks.h"
#include "host/numa_domain.h"

namespace omptarget::host {

/// Blocks of up to 64 KiB lie side by side in pieces that are kept. Larger ones are kept for a while when they are
/// released. Never destroyed. Any thread.
class DomainMemory {
public:
  /// The domain outlives it.
  explicit DomainMemory(const NumaDomain &domain);
  DomainMemory(const DomainMemory &) = delete;
  DomainMemory &operator=(const DomainMemory &) = delete;

  /// Makes what keeps large blocks. The first of them does it otherwise, which must not be while the process forks.
  void prepare() { large(); }

  /// At least size bytes, aligned to 16 bytes, from 4 KiB on to 64; null if there are none.
  void *allocate(size_t size);
  /// Gives back a block of any DomainMemory; null is none.
  static void release(void *block);

  /// Gives back the large blocks that are kept.
  void trim();

  std::mutex &mutex_for_fork() { return free_.mutex_for_fork(); }
  /// The large blocks; null if none was asked for yet.
  KeptBlocks *kept() { return has_large_.load(std::memory_order_acquire) ? large_.get() : nullptr; }

  static constexpr size_t kPiece = size_t{1} << 20; ///< alignment of pieces, and the size of most
  /// Bytes of a piece with one block, in whole pages. The rest goes back to the system at once.
  static constexpr size_t piece_bytes(size_t size, size_t page) { return (kHeader + size + page - 1) / page * page; }

private:
  static constexpr size_t kHeader = 4096; ///< at the start of each
  static constexpr size_t kLargestSmall = 64 << 10;
  static constexpr size_t kClasses = class_index(kLargestSmall) + 1;

  /// The start of each piece.
  struct Header {
    DomainMemory *owner;
    size_t bytes; ///< bytes of the piece, this one included
    size_t index; ///< class_index() of its blocks; kClasses: one large block
  };
  /// Pieces with one block.
  class PieceSource final : public MemorySource {
  public:
    explicit PieceSource(DomainMemory &owner) : owner_(owner) {}
    Result<void *> allocate(size_t size) override;
    Status release(void *block) override;

  private:
    DomainMemory &owner_;
  };
  static Header *piece_of(void *block) {
    return reinterpret_cast<Header *>(reinterpret_cast<uintptr_t>(block) & ~(kPiece - 1));
  }
  using FreeBlocks = std::array<std::vector<void *>, kClasses>;

  Header *map_piece(size_t bytes, size_t index);
  void *take_small(size_t size);
  KeptBlocks &large();

  const NumaDomain &domain_;
  Guarded<FreeBlocks> free_;
  PieceSource pieces_{*this};
  std::once_flag made_large_; ///< large_ is made when it is needed first, as it reads what is free
  std::atomic<bool> has_large_{false};
  std::unique_ptr<KeptBlocks> large_;
};

} // namespace omptarget::host
