// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a recorded launch again: registers its image, puts its memory on a device, launches, and compares what the
// launch has left there.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "record/recording.h"
#include "tools/replay/library.h"

namespace omptarget::replay {

/// Numbers that a launch has instead of the recorded ones.
struct Shape {
  std::optional<uint32_t> teams;
  std::optional<uint32_t> threads;
};

/// Bytes of one block that are not as they were recorded.
struct Difference {
  size_t block;
  uint64_t count = 0;          ///< of bytes
  uint64_t first = 0;          ///< offset of the first one
  std::string recorded, found; ///< the bytes from there on, in hexadecimal
};

/// Used by one thread. The recording outlives it.
class Replay {
public:
  Replay(const Library &library, const record::Recording &recording) : library_(library), recording_(recording) {}
  Replay(const Replay &) = delete;
  Replay &operator=(const Replay &) = delete;
  ~Replay();

  /// Registers the image, and finds a place for each block on the device. Fails if no device takes the image.
  Status prepare(int device);
  /// Returns whether all memory lies where it lay when it was recorded, but for the image's.
  bool is_in_place() const { return is_in_place_; }
  /// Writes the memory as it was before the launch.
  Status restore();
  /// Launches, and returns the nanoseconds of it.
  Result<uint64_t> launch(const Shape &shape);
  /// Compares the memory with what the recorded launch has left. Only for recordings with results.
  Result<std::vector<Difference>> compare();

private:
  void describe_image();
  Status place_blocks();
  bool map_in_place();
  Status allocate(size_t block);
  void relocate();
  uint64_t place_of(size_t block, int64_t offset) const { return places_[block] + static_cast<uint64_t>(offset); }
  void fill_arguments();
  std::vector<std::byte> expected(size_t block) const;
  Difference compare(size_t block, const std::vector<std::byte> &found) const;
  bool is_same_pointer(uint64_t recorded, uint64_t found) const;

  const Library &library_;
  const record::Recording &recording_;
  int device_ = 0;
  bool is_registered_ = false;
  bool is_in_place_ = false;
  std::vector<__tgt_offload_entry_v1> entries_;
  __tgt_device_image image_{};
  __tgt_bin_desc descriptor_{};
  std::vector<uint64_t> places_; ///< of each block on the device
  std::vector<void *> allocated_;
  std::vector<std::vector<std::byte>> relocated_; ///< the bytes of each block that has pointers; otherwise empty
  std::vector<void *> values_;
  std::vector<int64_t> sizes_, types_;
};

/// Returns whether the recorded image is for this machine's CPU.
bool is_for_cpu(const record::Recording &recording);

} // namespace omptarget::replay
