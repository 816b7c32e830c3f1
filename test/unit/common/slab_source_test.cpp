// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "common/slab_source.h"

#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "counting_source.h"

namespace omptarget {
namespace {

TEST(SlabSource, small_blocks_share_an_allocation_and_do_not_overlap) {
  CountingSource source;
  SlabSource slabs(source);
  std::set<std::pair<uintptr_t, uintptr_t>> ranges;
  for (size_t size = 1; size <= 1000; size += 7) {
    const auto begin = reinterpret_cast<uintptr_t>(*slabs.allocate(size));
    EXPECT_EQ(begin % SlabSource::kAlignment, 0u);
    EXPECT_TRUE(ranges.insert({begin, begin + size}).second);
  }
  EXPECT_EQ(source.allocations, 1);
  uintptr_t last_end = 0;
  for (const auto &[begin, end] : ranges) {
    EXPECT_GE(begin, last_end);
    last_end = end;
  }
  EXPECT_LE(last_end - ranges.begin()->first, SlabSource::kSlabBytes);
}

TEST(SlabSource, a_slab_goes_back_with_its_last_block) {
  CountingSource source;
  SlabSource slabs(source);
  std::vector<void *> blocks;
  for (size_t i = 0; i < 3 * SlabSource::kSlabBytes / SlabSource::kMostInSlab; ++i)
    blocks.push_back(*slabs.allocate(SlabSource::kMostInSlab));
  EXPECT_EQ(source.sizes.size(), 3u);
  void *const first = blocks.front();
  for (size_t i = 1; i < blocks.size(); ++i)
    EXPECT_TRUE(slabs.release(blocks[i]));
  EXPECT_EQ(source.sizes.size(), 1u);
  EXPECT_TRUE(slabs.release(first));
  EXPECT_TRUE(source.sizes.empty());
  EXPECT_FALSE(slabs.release(first));
}

TEST(SlabSource, large_blocks_are_the_sources_own) {
  CountingSource source;
  SlabSource slabs(source);
  void *const small = *slabs.allocate(100);
  void *const large = *slabs.allocate(SlabSource::kMostInSlab + 1);
  EXPECT_EQ(source.last_size, SlabSource::kMostInSlab + 1);
  EXPECT_TRUE(slabs.release(large));
  EXPECT_EQ(source.sizes.size(), 1u);
  EXPECT_TRUE(slabs.release(small));
}

TEST(SlabSource, where_there_is_no_room_for_a_slab_a_block_is_still_had) {
  CountingSource source;
  source.left = 1000;
  SlabSource slabs(source);
  auto block = slabs.allocate(600);
  ASSERT_TRUE(block);
  EXPECT_EQ(source.last_size, 600u);
  EXPECT_FALSE(slabs.allocate(600));
  EXPECT_TRUE(slabs.release(*block));
  EXPECT_EQ(source.left, 1000u);
}

} // namespace
} // namespace omptarget
