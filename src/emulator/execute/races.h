// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records the threads that touched each byte of a block's shared memory since the last barrier. Shared by all targets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace emulator::executor {

/// Finds accesses of two waves to the same byte, one of them writing, without a barrier between. Lanes of one wave are taken to agree
/// among themselves; atomic operations are not for it. Waves may all write the same value, and each may read it then.
class SharedUses {
public:
  SharedUses(size_t bytes, uint32_t lanes) : lanes_(lanes), uses_(bytes) {}
  /// A barrier has let the waves go on.
  void forget() { ++epoch_; }
  /// Tells the value that the next access writes.
  void tell_value(const void *bytes) { value_ = static_cast<const uint8_t *>(bytes); }
  /// Notes an access to the bytes at present; returns what it races with, as "thread 3 of the block wrote", or nothing.
  std::string note(uint64_t offset, uint32_t size, bool writes, uint32_t thread, const uint8_t *present);

private:
  struct Use {
    uint64_t writer_epoch = 0, reader_epoch = 0;
    uint16_t writer = 0, reader = 0; ///< threads
    uint32_t writers = 0;            ///< waves, all of the same value
  };

  uint32_t lanes_; ///< of a wave
  uint64_t epoch_ = 1;
  const uint8_t *value_ = nullptr;
  std::vector<Use> uses_; ///< one for each byte
};

} // namespace emulator::executor
