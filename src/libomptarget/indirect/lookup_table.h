// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host library's own copy of a table of indirect functions, laid out for speed: a hash table, so that a lookup
// costs one cache miss where the sorted pairs cost one per step. Lies in a buffer of a BufferPool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "device-rtl/targets/host.h"
#include "omptarget/types.h"

namespace omptarget {

/// Written once by fill(), then read by any thread. find() on a table that is being overwritten returns nonsense, but
/// ends and reads only inside of the buffer.
class LookupTable {
public:
  /// Size in bytes of a table of that many functions: 24 bytes each.
  static size_t bytes(size_t functions) { return sizeof(LookupTable) + slots(functions) * sizeof(Slot); }

  /// Lays the pairs (host_ptr unique, not 0) out in a buffer of bytes(pairs.size()).
  static const LookupTable *fill(void *buffer, std::span<const __omp_offloading_fptr_map_ty> pairs);

  /// The device function of the host function, or host_ptr itself.
  uint64_t find(uint64_t host_ptr) const {
    using Load = device_rtl::HostTarget;
    if (host_ptr < Load::load(&first_) || host_ptr > Load::load(&last_))
      return host_ptr;
    const uint64_t slots = Load::load(&slots_);
    uint64_t slot = home(host_ptr, slots);
    for (uint64_t probe = 0; probe < slots; ++probe) {
      const Slot found = Load::load_pair(&this->slot(slot));
      if (found.host_ptr == host_ptr)
        return found.tgt_ptr;
      if (found.host_ptr == 0)
        return host_ptr;
      if (++slot == slots)
        slot = 0;
    }
    return host_ptr;
  }

private:
  using Slot = __omp_offloading_fptr_map_ty;
  __extension__ using Wide = unsigned __int128;

  static uint64_t slots(size_t functions) { return functions + functions / 2 + 1; }
  /// Spreads addresses, which are multiples of 4 or 16, evenly over the slots.
  static uint64_t home(uint64_t host_ptr, uint64_t slots) {
    return static_cast<uint64_t>((static_cast<Wide>(host_ptr * 0x9e3779b97f4a7c15u) * slots) >> 64);
  }
  const Slot &slot(uint64_t index) const { return reinterpret_cast<const Slot *>(this + 1)[index]; }

  uint64_t first_; ///< no host_ptr is below; 1 above last_ if there is none
  uint64_t last_;
  uint64_t slots_;
  [[maybe_unused]] uint64_t padding_;
};
static_assert(sizeof(LookupTable) == 32);

} // namespace omptarget
