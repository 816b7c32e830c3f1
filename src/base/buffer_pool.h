// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory for data that is read without any lock: it is used again, but never given back to the system and never in
// another size. A reader that comes late reads nonsense, but never outside of a buffer.
#pragma once

#include <cstddef>
#include <vector>

namespace omptarget {

/// Buffers in sizes of powers of two, aligned to cache lines, zero when new. Not synchronised.
class BufferPool {
public:
  BufferPool() = default;
  BufferPool(const BufferPool &) = delete;
  BufferPool &operator=(const BufferPool &) = delete;
  /// Frees what was given back. Nobody may be reading any more.
  ~BufferPool();

  /// A buffer of at least this many bytes. Never null: without memory the process ends, as with new.
  void *take(size_t bytes);
  /// Takes a buffer back that take() gave for this many bytes. Readers may still be in it.
  void give(void *buffer, size_t bytes);

  /// Gives most of a buffer's memory back to the system: it reads as zero from now on, and stays the caller's.
  static void empty(void *buffer, size_t bytes);

private:
  static constexpr size_t kClasses = 48;
  static size_t size_class(size_t bytes);
  std::vector<void *> free_[kClasses];
};

} // namespace omptarget
