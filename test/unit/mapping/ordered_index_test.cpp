// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <atomic>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <thread>

#include "index_changes.h"
#include "mapping/mapping.h"

namespace omptarget {
namespace {

class Values {
public:
  explicit Values(size_t count) : values_(new Mapping[count]) {}
  Mapping *operator[](size_t i) { return &values_[i]; }
  size_t number(const Mapping *mapping) const { return static_cast<size_t>(mapping - values_.get()); }

private:
  std::unique_ptr<Mapping[]> values_;
};

TEST(OrderedIndex, empty_has_no_neighbours) {
  OrderedIndex index;
  EXPECT_EQ(index.around(5).below, nullptr);
  EXPECT_EQ(index.around(5).above, nullptr);
  EXPECT_EQ(index.size(), 0u);
}

TEST(OrderedIndex, finds_the_key_itself_below_and_the_next_above) {
  OrderedIndex index;
  Values values(2);
  insert(index, 10, values[0]);
  insert(index, 20, values[1]);
  EXPECT_EQ(index.around(9).below, nullptr);
  EXPECT_EQ(index.around(9).above, values[0]);
  EXPECT_EQ(index.around(10).below, values[0]);
  EXPECT_EQ(index.around(10).above, values[1]);
  EXPECT_EQ(index.around(20).below, values[1]);
  EXPECT_EQ(index.around(99).above, nullptr);
}

TEST(OrderedIndex, agrees_with_a_map_while_it_grows_and_shrinks) {
  OrderedIndex index;
  constexpr size_t kCount = 5000;
  Values values(kCount);
  std::map<uintptr_t, Mapping *> model;
  std::mt19937_64 random(7);
  for (int step = 0; step < 60000; ++step) {
    const size_t limit = step < 30000 ? kCount : kCount / 20; // many leaves first, then they merge
    const uintptr_t key = 16 * (random() % kCount);
    const bool is_there = model.count(key) != 0;
    if (is_there && (model.size() > limit || random() % 3 == 0)) {
      erase(index, key);
      model.erase(key);
    } else if (!is_there && model.size() <= limit) {
      insert(index, key, values[key / 16]);
      model[key] = values[key / 16];
    }
    const uintptr_t asked = random() % (16 * kCount);
    const auto above = model.upper_bound(asked);
    const auto around = index.around(asked);
    ASSERT_EQ(around.above, above == model.end() ? nullptr : above->second);
    ASSERT_EQ(around.below, above == model.begin() ? nullptr : std::prev(above)->second);
    ASSERT_EQ(index.size(), model.size());
  }
  std::vector<Mapping *> in_order;
  for (const auto &[key, value] : model)
    in_order.push_back(value);
  EXPECT_EQ(index.values(), in_order);
}

TEST(OrderedIndex, ascending_and_descending_keys) {
  for (const bool ascending : {true, false}) {
    OrderedIndex index;
    Values values(3000);
    for (size_t i = 0; i < 3000; ++i)
      insert(index, ascending ? i + 1 : 3000 - i, values[ascending ? i : 2999 - i]);
    for (size_t i = 0; i < 3000; ++i)
      ASSERT_EQ(index.around(i + 1).below, values[i]);
  }
}

// So many leaves that the search in the directory takes steps of 17 times 17: sizes around each change of step.
TEST(OrderedIndex, every_key_and_gap_of_many_leaves) {
  constexpr size_t kCount = 80000;
  OrderedIndex index;
  Values values(kCount);
  size_t next_check = 1;
  for (size_t i = 0; i < kCount; ++i) {
    insert(index, 2 * i + 2, values[i]);
    if (i + 1 != next_check && i + 1 != kCount)
      continue;
    for (size_t k = 0; k <= i; ++k) {
      ASSERT_EQ(index.around(2 * k + 2).below, values[k]) << i;
      ASSERT_EQ(index.around(2 * k + 1).above, values[k]) << i;
      ASSERT_EQ(index.around(2 * k + 3).below, values[k]) << i;
    }
    next_check += 1 + next_check / 7;
  }
}

TEST(OrderedIndex, erases_from_the_leaf_of_the_key_whichever_is_likely) {
  constexpr size_t kCount = 4000;
  OrderedIndex index;
  Values values(kCount);
  for (size_t i = 0; i < kCount; ++i)
    insert(index, 2 * i + 2, values[i]);
  std::mt19937_64 random(5);
  for (size_t i = 0; i < kCount; ++i) {
    const size_t at = i * 1999 % kCount; // each once
    const uint32_t leaf = index.fetch(2 * at + 2);
    erase(index, 2 * at + 2, random() % 2 ? leaf : static_cast<uint32_t>(leaf + random() % 5 - 2));
    ASSERT_NE(index.around(2 * at + 2).below, values[at]);
    for (size_t later = i + 1; later < std::min(i + 50, kCount); ++later)
      ASSERT_EQ(index.around(2 * (later * 1999 % kCount) + 2).below, values[later * 1999 % kCount]);
  }
  EXPECT_EQ(index.size(), 0u);
}

// After any removal, two neighbouring leaves hold more than half of what one could.
TEST(OrderedIndex, few_keys_that_stay_of_many_do_not_keep_a_leaf_each) {
  constexpr size_t kCount = 100000, kKept = 200;
  for (const bool is_ascending : {true, false}) {
    OrderedIndex index;
    Values values(kCount);
    for (size_t i = 0; i < kCount; ++i)
      insert(index, 16 * (i + 1), values[i]);
    for (size_t step = 0; step < kCount; ++step) {
      const size_t i = is_ascending ? step : kCount - 1 - step;
      if (i % kKept != 0)
        erase(index, 16 * (i + 1));
    }
    EXPECT_EQ(index.size(), kCount / kKept);
    EXPECT_LE(index.leaf_count(), 2 * index.size() / 60 + 2);
    for (size_t i = 0; i < kCount; i += kKept)
      ASSERT_EQ(index.around(16 * (i + 1)).below, values[i]);
  }
}

// Readers see a key that never goes, whatever the writer does around it, unless they are to read again.
TEST(OrderedIndex, readers_beside_a_writer) {
  OrderedIndex index;
  constexpr size_t kCount = 2000;
  Values values(kCount);
  for (size_t i = 0; i < kCount; i += 100)
    insert(index, 16 * (i + 1), values[i]);
  std::atomic<bool> ends{false};
  std::atomic<int64_t> wrong{0}, right{0};
  std::vector<std::thread> readers;
  for (unsigned reader = 0; reader < 3; ++reader)
    readers.emplace_back([&, reader] {
      std::mt19937_64 random(reader);
      while (!ends.load(std::memory_order_relaxed)) {
        const size_t i = 100 * (random() % (kCount / 100));
        const OrderedIndex::Neighbours around = index.around(16 * (i + 1));
        if (index.is_current(around))
          (around.below == values[i] ? right : wrong).fetch_add(1, std::memory_order_relaxed);
      }
    });
  std::mt19937_64 random(99);
  std::vector<bool> is_in(kCount, false);
  for (int step = 0; step < 20000 || right.load() < 100; ++step) {
    const size_t i = random() % kCount;
    if (i % 100 == 0)
      continue;
    is_in[i] ? erase(index, 16 * (i + 1)) : insert(index, 16 * (i + 1), values[i]);
    is_in[i] = !is_in[i];
  }
  ends.store(true);
  for (std::thread &reader : readers)
    reader.join();
  EXPECT_EQ(wrong.load(), 0);
}

} // namespace
} // namespace omptarget
