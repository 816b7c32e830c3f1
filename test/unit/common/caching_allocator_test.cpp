// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "common/caching_allocator.h"

#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "counting_source.h"

namespace omptarget {
namespace {

TEST(CachingAllocator, classes_hold_their_sizes_and_waste_at_most_a_quarter) {
  size_t last = 0;
  for (size_t size = 1; size <= 100000; ++size) {
    const size_t bytes = class_size(size);
    ASSERT_GE(bytes, size);
    ASSERT_GE(bytes, last);
    ASSERT_EQ(class_size(bytes), bytes);
    if (size > 64) {
      ASSERT_LE(bytes - size, size / 4 + 1) << size;
    }
    last = bytes;
  }
}

TEST(CachingAllocator, large_classes_waste_at_most_a_sixteenth) {
  for (size_t size = (1 << 20) + 1; size <= size_t{1} << 37; size += size / 37) {
    const size_t bytes = class_size(size);
    ASSERT_GE(bytes, size);
    ASSERT_EQ(class_size(bytes), bytes);
    ASSERT_LE(bytes - size, size / 16 + 1) << size;
  }
}

TEST(CachingAllocator, owns_its_blocks_in_use_only) {
  CountingSource source;
  CachingAllocator allocator(source, 1 << 20, 1 << 20);
  const Result<void *> block = allocator.allocate(100);
  ASSERT_TRUE(block.is_ok());
  EXPECT_TRUE(allocator.owns(block.value()));
  EXPECT_FALSE(allocator.owns(&source));
  EXPECT_TRUE(allocator.release(block.value()));
  EXPECT_FALSE(allocator.owns(block.value()));
  EXPECT_TRUE(allocator.trim());
}

TEST(CachingAllocator, large_classes_are_kept_by_themselves) {
  CountingSource source;
  CachingAllocator allocator(source, SIZE_MAX, SIZE_MAX / 4);
  std::set<void *> first;
  for (size_t size = 1000000; size <= size_t{1} << 38; size = class_size(size) + 1)
    EXPECT_TRUE(first.insert(*allocator.allocate(size)).second);
  for (void *memory : first)
    EXPECT_TRUE(allocator.release(memory));
  for (size_t size = 1000000; size <= size_t{1} << 38; size = class_size(size) + 1) {
    Result<void *> memory = allocator.allocate(size);
    EXPECT_EQ(source.sizes[*memory], class_size(size));
  }
  EXPECT_EQ(allocator.statistics().reused, first.size());
  // Blocks that are never kept are not made larger.
  EXPECT_TRUE(allocator.allocate((size_t{1} << 38) + 1));
  EXPECT_EQ(source.last_size, (size_t{1} << 38) + 1);
}

TEST(CachingAllocator, each_class_is_kept_by_itself) {
  CountingSource source;
  CachingAllocator allocator(source, 8192, 1 << 20);
  std::set<void *> first;
  for (size_t size = 1; size <= 8192; size = class_size(size) + 1) {
    Result<void *> memory = allocator.allocate(size);
    ASSERT_TRUE(memory);
    EXPECT_TRUE(first.insert(*memory).second);
    EXPECT_EQ(source.last_size, class_size(size));
  }
  for (void *memory : first)
    EXPECT_TRUE(allocator.release(memory));
  const int before = source.allocations;
  for (size_t size = 1; size <= 8192; size = class_size(size) + 1) {
    Result<void *> memory = allocator.allocate(class_size(size));
    ASSERT_TRUE(memory);
    EXPECT_EQ(source.sizes[*memory], class_size(size));
  }
  EXPECT_EQ(source.allocations, before);
}

TEST(CachingAllocator, large_blocks_go_straight_back) {
  CountingSource source;
  CachingAllocator allocator(source, 8192, 1 << 20);
  Result<void *> memory = allocator.allocate(8193);
  EXPECT_EQ(source.last_size, 8193u);
  EXPECT_TRUE(allocator.release(*memory));
  EXPECT_TRUE(source.sizes.empty());
}

TEST(CachingAllocator, threshold_0_keeps_nothing) {
  CountingSource source;
  CachingAllocator allocator(source, 0, 1 << 20);
  Result<void *> memory = allocator.allocate(16);
  EXPECT_TRUE(allocator.release(*memory));
  EXPECT_TRUE(source.sizes.empty());
}

TEST(CachingAllocator, the_limit_bounds_what_is_kept) {
  CountingSource source;
  CachingAllocator allocator(source, 8192, 3000);
  void *blocks[4];
  for (void *&block : blocks)
    block = *allocator.allocate(1024);
  for (void *block : blocks)
    EXPECT_TRUE(allocator.release(block));
  EXPECT_EQ(allocator.statistics().kept_bytes, 2048u);
  EXPECT_EQ(source.sizes.size(), 2u);
  EXPECT_TRUE(allocator.trim());
  EXPECT_TRUE(source.sizes.empty());
  EXPECT_EQ(allocator.statistics().kept_bytes, 0u);
}

TEST(CachingAllocator, kept_memory_serves_when_the_source_is_empty) {
  CountingSource source;
  source.left = 4096;
  CachingAllocator allocator(source, 8192, 1 << 20);
  EXPECT_TRUE(allocator.release(*allocator.allocate(1024)));
  EXPECT_TRUE(allocator.allocate(3500)); // 3584 do not fit beside the 1024 kept
  EXPECT_FALSE(allocator.allocate(1024));
}

TEST(CachingAllocator, wrong_releases_are_errors) {
  CountingSource source;
  CachingAllocator allocator(source, 8192, 1 << 20);
  int outside = 0;
  EXPECT_FALSE(allocator.release(&outside));
  void *memory = *allocator.allocate(10);
  EXPECT_TRUE(allocator.release(memory));
  EXPECT_FALSE(allocator.release(memory));
}

TEST(CachingAllocator, everything_can_be_released_and_is_counted) {
  CountingSource source;
  CachingAllocator allocator(source, 8192, 1 << 20);
  EXPECT_TRUE(allocator.allocate(64));
  EXPECT_TRUE(allocator.allocate(100000));
  EXPECT_TRUE(allocator.release(*allocator.allocate(128)));
  EXPECT_TRUE(allocator.allocate(128));
  AllocatorStatistics statistics = allocator.statistics();
  EXPECT_EQ(statistics.allocations, 4u);
  EXPECT_EQ(statistics.reused, 1u);
  EXPECT_EQ(statistics.source_allocations, 3u);
  EXPECT_EQ(statistics.used_bytes, 64u + 100000u + 128u);
  EXPECT_TRUE(allocator.release_all());
  EXPECT_TRUE(source.sizes.empty());
}

uint64_t test_time = 0;

TEST(CachingAllocator, what_nobody_needs_for_long_is_given_back) {
  CountingSource source;
  CachingAllocator allocator(source, SIZE_MAX, SIZE_MAX);
  test_time = 5;
  allocator.give_back_after(100, [] { return test_time; });
  std::vector<void *> blocks;
  for (int i = 0; i < 4; ++i)
    blocks.push_back(*allocator.allocate(1000));
  void *other = *allocator.allocate(5000);
  for (void *block : blocks)
    ASSERT_TRUE(allocator.release(block).is_ok());
  ASSERT_TRUE(allocator.release(other).is_ok());
  EXPECT_EQ(source.sizes.size(), 5u);
  const auto use_two = [&] {
    void *first = *allocator.allocate(1000), *second = *allocator.allocate(1000);
    ASSERT_TRUE(allocator.release(first).is_ok());
    ASSERT_TRUE(allocator.release(second).is_ok());
  };
  test_time = 105;
  use_two();
  EXPECT_EQ(source.sizes.size(), 5u); // each was there for some of the time only
  test_time = 204;
  use_two();
  EXPECT_EQ(source.sizes.size(), 5u);
  test_time = 205;
  use_two();
  EXPECT_EQ(source.sizes.size(), 2u); // those that are used
  EXPECT_EQ(allocator.statistics().kept_bytes, 2 * class_size(1000));
  ASSERT_TRUE(allocator.release_all().is_ok());
  EXPECT_EQ(source.sizes.size(), 0u);
}

TEST(CachingAllocator, nothing_is_given_back_where_that_is_not_wanted) {
  CountingSource source;
  CachingAllocator allocator(source, SIZE_MAX, SIZE_MAX);
  allocator.give_back_after(0, [] { return test_time; });
  for (test_time = 0; test_time < 10; ++test_time) {
    void *block = *allocator.allocate(64 << test_time);
    ASSERT_TRUE(allocator.release(block).is_ok());
  }
  EXPECT_EQ(source.sizes.size(), 10u);
}

} // namespace
} // namespace omptarget
