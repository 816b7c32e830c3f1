// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the program allocated and freed the memory of a device, for reports on faults and on wrong frees:
// OFFLOAD_TRACK_ALLOCATION_TRACES.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>

#include "base/call_stack.h"
#include "base/settings.h"
#include "base/status.h"

namespace omptarget {

/// The blocks of a device. Any thread. One that is off does nothing.
class AllocationTraces {
public:
  explicit AllocationTraces(bool is_on = setting_flag(SettingId::kTrackAllocations)) : is_on_(is_on) {}

  bool is_on() const { return is_on_; }
  /// The program has got a block.
  void allocated(const void *block, uint64_t size) {
    if (is_on_ && block) [[unlikely]]
      add(reinterpret_cast<uintptr_t>(block), size);
  }
  /// The program frees a block; before another one can get its place. Fails if none is in use there, after it has told
  /// on stderr what was there.
  Status freeing(const void *block) {
    return is_on_ && block ? release(reinterpret_cast<uintptr_t>(block)) : Status::ok();
  }
  /// Tells on stderr which block the address lies in or beside.
  void tell_fault(int32_t device_number, uint64_t address);
  /// All memory has gone with the device.
  void clear();

  std::mutex &mutex_for_fork() { return mutex_; }

private:
  struct Block {
    uint64_t begin = 0;
    uint64_t size = 0;
    CallStack allocation;
    CallStack release; ///< empty: it is in use
  };
  void add(uint64_t begin, uint64_t size);
  Status release(uint64_t begin);
  const Block *nearest(uint64_t address) const;
  std::string story_at(uint64_t address);

  const bool is_on_;
  std::mutex mutex_;
  std::map<uint64_t, Block> used_; ///< by where they begin
  std::deque<Block> freed_;        ///< the latest first; later blocks may have their place
};

} // namespace omptarget
