// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "common/allocation_traces.h"

#include "base/format.h"
#include "base/text_output.h"

namespace omptarget {

namespace {

std::string hex(uint64_t number) { return format("%#llx", static_cast<unsigned long long>(number)); }

/// How far the address is from a block; 0: inside.
uint64_t distance(uint64_t begin, uint64_t size, uint64_t address) {
  if (address < begin)
    return begin - address;
  return address - begin < size ? 0 : address - begin - size + 1;
}

/// "16 bytes before".
std::string place_text(uint64_t begin, uint64_t size, uint64_t address) {
  const auto apart = static_cast<unsigned long long>(address < begin ? begin - address : address - begin);
  if (address < begin)
    return format("%llu bytes before", apart);
  return address - begin < size ? format("byte %llu of", apart)
                                : format("%llu bytes behind the end of", apart - static_cast<unsigned long long>(size));
}

} // namespace

void AllocationTraces::add(uint64_t begin, uint64_t size) {
  CallStack stack = take_call_stack();
  const std::lock_guard lock(mutex_);
  used_[begin] = {begin, size, std::move(stack), {}};
}

Status AllocationTraces::release(uint64_t begin) {
  constexpr size_t kMostFreed = 50000;
  CallStack stack = take_call_stack();
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = used_.find(begin); found != used_.end()) {
      freed_.push_front(std::move(found->second));
      freed_.front().release = std::move(stack);
      used_.erase(found);
      if (freed_.size() > kMostFreed)
        freed_.pop_back();
      return Status::ok();
    }
  }
  write_error_line(format("omptarget note: %s is freed, where no block in use begins. It is freed by\n%s\n%s",
                          hex(begin).c_str(), stack_text(stack).c_str(), story_at(begin).c_str()));
  return Status::error(hex(begin) + " was not allocated here or is free already");
}

/// If two are as near, returns the one in use, or the one that was freed later.
const AllocationTraces::Block *AllocationTraces::nearest(uint64_t address) const {
  const Block *best = nullptr;
  uint64_t least = UINT64_MAX;
  const auto consider = [&](const Block &block) {
    const uint64_t apart = distance(block.begin, block.size, address);
    if (best && apart >= least)
      return;
    best = &block;
    least = apart;
  };
  for (const auto &[begin, block] : used_)
    consider(block);
  for (const Block &block : freed_)
    consider(block);
  return best;
}

std::string AllocationTraces::story_at(uint64_t address) {
  Block block;
  {
    const std::lock_guard lock(mutex_);
    const Block *const found = nearest(address);
    if (!found)
      return "no memory has been allocated there";
    block = *found;
  }
  const bool is_freed = !block.release.empty();
  std::string text =
      format("%s is %s a block of %llu bytes at %s, which is %s", hex(address).c_str(),
             place_text(block.begin, block.size, address).c_str(), static_cast<unsigned long long>(block.size),
             hex(block.begin).c_str(), is_freed ? "free. It was freed by\n" : "in use. It was allocated by\n");
  if (is_freed)
    text += stack_text(block.release) + "\nand allocated by\n";
  return text + stack_text(block.allocation);
}

void AllocationTraces::tell_fault(int32_t device_number, uint64_t address) {
  if (is_on_)
    write_error_line(format("omptarget note: device %d: ", device_number) + story_at(address));
}

void AllocationTraces::clear() {
  const std::lock_guard lock(mutex_);
  used_.clear();
  freed_.clear();
}

} // namespace omptarget
