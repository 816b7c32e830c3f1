// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables with declare target. A region is code of the host, which refers to them by their symbols. So the host's
// variable is the device's, too, and no construct copies it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "omptarget/host_code.h"

namespace omptarget::gomp {

/// Addresses that were met lately. Any thread; it may forget.
template <size_t kPlaces> class KnownAddresses {
public:
  /// Returns whether it was there already.
  bool note(const void *address) {
    std::atomic<const void *> &place = places_[(reinterpret_cast<uintptr_t>(address) >> 2) % kPlaces];
    if (place.load(std::memory_order_relaxed) == address) [[likely]]
      return true;
    place.store(address, std::memory_order_relaxed);
    return false;
  }

  void forget_all() {
    for (std::atomic<const void *> &place : places_)
      place.store(nullptr, std::memory_order_relaxed);
  }

private:
  std::atomic<const void *> places_[kPlaces] = {};
};

namespace internal {
/// Return addresses of constructs and calls.
extern KnownAddresses<4096> known_sites;
/// Null before the first look, and while there are none.
extern std::atomic<const __omptarget_variables *> declared;
[[gnu::cold]] void look_for_declared();
[[gnu::cold]] bool find_declared(const void *address);
} // namespace internal

/// Looks for variables of modules that are new, if nobody was called from that code yet. Any thread.
inline void look_for_declared(const void *code) {
  if (!internal::known_sites.note(code)) [[unlikely]]
    internal::look_for_declared();
}

/// From now on all memory is as if such variables held it (requires unified_shared_memory).
void share_all();

/// Returns whether there are any such variables.
inline bool has_declared() { return internal::declared.load(std::memory_order_acquire) != nullptr; }
/// Returns whether one of them holds the address. Any thread.
inline bool is_declared(const void *address) { return has_declared() && internal::find_declared(address); }

} // namespace omptarget::gomp
