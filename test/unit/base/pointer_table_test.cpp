// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/pointer_table.h"

#include <atomic>
#include <gtest/gtest.h>
#include <random>
#include <thread>
#include <unordered_map>
#include <vector>

namespace omptarget {
namespace {

TEST(PointerTable, finds_what_was_inserted) {
  PointerTable<int> table;
  int a = 0;
  int b = 0;
  EXPECT_EQ(table.find(0x1000), nullptr);
  table.insert(0x1000, &a);
  table.insert(0x1001, &b);
  EXPECT_EQ(table.find(0x1000), &a);
  EXPECT_EQ(table.find(0x1001), &b);
  table.insert(0x1000, &b);
  EXPECT_EQ(table.find(0x1000), &b);
  EXPECT_EQ(table.size(), 2u);
  table.erase(0x1000);
  table.erase(0x1000);
  table.erase(0x7777);
  EXPECT_EQ(table.find(0x1000), nullptr);
  EXPECT_EQ(table.size(), 1u);
}

TEST(PointerTable, keys_that_mark_slots_are_never_found) {
  PointerTable<int> table;
  int value = 0;
  for (uintptr_t key = 0x100; key < 0x400; ++key)
    table.insert(key, &value);
  for (uintptr_t key = 0x100; key < 0x400; key += 3)
    table.erase(key);
  EXPECT_EQ(table.find(0), nullptr);
  EXPECT_EQ(table.find(1), nullptr);
}

TEST(PointerTable, agrees_with_a_map_over_many_changes) {
  PointerTable<int> table;
  std::unordered_map<uintptr_t, int *> model;
  std::vector<int> values(64);
  std::mt19937 random(42);
  for (int step = 0; step < 200000; ++step) {
    const uintptr_t key = 16 + random() % 512 * 16;
    if (random() % 2 == 0) {
      table.insert(key, &values[random() % values.size()]);
      model[key] = nullptr;
      model[key] = table.find(key);
      ASSERT_NE(model[key], nullptr);
    } else {
      table.erase(key);
      model.erase(key);
    }
    const uintptr_t other = 16 + random() % 512 * 16;
    const auto known = model.find(other);
    ASSERT_EQ(table.find(other), known == model.end() ? nullptr : known->second);
    ASSERT_EQ(table.size(), model.size());
  }
}

TEST(PointerTable, a_reader_never_sees_the_value_of_another_key) {
  // Values tell their keys. Keys come and go and share slots; some stay, and must be found at all times.
  PointerTable<const uintptr_t> table;
  constexpr uintptr_t kKeys = 4096;
  std::vector<uintptr_t> keys(kKeys);
  for (uintptr_t i = 0; i < kKeys; ++i)
    keys[i] = (i + 2) * 8;
  for (uintptr_t i = 0; i < kKeys; i += 64)
    table.insert(keys[i], &keys[i]);
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> readers;
  for (unsigned reader = 0; reader < 3; ++reader)
    readers.emplace_back([&, reader] {
      std::mt19937 random(reader);
      while (!stop.load(std::memory_order_relaxed)) {
        const uintptr_t i = random() % kKeys;
        const uintptr_t *value = table.find(keys[i]);
        if (value ? *value != keys[i] : i % 64 == 0)
          wrong.fetch_add(1, std::memory_order_relaxed);
      }
    });
  std::mt19937 random(99);
  for (int step = 0; step < 100000; ++step) {
    const uintptr_t i = random() % kKeys;
    if (i % 64 == 0)
      continue;
    if (random() % 2 == 0)
      table.insert(keys[i], &keys[i]);
    else
      table.erase(keys[i]);
  }
  stop.store(true, std::memory_order_relaxed);
  for (std::thread &reader : readers)
    reader.join();
  EXPECT_EQ(wrong.load(), 0);
}

} // namespace
} // namespace omptarget
