// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that nobody wrote, and what depends on it (SIM_EXECUTOR_UNWRITTEN=1). Each byte has two values: the one in
// memory, and another that it might have had as well. A written byte has one value only. Kernels compute with both
// values. So a result that differs depends on memory that nobody wrote, whatever was done on the way. Shared by all
// targets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

namespace emulator::executor {

/// The differences between the two values of bytes that lie in memory of this process. Any thread.
class UnwrittenMemory {
public:
  /// Null if it is not wanted.
  static UnwrittenMemory *find();

  /// Fresh memory.
  void add(const void *bytes, size_t size);
  /// The host has written it, or it is gone.
  void forget(const void *bytes, size_t size);
  /// Bytes were copied.
  void copy(void *to, const void *from, size_t size);

  /// Code that has read memory which nobody wrote; 0: nobody has read it yet.
  using Origin = uint64_t;
  /// The exclusive or of the two values, and the origin. False if they are the same.
  bool read(const void *bytes, size_t size, uint8_t *differences, Origin &origin) const;
  /// Device code has written the bytes.
  void write(void *bytes, size_t size, const uint8_t *differences, Origin origin);

  /// Bytes of a range with two values.
  struct Part {
    size_t first = 0, count = 0; ///< the first of them, and how many there are
    Origin origin = 0;           ///< of the first
  };
  std::optional<Part> find_in(const void *bytes, size_t size) const;

private:
  static constexpr uintptr_t kPageSize = 4096, kWord = 8;
  struct Page {
    std::array<uint8_t, kPageSize> differences{};
    std::array<Origin, kPageSize / kWord> origins{};
  };
  /// Calls action(page or null, its number, first byte in it, how many, how many before).
  template <class Action> static void for_pages(const void *bytes, size_t size, Action action);
  void set(const void *bytes, size_t size, const uint8_t *differences, Origin origin);

  mutable std::mutex mutex_;
  std::unordered_map<uintptr_t, std::unique_ptr<Page>> pages_;
};

/// Bytes that are unwritten while this lives.
class FreshBytes {
public:
  FreshBytes(const void *bytes, size_t size) : memory_(UnwrittenMemory::find()), bytes_(bytes), size_(size) {
    if (memory_)
      memory_->add(bytes, size);
  }
  ~FreshBytes() {
    if (memory_)
      memory_->forget(bytes_, size_);
  }
  FreshBytes(const FreshBytes &) = delete;
  FreshBytes &operator=(const FreshBytes &) = delete;

private:
  UnwrittenMemory *const memory_;
  const void *const bytes_;
  const size_t size_;
};

} // namespace emulator::executor
