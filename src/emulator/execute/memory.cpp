// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See memory.h.

#include "memory.h"

namespace emulator::executor {

namespace {
bool holds(const MemoryRange &range, uint64_t address, uint64_t size) {
  return address >= range.begin && address < range.end && size <= range.end - address;
}
} // namespace

bool MemoryView::forget_old() {
  const uint64_t generation = memory_.generation();
  if (generation == generation_)
    return false;
  recent_ = {};
  generation_ = generation;
  return true;
}

const MemoryRange *MemoryView::reached(uint64_t address, uint64_t size) const {
  for (const MemoryRange &range : recent_)
    if (holds(range, address, size))
      return &range;
  return nullptr;
}

uint8_t *MemoryView::reach(uint64_t address, uint64_t size, bool writes) {
  forget_old();
  for (const MemoryRange &range : recent_)
    if (holds(range, address, size))
      return writes && !range.may_write ? nullptr : reinterpret_cast<uint8_t *>(address);
  const auto found = memory_.find(address);
  if (!found || !holds(*found, address, size))
    return nullptr;
  recent_[next_++ % recent_.size()] = *found;
  return writes && !found->may_write ? nullptr : reinterpret_cast<uint8_t *>(address);
}

uint8_t *MemoryView::reach_word(uint64_t address) {
  for (uint64_t byte = address; address % kWordSize == 0 && byte < address + kWordSize; ++byte)
    if (const auto found = memory_.find(byte); found && found->may_write)
      return reinterpret_cast<uint8_t *>(address);
  return nullptr;
}

bool MemoryView::is_hosts(uint64_t address) const {
  for (const MemoryRange &range : recent_)
    if (holds(range, address, 1))
      return range.is_hosts;
  return false;
}

} // namespace emulator::executor
