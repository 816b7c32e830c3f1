// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of accesses, in which races are found. A block's shared memory has one for each byte since the last barrier,
// the global memory of a launch one for each word. Shared by all targets.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace emulator::executor {

/// Finds accesses of two waves to the same byte, one of them writing, without a barrier between. Lanes of one wave are
/// taken to agree among themselves; atomic operations are not for it. Waves may all write the same value, and each may
/// read it then.
class SharedUses {
public:
  SharedUses(size_t bytes, uint32_t lanes) : lanes_(lanes), uses_(bytes) {}
  /// A barrier has let the waves go on.
  void forget() { ++epoch_; }
  /// Tells the value that the next access writes.
  void tell_value(const void *bytes) { value_ = static_cast<const uint8_t *>(bytes); }
  /// Notes an access to the bytes at present; returns what it races with, as "thread 3 of the block wrote", or nothing.
  std::string note(uint64_t offset, uint32_t size, bool writes, uint32_t thread, const uint8_t *present);

private:
  struct Use {
    uint64_t writer_epoch = 0, reader_epoch = 0;
    uint16_t writer = 0, reader = 0; ///< threads
    uint32_t writers = 0;            ///< waves, all of the same value
  };

  uint32_t lanes_; ///< lanes of a wave
  uint64_t epoch_ = 1;
  const uint8_t *value_ = nullptr;
  std::vector<Use> uses_; ///< one for each byte
};

/// Times by slot: each team that is resident has one, which a later team takes over. Absent ones are 0.
using TeamTimes = std::vector<uint64_t>;

/// When the accesses of a team's waves to global memory were last ordered behind others'. Times count the events of all
/// launches.
struct TeamOrder {
  uint64_t number = 0;       ///< from 1; 0: the team has not begun
  uint32_t slot = 0;         ///< while it is resident
  std::vector<uint64_t> own; ///< by wave: behind those of the same team, by a barrier or an acquire
  uint64_t device = 0;       ///< behind those of teams that have ended: an acquire of the device
  TeamTimes known;           ///< behind those of resident teams: an acquire of the device behind what the team has seen
  TeamTimes seen;            ///< in synchronisation words: what an acquire orders it behind
};

/// An access to global memory.
struct GlobalUse {
  TeamOrder *team = nullptr;
  std::array<uint32_t, 3> block{};
  uint32_t wave = 0, thread = 0; ///< in the block
  uint64_t code = 0;
  bool writes = false;
  bool is_atomic = false;     ///< an atomic operation
  bool may_be_atomic = false; ///< the store may be an atomic one, which other stores do not race with
};

/// The access that a later one races with.
struct EarlierUse {
  std::array<uint32_t, 3> block{};
  uint32_t thread = 0;
  uint64_t code = 0;
  bool writes = false, is_atomic = false;
};

/// Finds accesses of two waves of a launch to global memory, one of them changing it, with nothing between that may
/// order them. It keeps the last store, load and atomic operation of each word of 4 bytes. Not noted: strong loads, two
/// atomic operations, an atomic operation beside a store, and two stores that may be atomic.
///
/// An acquire orders a team behind the teams that it has seen, and behind all that they were ordered behind. It sees
/// their stores and atomic operations in synchronisation words, which atomic operations or strong loads have reached.
/// A team that has ended is taken to be seen, and a store to be a release: so what is named is a race.
class GlobalUses {
public:
  /// Null if nothing races with it. The bytes at present, and those that are written.
  std::optional<EarlierUse> note(uint64_t address, uint32_t size, const GlobalUse &use, const uint8_t *present,
                                 const void *value);
  /// The team reads or writes the bytes by an atomic operation, a strong load or a strong store. Returns the time up to
  /// which it has seen there what its own waves did.
  uint64_t synchronise(TeamOrder &team, uint64_t address, uint32_t size, bool reads, bool writes);
  /// The team may have seen all that others did: by memory that is not looked at. Returns the time.
  uint64_t see_all(TeamOrder &team);
  /// An acquire of the device by a wave of the team.
  void acquire(TeamOrder &team);
  /// The wave is ordered behind what the others of its team did until then, or until now.
  void order_wave(TeamOrder &team, uint32_t wave, std::optional<uint64_t> until = std::nullopt);
  /// A barrier of the team.
  void order_waves(TeamOrder &team, size_t waves);
  /// The team has ended.
  void end(const TeamOrder &team);
  /// Memory that is allocated, or was freed: who used it before has nothing to do with who uses it now.
  void forget(uint64_t address, uint64_t size);

  /// Two uses of the same bytes that no acquire may order, one of them a change: of this launch and the other one.
  struct Conflict {
    uint64_t address = 0;
    EarlierUse one, other;
  };
  /// With another launch, beside this one.
  std::optional<Conflict> conflict(const GlobalUses &other) const;
  /// With a copy from the bytes or, if it writes, to them; the other use is empty.
  std::optional<Conflict> conflict(uint64_t address, uint64_t size, bool writes) const;

private:
  struct Last {
    uint64_t at = 0, team = 0;
    uint32_t slot = 0;   ///< the team's
    uint64_t behind = 0; ///< the team's last acquire of the device
    EarlierUse use;
    uint32_t wave = 0;
    uint8_t bytes = 0; ///< bytes of the word, a bit for each
  };
  struct Word {
    Last store, load, atomic;
    std::array<uint8_t, 4> before{}; ///< of the atomic operation
  };
  bool races(const Last &last, const GlobalUse &use, uint8_t bytes) const;
  void begin(TeamOrder &team);
  void publish(const TeamOrder &team, TeamTimes &seen, uint64_t now) const;
  TeamTimes *find_synchronisation(uint64_t word);
  static bool conflicts(const Last &one, const Last &other);
  static std::optional<Conflict> conflict(uint64_t word, const Word &one, const Word &other);

  static constexpr size_t kMostSynchronisation = 1 << 20;

  uint64_t teams_ = 0;
  std::vector<const TeamOrder *> residents_; ///< by slot; null: nobody
  std::unordered_map<uint64_t, Word> words_;
  std::unordered_map<uint64_t, TeamTimes> synchronisation_; ///< by word: what teams that read it see
};

/// Describes for a message the use behind which the access must be ordered, and the way to do it.
std::string describe_race(const EarlierUse &earlier);

} // namespace emulator::executor
