// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/atomic_wait.h"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace omptarget {
namespace {

TEST(AtomicWait, a_word_that_has_changed_is_not_waited_for) {
  std::atomic<uint64_t> word{1};
  wait_while_equal(word, uint64_t{0});
  EXPECT_EQ(word, 1u);
}

TEST(AtomicWait, changes_of_each_half_of_a_word_are_seen) {
  for (const uint64_t bit : {uint64_t{1}, uint64_t{1} << 63}) {
    std::atomic<uint64_t> word{0};
    std::thread waiter([&] { wait_while_equal(word, uint64_t{0}); });
    word.fetch_or(bit);
    notify_waiters(word);
    waiter.join();
  }
}

// Loses a wake-up, and hangs, if either side looks before the other can see it.
TEST(AtomicWait, no_wake_up_is_lost) {
  constexpr uint32_t kRounds = 20000;
  std::atomic<uint32_t> turn{0};
  const auto play = [&](uint32_t own) {
    for (uint32_t round = own; round < kRounds; round += 2) {
      for (uint32_t now = turn; now != round; now = turn)
        wait_while_equal(turn, now);
      turn.fetch_add(1);
      notify_waiters(turn);
    }
  };
  std::thread other(play, 1);
  play(0);
  other.join();
  EXPECT_EQ(turn, kRounds);
}

TEST(AtomicWait, all_who_wait_wake_also_where_words_share_a_place) {
  std::vector<std::atomic<uint64_t>> words(64); // more than there are places
  std::vector<std::thread> waiters;
  for (auto &word : words)
    for (int i = 0; i < 2; ++i)
      waiters.emplace_back([&word] { wait_while_equal(word, uint64_t{0}); });
  for (auto &word : words) {
    word.fetch_add(1);
    notify_waiters(word);
  }
  for (std::thread &waiter : waiters)
    waiter.join();
}

} // namespace
} // namespace omptarget
