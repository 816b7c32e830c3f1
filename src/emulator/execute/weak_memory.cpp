// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See weak_memory.h.

#include "weak_memory.h"

#include <algorithm>
#include <cstring>

#include "grid.h"

namespace emulator::executor {

namespace {

constexpr size_t kMostStores = size_t{1} << 16; ///< in the log; older ones are seen by all
constexpr size_t kMostPending = 4096, kMostLate = 256;
constexpr unsigned kLongestDelay = 14; ///< as a power of two, in instructions

uint8_t *memory_at(uint64_t address) { return reinterpret_cast<uint8_t *>(address); }

// Calls back for each word with the bytes of it that are meant, and how many bytes are before those.
template <class F> void for_words(uint64_t address, uint32_t size, F &&f) {
  for (uint32_t done = 0; done < size;) {
    const auto skipped = static_cast<uint32_t>((address + done) & 7), taken = std::min(8 - skipped, size - done);
    f(address + done - skipped, static_cast<uint8_t>(((1u << taken) - 1) << skipped), skipped, done, taken);
    done += taken;
  }
}

} // namespace

void WeakMemory::begin(WaveView &wave, TeamView &team) {
  if (team.waves.empty()) {
    team.number = ++teams_;
    team.device_seen = ++now_;
  }
  team.waves.push_back(&wave);
  wave.team = &team;
  wave.number = ++waves_;
  wave.began = wave.team_seen = wave.device_seen = ++now_;
}

uint64_t WeakMemory::delay() { // none, any, or mostly a short one
  const uint64_t random = Random(random_state_++).next(), most = (uint64_t{1} << kLongestDelay) - 1;
  return (random & 3) == 0 ? 0 : random >> 8 & ((random & 3) == 1 ? most : most >> (random >> 2) % kLongestDelay);
}

WeakMemory::Store &WeakMemory::note(const WaveView &wave, uint64_t word, uint8_t bytes) {
  if (log_.size() == kMostStores)
    forget_oldest();
  words_[word].push_back(first_ + log_.size());
  Store store{.word = word, .wave = wave.number, .team = wave.team->number, .bytes = bytes};
  for (unsigned byte = 0; byte < 8; ++byte) // the others may be out of reach
    if (bytes >> byte & 1)
      store.old[byte] = memory_at(word)[byte];
  store.at = store.team_at = store.device_at = ++now_;
  return log_.emplace_back(store);
}

void WeakMemory::forget_oldest() {
  const auto found = words_.find(log_.front().word);
  found->second.erase(found->second.begin());
  if (found->second.empty())
    words_.erase(found);
  log_.pop_front();
  ++first_;
}

// Those that all see need no release.
void WeakMemory::tidy(WaveView &wave) const {
  std::erase_if(wave.pending,
                [this](uint64_t number) { return number < first_ || log_[number - first_].device_at <= now_; });
}

uint8_t *WeakMemory::store(WaveView &wave, uint64_t address, uint32_t size, const void *value, bool is_hosts) {
  if (wave.pending.size() >= kMostPending)
    tidy(wave);
  for_words(address, size, [&](uint64_t word, uint8_t bytes, uint32_t skipped, uint32_t done, uint32_t taken) {
    if (const auto found = late_.find(word);
        found != late_.end() && (found->second.wave != wave.number || (found->second.bytes & bytes) != 0))
      settle(word);
    Store &store = note(wave, word, bytes);
    if (!wave.team->shares_cache)
      store.team_at += delay();
    store.device_at = store.team_at + delay();
    wave.pending.push_back(first_ + log_.size() - 1);
    if (!is_hosts)
      return;
    Late &late = late_[word];
    std::memcpy(late.value.data() + skipped, static_cast<const uint8_t *>(value) + done, taken);
    late.bytes |= bytes;
    late.wave = wave.number;
    late.at = now_ + delay();
  });
  return is_hosts ? unused_.data() : memory_at(address);
}

void WeakMemory::change(WaveView &wave, uint64_t address, uint32_t size) {
  for_words(address, size, [&](uint64_t word, uint8_t bytes, uint32_t, uint32_t, uint32_t) {
    settle(word);
    if (const auto found = words_.find(word); found != words_.end())
      for (const uint64_t number : found->second)
        log_[number - first_].is_known = true;
    note(wave, word, bytes);
  });
}

uint32_t WeakMemory::rest() {
  return (Random(random_state_++).next() & 7) == 0 ? Random(random_state_++).below(2048) : 0;
}

bool WeakMemory::is_there(const Store &store, const WaveView &wave) const {
  return store.device_at <= now_ || (store.team == wave.team->number && store.team_at <= now_);
}

// If a wave may see a store or not, it keeps to one of the two until its next acquire.
bool WeakMemory::sees(const Store &store, const WaveView &wave, Access access) const {
  const TeamView &team = *wave.team;
  const uint64_t reader = team.shares_cache ? team.number : wave.number;
  const bool is_chosen = (Random(seed_ * 31 + store.at * 1000003 + reader).next() & 1) != 0;
  if (access == Access::kFixedRead)
    return store.device_at <= wave.began || (is_there(store, wave) && is_chosen);
  if (store.wave == wave.number)
    return true;
  if (access == Access::kStrongRead || !is_there(store, wave))
    return is_there(store, wave);
  if (store.team == team.number && (team.shares_cache || store.team_at <= wave.team_seen))
    return true;
  return store.is_known || store.device_at <= (team.shares_cache ? team.device_seen : wave.device_seen) || is_chosen;
}

void WeakMemory::take_back(const WaveView &wave, uint64_t word, Access access, uint8_t *bytes) {
  const auto found = words_.find(word);
  if (found == words_.end())
    return;
  uint8_t open = 0xFF; // bytes that no store has decided yet
  for (auto number = found->second.rbegin(); number != found->second.rend() && open != 0; ++number) {
    Store &store = log_[*number - first_];
    if ((store.bytes & open) == 0)
      continue;
    if (sees(store, wave, access)) {
      open &= static_cast<uint8_t>(~store.bytes);
      store.is_known = store.is_known || access == Access::kStrongRead;
      continue;
    }
    for (unsigned byte = 0; byte < 8; ++byte)
      if (store.bytes & open & 1u << byte)
        bytes[byte] = store.old[byte];
  }
}

uint8_t *WeakMemory::reach(WaveView &wave, uint64_t address, uint32_t size, Access access, const void *value,
                           bool is_hosts) {
  if (access == Access::kWrite)
    return store(wave, address, size, value, is_hosts);
  if (is_read(access))
    return const_cast<uint8_t *>(load(wave, address, size, access));
  change(wave, address, size);
  return reinterpret_cast<uint8_t *>(address);
}

const uint8_t *WeakMemory::load(const WaveView &wave, uint64_t address, uint32_t size, Access access) {
  ++now_;
  if ((words_.empty() && late_.empty()) || size > kMostBytes)
    return memory_at(address);
  for_words(address, size, [&](uint64_t word, uint8_t, uint32_t skipped, uint32_t done, uint32_t taken) {
    settle(word);
    std::array<uint8_t, 8> bytes{};
    std::memcpy(bytes.data() + skipped, memory_at(address) + done, taken);
    take_back(wave, word, access, bytes.data());
    std::memcpy(bytes_.data() + done, bytes.data() + skipped, taken);
  });
  return bytes_.data();
}

void WeakMemory::release(WaveView &wave, Scope scope) {
  ++now_;
  if (scope == Scope::kWave)
    return;
  for (const uint64_t number : wave.pending)
    if (number >= first_) {
      Store &store = log_[number - first_];
      store.team_at = std::min(store.team_at, now_);
    }
  if (scope == Scope::kTeam)
    return;
  for (WaveView *one : wave.team->waves) { // what the wave may have seen of others, too
    for (const uint64_t number : one->pending)
      if (number >= first_ && log_[number - first_].team_at <= now_)
        log_[number - first_].device_at = std::min(log_[number - first_].device_at, now_);
    tidy(*one);
  }
  if (scope == Scope::kSystem)
    settle_all();
}

void WeakMemory::acquire(WaveView &wave, Scope scope) {
  ++now_;
  if (scope == Scope::kWave)
    return;
  TeamView &team = *wave.team;
  wave.team_seen = now_;
  if (scope >= Scope::kDevice)
    team.device_seen = now_;
  wave.device_seen = std::max(wave.device_seen, team.device_seen);
}

void WeakMemory::empty_inner_cache(WaveView &wave) { acquire(wave, Scope::kTeam); }

void WeakMemory::empty_outer_cache(WaveView &wave) {
  wave.team->device_seen = ++now_;
  wave.device_seen = std::max(wave.device_seen, wave.team_seen);
}

// ---- Stores to the host's memory

void WeakMemory::settle(uint64_t word) {
  const auto found = late_.find(word);
  if (found == late_.end())
    return;
  const Late &late = found->second;
  uint64_t whole = 0;
  std::memcpy(&whole, late.value.data(), sizeof(whole));
  if (late.bytes == 0xFF) // the host may read at the same time
    __atomic_store_n(reinterpret_cast<uint64_t *>(word), whole, __ATOMIC_RELEASE);
  else if (late.bytes == 0x0F || late.bytes == 0xF0)
    __atomic_store_n(reinterpret_cast<uint32_t *>(word + (late.bytes == 0xF0 ? 4 : 0)),
                     static_cast<uint32_t>(late.bytes == 0xF0 ? whole >> 32 : whole), __ATOMIC_RELEASE);
  else
    for (unsigned byte = 0; byte < 8; ++byte)
      if (late.bytes >> byte & 1)
        __atomic_store_n(memory_at(word) + byte, late.value[byte], __ATOMIC_RELEASE);
  late_.erase(found);
}

void WeakMemory::settle_all() {
  while (!late_.empty())
    settle(late_.begin()->first);
}

void WeakMemory::advance(uint64_t instructions) {
  now_ += instructions;
  if (late_.size() > kMostLate)
    return settle_all();
  for (auto one = late_.begin(); one != late_.end();) {
    const auto [word, late] = *one++;
    if (late.at <= now_)
      settle(word);
  }
}

} // namespace emulator::executor
