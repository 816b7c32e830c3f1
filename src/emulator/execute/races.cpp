// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See races.h.

#include "races.h"

namespace emulator::executor {

std::string SharedUses::note(uint64_t offset, uint32_t size, bool writes, uint32_t thread, const uint8_t *present) {
  const uint32_t wave = uint32_t{1} << thread / lanes_;
  for (uint32_t n = 0; n < size; ++n) {
    Use &use = uses_[offset + n];
    if (use.writer_epoch != epoch_)
      use.writers = 0;
    const bool changes = writes && (!value_ || value_[n] != present[n]);
    // Others' values may be written again, but are read only by those who did.
    if ((use.writers & ~wave) != 0 && (changes || (!writes && (use.writers & wave) == 0)))
      return "thread " + std::to_string(use.writer) + " of the block wrote";
    if (changes && use.reader_epoch == epoch_ && use.reader / lanes_ != thread / lanes_)
      return "thread " + std::to_string(use.reader) + " of the block read";
    (writes ? use.writer_epoch : use.reader_epoch) = epoch_;
    (writes ? use.writer : use.reader) = static_cast<uint16_t>(thread);
    use.writers |= writes ? wave : 0;
  }
  value_ = nullptr;
  return {};
}

} // namespace emulator::executor
