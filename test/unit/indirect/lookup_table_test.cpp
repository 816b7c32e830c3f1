// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "indirect/lookup_table.h"

#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <unordered_map>
#include <vector>

#include "base/buffer_pool.h"

namespace omptarget {
namespace {

using Pairs = std::vector<__omp_offloading_fptr_map_ty>;

struct Filled {
  explicit Filled(const Pairs &pairs)
      : memory(new uint64_t[LookupTable::bytes(pairs.size()) / 8]()), table(*LookupTable::fill(memory.get(), pairs)) {}
  std::unique_ptr<uint64_t[]> memory;
  const LookupTable &table;
};

TEST(LookupTable, empty_one_finds_nothing) {
  const Filled filled({});
  for (uint64_t pointer : {uint64_t{0}, uint64_t{1}, uint64_t{0x1000}, UINT64_MAX})
    EXPECT_EQ(filled.table.find(pointer), pointer);
}

TEST(LookupTable, finds_every_function_and_nothing_between) {
  std::mt19937_64 random(7);
  for (size_t size = 1; size < 600; ++size) {
    Pairs pairs;
    uint64_t address = 0x400000 + random() % 4096 * 4;
    for (size_t i = 0; i < size; ++i) {
      address += 4 * (1 + random() % 3);
      pairs.push_back({address, random() | 1});
    }
    const Filled filled(pairs);
    std::unordered_map<uint64_t, uint64_t> expected;
    for (const auto &pair : pairs)
      expected[pair.host_ptr] = pair.tgt_ptr;
    for (uint64_t pointer = pairs.front().host_ptr - 4; pointer <= address + 4; ++pointer) {
      const auto found = expected.find(pointer);
      ASSERT_EQ(filled.table.find(pointer), found == expected.end() ? pointer : found->second);
    }
  }
}

TEST(LookupTable, extreme_addresses_are_keys_like_others) {
  const Filled filled({{1, 10}, {UINT64_MAX, 20}});
  EXPECT_EQ(filled.table.find(1), 10u);
  EXPECT_EQ(filled.table.find(UINT64_MAX), 20u);
  EXPECT_EQ(filled.table.find(2), 2u);
  EXPECT_EQ(filled.table.find(0), 0u);
}

TEST(LookupTable, search_ends_when_no_slot_is_free) { // as a late reader of a buffer in use again may see it
  Pairs pairs;
  for (uint64_t i = 1; i <= 100; ++i)
    pairs.push_back({i * 16, i});
  Filled filled(pairs);
  uint64_t *slots = filled.memory.get() + 4;
  for (size_t i = 0; i + 4 < LookupTable::bytes(100) / 8; i += 2)
    slots[i] = 17;
  EXPECT_EQ(filled.table.find(32), 32u);
}

TEST(BufferPool, gives_buffers_again_and_only_for_the_same_size) {
  BufferPool pool;
  void *small = pool.take(100);
  void *large = pool.take(5000);
  EXPECT_EQ(reinterpret_cast<uint64_t>(small) % 64, 0u);
  pool.give(small, 100);
  void *other = pool.take(5000);
  EXPECT_NE(other, small);
  EXPECT_NE(other, large);
  EXPECT_EQ(pool.take(256), small);
  pool.give(large, 5000);
  EXPECT_EQ(pool.take(8192), large);
  pool.give(small, 256);
  pool.give(large, 8192);
  pool.give(other, 5000);
}

TEST(BufferPool, large_buffers_are_zero_and_aligned_to_huge_pages) {
  BufferPool pool;
  const size_t bytes = (size_t{5} << 20) + 8;
  auto *buffer = static_cast<unsigned char *>(pool.take(bytes));
  EXPECT_EQ(reinterpret_cast<uint64_t>(buffer) % (size_t{2} << 20), 0u);
  EXPECT_EQ(buffer[0], 0);
  EXPECT_EQ(buffer[bytes - 1], 0);
  buffer[bytes - 1] = 1;
  pool.give(buffer, bytes);
}

} // namespace
} // namespace omptarget
