// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See races.h.

#include "races.h"

namespace sim::executor {

std::string SharedUses::note(uint64_t offset, uint32_t size, bool writes, uint32_t thread) {
  for (uint64_t i = offset; i < offset + size; ++i) {
    Use &use = uses_[i];
    const auto conflicts = [&](uint64_t epoch, uint32_t other) {
      return epoch == epoch_ && other / lanes_ != thread / lanes_;
    };
    if (conflicts(use.writer_epoch, use.writer))
      return "thread " + std::to_string(use.writer) + " of the block wrote";
    if (writes && conflicts(use.reader_epoch, use.reader))
      return "thread " + std::to_string(use.reader) + " of the block read";
    (writes ? use.writer_epoch : use.reader_epoch) = epoch_;
    (writes ? use.writer : use.reader) = static_cast<uint16_t>(thread);
  }
  return {};
}

} // namespace sim::executor
