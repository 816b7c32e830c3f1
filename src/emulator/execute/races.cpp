// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See races.h.

#include "races.h"

#include <algorithm>
#include <atomic>
#include <cstring>

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

namespace {

// Launches that run at once are compared with one another.
uint64_t next_event() {
  static constinit std::atomic<uint64_t> events{0};
  return ++events;
}

} // namespace

void GlobalUses::order(TeamOrder &team, bool of_device) {
  team.own = next_event();
  if (of_device)
    team.device = team.own;
}

void GlobalUses::forget(uint64_t address, uint64_t size) {
  for (uint64_t word = address / 4; word <= (address + size) / 4; ++word)
    words_.erase(word);
}

bool GlobalUses::races(const Last &last, const GlobalUse &use, uint8_t bytes) {
  if (last.at == 0 || (last.bytes & bytes) == 0)
    return false;
  if (last.team != use.team->number)
    return last.at > use.team->device;
  return last.wave != use.wave && last.at > use.team->own;
}

std::optional<EarlierUse> GlobalUses::note(uint64_t address, uint32_t size, const GlobalUse &use,
                                           const uint8_t *present, const void *value) {
  if (use.team->number == 0)
    use.team->number = ++teams_;
  const bool changes = use.writes && !use.is_atomic && (!value || std::memcmp(value, present, size) != 0);
  const uint64_t now = next_event();
  for (uint32_t done = 0; done < size;) {
    const auto skipped = static_cast<uint32_t>((address + done) & 3), taken = std::min(4 - skipped, size - done);
    const auto bytes = static_cast<uint8_t>(((1u << taken) - 1) << skipped);
    Word &word = words_[(address + done) / 4];
    if ((changes && !use.may_be_atomic) || !use.writes)
      if (races(word.store, use, bytes))
        return word.store.use;
    if (changes && races(word.load, use, bytes))
      return word.load.use;
    // An atomic operation that leaves the bytes as they were is no change.
    if (!use.writes && races(word.atomic, use, bytes) && std::memcmp(&word.before[skipped], present + done, taken) != 0)
      return word.atomic.use;
    if (changes || use.is_atomic || !use.writes) // what is there already is stored by all who like
      (use.is_atomic ? word.atomic
       : use.writes  ? word.store
                     : word.load) = {now,
                                    use.team->number,
                                    use.team->device,
                                    {use.block, use.thread, use.code, use.writes, use.is_atomic},
                                    use.wave,
                                    bytes};
    if (use.is_atomic)
      std::memcpy(&word.before[skipped], present + done, taken);
    done += taken;
  }
  return std::nullopt;
}

bool GlobalUses::conflicts(const Last &one, const Last &other) {
  return one.at != 0 && other.at != 0 && (one.bytes & other.bytes) != 0 && one.at > other.behind &&
         other.at > one.behind;
}

std::optional<GlobalUses::Conflict> GlobalUses::conflict(uint64_t word, const Word &one, const Word &other) {
  if (conflicts(one.store, other.store))
    return Conflict{word * 4, one.store.use, other.store.use};
  if (conflicts(one.store, other.load))
    return Conflict{word * 4, one.store.use, other.load.use};
  if (conflicts(one.load, other.store))
    return Conflict{word * 4, one.load.use, other.store.use};
  return std::nullopt;
}

std::optional<GlobalUses::Conflict> GlobalUses::conflict(const GlobalUses &other) const {
  for (const auto &[word, uses] : words_)
    if (const auto found = other.words_.find(word); found != other.words_.end())
      if (auto between = conflict(word, uses, found->second))
        return between;
  return std::nullopt;
}

std::optional<GlobalUses::Conflict> GlobalUses::conflict(uint64_t address, uint64_t size, bool writes) const {
  const uint64_t end = address + size;
  for (const auto &[number, word] : words_) {
    uint8_t bytes = 0;
    for (unsigned n = 0; n < 4; ++n)
      bytes |= number * 4 + n >= address && number * 4 + n < end ? 1 << n : 0;
    if (word.store.at != 0 && (word.store.bytes & bytes) != 0)
      return Conflict{number * 4, word.store.use, {}};
    if (writes && word.load.at != 0 && (word.load.bytes & bytes) != 0)
      return Conflict{number * 4, word.load.use, {}};
  }
  return std::nullopt;
}

std::string describe_race(const EarlierUse &earlier) {
  const auto &block = earlier.block;
  return ", which thread " + std::to_string(earlier.thread) + " of block " + std::to_string(block[0]) + "," +
         std::to_string(block[1]) + "," + std::to_string(block[2]) +
         (earlier.is_atomic ? " changed by an atomic operation"
          : earlier.writes  ? " wrote"
                            : " read") +
         ", and nothing orders the two (a race: " +
         (earlier.is_atomic ? "the load is not atomic)"
                            : "an atomic operation, a reduction or a lock is missing, or a barrier within one team)");
}

} // namespace emulator::executor
