// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of a device: device memory through the caching allocator, memory that host and device share, pinned host
// ranges.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <unordered_map>

#include "base/guarded.h"
#include "base/status.h"
#include "common/caching_allocator.h"
#include "common/locked_ranges.h"
#include "common/mapped_ranges.h"

namespace omptarget::gpu {

/// Any thread. All functions: inside of a Scope of the device.
class Memory {
public:
  virtual ~Memory() = default;
  /// Reads the settings. free: bytes of device memory that nobody uses.
  Status init(uint64_t free);

  /// kind: OMPTARGET_ALLOC_*.
  Result<void *> allocate(size_t size, int32_t kind);
  /// Frees memory of any kind; the kind is found by the address, since some callers do not tell it right.
  Status release(void *memory);
  Result<uint64_t> allocate_device(size_t size);
  Status release_device(uint64_t memory);

  /// Pinned memory for the plugin's own copies.
  CachingAllocator &pinned() { return *allocators_[OMPTARGET_ALLOC_HOST]; }

  /// Pin host memory for the device, and undo one lock() (plugin.h: data_lock, data_unlock).
  Result<void *> lock(void *host, size_t size);
  Status unlock(void *host);
  /// Pin mapped host memory if LIBOMPTARGET_LOCK_MAPPED_HOST_BUFFERS says so.
  Status notify_mapped(void *host, size_t size) { return mapped_.notify_mapped(host, size); }
  Status notify_unmapped(void *host) { return mapped_.notify_unmapped(host); }

  bool pins_mapped() const { return mapped_.is_on(); }

  /// As allocate() and release() where no driver is needed, also outside of a Scope. Where one is needed, they return
  /// null, or false, and have done nothing.
  void *try_allocate(size_t size, int32_t kind);
  bool try_release(void *memory);

  /// Returns the statistics of device memory.
  AllocatorStatistics statistics() {
    const auto &allocator = allocators_[OMPTARGET_ALLOC_DEVICE];
    return allocator ? allocator->statistics() : AllocatorStatistics();
  }
  /// Gives the driver back what is kept.
  Status trim();
  /// Releases all that was allocated, also what the program did not free.
  Status release_all();

protected:
  /// Where device memory comes from and what pins; both outlive this.
  Memory(MemorySource &source, HostPinner &pinner) : source_(source), locked_(pinner) {}

  // ---- What a driver does

  /// Memory of the kinds OMPTARGET_ALLOC_HOST and OMPTARGET_ALLOC_SHARED.
  virtual Result<void *> allocate_shared(size_t size, int32_t kind) = 0;
  virtual Status release_shared(void *memory, int32_t kind) = 0;
  /// Creates and releases what only this driver has.
  virtual Status init_own() { return Status::ok(); }
  virtual Status trim_own() { return Status::ok(); }
  virtual Status release_own() { return Status::ok(); }

  LockedRanges &locked() { return locked_; }

private:
  static constexpr int kKinds = 3; ///< device, host, shared
  struct KindSource final : MemorySource {
    KindSource(Memory &memory, int32_t kind) : memory_(memory), kind_(kind) {}
    Result<void *> allocate(size_t size) override { return memory_.allocate_shared(size, kind_); }
    Status release(void *memory) override { return memory_.release_shared(memory, kind_); }
    Memory &memory_;
    const int32_t kind_;
  };
  static int index_of(int32_t kind);
  int index_of(const void *memory);
  void note(void *memory, int index);
  void forget(const void *memory, int index);
  bool keeps_others(int index);

  MemorySource &source_;
  KindSource host_{*this, OMPTARGET_ALLOC_HOST};
  KindSource shared_{*this, OMPTARGET_ALLOC_SHARED};
  std::array<std::unique_ptr<CachingAllocator>, kKinds> allocators_; ///< one of each kind
  LockedRanges locked_;                                              ///< ranges that this device wants pinned
  MappedRanges mapped_{locked_};
  std::atomic<size_t> others_count_{0};                   ///< entries of others_, so that most frees do not search them
  Guarded<std::unordered_map<const void *, int>> others_; ///< host and shared memory in use and its kind
};

} // namespace omptarget::gpu
