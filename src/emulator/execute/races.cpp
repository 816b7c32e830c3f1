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

uint64_t time_at(const std::vector<uint64_t> &times, size_t at) { return at < times.size() ? times[at] : 0; }

void set_at(std::vector<uint64_t> &times, size_t at, uint64_t time) {
  if (times.size() <= at)
    times.resize(at + 1);
  times[at] = time;
}

// The later time of each slot.
void join(TeamTimes &times, const TeamTimes &others) {
  if (times.size() < others.size())
    times.resize(others.size());
  for (size_t slot = 0; slot < others.size(); ++slot)
    times[slot] = std::max(times[slot], others[slot]);
}

} // namespace

void GlobalUses::begin(TeamOrder &team) {
  if (team.number != 0)
    return;
  team.number = ++teams_;
  const auto free = std::find(residents_.begin(), residents_.end(), nullptr);
  team.slot = static_cast<uint32_t>(free - residents_.begin());
  if (free == residents_.end())
    residents_.push_back(nullptr);
  residents_[team.slot] = &team;
}

void GlobalUses::end(const TeamOrder &team) {
  if (team.number != 0)
    residents_[team.slot] = nullptr;
}

// Adds what the team has done until now, and what that is behind.
void GlobalUses::publish(const TeamOrder &team, TeamTimes &seen, uint64_t now) const {
  join(seen, team.known);
  set_at(seen, team.slot, now);
}

// Null if there are too many.
TeamTimes *GlobalUses::find_synchronisation(uint64_t word) {
  if (const auto found = synchronisation_.find(word); found != synchronisation_.end())
    return &found->second;
  if (synchronisation_.size() == kMostSynchronisation)
    return nullptr;
  TeamTimes &seen = synchronisation_[word];
  // A plain store may have been its first.
  if (const auto noted = words_.find(word); noted != words_.end())
    if (const Last &store = noted->second.store; store.at != 0)
      if (const TeamOrder *const team = residents_[store.slot]; team && team->number == store.team)
        publish(*team, seen, store.at);
  return &seen;
}

uint64_t GlobalUses::synchronise(TeamOrder &team, uint64_t address, uint32_t size, bool reads, bool writes) {
  begin(team);
  const uint64_t now = next_event();
  uint64_t own = 0;
  for (uint64_t word = address / 4; word <= (address + size - 1) / 4; ++word) {
    TeamTimes *const seen = find_synchronisation(word);
    own = std::max(own, seen ? time_at(*seen, team.slot) : see_all(team));
    if (seen && reads)
      join(team.seen, *seen);
    if (seen && writes)
      publish(team, *seen, now);
  }
  return own;
}

uint64_t GlobalUses::see_all(TeamOrder &team) {
  begin(team);
  const uint64_t now = next_event();
  team.seen.assign(residents_.size(), now);
  return now;
}

void GlobalUses::acquire(TeamOrder &team) {
  begin(team);
  team.device = next_event();
  join(team.known, team.seen);
}

void GlobalUses::order_wave(TeamOrder &team, uint32_t wave, std::optional<uint64_t> until) {
  set_at(team.own, wave, std::max(time_at(team.own, wave), until ? *until : next_event()));
}

void GlobalUses::order_waves(TeamOrder &team, size_t waves) { team.own.assign(waves, next_event()); }

void GlobalUses::forget(uint64_t address, uint64_t size) {
  for (uint64_t word = address / 4; word <= (address + size) / 4; ++word)
    words_.erase(word);
}

bool GlobalUses::races(const Last &last, const GlobalUse &use, uint8_t bytes) const {
  if (last.at == 0 || (last.bytes & bytes) == 0)
    return false;
  const TeamOrder &team = *use.team;
  if (last.team == team.number)
    return last.wave != use.wave && last.at > time_at(team.own, use.wave);
  const TeamOrder *const resident = residents_[last.slot];
  return last.at > (resident && resident->number == last.team ? time_at(team.known, last.slot) : team.device);
}

std::optional<EarlierUse> GlobalUses::note(uint64_t address, uint32_t size, const GlobalUse &use,
                                           const uint8_t *present, const void *value) {
  begin(*use.team);
  const bool changes = use.writes && !use.is_atomic && (!value || std::memcmp(value, present, size) != 0);
  const uint64_t now = next_event();
  if (use.writes && !use.is_atomic) // it may be a release
    for (uint64_t word = address / 4; word <= (address + size - 1) / 4; ++word)
      if (const auto found = synchronisation_.find(word); found != synchronisation_.end())
        publish(*use.team, found->second, now);
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
                                    use.team->slot,
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
