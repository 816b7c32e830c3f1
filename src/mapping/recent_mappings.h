// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mappings that were found before, by the address that was looked up: guesses, which whoever takes one must check. Constructs
// use the same few data again and again; a good guess saves searching the index.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/address.h"

namespace omptarget {

class Mapping;

/// Any thread. What is held may have been removed, and used again, at any moment; Mappings are never given back.
class RecentMappings {
public:
  /// A guess for what is found at this address, or null.
  Mapping *guess(HostPtr address) const { return slots_[slot_of(address)].load(std::memory_order_acquire); }
  void note(HostPtr address, Mapping *mapping) { slots_[slot_of(address)].store(mapping, std::memory_order_release); }

private:
  static constexpr unsigned kBits = 9;
  static size_t slot_of(HostPtr address) {
    return static_cast<size_t>(static_cast<uint64_t>(address) * 0x9E3779B97F4A7C15ull >> (64 - kBits));
  }
  std::atomic<Mapping *> slots_[size_t{1} << kBits] = {};
};

} // namespace omptarget
