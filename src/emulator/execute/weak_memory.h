// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weak memory (docs/internals/emulator-hardware.md): which stores to global memory a wave sees. Shared by all targets.
// Memory has the newest bytes. A log has what each store replaced. A load takes back the stores that its wave need not
// see. Shared memory is not for it.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

namespace emulator::executor {

/// How far a release or an acquire reaches; kWave: no farther than the lanes of a wave, which always agree.
enum class Scope : uint8_t { kWave, kTeam, kDevice, kSystem };

/// An instruction's use of memory.
enum class Access : uint8_t {
  kRead,       ///< through the caches, which an acquire empties
  kStrongRead, ///< past the caches: atomic, volatile
  kFixedRead,  ///< through a cache that nothing empties before the kernel ends: scalar loads of AMD's, ld.global.nc
  kWrite,
  kAtomic,
};
inline bool is_read(Access access) { return access < Access::kWrite; }

struct WaveView;

/// The view that the waves of a team share. Times count events of the launch.
struct TeamView {
  uint64_t number = 0;
  bool shares_cache = false; ///< the team has one cache, which its stores go through in order: gfx90a, gfx942
  uint64_t device_seen = 0;  ///< stores of other teams up to here are seen by the wave that saw most of them
  std::vector<WaveView *> waves;
};

/// The stores that a wave has seen.
struct WaveView {
  TeamView *team = nullptr;
  uint64_t number = 0;
  uint64_t began = 0;                      ///< or has emptied its scalar cache
  uint64_t team_seen = 0, device_seen = 0; ///< stores of its team, and of others, that were released up to here
  std::vector<uint64_t> pending;           ///< own stores that the device may not see yet, by number in the log
  bool writes_back = false;                ///< AMD: the next wait for stores releases to the system
};

/// The memory of one launch as its waves see it. One thread.
class WeakMemory {
public:
  explicit WeakMemory(uint64_t seed) : seed_(seed), random_state_(seed ^ 0x3E70) {}
  ~WeakMemory() { settle_all(); }
  WeakMemory(const WeakMemory &) = delete;
  WeakMemory &operator=(const WeakMemory &) = delete;

  /// A wave begins, and sees what was stored before.
  void begin(WaveView &wave, TeamView &team);
  /// The place of the bytes for an access: load, store of the value, or change.
  uint8_t *reach(WaveView &wave, uint64_t address, uint32_t size, Access access, const void *value, bool is_hosts);
  /// Notes a store of these bytes, and returns where the caller puts them. The host sees a store to its memory later.
  uint8_t *store(WaveView &wave, uint64_t address, uint32_t size, const void *value, bool is_hosts);
  /// The bytes that the wave sees, until the next call; at most kMostBytes.
  const uint8_t *load(const WaveView &wave, uint64_t address, uint32_t size, Access access);
  /// Notes that an atomic operation is about to change these bytes, which it does in memory.
  void change(WaveView &wave, uint64_t address, uint32_t size);
  /// Turns that a wave rests behind an atomic operation, so that others overtake what it does next; mostly none.
  uint32_t rest();
  /// Stores that this wave made or saw are seen by others as far as the scope reaches.
  void release(WaveView &wave, Scope scope);
  /// This wave sees all that was released so far.
  void acquire(WaveView &wave, Scope scope);
  /// RDNA's caches, of a wave and of several teams: an acquire of the device empties both.
  void empty_inner_cache(WaveView &wave);
  void empty_outer_cache(WaveView &wave);
  void empty_scalar_cache(WaveView &wave) { wave.began = ++now_; }
  /// So many instructions were carried out. Stores that nothing releases reach others after a time that the seed
  /// decides.
  void advance(uint64_t instructions);

  static constexpr uint32_t kMostBytes = 64;

private:
  struct Store {
    uint64_t word = 0; ///< address, a multiple of 8
    uint64_t wave = 0, team = 0;
    uint64_t at = 0;                     ///< when it was made
    uint64_t team_at = 0, device_at = 0; ///< when others may see it
    std::array<uint8_t, 8> old{};        ///< bytes before it
    uint8_t bytes = 0;                   ///< that it wrote, a bit for each
    bool is_known = false;               ///< a strong load has seen it: all do
  };
  /// A store that the host does not see yet.
  struct Late {
    std::array<uint8_t, 8> value{};
    uint8_t bytes = 0;
    uint64_t wave = 0, at = 0;
  };

  Store &note(const WaveView &wave, uint64_t word, uint8_t bytes);
  bool is_there(const Store &store, const WaveView &wave) const;
  bool sees(const Store &store, const WaveView &wave, Access access) const;
  void take_back(const WaveView &wave, uint64_t word, Access access, uint8_t *bytes);
  void forget_oldest();
  void tidy(WaveView &wave) const;
  void settle(uint64_t word);
  void settle_all();
  uint64_t delay();

  uint64_t seed_, random_state_;
  uint64_t now_ = 1, first_ = 0; ///< first_: number of the oldest store in the log
  uint64_t waves_ = 0, teams_ = 0;
  std::deque<Store> log_;
  std::unordered_map<uint64_t, std::vector<uint64_t>> words_; ///< stores to a word, the oldest first
  std::unordered_map<uint64_t, Late> late_;                   ///< by word
  std::array<uint8_t, kMostBytes> bytes_{}, unused_{};
};

} // namespace emulator::executor
