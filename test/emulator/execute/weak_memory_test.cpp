// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weak memory: what releases and acquires promise holds under every seed, and what they do not promise fails under
// some.

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/execute/weak_memory.h"

namespace emulator::executor {
namespace {

using testing::AllOf;
using testing::Gt;
using testing::Lt;

constexpr unsigned kSeeds = 256;
constexpr unsigned kLong = 100; ///< turns of 512 instructions, after which each store has been done

/// Memory of the device, and waves of two teams.
struct Device {
  explicit Device(uint64_t seed, bool shares_cache = false) : memory(seed) {
    for (unsigned n = 0; n < 2; ++n)
      teams[n].shares_cache = shares_cache;
    for (unsigned n = 0; n < 4; ++n)
      memory.begin(waves[n], teams[n / 2]);
  }
  void store(unsigned wave, const uint32_t &word, uint32_t value, bool is_hosts = false) {
    std::memcpy(memory.store(waves[wave], reinterpret_cast<uint64_t>(&word), 4, &value, is_hosts), &value, 4);
  }
  uint32_t load(unsigned wave, const uint32_t &word, Access access = Access::kRead) {
    uint32_t value;
    std::memcpy(&value, memory.load(waves[wave], reinterpret_cast<uint64_t>(&word), 4, access), 4);
    return value;
  }
  /// Until the wave sees the word set.
  bool await(unsigned wave, const uint32_t &word, Access access = Access::kStrongRead) {
    for (unsigned turn = 0; turn < kLong; ++turn) {
      if (load(wave, word, access) != 0)
        return true;
      memory.advance(512);
    }
    return false;
  }

  alignas(64) uint32_t data = 0;
  alignas(64) uint32_t flag = 0;
  alignas(64) uint32_t other_flag = 0;
  TeamView teams[2];
  WaveView waves[4]; ///< two of each team
  WeakMemory memory;
};

/// The number of seeds with which a message that wave 0 wrote before a flag is not seen.
unsigned count_missed(unsigned reader, Scope release, Scope acquire, Access access = Access::kRead,
                      bool shares_cache = false) {
  unsigned missed = 0;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Device device(seed, shares_cache);
    device.store(0, device.data, 1);
    device.memory.release(device.waves[0], release);
    device.store(0, device.flag, 1);
    EXPECT_TRUE(device.await(reader, device.flag)) << seed;
    device.memory.acquire(device.waves[reader], acquire);
    missed += device.load(reader, device.data, access) == 0;
  }
  return missed;
}

constexpr unsigned kSameTeam = 1, kOtherTeam = 2;

TEST(WeakMemory, a_released_message_is_seen_after_an_acquire) {
  EXPECT_EQ(count_missed(kOtherTeam, Scope::kDevice, Scope::kDevice), 0u);
  EXPECT_EQ(count_missed(kOtherTeam, Scope::kSystem, Scope::kSystem), 0u);
  EXPECT_EQ(count_missed(kSameTeam, Scope::kTeam, Scope::kTeam), 0u);
}

TEST(WeakMemory, a_message_without_release_or_acquire_is_missed_under_some_seeds) {
  const auto some = AllOf(Gt(8u), Lt(kSeeds));
  EXPECT_THAT(count_missed(kOtherTeam, Scope::kWave, Scope::kDevice), some);
  EXPECT_THAT(count_missed(kOtherTeam, Scope::kDevice, Scope::kWave), some);
  EXPECT_THAT(count_missed(kSameTeam, Scope::kWave, Scope::kTeam), some);
  EXPECT_THAT(count_missed(kSameTeam, Scope::kTeam, Scope::kWave), some);
}

TEST(WeakMemory, a_scope_that_is_too_narrow_is_none) {
  EXPECT_THAT(count_missed(kOtherTeam, Scope::kTeam, Scope::kDevice), Gt(8u));
  EXPECT_THAT(count_missed(kOtherTeam, Scope::kDevice, Scope::kTeam), Gt(8u));
}

TEST(WeakMemory, a_team_with_one_cache_needs_no_fences) {
  EXPECT_EQ(count_missed(kSameTeam, Scope::kWave, Scope::kWave, Access::kRead, true), 0u);
  EXPECT_THAT(count_missed(kOtherTeam, Scope::kWave, Scope::kDevice, Access::kRead, true), Gt(8u));
}

TEST(WeakMemory, a_strong_load_needs_no_acquire) {
  EXPECT_EQ(count_missed(kOtherTeam, Scope::kDevice, Scope::kWave, Access::kStrongRead), 0u);
}

TEST(WeakMemory, a_load_of_what_must_not_change_sees_no_message) {
  EXPECT_THAT(count_missed(kOtherTeam, Scope::kDevice, Scope::kDevice, Access::kFixedRead), Gt(8u));
}

// Wave 0 writes for wave 1 of its team, which tells wave 2 of another, which tells wave 3.
TEST(WeakMemory, what_was_seen_is_released_and_acquired_on_behalf_of_others) {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Device device(seed);
    device.store(0, device.data, 1);
    device.memory.release(device.waves[0], Scope::kTeam);
    device.memory.acquire(device.waves[1], Scope::kTeam);
    device.memory.release(device.waves[1], Scope::kDevice);
    device.memory.acquire(device.waves[2], Scope::kDevice);
    device.memory.release(device.waves[2], Scope::kTeam);
    device.memory.acquire(device.waves[3], Scope::kTeam);
    EXPECT_EQ(device.load(3, device.data), 1u) << seed;
  }
}

TEST(WeakMemory, what_a_strong_load_saw_is_never_old_again) {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Device device(seed);
    device.store(0, device.data, 1);
    ASSERT_TRUE(device.await(2, device.data)) << seed;
    EXPECT_EQ(device.load(2, device.data), 1u) << seed;
    EXPECT_EQ(device.load(3, device.data), 1u) << seed;
  }
}

TEST(WeakMemory, a_plain_load_in_a_loop_may_stay_stale_and_a_strong_one_does_not) {
  unsigned stale = 0;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Device device(seed);
    device.store(0, device.flag, 1);
    stale += !device.await(2, device.flag, Access::kRead);
    EXPECT_TRUE(device.await(2, device.flag, Access::kStrongRead)) << seed;
  }
  EXPECT_THAT(stale, AllOf(Gt(64u), Lt(192u)));
}

TEST(WeakMemory, stores_reach_others_in_another_order) {
  unsigned swapped = 0;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Device device(seed);
    device.store(0, device.flag, 1);
    device.store(0, device.other_flag, 1);
    ASSERT_TRUE(device.await(2, device.other_flag));
    swapped += device.load(2, device.flag, Access::kStrongRead) == 0;
  }
  EXPECT_THAT(swapped, Gt(8u));
}

TEST(WeakMemory, a_wave_sees_its_own_stores_and_atomic_operations_see_all) {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Device device(seed);
    device.store(0, device.data, 1);
    device.store(0, device.data, 2);
    EXPECT_EQ(device.load(0, device.data), 2u);
    device.memory.change(device.waves[2], reinterpret_cast<uint64_t>(&device.data), 4);
    EXPECT_EQ(device.data, 2u);
    device.data += 1;
    EXPECT_EQ(device.load(2, device.data), 3u);
  }
}

TEST(WeakMemory, bytes_of_several_words_are_put_together) {
  alignas(8) uint8_t bytes[24] = {}, value[13], seen[24];
  for (uint8_t n = 0; n < sizeof(value); ++n)
    value[n] = static_cast<uint8_t>(n + 1);
  Device device(1);
  std::memcpy(device.memory.store(device.waves[0], reinterpret_cast<uint64_t>(bytes + 3), 13, value, false), value, 13);
  std::memcpy(seen, device.memory.load(device.waves[0], reinterpret_cast<uint64_t>(bytes), 24, Access::kRead), 24);
  EXPECT_EQ(std::memcmp(seen, bytes, 24), 0);
  EXPECT_EQ(std::memcmp(seen + 3, value, 13), 0);
}

TEST(WeakMemory, the_host_sees_what_was_released_to_the_system) {
  unsigned late = 0;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Device device(seed);
    device.store(0, device.data, 1, true);
    device.memory.release(device.waves[0], Scope::kDevice);
    late += device.data == 0;
    EXPECT_EQ(device.load(0, device.data), 1u);
    device.store(0, device.flag, 1, true);
    device.memory.release(device.waves[0], Scope::kSystem);
    EXPECT_EQ(device.data, 1u);
    EXPECT_EQ(device.flag, 1u);
  }
  EXPECT_THAT(late, Gt(8u));
}

TEST(WeakMemory, the_host_sees_all_when_the_launch_has_ended) {
  uint32_t data = 0;
  {
    Device device(3);
    for (uint32_t value = 1; value < 10; ++value)
      device.store(0, data, value, true);
  }
  EXPECT_EQ(data, 9u);
}

TEST(WeakMemory, rdna_needs_both_caches_emptied) {
  unsigned missed = 0;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Device device(seed);
    device.store(0, device.data, 1);
    device.memory.release(device.waves[0], Scope::kDevice);
    device.memory.empty_inner_cache(device.waves[2]);
    missed += device.load(2, device.data) == 0;
    device.memory.empty_outer_cache(device.waves[2]);
    EXPECT_EQ(device.load(2, device.data), 1u);
  }
  EXPECT_THAT(missed, Gt(8u));
}

} // namespace
} // namespace emulator::executor
