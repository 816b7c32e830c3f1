// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The surroundings of an address that a device does not reach, for a message.
#pragma once

#include <cstdint>
#include <string>
#include <sys/uio.h>
#include <unistd.h>

namespace emulator {

/// memory: allocations by address, of which size(one) bytes are the device's or known to it. Empty if nothing is near.
template <class Memory, class Size> std::string describe_near(const Memory &memory, uint64_t address, Size size) {
  constexpr uint64_t kNear = 4096;
  const auto text = [](uint64_t distance, const char *where, uint64_t bytes) {
    return "; that is " + std::to_string(distance) + " bytes " + where + " an allocation of " + std::to_string(bytes) +
           " bytes";
  };
  if (address < kNear)
    return "; that is a null pointer";
  const auto next = memory.upper_bound(address);
  if (next != memory.begin()) {
    const auto &[begin, one] = *std::prev(next);
    if (const uint64_t end = begin + size(one); address >= end && address - end < kNear)
      return text(address - end, "behind", size(one));
  }
  if (next != memory.end() && next->first - address < kNear)
    return text(next->first - address, "before", size(next->second));
  char byte;
  const iovec to{&byte, 1}, from{reinterpret_cast<void *>(address), 1};
  return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == 1 ? "; that is memory of the host: is it mapped?" : "";
}

} // namespace emulator
