// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory for launches that several cores carry out.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <pthread.h>
#include <set>
#include <vector>

#include "emulator/execute/ptx/launch.h"

namespace emulator::executor {

inline constexpr uint32_t kBlocks = 40, kThreads = 64;

/// 16 words for all threads and one for each, and a heap. Counts the threads of the host that have asked for it. Any
/// thread.
class CoresMemory final : public DeviceMemory, public ptx::DeviceHeap {
public:
  std::optional<MemoryRange> find(uint64_t address) override {
    const std::lock_guard lock(mutex_);
    askers_.insert(pthread_self());
    for (const auto &[begin, size] : {range_of(words), range_of(pointer)})
      if (address - begin < size)
        return MemoryRange{begin, begin + size, true};
    if (auto next = blocks_.upper_bound(address); next != blocks_.begin())
      if (const auto &[first, bytes] = *--next; address - first < bytes.size())
        return MemoryRange{first, first + bytes.size(), true};
    return find_in_code ? find_in_code(address) : std::nullopt;
  }
  uint64_t generation() override { return generation_.load(); }
  uint64_t allocate(uint64_t size) override {
    const std::lock_guard lock(mutex_);
    std::vector<uint8_t> bytes(size);
    const auto address = reinterpret_cast<uint64_t>(bytes.data());
    blocks_.emplace(address, std::move(bytes));
    ++generation_;
    return address;
  }
  bool release(uint64_t address) override {
    const std::lock_guard lock(mutex_);
    const bool is_known = blocks_.erase(address) != 0;
    ++generation_;
    return is_known;
  }
  size_t askers() {
    const std::lock_guard lock(mutex_);
    return askers_.size();
  }
  size_t allocated() {
    const std::lock_guard lock(mutex_);
    return blocks_.size();
  }

  std::function<std::optional<MemoryRange>(uint64_t)> find_in_code; ///< in the code's variables
  std::array<uint64_t, 16 + size_t{kBlocks} * kThreads> words{};
  uint64_t *pointer = words.data(); ///< a kernel's argument

private:
  template <class T> static std::pair<uint64_t, uint64_t> range_of(const T &object) {
    return {reinterpret_cast<uint64_t>(&object), sizeof(object)};
  }

  std::mutex mutex_;
  std::set<pthread_t> askers_;
  std::map<uint64_t, std::vector<uint8_t>> blocks_;
  std::atomic<uint64_t> generation_{1};
};

} // namespace emulator::executor
