// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <atomic>
#include <gtest/gtest.h>
#include <thread>

#include "mapping/host_data_to_target_map.h"

namespace omptarget {
namespace {

constexpr HostPtr kA{0x1000}, kB{0x2000};
constexpr DevicePtr kTarget{0x900000};

NewRange range(HostPtr begin, int64_t size, Counter counter = Counter::kDynamic) {
  return {begin, begin + size, begin, nullptr, nullptr, counter};
}

Retained retain(HostDataToTargetMap &map, MappingRef ref, Counter counter) {
  return counter == Counter::kHold ? map.rare_uses().retain_hold(ref) : ref.retain();
}
Released release(HostDataToTargetMap &map, MappingRef ref, Counter counter) {
  return counter == Counter::kHold ? map.rare_uses().release_hold(ref, false, OnLast::kTakeTurn)
                                   : ref.release(false, OnLast::kTakeTurn);
}
MappingRef make(HostDataToTargetMap &map, HostPtr begin, int64_t size, Counter counter = Counter::kDynamic) {
  const Inserted inserted = map.insert(range(begin, size, counter));
  EXPECT_TRUE(inserted.is_new);
  inserted.found.ref.publish_storage(kTarget);
  EXPECT_TRUE(inserted.found.ref.publish_ready());
  return inserted.found.ref;
}

TEST(HostDataToTargetMap, tells_contained_from_overlapped) {
  HostDataToTargetMap map;
  make(map, kA, 0x100);
  EXPECT_TRUE(map.find(kA, 0x100).is_contained);
  EXPECT_TRUE(map.find(kA + 0x10, 0x20).is_contained);
  EXPECT_FALSE(map.find(kA, 0x101).is_contained);
  EXPECT_TRUE(map.find(kA, 0x101).is_overlapped);
  EXPECT_TRUE(map.find(kA + -8, 16).is_overlapped);
  EXPECT_FALSE(map.find(kA + -8, 8).ref);
  EXPECT_FALSE(map.find(kA + 0x100, 8).ref);
}

TEST(HostDataToTargetMap, an_empty_section_is_found_at_its_start_and_at_its_base) {
  HostDataToTargetMap map;
  NewRange section = range(kA + 0x40, 0x40);
  section.base = kA;
  (void)map.insert(section);
  EXPECT_TRUE(map.find(kA + 0x40, 0).is_contained);
  EXPECT_TRUE(map.find(kA, 0).is_contained);
  EXPECT_TRUE(map.find(kA + 0x7f, 0).is_contained);
  EXPECT_FALSE(map.find(kA + 0x80, 0).is_contained);
  EXPECT_FALSE(map.find(kA + -1, 0).is_contained);
}

TEST(HostDataToTargetMap, a_range_that_overlaps_is_not_inserted) {
  HostDataToTargetMap map;
  const MappingRef first = make(map, kA, 64);
  const Inserted second = map.insert(range(kA + 32, 64));
  EXPECT_FALSE(second.is_new);
  EXPECT_EQ(second.found.ref, first);
  EXPECT_TRUE(map.insert(range(kA + 64, 64)).is_new);
}

TEST(HostDataToTargetMap, guesses_of_many_are_right) {
  HostDataToTargetMap map;
  constexpr int64_t kMany = 200'000, kStride = 64, kSize = 16;
  const auto begin_of = [](int64_t i) { return HostPtr{0x100000} + i * kStride; };
  for (int64_t i = 0; i < kMany; ++i)
    map.insert_infinite({begin_of(i), begin_of(i) + kSize, begin_of(i), nullptr, nullptr, Counter::kDynamic},
                        DevicePtr{0x1000} + i);
  int64_t guessed = 0;
  for (int64_t i = 0; i < kMany; ++i) {
    const MappingRef ref = map.guess_arrived(begin_of(i), kSize);
    guessed += static_cast<bool>(ref);
    ASSERT_TRUE(!ref || ref.mapping->begin() == begin_of(i));
    ASSERT_EQ(map.find_to_release(begin_of(i), kSize).mapping->begin(), begin_of(i));
    ASSERT_FALSE(map.guess_arrived(begin_of(i) + kSize, kSize)); // between two
  }
  EXPECT_GT(guessed, kMany / 4);
}

TEST(HostDataToTargetMap, second_enter_only_counts) {
  HostDataToTargetMap map;
  const MappingRef ref = make(map, kA, 64);
  EXPECT_TRUE(ref.retain());
  EXPECT_EQ(map.snapshot()[0].dynamic_count, 2u);
  EXPECT_FALSE(ref.release(false).reached_zero);
  EXPECT_TRUE(ref.release(false).reached_zero);
  EXPECT_FALSE(ref.release(false).reached_zero) << "only once";
}

TEST(HostDataToTargetMap, delete_takes_all_references_of_its_counter) {
  HostDataToTargetMap map;
  const MappingRef ref = make(map, kA, 64);
  for (int i = 0; i < 5; ++i)
    (void)ref.retain();
  (void)map.rare_uses().retain_hold(ref);
  EXPECT_FALSE(ref.release(true).reached_zero) << "it is held";
  EXPECT_FALSE(map.remove_if_unused(ref).is_removed);
  EXPECT_TRUE(map.rare_uses().release_hold(ref, false).reached_zero);
  EXPECT_TRUE(map.remove_if_unused(ref).is_removed);
}

TEST(HostDataToTargetMap, holds_are_counted_apart) {
  HostDataToTargetMap map;
  const MappingRef ref = make(map, kA, 64, Counter::kHold);
  EXPECT_EQ(map.snapshot()[0].dynamic_count, 0u);
  EXPECT_EQ(map.snapshot()[0].hold_count, 1u);
  (void)map.rare_uses().retain_hold(ref);
  EXPECT_FALSE(ref.release(true).reached_zero);
  EXPECT_FALSE(map.rare_uses().release_hold(ref, false).reached_zero);
  EXPECT_TRUE(map.rare_uses().release_hold(ref, false).reached_zero);
}

TEST(HostDataToTargetMap, a_mapping_at_zero_is_revived_by_entering) {
  HostDataToTargetMap map;
  const MappingRef ref = make(map, kA, 64);
  EXPECT_TRUE(ref.release(false).reached_zero);
  EXPECT_TRUE(ref.retain());
  EXPECT_FALSE(map.remove_if_unused(ref).is_removed);
  EXPECT_TRUE(map.find(kA, 64).is_contained);
}

TEST(HostDataToTargetMap, what_was_removed_is_not_retained_by_its_old_name) {
  HostDataToTargetMap map;
  const MappingRef old = make(map, kA, 64);
  old.release(false);
  const Removed removed = map.remove_if_unused(old);
  EXPECT_TRUE(removed.is_removed);
  EXPECT_EQ(removed.allocation, kTarget);
  const MappingRef again = make(map, kB, 64);
  ASSERT_EQ(again.mapping, old.mapping) << "mappings are used again";
  EXPECT_FALSE(old.retain());
  EXPECT_FALSE(map.rare_uses().retain_hold(old));
  EXPECT_FALSE(old.release(true).is_valid);
  EXPECT_FALSE(map.remove_if_unused(old).is_removed);
  EXPECT_EQ(map.snapshot()[0].dynamic_count, 1u);
}

TEST(HostDataToTargetMap, infinite_counts_stay) {
  HostDataToTargetMap map;
  EXPECT_TRUE(map.insert_infinite(range(kA, 64), kTarget));
  EXPECT_FALSE(map.insert_infinite(range(kA + 8, 64), kTarget));
  const MappingRef ref = map.find(kA, 64).ref;
  EXPECT_TRUE(ref.retain());
  EXPECT_FALSE(ref.release(true).reached_zero);
  EXPECT_EQ(map.snapshot()[0].dynamic_count, UINT32_MAX);
  (void)map.rare_uses().retain_hold(ref);
  EXPECT_FALSE(map.remove_infinite(kA).is_removed) << "it is held";
  map.rare_uses().release_hold(ref, false);
  EXPECT_FALSE(map.remove_infinite(kA + 8).is_removed);
  EXPECT_TRUE(map.remove_infinite(kA).is_removed);
  EXPECT_EQ(map.size(), 0u);
}

/// Prints of entering kA when it is entered so often that no more can be counted, and twice beyond.
template <typename Enter> std::string printed_at_the_limit(HostDataToTargetMap &map, Enter enter) {
  NewRange named = range(kA, 64);
  named.name = ";field;f.c;3;4;;";
  const MappingRef ref = map.insert(named).found.ref;
  ref.publish_storage(kTarget);
  EXPECT_TRUE(ref.publish_ready());
  for (uint32_t count = 1; count < MappingState::kInfinite - 1; ++count)
    (void)ref.retain();
  testing::internal::CaptureStderr();
  EXPECT_EQ(map.snapshot()[0].dynamic_count, MappingState::kInfinite - 1);
  ref.release(false);
  enter(ref); // below the limit counts still fall and rise
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  testing::internal::CaptureStderr();
  for (int i = 0; i < 3; ++i)
    enter(ref);
  EXPECT_EQ(map.snapshot()[0].dynamic_count, UINT32_MAX);
  EXPECT_FALSE(ref.release(true).reached_zero);
  EXPECT_EQ(map.snapshot()[0].dynamic_count, UINT32_MAX);
  return testing::internal::GetCapturedStderr();
}
constexpr char kToldOfLimit[] =
    "omptarget warning: host address 0x0000000000001000 (64 bytes) has 67108863 references: they are no longer counted, and "
    "the data stay on the device: in the mapping of field (64 bytes) at f.c:3:4\n";

TEST(HostDataToTargetMap, a_count_that_becomes_infinite_is_told_once) {
  HostDataToTargetMap map;
  EXPECT_EQ(printed_at_the_limit(map, [&](MappingRef ref) { EXPECT_TRUE(ref.retain()); }), kToldOfLimit);
}

TEST(HostDataToTargetMap, a_count_that_becomes_infinite_without_a_plan_is_told_once) {
  HostDataToTargetMap map;
  EXPECT_EQ(printed_at_the_limit(map,
                                 [&](MappingRef ref) {
                                   Absence absence;
                                   EXPECT_EQ(map.retain_arrived(kA, 64, absence), ref);
                                 }),
            kToldOfLimit);
}

TEST(HostDataToTargetMap, attached_pointers_are_noted_once_and_found_by_range) {
  HostDataToTargetMap map;
  const MappingRef ref = make(map, kA, 64);
  const AttachedPointer pointer{kA + 8, kB, kTarget + 8, DevicePtr{0x777}};
  EXPECT_FALSE(ref.mapping->has_attached_pointers());
  EXPECT_TRUE(map.attached_pointers().note(ref, pointer, true));
  EXPECT_FALSE(map.attached_pointers().note(ref, pointer, true)) << "it needs no writing";
  AttachedPointer other = pointer;
  other.device_value = DevicePtr{0x888};
  EXPECT_TRUE(map.attached_pointers().note(ref, other, true));
  EXPECT_EQ(map.attached_pointers().in(ref, kA, 8).size(), 0u);
  EXPECT_EQ(map.attached_pointers().in(ref, kA, 9).size(), 1u);
  EXPECT_EQ(map.attached_pointers().in(ref, kA + 15, 1).size(), 1u);
  EXPECT_EQ(map.attached_pointers().in(ref, kA + 16, 8).size(), 0u);
}

TEST(HostDataToTargetMap, an_attached_pointer_is_written_before_another_construct_relies_on_it) {
  HostDataToTargetMap map;
  const MappingRef ref = make(map, kA, 64);
  const int one = 1, two = 2;
  AttachedPointer pointer{kA + 8, kB, kTarget + 8, DevicePtr{0x777}, &one};
  EXPECT_TRUE(map.attached_pointers().note(ref, pointer, true));
  pointer.writer = &two;
  EXPECT_TRUE(map.attached_pointers().note(ref, pointer, false)) << "the other's writing is under way, somewhere";
  std::atomic<bool> is_written{false}, was_written{false};
  std::thread waiting([&] {
    AttachedPointer same = pointer;
    same.writer = &one;
    EXPECT_FALSE(map.attached_pointers().note(ref, same, true));
    was_written = is_written.load();
  });
  map.attached_pointers().settle(ref, kA + 8, &one); // no longer the writer
  is_written = true;
  map.attached_pointers().settle(ref, kA + 8, &two);
  waiting.join();
  EXPECT_TRUE(was_written);
  pointer.writer = &one;
  EXPECT_FALSE(map.attached_pointers().note(ref, pointer, false));
}

TEST(HostDataToTargetMap, an_attached_pointer_that_is_written_is_told_without_the_lock) {
  HostDataToTargetMap map;
  const MappingRef ref = make(map, kA, 64);
  const int one = 1, two = 2;
  const AttachedPointer pointer{kA + 8, kB, kTarget + 8, DevicePtr{0x777}, &one};
  map.attached_pointers().note(ref, pointer, true);
  map.attached_pointers().settle(ref, kA + 8, &one);
  map.before_fork(); // has the lock
  EXPECT_FALSE(map.attached_pointers().note(ref, pointer, true));
  map.after_fork();
  AttachedPointer other{kA + 8, kB + 8, kTarget + 8, DevicePtr{0x77f}, &two};
  EXPECT_TRUE(map.attached_pointers().note(ref, other, true)) << "the host's pointer has changed";
  EXPECT_TRUE(map.attached_pointers().note(ref, pointer, true)) << "it was overwritten";
  map.attached_pointers().settle(ref, kA + 8, &one);
  EXPECT_FALSE(map.attached_pointers().note(ref, pointer, true));
  ref.release(false);
  (void)map.remove_if_unused(ref);
  const MappingRef again = make(map, kA, 64);
  EXPECT_EQ(again.mapping, ref.mapping);
  EXPECT_TRUE(map.attached_pointers().note(again, pointer, true)) << "in new storage";
}

TEST(HostDataToTargetMap, what_is_borrowed_goes_from_the_table_and_is_freed_by_who_gives_it_back_last) {
  for (const int borrowers : {1, 2, 14, 15, 16, 40}) {
    HostDataToTargetMap map;
    const MappingRef ref = make(map, kA, 64);
    for (int i = 0; i < borrowers; ++i)
      EXPECT_TRUE(map.borrow(ref));
    map.attached_pointers().note(ref, {kA + 8, kB, kTarget + 8, DevicePtr{0x777}}, true);
    ref.release(false);
    const Removed removed = map.remove_if_unused(ref);
    EXPECT_TRUE(removed.is_removed);
    EXPECT_FALSE(removed.is_free);
    EXPECT_EQ(removed.allocation, DevicePtr::kNull);
    EXPECT_EQ(map.size(), 0u);
    EXPECT_FALSE(map.find(kA, 8).ref);
    EXPECT_FALSE(map.borrow(ref)) << "it is gone";
    EXPECT_FALSE(target_of(ref, kA));
    const MappingRef next = make(map, kA, 64);
    EXPECT_NE(next.mapping, ref.mapping) << "its storage is still used";
    EXPECT_EQ(map.attached_pointers().in(ref, kA, 64).size(), 1u) << "until then its pointers are known";
    for (int i = 0; i < borrowers; ++i) {
      const Removed last = map.give_back(ref);
      EXPECT_FALSE(last.is_removed);
      EXPECT_EQ(last.is_free, i + 1 == borrowers);
      EXPECT_EQ(last.allocation, i + 1 == borrowers ? kTarget : DevicePtr::kNull);
    }
    EXPECT_EQ(make(map, kB, 8).mapping, ref.mapping) << "now it is used again";
  }
}

TEST(HostDataToTargetMap, what_is_given_back_while_present_stays) {
  HostDataToTargetMap map;
  const MappingRef ref = make(map, kA, 64);
  for (int i = 0; i < 20; ++i)
    EXPECT_TRUE(map.borrow(ref));
  for (int i = 0; i < 20; ++i)
    EXPECT_FALSE(map.give_back(ref).is_free);
  ref.release(false);
  EXPECT_EQ(map.remove_if_unused(ref).allocation, kTarget);
}

TEST(HostDataToTargetMap, the_last_reference_and_the_turn_are_taken_in_one_step) {
  HostDataToTargetMap map;
  for (const Counter counter : {Counter::kDynamic, Counter::kHold}) {
    const MappingRef ref = make(map, kA, 64);
    EXPECT_TRUE(retain(map, ref, counter));
    if (counter == Counter::kHold) {
      EXPECT_FALSE(ref.release(false, OnLast::kTakeTurn).has_turn);
    } else {
      EXPECT_FALSE(release(map, ref, counter).has_turn);
    }
    EXPECT_TRUE(release(map, ref, counter).has_turn);
    EXPECT_FALSE(map.remove_if_unused(ref).is_removed);
    EXPECT_TRUE(map.find(kA, 8).ref) << "who enters it finds it";
    EXPECT_TRUE(map.end_use(ref, EndedUse::kTurn).is_removed);
  }
}

TEST(HostDataToTargetMap, the_last_reference_stays_while_another_construct_has_the_turn) {
  HostDataToTargetMap map;
  for (const Counter counter : {Counter::kDynamic, Counter::kHold}) {
    const MappingRef ref = make(map, kA, 64);
    EXPECT_TRUE(ref.release(false, OnLast::kTakeTurn).has_turn);
    EXPECT_TRUE(retain(map, ref, counter));
    const Released released = release(map, ref, counter);
    EXPECT_TRUE(released.must_wait);
    EXPECT_FALSE(released.reached_zero);
    EXPECT_EQ(ref.take_turn(), Turn::kBusy);
    EXPECT_FALSE(map.end_use(ref, EndedUse::kTurn).is_removed) << "a reference is left";
    EXPECT_EQ(map.fault(), "");
    EXPECT_TRUE(release(map, ref, counter).has_turn);
    EXPECT_EQ(ref.take_turn(), Turn::kGone) << "it is about to go";
    EXPECT_TRUE(map.end_use(ref, EndedUse::kTurn).is_removed);
    EXPECT_EQ(ref.take_turn(), Turn::kGone);
    EXPECT_FALSE(map.end_use(ref, EndedUse::kTurn).is_removed);
  }
}

TEST(HostDataToTargetMap, what_is_not_ready_is_removed_by_its_creator_only) {
  HostDataToTargetMap map;
  const MappingRef ref = map.insert({kA, kA + 64, kA, nullptr, &map, Counter::kDynamic}).found.ref;
  ref.release(false);
  EXPECT_FALSE(map.remove_if_unused(ref).is_removed);
  ref.publish_storage(kTarget);
  EXPECT_FALSE(map.remove_if_unused(ref).is_removed);
  EXPECT_FALSE(ref.publish_ready());
  EXPECT_EQ(map.remove_if_unused(ref).allocation, kTarget);
  EXPECT_EQ(map.size(), 0u);
}

TEST(HostDataToTargetMap, attached_pointers_go_with_their_mapping) {
  HostDataToTargetMap map;
  const MappingRef ref = make(map, kA, 64);
  map.attached_pointers().note(ref, {kA + 8, kB, kTarget + 8, DevicePtr{0x777}}, true);
  ref.release(false);
  (void)map.remove_if_unused(ref);
  const MappingRef again = make(map, kA, 64);
  EXPECT_FALSE(again.mapping->has_attached_pointers());
  EXPECT_TRUE(map.attached_pointers().in(again, kA, 64).empty());
}

TEST(HostDataToTargetMap, names_of_a_module_that_goes_are_forgotten) {
  HostDataToTargetMap map;
  static const char name[] = ";a;f.c;1;2;;";
  NewRange named = range(kA, 8);
  named.name = name;
  (void)map.insert(named);
  map.forget_names(reinterpret_cast<uintptr_t>(name) + 1, reinterpret_cast<uintptr_t>(name) + sizeof name);
  EXPECT_EQ(map.snapshot()[0].name, name);
  map.forget_names(reinterpret_cast<uintptr_t>(name), reinterpret_cast<uintptr_t>(name) + sizeof name);
  EXPECT_EQ(map.snapshot()[0].name, nullptr);
}

TEST(HostDataToTargetMap, names_of_constructs_and_of_globals_are_forgotten_apart) {
  HostDataToTargetMap map;
  static const char names[2][8] = {"mapped", "global"};
  const auto begin = reinterpret_cast<uintptr_t>(names), end = begin + sizeof names;
  (void)map.insert({kA, kA + 64, kA, names[0], nullptr, Counter::kDynamic});
  map.insert_infinite({kB, kB + 64, kB, names[1], nullptr, Counter::kDynamic}, kTarget);
  map.forget_names(end + (1 << 20), end + (1 << 20) + 4096, false);
  EXPECT_EQ(map.snapshot()[0].name, names[0]);
  map.forget_name_of_global(kB, end, end + 4096);
  EXPECT_EQ(map.snapshot()[1].name, names[1]) << "it is another module's";
  map.forget_names(begin, end, false);
  EXPECT_EQ(map.snapshot()[0].name, nullptr);
  map.forget_name_of_global(kB, begin, end);
  EXPECT_EQ(map.snapshot()[1].name, nullptr);
}

TEST(HostDataToTargetMap, waiting_ends_when_the_data_are_there_and_when_they_will_never_be) {
  HostDataToTargetMap map;
  const MappingRef good = map.insert(range(kA, 64)).found.ref;
  const MappingRef bad = map.insert(range(kB, 64)).found.ref;
  std::thread waiter([&] {
    EXPECT_TRUE(good.wait_for(MappingState::kStorage));
    EXPECT_EQ(good.mapping->target_begin(), kTarget);
    EXPECT_TRUE(good.wait_for(MappingState::kReady));
    EXPECT_FALSE(bad.wait_for(MappingState::kReady));
  });
  good.publish_storage(kTarget);
  EXPECT_TRUE(good.publish_ready());
  (void)map.discard(good);
  EXPECT_EQ(map.size(), 2u) << "others may use what is ready";
  (void)map.discard(bad);
  waiter.join();
  EXPECT_FALSE(map.find(kB, 64).ref);
}

TEST(HostDataToTargetMap, an_arrival_is_used_until_it_has_ended) {
  HostDataToTargetMap map;
  Arrival arrival;
  arrival.begin();
  const MappingRef ref = map.insert(range(kA, 64)).found.ref;
  ref.publish_storage(kTarget, 8);
  EXPECT_TRUE(ref.publish_ready(&arrival));
  EXPECT_TRUE(ref.is_arriving());
  EXPECT_EQ(ref.mapping->allocation(), kTarget);
  EXPECT_EQ(ref.use_arrival(), &arrival);
  ref.end_arrival();
  EXPECT_FALSE(ref.is_arriving());
  EXPECT_EQ(ref.use_arrival(), nullptr);
  EXPECT_FALSE(arrival.end_use()); // the one that was used above
  EXPECT_TRUE(arrival.end_use());
  EXPECT_FALSE(arrival.use());
}

TEST(HostDataToTargetMap, the_end_of_an_arrival_is_not_that_of_the_next_mapping_of_the_data) {
  HostDataToTargetMap map;
  Arrival first, second;
  first.begin();
  second.begin();
  const MappingRef ref = map.insert(range(kA, 64)).found.ref;
  EXPECT_TRUE(ref.publish_ready(&first));
  ref.release(false);
  EXPECT_TRUE(map.remove_if_unused(ref).is_removed);
  EXPECT_EQ(ref.use_arrival(), nullptr);
  const MappingRef next = map.insert(range(kA, 64)).found.ref;
  EXPECT_EQ(next.mapping, ref.mapping);
  EXPECT_TRUE(next.publish_ready(&second));
  ref.end_arrival();
  EXPECT_TRUE(next.is_arriving());
  EXPECT_EQ(next.use_arrival(), &second);
}

// Threads enter and leave the same ranges. At no time does a thread that retained a range see it gone or another's.
TEST(HostDataToTargetMap, threads_enter_and_leave_the_same_data) {
  HostDataToTargetMap map;
  constexpr int kThreads = 4, kRounds = 3000, kRanges = 8;
  std::atomic<int64_t> alive{0}, wrong{0};
  const auto enter = [&](HostPtr begin) -> MappingRef {
    for (;;) {
      const Found found = map.find(begin, 64);
      if (found.is_contained && found.ref.retain()) {
        if (!found.ref.wait_for(MappingState::kReady))
          wrong.fetch_add(1);
        return found.ref;
      }
      const Inserted inserted = map.insert(range(begin, 64));
      if (!inserted.is_new)
        continue;
      alive.fetch_add(1);
      const auto target = static_cast<DevicePtr>(static_cast<uintptr_t>(begin) + 0x100000);
      inserted.found.ref.publish_storage(target);
      EXPECT_TRUE(inserted.found.ref.publish_ready());
      return inserted.found.ref;
    }
  };
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      for (int round = 0; round < kRounds; ++round) {
        const HostPtr begin = kA + 64 * ((round * (thread + 1)) % kRanges);
        const MappingRef ref = enter(begin);
        const auto wanted = static_cast<DevicePtr>(static_cast<uintptr_t>(begin) + 0x100000);
        if (ref.mapping->begin() != begin || ref.mapping->target_begin() != wanted ||
            ref.mapping->generation() != ref.generation)
          wrong.fetch_add(1);
        if (ref.release(false).reached_zero && map.remove_if_unused(ref).is_removed)
          alive.fetch_sub(1);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_EQ(alive.load(), 0) << "a mapping was removed twice or never";
  EXPECT_EQ(map.size(), 0u);
}

} // namespace
} // namespace omptarget
