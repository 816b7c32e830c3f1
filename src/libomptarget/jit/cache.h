// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A folder that keeps compiled images for later processes. It holds code, so it must be the user's own, and its files
// are checked. Many processes use it at once. Nothing that goes wrong with it is an error: then images are compiled
// again.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/bounded_call.h"

namespace omptarget::jit {

/// A hash (BLAKE3) of all that a compiled image depends on.
using Key = std::array<uint8_t, 32>;

/// Returns the key's name, in hexadecimal digits.
std::string name_of(const Key &key);

class Cache {
public:
  /// Opens the folder that the settings name, and makes it if it is not there. Without one, nothing is found or kept.
  Cache();
  ~Cache();
  Cache(const Cache &) = delete;
  Cache &operator=(const Cache &) = delete;

  bool is_open() const { return folder_ >= 0; }
  /// The image of that key, if it is there and whole. A damaged file is removed.
  std::optional<std::string> find(const Key &key) const;
  /// Keeps the image, and removes those that were not used for the longest time if there are too many bytes.
  void keep(const Key &key, std::string_view image) const;

  /// Waits until no other thread or process has the lock of that key, at most until the deadline. The system gives the
  /// lock back when its holder ends.
  class Lock {
  public:
    Lock(const Cache &cache, const Key &key, Deadline deadline);
    ~Lock();
    Lock(const Lock &) = delete;
    Lock &operator=(const Lock &) = delete;

  private:
    int file_ = -1;
  };

private:
  std::optional<std::string> read(const Key &key) const;
  bool write(const std::string &name, const Key &key, std::string_view image) const;
  void trim() const;

  int folder_ = -1;
  uint64_t most_bytes_ = 0;
};

} // namespace omptarget::jit
