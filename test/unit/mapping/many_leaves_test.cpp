// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that insert, look up, leave dormant and remove ranges of one stretch of addresses, which take many leaves of
// the index. Two of them never have the same address, and a thread finds what it has.

#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "mapping/host_data_to_target_map.h"

using namespace omptarget;

namespace {

constexpr int kThreads = 4, kPlaces = 3000, kMostPlaces = 3, kRounds = 100'000;
constexpr int64_t kBytes = 16;
constexpr HostPtr kStart{0x10000};

struct Own {
  MappingRef ref;
  int place, count;
};

struct Stretch {
  HostDataToTargetMap map;
  std::atomic<int> owners[kPlaces + kMostPlaces]{};
  std::atomic<int> faults{0};

  void expect(bool holds) { faults.fetch_add(holds ? 0 : 1, std::memory_order_relaxed); }
  HostPtr at(int place) const { return kStart + kBytes * place; }

  void enter(int thread, std::vector<Own> &own, std::mt19937 &random) {
    const int place = static_cast<int>(random() % kPlaces), count = 1 + static_cast<int>(random() % kMostPlaces);
    const NewRange range{at(place), at(place + count), at(place), nullptr, nullptr, Counter::kDynamic};
    Absence absence;
    if (const MappingRef present = map.retain_arrived(range.begin, kBytes, absence)) { // another thread's, or its own
      leave(present);
      return;
    }
    MappingRef ref = map.revive(absence.dormant, range, true);
    if (!ref) {
      const Inserted inserted = map.insert(range, absence.gap);
      if (!inserted.is_new)
        return;
      ref = inserted.found.ref;
      expect(ref.publish_storage(DevicePtr{0x100000} + kBytes * place, 0, true));
    }
    for (int i = place; i < place + count; ++i)
      expect(owners[i].exchange(thread, std::memory_order_relaxed) == 0);
    own.push_back({ref, place, count});
  }
  void look(const Own &mine) {
    const Found found = map.find(at(mine.place), kBytes * mine.count);
    expect(found.is_contained && found.ref == mine.ref && found.begin == at(mine.place));
  }
  /// A thread says that its place is free before another thread can have it.
  void forget(const Own &mine) {
    for (int i = mine.place; i < mine.place + mine.count; ++i)
      owners[i].store(0, std::memory_order_relaxed);
  }
  void leave(MappingRef ref) {
    if (ref.release_unless_last() || map.become_dormant(ref, EndedUse::kReference))
      return;
    if (ref.release(false).reached_zero)
      (void)map.remove_if_unused(ref);
  }
};

void run(Stretch &stretch, int thread) {
  std::mt19937 random(static_cast<unsigned>(thread));
  std::vector<Own> own;
  for (int round = 0; round < kRounds; ++round) {
    if (own.size() < 100 || (own.size() < 300 && random() % 2)) {
      stretch.enter(thread, own, random);
      continue;
    }
    std::swap(own[random() % own.size()], own.back());
    stretch.look(own.back());
    stretch.forget(own.back());
    stretch.leave(own.back().ref);
    own.pop_back();
  }
  for (const Own &mine : own) {
    stretch.look(mine);
    stretch.forget(mine);
    stretch.leave(mine.ref);
  }
}

TEST(ManyLeaves, threads_insert_and_remove_in_many_leaves) {
  const auto stretch = std::make_unique<Stretch>();
  std::atomic<bool> ends{false};
  std::thread observer([&] {
    while (!ends.load(std::memory_order_relaxed)) {
      stretch->expect(stretch->map.fault().empty());
      std::this_thread::yield();
    }
  });
  std::vector<std::thread> threads;
  for (int thread = 1; thread <= kThreads; ++thread)
    threads.emplace_back([&, thread] { run(*stretch, thread); });
  for (std::thread &thread : threads)
    thread.join();
  ends.store(true, std::memory_order_relaxed);
  observer.join();
  EXPECT_EQ(stretch->faults.load(), 0);
  EXPECT_EQ(stretch->map.size(), 0u);
  stretch->map.evict_all();
  EXPECT_EQ(stretch->map.fault(), "");
}

// A thread that has entered absent data among so many is predicted to do so again: the next data may be present,
// dormant or absent.
TEST(ManyLeaves, what_a_thread_did_last_among_many_does_not_decide_what_it_finds) {
  constexpr int kMany = 70'000; // beyond what RecentMappings calls large
  const auto stretch = std::make_unique<Stretch>();
  HostDataToTargetMap &map = stretch->map;
  Absence absence;
  const auto enter = [&](int place) {
    const HostPtr begin = stretch->at(place);
    EXPECT_FALSE(map.retain_arrived(begin, kBytes, absence));
    EXPECT_TRUE(absence.is_absent);
    const NewRange range{begin, begin + kBytes, begin, nullptr, nullptr, Counter::kDynamic};
    if (const MappingRef ref = map.revive(absence.dormant, range, true))
      return ref;
    const Inserted inserted = map.insert(range, absence.gap);
    EXPECT_TRUE(inserted.is_new && inserted.found.ref.publish_storage(DevicePtr{0x100000} + kBytes * place, 0, true));
    return inserted.found.ref;
  };
  const auto remove = [&](MappingRef ref) {
    EXPECT_EQ(map.find_to_release(ref.mapping->begin(), 1), ref);
    EXPECT_TRUE(map.end_use(ref, EndedUse::kReference).is_removed);
  };
  std::vector<MappingRef> refs;
  for (int i = 0; i < kMany; ++i)
    refs.push_back(enter(2 * i));
  for (int i = 0; i < 1000; ++i) {
    const int place = i * 67 % kMany;
    const MappingRef fresh = enter(2 * place + 1);
    EXPECT_EQ(map.retain_arrived(stretch->at(2 * place), kBytes, absence), refs[static_cast<size_t>(place)]);
    EXPECT_TRUE(refs[static_cast<size_t>(place)].release_unless_last());
    const bool is_dormant = map.become_dormant(fresh, EndedUse::kReference);
    const MappingRef again = is_dormant ? enter(2 * place + 1) : fresh;
    EXPECT_EQ(again.mapping, fresh.mapping);
    remove(again);
    EXPECT_FALSE(map.find(stretch->at(2 * place + 1), kBytes).ref);
  }
  for (const MappingRef &ref : refs)
    remove(ref);
  EXPECT_EQ(map.size(), 0u);
  EXPECT_EQ(map.fault(), "");
}

} // namespace
