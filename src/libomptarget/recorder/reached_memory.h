// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device memory that a launch reaches, read for a recording. Its arguments point to it, or pointers in that memory
// do.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "device/device.h"
#include "memory/allocated_memory.h"
#include "record/recording.h"

namespace omptarget {

/// Used by one thread, while the launch's construct keeps its data. It borrows the mappings that it reaches otherwise
/// until it ends, and takes no lock meanwhile.
class ReachedMemory {
public:
  struct Place {
    uint32_t block;
    int64_t offset; ///< bytes from its begin
  };

  /// The blocks and pointers go into the recording, which ends before this.
  ReachedMemory(Device &device, record::Recording &recording) : device_(device), recording_(recording) {}
  ReachedMemory(const ReachedMemory &) = delete;
  ReachedMemory &operator=(const ReachedMemory &) = delete;
  ~ReachedMemory();

  /// Notes all memory of the device that is known: what is mapped, allocated, and the launch's private memory.
  void find_ranges(const std::vector<AllocatedRange> &allocated, const AllocatedRange &own);
  /// The memory of a mapping, or around a device address, is reached. Nothing if nobody knows of it.
  std::optional<uint32_t> reach(MappingRef ref);
  std::optional<Place> reach(DevicePtr address);
  /// A global variable of the image.
  void reach_global(HostPtr variable);
  /// A pointer in reached memory is known to hold this address.
  void add_pointer(DevicePtr place, DevicePtr value);

  /// Reads all that is reached, and what that reaches in turn. Fails if that has more than so many bytes.
  Status read(uint64_t most);
  /// Reads it once more, and notes what has changed.
  Status read_changes();

private:
  /// Memory that is one allocation, or several that overlap.
  struct Range {
    DevicePtr begin, end;
    HostPtr host;
    const char *name;
    record::BlockKind kind;
    std::vector<HostPtr> mappings{}; ///< where each of those in it begins on the host
    std::optional<uint32_t> block{}; ///< once it is reached
  };

  Range *range_of(DevicePtr address);
  uint32_t reach(Range &range);
  Status read_block(uint32_t block);
  void follow_attached(const Range &range);
  void follow_attached(const AttachedPointer &pointer);
  template <typename Function> void for_each_word(uint32_t block, Function function) const;
  uint64_t count_unknown(uint32_t block);
  Result<std::unique_ptr<std::byte[]>> retrieve(const record::Block &block);
  Status note_changes(record::Block &block, const std::byte *after);

  Device &device_;
  record::Recording &recording_;
  std::vector<Range> ranges_; ///< ascending, not overlapping
  std::vector<size_t> ranges_of_blocks_;
  std::vector<MappingRef> borrowed_;
  std::vector<std::unique_ptr<std::byte[]>> bytes_;
};

} // namespace omptarget
